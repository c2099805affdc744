// SPDX-License-Identifier: Apache-2.0
// Computes the values of a lowered system at a state from its templates. The evaluation shares nothing with kernels.
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
  Vector rate, state_rate, f, N, C;                        // for each coordinate, for each state, for each speed
  Vector rate_offset, velocity_residual, constraint_rate;  // for each row
  Vector Z, quasi_bias;                                    // for each quasi-velocity
  Vector outputs;
  double kinetic = 0, load_power = 0, nonideal_power = 0, support_power = 0;
  std::map<lower::Target, std::size_t> count;  // number of contributions
};

Compilation compiled(const std::string& text);  // The text must have no errors.
double value_at(const sema::Model& model, graph::NodeId node, const ModelState& at);
Lowered values_at(const lower::System& system, const ModelState& at);
// Returns random values between -1 and 1, times 0.3 .. 2. Parameters are those of the model.
ModelState random_state(const Compilation& c, Rng& rng);

}  // namespace mbc::test
