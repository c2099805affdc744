// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/looped/loops.h"

#include "compiler/formulate/blocks/gate.h"

namespace mbc::formulate {

namespace {

// Changes the place of the values that are stored through the column `from_end` of a block's table.
template <class NewPlace>
void redirect(Block& block, std::uint32_t from_end, NewPlace&& place) {
  block.table.set_column(block.columns - from_end, place);
}

}  // namespace

void LoopWriter::add_block(kernel::Function& f, const Part& part, const std::vector<const Contribution*>& chosen) {
  const lower::Family& family = part.family;
  const KernelPlaces& places = b_.places();
  const auto n_slots = static_cast<std::uint32_t>(family.shape.slots.size());
  std::vector<Store> stores;
  for (const Contribution* c : chosen)
    stores.push_back({{places.of_target(part, *c, 0).space, true, n_slots + static_cast<std::uint32_t>(stores.size())},
                      c->value,
                      lower::is_added(c->target)});
  Block block = emit_block(family.shape.graph, part.what, stores, [&](const Node& n) -> Place {
    if (n.leaf == LeafKind::time) return {Space::time, false, 0};
    Node global = n;
    global.a = 0;
    return {n.leaf == LeafKind::slot_constant ? Space::work : places.of_leaf(global).space, true, n.a};
  });
  block.count = family.count;
  block.columns = n_slots + static_cast<std::uint32_t>(chosen.size());
  const std::uint32_t constants = constants_of(part);
  block.table = {block.count, block.columns, [&](std::uint32_t k, std::uint32_t column) {
                   if (column >= n_slots) return places.of_target(part, *chosen[column - n_slots], k).index;
                   const LeafKind kind = family.shape.slots[column].kind;
                   const Node leaf{Op::leaf, kind, family.index(k, column), 0, 0};
                   return kind == LeafKind::slot_constant ? constants + leaf.a : places.of_leaf(leaf).index;
                 }};
  find_gate(block);
  push_block(f, std::move(block));
}

std::uint32_t LoopWriter::constants_of(const Part& part) {
  const auto it = constants_.find(&part);
  if (it != constants_.end()) return it->second;
  const std::uint32_t at = b_.field("constants", static_cast<std::uint32_t>(part.family.constants.size()));
  constants_[&part] = at;
  return at;
}

kernel::Function LoopWriter::function(const char* name) {
  kernel::Function f;
  f.name = name;
  add_constants(f);
  return f;
}

void LoopWriter::add_constants(kernel::Function& f) {
  Block block;
  block.name = "constants";
  for (const Part& part : b_.system().parts) {
    const std::uint32_t at = part.family.constants.empty() ? 0 : constants_of(part);
    for (std::uint32_t k = 0; k < part.family.constants.size(); ++k)
      block.add(
          {Inst::Kind::store, Op::leaf, Space::work, false, block.add_constant(part.family.constants[k]), at + k});
  }
  if (!block.code.empty()) push_block(f, std::move(block));
}

void LoopWriter::add_constraint_power(kernel::Function& f) {
  const SystemLayout& l = b_.layout();
  add_clear(f, Space::deriv, l.work_at() + 1, l.n_works - 1);
  for (const Part& part : b_.system().parts) {
    add_part(f, part, [](Target t) { return t == Target::support_power || t == Target::nonideal_power; });
    const std::size_t blocks = f.blocks.size();
    add_part(f, part, [](Target t) { return t == Target::nonideal_power; });
    if (f.blocks.size() > blocks) redirect(f.blocks.back(), 1, [&](std::uint32_t) { return l.n_y() - 1; });
    if (std::string_view(part.what) == "constraint") add_row_power(f, part);
  }
}

void LoopWriter::add_row_power(kernel::Function& f, const Part& part) {
  const SystemLayout& l = b_.layout();
  if (b_.system().row_work[part.family.items[0]] == System::kNoWork) return;  // the same for all rows of a family
  bool position = false;
  for (const Contribution& c : part.contributions) position |= c.target == Target::position_residual;
  Part scratch = part;
  Graph& g = scratch.family.shape.graph;
  NodeId factor = g.zero();
  for (const Contribution& c : part.contributions) {
    if (position && c.target == Target::constraint_rate) factor = g.neg(c.value);
    if (!position && c.target == Target::jacobian) factor = g.add(factor, g.mul(c.value, g.leaf(LeafKind::speed, c.i)));
  }
  if (g.is_zero(factor)) return;
  const NodeId multiplier = g.leaf(LeafKind::multiplier, scratch.family.add_item_slot(LeafKind::multiplier));
  const Contribution power{Target::load_power, 0, 0, g.mul(multiplier, factor)};
  scratch.contributions.assign(2, power);
  if (!part.family.constants.empty()) constants_[&scratch] = constants_of(part);
  add_part(f, scratch, [](Target) { return true; });
  // load_power belongs to the first work integral; this power belongs to the second one, and to that of its constraint.
  Block& block = f.blocks.back();
  redirect(block, 2, [&](std::uint32_t) { return l.work_at() + 1; });
  redirect(block, 1, [&](std::uint32_t k) { return l.work_at() + 2 + b_.system().row_work[part.family.items[k]]; });
  constants_.erase(&scratch);
}

}  // namespace mbc::formulate
