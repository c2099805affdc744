// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/units_written.h"

#include "compiler/ast/walk.h"
#include "compiler/sema/units.h"

namespace mbc::sema {

namespace {

struct UnitFinder {
  bool found = false;
  void unit(const ast::Unit& u) {
    for (const ast::UnitFactor& f : u.factors)
      if (const std::optional<UnitValue> known = find_unit(f.name)) found |= !known->dimension.dimensionless();
  }
  void expr(const ast::ExprPtr& e) {
    if (e) expr(*e);
  }
  void expr(const ast::Expr& e) {
    if (const auto* m = std::get_if<ast::Measured>(&e.node)) unit(m->unit);
    if (!found) ast::for_each_part(e, [this](const ast::Expr& part) { expr(part); });
  }
  void plot(const ast::Plot& p) {
    const auto item = [this](const ast::Shown& i) {
      expr(i.value);
      if (i.unit) unit(*i.unit);
    };
    for (const ast::Shown& i : p.items) item(i);
    if (p.over) item(*p.over);
  }
  void statements(const std::vector<ast::StmtPtr>& list) {
    for (const auto& s : list)
      if (!found) statement(*s);
  }
  void statement(const ast::Stmt& s) {
    std::visit(
        [&](const auto& n) {
          if constexpr (requires { n.value; }) expr(n.value);
          if constexpr (requires { n.unit->factors; })
            if (n.unit) unit(*n.unit);
          if constexpr (requires { n.rate_rhs; }) expr(n.rate_rhs);
          if constexpr (requires { n.equation; }) expr(n.equation);
          if constexpr (requires { n.restitution; }) expr(n.restitution);
          if constexpr (requires { n.condition; }) expr(n.condition);
          if constexpr (requires { n.args; })
            for (const auto& a : n.args) expr(a.value);
          if constexpr (requires { n.modifiers; })
            for (const auto& m : n.modifiers) expr(m.value);
          if constexpr (requires { n.parameters; })
            for (const auto& p : n.parameters) expr(p.default_value);
          if constexpr (requires { n.entries; })
            for (const auto& e : n.entries) expr(e.value);
          if constexpr (requires { n.settings; })
            for (const auto& e : n.settings) {
              expr(e.value);
              if (e.unit) unit(*e.unit);
            }
          if constexpr (requires { n.records; })
            for (const ast::Shown& record : n.records)
              if (record.unit) unit(*record.unit);
          if constexpr (requires { n.plots; })
            for (const ast::Plot& p : n.plots) plot(p);
          if constexpr (requires { n.nonideal; }) statements(n.nonideal);
          if constexpr (requires { n.body->node; }) expr(n.body);
          if constexpr (requires { statements(n.body); }) statements(n.body);
          if constexpr (requires { n.then_body; }) {
            statements(n.then_body);
            statements(n.else_body);
          }
          if constexpr (requires { n.checks; })
            for (const auto& c : n.checks)
              for (const ast::ExprPtr* e : {&c.condition, &c.within, &c.at}) expr(*e);
        },
        s.node);
  }
};

}  // namespace

bool units_written(const ast::File& file) {
  UnitFinder finder;
  finder.statements(file.statements);
  return finder.found;
}

}  // namespace mbc::sema
