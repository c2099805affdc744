// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/inertia_rows.h"

#include <algorithm>

namespace mbc::formulate {

using lower::RowUse;

std::vector<bool> choose_inertia_rows(const System& system, const std::vector<std::vector<std::uint32_t>>& row_columns,
                                      const MassPattern& mass, InertiaRows wanted) {
  std::vector<bool> massless(system.n_speeds, true), rows(system.n_rows, wanted >= InertiaRows::all);
  for (const auto& [i, j] : mass)
    if (i == j) massless[i] = false;
  for (std::uint32_t r = 0; r < system.n_rows; ++r) {
    const RowUse use = system.row_use[r];
    if (use == RowUse::euler_parameters) rows[r] = true;
    if (use == RowUse::natural && wanted != InertiaRows::structure) rows[r] = true;
    // Rows without these speeds cannot determine a combination of speeds without inertia.
    for (std::uint32_t i : row_columns[r])
      if (massless[i]) rows[r] = true;
  }
  return rows;
}

void in_order(MassPattern& mass) {
  std::sort(mass.begin(), mass.end());
  mass.erase(std::unique(mass.begin(), mass.end()), mass.end());
}

MassPattern with_rows(MassPattern mass, const std::vector<std::vector<std::uint32_t>>& row_columns,
                      const std::vector<bool>& rows) {
  for (std::size_t r = 0; r < rows.size(); ++r)
    for (std::uint32_t i : row_columns[r])
      for (std::uint32_t j : row_columns[r])
        if (rows[r] && j <= i) mass.emplace_back(i, j);
  in_order(mass);
  return mass;
}

namespace {

// Returns D of a user's row as mbc_add_rows chooses it.
NodeId automatic_weight(Graph& g, const LinearSystem& s, const SparseRow& row, NodeId mean, double no_inertia) {
  const auto positive = [&](NodeId x) { return g.binary(Op::lt, g.zero(), x); };
  const NodeId least = g.mul(g.constant(no_inertia), mean);
  NodeId mobility = g.zero();
  for (const auto& [i, a] : row) {
    const auto own = s.mass.find({i, i});
    const NodeId inertia =
        own == s.mass.end() ? mean : g.select(g.binary(Op::lt, least, own->second), own->second, mean);
    mobility = g.add(mobility, g.div(g.mul(a, a), inertia));
  }
  return g.select(positive(mobility), g.div(g.one(), mobility), g.zero());
}

NodeId mean_inertia(Graph& g, const LinearSystem& s) {
  NodeId sum = g.zero(), count = g.zero();
  for (const auto& [ij, m] : s.mass) {
    if (ij.first != ij.second) continue;
    const NodeId there = g.binary(Op::lt, g.zero(), m);
    sum = g.add(sum, g.select(there, m, g.zero()));
    count = g.add(count, g.select(there, g.one(), g.zero()));
  }
  return g.select(g.binary(Op::lt, g.zero(), count), g.div(sum, count), g.one());
}

}  // namespace

void add_inertia_rows(Graph& g, LinearSystem& system, const std::vector<bool>& rows, const std::vector<NodeId>& weight,
                      double no_inertia) {
  std::vector<NodeId> D(rows.size());
  for (std::size_t r = 0; r < rows.size(); ++r)  // all weights are computed before the first change of M
    if (rows[r])
      D[r] = weight[r].valid() ? weight[r]
                               : automatic_weight(g, system, system.rows[r], mean_inertia(g, system), no_inertia);
  for (std::size_t r = 0; r < rows.size(); ++r) {
    if (!rows[r]) continue;
    for (const auto& [i, a] : system.rows[r]) {
      const NodeId scaled = g.mul(D[r], a);
      system.force[i] = g.add(system.force[i], g.mul(scaled, system.right_side[r]));
      for (const auto& [j, other] : system.rows[r]) {
        if (j > i) break;
        NodeId& m = system.mass.try_emplace({i, j}, g.zero()).first->second;
        m = g.add(m, g.mul(scaled, other));
      }
    }
  }
}

}  // namespace mbc::formulate
