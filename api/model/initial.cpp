// SPDX-License-Identifier: Apache-2.0
// Initial states: values as written, soft values moved, and the check against the constraints.
#include "api/model/initial.h"

#include <algorithm>
#include <cmath>
#include <numbers>

#include "compiler/ad/motion.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/check_values.h"

namespace mbc::api {

namespace {

using graph::LeafKind;
using graph::NodeId;

// Returns whether a node is an angle of atan2, or its negative.
bool is_direction(const graph::Graph& g, NodeId node) {
  if (g.node(node).op == graph::Op::neg) node = {g.node(node).a};
  return g.node(node).op == graph::Op::atan2;
}

// Returns whether `init` gives speeds of a tree, and leaves others open.
bool has_rates_by_energy(const sema::Model& model) {
  const auto of_joint = [](const sema::Coordinate& q) { return q.of_joint != sema::Coordinate::OfJoint::none; };
  const auto open = [](const sema::Speed& s) { return !s.start.written; };
  const auto given = [](const sema::Speed& s) { return s.start.written && !s.start.declared; };
  return std::ranges::any_of(model.coordinates, of_joint) && std::ranges::any_of(model.speeds, open) &&
         std::ranges::any_of(model.speeds, given);
}

}  // namespace

std::optional<Diagnostic> drawn_apart(const sema::Model& model, const std::vector<double>& params) {
  Sink sink;
  sema::check_drawn_rows(model, params, sink);
  return sink.has_errors() ? std::optional(sink.sorted().front()) : std::nullopt;
}

bool has_soft_values(const sema::Model& model) {
  bool soft = !model.initial_targets.empty() || has_rates_by_energy(model);
  for (const sema::Coordinate& c : model.coordinates) soft |= c.start.soft;
  for (const sema::Speed& s : model.speeds) soft |= s.start.soft;
  return soft;
}

InitialProblem::InitialProblem(sema::Model& model) {
  if (!has_soft_values(model)) return;
  places_in_y_ = PlacesInState(model);
  n_speeds_ = model.speeds.size();
  n_targets_ = model.initial_targets.size();
  for (const sema::Coordinate& c : model.coordinates) {
    problem_.soft_coordinate.push_back(c.start.soft ? 1 : 0);
    problem_.wished_coordinate.push_back(c.start.soft && c.start.written ? 1 : 0);
    auto& speeds = problem_.speeds_in_rate.emplace_back();
    for (const graph::Node& n : graph::leaves(model.graph, c.rate))
      if (n.leaf == LeafKind::speed) speeds.push_back(n.a);
  }
  for (const sema::Speed& s : model.speeds) {
    problem_.soft_speed.push_back(s.start.soft || !s.start.written ? 1 : 0);
    problem_.wished_speed.push_back(s.start.soft ? 1 : 0);
  }
  if (has_rates_by_energy(model))
    for (const sema::Speed& s : model.speeds) problem_.by_energy.push_back(s.start.written ? 0 : 1);
  std::vector<NodeId> nodes;
  for (const sema::InitialTarget& t : model.initial_targets) {
    problem_.targets.push_back({t.name, t.span, t.level == ad::Level::position, t.start.soft, {}});
    if (t.start.soft && !t.start.written) stays_as_drawn(model, t);
    if (t.weight.valid()) weighed_.push_back(problem_.targets.size() - 1);
    if (t.weight.valid()) weights_.push_back(t.weight);
    nodes.push_back(model.graph.sub(t.target, t.value));
    turns_.push_back(is_direction(model.graph, t.target) ? 1 : 0);
  }
  for (std::size_t k = 0; k < n_targets_; ++k) {
    const sema::InitialTarget& t = model.initial_targets[k];
    const ad::Row row = ad::differentiate(model.graph, t.target, t.level, model.motion());
    for (const auto& [speed, node] : row.jacobian) {
      nodes.push_back(node);
      places_.emplace_back(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(speed));
    }
  }
  nodes.insert(nodes.end(), weights_.begin(), weights_.end());
  nodes_ = graph::copied_as_they_are(model.graph, nodes, graph_);
  weights_.assign(nodes_.end() - static_cast<std::ptrdiff_t>(weighed_.size()), nodes_.end());
  graph_.settle();
}

// The last target, which stays as it is drawn.
void InitialProblem::stays_as_drawn(const sema::Model& model, const sema::InitialTarget& t) {
  using Stays = runtime::AssemblyTarget::Stays;
  runtime::AssemblyTarget& target = problem_.targets.back();
  target.stays = t.start.declared ? Stays::root : Stays::joint;
  target.active = false;
  if (const graph::Node n = model.graph.node(t.target); n.op == graph::Op::leaf && n.leaf == LeafKind::coordinate)
    target.coordinate = n.a;
}

runtime::AssemblyProblem InitialProblem::at(const std::vector<double>& params) const {
  runtime::AssemblyProblem problem = problem_;
  if (n_targets_ == 0) return problem;
  const std::vector<double> weights =
      graph::evaluate(graph_, weights_, [&](const graph::Node& n) { return params[n.a]; });
  for (std::size_t k = 0; k < weights.size(); ++k)
    if (weights[k] > 0) problem.targets[weighed_[k]].weight = weights[k];
  problem.evaluate = [this, &params](double t, const double* y, Eigen::VectorXd& residual,
                                     Eigen::MatrixXd& derivative) {
    const LeafSpans known{t, {y, places_in_y_.states}, params};
    const std::vector<double> values = graph::evaluate(
        graph_, nodes_, [&](const graph::Node& n) { return leaf_value(n.leaf, n.a, known, places_in_y_); });
    const auto count = static_cast<Eigen::Index>(n_targets_);
    residual = Eigen::Map<const Eigen::VectorXd>(values.data(), count);
    for (std::size_t k = 0; k < n_targets_; ++k)  // the direction of 200 degrees is the same as that of -160
      if (turns_[k] != 0) residual[static_cast<Eigen::Index>(k)] = std::remainder(values[k], 2 * std::numbers::pi);
    derivative.setZero(count, static_cast<Eigen::Index>(n_speeds_));
    for (std::size_t k = 0; k < places_.size(); ++k)
      derivative(places_[k].first, places_[k].second) = values[n_targets_ + k];
  };
  return problem;
}

std::vector<InitialMove> moves_between(const sema::Model& model, const std::vector<double>& before,
                                       const std::vector<double>& after) {
  std::vector<InitialMove> moves;
  const std::size_t n_q = model.coordinates.size();
  const auto look = [&](std::size_t i, const auto& quantity, LeafKind kind, std::size_t index) {
    if (std::fabs(after[i] - before[i]) <= 1e-12 * std::max(1.0, std::fabs(before[i]))) return;
    const auto own = model.start_units.find({kind, static_cast<std::uint32_t>(index)});
    const bool is_own = own != model.start_units.end();
    const double factor = is_own ? sema::find_unit(own->second)->factor : 1;
    std::string unit = is_own ? own->second : model.has_units ? sema::to_text(quantity.dimension) : "";
    if (unit == "1") unit.clear();
    moves.push_back({quantity.name, unit, before[i] / factor, after[i] / factor});
  };
  for (std::size_t i = 0; i < n_q; ++i) look(i, model.coordinates[i], LeafKind::coordinate, i);
  for (std::size_t j = 0; j < model.speeds.size(); ++j) look(n_q + j, model.speeds[j], LeafKind::speed, j);
  return moves;
}

bool take(const InitialState& start, std::vector<double>& y, RunResult& result) {
  // The run reports an undefined value, because it finds its cause.
  if (!start.consistent && start.diagnostic->kind != "undefined_value") {
    result.status = Status::inconsistent;
    result.diagnostic = start.diagnostic;
    result.rendered = start.rendered;
    result.state = y;
    return false;
  }
  y = start.state;
  result.assembled = start.moved;
  return true;
}

}  // namespace mbc::api
