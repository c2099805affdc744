// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/statements/bodies.h"

#include "base/check.h"
#include "base/text.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

void Bodies::body(const ast::Entity& e, const ast::Stmt& s) {
  if (model_.space == 1) return refuse("`body` in `space 1`", s.span);
  Body b;
  b.name = item_.name();
  b.span = e.name.span;
  b.doc = s.doc;
  const ast::Expr* follows = modifier(e.modifiers, ast::ModifierKind::follows);
  const bool good = arguments(e, follows == nullptr, b);
  refuse_modifiers(e.modifiers,
                   follows
                       ? std::initializer_list<ast::ModifierKind>{ast::ModifierKind::follows}
                       : std::initializer_list<ast::ModifierKind>{ast::ModifierKind::at, ast::ModifierKind::moving,
                                                                  ast::ModifierKind::rotated,
                                                                  ast::ModifierKind::spinning, ast::ModifierKind::on},
                   follows ? "a body that follows a frame" : "a body");
  graph::SpanScope span_scope(model_.graph, e.name.span);
  if (follows ? !frames_.follow(*follows, b) : !free_body(e, b)) return;
  if (!good) return;
  mass_centre(b);
  representation_rows(b);
  model_.bodies.push_back(std::move(b));
  set_entity(e.name, Shape::body, model_.bodies.size() - 1);
}

// `at` and `moving` are in space axes, `rotated` takes body to space axes, `spinning` is in body axes.
bool Bodies::free_body(const ast::Entity& e, Body& b) {
  Start start;
  if (!read_start(e, b, start)) return false;
  const bool stands = b.representation == Representation::tree;
  const std::uint32_t u0 = model_.next_speed(stands);
  add_place(b, start);
  b.start_moves = start.moving || start.spinning;
  if (model_.space == 2) {
    turn_in_plane(b, start);
    return true;
  }
  b.start_rotation = start.rotation;
  b.start_omega = start.spin;
  switch (b.representation) {
    case Representation::quaternion:
      quaternion_body(b, physical(model_, Dimension{} / time_dimension()));
      break;
    case Representation::euler_parameters:
      euler_parameter_body(b);
      break;
    case Representation::natural:
      natural_body(b);
      break;
    case Representation::tree:
      standing_body(b, physical(model_, Dimension{} / time_dimension()));
      break;
    case Representation::automatic:
      fail_check(__FILE__, __LINE__, "representation", "a body that is read has one of the others");
  }
  for (std::uint32_t u = u0 + 3; u < model_.next_speed(stands); ++u)
    model_.speed(u).start = {.written = start.spinning, .declared = start.spinning};
  return true;
}

bool Bodies::read_start(const ast::Entity& e, Body& b, Start& start) {
  graph::Graph& g = model_.graph;
  const std::uint32_t n = model_.space;
  const std::string whose = "of " + quoted(b.name);
  const ast::Expr* at = modifier(e.modifiers, ast::ModifierKind::at);
  const ast::Expr* moving = modifier(e.modifiers, ast::ModifierKind::moving);
  const ast::Expr* rotated = modifier(e.modifiers, ast::ModifierKind::rotated);
  const ast::Expr* spinning = modifier(e.modifiers, ast::ModifierKind::spinning);
  const ast::Expr* on = modifier(e.modifiers, ast::ModifierKind::on);
  if (!at && !on)
    return mbc::refuse(sink_, Kind::position_missing, e.name.span, printable(b.name)).hint("write `at (0, 0, 0)`");
  const auto read = [](std::optional<std::vector<NodeId>> given, std::vector<NodeId>& out) {
    if (given) out = std::move(*given);
    return given.has_value();
  };
  start.velocity.assign(n, g.zero());
  start.spin.assign(n == 3 ? 3 : 1, g.zero());
  start.moving = moving != nullptr;
  start.spinning = spinning != nullptr;
  start.place.assign(n, g.zero());
  if (at && !read(constant_vector(*at, length_dimension(), "the position " + whose, kLedAlong), start.place))
    return false;
  if (moving && !read(constant_vector(*moving, velocity_dimension(), "the velocity " + whose), start.velocity))
    return false;
  if (spinning && !read_spin(*spinning, "the angular velocity " + whose, start)) return false;
  start.rotation.assign(std::size_t{n} * n, g.zero());
  for (std::uint32_t k = 0; k < n; ++k) start.rotation[k * n + k] = g.one();
  if (rotated && !read_rotation(*rotated, b, start)) return false;
  return !on || draw_on(*on, start);
}

// The body is drawn in the axes of another one, or of a frame that is fixed in it, and moves along as drawn unless it
// has a motion of its own.
bool Bodies::draw_on(const ast::Expr& on, Start& start) {
  const Value carrier = part(on);
  if (carrier.invalid()) return false;
  const Shape s = carrier.type.shape;
  if (s != Shape::body && s != Shape::frame && s != Shape::ground)
    return mbc::refuse(sink_, Kind::wrong_shape, carrier.span, "what a body is on", "a body, a frame or `ground`",
                       describe_shape(s));
  const Frame f = model_.frames[evaluator_.types().frame_on(carrier, start.place, start.rotation, "", on.span).index];
  if (!f.ground && (!f.body || !model_.bodies[*f.body].first_coordinate))
    return mbc::refuse(sink_, Kind::wrong_shape, carrier.span, "what a body is on",
                       "a body with coordinates of its own, a frame in it, or `ground`", "what follows expressions");
  start.place = f.ground ? f.position : seen_from(f, f.position);
  start.rotation = f.ground ? f.rotation : seen_from(f, f.rotation);
  if (!f.ground) move_along(model_.bodies[*f.body], start);
  return true;
}

// Returns entries of a place or a rotation in the axes of the body that a frame is fixed in.
std::vector<NodeId> Bodies::seen_from(const Frame& f, const std::vector<NodeId>& nodes) {
  graph::Graph& g = model_.graph;
  const Body& b = model_.bodies[*f.body];
  const std::uint32_t q0 = *b.first_coordinate, n = model_.space;
  const bool columns = b.representation == Representation::natural || b.representation == Representation::tree;
  return graph::copy_into(g, nodes, g, [&](const Node& leaf) {
    if (leaf.leaf != LeafKind::coordinate || leaf.a < q0) return g.leaf(leaf.leaf, leaf.a);
    const std::uint32_t k = leaf.a - q0;
    if (k < n || n == 2) return g.zero();
    return (columns ? (k - n) / 3 == (k - n) % 3 : k == n) ? g.one() : g.zero();
  });
}

// Takes a pose in the axes of a body, and its motion, to space as the body is drawn.
void Bodies::move_along(const Body& b, Start& start) {
  graph::Graph& g = model_.graph;
  const std::uint32_t n = model_.space, q0 = *b.first_coordinate, u0 = *b.first_speed;
  std::vector<NodeId> R = b.start_rotation, spin = b.start_omega;
  if (n == 2) {
    const NodeId angle = model_.coordinate(q0 + 2).initial, c = g.unary(Op::cos, angle), s = g.unary(Op::sin, angle);
    R = {c, g.neg(s), s, c};
    spin = {model_.speed(u0 + 2).initial};
  }
  const std::vector<NodeId> arm = matrix_product(g, R, start.place, n);
  start.rotation = matrix_product(g, R, start.rotation, n);
  for (std::uint32_t k = 0; k < n; ++k) start.place[k] = g.add(model_.coordinate(q0 + k).initial, arm[k]);
  if (!b.start_moves || start.moving || start.spinning) return;
  const std::vector<NodeId> omega = n == 2 ? spin : matrix_product(g, R, spin, n);
  const std::vector<NodeId> v =
      n == 2 ? std::vector<NodeId>{g.neg(g.mul(omega[0], arm[1])), g.mul(omega[0], arm[0])} : cross(g, omega, arm);
  for (std::uint32_t k = 0; k < n; ++k) start.velocity[k] = g.add(model_.speed(u0 + k).initial, v[k]);
  start.spin = n == 2 ? omega : matrix_product(g, omega, start.rotation, n);  // R^T omega
  start.moving = start.spinning = true;
}

bool Bodies::read_spin(const ast::Expr& spinning, const std::string& what, Start& start) {
  const Dimension rate = Dimension{} / time_dimension();
  if (model_.space == 3) {
    std::optional<std::vector<NodeId>> spin = constant_vector(spinning, rate, what);
    if (spin) start.spin = std::move(*spin);
    return spin.has_value();
  }
  const std::optional<NodeId> spin = constant_scalar(spinning, rate, what);
  if (spin) start.spin = {*spin};
  return spin.has_value();
}

bool Bodies::read_rotation(const ast::Expr& rotated, Body& b, Start& start) {
  const Value v = value(rotated);
  const std::string what = "the rotation of " + quoted(b.name);
  start.rotation = v.nodes;
  b.rotation_span = v.span;
  return evaluator_.expect_rotation(v, what);
}

// Adds the coordinates and speeds of the place.
void Bodies::add_place(Body& b, const Start& start) {
  graph::Graph& g = model_.graph;
  const bool stands = b.representation == Representation::tree;
  const std::uint32_t q0 = model_.next_coordinate(stands), u0 = model_.next_speed(stands);
  b.first_coordinate = q0;
  b.first_speed = u0;
  const Dimension x = physical(model_, length_dimension()), v = physical(model_, velocity_dimension());
  for (std::uint32_t k = 0; k < model_.space; ++k) {
    const std::string axis(1, kAxes[k]);
    model_.add_coordinate({b.name + "." + axis, x, start.place[k], {}, b.span, true},
                          {b.name + ".v" + axis,
                           b.name + ".a" + axis,
                           v,
                           start.velocity[k],
                           {},
                           b.span,
                           {.written = start.moving, .declared = start.moving}},
                          stands);
    b.position.push_back(g.leaf(LeafKind::coordinate, q0 + k));
    b.velocity.push_back(g.leaf(LeafKind::speed, u0 + k));
    b.acceleration.push_back(g.leaf(LeafKind::accel, u0 + k));
  }
}

// Adds an angle behind the place, in `space 2`.
void Bodies::turn_in_plane(Body& b, const Start& start) {
  graph::Graph& g = model_.graph;
  const std::uint32_t q = *b.first_coordinate + 2, u = *b.first_speed + 2;
  const std::vector<NodeId>& R = start.rotation;
  const Dimension rate = physical(model_, Dimension{} / time_dimension());
  const NodeId angle = g.leaf(LeafKind::coordinate, q);
  model_.add_coordinate({b.name + ".angle", {}, g.binary(Op::atan2, R[2], R[0]), {}, b.span, true},
                        {b.name + ".omega",
                         b.name + ".alpha",
                         rate,
                         start.spin[0],
                         {},
                         b.span,
                         {.written = start.spinning, .declared = start.spinning}},
                        b.representation == Representation::tree);
  const NodeId c = g.unary(Op::cos, angle), sn = g.unary(Op::sin, angle);
  b.rotation = {c, g.neg(sn), sn, c};
  b.omega = {g.leaf(LeafKind::speed, u)};
  b.alpha = {g.leaf(LeafKind::accel, u)};
}

// Computes the mass centre of any body. For a free one its velocity is v + A (omega x c): the partial velocities of 004
// eq. 10.
void Bodies::mass_centre(Body& b) {
  b.centre = b.position;
  b.centre_velocity = b.velocity;
  if (b.com.empty()) return;
  graph::Graph& g = model_.graph;
  const auto shifted = [&](const std::vector<NodeId>& from, const std::vector<NodeId>& by) {
    std::vector<NodeId> out;
    for (std::size_t k = 0; k < from.size(); ++k) out.push_back(g.add(from[k], by[k]));
    return out;
  };
  b.centre = shifted(b.position, turned(model_.graph, b.rotation, b.com));
  const bool turning = b.first_coordinate && model_.space == 3 && b.representation != Representation::natural;
  b.centre_velocity = turning ? shifted(b.velocity, turned(model_.graph, b.rotation, cross(g, b.omega, b.com)))
                              : rates_of(model_, b.centre);
}

}  // namespace mbc::sema
