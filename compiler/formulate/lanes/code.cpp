// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/code.h"

#include <algorithm>
#include <map>

#include "compiler/graph/contract_fma.h"

namespace mbc::formulate {

namespace {

enum class Access : std::uint8_t { one, together, spread };

}  // namespace

void LaneTemplate::emit(kernel::Function& f, bool in_order) const {
  emit(f, across_, kLanes, in_order);
  emit(f, single_, 1, in_order);
}

void LaneTemplate::emit(kernel::Function& f, const Instances& all, std::uint32_t lanes, bool in_order) const {
  const std::vector<std::uint32_t>& places = all.places;
  const std::size_t n = columns(), width = n * lanes;
  const std::size_t count = places.size() / std::max<std::size_t>(width, 1);
  if (count == 0) return;
  const auto place = [&](std::size_t k, std::size_t c, std::uint32_t lane) {
    return places[k * width + c * lanes + lane];
  };
  std::vector<bool> stored(n, false), same(n, true);
  for (const Store& s : stores_) stored[s.place.index] = true;
  for (std::size_t c = 0; c < n; ++c)
    for (std::size_t k = 0; k < count && same[c]; ++k)
      for (std::uint32_t lane = 0; lane < lanes; ++lane)
        if (place(k, c, lane) != place(0, c, 0)) same[c] = false;

  const auto accesses = [&](std::size_t k) {
    std::vector<Access> kinds(n, Access::together);
    for (std::size_t c = 0; c < n; ++c) {
      if (same[c] && !stored[c]) kinds[c] = Access::one;
      for (std::uint32_t lane = 1; lane < lanes && kinds[c] == Access::together; ++lane)
        if (place(k, c, lane) != place(k, c, 0) + lane) kinds[c] = Access::spread;
    }
    return kinds;
  };
  // instances that are accessed alike
  std::vector<std::pair<std::vector<Access>, std::vector<std::size_t>>> groups;
  std::map<std::pair<std::vector<Access>, std::uint32_t>, std::size_t> group_of;
  for (std::size_t k = 0; k < count; ++k) {
    std::vector<Access> kinds = accesses(k);
    if (in_order) {
      if (groups.empty() || groups.back().first != kinds) groups.push_back({kinds, {}});
      groups.back().second.push_back(k);
      continue;
    }
    const auto [at, fresh] = group_of.try_emplace({kinds, all.runs[k]}, groups.size());
    if (fresh) groups.emplace_back(std::move(kinds), std::vector<std::size_t>{});
    groups[at->second].second.push_back(k);
  }

  std::vector<graph::NodeId> values;
  for (const Store& s : stores_) values.push_back(s.value);
  const graph::Fused fused = graph::fuse(graph, values);
  for (const auto& [kinds, instances] : groups) {
    std::vector<std::uint32_t> at(n);  // in the block's table
    std::uint32_t entries = 0;
    for (std::size_t c = 0; c < n; ++c) {
      at[c] = entries;
      if (kinds[c] != Access::one) entries += kinds[c] == Access::spread ? lanes : 1;
    }
    const auto access = [&](std::uint32_t c) -> Place {
      if (kinds[c] == Access::one) return {spaces_[c], false, place(0, c, 0)};
      return {spaces_[c], true, at[c], kinds[c] == Access::spread};
    };
    std::vector<Store> stores = stores_;
    for (std::size_t k = 0; k < stores.size(); ++k) {
      stores[k].place = access(stores_[k].place.index);
      stores[k].value = fused.roots[k];
    }
    kernel::Block block = emit_block(fused.graph, name_, stores, [&](const graph::Node& leaf) -> Place {
      if (leaf.leaf == graph::LeafKind::time) return {kernel::Space::time, false, 0};
      return access(leaf.a);
    });
    block.lanes = lanes;
    block.count = static_cast<std::uint32_t>(instances.size());
    block.columns = entries;
    std::vector<std::pair<std::size_t, std::uint32_t>> entry;  // column of the template and lane
    for (std::size_t c = 0; c < n; ++c)
      for (std::uint32_t lane = 0; kinds[c] != Access::one && lane < (kinds[c] == Access::spread ? lanes : 1); ++lane)
        entry.emplace_back(c, lane);
    const std::vector<std::size_t>& which = instances;
    block.table = {block.count, entries, [&](std::uint32_t k, std::uint32_t column) {
                     return place(which[k], entry[column].first, entry[column].second);
                   }};
    push_block(f, std::move(block));
  }
}

}  // namespace mbc::formulate
