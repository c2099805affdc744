// SPDX-License-Identifier: Apache-2.0
// The entries of A and M of a system that may differ from zero.
#pragma once
#include <algorithm>
#include <cstdint>
#include <utility>
#include <vector>

#include "compiler/formulate/blocks/names.h"
#include "compiler/formulate/solve/inertia_rows.h"
#include "compiler/formulate/solve/linear_plan.h"

namespace mbc::formulate {

inline std::pair<std::uint32_t, std::uint32_t> ordered(std::uint32_t i, std::uint32_t j) {
  return i >= j ? std::pair{i, j} : std::pair{j, i};
}

// The patterns of A and M, and the places of everything.
struct Pattern {
  std::vector<std::vector<std::uint32_t>> row_columns;
  std::vector<std::vector<std::uint32_t>> quasi_columns;  // columns of the user's quasi-velocities
  MassPattern mass;

  explicit Pattern(const System& s) : row_columns(s.n_rows), quasi_columns(s.n_quasi) {
    for (const Part& part : s.parts)
      for (const Contribution& c : part.contributions)
        for (std::uint32_t k = 0; k < part.family.count; ++k) {
          if (c.target == Target::jacobian) row_columns[part.family.items[k]].push_back(part.family.index(k, c.i));
          if (c.target == Target::quasi_row) quasi_columns[part.family.items[k]].push_back(part.family.index(k, c.i));
          if (c.target == Target::mass) mass.push_back(ordered(part.family.index(k, c.i), part.family.index(k, c.j)));
        }
    in_order(mass);
    for (auto* lists : {&row_columns, &quasi_columns})
      for (std::vector<std::uint32_t>& list : *lists) {
        std::sort(list.begin(), list.end());
        list.erase(std::unique(list.begin(), list.end()), list.end());
        list.shrink_to_fit();
      }
  }
};

// Returns for each speed the number of the body or particle that gives it inertia.
inline std::vector<std::uint32_t> speed_groups(const System& s) {
  std::vector<std::uint32_t> group(s.n_speeds, 0);
  std::uint32_t number = 0;
  for (const Part& part : s.parts)
    for (std::uint32_t k = 0; k < part.family.count; ++k, ++number)
      for (const Contribution& c : part.contributions)
        if (c.target == Target::mass) group[part.family.index(k, c.i)] = number;
  return group;
}

}  // namespace mbc::formulate
