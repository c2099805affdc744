// SPDX-License-Identifier: Apache-2.0
// Makes random models as .mbd text: particles, parameters, lets, defs, forces and constraints at all three levels, with
// redundant copies. Every expression is guarded at the initial state (tests/compiler/ad/generator.h), and the initial
// state satisfies the constraints, so that the models are valid and can run. The expressions are also kept as trees:
// the result of the compiler can be compared with that of duals and the complex step on the trees.
#pragma once
#include <string>
#include <vector>

#include "tests/compiler/ad/motion_oracle.h"

namespace mbc::test {

enum class Level : std::uint8_t { position, velocity, acceleration };

struct RandomRow {
  std::string name;
  Level level = Level::position;
  Tree expression;                                      // position, velocity: lhs - rhs up to terms linear in t
  double factor = 1;                                    // factor of the row; copies are multiples
  std::vector<std::pair<std::uint32_t, Tree>> factors;  // acceleration: sum of factor * u'_j ...
  Tree right;                                           // ... == right
};

struct RandomModel {
  std::string text;
  std::uint32_t space = 3, particles = 1;
  Point initial;  // t, q, u and parameters
  std::vector<double> mass;
  std::vector<RandomRow> rows;
  std::uint32_t independent = 0;  // number of rows that are not copies

  [[nodiscard]] std::uint32_t coordinates() const { return space * particles; }
};

RandomModel random_model(std::uint64_t seed);

}  // namespace mbc::test
