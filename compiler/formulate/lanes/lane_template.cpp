// SPDX-License-Identifier: Apache-2.0
// Translates a template to blocks of a kernel: instances with the same access become one block.
#include "compiler/formulate/lanes/lane_template.h"

#include <algorithm>

#include "compiler/graph/contract_fma.h"

namespace mbc::formulate {

namespace {

// The access of a column: one place for all instances and lanes, consecutive lanes, or a place for each lane.
enum class Access : std::uint8_t { one, together, spread };

struct AlikeInstances {
  std::vector<Access> access;  // by column
  std::vector<std::size_t> instances;
};

class PlaceTable {
 public:
  // `places`: [instance][column][lane]
  PlaceTable(const std::vector<std::uint32_t>& places, std::size_t columns, std::uint32_t lanes)
      : places_(places), columns_(columns), lanes_(lanes) {}

  [[nodiscard]] std::uint32_t lanes() const { return lanes_; }
  [[nodiscard]] std::size_t columns() const { return columns_; }
  [[nodiscard]] std::size_t count() const { return places_.size() / std::max<std::size_t>(columns_ * lanes_, 1); }
  [[nodiscard]] std::uint32_t operator()(std::size_t instance, std::size_t column, std::uint32_t lane) const {
    return places_[(instance * columns_ + column) * lanes_ + lane];
  }

  // Returns by column whether it is the same place everywhere.
  [[nodiscard]] std::vector<bool> constant_columns() const {
    std::vector<bool> same(columns_, true);
    for (std::size_t c = 0; c < columns_; ++c)
      for (std::size_t k = 0; k < count() && same[c]; ++k)
        for (std::uint32_t lane = 0; lane < lanes_; ++lane)
          if ((*this)(k, c, lane) != (*this)(0, c, 0)) same[c] = false;
    return same;
  }

  [[nodiscard]] std::vector<Access> access(std::size_t instance, const std::vector<bool>& read_once) const {
    std::vector<Access> kinds(columns_, Access::together);
    for (std::size_t c = 0; c < columns_; ++c) {
      if (read_once[c]) kinds[c] = Access::one;
      for (std::uint32_t lane = 1; lane < lanes_ && kinds[c] == Access::together; ++lane)
        if ((*this)(instance, c, lane) != (*this)(instance, c, 0) + lane) kinds[c] = Access::spread;
    }
    return kinds;
  }

 private:
  const std::vector<std::uint32_t>& places_;
  std::size_t columns_;
  std::uint32_t lanes_;
};

// Groups neighbours with the same access.
std::vector<AlikeInstances> in_given_order(const PlaceTable& table, const std::vector<bool>& read_once) {
  std::vector<AlikeInstances> groups;
  for (std::size_t k = 0; k < table.count(); ++k) {
    std::vector<Access> access = table.access(k, read_once);
    if (groups.empty() || groups.back().access != access) groups.push_back({std::move(access), {}});
    groups.back().instances.push_back(k);
  }
  return groups;
}

// Groups all instances of a run with the same access.
std::vector<AlikeInstances> by_access(const PlaceTable& table, const std::vector<bool>& read_once,
                                      const std::vector<std::uint32_t>& runs) {
  std::vector<AlikeInstances> groups;
  std::map<std::pair<std::vector<Access>, std::uint32_t>, std::size_t> group_of;
  for (std::size_t k = 0; k < table.count(); ++k) {
    std::vector<Access> access = table.access(k, read_once);
    const auto [at, fresh] = group_of.try_emplace({access, runs[k]}, groups.size());
    if (fresh) groups.push_back({std::move(access), {}});
    groups[at->second].instances.push_back(k);
  }
  return groups;
}

// The columns of a block's table: column of the template and lane.
using TableColumns = std::vector<std::pair<std::size_t, std::uint32_t>>;

// Makes a block; stores and leaves of a template are places in its columns, and `spaces` are their arrays.
Block block_of(const std::string& name, const std::vector<Space>& spaces, const Graph& g, std::vector<Store> stores,
               const PlaceTable& table, const AlikeInstances& alike) {
  std::vector<std::uint32_t> at(table.columns());  // index in the block's table
  TableColumns entry;
  for (std::size_t c = 0; c < table.columns(); ++c) {
    at[c] = static_cast<std::uint32_t>(entry.size());
    if (alike.access[c] == Access::one) continue;
    const std::uint32_t width = alike.access[c] == Access::spread ? table.lanes() : 1;
    for (std::uint32_t lane = 0; lane < width; ++lane) entry.emplace_back(c, lane);
  }
  const auto access = [&](std::uint32_t c) -> Place {
    if (alike.access[c] == Access::one) return {spaces[c], false, table(0, c, 0)};
    return {spaces[c], true, at[c], alike.access[c] == Access::spread};
  };
  for (Store& s : stores) s.place = access(s.place.index);
  Block block = emit_block(g, name, stores, [&](const Node& leaf) -> Place {
    if (leaf.leaf == LeafKind::time) return {Space::time, false, 0};
    return access(leaf.a);
  });
  block.lanes = table.lanes();
  block.count = static_cast<std::uint32_t>(alike.instances.size());
  block.columns = static_cast<std::uint32_t>(entry.size());
  block.table = {block.count, block.columns, [&](std::uint32_t k, std::uint32_t column) {
                   return table(alike.instances[k], entry[column].first, entry[column].second);
                 }};
  return block;
}

}  // namespace

void LaneTemplate::add(const PlacesByLane& by_lane, std::uint32_t run) {
  std::vector<std::uint32_t> places;
  for (std::size_t c = 0; c < by_lane[0].size(); ++c)
    for (const auto& lane : by_lane) places.push_back(lane[c]);
  add(std::span<const std::uint32_t>(places), run);
}

void LaneTemplate::emit(kernel::Function& f, bool in_order) const {
  emit(f, across_, kLanes, in_order);
  emit(f, single_, 1, in_order);
}

void LaneTemplate::emit(kernel::Function& f, const Instances& all, std::uint32_t lanes, bool in_order) const {
  const PlaceTable table(all.places, columns(), lanes);
  if (table.count() == 0) return;
  std::vector<bool> read_once = table.constant_columns();
  for (const Store& s : stores_) read_once[s.place.index] = false;
  std::vector<NodeId> values;
  for (const Store& s : stores_) values.push_back(s.value);
  const graph::RootedGraph contracted = graph::contract_fma(graph, values);
  std::vector<Store> stores = stores_;
  for (std::size_t k = 0; k < stores.size(); ++k) stores[k].value = contracted.roots[k];
  for (const AlikeInstances& alike :
       in_order ? in_given_order(table, read_once) : by_access(table, read_once, all.runs))
    push_block(f, block_of(name_, spaces_, contracted.graph, stores, table, alike));
}

}  // namespace mbc::formulate
