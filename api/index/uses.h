// SPDX-License-Identifier: Apache-2.0
// The uses of names in a text: every name, member, argument, setting and unit in its statements, with its symbol. The
// kind of an expression follows from its spelling as far as possible.
#pragma once
#include <string>
#include <vector>

#include "api/index/kinds.h"

namespace mbc::api {

class Uses {
 public:
  Uses(const SourceSet& sources, const sema::ModuleSet& modules, Declarations& names, SourceIndex& out)
      : sources_(sources), modules_(modules), names_(names), kinds_(names, out), out_(out) {}

  void block(const std::vector<ast::StmtPtr>& statements, NameScope& here);

 private:
  void statement(const ast::Stmt& s, NameScope& here);
  void visit(const ast::Def& n, NameScope& here);
  void visit(const ast::Entity& n, NameScope& here);
  void visit(const ast::StateVar& n, NameScope& here);
  void visit(const ast::Load& n, NameScope& here);
  void visit(const ast::Init& n, NameScope& here);
  void visit(const ast::Simulate& n, NameScope& here);
  void visit(const ast::Test& n, NameScope& here);
  void visit(const ast::Sweep& n, NameScope& here);
  void visit(const ast::Use& n, NameScope& here);
  void visit(const ast::Component& n, NameScope& here);
  void visit(const ast::Instance& n, NameScope& here);
  void visit(const ast::For& n, NameScope& here);
  void visit(const ast::IfBlock& n, NameScope& here);
  template <class Statement>  // all other statements, by the parts that they have
  void visit(const Statement& n, NameScope& here);

  void put(Span place, UseKind kind, std::uint32_t symbol = kNoSymbol, bool certain = true);
  void expr(const ast::ExprPtr& e, const NameScope& here) {
    if (e) walk(*e, here);
  }
  void walk(const ast::Expr& e, const NameScope& here);
  void sum(const ast::SumOver& n, Span span, const NameScope& here);
  [[nodiscard]] IndexSymbol index_of(const ast::Binder& b) const;
  void name(const ast::Name& n, Span span, const NameScope& here);
  void member(const ast::Member& n, const NameScope& here);
  void call(const ast::Call& n, const NameScope& here);
  void arguments(const std::vector<ast::Argument>& args, std::uint32_t callee, const NameScope& here,
                 bool table = false);
  void unit(const ast::Unit& unit);
  void modifiers(const std::vector<ast::Modifier>& list, const NameScope& here);
  void parameters(const std::vector<ast::Parameter>& list, const NameScope& here);
  void choice(const ast::ExprPtr& value, const NameScope& here);
  void path(Span key, const NameScope& here);
  NameScope& declared(const ast::Declared& d, NameScope& here);

  const SourceSet& sources_;
  const sema::ModuleSet& modules_;
  Declarations& names_;
  Kinds kinds_;
  SourceIndex& out_;
};

}  // namespace mbc::api
