// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/blocks/emit_block.h"

#include <algorithm>
#include <set>

#include "compiler/graph/tables.h"
namespace mbc::formulate {

namespace {

// Returns by node the stores that are made as soon as the value is known. Then the value need not be kept, and the next
// reader need not wait for later instructions. Blocks that load from the same array are excluded.
std::vector<std::vector<std::uint32_t>> stores_at_once(const Graph& g, const std::vector<NodeId>& order,
                                                       const std::vector<Store>& stores,
                                                       const std::function<Place(const Node&)>& place_of) {
  std::set<Space> loaded;
  for (NodeId id : order)
    if (const Node& n = g.node(id); n.op == Op::leaf) loaded.insert(place_of(n).space);
  for (const Store& s : stores)
    if (s.accumulate || loaded.contains(s.place.space)) return {};
  std::vector<std::vector<std::uint32_t>> result(g.size());
  for (std::uint32_t s = 0; s < stores.size(); ++s) result[stores[s].value.value].push_back(s);
  return result;
}

// Returns the order without constants that select a table, because these are part of its instruction.
std::vector<NodeId> without_table_keys(const Graph& g, std::vector<NodeId> order, const std::vector<NodeId>& roots) {
  std::set<std::uint32_t> keys, others;
  for (NodeId id : order)
    if (g.node(id).op == Op::table) keys.insert(g.node(id).b);
  if (keys.empty()) return order;
  for (NodeId root : roots) others.insert(root.value);
  for (NodeId id : order) {
    const Node& n = g.node(id);
    const std::uint32_t operands[] = {n.a, n.b, n.c};
    for (std::uint32_t k = 0; k < (n.op == Op::table ? 1 : graph::arity(n.op)); ++k) others.insert(operands[k]);
  }
  std::erase_if(order, [&](NodeId id) { return keys.contains(id.value) && !others.contains(id.value); });
  return order;
}

std::uint32_t table_in(Block& block, const std::shared_ptr<const kernel::DataTable>& table) {
  const auto known = std::find(block.tables.begin(), block.tables.end(), table);
  const auto index = static_cast<std::uint32_t>(known - block.tables.begin());
  if (known == block.tables.end()) block.tables.push_back(table);
  return index;
}

}  // namespace

Block emit_block(const Graph& g, std::string name, const std::vector<Store>& stores,
                 const std::function<Place(const Node&)>& place_of) {
  Block block;
  block.name = std::move(name);
  const auto load = [&](Place p, Span origin) {
    return block.add({Inst::Kind::load, Op::leaf, p.space, p.indexed, 0, p.index, 0, p.spread}, origin);
  };
  std::vector<NodeId> roots;
  for (const Store& s : stores) roots.push_back(s.value);
  const std::vector<NodeId> order = without_table_keys(g, graph::reachable(g, roots), roots);
  std::vector<std::uint32_t> value(g.size());
  const auto store = [&](const Store& s) {
    const Span origin = g.origin(s.value);
    std::uint32_t v = value[s.value.value];
    if (s.accumulate) v = block.add({Inst::Kind::op, Op::add, {}, false, load(s.place, origin), v, 0}, origin);
    block.add({Inst::Kind::store, Op::leaf, s.place.space, s.place.indexed, v, s.place.index, 0, s.place.spread},
              origin);
  };
  const std::vector<std::vector<std::uint32_t>> at_once = stores_at_once(g, order, stores, place_of);
  std::vector<bool> stored(stores.size(), false);
  for (NodeId id : order) {
    const Node& n = g.node(id);
    const Span origin = g.origin(id);
    if (n.op == Op::constant) {
      value[id.value] = block.add_constant(g.constant_value(id), origin);
    } else if (n.op == Op::leaf) {
      value[id.value] = load(place_of(n), origin);
    } else if (n.op == Op::table) {
      const std::uint32_t table = table_in(block, graph::table_of(g, n));
      value[id.value] =
          block.add({Inst::Kind::table, Op::table, {}, false, value[n.a], table, graph::table_order(g, n)}, origin);
    } else {
      const std::uint32_t k = graph::arity(n.op);
      value[id.value] = block.add(
          {Inst::Kind::op, n.op, {}, false, value[n.a], k > 1 ? value[n.b] : 0, k > 2 ? value[n.c] : 0}, origin);
    }
    if (at_once.empty()) continue;
    for (std::uint32_t s : at_once[id.value]) {
      store(stores[s]);
      stored[s] = true;
    }
  }
  for (std::size_t s = 0; s < stores.size(); ++s)
    if (!stored[s]) store(stores[s]);
  return block;
}

void push_block(kernel::Function& f, Block block) {
  f.steps.push_back({true, static_cast<std::uint32_t>(f.blocks.size())});
  f.blocks.push_back(std::move(block));
}

void push_call(kernel::Function& f, kernel::RoutineCall call) {
  f.steps.push_back({false, static_cast<std::uint32_t>(f.calls.size())});
  f.calls.push_back(std::move(call));
}

void add_constants(kernel::Function& f, std::uint32_t at, const std::vector<double>& values) {
  Graph g;
  std::vector<Store> stores;
  for (std::uint32_t k = 0; k < values.size(); ++k)
    stores.push_back({{Space::work, false, at + k}, g.constant(values[k]), false});
  push_block(f, emit_block(g, "constants", stores, [](const Node&) { return Place{}; }));
}

void add_clear(kernel::Function& f, Space space, std::uint32_t at, std::uint32_t count) {
  if (count == 0) return;
  Block block;
  block.name = "clear";
  block.count = count;
  block.columns = 1;
  block.table = {count, 1, [at](std::uint32_t k, std::uint32_t) { return at + k; }};
  block.add({Inst::Kind::store, Op::leaf, space, true, block.add_constant(0)});
  push_block(f, std::move(block));
}

void add_copy(kernel::Function& f, Space from, Space to,
              const std::vector<std::pair<std::uint32_t, std::uint32_t>>& pairs) {
  if (pairs.empty()) return;
  Block block;
  block.name = "copy";
  block.count = static_cast<std::uint32_t>(pairs.size());
  block.columns = 2;
  block.table = {block.count, block.columns,
                 [&](std::uint32_t k, std::uint32_t c) { return c == 0 ? pairs[k].first : pairs[k].second; }};
  block.add({Inst::Kind::store, Op::leaf, to, true, block.add({Inst::Kind::load, Op::leaf, from, true}), 1});
  push_block(f, std::move(block));
}

void add_copy(kernel::Function& f, Place from, Place to, std::uint32_t count) {
  std::vector<std::pair<std::uint32_t, std::uint32_t>> pairs;
  for (std::uint32_t k = 0; k < count; ++k) pairs.emplace_back(from.index + k, to.index + k);
  add_copy(f, from.space, to.space, pairs);
}

void add_negated(kernel::Function& f, std::uint32_t from, std::uint32_t to, std::uint32_t count) {
  add_copy(f, {Space::work, false, from}, {Space::work, false, to}, count);
  if (count == 0) return;
  Block& block = f.blocks.back();
  block.code.insert(block.code.begin() + 1, {Inst::Kind::op, Op::neg, {}, false, 0, 0, 0});
  block.code.back().a = 1;
  block.origin.resize(3);
}

}  // namespace mbc::formulate
