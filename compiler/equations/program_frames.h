// SPDX-License-Identifier: Apache-2.0
// The parts of a program besides expressions, in each language.
#pragma once
#include <string_view>

#include "compiler/reading/language.h"

namespace mbc::equations {

// Patterns, with $1, $2, ... for what is filled in. Indices begin at `first`.
struct Frame {
  int first = 0;
  std::string_view comment;  // begins a line of it
  std::string_view begin;    // $1: number of entries of y, $2: of p, $3: of unknowns
  std::string_view value;    // a default parameter: $1 the number, $2 the name
  std::string_view end_values;
  std::string_view head;        // of the function
  std::string_view let;         // $1 = $2, a new name
  std::string_view set;         // $1 = $2, an entry
  std::string_view zeros;       // K and r; $1: number of unknowns
  std::string_view solve;       // solution of K and r
  std::string_view solve_rows;  // the same with rows, which may be redundant
  std::string_view derivative;  // dy, $1 entries
  std::string_view tail;
  std::string_view entry;    // y, p, r, solution: $1 at $2
  std::string_view matrix;   // K at $1, $2
  std::string_view broken;   // between two lines of one expression
  std::string_view grouped;  // an expression of several lines
};

[[nodiscard]] const Frame& frame_of(reading::Language language);

}  // namespace mbc::equations
