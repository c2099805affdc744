// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/solve/linear_plan.h"

#include <cmath>
#include <set>
#include <tuple>

#include "compiler/formulate/solve/pivot_order.h"
#include "compiler/formulate/solve/row_factors.h"
#include "compiler/graph/reduce_sin_cos.h"

namespace mbc::formulate {

namespace {

std::vector<std::vector<std::uint32_t>> order_of(const Graph& g, std::uint32_t n, const SymmetricEntries& entries,
                                                 std::size_t largest_block) {
  std::vector<std::vector<std::uint32_t>> adjacency(n);
  std::vector<bool> number(n, false);
  for (const auto& [ij, value] : entries)
    if (ij.first == ij.second) {
      number[ij.first] = g.is_constant(value);
    } else {
      adjacency[ij.first].push_back(ij.second);
      adjacency[ij.second].push_back(ij.first);
    }
  return pivot_order(adjacency, largest_block, number);
}

// Sums of products. Terms with the same literal factor and the same body (or particle) are collected in one node, so
// that two rows that hold a body at its ends share these nodes.
class Collected {
 public:
  explicit Collected(Graph& g) : g_(g) {}

  // += c w x y
  void add(std::uint32_t group, NodeId w, Scaled x, Scaled y) {
    const double c = x.c * y.c;
    NodeId& sum = sums_.try_emplace({group, w.value, std::fabs(c)}, g_.zero()).first->second;
    const NodeId term = g_.mul(x.x, y.x);
    sum = c < 0 ? g_.sub(sum, term) : g_.add(sum, term);
  }

  NodeId total() const {
    NodeId literals = g_.zero(), rest = g_.zero();
    for (const auto& [key, sum] : sums_) {
      const NodeId term = g_.mul(g_.mul({std::get<1>(key)}, g_.constant(std::get<2>(key))), sum);
      NodeId& to = g_.is_constant(term) ? literals : rest;
      to = g_.add(to, term);
    }
    return g_.add(literals, rest);
  }

 private:
  using Key = std::tuple<std::uint32_t, std::uint32_t, double>;  // group, weight, |c|
  Graph& g_;
  std::map<Key, NodeId> sums_;
};

// M^-1 in the required forms: by a division if a speed is not coupled with others, else by elimination, or of trees by
// articulated inertias.
class Inertia {
 public:
  Inertia(Graph& g, const LinearSystem& system) : g_(g), system_(system), weight_(system.n), group_(system.group) {
    group_.resize(system.n, 0);
    if (system.trees)
      articulated_.emplace(g, *system.trees);
    else
      factorisation_.emplace(g, system.n, system.mass, order_of(g, system.n, system.mass, 1),
                             [](auto...) { return NodeId{}; });
    std::vector<bool> coupled(system.n, false);
    for (const auto& [ij, m] : system.mass)
      if (ij.first != ij.second) coupled[ij.first] = coupled[ij.second] = true;
    for (std::uint32_t i = 0; i < system.n; ++i)
      if (const auto m = system.mass.find({i, i}); m != system.mass.end() && !coupled[i])
        weight_[i] = g.div(g.one(), m->second);
  }

  SparseRow solve(const SparseRow& x) const { return articulated_ ? articulated_->solve(x) : factorisation_->solve(x); }

  // Returns a M^-1 b^T with response = M^-1 b^T.
  NodeId product(const SparseRow& a, const SparseRow& b, const SparseRow& response) const {
    Collected sum(g_);
    for (const auto& [i, x] : a)
      if (const auto y = b.find(i); weight_[i].valid()) {
        if (y != b.end()) sum.add(group_[i], weight_[i], split(g_, x), split(g_, y->second));
      } else if (const auto z = response.find(i); z != response.end()) {
        sum.add(group_[i], g_.one(), {1, x}, {1, z->second});
      }
    return sum.total();
  }

  NodeId dot(const SparseRow& a, const SparseRow& b) const {
    Collected sum(g_);
    for (const auto& [i, x] : a)
      if (const auto y = b.find(i); y != b.end()) sum.add(group_[i], g_.one(), split(g_, x), {1, y->second});
    return sum.total();
  }

  // Returns start + M^-1 A^T mu, speed by speed; response[k] = M^-1 A_k^T.
  std::vector<NodeId> respond(const SparseRow& start, const std::vector<SparseRow>& rows,
                              const std::vector<SparseRow>& response, const SparseRow& mu) const {
    std::vector<NodeId> result;
    for (std::uint32_t i = 0; i < system_.n; ++i) {
      const auto a = start.find(i);
      NodeId total = a == start.end() ? g_.zero() : a->second;
      if (weight_[i].valid()) {
        total = g_.add(total, force(rows, mu, i));
      } else {
        for (const auto& [k, multiplier] : mu)
          if (const auto it = response[k].find(i); it != response[k].end())
            total = g_.add(total, g_.mul(it->second, multiplier));
      }
      result.push_back(total);
    }
    return result;
  }

 private:
  // Returns w (A^T mu)_i; multipliers with the same entry are summed first.
  NodeId force(const std::vector<SparseRow>& rows, const SparseRow& mu, std::uint32_t i) const {
    std::map<std::pair<std::uint32_t, double>, NodeId> by_entry;  // key: entry without its literal, literal
    for (const auto& [k, multiplier] : mu)
      if (const auto entry = rows[k].find(i); entry != rows[k].end()) {
        const Scaled e = split(g_, entry->second);
        NodeId& sum = by_entry.try_emplace({e.x.value, std::fabs(e.c)}, g_.zero()).first->second;
        sum = e.c < 0 ? g_.sub(sum, multiplier) : g_.add(sum, multiplier);
      }
    Collected sum(g_);
    for (const auto& [key, multipliers] : by_entry) sum.add(0, weight_[i], {key.second, {key.first}}, {1, multipliers});
    return sum.total();
  }

  Graph& g_;
  const LinearSystem& system_;
  std::optional<Factorisation> factorisation_;
  std::optional<ArticulatedInertia> articulated_;
  std::vector<NodeId> weight_;  // 1/M_ii of speeds that are not coupled with others, else invalid
  std::vector<std::uint32_t> group_;
};

// scale: the diagonal of S
void reduce_all_sin_cos(Graph& g, SymmetricEntries& schur, SparseRow& defect, std::vector<NodeId>& scale) {
  std::vector<NodeId> values;
  for (const auto& [kl, s] : schur) values.push_back(s);
  for (const auto& [k, r] : defect) values.push_back(r);
  values = graph::reduce_sin_cos(g, values);
  std::size_t at = 0;
  for (auto& [kl, s] : schur) {
    s = values[at++];
    if (kl.first == kl.second) scale[kl.first] = s;
  }
  for (auto& [k, r] : defect) r = values[at++];
}

// Solves the divided rows, and converts the solution for the rows as they are written.
class UnrolledSolver {
 public:
  UnrolledSolver(Graph& g, const LinearSystem& system)
      : g_(g),
        system_(system),
        m_(static_cast<std::uint32_t>(system.rows.size())),
        inertia_(g, system),
        rows_(system.rows),
        factor_(m_),
        scale_(m_, g.zero()) {}

  LinearSolution run() {
    find_free();
    for (std::uint32_t k = 0; k < m_; ++k) add_row(k);
    reduce_all_sin_cos(g_, schur_, defect_, scale_);
    const auto keep = [this](std::uint32_t row, NodeId d, NodeId e) { return takes_part(row, d, e); };
    const Factorisation s(g_, m_, schur_, order_of(g_, m_, schur_, kLargestPivot), keep);
    const SparseRow lambda = s.solve(defect_);
    LinearSolution out;
    for (std::uint32_t k = 0; k < m_; ++k) {
      out.pivot_scale.push_back(times_square(k, scale_[k]));
      out.pivot.push_back(times_square(k, s.pivot_of(k)));
      const auto it = lambda.find(k);
      out.multiplier.push_back(it == lambda.end() ? g_.zero() : times_inverse(k, it->second));
    }
    out.acceleration = inertia_.respond(free_, rows_, response_, lambda);
    for (const std::vector<NodeId>& d : system_.defects) out.corrections.push_back(correction(s, d));
    return out;
  }

 private:
  void find_free() {
    SparseRow force;
    for (std::uint32_t i = 0; i < system_.n; ++i)
      if (!g_.is_zero(system_.force[i])) force[i] = system_.force[i];
    free_ = inertia_.solve(force);
  }

  // Adds A_k without its common factor, M^-1 A_k^T, S_kl for l <= k, r_k.
  void add_row(std::uint32_t k) {
    NodeId right_side = system_.right_side[k];
    factor_[k] = divide_by_common_factor(g_, rows_[k], right_side);
    response_.push_back(inertia_.solve(rows_[k]));
    for (std::uint32_t l = 0; l <= k; ++l) {
      const NodeId s = inertia_.product(rows_[k], rows_[l], response_[l]);
      if (!g_.is_zero(s)) schur_[{k, l}] = s;
      if (l == k) scale_[k] = s;
    }
    const NodeId r = g_.sub(right_side, inertia_.dot(rows_[k], free_));
    if (!g_.is_zero(r)) defect_[k] = r;
  }

  // Returns whether the row is certified and the pivot d/e has not vanished.
  NodeId takes_part(std::uint32_t row, NodeId d, NodeId e) {
    const NodeId limit = g_.mul(e, g_.mul(g_.constant(kPivotTolerance), scale_[row]));
    const NodeId certified = g_.binary(Op::lt, g_.zero(), g_.leaf(LeafKind::mask, row));
    return g_.binary(Op::logical_and, certified, g_.binary(Op::lt, limit, d));
  }

  std::vector<NodeId> correction(const Factorisation& s, const std::vector<NodeId>& d) {
    SparseRow sparse;
    for (std::uint32_t k = 0; k < m_; ++k)
      if (!g_.is_zero(d[k])) sparse[k] = times_inverse(k, d[k]);
    return inertia_.respond({}, rows_, response_, s.solve(sparse));
  }

  // Reported values belong to the rows as they are written: lambda is divided by the factor, pivots are multiplied by
  // its square.
  NodeId times_inverse(std::uint32_t k, NodeId x) {
    return factor_[k].inverse.valid() ? g_.mul(x, factor_[k].inverse) : x;
  }
  NodeId times_square(std::uint32_t k, NodeId x) {
    return factor_[k].square.valid() ? g_.mul(x, factor_[k].square) : x;
  }

  Graph& g_;
  const LinearSystem& system_;
  std::uint32_t m_;
  Inertia inertia_;
  SparseRow free_;                   // M^-1 f
  std::vector<SparseRow> rows_;      // rows of A after the division
  std::vector<SparseRow> response_;  // M^-1 A_k^T
  std::vector<RowFactor> factor_;    // factors by which the rows of A were divided
  SymmetricEntries schur_;
  SparseRow defect_;           // r
  std::vector<NodeId> scale_;  // S_kk
};

}  // namespace

std::vector<std::uint32_t> minimum_degree(const std::vector<std::vector<std::uint32_t>>& adjacency,
                                          const std::function<void(std::uint64_t degree)>& eliminated) {
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
    if (eliminated) eliminated(neighbours[k].size());
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

std::uint64_t unrolled_cost(std::uint32_t n_rows, const std::vector<std::vector<std::uint32_t>>& row_columns,
                            const MassPattern& mass_pattern, std::uint64_t limit) {
  // Rows are coupled if they share a speed, directly or through M.
  std::map<std::uint32_t, std::vector<std::uint32_t>> rows_of;
  std::map<std::uint32_t, std::set<std::uint32_t>> coupled;
  for (const auto& [i, j] : mass_pattern)
    if (i != j) {
      coupled[i].insert(j);
      coupled[j].insert(i);
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
  minimum_degree(adjacency, [&](std::uint64_t degree) { cost += degree * (degree + 1) / 2 + 3 * degree + 2; });
  return cost;
}

LinearSolution solve_unrolled(Graph& g, const LinearSystem& system) { return UnrolledSolver(g, system).run(); }

}  // namespace mbc::formulate
