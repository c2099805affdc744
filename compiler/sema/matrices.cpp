// SPDX-License-Identifier: Apache-2.0
// Matrices of the language: rotations and inertia tensors. Square, as wide as the space, row-major.
#include "compiler/sema/evaluate.h"

namespace mbc::sema {

using graph::Op;

// matrix*matrix, matrix*vector, number*matrix, matrix*number; invalid when the shapes do not fit.
Value Evaluator::matrix_product(const Value& a, const Value& b) {
  graph::Graph& g = model_.graph;
  const bool left = a.type.shape == Shape::matrix, right = b.type.shape == Shape::matrix;
  Value r = left ? a : b;
  r.type.dimension = a.type.dimension * b.type.dimension;
  r.type.any_dimension = a.type.any_dimension || b.type.any_dimension;
  r.level = std::max(a.level, b.level);
  r.span = join(a.span, b.span);
  r.declared = {};
  if (a.scalar() || b.scalar()) {
    for (NodeId& n : r.nodes) n = g.mul(a.scalar() ? a.node() : b.node(), n);
    return r;
  }
  const std::size_t n = model_.space;
  if (!left || (!right && (!b.vector() || b.nodes.size() != n))) return {};
  const std::size_t columns = right ? n : 1;
  r.nodes.clear();
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < columns; ++j) {
      NodeId total = g.zero();
      for (std::size_t k = 0; k < n; ++k) total = g.add(total, g.mul(a.nodes[i * n + k], b.nodes[k * columns + j]));
      r.nodes.push_back(total);
    }
  r.type.shape = right ? Shape::matrix : Shape::vector;
  return r;
}

// diag(a, b, c); rotx(angle) roty(angle) rotz(angle), in space 2 rot(angle); rot(axis, angle); transpose(matrix)
Value Evaluator::matrix_function(const std::string& callee, const Args& args, Span span) {
  graph::Graph& g = model_.graph;
  const std::size_t n = model_.space;
  Value r = scalar(g.zero(), {}, Level::constant, span);
  r.type.shape = Shape::matrix;
  r.nodes.assign(n * n, g.zero());
  for (const Value& a : args) r.level = std::max(r.level, a.level);
  if (callee == "diag") {
    if (!arity_is(callee, args, n, n, span)) return invalid(span);
    r.type.any_dimension = true;
    for (std::size_t k = 0; k < n; ++k) {
      if (!expect_scalar(args[k], "an argument of `diag`")) return invalid(span);
      if (!same_dimension(args[0], args[k], span, "put into one matrix")) return invalid(span);
      if (!args[k].type.any_dimension) r.type = {Shape::matrix, args[k].type.dimension, false};
      r.nodes[k * n + k] = args[k].node();
    }
    return r;
  }
  if (callee == "transpose") {
    if (!arity_is(callee, args, 1, 1, span)) return invalid(span);
    if (args[0].type.shape != Shape::matrix) {
      sink_.report(Kind::wrong_shape, args[0].span, std::string("the argument of `transpose`"), std::string("a matrix"),
                   describe_shape(args[0]));
      return invalid(span);
    }
    r.type = args[0].type;
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t j = 0; j < n; ++j) r.nodes[i * n + j] = args[0].nodes[j * n + i];
    return r;
  }
  const bool about_axis = callee == "rot" && n == 3;
  if (!arity_is(callee, args, about_axis ? 2 : 1, about_axis ? 2 : 1, span)) return invalid(span);
  const Value& angle = args.back();
  if (!expect_scalar(angle, "the angle of `" + callee + "`") ||
      !expect_dimension(angle, {}, "the angle of `" + callee + "`"))
    return invalid(span);
  const NodeId c = g.unary(Op::cos, angle.node()), s = g.unary(Op::sin, angle.node());
  if (n == 2) {
    r.nodes = {c, g.neg(s), s, c};
    return r;
  }
  if (about_axis) {  // Rodrigues: cos E + sin skew(n) + (1 - cos) n n^T
    if (!expect_vector(args[0], "the axis of `rot`") || !expect_direction(args[0], "the axis of `rot`"))
      return invalid(span);
    const Value axis = call_builtin("unit", {args[0]}, span);
    const auto& e = axis.nodes;
    const NodeId rest = g.sub(g.one(), c);
    const NodeId skew[9] = {g.zero(), g.neg(e[2]), e[1], e[2], g.zero(), g.neg(e[0]), g.neg(e[1]), e[0], g.zero()};
    for (std::size_t i = 0; i < 3; ++i)
      for (std::size_t j = 0; j < 3; ++j)
        r.nodes[3 * i + j] =
            g.add(g.add(i == j ? c : g.zero(), g.mul(s, skew[3 * i + j])), g.mul(rest, g.mul(e[i], e[j])));
    return r;
  }
  if (n != 3) {
    sink_.report(Kind::wrong_shape, span, "`" + callee + "`", std::string("used in `space 3`"),
                 std::string("a model in `space " + std::to_string(n) + "`"));
    return invalid(span);
  }
  const std::size_t axis = callee == "rotx" ? 0 : callee == "roty" ? 1 : 2, i = (axis + 1) % 3, j = (axis + 2) % 3;
  r.nodes[4 * axis] = g.one();
  r.nodes[4 * i] = c;
  r.nodes[4 * j] = c;
  r.nodes[3 * i + j] = g.neg(s);
  r.nodes[3 * j + i] = s;
  return r;
}

}  // namespace mbc::sema
