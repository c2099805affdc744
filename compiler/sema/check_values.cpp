// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/check_values.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
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
  if (J.size() == 1) return J[0] > 0 ? "" : "it must be positive";
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
    if (!(m > 0) || !std::isfinite(m))
      sink.report(Kind::mass_not_positive, b.mass_span, printable(b.name), text::short_number(m));
    const std::string why = why_not_an_inertia(constant_values(model, b.inertia, params));
    if (why.empty()) continue;
    Diagnostic& d = sink.report(Kind::inertia_not_physical, b.inertia_span, printable(b.name), why);
    if (b.inertia_moved) d.note("moved from the point given by `about` to the mass centre");
  }
}

// Checks a rotation at the initial coordinates, at two times. It is skipped if a coordinate is soft, an entry is not
// finite there, or it depends on anything else.
void check_moving(const Model& model, const ConstantRotation& r, const std::vector<double>& params, Sink& sink) {
  bool known = true;
  double t = 0;
  const auto value = [&](const Node& n) {
    if (n.leaf == LeafKind::time) return t;
    if (n.leaf == LeafKind::param) return params[n.a];
    known = known && n.leaf == LeafKind::coordinate && !model.coordinates[n.a].start.soft;
    return known ? value_of(model, model.coordinates[n.a].initial, params) : 0.0;
  };
  for (const double at : {0.0, 0.61803398874989485}) {
    t = at;
    const std::vector<double> entries = graph::evaluate(model.graph, r.matrix, value);
    if (!known || !std::all_of(entries.begin(), entries.end(), [](double x) { return std::isfinite(x); })) return;
    const std::string why = not_a_rotation_because(entries);
    if (why.empty()) continue;
    sink.report(Kind::not_a_rotation, r.span, r.what, why + (at > 0 ? " at t = 0.618" : ""))
        .hint(model.space == 2 ? "write `rot(angle)`" : "make it of `rotx`, `roty`, `rotz` and products of them");
    return;
  }
}

void check_orientations(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (const ConstantRotation& r : model.constant_rotations)
    if (const std::string why = not_a_rotation_because(constant_values(model, r.matrix, params)); !why.empty())
      sink.report(Kind::not_a_rotation, r.span, r.what, why);
  for (const ConstantRotation& r : model.moving_rotations) check_moving(model, r, params, sink);
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

void check_masses(const Model& model, const std::vector<double>& params, Sink& sink) {
  for (std::size_t i = 0; i < params.size(); ++i)
    if (!std::isfinite(params[i])) {
      const Span origin = model.graph.origin(model.params[i].value);
      sink.report(Kind::value_not_finite, origin.known() ? origin : model.params[i].span,
                  "the parameter " + quoted(model.params[i].name), text::short_number(params[i]));
    }
  if (sink.has_errors()) return;
  for (const Particle& p : model.particles) {
    const double m = value_of(model, p.mass, params);
    if (!(m > 0) || !std::isfinite(m))
      sink.report(Kind::mass_not_positive, p.mass_span, printable(p.name), text::short_number(m));
  }
  check_inertias(model, params, sink);
  check_shapes(model, params, sink);
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
