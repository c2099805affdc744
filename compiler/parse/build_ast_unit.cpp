// SPDX-License-Identifier: Apache-2.0
// Units: [kg*m^2/s] to a list of factors with signed powers. Which names are units is decided later.
#include <charconv>

#include "MbcParser.h"
#include "antlr4-runtime.h"
#include "compiler/parse/build_ast.h"

namespace mbc::syntax {
namespace {

using P = MbcParser;

struct Power {
  std::int32_t numerator = 1;
  std::int32_t denominator = 1;
};

constexpr std::int32_t kMaxExponent = 1000;  // products of exponents of nested groups stay far inside 32 bits

bool read_int(Builder& b, antlr4::Token* t, std::int32_t& out) {
  const std::string text = b.text(t);
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), out);
  if (error == std::errc{} && end == text.data() + text.size() && out <= kMaxExponent) return true;
  b.report(Kind::malformed_unit, b.span(t), "the exponent `" + text + "` is not a whole number up to 1000")
      .hint("fractions are written `m^(1/2)`");
  return false;
}

Power exponent(Builder& b, P::ExponentContext* c) {
  Power p;
  if (c == nullptr || !read_int(b, c->NUMBER(0)->getSymbol(), p.numerator)) return p;
  if (c->MINUS() != nullptr) p.numerator = -p.numerator;
  if (c->SLASH() != nullptr && read_int(b, c->NUMBER(1)->getSymbol(), p.denominator) && p.denominator == 0) {
    b.report(Kind::malformed_unit, b.span(c), "the exponent divides by zero");
    p.denominator = 1;
  }
  return p;
}

bool within(const Power& p) {
  return p.numerator <= kMaxExponent && p.numerator >= -kMaxExponent && p.denominator <= kMaxExponent;
}

void product(Builder& b, P::Unit_productContext* c, Power outer, ast::Unit& out);

void factor(Builder& b, P::Unit_factorContext* c, Power outer, bool inverse, ast::Unit& out) {
  const Power own = exponent(b, c->exponent());
  Power p{own.numerator * outer.numerator * (inverse ? -1 : 1), own.denominator * outer.denominator};
  if (!within(p)) {
    b.report(Kind::malformed_unit, b.span(c), "the exponent is too large");
    p = {};
  }
  if (c->unit_product() != nullptr) return product(b, c->unit_product(), p, out);
  out.factors.push_back({b.text(c->NAME()->getSymbol()), p.numerator, p.denominator, b.span(c)});
}

void product(Builder& b, P::Unit_productContext* c, Power outer, ast::Unit& out) {
  bool inverse = false;
  for (auto* child : c->children) {
    if (auto* f = dynamic_cast<P::Unit_factorContext*>(child)) {
      factor(b, f, outer, inverse, out);
      continue;
    }
    antlr4::Token* t = dynamic_cast<antlr4::tree::TerminalNode*>(child)->getSymbol();
    inverse = t->getType() == P::SLASH;
    if (t->getType() == P::NUMBER && b.text(t) != "1") {
      b.report(Kind::malformed_unit, b.span(t), "found the number `" + b.text(t) + "`")
          .hint("the number stands before the brackets: `2 [m]`");
    }
  }
}

}  // namespace

ast::Unit Builder::unit(antlr4::ParserRuleContext* tree) {
  ast::Unit out;
  out.span = span(tree);
  product(*this, static_cast<P::UnitContext*>(tree)->unit_product(), {}, out);
  return out;
}

}  // namespace mbc::syntax
