// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/expressions/types.h"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/numbers.h"
#include "base/text.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/expressions/names.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

namespace {

std::string described_type(const std::string& type) {
  static const std::map<std::string, std::string> words{{"number", "a number"},
                                                        {"real", "a number"},
                                                        {"int", "a whole number"},
                                                        {"vector", "a vector"},
                                                        {"matrix", "a matrix"},
                                                        {"point", "a point, particle, body or frame"},
                                                        {"frame", "a frame, a body or `ground`"},
                                                        {"particle", "a particle"},
                                                        {"body", "a body"},
                                                        {"entity", "a particle, body, point or frame"},
                                                        {"text", "a text"}};
  return words.at(type);
}

bool is_placed(Shape s) { return s == Shape::body || s == Shape::frame || s == Shape::ground; }

}  // namespace

const std::vector<std::string>& Types::names() {
  static const std::vector<std::string> types{"number", "real",     "int",  "vector", "matrix", "point",
                                              "frame",  "particle", "body", "entity", "text"};
  return types;
}

void Types::check_parameters(const std::vector<ast::Parameter>& parameters) {
  std::map<std::string, Span> seen;
  for (const ast::Parameter& p : parameters) {
    if (Names::reserved(p.name))
      sink_.report(Kind::builtin_redefined, p.span, printable(p.name))
          .hint("take another name, such as `" + printable(p.name) + "1`");
    if (const auto [first, fresh] = seen.try_emplace(p.name, p.span); !fresh)
      sink_.report(Kind::duplicate_name, p.span, printable(p.name)).label(first->second, "first declared here");
    const auto& types = names();
    if (p.type.empty() || std::find(types.begin(), types.end(), p.type) != types.end()) continue;
    sink_.report(Kind::unknown_type, p.type_span, printable(p.type))
        .hint(did_you_mean(p.type, types,
                           "the types are number, int, vector, matrix, point, frame, particle, body, entity, text"));
  }
}

bool Types::fits(const Value& v, const std::string& type) const {
  const Shape s = v.type.shape;
  if (type == "number" || type == "real") return s == Shape::scalar;
  if (type == "vector") return s == Shape::vector || (s == Shape::scalar && model_.space == 1);
  if (type == "matrix") return s == Shape::matrix;
  if (type == "text") return s == Shape::text;
  if (type == "particle") return s == Shape::particle;
  if (type == "body") return s == Shape::body;
  if (type == "point") return s == Shape::particle || s == Shape::point || s == Shape::frame;
  if (type == "frame") return s == Shape::frame;
  return type == "entity" && (is_placed(s) || s == Shape::particle || s == Shape::point);
}

Value Types::converted(const Value& v, const std::string& type, const std::string& what, Span declared) {
  if (v.invalid() || type.empty()) return v;
  const auto& types = names();
  if (std::find(types.begin(), types.end(), type) == types.end()) return invalid(v.span);  // reported already
  if (type == "int" && v.scalar()) return whole_number(v, what);
  if ((type == "point" || type == "frame") && is_placed(v.type.shape) && v.type.shape != Shape::frame) {
    Value made = frame_on(v, {}, {}, "", v.span);
    made.declared = v.declared;
    return made;
  }
  if (!fits(v, type)) return unfit(v, type, what, declared);
  if (type == "vector") return expect_vector(v, what) ? v : invalid(v.span);
  return v;
}

Value Types::whole_number(const Value& v, const std::string& what) {
  const std::optional<double> n = number(v);
  if (n && *n == std::floor(*n)) return expect_dimension(v, {}, what) ? v : invalid(v.span);
  if (n)
    sink_.report(Kind::wrong_shape, v.span, what, described_type("int"), text::short_number(*n, 12));
  else
    not_known(v, what);
  return invalid(v.span);
}

Value Types::unfit(const Value& v, const std::string& type, const std::string& what, Span declared) {
  const Shape s = v.type.shape;
  Diagnostic& d = sink_.report(Kind::wrong_shape, v.span, what, described_type(type), describe_shape(v));
  const bool value_wanted = type == "number" || type == "real" || type == "vector";
  if (value_wanted || s == Shape::instance || s == Shape::array) hint_parts(d, v);
  if (type == "frame" && s == Shape::vector)
    d.hint("a vector is a place without axes; give a body, a frame, or `ground.at(...)`");
  if (declared.known()) d.label(declared, "the type is given here");
  if (type == "frame" && s == Shape::particle)
    d.hint("a particle has no axes; joints connect bodies, frames and `ground`");
  if (type == "frame" && s == Shape::point) d.hint("a point has no axes; write `frame f on b at ...` or `b.at(...)`");
  return invalid(v.span);
}

Value Types::frame_on(const Value& carrier, const std::vector<NodeId>& offset, const std::vector<NodeId>& turned_by,
                      const std::string& name, Span span) {
  Frame f = axes_of(carrier, name);
  f.span = span;
  if (!offset.empty()) move(f, offset);
  if (!turned_by.empty()) turn(f, turned_by);
  Value v = invalid(span);
  v.type.shape = Shape::frame;
  v.index = static_cast<std::uint32_t>(model_.frames.size());
  model_.frames.push_back(std::move(f));
  return v;
}

Frame Types::axes_of(const Value& carrier, const std::string& name) {
  graph::Graph& g = model_.graph;
  const std::size_t n = model_.space;
  Frame f;
  f.named = !name.empty();
  const auto take_place = [&](const std::string& own_name, const auto& from) {
    f.name = name.empty() ? own_name : name;
    f.position = from.position;
    f.velocity = from.velocity;
    f.acceleration = from.acceleration;
  };
  const auto take = [&](const auto& from) {
    take_place(from.name, from);
    f.rotation = from.rotation;
    f.omega = from.omega;
    f.alpha = from.alpha;
  };
  if (carrier.type.shape == Shape::body) {
    take(model_.bodies[carrier.index]);
    f.body = carrier.index;
    return f;
  }
  f.ground = carrier.type.shape == Shape::ground;
  if (carrier.type.shape == Shape::frame) {
    take(model_.frames[carrier.index]);
    f.body = model_.frames[carrier.index].body;
    f.ground = model_.frames[carrier.index].ground;
    return f;
  }
  // the ground does not turn, nor does a particle with a shape on it
  f.rotation.assign(n * n, g.zero());
  for (std::size_t k = 0; k < n; ++k) f.rotation[k * n + k] = g.one();
  f.omega.assign(n == 3 ? 3 : 1, g.zero());
  f.alpha = f.omega;
  if (f.ground) {
    f.name = name.empty() ? "ground" : name;
    f.position.assign(n, g.zero());
    f.velocity = f.acceleration = f.position;
  } else {
    take_place(model_.particles[carrier.index].name, model_.particles[carrier.index]);
  }
  return f;
}

void Types::move(Frame& f, const std::vector<NodeId>& offset) {
  graph::Graph& g = model_.graph;
  const std::size_t n = model_.space;
  for (std::size_t i = 0; i < n; ++i)
    f.position[i] = g.add(f.position[i], g.dot({f.rotation.data() + i * n, n}, offset));
  for (std::size_t i = 0; i < n; ++i) {
    f.velocity[i] = ad::time_derivative(g, f.position[i], model_.motion());
    f.acceleration[i] = ad::time_derivative(g, f.velocity[i], model_.motion());
  }
}

void Types::turn(Frame& f, const std::vector<NodeId>& by) {
  graph::Graph& g = model_.graph;
  f.rotation = matrix_product(g, f.rotation, by, model_.space);
  if (model_.space != 3) return;
  f.omega = matrix_product(g, f.omega, by, 3);  // into the new axes: Q^T omega
  f.alpha = matrix_product(g, f.alpha, by, 3);
}

std::string check_constant_rotation(Model& model, const std::vector<NodeId>& R, const std::string& what, Span span) {
  std::string why = not_a_rotation_because(constant_values(model, R, parameter_values(model)));
  if (why.empty() && !graph::leaves(model.graph, R).empty()) model.constant_rotations.push_back({R, what, span});
  return why;
}

std::string not_a_rotation_because(const std::vector<double>& v) {
  const std::size_t n = v.size() == 4 ? 2 : 3;
  constexpr double kRotationTolerance = 1e-9;
  for (const double x : v)
    if (!std::isfinite(x)) return "one of its entries is " + text::short_number(x);
  double worst = 0;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) {
      double dot = 0;
      for (std::size_t k = 0; k < n; ++k) dot += v[k * n + i] * v[k * n + j];
      worst = std::max(worst, std::fabs(dot - (i == j ? 1.0 : 0.0)));
    }
  const double det = n == 2 ? v[0] * v[3] - v[1] * v[2]
                            : v[0] * (v[4] * v[8] - v[5] * v[7]) - v[1] * (v[3] * v[8] - v[5] * v[6]) +
                                  v[2] * (v[3] * v[7] - v[4] * v[6]);
  if (worst > kRotationTolerance)
    return "its columns are not unit vectors normal to each other (off by " + text::short_number(worst, 3) + ")";
  return det > 0 ? "" : "it is a reflection, its determinant is -1";
}

}  // namespace mbc::sema
