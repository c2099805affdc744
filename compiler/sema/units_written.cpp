// Whether a model has units: one written anywhere makes its numbers carry dimensions.
#include "compiler/ast/walk.h"
#include "compiler/sema/elaborator.h"

namespace mbc::sema {

namespace {

// Units are only found inside brackets after values; one anywhere makes the model one with units.
struct UnitFinder {
  bool found = false;
  void expr(const ast::ExprPtr& e) {
    if (e) expr(*e);
  }
  void expr(const ast::Expr& e) {
    if (std::holds_alternative<ast::Measured>(e.node)) found = true;
    if (!found) ast::for_each_part(e, [this](const ast::Expr& part) { expr(part); });
  }
  void statements(const std::vector<ast::StmtPtr>& list) {
    for (const auto& s : list) statement(*s);
  }
  void statement(const ast::Stmt& s) {
    std::visit(
        [&](const auto& n) {
          if constexpr (requires { n.value; }) expr(n.value);
          if constexpr (requires { n.body->node; }) expr(n.body);
          if constexpr (requires { n.parameters; })
            for (const auto& p : n.parameters) expr(p.default_value);
          if constexpr (requires { n.body.front()->node; }) statements(n.body);  // of a component or loop
          if constexpr (requires { n.then_body; }) {
            statements(n.then_body);
            statements(n.else_body);
          }
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
