// SPDX-License-Identifier: Apache-2.0
// Names the parts of a run that contacts need, at an instant (contact_instant.h) and in time steps. The run owns all of
// them.
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

  // Ends the run and returns false for the caller to hand on.
  bool end(RunStatus status, Diagnostic d) { return data.end(status, std::move(d)); }
  bool undefined(double t) { return end(RunStatus::stopped, why_undefined(equations, info, t, integrated.y().data())); }
  [[nodiscard]] problem::DiscreteState discrete_state() const { return equations.discrete_state(info.events); }
};

}  // namespace mbc::runtime
