// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/momentum_numbers.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <random>

#include "compiler/sema/elaborate.h"

namespace mbc::lower {

namespace {

constexpr std::size_t kStates = 8;
constexpr double kRoundOff = 1e-9;  // relative to the sizes added up
constexpr double kIdentity = 1e-12;
constexpr std::uint32_t kOthers = 32;  // numbers for states, and again for inputs, multipliers, accelerations

}  // namespace

void MomentumNumbers::Number::add(double c, const graph::SizedValue& x) {
  value += c * x.value;
  size += std::fabs(c) * x.size;
}

bool MomentumNumbers::Number::finite() const { return std::isfinite(value) && std::isfinite(size); }

MomentumNumbers::MomentumNumbers(const sema::Model& model, const MomentumTerms& terms,
                                 const std::vector<double>& params)
    : terms_(terms) {
  draw(model, params);
}

// Half of the states are near the initial one, where expressions are sure to be defined; the other half are anywhere.
void MomentumNumbers::draw(const sema::Model& model, const std::vector<double>& params) {
  std::mt19937_64 generator(20240229);
  const auto random = [&] { return static_cast<double>(generator() >> 11) * 0x1p-52 - 1; };  // -1 .. 1
  std::vector<NodeId> nodes;
  for (const sema::Coordinate& q : model.coordinates) nodes.push_back(q.initial);
  for (const sema::State& s : model.states) nodes.push_back(s.initial);
  const std::vector<double> start = sema::constant_values(model, nodes, params);
  for (std::size_t k = 0; k < 2 * kStates; ++k) {
    Draw d;
    const auto drawn = [&](double about) {
      return k % 2 == 0 && std::isfinite(about) ? about + 0.2 * (1 + std::fabs(about)) * random() : 2 * random();
    };
    d.time = 1 + random();
    for (std::size_t i = 0; i < model.coordinates.size(); ++i) d.coordinates.push_back(drawn(start[i]));
    for (std::size_t i = 0; i < model.speeds.size(); ++i) d.speeds.push_back(1.5 * random());
    for (std::size_t i = 0; i < 2 * kOthers; ++i) d.others.push_back(1.5 * random());
    for (std::size_t i = 0; i < model.states.size() && i < kOthers; ++i)
      d.others[i] = drawn(start[model.coordinates.size() + i]);
    d.params = params;
    if (k < kStates)
      for (double& p : d.params) p = 1.25 + 0.75 * random();
    (k < kStates ? generic_ : given_).push_back(std::move(d));
  }
}

double MomentumNumbers::leaf(const Draw& d, const Node& n) {
  switch (n.leaf) {
    case LeafKind::time:
      return d.time;
    case LeafKind::coordinate:
      return d.coordinates[n.a];
    case LeafKind::speed:
      return d.speeds[n.a];
    case LeafKind::param:
      return d.params.at(n.a);
    case LeafKind::state:
      return d.others[n.a % kOthers];
    case LeafKind::accel:
    case LeafKind::state_rate:
    case LeafKind::input:
    case LeafKind::slot_constant:
    case LeafKind::multiplier:
    case LeafKind::ideal:
    case LeafKind::mask:
      break;
  }
  return d.others[kOthers + (n.a + 7 * static_cast<std::uint32_t>(n.leaf)) % kOthers];
}

std::vector<graph::SizedValue> MomentumNumbers::values(const std::vector<NodeId>& nodes, const Draw& d) const {
  return graph::evaluate_with_size(terms_.graph, nodes, [&](const Node& n) { return leaf(d, n); });
}

bool MomentumNumbers::analytic(const std::vector<MomentumTerm>& terms) const {
  std::vector<NodeId> roots;
  for (const MomentumTerm& t : terms) roots.push_back(t.value);
  const std::vector<NodeId> below = graph::reachable(terms_.graph, roots);
  return std::all_of(below.begin(), below.end(), [&](NodeId id) {
    const Op op = terms_.graph.node(id).op;
    return kernel::is_arithmetic(op) || op == Op::sqrt || op == Op::sin || op == Op::cos;
  });
}

std::vector<std::set<std::uint32_t>> MomentumNumbers::silent_columns() const {
  std::vector<std::set<std::uint32_t>> silent(terms_.sources.size());
  std::vector<NodeId> nodes;
  std::vector<std::size_t> looked_at;
  for (std::size_t s = 0; s < terms_.sources.size(); ++s) {
    const MomentumSource& source = terms_.sources[s];
    if (source.kind != MomentumSource::Kind::kinetic || !analytic(source.terms)) continue;
    looked_at.push_back(s);
    for (const MomentumTerm& t : source.terms) {
      silent[s].insert(t.column);
      nodes.push_back(t.value);
    }
  }
  std::map<std::pair<std::size_t, std::uint32_t>, std::size_t> defined;  // states with a finite value
  for (const Draw& d : generic_) {
    const std::vector<graph::SizedValue> value = values(nodes, d);
    std::size_t at = 0;
    for (std::size_t s : looked_at) {
      std::map<std::uint32_t, Number> sums;
      for (const MomentumTerm& t : terms_.sources[s].terms) sums[t.column].add(1, value[at++]);
      for (const auto& [column, sum] : sums) {
        if (!sum.finite()) continue;
        ++defined[{s, column}];
        if (std::fabs(sum.value) > kIdentity * sum.size) silent[s].erase(column);
      }
    }
  }
  for (std::size_t s : looked_at)
    std::erase_if(silent[s], [&](std::uint32_t c) { return defined[{s, c}] < kStates / 2; });
  return silent;
}

std::vector<bool> MomentumNumbers::confirmed(const std::vector<SparseForm>& directions) const {
  std::vector<std::vector<Use>> conditions(terms_.speeds.size()), inertia(terms_.speeds.size());
  std::vector<bool> used(terms_.speeds.size(), false);
  for (const SparseForm& direction : directions)
    for (const auto& [column, c] : direction) used[column] = true;
  std::vector<NodeId> nodes;
  const auto keep = [&](std::vector<std::vector<Use>>& list, std::uint32_t form, const MomentumTerm& t) {
    if (!used[t.column]) return;
    list[t.column].push_back({form, t.value});
    nodes.push_back(t.value);
  };
  std::uint32_t row = 0;
  for (const MomentumSource& s : terms_.sources) {
    const std::uint32_t form = s.kind == MomentumSource::Kind::row ? ++row : 0;
    for (const MomentumTerm& t : s.terms) keep(conditions, form, t);
  }
  for (std::uint32_t k = 0; k < terms_.inertia.size(); ++k)
    for (const MomentumTerm& t : terms_.inertia[k]) keep(inertia, k, t);
  std::sort(nodes.begin(), nodes.end(), [](NodeId x, NodeId y) { return x.value < y.value; });
  nodes.erase(std::unique(nodes.begin(), nodes.end()), nodes.end());

  std::vector<bool> zero(directions.size(), true), moves(directions.size(), false);
  std::vector<std::size_t> defined(directions.size(), 0);
  for (const Draw& d : given_) {
    const std::vector<graph::SizedValue> value = values(nodes, d);
    const auto number = [&](NodeId node) {
      const auto at =
          std::lower_bound(nodes.begin(), nodes.end(), node, [](NodeId x, NodeId y) { return x.value < y.value; });
      return value[static_cast<std::size_t>(at - nodes.begin())];
    };
    for (std::size_t k = 0; k < directions.size(); ++k) {
      std::map<std::uint32_t, Number> sums, moved;
      for (const auto& [column, c] : directions[k]) {
        for (const Use& use : conditions[column]) sums[use.form].add(c, number(use.value));
        for (const Use& use : inertia[column]) moved[use.form].add(c, number(use.value));
      }
      bool finite = true;
      for (const auto& [form, sum] : sums) {
        finite = finite && sum.finite();
        if (sum.finite() && std::fabs(sum.value) > kRoundOff * sum.size) zero[k] = false;
      }
      if (finite) ++defined[k];
      for (const auto& [form, sum] : moved)
        if (sum.finite() && std::fabs(sum.value) > kRoundOff * sum.size) moves[k] = true;
    }
  }
  std::vector<bool> result;
  for (std::size_t k = 0; k < directions.size(); ++k) result.push_back(zero[k] && moves[k] && defined[k] >= 2);
  return result;
}

}  // namespace mbc::lower
