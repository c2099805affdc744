// SPDX-License-Identifier: Apache-2.0
// From the initial values of a model to the problem the assembly solves, and back to what is reported.
#pragma once
#include <vector>

#include "compiler/sema/model.h"
#include "mbc/mbc.h"
#include "runtime/constraints/assembly.h"

namespace mbc::api {

[[nodiscard]] bool has_soft_values(const sema::Model& model);

// Both arguments outlive the result. Differentiates the targets, which adds nodes to the model's graph.
[[nodiscard]] runtime::AssemblyProblem assembly_problem(sema::Model& model, const std::vector<double>& params);

// The initial state at the beginning of the first simulation; the values as given where they cannot be moved.
[[nodiscard]] std::vector<double> assembled(Program::Parts parts);

// Starts a run from it; false, with the result filled, when it is not consistent.
[[nodiscard]] bool take(const InitialState& start, std::vector<double>& y, RunResult& result);

[[nodiscard]] std::vector<InitialMove> moves_between(const sema::Model& model, const std::vector<double>& before,
                                                     const std::vector<double>& after);

}  // namespace mbc::api
