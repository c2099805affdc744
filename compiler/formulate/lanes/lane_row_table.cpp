// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/lane_row_table.h"

#include <algorithm>
#include <string_view>

namespace mbc::formulate {

namespace {

// Returns whether the graph already has the square of a value (distances contain such squares).
bool squared(Graph& g, NodeId value) {
  const std::uint32_t before = g.size();
  g.mul(value, value);
  return g.size() == before;
}

// Returns whether the forms of a and b show that b = -a.
bool opposite(const Graph& g, NodeId a, NodeId b) {
  const Scaled x = split(g, a), y = split(g, b);
  if (x.c != 1 || y.c != 1) return x.c == -y.c ? x.x == y.x : x.c == y.c && opposite(g, x.x, y.x);
  const Node &m = g.node(a), &n = g.node(b);
  if (m.op != n.op) return false;
  if (m.op == Op::sub) return m.a == n.b && m.b == n.a;
  if (m.op != Op::mul) return false;
  return (m.a == n.a && opposite(g, {m.b}, {n.b})) || (m.b == n.b && opposite(g, {m.a}, {n.a})) ||
         (m.a == n.b && opposite(g, {m.b}, {n.a})) || (m.b == n.a && opposite(g, {m.a}, {n.b}));
}

// Finds the entries that share a base, and their signs. Of the two forms of a base, the one whose square exists is
// stored.
void find_bases(Graph& g, const std::vector<NodeId>& entries, RowValues& out) {
  for (NodeId e : entries) {
    std::uint32_t k = 0;
    while (k < out.bases.size() && e != out.bases[k] && !opposite(g, e, out.bases[k])) ++k;
    if (k == out.bases.size())
      out.bases.push_back(e);
    else if (!squared(g, out.bases[k]) && squared(g, e))
      out.bases[k] = e;
    out.base.push_back(k);
  }
  for (std::size_t x = 0; x < entries.size(); ++x)
    out.sign.push_back(entries[x] == out.bases[out.base[x]] ? 1.0 : -1.0);
}

}  // namespace

std::optional<Target> residual_of(LaneFunction f) {
  switch (f) {
    case LaneFunction::motion:
    case LaneFunction::full:
      return std::nullopt;
    case LaneFunction::position:
      return Target::position_residual;
    case LaneFunction::velocity:
      return Target::velocity_residual;
  }
  return std::nullopt;
}

RowValues row_values(Graph& g, const Part& part, LaneFunction wanted) {
  RowValues out;
  SparseRow row;
  out.right_side = g.zero();
  const std::optional<Target> residual = residual_of(wanted);
  for (const Contribution& c : part.contributions) {
    if (c.target == Target::jacobian) row[static_cast<std::uint32_t>(row.size())] = c.value;
    if (c.target == Target::right_side) out.right_side = c.value;
    if (c.target == residual) out.residual = c.value;
  }
  out.factor = divide_by_common_factor(g, row, out.right_side);
  if (out.residual.valid())
    out.right_side = g.neg(out.factor.inverse.valid() ? g.mul(out.residual, out.factor.inverse) : out.residual);
  std::vector<NodeId> entries;
  for (const auto& [x, value] : row) entries.push_back(value);
  find_bases(g, entries, out);
  return out;
}

LaneRowTable::LaneRowTable(const System& system) : instance_(system.n_rows), entries_(system.n_rows) {
  for (const Part& part : system.parts) {
    if (std::string_view(part.what) != "constraint") continue;
    Graph scratch = part.family.shape.graph;
    const RowValues values = row_values(scratch, part, LaneFunction::motion);
    n_bases_[&part] = static_cast<std::uint32_t>(values.bases.size());
    for (std::uint32_t k = 0; k < part.family.count; ++k) {
      const std::uint32_t row = part.family.items[k];
      instance_[row] = {&part, k};
      std::size_t x = 0;
      for (const Contribution& c : part.contributions)
        if (c.target == Target::jacobian) {
          entries_[row].push_back({part.family.index(k, c.i), values.base[x], values.sign[x]});
          ++x;
        }
    }
  }
}

bool LaneRowTable::complete() const {
  return std::ranges::all_of(instance_, [](const Instance& i) { return i.part != nullptr; });
}

const LaneRowTable::Entry* LaneRowTable::entry(std::uint32_t row, std::uint32_t speed) const {
  for (const Entry& e : entries_[row])
    if (e.speed == speed) return &e;
  return nullptr;
}

bool LaneRowTable::has(LaneFunction f) const {
  const std::optional<Target> residual = residual_of(f);
  for (const auto& [part, n_bases] : n_bases_) {
    bool there = false;
    for (const Contribution& c : part->contributions) there = there || c.target == residual;
    if (!there) return false;
  }
  return true;
}

}  // namespace mbc::formulate
