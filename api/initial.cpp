// SPDX-License-Identifier: Apache-2.0
// Initial states: values as written, soft ones moved, and the check against the constraints.
#include "api/initial.h"

#include <cmath>
#include <map>

#include "api/model_info.h"
#include "api/parts.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/ad/motion.h"
#include "compiler/graph/evaluate.h"
#include "kernel/floating_point.h"
#include "runtime/constraints/initial_state.h"

namespace mbc {

namespace api {

namespace {

using graph::LeafKind;
using graph::NodeId;

double leaf_value(const graph::Node& n, double t, const double* y, std::size_t n_q, const std::vector<double>& params) {
  switch (n.leaf) {
    case LeafKind::time:
      return t;
    case LeafKind::coordinate:
      return y[n.a];
    case LeafKind::speed:
      return y[n_q + n.a];
    case LeafKind::param:
      return params[n.a];
    default:
      return NAN;
  }
}

// Nodes of all residuals, then those of their derivatives with the places they go to.
struct TargetNodes {
  std::vector<NodeId> nodes;
  std::vector<std::pair<Eigen::Index, Eigen::Index>> places;
};

TargetNodes differentiate(sema::Model& model) {
  TargetNodes out;
  graph::Graph& g = model.graph;
  for (const sema::InitialTarget& target : model.initial_targets)
    out.nodes.push_back(g.sub(target.target, target.value));
  for (std::size_t k = 0; k < model.initial_targets.size(); ++k) {
    const sema::InitialTarget& target = model.initial_targets[k];
    const ad::Row row = ad::differentiate(g, target.target, target.level, model.motion());
    for (const auto& [speed, node] : row.jacobian) {
      out.nodes.push_back(node);
      out.places.emplace_back(static_cast<Eigen::Index>(k), static_cast<Eigen::Index>(speed));
    }
  }
  return out;
}

}  // namespace

bool has_soft_values(const sema::Model& model) {
  bool soft = !model.initial_targets.empty();
  for (const sema::Coordinate& c : model.coordinates) soft |= c.start.soft;
  for (const sema::Speed& s : model.speeds) soft |= s.start.soft;
  return soft;
}

runtime::AssemblyProblem assembly_problem(sema::Model& model, const std::vector<double>& params) {
  runtime::AssemblyProblem problem;
  if (!has_soft_values(model)) return problem;
  const std::size_t n_q = model.coordinates.size();
  for (const sema::Coordinate& c : model.coordinates) {
    problem.soft_coordinate.push_back(c.start.soft ? 1 : 0);
    auto& speeds = problem.speeds_in_rate.emplace_back();
    for (NodeId id : graph::leaves(model.graph, {&c.rate, 1}))
      if (model.graph.node(id).leaf == LeafKind::speed) speeds.push_back(model.graph.node(id).a);
  }
  for (const sema::Speed& s : model.speeds) problem.soft_speed.push_back(s.start.soft || !s.start.written ? 1 : 0);
  for (const sema::InitialTarget& t : model.initial_targets)
    problem.targets.push_back({t.name, t.span, t.level == ad::Level::position, t.start.soft});
  if (model.initial_targets.empty()) return problem;
  problem.evaluate = [&model, &params, n_q, made = differentiate(model)](
                         double t, const double* y, Eigen::VectorXd& residual, Eigen::MatrixXd& derivative) {
    const std::vector<double> values = graph::evaluate(
        model.graph, made.nodes, [&](const graph::Node& n) { return leaf_value(n, t, y, n_q, params); });
    const auto count = static_cast<Eigen::Index>(model.initial_targets.size());
    residual = Eigen::Map<const Eigen::VectorXd>(values.data(), count);
    derivative.setZero(count, static_cast<Eigen::Index>(model.speeds.size()));
    for (std::size_t k = 0; k < made.places.size(); ++k)
      derivative(made.places[k].first, made.places[k].second) = values[static_cast<std::size_t>(count) + k];
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
  // a value that is undefined is reported by the run, which looks for its cause
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

std::vector<double> assembled(Program::Parts parts) {
  const kernel::StrictFloatingPoint strict;
  runtime::ConstraintProjector projector(parts.equations, parts.info);
  const double t = parts.model.simulations.empty() ? 0 : parts.model.simulations[0].begin;
  runtime::assemble(parts.equations, parts.info, assembly_problem(parts.model, parts.params), projector, t,
                    parts.given);
  return parts.given;
}

}  // namespace api

InitialState Program::initial(double t, bool assemble) {
  const kernel::StrictFloatingPoint strict;
  Parts parts = this->parts();
  InitialState out;
  out.state = parts.given;
  runtime::ConstraintProjector projector(parts.equations, parts.info);
  const auto fail = [&](const Diagnostic& d) {
    out.consistent = false;
    out.diagnostic = api::to_info(d, parts.sources);
    out.rendered = render_text(d, parts.sources);
  };
  const runtime::AssemblyProblem problem = api::assembly_problem(parts.model, parts.params);
  const runtime::AssemblyResult soft = runtime::assemble(parts.equations, parts.info, problem, projector, t, out.state);
  out.distance = {soft.distance[0], soft.distance[1]};
  if (soft.diagnostic && !assemble) {
    fail(*soft.diagnostic);
    return out;
  }
  const runtime::InitialCheck check =
      runtime::check_initial_state(parts.equations, parts.info, projector, t, out.state, assemble);
  if (check.diagnostic) fail(*check.diagnostic);
  if (check.outcome == runtime::InitialCheck::Outcome::assembled) out.distance = {check.moved[0], check.moved[1]};
  out.moved = api::moves_between(parts.model, parts.given, out.state);
  return out;
}

}  // namespace mbc
