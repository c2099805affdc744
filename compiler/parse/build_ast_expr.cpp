// SPDX-License-Identifier: Apache-2.0
// Expressions: from the grammar's levels to the flat nodes of the syntax tree.
#include <charconv>
#include <utility>

#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "base/diagnostics/render.h"
#include "base/distribution.h"
#include "compiler/parse/build_ast.h"
#include "compiler/parse/value_of.h"

namespace mbc::syntax {
namespace {

using P = MbcParser;
using antlr4::ParserRuleContext;
using antlr4::tree::ParseTree;
using antlr4::tree::TerminalNode;
using ast::ExprPtr;

ParserRuleContext* rule(ParseTree* tree) { return dynamic_cast<ParserRuleContext*>(tree); }
antlr4::Token* token(ParseTree* tree) {
  auto* leaf = dynamic_cast<TerminalNode*>(tree);
  return leaf == nullptr ? nullptr : leaf->getSymbol();
}

bool is_level(std::size_t rule_index) {
  return (rule_index >= P::RuleExpression && rule_index <= P::RulePower) || rule_index == P::RulePostfix ||
         rule_index == P::RuleRange_or_value;
}

template <class T>
bool is(const ExprPtr& e) {
  return std::holds_alternative<T>(e->node);
}

bool is_literal(const ExprPtr& e) {
  return !e->parenthesised && (is<ast::Number>(e) || is<ast::String>(e) || is<ast::Measured>(e));
}

bool is_named(const ExprPtr& e) {
  return !e->parenthesised && (is<ast::Name>(e) || is<ast::Member>(e) || is<ast::Index>(e));
}

// Returns the name of the function that an expression calls, "" if it calls none.
std::string_view called(const ExprPtr& e) {
  const auto* call = std::get_if<ast::Call>(&e->node);
  const auto* callee = call == nullptr ? nullptr : std::get_if<ast::Name>(&call->callee->node);
  return callee == nullptr ? std::string_view() : callee->text;
}

// ---- operators ----

ExprPtr if_expr(Builder& b, P::If_exprContext* c) {
  return make_expr(b.span(c), ast::If{b.expr(c->expression(0)), b.expr(c->expression(1)), b.expr(c->expression(2))});
}

ExprPtr logic(Builder& b, ParserRuleContext* c, bool conjunction) {
  ast::Logic node{conjunction, {}};
  for (std::size_t k = 0; k < c->children.size(); k += 2) node.operands.push_back(b.expr(rule(c->children[k])));
  return make_expr(b.span(c), std::move(node));
}

ast::CompareOp compare_op(std::size_t type) {
  using Op = ast::CompareOp;
  constexpr std::pair<TokenType, Op> ops[] = {
      {P::LT, Op::lt}, {P::LE, Op::le}, {P::GT, Op::gt}, {P::GE, Op::ge}, {P::NE, Op::ne}};
  return value_of(type, ops, Op::eq);
}

ExprPtr compare(Builder& b, P::CompareContext* c) {
  antlr4::Token* op = token(c->children[1]);
  if (c->children.size() > 3) {
    const Span second = b.span(token(c->children[3]));
    b.report(Kind::chained_comparison, second)
        .label(b.span(op), "the first comparison")
        .hint("join two comparisons by `and`; two constraints are two statements");
  }
  return make_expr(b.span(c), ast::Compare{compare_op(op->getType()), b.span(op), b.expr(rule(c->children[0])),
                                           b.expr(rule(c->children[2]))});
}

ast::Term::Op term_op(std::size_t type) {
  using Op = ast::Term::Op;
  constexpr std::pair<TokenType, Op> ops[] = {{P::PLUS, Op::add}, {P::MINUS, Op::sub}, {P::STAR, Op::mul}};
  return value_of(type, ops, Op::div);
}

// Reports `x / 2 [m]`, which may mean (x/2) metres or x per two metres.
void check_divisor(Builder& b, const ast::Term& t, Span before) {
  if (t.op != ast::Term::Op::div || t.value->parenthesised || !is<ast::Measured>(t.value)) return;
  const Span divisor = t.value->span;
  b.report(Kind::unit_after_quotient, divisor, b.shown(join(before, divisor)), b.shown(divisor))
      .hint("write the divisor in parentheses: `/ (" + b.shown(divisor) + ")`");
}

template <class Node>
ExprPtr terms(Builder& b, ParserRuleContext* c) {
  Node node;
  node.first = b.expr(rule(c->children[0]));
  Span so_far = node.first->span;
  node.rest.reserve(c->children.size() / 2);
  for (std::size_t k = 1; k + 1 < c->children.size(); k += 2) {
    antlr4::Token* op = token(c->children[k]);
    node.rest.push_back({term_op(op->getType()), b.span(op), b.expr(rule(c->children[k + 1]))});
    check_divisor(b, node.rest.back(), so_far);
    so_far = join(so_far, node.rest.back().value->span);
  }
  return make_expr(b.span(c), std::move(node));
}

ExprPtr unary(Builder& b, ParserRuleContext* c) {
  const std::size_t type = token(c->children[0])->getType();
  const ast::UnaryOp op = type == P::PLUS    ? ast::UnaryOp::plus
                          : type == P::MINUS ? ast::UnaryOp::minus
                                             : ast::UnaryOp::logical_not;
  return make_expr(b.span(c), ast::Unary{op, b.expr(rule(c->children[1]))});
}

ExprPtr power(Builder& b, P::PowerContext* c) {
  return make_expr(b.span(c), ast::Power{b.expr(c->postfix()), b.expr(c->unary()), b.span(token(c->children[1]))});
}

// The rules `range` and `range_or_value`.
ExprPtr range(Builder& b, ParserRuleContext* c) {
  ast::Range node;
  node.lo = b.expr(rule(c->children[0]));
  node.hi = b.expr(rule(c->children[2]));
  if (c->children.size() > 4) {
    const bool step = token(c->children[3])->getType() == P::STEP;
    (step ? node.step : node.count) = b.expr(rule(c->children[4]));
  }
  return make_expr(b.span(c), std::move(node));
}

// ---- primaries ----

ExprPtr number(Builder& b, antlr4::Token* t) {
  ast::Number node;
  node.text = b.text(t);
  node.integer = node.text.find_first_not_of("0123456789") == std::string::npos;
  const auto [end, error] = std::from_chars(node.text.data(), node.text.data() + node.text.size(), node.value);
  if (error != std::errc{}) b.report(Kind::number_out_of_range, b.span(t), printable(node.text, 40));
  return make_expr(b.span(t), std::move(node));
}

// One element is a grouping, several are a vector.
ExprPtr tuple(Builder& b, P::TupleContext* c) {
  const auto elements = c->expression();
  if (elements.size() == 1) {
    ExprPtr inner = b.expr(elements[0]);
    inner->parenthesised = true;
    inner->span = b.span(c);
    return inner;
  }
  ast::Tuple node;
  for (auto* e : elements) node.elements.push_back(b.expr(e));
  return make_expr(b.span(c), std::move(node));
}

ExprPtr primary(Builder& b, P::PrimaryContext* c) {
  if (c->tuple() != nullptr) return tuple(b, c->tuple());
  antlr4::Token* t = token(c->children[0]);
  if (t->getType() == P::NUMBER) return number(b, t);
  std::string text = b.text(t);
  if (t->getType() == P::NAME) return make_expr(b.span(t), ast::Name{std::move(text)});
  return make_expr(b.span(t), ast::String{text.substr(1, text.size() - 2)});
}

// ---- suffixes of a primary; each takes the expression so far ----

ExprPtr member(Builder& b, ExprPtr e, P::MemberContext* c) {
  if (is_literal(e)) b.report(Kind::member_of_literal, e->span, b.quoted(e->span));
  antlr4::Token* name = c->NAME()->getSymbol();
  const Span span = join(e->span, b.span(c));
  return make_expr(span, ast::Member{std::move(e), b.text(name), b.span(name)});
}

ExprPtr index(Builder& b, ExprPtr e, P::IndexContext* c) {
  if (!is_named(e)) {
    b.report(Kind::index_of_value, b.span(token(c->children[0])), b.quoted(e->span))
        .hint("components of a vector are `.x`, `.y`, `.z`");
  }
  const Span span = join(e->span, b.span(c));
  ast::Index node{std::move(e), {}};
  for (auto* i : c->expression()) node.indices.push_back(b.expr(i));
  return make_expr(span, std::move(node));
}

ExprPtr call(Builder& b, ExprPtr e, P::ArgumentsContext* c) {
  const Span span = join(e->span, b.span(c));
  const bool callable = !e->parenthesised && (is<ast::Name>(e) || is<ast::Member>(e));
  if (!callable) {
    b.report(Kind::call_of_value, b.span(token(c->children[0])), b.quoted(e->span)).hint("a product needs `*`");
  }
  if (c->FOR() == nullptr) return make_expr(span, ast::Call{std::move(e), b.arguments(c)});
  const auto* name = std::get_if<ast::Name>(&e->node);
  if (name == nullptr || name->text != "sum" || c->argument(0)->NAME() != nullptr) {
    b.report(Kind::for_outside_sum, b.span(c->FOR()->getSymbol())).hint("write `sum(e for i in 1..n)`");
  }
  return make_expr(span, ast::SumOver{b.expr(c->argument(0)->expression()), b.binder(c->binder())});
}

ExprPtr prime(Builder& b, ExprPtr e, antlr4::Token* t) {
  if (is_literal(e)) b.report(Kind::prime_of_literal, b.span(t), b.quoted(e->span)).hint("a constant has no prime");
  const Span span = join(e->span, b.span(t));
  if (is<ast::Prime>(e) && !e->parenthesised) {
    ++std::get<ast::Prime>(e->node).order;
    e->span = span;
    return e;
  }
  return make_expr(span, ast::Prime{std::move(e), 1});
}

void check_measured(Builder& b, const ExprPtr& e, const ast::Unit& unit) {
  if (e->parenthesised || is<ast::Number>(e) || is<ast::Tuple>(e) || called(e) == "diag" ||
      distribution_named(called(e)) != nullptr)
    return;
  const bool call_or_sum = is<ast::Call>(e) || is<ast::SumOver>(e);
  if (is<ast::Measured>(e)) {
    b.report(Kind::second_unit, unit.span).hint("write one pair of brackets, as in `9.81 [m/s^2]`");
  } else if (call_or_sum && unit.factors.empty()) {
    b.report(Kind::index_of_value, unit.span, b.quoted(e->span)).hint("components of a vector are `.x`, `.y`, `.z`");
  } else if (call_or_sum) {
    b.report(Kind::unit_after_call, unit.span)
        .label(e->span, "this call")
        .hint("multiply: `... * (1 " + b.shown(unit.span) + ")`");
  } else {
    b.report(Kind::unit_after_name, unit.span, b.quoted(e->span));
  }
}

ExprPtr measured(Builder& b, ExprPtr e, P::UnitContext* c) {
  ast::Unit unit = b.unit(c);
  check_measured(b, e, unit);
  const Span span = join(e->span, unit.span);
  return make_expr(span, ast::Measured{std::move(e), std::move(unit)});
}

ExprPtr postfix(Builder& b, P::PostfixContext* c) {
  ExprPtr e = primary(b, c->primary());
  for (std::size_t k = 1; k < c->children.size(); ++k) {
    ParserRuleContext* part = rule(c->children[k]);
    if (part == nullptr) {
      e = prime(b, std::move(e), token(c->children[k]));
      continue;
    }
    switch (part->getRuleIndex()) {
      case P::RuleMember:
        e = member(b, std::move(e), static_cast<P::MemberContext*>(part));
        break;
      case P::RuleIndex:
        e = index(b, std::move(e), static_cast<P::IndexContext*>(part));
        break;
      case P::RuleArguments:
        e = call(b, std::move(e), static_cast<P::ArgumentsContext*>(part));
        break;
      default:
        e = measured(b, std::move(e), static_cast<P::UnitContext*>(part));
        break;
    }
  }
  return e;
}

}  // namespace

ExprPtr Builder::expr(ParserRuleContext* tree) {
  while (tree->children.size() == 1 && is_level(tree->getRuleIndex())) tree = rule(tree->children[0]);
  switch (tree->getRuleIndex()) {
    case P::RuleIf_expr:
      return if_expr(*this, static_cast<P::If_exprContext*>(tree));
    case P::RuleLogic_or:
      return logic(*this, tree, false);
    case P::RuleLogic_and:
      return logic(*this, tree, true);
    case P::RuleCompare:
      return compare(*this, static_cast<P::CompareContext*>(tree));
    case P::RuleSum:
      return terms<ast::Sum>(*this, tree);
    case P::RuleProduct:
      return terms<ast::Product>(*this, tree);
    case P::RuleLogic_not:
    case P::RuleUnary:
      return unary(*this, tree);
    case P::RulePower:
      return power(*this, static_cast<P::PowerContext*>(tree));
    case P::RulePostfix:
      return postfix(*this, static_cast<P::PostfixContext*>(tree));
    case P::RuleRange:
    case P::RuleRange_or_value:
      return range(*this, tree);
    default:
      return primary(*this, dynamic_cast<P::PrimaryContext*>(tree));
  }
}

ast::Binder Builder::binder(ParserRuleContext* tree) {
  auto* c = static_cast<P::BinderContext*>(tree);
  antlr4::Token* name = c->NAME()->getSymbol();
  return {text(name), span(name), expr(c->range())};
}

std::vector<ast::Argument> Builder::arguments(ParserRuleContext* tree) {
  std::vector<ast::Argument> out;
  if (tree == nullptr) return out;
  bool named = false;
  for (auto* c : static_cast<P::ArgumentsContext*>(tree)->argument()) {
    ast::Argument a;
    if (c->NAME() != nullptr) {
      a.name = text(c->NAME()->getSymbol());
      a.name_span = span(c->NAME()->getSymbol());
    }
    a.value = expr(c->expression());
    if (a.name.empty() && named) report(Kind::positional_after_named, a.value->span);
    named = named || !a.name.empty();
    out.push_back(std::move(a));
  }
  return out;
}

}  // namespace mbc::syntax
