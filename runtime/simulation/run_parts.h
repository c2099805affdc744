// SPDX-License-Identifier: Apache-2.0
// The parts of a run that steps beside singular positions (passage.h), instants of contacts (contact_instant.h) and
// time steps ask for. Everything in it belongs to the run.
#pragma once
#include <utility>

#include "runtime/constraints/certification.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/constraints/singular/usual_rank.h"
#include "runtime/constraints/singular/vanishing_rows.h"
#include "runtime/constraints/stabilisation.h"
#include "runtime/equations/integrated_state.h"
#include "runtime/integrators/method.h"
#include "runtime/record/options.h"
#include "runtime/record/recording.h"
#include "runtime/record/run_data.h"
#include "runtime/record/run_failure.h"

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
  UsualRank& usual_rank;
  VanishingRows& vanishing_rows;
  Stabiliser& stabiliser;
  Recording& recording;
  Method& method;

  // The run ends here: false, for the caller to hand on.
  bool end(RunStatus status, Diagnostic d) { return data.end(status, std::move(d)); }
  bool undefined(double t) { return end(RunStatus::stopped, why_undefined(equations, info, t, integrated.y().data())); }
  [[nodiscard]] problem::DiscreteState discrete_state() const { return equations.discrete_state(info.events); }
  // How many rows no event has switched off.
  [[nodiscard]] int rows_on() const {
    const problem::DiscreteState discrete = discrete_state();
    auto on = static_cast<int>(info.rows.size());
    for (const problem::SwitchedRow& s : info.events.switched_rows)
      if (!discrete.is_on(s.held)) --on;
    return on;
  }
};

}  // namespace mbc::runtime
