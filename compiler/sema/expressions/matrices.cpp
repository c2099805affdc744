// SPDX-License-Identifier: Apache-2.0
// The functions that make matrices: rotations and inertia tensors. Matrices are square, as wide as the space,
// row-major.
#include "compiler/sema/expressions/functions.h"

namespace mbc::sema {

// diag(a, b, c); rotx(angle) roty(angle) rotz(angle), in space 2 rot(angle); rot(axis, angle); transpose(matrix)
Value Functions::of_matrices(const std::string& callee, const Args& args, Span span) {
  if (callee == "diag") return diagonal(args, span);
  if (callee == "transpose") return transposed(args, span);
  return rotation(callee, args, span);
}

// Returns a matrix of zeros, with the level of the arguments.
Value Functions::matrix(const Args& args, Span span) {
  Value r = scalar(model_.graph.zero(), {}, Level::constant, span);
  r.type.shape = Shape::matrix;
  r.nodes.assign(std::size_t{model_.space} * model_.space, model_.graph.zero());
  for (const Value& a : args) r.level = std::max(r.level, a.level);
  return r;
}

Value Functions::diagonal(const Args& args, Span span) {
  const std::size_t n = model_.space;
  if (!arity_is("diag", args, n, n, span)) return invalid(span);
  Value r = matrix(args, span);
  r.type.any_dimension = true;
  for (std::size_t k = 0; k < n; ++k) {
    if (!expect_scalar(args[k], "an argument of `diag`")) return invalid(span);
    if (!same_dimension(args[0], args[k], span, "put into one matrix")) return invalid(span);
    if (!args[k].type.any_dimension) r.type = {Shape::matrix, args[k].type.dimension, false};
    r.nodes[k * n + k] = args[k].node();
  }
  return r;
}

Value Functions::transposed(const Args& args, Span span) {
  const std::size_t n = model_.space;
  if (!arity_is("transpose", args, 1, 1, span)) return invalid(span);
  if (args[0].type.shape != Shape::matrix)
    return mbc::refuse(sink_, Kind::wrong_shape, args[0].span, "the argument of `transpose`", "a matrix",
                       describe_shape(args[0]));
  Value r = matrix(args, span);
  r.type = args[0].type;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) r.nodes[i * n + j] = args[0].nodes[j * n + i];
  return r;
}

Value Functions::rotation(const std::string& callee, const Args& args, Span span) {
  graph::Graph& g = model_.graph;
  const std::size_t n = model_.space;
  const bool about_axis = callee == "rot" && n == 3;
  if (!arity_is(callee, args, about_axis ? 2 : 1, about_axis ? 2 : 1, span)) return invalid(span);
  const Value& angle = args.back();
  if (!expect_scalar(angle, "the angle of `" + callee + "`") ||
      !expect_dimension(angle, {}, "the angle of `" + callee + "`"))
    return invalid(span);
  Value r = matrix(args, span);
  const NodeId c = g.unary(Op::cos, angle.node()), s = g.unary(Op::sin, angle.node());
  if (n == 2) {
    r.nodes = {c, g.neg(s), s, c};
    return r;
  }
  if (about_axis) return rotation_about(args[0], c, s, std::move(r), span);
  if (n != 3)
    return mbc::refuse(sink_, Kind::wrong_shape, span, "`" + callee + "`", "used in `space 3`",
                       "a model in `space " + std::to_string(n) + "`");
  const std::size_t axis = callee == "rotx" ? 0 : callee == "roty" ? 1 : 2, i = (axis + 1) % 3, j = (axis + 2) % 3;
  r.nodes[4 * axis] = g.one();
  r.nodes[4 * i] = c;
  r.nodes[4 * j] = c;
  r.nodes[3 * i + j] = g.neg(s);
  r.nodes[3 * j + i] = s;
  return r;
}

// Rodrigues: cos E + sin skew(n) + (1 - cos) n n^T
Value Functions::rotation_about(const Value& direction, NodeId cosine, NodeId sine, Value made, Span span) {
  graph::Graph& g = model_.graph;
  if (!expect_vector(direction, "the axis of `rot`") || !expect_direction(direction, "the axis of `rot`"))
    return invalid(span);
  const Value axis = call("unit", {direction}, span);
  const auto& e = axis.nodes;
  const NodeId rest = g.sub(g.one(), cosine);
  const NodeId skew[9] = {g.zero(), g.neg(e[2]), e[1], e[2], g.zero(), g.neg(e[0]), g.neg(e[1]), e[0], g.zero()};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      made.nodes[3 * i + j] =
          i == j && g.is_constant(g.mul(e[i], e[i]), 1) ? g.one() :  // cos + (1 - cos) about an axis of the frame
              g.add(g.add(i == j ? cosine : g.zero(), g.mul(sine, skew[3 * i + j])), g.mul(rest, g.mul(e[i], e[j])));
  return made;
}

}  // namespace mbc::sema
