// SPDX-License-Identifier: Apache-2.0
// The parts of a run that steps beside singular positions (crossing.h), instants of contacts (contact_instant.h) and
// time steps ask for. Everything in it belongs to the run.
#pragma once
#include <utility>

#include "runtime/constraints/constraint_projector.h"
#include "runtime/constraints/stabilisation.h"
#include "runtime/equations/integrated_state.h"
#include "runtime/integrators/method.h"
#include "runtime/record/options.h"
#include "runtime/record/recording.h"
#include "runtime/record/run_data.h"
#include "runtime/record/run_failure.h"
#include "runtime/singular/certification.h"

namespace mbc::runtime {

struct RunParts {
  Equations& equations;
  const problem::Problem& info;
  const SimulateOptions& options;
  const kernel::SystemLayout& layout;
  IntegratedState& integrated;
  RunData& data;
  const double& lowest_rebound;
  ConstraintProjector& projector;
  Certification& certification;
  Stabiliser& stabiliser;
  Recording& recording;
  Method& method;

  // The run ends here: false, for the caller to hand on.
  bool end(RunStatus status, Diagnostic d) { return data.end(status, std::move(d)); }
  bool undefined(double t) { return end(RunStatus::stopped, why_undefined(equations, info, t, integrated.y().data())); }
  [[nodiscard]] problem::DiscreteState discrete_state() const { return equations.discrete_state(info.events); }
};

}  // namespace mbc::runtime
