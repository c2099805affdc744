// SPDX-License-Identifier: Apache-2.0
// The values of a lowered system at a state, put together from its templates: an evaluation that shares nothing with
// kernels.
#pragma once
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "compiler/pipeline.h"
#include "tests/compiler/ad/rng.h"

namespace mbc::test {

struct ModelState {
  double t = 0;
  std::vector<double> q, u, s, accelerations, params, multipliers, ideal;
};

using Vector = std::vector<double>;
using Matrix = std::vector<Vector>;

struct Lowered {
  Matrix M, A, Y;
  Vector rate, state_rate, f, N, C;                        // by coordinate, by state, by speed
  Vector rate_offset, velocity_residual, constraint_rate;  // by row
  Vector Z, quasi_bias;                                    // by quasi-velocity
  Vector outputs;
  double kinetic = 0, load_power = 0, nonideal_power = 0, support_power = 0;
  std::map<lower::Target, std::size_t> count;  // contributions
};

Compilation compiled(const std::string& text);  // must have no errors
double value_at(const sema::Model& model, graph::NodeId node, const ModelState& at);
Lowered values_at(const lower::System& system, const ModelState& at);
// Everything between -1 and 1, times 0.3 .. 2; parameters are those of the model.
ModelState random_state(const Compilation& c, Rng& rng);

}  // namespace mbc::test
