// SPDX-License-Identifier: Apache-2.0
// Finds connected components of rows by joining sets of speeds.
#include "runtime/constraints/row_parts.h"

#include "base/disjoint_sets.h"

namespace mbc::runtime {

namespace {

DisjointSets sets_of_speeds(const kernel::SystemLayout& l) {
  DisjointSets sets(l.n_speeds);
  for (const auto& [i, j] : l.mass) sets.join(i, j);
  for (std::uint32_t r = 0; r < l.n_rows; ++r)
    for (std::uint32_t k = l.row_ptr[r]; k + 1 < l.row_ptr[r + 1]; ++k) sets.join(l.column[k], l.column[k + 1]);
  return sets;
}

}  // namespace

std::vector<CountedPart> row_parts(const kernel::SystemLayout& l, const problem::Problem& info) {
  DisjointSets sets = sets_of_speeds(l);
  constexpr std::uint32_t kNone = 0xffffffffU;
  std::vector<std::uint32_t> part_of(l.n_speeds, kNone);
  std::vector<CountedPart> parts;
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

std::vector<CountedPart> restricted(const std::vector<CountedPart>& parts, const std::vector<double>& taken) {
  std::vector<CountedPart> out(parts.size());
  for (std::size_t k = 0; k < parts.size(); ++k) {
    out[k].columns = parts[k].columns;
    out[k].by_position = parts[k].by_position;
    for (const Eigen::Index r : parts[k].rows)
      if (taken[static_cast<std::size_t>(r)] != 0) out[k].rows.push_back(r);
  }
  return out;
}

}  // namespace mbc::runtime
