// Whether a model has units: one written anywhere makes its numbers carry dimensions.
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

namespace {

// Units are only found inside brackets after values; one anywhere makes the model one with units.
struct UnitFinder {
  bool found = false;
  void expr(const ast::ExprPtr& e) {
    if (e && !found) std::visit(*this, e->node);
  }
  void operator()(const ast::Measured&) { found = true; }
  void operator()(const ast::Member& m) { expr(m.object); }
  void operator()(const ast::Index& i) { expr(i.object); }
  void operator()(const ast::Call& c) {
    for (const auto& a : c.args) expr(a.value);
  }
  void operator()(const ast::Prime& p) { expr(p.operand); }
  void operator()(const ast::Range& r) {
    for (const auto* part : {&r.lo, &r.hi, &r.step, &r.count}) expr(*part);
  }
  void operator()(const ast::Tuple& t) {
    for (const auto& e : t.elements) expr(e);
  }
  void operator()(const ast::Unary& u) { expr(u.operand); }
  void operator()(const ast::Sum& s) { terms(s.first, s.rest); }
  void operator()(const ast::Product& p) { terms(p.first, p.rest); }
  void operator()(const ast::Power& p) {
    expr(p.base);
    expr(p.exponent);
  }
  void operator()(const ast::Compare& c) {
    expr(c.lhs);
    expr(c.rhs);
  }
  void operator()(const ast::Logic& l) {
    for (const auto& e : l.operands) expr(e);
  }
  void operator()(const ast::If& i) {
    expr(i.condition);
    expr(i.then_value);
    expr(i.else_value);
  }
  void operator()(const ast::SumOver& s) { expr(s.body); }
  void operator()(const ast::Number&) {}
  void operator()(const ast::String&) {}
  void operator()(const ast::Name&) {}
  void terms(const ast::ExprPtr& first, const std::vector<ast::Term>& rest) {
    expr(first);
    for (const ast::Term& t : rest) expr(t.value);
  }
  void statement(const ast::Stmt& s) {
    std::visit(
        [&](const auto& n) {
          if constexpr (requires { n.value; }) expr(n.value);
          if constexpr (requires { n.body->node; }) expr(n.body);
          if constexpr (requires { n.equation; }) expr(n.equation);
          if constexpr (requires { n.args; })
            for (const auto& a : n.args) expr(a.value);
          if constexpr (requires { n.modifiers; })
            for (const auto& m : n.modifiers) expr(m.value);
          if constexpr (requires { n.entries; })
            for (const auto& e : n.entries) expr(e.value);
          if constexpr (requires { n.settings; })
            for (const auto& e : n.settings) expr(e.value);
        },
        s.node);
  }
};

}  // namespace

bool units_written(const ast::File& file) {
  UnitFinder finder;
  for (const auto& s : file.statements) finder.statement(*s);
  return finder.found;
}

}  // namespace mbc::sema
