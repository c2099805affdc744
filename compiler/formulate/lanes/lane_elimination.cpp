// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/lane_elimination.h"

#include <algorithm>
#include <set>

#include "base/check.h"

namespace mbc::formulate {

namespace {

using NameSets = std::vector<std::set<std::uint32_t>>;

// Visits the other rows that share speeds; rows may be visited several times.
template <class Visit>
void each_other_row(const Pattern& pattern, const InertiaBlocks& blocks, std::uint32_t row, Visit&& visit) {
  for (std::uint32_t c : pattern.row_columns[row])
    for (std::uint32_t other : blocks.rows[blocks.of_speed[c]])
      if (other != row) visit(other);
}

// Returns by row s the later rows that are coupled with it, of lane 0.
NameSets couplings(const Pattern& pattern, const InertiaBlocks& blocks, const LanePartition& p) {
  NameSets coupled(p.rows.size());
  for (std::uint32_t s = 0; s < p.rows.size(); ++s)
    each_other_row(pattern, blocks, p.rows[s][0], [&](std::uint32_t other) {
      const std::uint32_t name = p.name_of(other, 0);
      CHECK(name != kNoLane, "a row of a lane shares speeds with its own rows and its two separators only");
      if (name > s) coupled[s].insert(name);
    });
  return coupled;
}

// Eliminating row s couples all rows of its column.
void add_fill(NameSets& reach) {
  for (const auto& names : reach)
    for (std::uint32_t i : names)
      for (std::uint32_t j : names)
        if (i < j && i < reach.size()) reach[i].insert(j);
}

std::vector<LaneElimination::Names> as_lists(const NameSets& sets) {
  std::vector<LaneElimination::Names> lists;
  for (const auto& names : sets) lists.emplace_back(names.begin(), names.end());
  return lists;
}

}  // namespace

LaneElimination::LaneElimination(const Pattern& pattern, const InertiaBlocks& blocks, const LanePartition& p) {
  NameSets sets = couplings(pattern, blocks, p);
  coupled = as_lists(sets);
  add_fill(sets);
  reach = as_lists(sets);
  reach_begin = {0};
  for (const Names& names : reach) reach_begin.push_back(reach_begin.back() + static_cast<std::uint32_t>(names.size()));
  for (std::uint32_t t = 0; t < p.separator_rows.size(); ++t)
    each_other_row(pattern, blocks, p.separator_rows[t], [&](std::uint32_t other) {
      const LaneSlot m = p.row_at[other];
      if (!p.in_lane(m) && m.local > t) separator_pair.try_emplace({t, m.local}, 0);
    });
  std::uint32_t next = 0;
  for (auto& [pair, index] : separator_pair) index = next++;
}

std::uint32_t LaneElimination::entry(std::uint32_t column, std::uint32_t name) const {
  const Names& names = reach[column];
  const auto at = std::lower_bound(names.begin(), names.end(), name);
  CHECK(at != names.end() && *at == name, "an entry of L is in its pattern");
  return reach_begin[column] + static_cast<std::uint32_t>(at - names.begin());
}

}  // namespace mbc::formulate
