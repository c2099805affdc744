// SPDX-License-Identifier: Apache-2.0
// Small things that many parts of mbc.h speak of.
#pragma once
#include <string>

#include "mbc/export.h"

namespace MBC_API mbc {

struct Quantity {  // a parameter, coordinate, speed, state, input, output or column
  std::string name;
  std::string unit;  // "" in a model without units, "1" for a pure number in one with units
  std::string description;
};

struct TimeSpan {  // of a `simulate` block; in seconds where the model has units
  double begin = 0, end = 0, step = 0;
};

}  // namespace mbc
