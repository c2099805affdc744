#include "compiler/formulate/linear_plan.h"

#include <algorithm>
#include <set>

#include "compiler/formulate/pivot_order.h"

namespace mbc::formulate {

using graph::LeafKind;
using graph::Op;

namespace {

using SymmetricEntries = std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId>;  // i >= j

// Right-looking L D L^T of a symmetric matrix of expressions in a given order. `inverse(k, d)` gives 1/d_k, or 0 to
// skip.
class Factorisation {
 public:
  template <class Inverse>
  Factorisation(Graph& g, std::uint32_t n, const SymmetricEntries& entries, const std::vector<std::uint32_t>& order,
                Inverse&& inverse)
      : g_(g), order_(order), lower_(n), inverse_(n), pivot_(n) {
    std::vector<std::uint32_t> place(n);
    for (std::uint32_t k = 0; k < n; ++k) place[order[k]] = k;
    // column k (in order) -> row (in order) -> value
    std::vector<SparseRow> columns(n);
    for (const auto& [ij, value] : entries) {
      const std::uint32_t a = place[ij.first], b = place[ij.second];
      columns[std::min(a, b)][std::max(a, b)] = value;
    }
    for (std::uint32_t k = 0; k < n; ++k) {
      const auto diagonal = columns[k].find(k);
      pivot_[k] = diagonal == columns[k].end() ? g.zero() : diagonal->second;
      inverse_[k] = inverse(order[k], pivot_[k]);
      for (const auto& [i, s] : columns[k])
        if (i > k) lower_[k][i] = g.mul(s, inverse_[k]);
      for (const auto& [j, l] : lower_[k])
        for (const auto& [i, s] : columns[k])
          if (i >= j) {
            const auto [at, fresh] = columns[j].try_emplace(i, g.zero());
            at->second = g.sub(at->second, g.mul(l, s));
          }
    }
  }

  // x <- solution for a sparse right-hand side given and returned in the original numbering.
  SparseRow solve(const SparseRow& rhs) const {
    const auto n = static_cast<std::uint32_t>(order_.size());
    std::vector<NodeId> x(n, g_.zero());
    for (std::uint32_t k = 0; k < n; ++k)
      if (const auto it = rhs.find(order_[k]); it != rhs.end()) x[k] = it->second;
    for (std::uint32_t k = 0; k < n; ++k)
      if (!g_.is_zero(x[k]))
        for (const auto& [i, l] : lower_[k]) x[i] = g_.sub(x[i], g_.mul(l, x[k]));
    for (std::uint32_t k = 0; k < n; ++k) x[k] = g_.mul(x[k], inverse_[k]);
    for (std::uint32_t k = n; k-- > 0;)
      for (const auto& [i, l] : lower_[k])
        if (!g_.is_zero(x[i])) x[k] = g_.sub(x[k], g_.mul(l, x[i]));
    SparseRow result;
    for (std::uint32_t k = 0; k < n; ++k)
      if (!g_.is_zero(x[k])) result[order_[k]] = x[k];
    return result;
  }

  NodeId pivot_of(std::uint32_t original) const {
    return pivot_[static_cast<std::size_t>(std::find(order_.begin(), order_.end(), original) - order_.begin())];
  }

 private:
  Graph& g_;
  std::vector<std::uint32_t> order_;
  std::vector<SparseRow> lower_;
  std::vector<NodeId> inverse_, pivot_;
};

std::vector<std::uint32_t> order_of(std::uint32_t n, const SymmetricEntries& entries) {
  std::vector<std::vector<std::uint32_t>> adjacency(n);
  for (const auto& [ij, value] : entries)
    if (ij.first != ij.second) {
      adjacency[ij.first].push_back(ij.second);
      adjacency[ij.second].push_back(ij.first);
    }
  std::vector<std::uint32_t> order;
  for (const auto& block : pivot_order(adjacency)) order.insert(order.end(), block.begin(), block.end());
  return order;
}

NodeId sparse_dot(Graph& g, const SparseRow& a, const SparseRow& b) {
  NodeId total = g.zero();
  for (const auto& [k, x] : a)
    if (const auto it = b.find(k); it != b.end()) total = g.add(total, g.mul(x, it->second));
  return total;
}

}  // namespace

std::vector<std::uint32_t> minimum_degree(const std::vector<std::vector<std::uint32_t>>& adjacency) {
  const auto n = static_cast<std::uint32_t>(adjacency.size());
  std::vector<std::set<std::uint32_t>> neighbours(n);
  for (std::uint32_t i = 0; i < n; ++i) neighbours[i].insert(adjacency[i].begin(), adjacency[i].end());
  std::set<std::pair<std::size_t, std::uint32_t>> queue;
  for (std::uint32_t i = 0; i < n; ++i) queue.insert({neighbours[i].size(), i});
  std::vector<std::uint32_t> order;
  while (!queue.empty()) {
    const std::uint32_t k = queue.begin()->second;
    queue.erase(queue.begin());
    order.push_back(k);
    for (std::uint32_t i : neighbours[k]) {
      queue.erase({neighbours[i].size(), i});
      neighbours[i].erase(k);
      for (std::uint32_t j : neighbours[k])
        if (j != i) neighbours[i].insert(j);
      queue.insert({neighbours[i].size(), i});
    }
  }
  return order;
}

std::uint64_t straight_cost(std::uint32_t n_rows, const std::vector<std::vector<std::uint32_t>>& row_columns,
                            const std::map<std::pair<std::uint32_t, std::uint32_t>, bool>& mass_pattern,
                            std::uint64_t limit) {
  // rows are coupled when they share a speed, directly or through M
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows_of;
  std::map<std::uint32_t, std::set<std::uint32_t>> coupled;
  for (const auto& [ij, unused] : mass_pattern)
    if (ij.first != ij.second) {
      coupled[ij.first].insert(ij.second);
      coupled[ij.second].insert(ij.first);
    }
  for (std::uint32_t r = 0; r < n_rows; ++r)
    for (std::uint32_t c : row_columns[r]) rows_of[c].push_back(r);
  std::vector<std::set<std::uint32_t>> neighbours(n_rows);
  std::uint64_t cost = 0;
  for (std::uint32_t r = 0; r < n_rows; ++r)
    for (std::uint32_t c : row_columns[r]) {
      std::vector<std::uint32_t> reach{c};
      if (const auto it = coupled.find(c); it != coupled.end())
        reach.insert(reach.end(), it->second.begin(), it->second.end());
      for (std::uint32_t k : reach)
        for (std::uint32_t other : rows_of[k]) {
          if (other != r) neighbours[r].insert(other);
          if (++cost > limit) return cost;
        }
    }
  std::vector<std::vector<std::uint32_t>> adjacency(n_rows);
  for (std::uint32_t r = 0; r < n_rows; ++r) adjacency[r].assign(neighbours[r].begin(), neighbours[r].end());
  // symbolic elimination in the order that will be used
  for (std::uint32_t k : minimum_degree(adjacency)) {
    const std::uint64_t degree = neighbours[k].size();
    cost += degree * (degree + 1) / 2 + 3 * degree + 2;
    if (cost > limit) return cost;
    for (std::uint32_t i : neighbours[k]) {
      neighbours[i].erase(k);
      for (std::uint32_t j : neighbours[k])
        if (j != i) neighbours[i].insert(j);
    }
  }
  return cost;
}

LinearSolution solve_straight(Graph& g, const LinearSystem& system) {
  const auto m = static_cast<std::uint32_t>(system.rows.size());
  const Factorisation mass(g, system.n, system.mass, order_of(system.n, system.mass),
                           [&](std::uint32_t, NodeId d) { return g.div(g.one(), d); });
  SparseRow force;
  for (std::uint32_t i = 0; i < system.n; ++i)
    if (!g.is_zero(system.force[i])) force[i] = system.force[i];
  const SparseRow free = mass.solve(force);

  std::vector<SparseRow> response;  // M^-1 A_k^T
  SymmetricEntries schur;
  SparseRow defect;  // r
  std::vector<NodeId> scale(m, g.zero());
  for (std::uint32_t k = 0; k < m; ++k) {
    response.push_back(mass.solve(system.rows[k]));
    for (std::uint32_t l = 0; l <= k; ++l) {
      const NodeId s = sparse_dot(g, system.rows[k], response[l]);
      if (!g.is_zero(s)) schur[{k, l}] = s;
      if (l == k) scale[k] = s;
    }
    const NodeId r = g.sub(system.right_side[k], sparse_dot(g, system.rows[k], free));
    if (!g.is_zero(r)) defect[k] = r;
  }
  const Factorisation s(g, m, schur, order_of(m, schur), [&](std::uint32_t row, NodeId d) {
    const NodeId stands = g.binary(Op::lt, g.mul(g.constant(kPivotTolerance), scale[row]), d);
    const NodeId keep = g.binary(Op::logical_and, g.leaf(LeafKind::mask, row), stands);
    return g.select(keep, g.div(g.one(), d), g.zero());
  });
  const SparseRow lambda = s.solve(defect);

  LinearSolution out;
  out.pivot_scale = scale;
  for (std::uint32_t k = 0; k < m; ++k) {
    out.pivot.push_back(s.pivot_of(k));
    const auto it = lambda.find(k);
    out.multiplier.push_back(it == lambda.end() ? g.zero() : it->second);
  }
  const auto respond = [&](const SparseRow& start, const SparseRow& mu) {  // start + M^-1 A^T mu
    std::vector<NodeId> result;
    for (std::uint32_t i = 0; i < system.n; ++i) {
      const auto a = start.find(i);
      NodeId total = a == start.end() ? g.zero() : a->second;
      for (const auto& [k, multiplier] : mu)
        if (const auto it = response[k].find(i); it != response[k].end())
          total = g.add(total, g.mul(it->second, multiplier));
      result.push_back(total);
    }
    return result;
  };
  out.acceleration = respond(free, lambda);
  for (const std::vector<NodeId>& d : system.defects) {
    SparseRow sparse;
    for (std::uint32_t k = 0; k < m; ++k)
      if (!g.is_zero(d[k])) sparse[k] = d[k];
    out.corrections.push_back(respond({}, s.solve(sparse)));
  }
  return out;
}

}  // namespace mbc::formulate
