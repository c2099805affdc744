// SPDX-License-Identifier: Apache-2.0
// Rows of joints and contacts that depend on each other where the bodies are drawn share loads.
#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>

#include "base/disjoint_sets.h"
#include "compiler/ad/motion.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/check_values.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/tree/shared_loads.h"

namespace mbc::sema {

namespace {

constexpr double kDepends = 1e-9;  // of a row of length 1: what is left of it beside those that it depends on
constexpr double kTakesPart = 1e-8;

// Groups of rows that share loads. A row that depends on rows before it forms a circuit with those of them that it
// needs, and two rows are in one group if a chain of circuits connects them (the components of a matroid follow from
// the circuits of any basis; J. Oxley, Matroid Theory, 2011, section 4.1).
class Circuits {
 public:
  explicit Circuits(std::size_t rows) : sets_(rows), alone_(rows, 1) {}

  // Adds row number k, scaled to length 1, by its entries.
  void add(std::uint32_t k, std::vector<double> row) {
    std::map<std::uint32_t, double> by{{k, 1.0}};  // what is left, by the rows that were added
    for (const Reduced& r : basis_) {
      const double factor = row[r.pivot] / r.row[r.pivot];
      if (factor == 0) continue;
      for (std::size_t j = 0; j < row.size(); ++j) row[j] -= factor * r.row[j];
      row[r.pivot] = 0;
      for (const auto& [i, c] : r.by) by[i] -= factor * c;
    }
    const auto largest = std::ranges::max_element(row, {}, [](double x) { return std::fabs(x); });
    if (largest != row.end() && std::fabs(*largest) > kDepends) {
      const auto pivot = static_cast<std::size_t>(largest - row.begin());
      basis_.push_back({std::move(row), pivot, std::move(by)});
      return;
    }
    for (const auto& [i, c] : by)
      if (std::fabs(c) > kTakesPart) {
        sets_.join(i, k);
        alone_[i] = alone_[k] = i == k ? alone_[k] : char{0};
      }
  }
  // Returns the group of a row, or nothing if it is independent of all others.
  std::optional<std::uint32_t> group(std::uint32_t row) {
    return alone_[row] != 0 ? std::nullopt : std::optional(sets_.root(row));
  }

 private:
  struct Reduced {
    std::vector<double> row;
    std::size_t pivot;
    std::map<std::uint32_t, double> by;
  };
  std::vector<Reduced> basis_;
  DisjointSets sets_;
  std::vector<char> alone_;
};

// Rows of a model by their slopes where the bodies are drawn, each of length 1 and switched on. Rows that are not
// defined there are left out.
class DrawnRows {
 public:
  explicit DrawnRows(Model& model) : model_(model), params_(parameter_values(model)) {
    for (const problem::SwitchedRow& s : model.switched_rows) switches_.insert(model.held_at + s.held);
  }

  void add(std::uint32_t k) {
    const Equation& e = model_.equations[k];
    std::vector<NodeId> slopes;
    for (const auto& [speed, slope] : ad::differentiate(model_.graph, e.residual, e.level, model_.motion()).jacobian) {
      columns_.try_emplace(speed, columns_.size());
      rows_[k].emplace_back(columns_.at(speed), 0.0);
      slopes.push_back(slope);
    }
    const std::vector<double> values =
        graph::evaluate(model_.graph, slopes, [this](const Node& n) { return drawn(n); });
    double square = 0;
    for (const double x : values) square += x * x;
    if (!(square > 0) || !std::isfinite(square)) {
      rows_.erase(k);
      return;
    }
    for (std::size_t j = 0; j < values.size(); ++j) rows_[k][j].second = values[j] / std::sqrt(square);
  }

  Circuits circuits() const {
    Circuits out(model_.equations.size());
    for (const auto& [k, entries] : rows_) {
      std::vector<double> row(columns_.size(), 0.0);
      for (const auto& [column, value] : entries) row[column] = value;
      out.add(k, std::move(row));
    }
    return out;
  }

 private:
  [[nodiscard]] double drawn(const Node& n) {
    if (n.leaf == LeafKind::param) return params_[n.a];
    if (n.leaf == LeafKind::input) return switches_.contains(n.a) ? 1.0 : 0.0;
    if (n.leaf != LeafKind::coordinate && n.leaf != LeafKind::speed) return 0.0;
    const auto [known, fresh] = values_.try_emplace({n.leaf, n.a}, 0.0);
    if (fresh)
      known->second = constant_values(
          model_, {n.leaf == LeafKind::speed ? model_.speed(n.a).initial : model_.coordinate(n.a).initial}, params_)[0];
    return known->second;
  }

  Model& model_;
  std::vector<double> params_;
  std::set<std::uint32_t> switches_;  // leaves
  std::map<std::pair<LeafKind, std::uint32_t>, double> values_;
  std::map<std::uint32_t, std::size_t> columns_;  // by speed
  std::map<std::uint32_t, std::vector<std::pair<std::size_t, double>>> rows_;
};

}  // namespace

void keep_rows_that_contacts_share(Model& model, const std::set<std::uint32_t>& acting,
                                   const std::set<std::uint32_t>& switched, std::vector<JointCandidate>& candidates) {
  std::set<std::uint32_t> act;
  std::ranges::set_intersection(acting, switched, std::inserter(act, act.end()));
  for (const Friction& f : model.frictions) {
    const Constraint& c = model.constraints[f.constraint];
    for (std::uint32_t k = 0; k < c.row_count; ++k) act.insert(c.first_row + k);
    act.insert(f.contact.limit_rows.begin(), f.contact.limit_rows.end());
  }
  if (act.empty()) return;
  DrawnRows rows(model);
  for (std::uint32_t k = 0; k < model.equations.size(); ++k)
    if (const Equation& e = model.equations[k]; !e.of_body && e.level != Level::acceleration) rows.add(k);
  Circuits circuits = rows.circuits();
  std::set<std::uint32_t> sharing;
  for (const std::uint32_t k : act)
    if (const auto group = circuits.group(k)) sharing.insert(*group);
  for (JointCandidate& c : candidates)
    if (c.why_rows.empty() && std::ranges::any_of(c.rows, [&](std::uint32_t row) {
          const auto group = circuits.group(row);
          return group && sharing.contains(*group);
        }))
      c.why_rows = "it shares its load with contacts or frictions whose forces are not unique";
}

}  // namespace mbc::sema
