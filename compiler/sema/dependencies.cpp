// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/dependencies.h"

#include <set>

#include "compiler/ast/walk.h"

namespace mbc::sema {

namespace {

class Collector {
 public:
  void expr(const ast::ExprPtr& e) {
    if (e) expr(*e);
  }
  void expr(const ast::Expr& e) {
    if (std::vector<Mention::Part> path; chain(e, path)) return add(std::move(path), e.span);
    if (const auto* sum = std::get_if<ast::SumOver>(&e.node)) {
      expr(sum->binder.range);
      const bool inserted = bound_.insert(sum->binder.name).second;
      expr(sum->body);
      if (inserted) bound_.erase(sum->binder.name);
    } else if (const auto* call = std::get_if<ast::Call>(&e.node); call && of_table(*call)) {
      for (const ast::Argument& a : call->args)
        if (a.name != "method" && a.name != "beyond") expr(a.value);  // words, no names
    } else {
      ast::for_each_part(e, [this](const ast::Expr& part) { expr(part); });
    }
  }
  void name(const ast::Declared& d) { add({{d.name}}, d.span); }
  void modifiers(const std::vector<ast::Modifier>& list) {
    for (const ast::Modifier& m : list) expr(m.value);
  }
  void def(const ast::Def& d) {
    for (const ast::Parameter& p : d.parameters) expr(p.default_value);
    for (const ast::Parameter& p : d.parameters) bound_.insert(p.name);
    expr(d.body);
  }

  std::vector<Mention> found;

 private:
  static bool of_table(const ast::Call& call) {
    const auto* callee = std::get_if<ast::Name>(&call.callee->node);
    return callee && callee->text == "table";
  }
  // Splits a.b[i].c into its names; the indices are expressions of their own.
  bool chain(const ast::Expr& e, std::vector<Mention::Part>& path) {
    if (const auto* n = std::get_if<ast::Name>(&e.node)) {
      path.push_back({n->text});
      return true;
    }
    if (const auto* m = std::get_if<ast::Member>(&e.node)) {
      if (!chain(*m->object, path)) return false;
      path.push_back({m->name});
      return true;
    }
    if (const auto* i = std::get_if<ast::Index>(&e.node)) {
      if (!chain(*i->object, path)) return false;
      for (const ast::ExprPtr& k : i->indices) expr(*k);
      path.back().index = i;
      return true;
    }
    return false;
  }
  void add(std::vector<Mention::Part> path, Span span) {
    if (bound_.contains(path[0].name)) return;
    if (seen_.insert(path).second) found.push_back({std::move(path), span});
  }

  std::set<std::string> bound_;
  std::set<std::vector<Mention::Part>> seen_;
};

}  // namespace

std::vector<Mention> mentions_in(const ast::Stmt& s) {
  Collector c;
  std::visit(
      [&](const auto& n) {
        using T = std::decay_t<decltype(n)>;
        if constexpr (requires { n.name.indices; })
          for (const ast::ExprPtr& k : n.name.indices) c.expr(k);
        if constexpr (std::is_same_v<T, ast::Param> || std::is_same_v<T, ast::Let> || std::is_same_v<T, ast::Output> ||
                      std::is_same_v<T, ast::Gravity> || std::is_same_v<T, ast::Input> ||
                      std::is_same_v<T, ast::Speed>) {
          c.expr(n.value);
        } else if constexpr (std::is_same_v<T, ast::StateVar>) {
          if (n.labels.empty()) c.expr(n.value);  // a machine begins with one of its labels
        } else if constexpr (std::is_same_v<T, ast::Def>) {
          c.def(n);
        } else if constexpr (std::is_same_v<T, ast::Entity>) {
          for (const ast::Argument& a : n.args) c.expr(a.value);
          c.modifiers(n.modifiers);
        } else if constexpr (std::is_same_v<T, ast::Coord>) {
          c.expr(n.value);
          c.modifiers(n.modifiers);
        } else if constexpr (std::is_same_v<T, ast::Placement>) {
          for (const ast::Declared& d : n.names) c.name(d);
          c.expr(n.frame);
          c.expr(n.place);
        } else if constexpr (std::is_same_v<T, ast::Load>) {
          c.modifiers(n.modifiers);
          c.expr(n.value);
          c.expr(n.still);
          c.expr(n.restitution);
        } else if constexpr (std::is_same_v<T, ast::Requirement>) {
          c.expr(n.condition);
        } else if constexpr (std::is_same_v<T, ast::Visibility>) {
          c.expr(n.target);
        } else if constexpr (std::is_same_v<T, ast::Constraint>) {
          c.expr(n.equation);
          c.expr(n.restitution);
        }
      },
      s.node);
  return c.found;
}

std::vector<Mention> mentions_in(const ast::Expr& e) {
  Collector c;
  c.expr(e);
  return c.found;
}

std::vector<Mention> mentions_in(const ast::Def& def) {
  Collector c;
  c.def(def);
  return c.found;
}

int rank_of(const ast::Stmt& s) {
  if (std::holds_alternative<ast::Param>(s.node)) return 0;
  if (std::holds_alternative<ast::StateVar>(s.node) || std::holds_alternative<ast::Input>(s.node)) return 0;
  if (std::holds_alternative<ast::Entity>(s.node) || std::holds_alternative<ast::Coord>(s.node)) return 1;
  if (std::holds_alternative<ast::Gravity>(s.node)) return 2;
  if (const auto* load = std::get_if<ast::Load>(&s.node)) return load->kind == ast::Load::Kind::friction ? 4 : 3;
  if (std::holds_alternative<ast::Constraint>(s.node)) return 4;
  if (std::holds_alternative<ast::Requirement>(s.node)) return 6;
  return 5;
}

bool part_of_system(const ast::Stmt& s) {
  const int rank = rank_of(s);
  const auto* load = std::get_if<ast::Load>(&s.node);
  return rank == 1 || rank == 2 || (load && load->kind >= ast::Load::Kind::potential);
}

const ast::Declared* declared_name(const ast::Stmt& s) {
  return std::visit(
      [](const auto& n) -> const ast::Declared* {
        if constexpr (requires { n.name.name; }) {
          using T = std::decay_t<decltype(n)>;
          if constexpr (std::is_same_v<T, ast::Simulate> || std::is_same_v<T, ast::Sweep>)
            return nullptr;
          else
            return n.name.name.empty() ? nullptr : &n.name;
        } else {
          return nullptr;
        }
      },
      s.node);
}

}  // namespace mbc::sema
