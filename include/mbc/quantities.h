// SPDX-License-Identifier: Apache-2.0
// Small types that many headers of the interface use.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "mbc/export.h"

namespace MBC_API mbc {

struct Quantity {  // a parameter, coordinate, speed, state, input, output or column
  std::string name;
  std::string unit;  // "" in a model without units, "1" for a pure number in one with units
  std::string description;
};

// The value of an expression at a state, with its shape and unit.
struct Evaluated {
  std::vector<double> values;         // a matrix row by row; a condition is 1 or 0
  std::size_t rows = 1, columns = 1;  // a vector has one column
  bool condition = false;
  std::string unit{};  // as in Quantity: of `hinge.angle in [deg]` "deg", otherwise the SI unit
};

struct TimeSpan {  // time span of a `simulate` block; in seconds if the model has units
  double begin = 0, end = 0, step = 0;
  std::vector<double> rows{};  // times of the rows if the block lists them; `step` is their mean distance then
};

}  // namespace mbc
