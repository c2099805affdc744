// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/check_values.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <span>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/graph/drawn_numbers.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/elaborate.h"

namespace mbc::sema {

namespace {

double value_of(const Model& model, NodeId node, const std::vector<double>& params) {
  return constant_values(model, {node}, params)[0];
}

// Returns the principal moments of (Jxx, Jyy, Jzz, Jxy, Jxz, Jyz), by Jacobi's cyclic rotations.
std::vector<double> principal_moments(const std::vector<double>& J) {
  double a[3][3] = {{J[0], J[3], J[4]}, {J[3], J[1], J[5]}, {J[4], J[5], J[2]}};
  for (int sweep = 0; sweep < 30; ++sweep)
    for (int i = 0; i < 2; ++i)
      for (int j = i + 1; j < 3; ++j) {
        if (a[i][j] == 0) continue;
        const double theta = 0.5 * std::atan2(2 * a[i][j], a[j][j] - a[i][i]), c = std::cos(theta), s = std::sin(theta);
        for (auto& row : a) {
          const double x = row[i], y = row[j];
          row[i] = c * x - s * y;
          row[j] = s * x + c * y;
        }
        for (int k = 0; k < 3; ++k) {
          const double x = a[i][k], y = a[j][k];
          a[i][k] = c * x - s * y;
          a[j][k] = s * x + c * y;
        }
      }
  return {a[0][0], a[1][1], a[2][2]};
}

// Returns why these are no moments of a body, or "". They satisfy the triangle inequality (equality: a flat or thin
// body).
std::string why_not_an_inertia(const std::vector<double>& J) {
  if (J.size() == 1) return J[0] >= 0 && std::isfinite(J[0]) ? "" : J[0] < 0 ? "it is negative" : "it is not finite";
  const std::vector<double> p = principal_moments(J);
  const double size = std::fabs(p[0]) + std::fabs(p[1]) + std::fabs(p[2]);
  if (!std::isfinite(size)) return "it is not finite";
  std::string moments = " (they are ", why;
  for (std::size_t k = 0; k < 3; ++k) moments += (k == 0 ? "" : k == 1 ? ", " : " and ") + text::short_number(p[k], 4);
  moments += ")";
  for (std::size_t k = 0; k < 3; ++k) {
    if (!(p[k] >= -1e-12 * size))
      why = "a principal moment is negative" + moments;
    else if (why.empty() && !(p[k] <= p[(k + 1) % 3] + p[(k + 2) % 3] + 1e-3 * size))
      why = "a principal moment is larger than the sum of the other two" + moments;
  }
  return why;
}

void check_inertias(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (const Body& b : model.bodies) {
    const double m = value_of(model, b.mass, params);
    const std::vector<double> J = constant_values(model, b.inertia, params);
    const bool massless = m == 0 && std::all_of(J.begin(), J.end(), [](double x) { return x == 0; });
    if (massless) continue;  // it passes on what joints carry; M is regular or the run does not begin
    if (!(m > 0) || !std::isfinite(m))
      sink.report(Kind::mass_not_positive, b.mass_span, printable(b.name), text::short_number(m));
    const std::string why = why_not_an_inertia(J);
    if (why.empty()) continue;
    Diagnostic& d = sink.report(Kind::inertia_not_physical, b.inertia_span, printable(b.name), why);
    if (b.inertia_moved) d.note("moved from the point given by `about` to the mass centre");
  }
}

// Checks rotations that move, at the start and elsewhere. What depends on more than coordinates, time and parameters is
// skipped.
class MovingRotations {
 public:
  MovingRotations(const Model& model, const std::vector<double>& params) : model_(model), params_(params) {}

  // Checks all at the initial coordinates, at two times. Soft values are not known yet.
  void check_at_start(Sink& sink) {
    const auto soft = [&](std::uint32_t which) { return model_.coordinates[which].start.soft; };
    constexpr State kStates[] = {{0, 0, 0}, {0.61803398874989485, 0, 0}};
    for (const ConstantRotation& r : model_.moving_rotations) check(r, kStates, soft, sink);
  }

  // Checks all at drawn coordinates. Coordinates of constraint rows are skipped: they may make a rotation together, as
  // c and s with c^2 + s^2 == 1.
  void check_elsewhere(Sink& sink) {
    std::set<std::uint32_t> bound;
    for (const Equation& e : model_.equations)
      if (e.level == Level::position)
        for (const Node& n : graph::leaves(model_.graph, e.residual))
          if (n.leaf == LeafKind::coordinate) bound.insert(n.a);
    for (const Body& b : model_.bodies)
      if (b.representation == Representation::quaternion)
        for (std::size_t k = 0; k < b.quaternion.size(); ++k)
          quaternions_[model_.graph.node(b.quaternion[k]).a] = {model_.graph.node(b.quaternion[0]).a, k};
    const auto skipped = [&](std::uint32_t which) { return bound.contains(which); };
    constexpr State kStates[] = {{0, 1, 1}, {0, 1, 2}, {0, 0.01, 3}};
    for (const ConstantRotation& r : model_.moving_rotations) check(r, kStates, skipped, sink);
  }

 private:
  struct State {
    double time, spread;  // spread: of the drawn coordinates around the start
    int number;
  };

  template <class Skipped>
  void check(const ConstantRotation& r, std::span<const State> states, const Skipped& skipped, Sink& sink) const {
    const std::vector<Node> leaves = graph::leaves(model_.graph, r.matrix);
    for (const Node& n : leaves) {
      if (n.leaf == LeafKind::time || n.leaf == LeafKind::param) continue;
      if (n.leaf != LeafKind::coordinate || skipped(n.a)) return;
    }
    for (const State& state : states)
      if (!holds(r, state, leaves, sink)) return;
  }

  [[nodiscard]] double coordinate(std::uint32_t which, const State& state) const {
    const double start = value_of(model_, model_.coordinates[which].initial, params_);
    if (state.spread == 0) return start;
    if (const auto of = quaternions_.find(which); of != quaternions_.end())
      return graph::drawn_quaternion(of->second.first, state.number).at(of->second.second);
    return start + state.spread * graph::drawn_number(which, state.number);
  }

  // Reports a matrix that is no rotation at the state. An entry that is not finite there says nothing.
  bool holds(const ConstantRotation& r, const State& state, const std::vector<Node>& leaves, Sink& sink) const {
    const auto value = [&](const Node& n) {
      if (n.leaf == LeafKind::time) return state.time;
      return n.leaf == LeafKind::param ? params_[n.a] : coordinate(n.a, state);
    };
    const std::vector<double> entries = graph::evaluate(model_.graph, r.matrix, value);
    if (!std::all_of(entries.begin(), entries.end(), [](double x) { return std::isfinite(x); })) return true;
    std::string why = not_a_rotation_because(entries);
    if (why.empty()) return true;
    if (state.time > 0) why += " at t = " + text::short_number(state.time, 3);
    std::size_t shown = 0;
    for (const Node& n : leaves) {
      if (state.spread == 0 || n.leaf != LeafKind::coordinate || shown > kMostShown) continue;
      why += shown == 0 ? " at " : ", ";
      why += shown == kMostShown ? "..."
                                 : printable(model_.coordinates[n.a].name.text()) + " = " +
                                       text::short_number(coordinate(n.a, state), 3);
      ++shown;
    }
    sink.report(Kind::not_a_rotation, r.span, r.what, why)
        .hint(model_.space == 2 ? "write `rot(angle)`" : "make it of `rotx`, `roty`, `rotz` and products of them");
    return false;
  }

  static constexpr std::size_t kMostShown = 4;
  const Model& model_;
  const std::vector<double>& params_;
  // the coordinates of the quaternions of free bodies, which are unit: the first one and the place behind it
  std::map<std::uint32_t, std::pair<std::uint32_t, std::size_t>> quaternions_;
};

void check_orientations(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (const ConstantRotation& r : model.constant_rotations)
    if (const std::string why = not_a_rotation_because(constant_values(model, r.matrix, params)); !why.empty())
      sink.report(Kind::not_a_rotation, r.span, r.what, why);
  MovingRotations(model, params).check_at_start(sink);
  for (const Body& b : model.bodies) {
    double norm2 = 0;
    for (std::size_t k = 0; k < b.quaternion.size(); ++k) {
      const NodeId initial = b.representation == Representation::quaternion
                                 ? model.coordinates[model.graph.node(b.quaternion[k]).a].initial
                                 : b.start_quaternion[k];
      norm2 += std::pow(value_of(model, initial, params), 2);
    }
    if (!b.quaternion.empty() && std::fabs(norm2 - 1) > 1e-6)
      sink.report(Kind::not_a_rotation, b.span, "the initial orientation of " + quoted(b.name),
                  "its quaternion has the length " + text::short_number(std::sqrt(norm2)));
  }
}

// Checks that all sizes are positive. The length of a capsule may be zero, and a normal only has to be a direction.
void check_shapes(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (const PlacedShape& s : model.shapes) {
    const std::vector<double> size = constant_values(model, s.size, params);
    bool fits = true;
    double squares = 0;
    for (std::size_t k = 0; k < size.size(); ++k) {
      squares += size[k] * size[k];
      fits = fits && (s.kind == "plane" || size[k] > 0 || (s.kind == "capsule" && k == 1 && size[k] == 0));
    }
    if (fits && squares > 0 && std::isfinite(squares)) continue;
    std::string numbers;
    for (const double x : size) numbers += (numbers.empty() ? "" : ", ") + text::short_number(x);
    sink.report(Kind::shape_size, s.span, printable(s.name), s.kind + "(" + numbers + ")");
  }
}

}  // namespace

void check_requirements(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (const Requirement& r : model.requirements)
    if (value_of(model, r.condition, params) != 1) sink.report(Kind::requirement_unmet, r.span, r.text);
}

void check_masses(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!std::isfinite(params[i])) {
      const Span origin = model.graph.origin(model.params[i].value);
      sink.report(Kind::value_not_finite, origin.known() ? origin : model.params[i].span,
                  "the parameter " + quoted(model.params[i].name), text::short_number(params[i]));
    }
  check_requirements(model, params, sink);
  if (sink.has_errors()) return;
  for (const Particle& p : model.particles) {
    const double m = value_of(model, p.mass, params);
    if (!(m > 0) || !std::isfinite(m))
      sink.report(Kind::mass_not_positive, p.mass_span, printable(p.name), text::short_number(m));
  }
  check_inertias(model, params, sink);
  check_shapes(model, params, sink);
}

void check_rotations(const Model& model, const std::vector<double>& params, Sink& sink) {
  if (!model.moving_rotations.empty()) MovingRotations(model, params).check_elsewhere(sink);
}

void check_initial_values(const Model& model, const std::vector<double>& params, Sink& sink) {
  const auto check = [&](const std::string& name, NodeId initial, Span span) {
    const double v = value_of(model, initial, params);
    if (std::isfinite(v)) return;
    const Span origin = model.graph.origin(initial);
    sink.report(Kind::value_not_finite, origin.known() ? origin : span, "the initial value of " + quoted(name),
                text::short_number(v));
  };
  for (const Coordinate& c : model.coordinates) check(c.name, c.initial, c.span);
  for (const Speed& c : model.speeds) check(c.name, c.initial, c.span);
  for (const State& s : model.states) check(s.name, s.initial, s.span);
  for (const Input& i : model.inputs) check(i.name, i.value, i.span);
  for (const InitialTarget& c : model.initial_targets) check(c.name, c.value, c.span);
  check_orientations(model, params, sink);
  for (NodeId g : model.gravity)
    if (const double v = value_of(model, g, params); !std::isfinite(v))
      sink.report(Kind::value_not_finite, model.graph.origin(g), "gravity", text::short_number(v));
}

void check_drawn_rows(const Model& model, const std::vector<double>& params, Sink& sink) {
  std::vector<NodeId> residuals;
  for (const DrawnRow& row : model.drawn_rows) residuals.push_back(row.residual);
  const std::vector<graph::SizedValue> values =
      graph::evaluate_with_size(model.graph, residuals, [&](const Node& n) { return params[n.a]; });
  std::vector<std::string> names;
  Span first;
  for (std::size_t k = 0; k < values.size(); ++k) {
    if (std::fabs(values[k].value) <= kDrawnApart * values[k].size) continue;
    if (names.empty()) first = model.drawn_rows[k].span;
    if (const std::string name = quoted(model.drawn_rows[k].name); names.empty() || names.back() != name)
      names.push_back(name);
  }
  if (names.empty()) return;
  std::string list = names.size() == 1 ? "the constraint " : "the constraints ";
  for (std::size_t k = 0; k < names.size(); ++k) list += (k == 0 ? "" : ", ") + names[k];
  sink.report(Kind::initial_state_off, first, list)
      .hint("draw the bodies where their joints hold, and let them begin with velocities that these allow");
}

}  // namespace mbc::sema
