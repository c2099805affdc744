// SPDX-License-Identifier: Apache-2.0
// Finds connected components of rows by joining sets of speeds.
#include "runtime/constraints/row_components.h"

namespace mbc::runtime {

DisjointSets sets_of_speeds(const kernel::SystemLayout& l) {
  DisjointSets sets(l.n_speeds);
  for (const auto& [i, j] : l.mass) sets.join(i, j);
  for (std::uint32_t r = 0; r < l.n_rows; ++r)
    for (std::uint32_t k = l.row_ptr[r]; k + 1 < l.row_ptr[r + 1]; ++k) sets.join(l.column[k], l.column[k + 1]);
  return sets;
}

std::vector<RowComponent> row_components(const kernel::SystemLayout& l, const problem::Problem& info) {
  DisjointSets sets = sets_of_speeds(l);
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> part_of(l.n_speeds, kNone);
  std::vector<RowComponent> parts;
  for (std::uint32_t r = 0; r < l.n_rows; ++r) {
    if (l.row_ptr[r] == l.row_ptr[r + 1]) continue;  // The row contains no speed.
    std::uint32_t& part = part_of[sets.root(l.column[l.row_ptr[r]])];
    if (part == kNone) {
      part = static_cast<std::uint32_t>(parts.size());
      parts.emplace_back();
    }
    parts[part].rows.push_back(r);
    parts[part].by_position = parts[part].by_position || info.rows[r].level == problem::Level::position;
  }
  for (std::uint32_t j = 0; j < l.n_speeds; ++j)
    if (const std::uint32_t part = part_of[sets.root(j)]; part != kNone) parts[part].columns.push_back(j);
  return parts;
}

}  // namespace mbc::runtime
