// SPDX-License-Identifier: Apache-2.0
// Loops: one block a family, values added into arrays, routines of the support library between them.
#include "compiler/formulate/deduplicate_tables.h"
#include "compiler/formulate/kernel_builder.h"
#include "compiler/formulate/lanes/lane_kernel.h"

namespace mbc::formulate {

template <class Wanted>
void Formulation::add_part(kernel::Function& f, const Part& part, Wanted&& wanted) {
  const lower::Family& family = part.family;
  const auto n_slots = static_cast<std::uint32_t>(family.shape.slots.size());
  std::vector<Store> stores;
  std::vector<const Contribution*> chosen;
  for (const Contribution& c : part.contributions)
    if (wanted(c.target)) {
      const Place sample = target_place(part, c, 0);
      const bool adds = c.target == Target::mass || c.target == Target::force || c.target == Target::kinetic_energy ||
                        c.target == Target::potential_energy || c.target == Target::load_power ||
                        c.target == Target::support_power || c.target == Target::momentum_offset ||
                        c.target == Target::nonideal_force || c.target == Target::nonideal_power;
      stores.push_back({{sample.space, true, n_slots + static_cast<std::uint32_t>(chosen.size())}, c.value, adds});
      chosen.push_back(&c);
    }
  if (stores.empty()) return;
  // slot constants live in work, filled by the runtime's caller through a constants block
  kernel::Block block = emit_block(family.shape.graph, part.what, stores, [&](const Node& n) -> Place {
    if (n.leaf == LeafKind::time) return {Space::time, false, 0};
    Node global = n;
    global.a = 0;
    return {n.leaf == LeafKind::slot_constant ? Space::work : leaf_place(global).space, true, n.a};
  });
  block.count = family.count;
  block.columns = n_slots + static_cast<std::uint32_t>(chosen.size());
  const std::uint32_t constants = constants_of(part);
  block.table = {block.count, block.columns, [&](std::uint32_t k, std::uint32_t column) {
                   if (column >= n_slots) return target_place(part, *chosen[column - n_slots], k).index;
                   const LeafKind kind = family.shape.slots[column].kind;
                   const Node leaf{graph::Op::leaf, kind, family.index(k, column), 0, 0};
                   return kind == LeafKind::slot_constant ? constants + leaf.a : leaf_place(leaf).index;
                 }};
  push_block(f, std::move(block));
}

// Differing literals of a family: an array in work, written by the function's first block.
std::uint32_t Formulation::constants_of(const Part& part) {
  const auto it = constants_.find(&part);
  if (it != constants_.end()) return it->second;
  const std::uint32_t at = field("constants", static_cast<std::uint32_t>(part.family.constants.size()));
  constants_[&part] = at;
  return at;
}

namespace {

// Another place for what is stored through the column `from_end` of a block's table.
template <class Place>
void redirect(kernel::Block& block, std::uint32_t from_end, Place&& place) {
  block.table.set_column(block.columns - from_end, place);
}

}  // namespace

template <class Wanted>
void Formulation::add_parts(kernel::Function& f, Wanted&& wanted) {
  for (const Part& part : system_.parts) add_part(f, part, wanted);
}

void Formulation::add_constants(kernel::Function& f) {
  kernel::Block block;
  block.name = "constants";
  for (const Part& part : system_.parts) {
    const std::uint32_t at = part.family.constants.empty() ? 0 : constants_of(part);
    for (std::uint32_t k = 0; k < part.family.constants.size(); ++k) {
      const auto value = static_cast<std::uint32_t>(block.code.size());
      block.code.push_back({kernel::Inst::Kind::constant,
                            graph::Op::constant,
                            {},
                            false,
                            static_cast<std::uint32_t>(block.constants.size()),
                            0,
                            0});
      block.constants.push_back(part.family.constants[k]);
      block.code.push_back({kernel::Inst::Kind::store, graph::Op::leaf, Space::work, false, value, at + k, 0});
      block.origin.resize(block.code.size());
    }
  }
  if (!block.code.empty()) push_block(f, std::move(block));
}

// deriv[work + 1] = sum over rows of lambda times (-c | A u), of rows that do work, with what supports and prescribed
// forces do; behind it what is booked apart (System::works)
void Formulation::add_constraint_power(kernel::Function& f) {
  const SystemLayout& l = out_.layout;
  add_clear(f, Space::deriv, l.work_at() + 1, l.n_works - 1);
  for (const Part& part : system_.parts) {
    add_part(f, part, [](Target t) { return t == Target::support_power || t == Target::nonideal_power; });
    const std::size_t blocks = f.blocks.size();
    add_part(f, part, [](Target t) { return t == Target::nonideal_power; });
    if (f.blocks.size() > blocks) redirect(f.blocks.back(), 1, [&](std::uint32_t) { return l.n_y() - 1; });
    if (std::string_view(part.what) == "constraint") add_row_power(f, part);
  }
}

void Formulation::add_row_power(kernel::Function& f, const Part& part) {
  const SystemLayout& l = out_.layout;
  if (system_.row_work[part.family.items[0]] == System::kNoWork) return;  // all rows of a family are alike in this
  bool position = false;
  for (const Contribution& c : part.contributions) position |= c.target == Target::position_residual;
  Part scratch = part;
  Graph& g = scratch.family.shape.graph;
  const auto row_slot = static_cast<std::uint32_t>(scratch.family.shape.slots.size());
  NodeId factor = g.zero();
  for (const Contribution& c : part.contributions) {
    if (position && c.target == Target::constraint_rate) factor = g.neg(c.value);
    if (!position && c.target == Target::jacobian) factor = g.add(factor, g.mul(c.value, g.leaf(LeafKind::speed, c.i)));
  }
  if (g.is_zero(factor)) return;
  // one more slot: the row's multiplier
  scratch.family.shape.slots.push_back({LeafKind::multiplier});
  std::vector<std::uint32_t> rows;
  for (std::uint32_t k = 0; k < part.family.count; ++k) {
    for (std::uint32_t s = 0; s < row_slot; ++s) rows.push_back(part.family.index(k, s));
    rows.push_back(part.family.items[k]);
  }
  scratch.family.rows = std::move(rows);
  const Contribution power{Target::load_power, 0, 0, g.mul(g.leaf(LeafKind::multiplier, row_slot), factor)};
  scratch.contributions.assign(2, power);
  if (!part.family.constants.empty()) constants_[&scratch] = constants_of(part);
  add_part(f, scratch, [](Target) { return true; });
  // load_power goes to the first work integral; this belongs to the second, and to that of its constraint
  kernel::Block& block = f.blocks.back();
  redirect(block, 2, [&](std::uint32_t) { return l.work_at() + 1; });
  redirect(block, 1, [&](std::uint32_t k) { return l.work_at() + 2 + system_.row_work[part.family.items[k]]; });
  constants_.erase(&scratch);
}

void Formulation::looped() {
  const SystemLayout& l = out_.layout;
  const auto room = [this](const char* name, std::uint32_t size) { return field(name, size); };
  std::optional<SparsePlan> plan = choose_plan(l, options_.linear);
  out_.layout.sparse = plan.has_value();
  out_.too_large = why_too_large(l, plan, work_);
  if (!out_.too_large.empty()) return;
  const DenseSteps dense(l, room, std::move(plan));
  acceleration_ = dense.acceleration_at();
  std::optional<QuasiSteps> quasi;
  if (l.quasi) quasi.emplace(l, dense, options_.method->solve, options_.momenta, room);
  looped_rhs(dense, quasi ? &*quasi : nullptr);
  if (quasi) looped_quasi(dense, *quasi);
  looped_corrections(dense);
  if (lanes_) laned_stage(dense.scratch_at());

  kernel::Function power, residuals, outputs;
  power.name = "constraint_power";
  add_constants(power);
  add_constraint_power(power);
  residuals.name = "residuals";
  add_constants(residuals);
  add_clear(residuals, Space::work, l.position_residual, 2 * l.n_rows);
  add_parts(residuals, [](Target t) { return t == Target::position_residual || t == Target::velocity_residual; });
  outputs.name = "outputs";
  add_constants(outputs);
  add_clear(outputs, Space::work, l.kinetic, 2);
  add_parts(outputs, [](Target t) {
    return t == Target::kinetic_energy || t == Target::potential_energy || t == Target::output;
  });
  for (kernel::Function* f : {&power, &residuals, &outputs}) out_.kernel.functions.push_back(std::move(*f));
  if (!l.ideal) return;
  kernel::Function nonideal;  // after `assemble`
  nonideal.name = "nonideal";
  add_constants(nonideal);
  add_parts(nonideal, [](Target t) { return t == Target::nonideal_force; });
  out_.kernel.functions.push_back(std::move(nonideal));
}

void Formulation::find_lanes() {
  const SystemLayout& l = out_.layout;
  if (!options_.lanes || options_.method->solve != Solve::schur || l.quasi || !l.inertia_rows.empty()) return;
  blocks_.emplace(pattern_, system_.n_speeds);
  if (!LaneStage::suits(system_, *blocks_)) return;
  const std::vector<std::uint32_t> extra = repeated_rows(pattern_);
  if (!extra.empty() && extra.size() <= system_.n_rows / 4) {
    blocks_.emplace(pattern_, system_.n_speeds, extra);
    lanes_ = partition_in_lanes(system_, pattern_, *blocks_, extra);
    if (lanes_) return;
    blocks_.emplace(pattern_, system_.n_speeds);
  }
  lanes_ = partition_in_lanes(system_, pattern_, *blocks_);
}

// `scratch`: of the linear solve, which no function in lanes calls; what the lanes hold meanwhile lies there.
void Formulation::laned_stage(std::uint32_t scratch) {
  const std::uint32_t behind = std::exchange(work_, scratch);
  LaneStage stage({system_, pattern_, *blocks_, *lanes_, out_.layout,
                   [this](const char* name, std::uint32_t size) { return field(name, size); },
                   [this](const Node& n) { return leaf_place(n); },
                   [this](const Part& part) { return constants_.at(&part); }});
  work_ = std::max(work_, behind);
  using Wanted = LaneStage::Wanted;
  std::vector<kernel::Function> made;
  for (const auto& [name, wanted] :
       {std::pair{"stage", Wanted::motion}, std::pair{"stage_full", Wanted::full},
        std::pair{"stage_position", Wanted::position}, std::pair{"stage_velocity", Wanted::velocity}}) {
    const bool motion = wanted == Wanted::motion || wanted == Wanted::full;
    if (!stage.possible() || (!motion && !stage.has(wanted))) continue;
    kernel::Function f;
    f.name = name;
    add_constants(f);
    if (motion) add_clear(f, Space::deriv, out_.layout.work_at(), out_.layout.n_works);
    stage.emit(f, wanted);
    share_words(f);
    made.push_back(std::move(f));
  }
  if (!stage.possible()) return;
  out_.layout.laned = true;
  out_.layout.lanes_without = lanes_->extra;
  for (kernel::Function& f : made) out_.kernel.functions.push_back(std::move(f));
}

namespace {

bool of_rates(Target t) {  // A, c, Y, Z, M, N
  return t == Target::jacobian || t == Target::rate_offset || t == Target::quasi_row || t == Target::quasi_offset ||
         t == Target::mass || t == Target::momentum_offset;
}

bool of_motion(Target t) {
  return t == Target::rate || t == Target::state_rate || t == Target::force || t == Target::right_side ||
         t == Target::load_power;
}

}  // namespace

void Formulation::looped_assemble(kernel::Function& f) {
  const SystemLayout& l = out_.layout;
  add_constants(f);
  add_clear(f, Space::work, l.M, static_cast<std::uint32_t>(l.mass.size()));
  add_clear(f, Space::work, l.f, l.n_speeds);
  add_clear(f, Space::deriv, l.work_at(), l.n_works);
  add_parts(f, [](Target t) { return of_motion(t) || t == Target::mass || t == Target::jacobian; });
  if (l.inertia_rows.empty()) return;
  formulate::add_constants(f, l.weight, plain_weights());
  for (const Part& part : system_.parts)
    add_part(f, part, [&](Target t) { return t == Target::row_weight && inertia_rows_[part.family.items[0]]; });
}

void Formulation::looped_rhs(const DenseSteps& dense, const QuasiSteps* quasi) {
  kernel::Function assemble, rhs;
  assemble.name = "assemble";
  looped_assemble(assemble);
  rhs = assemble;
  rhs.name = "rhs";
  if (quasi) {
    clear_quasi(rhs);
    add_parts(rhs, [](Target t) { return t == Target::quasi_row || t == Target::quasi_bias; });
  }
  add_solution(rhs, dense, quasi,
               [this](kernel::Function& f) { add_parts(f, [](Target t) { return t == Target::nonideal_force; }); });
  add_constraint_power(rhs);
  out_.kernel.functions.push_back(std::move(rhs));
  out_.kernel.functions.push_back(std::move(assemble));
}

// What no part may write: a row without c, a quasi-velocity without Z.
void Formulation::clear_quasi(kernel::Function& f) {
  const QuasiLayout& q = *out_.layout.quasi;
  add_clear(f, Space::work, q.Z, q.n_user);
  add_clear(f, Space::work, q.bias, q.n_user);
  add_clear(f, Space::work, q.offset, system_.n_rows);
  if (q.n_momenta > 0) add_clear(f, Space::work, q.momentum_offset, system_.n_speeds);
}

void Formulation::looped_quasi(const DenseSteps& dense, const QuasiSteps& quasi) {
  const SystemLayout& l = out_.layout;
  const bool momenta = l.quasi->n_momenta > 0;
  kernel::Function rates;
  rates.name = "rates";
  add_constants(rates);
  add_clear(rates, Space::work, l.M, static_cast<std::uint32_t>(l.mass.size()));
  clear_quasi(rates);
  add_parts(rates, [momenta](Target t) { return of_rates(t) && (momenta || t != Target::momentum_offset); });
  if (l.quasi->state) {
    kernel::Function expand = rates;
    expand.name = "expand";
    quasi.expand(expand);
    kernel::Function rhs = expand;
    rhs.name = "rhs_quasi";
    speeds_in_work_ = true;
    add_clear(rhs, Space::work, l.f, l.n_speeds);
    add_clear(rhs, Space::deriv, l.work_at(), l.n_works);
    add_parts(rhs, [](Target t) { return of_motion(t) || t == Target::quasi_bias; });
    add_solution(rhs, dense, &quasi,
                 [this](kernel::Function& f) { add_parts(f, [](Target t) { return t == Target::nonideal_force; }); });
    add_constraint_power(rhs);
    speeds_in_work_ = false;
    out_.kernel.functions.push_back(std::move(expand));
    out_.kernel.functions.push_back(std::move(rhs));
  }
  quasi.directions(rates);
  out_.kernel.functions.push_back(std::move(rates));
}

void Formulation::looped_corrections(const DenseSteps& dense) {
  const SystemLayout& l = out_.layout;
  for (const bool position : {true, false}) {
    kernel::Function f;
    f.name = position ? "correct_position" : "correct_velocity";
    looped_assemble(f);
    const Target wanted = position ? Target::position_residual : Target::velocity_residual;
    const std::uint32_t residual = position ? l.position_residual : l.velocity_residual;
    add_clear(f, Space::work, residual, l.n_rows);
    add_clear(f, Space::work, l.f, l.n_speeds);
    add_parts(f, [wanted](Target t) { return t == wanted; });
    add_negated(f, residual, l.b, l.n_rows);
    dense.correction(f);
    out_.kernel.functions.push_back(std::move(f));
    share_words(out_.kernel);  // before the next one doubles what both need
  }
}

}  // namespace mbc::formulate
