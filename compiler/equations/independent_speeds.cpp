// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/independent_speeds.h"

#include <algorithm>
#include <cmath>

#include "base/disjoint_sets.h"
#include "compiler/ad/motion.h"
#include "compiler/graph/evaluate.h"
#include "compiler/reading/solve.h"

namespace mbc::equations {

namespace {

using graph::Node;

constexpr std::size_t kMostIndependent = 6;
constexpr std::uint32_t kFirstLeaf = 0x40000000u;
constexpr double kVanishing = 1e-9;  // of the largest pivot

// One linear equation for u: coefficients by speed; the right side by y, and behind them what is free of y.
struct Linear {
  std::vector<NodeId> left, right;
};

// The columns of the pivots of an elimination with complete pivoting, as many as the rank.
std::vector<std::size_t> pivots(std::vector<std::vector<double>> a, std::vector<std::size_t>* rows = nullptr) {
  std::vector<std::size_t> found;
  std::vector<char> used(a.size(), 0);
  double largest = 0;
  while (found.size() < a.size()) {
    std::size_t row = 0, column = 0;
    double best = 0;
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; used[i] == 0 && j < a[i].size(); ++j)
        if (std::fabs(a[i][j]) > best) best = std::fabs(a[i][j]), row = i, column = j;
    largest = std::max(largest, best);
    if (!(best > kVanishing * largest)) break;
    used[row] = 1;
    found.push_back(column);
    if (rows != nullptr) rows->push_back(row);
    for (std::size_t i = 0; i < a.size(); ++i) {
      if (used[i] != 0) continue;
      const double factor = a[i][column] / a[row][column];
      for (std::size_t j = 0; j < a[i].size(); ++j) a[i][j] -= factor * a[row][j];
      a[i][column] = 0;
    }
  }
  return found;
}

class Independent {
 public:
  Independent(WrittenSystem& written, const std::vector<Term>& terms, const std::vector<NodeId>& quasi)
      : written_(written),
        model_(written.model()),
        g_(written.graph()),
        terms_(terms),
        quasi_(quasi),
        n_(model_.speeds.size()),
        start_(model_) {}

  IndependentSpeeds run(const Entries& mass, const Entries& force) {
    out_.of_rates = !written_.system().linear_rows;
    choose();
    if (out_.y.size() > kMostIndependent || n_ > 4 * kMostIndependent)
      return without(std::to_string(out_.y.size()) + " independent of " + std::to_string(n_) + " speeds are too many");
    if (!solve()) return without("more than three speeds hang together in the rows");
    project(mass, force);
    return std::move(out_);
  }

 private:
  [[nodiscard]] IndependentSpeeds without(std::string why_not) const {
    return {.of_rates = out_.of_rates, .why_not = std::move(why_not)};
  }
  [[nodiscard]] NodeId at_speeds(NodeId value, std::size_t one) const {
    Replacement with(g_);
    for (std::uint32_t j = 0; j < n_; ++j) with.set(g_.leaf(LeafKind::speed, j), j == one ? g_.one() : g_.zero());
    return with.of(value);
  }

  [[nodiscard]] std::vector<std::vector<double>> numbers(const std::vector<Linear>& rows) const {
    std::vector<std::vector<double>> out;
    for (const Linear& row : rows)
      out.push_back(graph::evaluate(g_, row.left, [&](const Node& leaf) { return start_.of(leaf); }));
    return out;
  }

  // The rows of A with what is free of u, or of u', on their right sides.
  [[nodiscard]] std::vector<Linear> rows_of_model() const {
    std::vector<Linear> all(model_.equations.size(), {std::vector<NodeId>(n_, g_.zero()), {g_.zero()}});
    for (const Term& t : terms_) {
      if (t.target == Target::jacobian) all[t.item].left[t.i] = g_.add(all[t.item].left[t.i], t.value);
      if (t.target == Target::right_side && out_.of_rates) all[t.item].right[0] = t.value;
      if (t.target == Target::velocity_residual && !out_.of_rates)
        all[t.item].right[0] = g_.neg(at_speeds(t.value, n_));
    }
    return all;
  }

  // Equations that say what the quasi-velocities of the model are.
  std::vector<Linear> choose_quasi_velocities() {
    std::vector<Linear> chosen;
    for (std::size_t k = 0; k < quasi_.size(); ++k) {
      const NodeId value = written_.written(model_.quasi_velocities[k].value), rest = at_speeds(value, n_);
      Linear& row = chosen.emplace_back();
      for (std::size_t j = 0; j < n_; ++j) row.left.push_back(g_.sub(at_speeds(value, j), rest));
      row.right.assign(quasi_.size() + 1, g_.zero());
      row.right[k] = g_.one();
      row.right.back() = g_.neg(rest);
      out_.y.push_back({model_.quasi_velocities[k].name, model_.quasi_velocities[k].dimension, quasi_[k]});
    }
    return chosen;
  }

  // Equations that say which speeds of the model are y.
  std::vector<Linear> choose_speeds(const std::vector<std::size_t>& dependent) {
    out_.y.clear();
    std::vector<Linear> chosen;
    for (std::uint32_t j = 0; j < n_; ++j) {
      if (std::find(dependent.begin(), dependent.end(), j) != dependent.end()) continue;
      out_.y.push_back(
          {model_.speeds[j].name, model_.speeds[j].dimension, g_.leaf(LeafKind::slot_constant, kFirstLeaf + j)});
      chosen.push_back({std::vector<NodeId>(n_, g_.zero()), {}});
      chosen.back().left[j] = g_.one();
    }
    for (std::size_t k = 0; k < chosen.size(); ++k) {
      chosen[k].right.assign(chosen.size() + 1, g_.zero());
      chosen[k].right[k] = g_.one();
    }
    return chosen;
  }

  void choose() {
    const std::vector<Linear> all = rows_of_model();
    std::vector<std::size_t> kept;
    const std::vector<std::size_t> dependent = pivots(numbers(all), &kept);
    std::sort(kept.begin(), kept.end());
    const auto add_rows = [&] {
      for (const std::size_t r : kept) {
        rows_.push_back({all[r].left, std::vector<NodeId>(out_.y.size() + 1, g_.zero())});
        rows_.back().right.back() = all[r].right[0];
      }
    };
    if (quasi_.size() == n_ - dependent.size() && !out_.of_rates) rows_ = choose_quasi_velocities();
    add_rows();
    if (pivots(numbers(rows_)).size() == n_) return;
    rows_ = choose_speeds(dependent);  // there are no quasi-velocities, or they do not serve here
    add_rows();
  }

  [[nodiscard]] std::vector<std::size_t> open_columns(const Linear& row) const {
    std::vector<std::size_t> open;
    for (std::size_t j = 0; j < n_; ++j)
      if (u_[j].empty() && !g_.is_zero(row.left[j])) open.push_back(j);
    return open;
  }
  // The right side without the speeds that are known.
  [[nodiscard]] std::vector<NodeId> rest_of(const Linear& row) const {
    std::vector<NodeId> rest = row.right;
    for (std::size_t j = 0; j < n_; ++j)
      for (std::size_t k = 0; k < u_[j].size(); ++k) rest[k] = g_.sub(rest[k], g_.mul(row.left[j], u_[j][k]));
    return rest;
  }

  // Speeds that stand alone in an equation are known first; the others are solved for in groups.
  bool solve() {
    u_.assign(n_, {});
    std::vector<char> used(rows_.size(), 0);
    for (bool more = true; more;) {
      more = false;
      for (std::size_t r = 0; r < rows_.size(); ++r) {
        const std::vector<std::size_t> open = open_columns(rows_[r]);
        if (used[r] != 0 || open.size() != 1) continue;
        std::vector<NodeId> form = rest_of(rows_[r]);
        for (NodeId& x : form) x = g_.div(x, rows_[r].left[open[0]]);
        u_[open[0]] = std::move(form);
        used[r] = 1;
        more = true;
      }
    }
    DisjointSets sets(n_ + rows_.size());
    for (std::size_t r = 0; r < rows_.size(); ++r)
      for (const std::size_t j : open_columns(rows_[r]))
        sets.join(static_cast<std::uint32_t>(j), static_cast<std::uint32_t>(n_ + r));
    std::map<std::uint32_t, std::pair<std::vector<std::size_t>, std::vector<std::size_t>>> groups;
    for (std::size_t j = 0; j < n_; ++j)
      if (u_[j].empty()) groups[sets.root(static_cast<std::uint32_t>(j))].first.push_back(j);
    for (std::size_t r = 0; r < rows_.size(); ++r)
      if (!open_columns(rows_[r]).empty()) groups[sets.root(static_cast<std::uint32_t>(n_ + r))].second.push_back(r);
    for (const auto& [root, group] : groups)
      if (!solve_group(group.first, group.second)) return false;
    for (const std::vector<NodeId>& form : u_) {
      out_.B.emplace_back(form.begin(), form.end() - 1);
      out_.beta.push_back(form.back());
    }
    return true;
  }

  bool solve_group(const std::vector<std::size_t>& columns, const std::vector<std::size_t>& rows) {
    if (columns.size() != rows.size() || columns.size() > reading::kMostSolved) return false;
    std::vector<NodeId> matrix;
    std::vector<std::vector<NodeId>> right;
    for (const std::size_t r : rows) {
      for (const std::size_t j : columns) matrix.push_back(rows_[r].left[j]);
      right.push_back(rest_of(rows_[r]));
    }
    std::vector<std::vector<NodeId>> found(columns.size());
    for (std::size_t k = 0; k < right[0].size(); ++k) {
      std::vector<NodeId> one;
      for (const std::vector<NodeId>& r : right) one.push_back(r[k]);
      const reading::Solution solution = reading::solve(g_, matrix, one);
      for (std::size_t c = 0; c < columns.size(); ++c)
        found[c].push_back(g_.div(solution.numerators[c], solution.determinants[c]));
    }
    for (std::size_t c = 0; c < columns.size(); ++c) u_[columns[c]] = std::move(found[c]);
    return true;
  }

  // Returns what u' is besides B y': B' y + beta', or beta of u'. Afterwards in_y writes u by y.
  std::vector<NodeId> changes(Replacement& in_y) {
    if (out_.of_rates) return out_.beta;
    std::vector<NodeId> rates(model_.coordinates.size(), g_.zero());
    for (const Term& t : terms_)
      if (t.target == Target::rate) rates[t.item] = t.value;
    const ad::Motion motion{[&](std::uint32_t i) { return rates[i]; },
                            [&](std::uint32_t k) { return written_.written(model_.states[k].rate); }};
    std::vector<NodeId> out;
    for (std::uint32_t j = 0; j < n_; ++j) {
      NodeId u = out_.beta[j];
      for (std::size_t k = 0; k < out_.y.size(); ++k) u = g_.add(u, g_.mul(out_.B[j][k], out_.y[k].leaf));
      in_y.set(g_.leaf(LeafKind::speed, j), u);
      out.push_back(ad::time_derivative(g_, u, motion));
    }
    return out;
  }

  void project(const Entries& mass, const Entries& force) {
    const std::size_t p = out_.y.size();
    Replacement in_y(g_);  // u by y
    const std::vector<NodeId> changes = this->changes(in_y);
    std::vector<NodeId> f(n_, g_.zero());
    std::vector<std::vector<NodeId>> MB(n_, std::vector<NodeId>(p, g_.zero()));
    for (const auto& [i, value] : force) f[i.first] = value;
    for (const Term& t : terms_)
      if (t.target == Target::nonideal_force) f[t.i] = g_.add(f[t.i], t.value);
    const auto add = [&](std::uint32_t i, std::uint32_t j, NodeId value) {
      f[i] = g_.sub(f[i], g_.mul(value, changes[j]));
      for (std::size_t k = 0; k < p; ++k) MB[i][k] = g_.add(MB[i][k], g_.mul(value, out_.B[j][k]));
    };
    for (const auto& [ij, value] : mass) {
      add(ij.first, ij.second, value);
      if (ij.first != ij.second) add(ij.second, ij.first, value);
    }
    Replacement by_name(g_);  // leaves that stand for speeds by these
    for (const IndependentSpeeds::Speed& y : out_.y)
      if (const Node n = g_.node(y.leaf); n.a >= kFirstLeaf && n.a - kFirstLeaf < n_)
        by_name.set(y.leaf, g_.leaf(LeafKind::speed, n.a - kFirstLeaf));
    const auto written = [&](NodeId value) { return by_name.of(in_y.of(value)); };
    out_.M.assign(p, std::vector<NodeId>(p, g_.zero()));
    out_.f.assign(p, g_.zero());
    for (std::size_t k = 0; k < p; ++k) {
      for (std::size_t i = 0; i < n_; ++i) {
        out_.f[k] = g_.add(out_.f[k], g_.mul(out_.B[i][k], f[i]));
        for (std::size_t l = k; l < p; ++l) out_.M[k][l] = g_.add(out_.M[k][l], g_.mul(out_.B[i][k], MB[i][l]));
      }
      out_.f[k] = written(out_.f[k]);
      for (std::size_t l = k; l < p; ++l) out_.M[k][l] = written(out_.M[k][l]);
    }
  }

  WrittenSystem& written_;
  const sema::Model& model_;
  Graph& g_;
  const std::vector<Term>& terms_;
  const std::vector<NodeId>& quasi_;
  std::size_t n_;
  StartValues start_;
  std::vector<Linear> rows_;
  std::vector<std::vector<NodeId>> u_;  // by speed, when known: its right side
  IndependentSpeeds out_;
};

}  // namespace

IndependentSpeeds independent_speeds(WrittenSystem& written, const std::vector<Term>& terms, const Entries& mass,
                                     const Entries& force, const std::vector<NodeId>& quasi) {
  return Independent(written, terms, quasi).run(mass, force);
}

}  // namespace mbc::equations
