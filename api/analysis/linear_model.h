// SPDX-License-Identifier: Apache-2.0
// The parts of linear models and equilibria that both need.
#pragma once
#include <vector>

#include "api/analysis/state_question.h"

namespace mbc::api {

// Sets a simulation, which belongs to the caller, to the initial state of its block, or says why there is none.
Result<void> begin_block(Simulation::Impl& simulation);

[[nodiscard]] std::vector<double> row_major(const Eigen::MatrixXd& matrix);

// Returns the linear model at a state. rests: the state is known to be an equilibrium.
Result<LinearModel> linear_model(StateQuestion& question, Simulation::Impl& simulation, double t,
                                 const std::vector<double>& y, bool rests = false);

// Returns the equilibria found from the present state of a simulation, which belongs to the caller.
Result<EquilibriumReport> equilibrium(Simulation::Impl& simulation, const EquilibriumOptions& options);

}  // namespace mbc::api
