// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/unrolled/unrolled_values.h"

#include "compiler/formulate/solve/pattern.h"

namespace mbc::formulate {

UnrolledValues::UnrolledValues(Graph& g, const System& s) {
  const std::pair<std::uint32_t, std::vector<Target>> stored[] = {
      {s.n_coordinates, {Target::rate}},
      {s.n_states, {Target::state_rate}},
      {s.n_outputs, {Target::output}},
      {s.n_rows,
       {Target::right_side, Target::position_residual, Target::velocity_residual, Target::constraint_rate,
        Target::rate_offset}},
      {s.n_quasi, {Target::quasi_offset, Target::quasi_bias}}};
  for (const auto& [count, targets] : stored)
    for (const Target target : targets) stored_[target].assign(count, g.zero());
  stored_[Target::row_weight].resize(s.n_rows);
  rows_[Target::jacobian].resize(s.n_rows);
  rows_[Target::quasi_row].resize(s.n_quasi);
  for (const Target by_speed : {Target::force, Target::nonideal_force, Target::momentum_offset})
    terms_[by_speed].resize(s.n_speeds);
  for (const Target whole : {Target::kinetic_energy, Target::potential_energy, Target::load_power,
                             Target::support_power, Target::nonideal_power})
    terms_[whole].resize(1);
  for (const Part& part : s.parts)
    for (std::uint32_t k = 0; k < part.family.count; ++k) add_instance(g, part, k);
}

namespace {

// Copies expressions of a template with the leaves of an instance.
std::vector<NodeId> of_instance(Graph& g, const lower::Family& family, std::uint32_t k,
                                const std::vector<NodeId>& roots) {
  const auto leaf = [&](const Node& n) {
    if (n.leaf == LeafKind::time) return g.leaf(LeafKind::time, 0);
    const std::uint32_t index = family.index(k, n.a);
    return n.leaf == LeafKind::slot_constant ? g.constant(family.constants[index]) : g.leaf(n.leaf, index);
  };
  return graph::copy_into(family.shape.graph, roots, g, leaf, [&](Span span) { return family.place(k, span); });
}

}  // namespace

void UnrolledValues::add_instance(Graph& g, const Part& part, std::uint32_t k) {
  std::vector<NodeId> roots;
  for (const Contribution& c : part.contributions) roots.push_back(c.value);
  const std::vector<NodeId> value = of_instance(g, part.family, k, roots);
  for (std::size_t c = 0; c < value.size(); ++c) {
    add(part.contributions[c], part.family, k, value[c]);
    const Contribution& made = part.contributions[c];
    if (made.target == Target::mass && part.links.empty())
      beside_[ordered(part.family.index(k, made.i), part.family.index(k, made.j))].push_back(value[c]);
  }
  if (!part.links.empty()) add_links(g, part, k);
}

void UnrolledValues::add_links(Graph& g, const Part& part, std::uint32_t k) {
  std::vector<lower::TreeLink> links = part.links;
  std::vector<NodeId> roots;
  for (lower::TreeLink& l : links) each_node(l, [&](NodeId& node) { roots.push_back(node); });
  const std::vector<NodeId> value = of_instance(g, part.family, k, roots);
  const auto first = static_cast<std::uint32_t>(links_.size());
  std::size_t next = 0;
  for (lower::TreeLink& l : links) {
    each_node(l, [&](NodeId& node) { node = value[next++]; });
    for (lower::JointColumn& c : l.columns) c.speed = part.family.index(k, c.speed);
    if (l.carrier) *l.carrier += first;
    links_.push_back(std::move(l));
  }
}

void UnrolledValues::add(const Contribution& c, const lower::Family& family, std::uint32_t k, NodeId value) {
  using Index = lower::TargetColumns::Index;
  const std::uint32_t item = family.items[k];
  const auto speed = [&](std::uint32_t slot) { return family.index(k, slot); };
  switch (lower::columns_of(c.target).index) {
    case Index::whole:
      return terms_.at(c.target)[0].push_back(value);
    case Index::speed:
      return terms_.at(c.target)[speed(c.i)].push_back(value);
    case Index::pair:
      return mass_[ordered(speed(c.i), speed(c.j))].push_back(value);
    case Index::item:
      stored_.at(c.target)[item + c.i] = value;
      return;
    case Index::entry:
      rows_.at(c.target)[item][speed(c.i)] = value;
      return;
  }
}

std::vector<NodeId> UnrolledValues::constraint_powers(Graph& g, const System& system,
                                                      const std::vector<NodeId>& multiplier) const {
  std::vector<NodeId> terms = all_terms(Target::support_power);
  std::vector<std::vector<NodeId>> apart(system.works.size());
  const auto add = [&](std::size_t work, NodeId term) {
    terms.push_back(term);
    apart[work].push_back(term);
  };
  for (NodeId one : all_terms(Target::nonideal_power)) add(system.works.size() - 1, one);
  for (std::uint32_t r = 0; r < system.n_rows; ++r) {
    if (system.row_work[r] == System::kNoWork) continue;
    if (!g.is_zero(of(Target::position_residual)[r])) {
      add(system.row_work[r], g.neg(g.mul(multiplier[r], of(Target::constraint_rate)[r])));
      continue;
    }
    NodeId au = g.zero();
    for (const auto& [c, a] : rows(Target::jacobian)[r]) au = g.add(au, g.mul(a, g.leaf(LeafKind::speed, c)));
    add(system.row_work[r], g.mul(multiplier[r], au));
  }
  std::vector<NodeId> powers{g.sum(terms)};
  for (const auto& part : apart) powers.push_back(g.sum(part));
  return powers;
}

}  // namespace mbc::formulate
