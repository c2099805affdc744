// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/unrolled/unrolled.h"

#include <algorithm>
#include <functional>

#include "compiler/formulate/solve/inertia_rows.h"
#include "compiler/formulate/unrolled/unrolled_calls.h"
#include "compiler/graph/contract_fma.h"
#include "compiler/graph/reduce_sin_cos.h"
#include "kernel/limits.h"

namespace mbc::formulate {

namespace {

// Simplifies all values of the system at once, since they share subexpressions.
void reduce_all_sin_cos(Graph& g, LinearSystem& s) {
  std::vector<NodeId*> places;
  for (auto& [ij, m] : s.mass) places.push_back(&m);
  for (NodeId& f : s.force) places.push_back(&f);
  for (SparseRow& row : s.rows)
    for (auto& [i, a] : row) places.push_back(&a);
  for (NodeId& b : s.right_side) places.push_back(&b);
  std::vector<NodeId> values;
  for (const NodeId* place : places) values.push_back(*place);
  values = graph::reduce_sin_cos(g, values);
  for (std::size_t k = 0; k < places.size(); ++k) *places[k] = values[k];
}

constexpr std::size_t kEntriesTried = 3000;  // of M: more are never eliminated in place of articulated inertias

// Solves by the entries of M or by articulated inertias, whatever takes fewer operations.
LinearSolution solve_cheaply(Graph& g, const LinearSystem& system) {
  LinearSolution by_links = solve_unrolled(g, system);
  if (!system.trees || system.mass.size() > kEntriesTried) return by_links;
  LinearSystem entries = system;
  entries.trees.reset();
  LinearSolution by_entries = solve_unrolled(g, entries);
  const auto size = [&g](const LinearSolution& s) { return graph::reachable(g, s.acceleration).size(); };
  return size(by_entries) <= size(by_links) ? by_entries : by_links;
}

}  // namespace

void put(std::vector<Store>& stores, Space space, std::uint32_t at, const std::vector<NodeId>& values) {
  for (std::uint32_t k = 0; k < values.size(); ++k) stores.push_back({{space, false, at + k}, values[k], false});
}

UnrolledKernel::UnrolledKernel(KernelBuilder& builder)
    : b_(builder),
      system_(builder.system()),
      layout_(builder.layout()),
      values_(g_, builder.system()),
      linear_(assembled()) {}

LinearSystem UnrolledKernel::assembled() {
  LinearSystem linear;
  linear.n = system_.n_speeds;
  linear.group = speed_groups(system_);
  for (const auto& [ij, terms] : values_.mass()) linear.mass[ij] = g_.sum(terms);
  for (const auto& terms : values_.terms(Target::force)) linear.force.push_back(g_.sum(terms));
  linear.rows = values_.rows(Target::jacobian);
  linear.right_side = values_.of(Target::right_side);
  for (const auto* residual : {&values_.of(Target::position_residual), &values_.of(Target::velocity_residual)}) {
    std::vector<NodeId> defect;
    for (NodeId e : *residual) defect.push_back(g_.neg(e));
    linear.defects.push_back(std::move(defect));
  }
  return linear;
}

void UnrolledKernel::build() {
  const LinearSolution solution = solve_rows();
  const bool schur = b_.options().formulation->solve == Solve::schur;
  if (schur) add_rhs(solution);
  add_assemble();
  if (!schur) add_functions_by_calls(b_, {g_, values_, linear_});
  add_residuals();
  add_corrections(solution);
  add_outputs();
}

// Prescribed forces depend on the multipliers without these forces: a second solution uses the same factors (seed 001,
// ref. 14).
LinearSolution UnrolledKernel::solve_rows() {
  LinearSystem solved = linear_;
  reduce_all_sin_cos(g_, solved);
  add_inertia_rows(g_, solved, b_.inertia_rows(), values_.of(Target::row_weight), b_.no_inertia());
  if (!values_.links().empty() && std::ranges::none_of(b_.inertia_rows(), std::identity{})) {
    SymmetricEntries beside;
    for (const auto& [ij, terms] : values_.mass_beside_links()) beside[ij] = g_.sum(terms);
    solved.trees = tree_inertia(g_, solved.n, values_.links(), beside);
  }
  LinearSolution solution = solve_cheaply(g_, solved);
  if (!system_.nonideal) return solution;
  ideal_ = std::move(solution.multiplier);
  for (std::uint32_t i = 0; i < system_.n_speeds; ++i) {
    const NodeId C = g_.sum(values_.terms(Target::nonideal_force)[i]);
    const NodeId known = graph::copy_into(g_, {&C, 1}, g_, [&](const Node& n) {
      return n.leaf == LeafKind::ideal ? ideal_[n.a] : g_.leaf(n.leaf, n.a);
    })[0];
    solved.force[i] = g_.add(solved.force[i], known);
  }
  return solve_cheaply(g_, solved);
}

void UnrolledKernel::add_rhs(const LinearSolution& solution) {
  const SystemLayout& l = layout_;
  std::vector<Store> rhs;
  put(rhs, Space::deriv, 0, values_.of(Target::rate));
  put(rhs, Space::deriv, l.speeds_at(), solution.acceleration);
  const std::vector<NodeId> powers = values_.constraint_powers(g_, system_, solution.multiplier);
  const std::vector<NodeId> work = graph::copy_into(g_, powers, g_, [&](const Node& n) {
    if (n.leaf == LeafKind::ideal && !ideal_.empty()) return ideal_[n.a];
    return n.leaf == LeafKind::accel ? solution.acceleration[n.a] : g_.leaf(n.leaf, n.a);
  });
  put(rhs, Space::deriv, l.states_at(), values_.of(Target::state_rate));
  put(rhs, Space::deriv, l.work_at(), {g_.sum(values_.all_terms(Target::load_power))});
  put(rhs, Space::deriv, l.work_at() + 1, work);
  put(rhs, Space::work, l.lambda, solution.multiplier);
  put(rhs, Space::work, l.pivot, solution.pivot);
  put(rhs, Space::work, l.pivot_scale, solution.pivot_scale);
  if (l.ideal) put(rhs, Space::work, *l.ideal, ideal_);
  // Functions that integrators call at every stage are contracted. The other functions keep the roundings of the text
  // as it is written: residuals of equal rows are compared with each other, and the robust path assembles the rows with
  // error bounds.
  std::vector<NodeId> values;
  for (const Store& store : rhs) values.push_back(store.value);
  graph::RootedGraph contracted = graph::contract_fma_cheapest(g_, values, l.n_y());  // the rates come first
  for (std::size_t k = 0; k < rhs.size(); ++k) rhs[k].value = contracted.roots[k];
  b_.add_function("rhs", rhs, contracted.graph);
  add_fast_rhs(contracted.graph, rhs);
}

bool UnrolledKernel::add_fast_function(const char* name, Graph& g, std::vector<Store> stores,
                                       const std::vector<NodeId>& pivot, const std::vector<NodeId>& scale,
                                       const StandingRows& rows) {
  std::vector<NodeId> values;
  for (const Store& store : stores) values.push_back(store.value);
  const std::optional<FastRhs> fast = fast_rhs_of(g, values, pivot, scale, rows);
  if (!fast) return false;
  for (std::size_t k = 0; k < stores.size(); ++k) stores[k].value = fast->values[k];
  const auto n_guards = static_cast<std::uint32_t>(fast->guards.size());
  const std::uint32_t guards = b_.field((std::string(name) + ".guard").c_str(), n_guards);
  put(stores, Space::work, guards, fast->guards);
  b_.add_function(name, stores, g);
  kernel::Function& made = b_.out().kernel.functions.back();
  made.guard_begin = guards;
  made.guard_end = guards + n_guards;
  return true;
}

// Adds the derivatives alone, for states where every row is independent (fast_rhs.h): the operations of rhs after
// contraction.
void UnrolledKernel::add_fast_rhs(Graph& g, const std::vector<Store>& rhs) {
  const SystemLayout& l = layout_;
  if (l.n_rows == 0 && !b_.options().step_parts) return;
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
  if (l.n_rows > 0) add_fast_function("fast_rhs", g, rates, pivot, scale, {});
  if (b_.options().step_parts) add_fast_function("step_rates", g, rhs, pivot, scale, {});
}

void UnrolledKernel::add_assemble() {
  const SystemLayout& l = layout_;
  std::vector<Store> assemble;
  put(assemble, Space::deriv, 0, values_.of(Target::rate));
  for (std::uint32_t r = 0; r < system_.n_rows; ++r)
    for (const auto& [c, a] : linear_.rows[r])
      assemble.push_back({{Space::work, false, b_.places().of_A(r, c)}, a, false});
  put(assemble, Space::work, l.b, linear_.right_side);
  for (const auto& [ij, m] : linear_.mass)
    assemble.push_back({{Space::work, false, b_.places().of_M(ij.first, ij.second)}, m, false});
  put(assemble, Space::work, l.f, linear_.force);
  if (!l.inertia_rows.empty()) {
    const std::vector<double> plain = b_.plain_weights();
    std::vector<NodeId> weight = values_.of(Target::row_weight);
    for (std::uint32_t r = 0; r < plain.size(); ++r)
      if (!b_.inertia_rows()[r] || !weight[r].valid()) weight[r] = g_.constant(plain[r]);
    put(assemble, Space::work, l.weight, weight);
  }
  std::vector<NodeId> given;
  for (std::uint32_t r = 0; r < system_.n_rows; ++r) given.push_back(g_.leaf(LeafKind::multiplier, r));
  put(assemble, Space::deriv, l.states_at(), values_.of(Target::state_rate));
  put(assemble, Space::deriv, l.work_at(), {g_.sum(values_.all_terms(Target::load_power))});
  put(assemble, Space::deriv, l.work_at() + 1, std::vector<NodeId>(l.n_works - 1, g_.zero()));
  b_.add_function("assemble", assemble, g_);
  std::vector<Store> given_power;
  put(given_power, Space::deriv, l.work_at() + 1, values_.constraint_powers(g_, system_, given));
  b_.add_function("constraint_power", given_power, g_);
  if (l.ideal) b_.add_function("nonideal", nonideal_stores(b_, {g_, values_, linear_}), g_);
}

void UnrolledKernel::add_residuals() {
  std::vector<Store> residuals;
  put(residuals, Space::work, layout_.position_residual, values_.of(Target::position_residual));
  put(residuals, Space::work, layout_.velocity_residual, values_.of(Target::velocity_residual));
  b_.add_function("residuals", residuals, g_);
}

void UnrolledKernel::add_corrections(const LinearSolution& solution) {
  const SystemLayout& l = layout_;
  for (const bool position : {true, false}) {
    std::vector<Store> correct;
    put(correct, Space::work, position ? l.position_residual : l.velocity_residual,
        position ? values_.of(Target::position_residual) : values_.of(Target::velocity_residual));
    put(correct, Space::work, l.pivot, solution.pivot);
    put(correct, Space::work, l.pivot_scale, solution.pivot_scale);
    put(correct, Space::work, l.correction, solution.corrections[position ? 0 : 1]);
    b_.add_function(position ? "correct_position" : "correct_velocity", correct, g_);
    if (!b_.options().step_parts) continue;
    StandingRows rows{std::vector<bool>(l.n_rows, false), kernel::kSureCorrection};
    for (const Part& part : system_.parts)
      for (const Contribution& c : part.contributions)
        if (c.target == (position ? Target::position_residual : Target::velocity_residual))
          for (const std::uint32_t row : part.family.items) rows.standing[row] = true;
    add_fast_function(position ? "step_position" : "step_velocity", g_, correct, solution.pivot, solution.pivot_scale,
                      rows);
  }
}

void UnrolledKernel::add_outputs() {
  std::vector<Store> outputs;
  put(outputs, Space::work, layout_.kinetic, {g_.sum(values_.all_terms(Target::kinetic_energy))});
  put(outputs, Space::work, layout_.potential, {g_.sum(values_.all_terms(Target::potential_energy))});
  put(outputs, Space::work, layout_.outputs, values_.of(Target::output));
  b_.add_function("outputs", outputs, g_);
}

}  // namespace mbc::formulate
