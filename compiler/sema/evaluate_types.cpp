// SPDX-License-Identifier: Apache-2.0
// Types of parameters, and frames: what a joint connects. A body or the ground is a frame where one is wanted.
#include <algorithm>
#include <cmath>
#include <map>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

namespace {

const std::vector<std::string>& parameter_types() {
  static const std::vector<std::string> types{"number", "real",     "int",  "vector", "matrix", "point",
                                              "frame",  "particle", "body", "entity", "text"};
  return types;
}

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

}  // namespace

void Evaluator::check_parameters(const std::vector<ast::Parameter>& parameters) {
  std::map<std::string, Span> seen;
  for (const ast::Parameter& p : parameters) {
    if (builtin_name(p.name)) sink_.report(Kind::builtin_redefined, p.span, printable(p.name));
    if (const auto [first, fresh] = seen.try_emplace(p.name, p.span); !fresh)
      sink_.report(Kind::duplicate_name, p.span, printable(p.name)).label(first->second, "first declared here");
    const auto& types = parameter_types();
    if (p.type.empty() || std::find(types.begin(), types.end(), p.type) != types.end()) continue;
    Diagnostic& d = sink_.report(Kind::unknown_type, p.type_span, printable(p.type));
    if (const std::string near = nearest(p.type, types); !near.empty())
      d.hint("did you mean `" + near + "`?");
    else
      d.hint("the types are number, int, vector, matrix, point, frame, particle, body, entity, text");
  }
}

Value Evaluator::converted(const Value& v, const std::string& type, const std::string& what, Span declared) {
  if (v.invalid() || type.empty()) return v;
  const auto& types = parameter_types();
  if (std::find(types.begin(), types.end(), type) == types.end()) return invalid(v.span);  // said by check_parameters
  const Shape s = v.type.shape;
  const bool placed = s == Shape::body || s == Shape::frame || s == Shape::ground;
  bool fits = false;
  if (type == "number" || type == "real") fits = s == Shape::scalar;
  if (type == "vector") fits = s == Shape::vector || (s == Shape::scalar && model_.space == 1);
  if (type == "matrix") fits = s == Shape::matrix;
  if (type == "text") fits = s == Shape::text;
  if (type == "particle") fits = s == Shape::particle;
  if (type == "body") fits = s == Shape::body;
  if (type == "entity") fits = placed || s == Shape::particle || s == Shape::point;
  if (type == "int") {
    const std::optional<double> n = number(v);
    fits = n && *n == std::floor(*n);
    if (fits && !expect_dimension(v, {}, what)) return invalid(v.span);
    if (s == Shape::scalar && !fits) {
      if (n)
        sink_.report(Kind::wrong_shape, v.span, what, described_type(type), text::short_number(*n, 12));
      else
        not_known(v, what);
      return invalid(v.span);
    }
  }
  if (type == "point" || type == "frame") {
    if (s == Shape::frame || (type == "point" && (s == Shape::particle || s == Shape::point))) return v;
    if (placed) {
      Value made = frame_on(v, {}, {}, "", v.span);
      made.declared = v.declared;
      return made;
    }
  }
  if (fits && type == "vector") return expect_vector(v, what) ? v : invalid(v.span);
  if (fits) return v;
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

Value Evaluator::frame_on(const Value& carrier, const std::vector<NodeId>& offset, const std::vector<NodeId>& turn,
                          const std::string& name, Span span) {
  graph::Graph& g = model_.graph;
  const std::size_t n = model_.space;
  Frame f;
  f.name = name;
  f.named = !name.empty();
  f.span = span;
  if (carrier.type.shape == Shape::ground) {
    f.name = name.empty() ? "ground" : name;
    f.position.assign(n, g.zero());
    f.velocity = f.acceleration = f.position;
    f.rotation.assign(n * n, g.zero());
    for (std::size_t k = 0; k < n; ++k) f.rotation[k * n + k] = g.one();
    f.omega.assign(n == 3 ? 3 : 1, g.zero());
    f.alpha = f.omega;
    f.ground = true;
  } else {
    const auto take = [&](const auto& from) {
      f.name = name.empty() ? from.name : name;
      f.velocity = from.velocity;
      f.acceleration = from.acceleration;
      f.position = from.position;
      f.rotation = from.rotation;
      f.omega = from.omega;
      f.alpha = from.alpha;
    };
    if (carrier.type.shape == Shape::body) {
      take(model_.bodies[carrier.index]);
      f.body = carrier.index;
    } else {
      take(model_.frames[carrier.index]);
      f.body = model_.frames[carrier.index].body;
      f.ground = model_.frames[carrier.index].ground;
    }
  }
  if (!offset.empty()) {
    for (std::size_t i = 0; i < n; ++i)
      f.position[i] = g.add(f.position[i], g.dot({f.rotation.data() + i * n, n}, offset));
    for (std::size_t i = 0; i < n; ++i) {
      f.velocity[i] = ad::time_derivative(g, f.position[i], model_.motion());
      f.acceleration[i] = ad::time_derivative(g, f.velocity[i], model_.motion());
    }
  }
  if (!turn.empty()) {
    std::vector<NodeId> rotation(n * n);
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) {
        NodeId total = g.zero();
        for (std::size_t k = 0; k < n; ++k) total = g.add(total, g.mul(f.rotation[i * n + k], turn[k * n + j]));
        rotation[i * n + j] = total;
      }
    f.rotation = rotation;
    if (n == 3) {  // omega and alpha in the new axes: Q^T omega
      const auto turned = [&](const std::vector<NodeId>& w) {
        std::vector<NodeId> out;
        for (std::size_t j = 0; j < 3; ++j) {
          NodeId total = g.zero();
          for (std::size_t k = 0; k < 3; ++k) total = g.add(total, g.mul(turn[k * 3 + j], w[k]));
          out.push_back(total);
        }
        return out;
      };
      f.omega = turned(f.omega);
      f.alpha = turned(f.alpha);
    }
  }
  Value v = invalid(span);
  v.type.shape = Shape::frame;
  v.index = static_cast<std::uint32_t>(model_.frames.size());
  model_.frames.push_back(std::move(f));
  return v;
}

std::string check_constant_rotation(Model& model, const std::vector<NodeId>& R, const std::string& what, Span span) {
  std::string why = not_a_rotation_because(model, R, parameter_values(model));
  if (why.empty() && !graph::leaves(model.graph, R).empty()) model.constant_rotations.push_back({R, what, span});
  return why;
}

std::string not_a_rotation_because(const Model& model, const std::vector<NodeId>& R,
                                   const std::vector<double>& params) {
  const std::vector<double> v = constant_values(model, R, params);
  const std::size_t n = model.space;
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

bool Evaluator::expect_rotation(const Value& v, const std::string& what) {
  if (v.invalid()) return false;
  if (v.type.shape != Shape::matrix) {
    sink_.report(
        Kind::wrong_shape, v.span, what,
        std::string(model_.space == 3 ? "a rotation such as `rotz(30 [deg])`" : "a rotation such as `rot(30 [deg])`"),
        describe_shape(v));
    return false;
  }
  if (!expect_constant(v, what)) return false;
  const std::string why = check_constant_rotation(model_, v.nodes, what, v.span);
  if (why.empty()) return true;
  sink_.report(Kind::not_a_rotation, v.span, what, why);
  return false;
}

Value Evaluator::frame_member(const Value& object, const std::string& field, Span span, Span field_span) {
  const Frame& f = model_.frames[object.index];
  if (std::optional<Value> found = kinematic_member(f.position, f.velocity, f.acceleration, field, span)) {
    if (f.ground) found->level = Level::constant;
    return *found;
  }
  const Dimension rate = Dimension{} / physical(model_, time_dimension());
  const auto level = [&](Level l) { return f.ground ? Level::constant : l; };
  if (field == "rot") {
    Value r = scalar(f.rotation[0], {}, level(Level::position), span);
    r.type.shape = Shape::matrix;
    r.nodes = f.rotation;
    return r;
  }
  if (field == "omega") return components(f.omega, rate, level(Level::velocity), span);
  if (field == "alpha") return components(f.alpha, rate * rate, level(Level::acceleration), span);
  std::vector<std::string> known{"pos", "vel", "acc", "rot", "omega", "alpha", "at"};
  for (std::uint32_t k = 0; k < model_.space; ++k)
    for (const char* prefix : {"", "v", "a"}) known.push_back(prefix + std::string(1, "xyz"[k]));
  return unknown_field(f.ground && f.name == "ground" ? "the ground" : "the frame " + quoted(f.name), field, field_span,
                       known);
}

// arm.at(2, 0, 0), arm.at(r), arm.at(r, rotation): a frame fixed in the body, in its axes
Value Evaluator::member_call(const ast::Member& callee, const ast::Call& c, Span span, const Scope& scope) {
  const Value object = evaluate(*callee.object, scope);
  if (object.invalid()) return object;
  if (object.type.shape == Shape::instance) {
    const Symbol* inner = object.members->find_here(callee.name);
    if (inner && inner->function)
      return call_user(*inner, object.members->instance->path + callee.name, c, span, scope);
  }
  if (object.type.shape == Shape::constraint) return call_constraint(object, callee, c, span, scope);
  if (callee.name != "at") {
    const Value part = member(callee, span, scope);
    if (!part.invalid()) sink_.report(Kind::not_callable, callee.name_span, printable(callee.name));
    return invalid(span);
  }
  if (object.type.shape != Shape::body && object.type.shape != Shape::frame && object.type.shape != Shape::ground) {
    sink_.report(Kind::wrong_shape, callee.object->span, std::string("what stands before `.at`"),
                 std::string("a body, a frame or `ground`"), describe_shape(object));
    return invalid(span);
  }
  std::vector<Value> args;
  for (const ast::Argument& a : c.args) {
    if (!a.name.empty()) {
      sink_.report(Kind::unknown_argument, a.name_span, std::string("at"), printable(a.name))
          .hint("write `.at(x, y, z)` or `.at(place, rotation)`");
      return invalid(span);
    }
    args.push_back(evaluate(*a.value, scope));
    if (args.back().invalid()) return args.back();
  }
  const std::string what = "the place in `.at`";
  const std::size_t n = model_.space;
  std::vector<NodeId> turn;
  Value place = args.empty() ? invalid(span) : args[0];
  if (args.size() == n && n > 1 && place.scalar()) {
    for (const Value& a : args)
      if (!expect_scalar(a, what) || !expect_constant(a, what) || !expect_dimension(a, length_dimension(), what))
        return invalid(span);
    place.type.shape = Shape::vector;
    for (std::size_t k = 1; k < n; ++k) {
      place.nodes.push_back(args[k].node());
      if (place.type.any_dimension) place.type = args[k].type, place.type.shape = Shape::vector;
    }
  } else if (args.size() == 1 || args.size() == 2) {
    if (!expect_vector(place, what) || !expect_constant(place, what)) return invalid(span);
    if (args.size() == 2) {
      if (!expect_rotation(args[1], "the rotation in `.at`")) return invalid(span);
      turn = args[1].nodes;
    }
  } else {
    sink_.report(Kind::wrong_arity, span, std::string("at"),
                 "a place, as a vector or " + std::to_string(n) + " numbers, and at most a rotation",
                 std::to_string(args.size()));
    return invalid(span);
  }
  if (!expect_dimension(place, length_dimension(), what)) return invalid(span);
  return frame_on(object, place.nodes, turn, "", span);
}

}  // namespace mbc::sema
