// SPDX-License-Identifier: Apache-2.0
// Straight-line code: every instance written out on one graph, so that all of them share subexpressions.
#include "compiler/formulate/kernel_builder.h"
#include "compiler/formulate/looped/dense_steps.h"
#include "compiler/formulate/looped/quasi_steps.h"
#include "compiler/formulate/steps/step.h"
#include "compiler/formulate/unrolled/fast_rhs.h"
#include "compiler/graph/contract_fma.h"
#include "compiler/graph/reduce_sin_cos.h"
#include "kernel/limits.h"

namespace mbc::formulate {

namespace {

void put(std::vector<Store>& stores, Space space, std::uint32_t at, const std::vector<NodeId>& values) {
  for (std::uint32_t k = 0; k < values.size(); ++k) stores.push_back({{space, false, at + k}, values[k], false});
}

// All values of the system at once: they share what they are made of.
void leave_out_turns(Graph& g, LinearSystem& s) {
  std::vector<NodeId*> places;
  for (auto& [ij, m] : s.mass) places.push_back(&m);
  for (NodeId& f : s.force) places.push_back(&f);
  for (SparseRow& row : s.rows)
    for (auto& [i, a] : row) places.push_back(&a);
  for (NodeId& b : s.right_side) places.push_back(&b);
  std::vector<NodeId> values;
  for (const NodeId* place : places) values.push_back(*place);
  values = graph::without_turns(g, values);
  for (std::size_t k = 0; k < places.size(); ++k) *places[k] = values[k];
}

}  // namespace

void Formulation::collect(Graph& g, Totals& t) const {
  const NodeId zero = g.zero();
  t.force.resize(system_.n_speeds);
  t.rate.assign(system_.n_coordinates, zero);
  t.state_rate.assign(system_.n_states, zero);
  t.output.assign(system_.n_outputs, zero);
  for (auto* per_row : {&t.right_side, &t.position, &t.velocity, &t.constraint_rate, &t.rate_offset})
    per_row->assign(system_.n_rows, zero);
  t.rows.resize(system_.n_rows);
  t.nonideal.resize(system_.n_speeds);
  t.momentum_offset.resize(system_.n_speeds);
  t.quasi.resize(system_.n_quasi);
  for (auto* per_speed : {&t.quasi_offset, &t.quasi_bias}) per_speed->assign(system_.n_quasi, zero);
  t.weight.resize(system_.n_rows);
  for (const Part& part : system_.parts)
    for (std::uint32_t k = 0; k < part.family.count; ++k) collect_instance(g, part, k, t);
}

void Formulation::collect_instance(Graph& g, const Part& part, std::uint32_t k, Totals& t) const {
  const lower::Family& family = part.family;
  std::vector<NodeId> roots;
  for (const Contribution& c : part.contributions) roots.push_back(c.value);
  const auto leaf = [&](const Node& n) {
    if (n.leaf == LeafKind::time) return g.leaf(LeafKind::time, 0);
    const std::uint32_t index = family.index(k, n.a);
    return n.leaf == LeafKind::slot_constant ? g.constant(family.constants[index]) : g.leaf(n.leaf, index);
  };
  const std::vector<NodeId> value =
      graph::copy_into(family.shape.graph, roots, g, leaf, [&](Span span) { return family.place(k, span); });
  const std::uint32_t item = family.items[k];
  for (std::size_t c = 0; c < value.size(); ++c) {
    const Contribution& what = part.contributions[c];
    const auto speed = [&](std::uint32_t slot) { return family.index(k, slot); };
    switch (what.target) {
      case Target::rate:
      case Target::state_rate:
        (what.target == Target::rate ? t.rate : t.state_rate)[item] = value[c];
        break;
      case Target::mass:
        t.mass[ordered(speed(what.i), speed(what.j))].push_back(value[c]);
        break;
      case Target::force:
        t.force[speed(what.i)].push_back(value[c]);
        break;
      case Target::jacobian:
        t.rows[item][speed(what.i)] = value[c];
        break;
      case Target::right_side:
        t.right_side[item] = value[c];
        break;
      case Target::position_residual:
        t.position[item] = value[c];
        break;
      case Target::velocity_residual:
        t.velocity[item] = value[c];
        break;
      case Target::kinetic_energy:
        t.kinetic.push_back(value[c]);
        break;
      case Target::potential_energy:
        t.potential.push_back(value[c]);
        break;
      case Target::load_power:
        t.power.push_back(value[c]);
        break;
      case Target::support_power:
        t.support.push_back(value[c]);
        break;
      case Target::constraint_rate:
        t.constraint_rate[item] = value[c];
        break;
      case Target::output:
        t.output[item] = value[c];
        break;
      case Target::row_weight:
        t.weight[item] = value[c];
        break;
      case Target::rate_offset:
        t.rate_offset[item] = value[c];
        break;
      case Target::quasi_row:
        t.quasi[item][speed(what.i)] = value[c];
        break;
      case Target::quasi_offset:
        t.quasi_offset[item] = value[c];
        break;
      case Target::quasi_bias:
        t.quasi_bias[item] = value[c];
        break;
      case Target::momentum_offset:
        t.momentum_offset[speed(what.i)].push_back(value[c]);
        break;
      case Target::nonideal_force:
        t.nonideal[speed(what.i)].push_back(value[c]);
        break;
      case Target::nonideal_power:
        t.nonideal_power.push_back(value[c]);
        break;
    }
  }
}

// Power of the constraint forces, (A^T lambda).u: -lambda c for position-level rows (A u = -c on the manifold),
// lambda (A u) for the others; rows that do none are left out (System::row_work).
// The supports of followers are constraints too; their power may hold the accelerations (as leaves).
// Of all, then of those booked apart (System::works).
std::vector<NodeId> Formulation::constraint_powers(Graph& g, const Totals& t,
                                                   const std::vector<NodeId>& multiplier) const {
  std::vector<NodeId> terms = t.support;
  std::vector<std::vector<NodeId>> apart(system_.works.size());
  const auto add = [&](std::size_t work, NodeId term) {
    terms.push_back(term);
    apart[work].push_back(term);
  };
  for (NodeId power : t.nonideal_power) add(system_.works.size() - 1, power);
  for (std::uint32_t r = 0; r < system_.n_rows; ++r) {
    if (system_.row_work[r] == System::kNoWork) continue;
    if (!g.is_zero(t.position[r])) {
      add(system_.row_work[r], g.neg(g.mul(multiplier[r], t.constraint_rate[r])));
      continue;
    }
    NodeId au = g.zero();
    for (const auto& [c, a] : t.rows[r]) au = g.add(au, g.mul(a, g.leaf(LeafKind::speed, c)));
    add(system_.row_work[r], g.mul(multiplier[r], au));
  }
  std::vector<NodeId> powers{g.sum(terms)};
  for (const auto& part : apart) powers.push_back(g.sum(part));
  return powers;
}

void Formulation::straight() {
  Graph g;
  Totals t;
  collect(g, t);
  const SystemLayout& l = out_.layout;
  LinearSystem linear;
  linear.n = system_.n_speeds;
  linear.group = speed_groups(system_);
  for (const auto& [ij, terms] : t.mass) linear.mass[ij] = g.sum(terms);
  for (const auto& terms : t.force) linear.force.push_back(g.sum(terms));
  linear.rows = t.rows;
  linear.right_side = t.right_side;
  for (const auto* residual : {&t.position, &t.velocity}) {
    std::vector<NodeId> defect;
    for (NodeId e : *residual) defect.push_back(g.neg(e));
    linear.defects.push_back(std::move(defect));
  }
  LinearSystem solved = linear;
  leave_out_turns(g, solved);
  add_inertia_rows(g, solved, inertia_rows_, t.weight);
  std::vector<NodeId> ideal;
  const LinearSolution solution = solve_rows(g, solved, t, ideal);
  const bool schur = options_.method->solve == Solve::schur;
  if (schur) straight_rhs(g, t, solution, ideal);
  straight_assemble(g, t, linear);
  if (!schur) straight_by_calls(g, t, linear);
  std::vector<Store> residuals;
  put(residuals, Space::work, l.position_residual, t.position);
  put(residuals, Space::work, l.velocity_residual, t.velocity);
  add_function("residuals", residuals, g);
  straight_corrections(g, t, solution);
  std::vector<Store> outputs;
  put(outputs, Space::work, l.kinetic, {g.sum(t.kinetic)});
  put(outputs, Space::work, l.potential, {g.sum(t.potential)});
  put(outputs, Space::work, l.outputs, t.output);
  add_function("outputs", outputs, g);
}

// Prescribed forces depend on the multipliers without them: a second solution with the same factors (seed 001, ref.
// 14).
LinearSolution Formulation::solve_rows(Graph& g, const LinearSystem& solved, const Totals& t,
                                       std::vector<NodeId>& ideal) const {
  if (!system_.nonideal) return solve_straight(g, solved);
  ideal = solve_straight(g, solved).multiplier;
  LinearSystem with_forces = solved;
  for (std::uint32_t i = 0; i < system_.n_speeds; ++i) {
    const NodeId C = g.sum(t.nonideal[i]);
    const NodeId known = graph::copy_into(
        g, {&C, 1}, g, [&](const Node& n) { return n.leaf == LeafKind::ideal ? ideal[n.a] : g.leaf(n.leaf, n.a); })[0];
    with_forces.force[i] = g.add(with_forces.force[i], known);
  }
  return solve_straight(g, with_forces);
}

void Formulation::straight_rhs(Graph& g, const Totals& t, const LinearSolution& solution,
                               const std::vector<NodeId>& ideal) {
  const SystemLayout& l = out_.layout;
  std::vector<Store> rhs;
  put(rhs, Space::deriv, 0, t.rate);
  put(rhs, Space::deriv, l.speeds_at(), solution.acceleration);
  const std::vector<NodeId> powers = constraint_powers(g, t, solution.multiplier);
  const std::vector<NodeId> work = graph::copy_into(g, powers, g, [&](const Node& n) {
    if (n.leaf == LeafKind::ideal && !ideal.empty()) return ideal[n.a];
    return n.leaf == LeafKind::accel ? solution.acceleration[n.a] : g.leaf(n.leaf, n.a);
  });
  put(rhs, Space::deriv, l.states_at(), t.state_rate);
  put(rhs, Space::deriv, l.work_at(), {g.sum(t.power)});
  put(rhs, Space::deriv, l.work_at() + 1, work);
  put(rhs, Space::work, l.lambda, solution.multiplier);
  put(rhs, Space::work, l.pivot, solution.pivot);
  put(rhs, Space::work, l.pivot_scale, solution.pivot_scale);
  if (l.ideal) put(rhs, Space::work, *l.ideal, ideal);
  // What integrators call at every stage is fused. The other functions keep the roundings of the text as it is written:
  // residuals of equal rows are compared with each other, and the robust path assembles the rows with error bounds.
  std::vector<NodeId> values;
  for (const Store& store : rhs) values.push_back(store.value);
  graph::Fused fused = graph::fuse_best(g, values, l.n_y());  // the rates come first
  for (std::size_t k = 0; k < rhs.size(); ++k) rhs[k].value = fused.roots[k];
  add_function("rhs", rhs, fused.graph);
  straight_stage(fused.graph, rhs);
}

bool Formulation::add_lean_function(const char* name, Graph& g, std::vector<Store> stores,
                                    const std::vector<NodeId>& pivot, const std::vector<NodeId>& scale,
                                    const StandingRows& rows) {
  std::vector<NodeId> values;
  for (const Store& store : stores) values.push_back(store.value);
  const std::optional<Stage> stage = lean_stage(g, values, pivot, scale, rows);
  if (!stage) return false;
  for (std::size_t k = 0; k < stores.size(); ++k) stores[k].value = stage->values[k];
  const auto n_guards = static_cast<std::uint32_t>(stage->guards.size());
  const std::uint32_t guards = field((std::string(name) + ".guard").c_str(), n_guards);
  put(stores, Space::work, guards, stage->guards);
  add_function(name, stores, g);
  out_.kernel.functions.back().guard_begin = guards;
  out_.kernel.functions.back().guard_end = guards + n_guards;
  return true;
}

// The derivatives alone, for states where every row stands (stage.h): the operations of rhs, as they are after fusing.
void Formulation::straight_stage(Graph& g, const std::vector<Store>& rhs) {
  const SystemLayout& l = out_.layout;
  if (l.n_rows == 0 && !options_.step_parts) return;
  std::vector<Store> rates;
  std::vector<NodeId> pivot(l.n_rows), scale(l.n_rows);
  for (const Store& store : rhs) {
    const std::uint32_t at = store.place.index;
    const bool rate = store.place.space == Space::deriv;
    const bool of_pivot = !rate && at >= l.pivot && at < l.pivot + l.n_rows;
    const bool of_scale = !rate && at >= l.pivot_scale && at < l.pivot_scale + l.n_rows;
    if (rate) rates.push_back(store);
    if (of_pivot) pivot[at - l.pivot] = store.value;
    if (of_scale) scale[at - l.pivot_scale] = store.value;
  }
  if (l.n_rows > 0) add_lean_function("stage", g, rates, pivot, scale, {});
  if (options_.step_parts) add_lean_function("step_rates", g, rhs, pivot, scale, {});
}

void Formulation::straight_assemble(Graph& g, const Totals& t, const LinearSystem& linear) {
  const SystemLayout& l = out_.layout;
  std::vector<Store> assemble;
  put(assemble, Space::deriv, 0, t.rate);
  for (std::uint32_t r = 0; r < system_.n_rows; ++r)
    for (const auto& [c, a] : linear.rows[r]) assemble.push_back({{Space::work, false, a_place(r, c)}, a, false});
  put(assemble, Space::work, l.b, linear.right_side);
  for (const auto& [ij, m] : linear.mass)
    assemble.push_back({{Space::work, false, m_place(ij.first, ij.second)}, m, false});
  put(assemble, Space::work, l.f, linear.force);
  if (!l.inertia_rows.empty()) {
    const std::vector<double> plain = plain_weights();
    std::vector<NodeId> weight = t.weight;
    for (std::uint32_t r = 0; r < plain.size(); ++r)
      if (!inertia_rows_[r] || !weight[r].valid()) weight[r] = g.constant(plain[r]);
    put(assemble, Space::work, l.weight, weight);
  }
  std::vector<NodeId> given;
  for (std::uint32_t r = 0; r < system_.n_rows; ++r) given.push_back(g.leaf(LeafKind::multiplier, r));
  put(assemble, Space::deriv, l.states_at(), t.state_rate);
  put(assemble, Space::deriv, l.work_at(), {g.sum(t.power)});
  put(assemble, Space::deriv, l.work_at() + 1, std::vector<NodeId>(l.n_works - 1, g.zero()));
  add_function("assemble", assemble, g);
  std::vector<Store> given_power;
  put(given_power, Space::deriv, l.work_at() + 1, constraint_powers(g, t, given));
  add_function("constraint_power", given_power, g);
  if (l.ideal) add_function("nonideal", nonideal_stores(g, t, linear), g);
}

// f + C, with the ideal multipliers in work
std::vector<Store> Formulation::nonideal_stores(Graph& g, const Totals& t, const LinearSystem& linear) const {
  std::vector<NodeId> force = linear.force;
  for (std::uint32_t i = 0; i < system_.n_speeds; ++i) force[i] = g.add(force[i], g.sum(t.nonideal[i]));
  std::vector<Store> stores;
  put(stores, Space::work, out_.layout.f, force);
  return stores;
}

void Formulation::straight_corrections(Graph& g, const Totals& t, const LinearSolution& solution) {
  const SystemLayout& l = out_.layout;
  for (const bool position : {true, false}) {
    std::vector<Store> correct;
    put(correct, Space::work, position ? l.position_residual : l.velocity_residual, position ? t.position : t.velocity);
    put(correct, Space::work, l.pivot, solution.pivot);
    put(correct, Space::work, l.pivot_scale, solution.pivot_scale);
    put(correct, Space::work, l.correction, solution.corrections[position ? 0 : 1]);
    add_function(position ? "correct_position" : "correct_velocity", correct, g);
    if (!options_.step_parts) continue;
    StandingRows rows{std::vector<bool>(l.n_rows, false), kernel::kSureCorrection};
    for (const Part& part : system_.parts)
      for (const Contribution& c : part.contributions)
        if (c.target == (position ? Target::position_residual : Target::velocity_residual))
          for (const std::uint32_t row : part.family.items) rows.standing[row] = true;
    add_lean_function(position ? "step_position" : "step_velocity", g, correct, solution.pivot, solution.pivot_scale,
                      rows);
  }
}

// rhs as `assemble`, calls of the routines, and the power of the constraints; the functions in independent speeds.
void Formulation::straight_by_calls(Graph& g, const Totals& t, const LinearSystem& linear) {
  const SystemLayout& l = out_.layout;
  const auto room = [this](const char* name, std::uint32_t size) { return field(name, size); };
  const DenseSteps dense(l, room);
  acceleration_ = dense.acceleration_at();
  std::optional<QuasiSteps> quasi;
  if (l.quasi) quasi.emplace(l, dense, options_.method->solve, options_.momenta, room);
  kernel::Function rhs = *out_.kernel.function("assemble");
  rhs.name = "rhs";
  if (quasi) {
    std::vector<Store> speeds;
    for (std::uint32_t k = 0; k < system_.n_quasi; ++k)
      for (const auto& [c, a] : t.quasi[k]) speeds.push_back({{Space::work, false, y_place(k, c)}, a, false});
    put(speeds, Space::work, l.quasi->bias, t.quasi_bias);
    push_block(rhs, block_of("quasi-velocities", speeds, g));
  }
  const auto nonideal = [&](kernel::Function& f) {
    push_block(f, block_of("nonideal", nonideal_stores(g, t, linear), g));
  };
  add_solution(rhs, dense, quasi ? &*quasi : nullptr, nonideal);
  push_block(rhs, out_.kernel.function("constraint_power")->blocks[0]);
  out_.kernel.functions.insert(out_.kernel.functions.begin(), std::move(rhs));
  if (quasi) straight_quasi(g, t, linear, *quasi, dense);
}

// What the state [q; y; s] is turned into speeds with: A, c, Y, Z, M, N.
std::vector<Store> Formulation::rate_stores(Graph& g, const Totals& t, const LinearSystem& linear) const {
  const SystemLayout& l = out_.layout;
  std::vector<Store> stores;
  for (std::uint32_t r = 0; r < system_.n_rows; ++r)
    for (const auto& [c, a] : linear.rows[r]) stores.push_back({{Space::work, false, a_place(r, c)}, a, false});
  for (const auto& [ij, m] : linear.mass)
    stores.push_back({{Space::work, false, m_place(ij.first, ij.second)}, m, false});
  for (std::uint32_t k = 0; k < system_.n_quasi; ++k)
    for (const auto& [c, a] : t.quasi[k]) stores.push_back({{Space::work, false, y_place(k, c)}, a, false});
  put(stores, Space::work, l.quasi->offset, t.rate_offset);
  put(stores, Space::work, l.quasi->Z, t.quasi_offset);
  if (l.quasi->n_momenta == 0) return stores;
  std::vector<NodeId> offset;
  for (const auto& terms : t.momentum_offset) offset.push_back(g.sum(terms));
  put(stores, Space::work, l.quasi->momentum_offset, offset);
  return stores;
}

void Formulation::straight_quasi(Graph& g, const Totals& t, const LinearSystem& linear, const QuasiSteps& quasi,
                                 const DenseSteps& dense) {
  const SystemLayout& l = out_.layout;
  const std::vector<Store> rates = rate_stores(g, t, linear);
  add_function("rates", rates, g);
  quasi.directions(out_.kernel.functions.back());
  if (!l.quasi->state) return;
  kernel::Function expand, rhs;
  expand.name = "expand";
  push_block(expand, block_of("rates", rates, g));
  quasi.expand(expand);
  rhs = expand;
  rhs.name = "rhs_quasi";
  speeds_in_work_ = true;
  std::vector<Store> stores;
  put(stores, Space::deriv, 0, t.rate);
  put(stores, Space::work, l.b, linear.right_side);
  put(stores, Space::work, l.f, linear.force);
  put(stores, Space::work, l.quasi->bias, t.quasi_bias);
  put(stores, Space::deriv, l.states_at(), t.state_rate);
  put(stores, Space::deriv, l.work_at(), {g.sum(t.power)});
  put(stores, Space::deriv, l.work_at() + 1, std::vector<NodeId>(l.n_works - 1, g.zero()));
  push_block(rhs, block_of("forces", stores, g));
  add_solution(rhs, dense, &quasi,
               [&](kernel::Function& f) { push_block(f, block_of("nonideal", nonideal_stores(g, t, linear), g)); });
  std::vector<NodeId> given;
  for (std::uint32_t r = 0; r < system_.n_rows; ++r) given.push_back(g.leaf(LeafKind::multiplier, r));
  std::vector<Store> power;
  put(power, Space::deriv, l.work_at() + 1, constraint_powers(g, t, given));
  push_block(rhs, block_of("constraint_power", power, g));
  speeds_in_work_ = false;
  out_.kernel.functions.push_back(std::move(expand));
  out_.kernel.functions.push_back(std::move(rhs));
}

}  // namespace mbc::formulate
