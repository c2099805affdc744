// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/partition.h"

#include <algorithm>
#include <map>
#include <numeric>

#include "base/disjoint_sets.h"

namespace mbc::formulate {

namespace {

constexpr std::uint32_t kShortestLane = 2;        // levels
constexpr std::uint32_t kWidestLevel = 12;        // rows: fill grows with the square
constexpr std::uint32_t kMostSeparatorRows = 60;  // rows, written out as expressions
constexpr std::uint32_t kFewestRows = 30;         // straight-line code is faster below
constexpr std::uint32_t kUnset = 0xffffffffu;

using Levels = std::vector<std::vector<std::uint32_t>>;

template <class Visit>
void each_neighbour(const Pattern& pattern, const InertiaBlocks& blocks, std::uint32_t row, Visit&& visit) {
  std::uint32_t last = kUnset;
  for (std::uint32_t c : pattern.row_columns[row]) {
    const std::uint32_t block = blocks.of_speed[c];
    if (block == last) continue;
    last = block;
    for (std::uint32_t other : blocks.rows[block]) visit(other);
  }
}

// Returns breadth-first levels; rows that are not reached are in no level.
Levels levels_from(const Pattern& pattern, const InertiaBlocks& blocks, std::uint32_t start) {
  std::vector<bool> seen(pattern.row_columns.size(), false);
  Levels levels{{start}};
  seen[start] = true;
  while (true) {
    std::vector<std::uint32_t> next;
    for (std::uint32_t row : levels.back())
      each_neighbour(pattern, blocks, row, [&](std::uint32_t other) {
        if (seen[other]) return;
        seen[other] = true;
        next.push_back(other);
      });
    if (next.empty()) return levels;
    std::sort(next.begin(), next.end());
    levels.push_back(std::move(next));
  }
}

// Returns levels that start at an end of the graph, as far as two searches find one, in the order of the rows' numbers.
std::optional<Levels> find_levels(const Pattern& pattern, const InertiaBlocks& blocks, std::uint32_t start,
                                  std::size_t n_rows) {
  const Levels first = levels_from(pattern, blocks, start);
  Levels levels = levels_from(pattern, blocks, first.back().front());
  std::size_t reached = 0;
  for (const auto& level : levels) {
    if (level.size() > kWidestLevel) return {};
    reached += level.size();
  }
  if (reached != n_rows) return {};
  if (levels.front().front() > levels.back().front()) std::reverse(levels.begin(), levels.end());
  return levels;
}

class Partitioner {
 public:
  Partitioner(const System& system, const Pattern& pattern, const InertiaBlocks& blocks,
              std::vector<std::uint32_t> extra)
      : system_(system), pattern_(pattern), blocks_(blocks), extra_(std::move(extra)) {}

  // Builds lanes of `length` levels; the first separator is level `first`.
  bool build(const Levels& levels, std::uint32_t first, std::uint32_t length) {
    out_ = {};
    out_.row_at.assign(system_.n_rows, {});
    out_.speed_at.assign(system_.n_speeds, {});
    out_.coordinate_at.assign(system_.n_coordinates, {});
    return take_rows(levels, first, length) && take_separators() && take_speeds() && take_coordinates() &&
           take_interfaces(levels, first, length) && same_coupling();
  }
  LanePartition take() { return std::move(out_); }

 private:
  // Takes rows alternately from both ends of a lane: two eliminations that do not wait for each other.
  bool take_rows(const Levels& levels, std::uint32_t first, std::uint32_t length) {
    const auto level = [&](std::uint32_t lane, std::uint32_t l) -> const std::vector<std::uint32_t>& {
      return levels[first + lane * (length + 1) + 1 + l];
    };
    for (std::uint32_t l = 0; l < length; ++l)
      for (std::uint32_t lane = 1; lane < kLanes; ++lane)
        if (level(lane, l).size() != level(0, l).size()) return false;
    for (std::uint32_t l = 0; l < (length + 1) / 2; ++l) {
      const std::uint32_t other = length - 1 - l;
      const std::size_t here = level(0, l).size(), there = other > l ? level(0, other).size() : 0;
      for (std::size_t k = 0; k < std::max(here, there); ++k) {
        if (k < here) take_row([&](std::uint32_t lane) { return level(lane, l)[k]; });
        if (k < there) take_row([&](std::uint32_t lane) { return level(lane, other)[there - 1 - k]; });
      }
    }
    return true;
  }

  template <class RowOf>
  void take_row(RowOf&& row_of) {
    Across rows{};
    for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
      rows[lane] = row_of(lane);
      out_.row_at[rows[lane]] = {lane, static_cast<std::uint32_t>(out_.rows.size())};
    }
    out_.rows.push_back(rows);
  }

  bool take_separators() {
    for (std::uint32_t r = 0; r < system_.n_rows; ++r)
      if (out_.row_at[r].lane == kNoLane && !std::binary_search(extra_.begin(), extra_.end(), r)) {
        out_.row_at[r].local = static_cast<std::uint32_t>(out_.separator_rows.size());
        out_.separator_rows.push_back(r);
      }
    out_.extra = extra_;
    for (std::uint32_t k = 0; k < extra_.size(); ++k)
      out_.row_at[extra_[k]].local = static_cast<std::uint32_t>(out_.separator_rows.size()) + k;
    return out_.separator_rows.size() <= kMostSeparatorRows;
  }

  // Numbers the items that rows of one lane use; they belong to that lane.
  bool number(const std::vector<std::uint32_t>& lane_of, std::vector<LaneSlot>& at, std::vector<Across>& all) {
    std::array<std::vector<std::uint32_t>, kLanes> own;
    for (std::uint32_t k = 0; k < lane_of.size(); ++k)
      if (lane_of[k] < kLanes) own[lane_of[k]].push_back(k);
    for (const auto& list : own)
      if (list.size() != own[0].size()) return false;
    all.resize(own[0].size());
    for (std::uint32_t lane = 0; lane < kLanes; ++lane)
      for (std::uint32_t k = 0; k < own[lane].size(); ++k) {
        all[k][lane] = own[lane][k];
        at[own[lane][k]] = {lane, k};
      }
    return true;
  }

  static void claim(std::uint32_t& lane_of, std::uint32_t lane) {
    lane_of = lane_of == kUnset || lane_of == lane ? lane : kLanes;  // kLanes: used by several lanes
  }

  bool take_speeds() {
    std::vector<std::uint32_t> lane_of(system_.n_speeds, kUnset);
    for (std::size_t b = 0; b < blocks_.speeds.size(); ++b)
      for (std::uint32_t row : blocks_.rows[b])
        if (out_.row_at[row].lane != kNoLane)
          for (std::uint32_t c : blocks_.speeds[b]) claim(lane_of[c], out_.row_at[row].lane);
    return number(lane_of, out_.speed_at, out_.speeds);
  }

  bool take_coordinates() {
    std::vector<std::uint32_t> lane_of(system_.n_coordinates, kUnset);
    for (const Part& part : system_.parts) {
      if (std::string_view(part.what) != "constraint") continue;
      const auto& slots = part.family.shape.slots;
      for (std::uint32_t k = 0; k < part.family.count; ++k) {
        const std::uint32_t lane = out_.row_at[part.family.items[k]].lane;
        if (lane == kNoLane) continue;
        for (std::uint32_t s = 0; s < slots.size(); ++s)
          if (slots[s].kind == LeafKind::coordinate) claim(lane_of[part.family.index(k, s)], lane);
      }
    }
    return number(lane_of, out_.coordinate_at, out_.coordinates);
  }

  // Takes the rows of no lane that share speeds with one: those of its two separators, in order.
  bool take_interfaces(const Levels& levels, std::uint32_t first, std::uint32_t length) {
    for (const std::uint32_t after : {0u, length + 1}) {
      const std::uint32_t at = first + after;
      for (std::size_t k = 0; k < levels[at].size(); ++k) {
        Across interface {};
        for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
          const auto& level = levels[at + lane * (length + 1)];
          if (level.size() != levels[at].size()) return false;
          interface[lane] = out_.row_at[level[k]].local;
        }
        out_.interface_rows.push_back(interface);
      }
    }
    return true;
  }

  // Returns whether all lanes have the same rows on the same speeds, and the same blocks of M.
  [[nodiscard]] bool same_coupling() const {
    for (const Across& rows : out_.rows) {
      std::array<std::vector<std::uint32_t>, kLanes> columns;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane)
        for (std::uint32_t c : pattern_.row_columns[rows[lane]]) {
          if (out_.speed_at[c].lane != lane) return false;
          columns[lane].push_back(out_.speed_at[c].local);
        }
      for (std::uint32_t lane = 1; lane < kLanes; ++lane)
        if (columns[lane] != columns[0]) return false;
    }
    for (const Across& speeds : out_.speeds) {
      std::array<std::vector<std::uint32_t>, kLanes> partners, touching;
      for (std::uint32_t lane = 0; lane < kLanes; ++lane) {
        const std::uint32_t block = blocks_.of_speed[speeds[lane]];
        for (std::uint32_t c : blocks_.speeds[block]) partners[lane].push_back(out_.speed_at[c].local);
        for (std::uint32_t row : blocks_.rows[block]) {
          touching[lane].push_back(out_.name_of(row, lane));
          if (touching[lane].back() == kNoLane) return false;
        }
        std::sort(touching[lane].begin(), touching[lane].end());
      }
      for (std::uint32_t lane = 1; lane < kLanes; ++lane)
        if (partners[lane] != partners[0] || touching[lane] != touching[0]) return false;
    }
    return true;
  }

  const System& system_;
  const Pattern& pattern_;
  const InertiaBlocks& blocks_;
  std::vector<std::uint32_t> extra_;
  LanePartition out_;
};

// Returns a RaggedArray of `count` lists with the items that `all` adds to them.
template <class All>
RaggedArray in_lists(std::uint32_t count, All&& all) {
  RaggedArray out;
  out.begin.assign(count + 1, 0);
  all([&](std::uint32_t list, std::uint32_t) { ++out.begin[list + 1]; });
  std::partial_sum(out.begin.begin(), out.begin.end(), out.begin.begin());
  out.item.resize(out.begin.back());
  std::vector<std::uint32_t> next(out.begin.begin(), out.begin.end() - 1);
  all([&](std::uint32_t list, std::uint32_t x) { out.item[next[list]++] = x; });
  return out;
}

}  // namespace

std::uint32_t LanePartition::name_of(std::uint32_t row, std::uint32_t lane) const {
  const LaneSlot m = row_at[row];
  if (in_lane(m)) return m.lane == lane ? m.local : kNoLane;
  for (std::uint32_t k = 0; k < interface_rows.size(); ++k)
    if (interface_rows[k][lane] == m.local) return static_cast<std::uint32_t>(rows.size()) + k;
  return kNoLane;
}

InertiaBlocks::InertiaBlocks(const Pattern& pattern, std::uint32_t n_speeds, const std::vector<std::uint32_t>& without)
    : of_speed(n_speeds) {
  DisjointSets sets(n_speeds);
  for (const auto& [i, j] : pattern.mass) sets.join(i, j);
  std::vector<std::uint32_t> block_of(n_speeds, kUnset);
  std::uint32_t blocks = 0;
  for (std::uint32_t c = 0; c < n_speeds; ++c) {
    std::uint32_t& block = block_of[sets.root(c)];
    if (block == kUnset) block = blocks++;
    of_speed[c] = block;
  }
  speeds = in_lists(blocks, [&](const auto& put) {
    for (std::uint32_t c = 0; c < n_speeds; ++c) put(of_speed[c], c);
  });
  rows = in_lists(blocks, [&](const auto& put) {
    std::vector<std::uint32_t> last(blocks, kUnset);
    for (std::uint32_t r = 0; r < pattern.row_columns.size(); ++r) {
      if (std::binary_search(without.begin(), without.end(), r)) continue;
      for (std::uint32_t c : pattern.row_columns[r])
        if (std::exchange(last[of_speed[c]], r) != r) put(of_speed[c], r);
    }
  });
}

std::vector<std::uint32_t> repeated_rows(const Pattern& pattern) {
  const auto& columns = pattern.row_columns;
  std::vector<std::uint32_t> rows(columns.size());  // rows on the same speeds are neighbours, ascending
  std::iota(rows.begin(), rows.end(), 0u);
  std::stable_sort(rows.begin(), rows.end(), [&](std::uint32_t a, std::uint32_t b) { return columns[a] < columns[b]; });
  const auto each_group = [&](const auto& visit) {
    for (std::size_t k = 0, end = 0; k < rows.size(); k = end) {
      for (end = k + 1; end < rows.size() && columns[rows[end]] == columns[rows[k]];) ++end;
      visit(k, end);
    }
  };
  std::map<std::size_t, std::size_t> often;
  each_group([&](std::size_t begin, std::size_t end) { ++often[end - begin]; });
  std::size_t usual = 1;
  for (const auto& [size, count] : often)
    if (count > often[usual]) usual = size;
  std::vector<std::uint32_t> extra;
  each_group([&](std::size_t begin, std::size_t end) {
    for (std::size_t k = begin + usual; k < end; ++k) extra.push_back(rows[k]);
  });
  std::sort(extra.begin(), extra.end());
  return extra;
}

std::optional<LanePartition> partition_in_lanes(const System& system, const Pattern& pattern,
                                                const InertiaBlocks& blocks, std::vector<std::uint32_t> extra) {
  if (system.n_rows < kFewestRows + extra.size()) return {};
  for (std::size_t b = 0; b < blocks.rows.size(); ++b)
    if (blocks.rows[b].size() > 2 * kWidestLevel) return {};
  std::uint32_t start = 0;
  while (std::binary_search(extra.begin(), extra.end(), start)) ++start;
  const std::optional<Levels> levels = find_levels(pattern, blocks, start, system.n_rows - extra.size());
  if (!levels) return {};
  const auto height = static_cast<std::uint32_t>(levels->size());
  if (height < (kShortestLane + 1) * kLanes + 1) return {};
  const std::uint32_t longest = (height - 1) / kLanes - 1;
  Partitioner partitioner(system, pattern, blocks, std::move(extra));
  for (std::uint32_t length = longest; length + 1 >= longest && length >= kShortestLane; --length) {
    const std::uint32_t spare = height - 1 - kLanes * (length + 1);
    for (std::uint32_t first = 0; first <= spare; ++first)
      if (partitioner.build(*levels, first, length)) return partitioner.take();
  }
  return {};
}

}  // namespace mbc::formulate
