// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/unrolled/unrolled_values.h"

#include "compiler/formulate/solve/pattern.h"

namespace mbc::formulate {

UnrolledValues::UnrolledValues(Graph& g, const System& system) {
  const NodeId zero = g.zero();
  force.resize(system.n_speeds);
  rate.assign(system.n_coordinates, zero);
  state_rate.assign(system.n_states, zero);
  output.assign(system.n_outputs, zero);
  for (auto* per_row : {&right_side, &position, &velocity, &constraint_rate, &rate_offset})
    per_row->assign(system.n_rows, zero);
  rows.resize(system.n_rows);
  nonideal.resize(system.n_speeds);
  momentum_offset.resize(system.n_speeds);
  quasi.resize(system.n_quasi);
  for (auto* per_speed : {&quasi_offset, &quasi_bias}) per_speed->assign(system.n_quasi, zero);
  weight.resize(system.n_rows);
  for (const Part& part : system.parts)
    for (std::uint32_t k = 0; k < part.family.count; ++k) add_instance(g, part, k);
}

void UnrolledValues::add_instance(Graph& g, const Part& part, std::uint32_t k) {
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
  for (std::size_t c = 0; c < value.size(); ++c) {
    const Destination to = destination(part.contributions[c], family, k);
    if (to.value != nullptr)
      *to.value = value[c];
    else
      to.sum->push_back(value[c]);
  }
}

UnrolledValues::Destination UnrolledValues::destination(const Contribution& c, const lower::Family& family,
                                                        std::uint32_t k) {
  const std::uint32_t item = family.items[k];
  const auto speed = [&](std::uint32_t slot) { return family.index(k, slot); };
  switch (c.target) {
    case Target::mass:
      return {.sum = &mass[ordered(speed(c.i), speed(c.j))]};
    case Target::force:
      return {.sum = &force[speed(c.i)]};
    case Target::nonideal_force:
      return {.sum = &nonideal[speed(c.i)]};
    case Target::momentum_offset:
      return {.sum = &momentum_offset[speed(c.i)]};
    case Target::kinetic_energy:
      return {.sum = &kinetic};
    case Target::potential_energy:
      return {.sum = &potential};
    case Target::load_power:
      return {.sum = &power};
    case Target::support_power:
      return {.sum = &support};
    case Target::nonideal_power:
      return {.sum = &nonideal_power};
    case Target::jacobian:
      return {.value = &rows[item][speed(c.i)]};
    case Target::quasi_row:
      return {.value = &quasi[item][speed(c.i)]};
    case Target::rate:
      return {.value = &rate[item]};
    case Target::state_rate:
      return {.value = &state_rate[item]};
    case Target::right_side:
      return {.value = &right_side[item]};
    case Target::position_residual:
      return {.value = &position[item]};
    case Target::velocity_residual:
      return {.value = &velocity[item]};
    case Target::constraint_rate:
      return {.value = &constraint_rate[item]};
    case Target::output:
      return {.value = &output[item]};
    case Target::row_weight:
      return {.value = &weight[item]};
    case Target::rate_offset:
      return {.value = &rate_offset[item]};
    case Target::quasi_offset:
      return {.value = &quasi_offset[item]};
    case Target::quasi_bias:
      return {.value = &quasi_bias[item]};
  }
  return {};
}

std::vector<NodeId> UnrolledValues::constraint_powers(Graph& g, const System& system,
                                                      const std::vector<NodeId>& multiplier) const {
  std::vector<NodeId> terms = support;
  std::vector<std::vector<NodeId>> apart(system.works.size());
  const auto add = [&](std::size_t work, NodeId term) {
    terms.push_back(term);
    apart[work].push_back(term);
  };
  for (NodeId one : nonideal_power) add(system.works.size() - 1, one);
  for (std::uint32_t r = 0; r < system.n_rows; ++r) {
    if (system.row_work[r] == System::kNoWork) continue;
    if (!g.is_zero(position[r])) {
      add(system.row_work[r], g.neg(g.mul(multiplier[r], constraint_rate[r])));
      continue;
    }
    NodeId au = g.zero();
    for (const auto& [c, a] : rows[r]) au = g.add(au, g.mul(a, g.leaf(LeafKind::speed, c)));
    add(system.row_work[r], g.mul(multiplier[r], au));
  }
  std::vector<NodeId> powers{g.sum(terms)};
  for (const auto& part : apart) powers.push_back(g.sum(part));
  return powers;
}

}  // namespace mbc::formulate
