// SPDX-License-Identifier: Apache-2.0
// The arguments of a body: mass, inertia with its point and axes, place of the mass centre, representation.
#include <array>
#include <cmath>

#include "base/text.h"
#include "compiler/sema/rotations.h"
#include "compiler/sema/statements/bodies.h"

namespace mbc::sema {

namespace {

constexpr double kSymmetric = 1e-12;  // rounding of a turned tensor, relative to its largest entry

// Returns whether a matrix is symmetric up to rounding, as R*J*transpose(R) is. The halves may be different
// expressions, so that they are compared by value, also at other values of the parameters, which could agree by chance.
bool symmetric(const Model& model, const std::vector<NodeId>& n) {
  if (n[1] == n[3] && n[2] == n[6] && n[5] == n[7]) return true;
  std::vector<double> params = parameter_values(model);
  for (const bool moved : {false, true}) {
    for (std::size_t k = 0; moved && k < params.size(); ++k) {
      params[k] *= 1 + 0.3 / static_cast<double>(k + 1);
      params[k] += 0.1 / static_cast<double>(k + 1);
    }
    const std::vector<double> v = constant_values(model, n, params);
    double size = 0;
    for (const double x : v) size = std::max(size, std::fabs(x));
    for (const auto& [i, j] : {std::pair<std::size_t, std::size_t>{1, 3}, {2, 6}, {5, 7}}) {
      const double off = std::fabs(v[i] - v[j]);
      if (off > kSymmetric * size || (!moved && std::isnan(off))) return false;  // at other values it may be undefined
    }
  }
  return true;
}

constexpr std::array<const char*, 6> kArguments{"mass", "inertia", "com", "about", "axes", "coordinates"};

std::size_t argument_index(const std::string& name) {
  std::size_t k = 0;
  while (k < kArguments.size() && name != kArguments[k]) ++k;
  return k;
}

}  // namespace

bool Bodies::arguments(const ast::Entity& e, bool free, Body& b) {
  std::array<const ast::Argument*, kArguments.size()> given{};
  for (const ast::Argument& a : e.args) {
    const std::size_t k = argument_index(a.name);
    if (k < kArguments.size()) {
      if (given[k]) sink_.report(Kind::duplicate_argument, a.name_span, "body", printable(a.name));
      if (!given[k]) given[k] = &a;
      continue;
    }
    const std::string shown = a.name.empty() ? printable(sources_.text(a.value->span), 40) : printable(a.name);
    return mbc::refuse(sink_, Kind::unknown_argument, a.name.empty() ? a.value->span : a.name_span, "body", shown)
        .hint(a.name.empty() ? "the arguments of a body have names: `mass = ...`, `inertia = ...`"
                             : "a body has `mass` and `inertia`, and may have `com`, `about`, `axes`, `coordinates`");
  }
  const auto [mass, inertia, com, about, axes, coordinates] = given;
  if (!mass || !inertia)
    return mbc::refuse(sink_, Kind::body_argument, e.name.span, printable(item_.name()), mass ? "inertia" : "mass");
  const bool chosen = !coordinates || representation(*coordinates, free, b);
  if (!coordinates || (chosen && model_.bodies_alike))
    b.representation = free && (model_.space == 3 || model_.bodies_default == Representation::tree)
                           ? model_.bodies_default
                           : Representation::quaternion;
  if (b.representation == Representation::tree && shared_.own_rotations.contains(item_.name()))
    b.representation = Representation::quaternion;
  return this->mass(*mass->value, *inertia->value, b) && this->axes(axes, b) && centre(com, about, b) && chosen;
}

// coordinates = WORD
bool Bodies::representation(const ast::Argument& a, bool free, Body& b) {
  if (!free || model_.space != 3)
    return mbc::refuse(sink_, Kind::body_argument_unfit, a.name_span, "coordinates",
                       free ? "a body in `space 2` has x, y and an angle"
                            : "a body that follows a frame has no coordinates of its own");
  const auto* word = std::get_if<ast::Name>(&a.value->node);
  const std::optional<Representation> r = word ? settings::representation_named(word->text) : std::nullopt;
  if (r && *r != Representation::automatic) {
    b.representation = *r;
    return true;
  }
  const std::string shown = printable(sources_.text(a.value->span), 40);
  std::vector<std::string> known;
  for (const settings::ChoiceInfo& choice : settings::choices(settings::Key::bodies))
    if (choice.name != settings::to_text(Representation::automatic)) known.emplace_back(choice.name);
  return mbc::refuse(sink_, Kind::unknown_choice, a.value->span, shown, "`coordinates`")
      .hint(did_you_mean(shown, known, "the choices are " + joined(known)));
}

bool Bodies::mass(const ast::Expr& mass, const ast::Expr& inertia, Body& b) {
  const std::string whose = "of `" + printable(b.name) + "`";
  const Value m = value(mass), J = value(inertia);
  const std::string what = "the mass " + whose, which = "the inertia " + whose;
  if (!evaluator_.expect_scalar(m, what) || !evaluator_.expect_constant(m, what, kVaryingMass) ||
      !evaluator_.expect_dimension(m, mass_dimension(), what))
    return false;
  if (J.invalid()) return false;
  const bool fits = model_.space == 2 ? J.scalar() : J.type.shape == Shape::matrix;
  if (!fits)
    return mbc::refuse(sink_, Kind::wrong_shape, J.span, which,
                       model_.space == 2 ? "a number" : "a matrix such as `diag(1, 2, 3)`",
                       describe_shape(J.type.shape));
  const std::string more = "an inertia that varies is an energy beside the constant one: `kinetic more: t*" +
                           printable(b.name) + (model_.space == 2 ? ".omega^2/2`" : ".omega.z^2/2`");
  if (!evaluator_.expect_constant(J, which, more.c_str()) ||
      !evaluator_.expect_dimension(J, mass_dimension() * length_dimension() * length_dimension(), which))
    return false;
  b.mass = m.node();
  b.mass_span = mass.span;
  b.inertia_span = inertia.span;
  if (model_.space == 2) {
    b.inertia = J.nodes;
    return true;
  }
  const auto& n = J.nodes;
  if (!symmetric(model_, n))
    return mbc::refuse(sink_, Kind::inertia_not_physical, J.span, printable(b.name), "the tensor is not symmetric");
  b.inertia = {n[0], n[4], n[8], n[1], n[2], n[5]};
  return true;
}

// axes = R: the tensor is given in axes that R turns into those of the body, I := R I R^T
bool Bodies::axes(const ast::Argument* axes, Body& b) {
  if (!axes) return true;
  const std::string what = "the rotation `axes` of `" + printable(b.name) + "`";
  const Value R = value(*axes->value);
  if (R.invalid()) return false;
  if (model_.space == 2)
    return mbc::refuse(sink_, Kind::body_argument_unfit, axes->name_span, "axes",
                       "the inertia of a body in `space 2` is a number");
  if (R.type.shape != Shape::matrix)
    return mbc::refuse(sink_, Kind::wrong_shape, R.span, what, "a rotation such as `rotz(30 [deg])`",
                       describe_shape(R.type.shape));
  if (!evaluator_.expect_constant(R, what) || !evaluator_.expect_dimension(R, {}, what)) return false;
  if (const std::string why = check_constant_rotation(model_, R.nodes, what, R.span); !why.empty())
    return mbc::refuse(sink_, Kind::not_a_rotation, R.span, what, why);
  graph::Graph& g = model_.graph;
  const auto entry = [&](std::size_t i, std::size_t j) {  // sum_kl R_ik I_kl R_jl
    NodeId total = g.zero();
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        total = g.add(total, g.mul(g.mul(R.nodes[3 * i + k], b.inertia[kInertiaAt[k][l]]), R.nodes[3 * j + l]));
    return total;
  };
  b.inertia = {entry(0, 0), entry(1, 1), entry(2, 2), entry(0, 1), entry(0, 2), entry(1, 2)};
  return true;
}

bool Bodies::fixed_place(const ast::Argument* a, const std::string& which, const Body& b, std::vector<NodeId>& out,
                         const char* help) {
  if (!a) return true;
  std::optional<std::vector<NodeId>> place =
      constant_vector(*a->value, length_dimension(), which + " of " + quoted(b.name), help);
  if (place) out = std::move(*place);
  return place.has_value();
}

// com = c: the mass centre in body axes, from the origin. about = p: the point of the given inertia, likewise. With d =
// c - p the tensor about the mass centre is I - m (d.d E - d d^T).
bool Bodies::centre(const ast::Argument* com, const ast::Argument* about, Body& b) {
  graph::Graph& g = model_.graph;
  std::vector<NodeId> c(model_.space, g.zero()), p;
  const std::string inner = "what moves within a part is a part of its own: `particle load(1) follows " +
                            printable(b.name) + ".pos + " + printable(b.name) +
                            (model_.space == 2 ? ".rot*(x, 0)`" : ".rot*(x, 0, 0)`");
  if (!fixed_place(com, "the mass centre", b, c, inner.c_str()) ||
      !fixed_place(about, "the point of the inertia", b, p, nullptr))
    return false;
  bool moved = false;
  for (NodeId x : c) moved |= !g.is_zero(x);
  if (moved) b.com = c;
  if (!about) return true;
  b.inertia_moved = true;
  std::vector<NodeId> d;
  for (std::size_t k = 0; k < c.size(); ++k) d.push_back(g.sub(c[k], p[k]));
  const NodeId d2 = g.dot(d, d);
  if (model_.space == 2) {
    b.inertia = {g.sub(b.inertia[0], g.mul(b.mass, d2))};
    return true;
  }
  constexpr std::size_t rows[6] = {0, 1, 2, 0, 0, 1}, columns[6] = {0, 1, 2, 1, 2, 2};
  for (std::size_t k = 0; k < 6; ++k) {
    const NodeId product = g.mul(d[rows[k]], d[columns[k]]);
    const NodeId steiner = rows[k] == columns[k] ? g.sub(d2, product) : g.neg(product);
    b.inertia[k] = g.sub(b.inertia[k], g.mul(b.mass, steiner));
  }
  return true;
}

}  // namespace mbc::sema
