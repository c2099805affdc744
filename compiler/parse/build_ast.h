// SPDX-License-Identifier: Apache-2.0
// Converts the parse tree to the syntax tree, one function per rule. Forms that the grammar accepts only for a better
// message (a chain of comparisons, a unit after a call) are refused here. Expressions: build_ast_expr.cpp; statements:
// build_ast_decl.cpp; blocks of entries (init, simulate, test, sweep, when): build_ast_run.cpp.
#pragma once
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "compiler/ast/ast.h"
#include "compiler/parse/tokens.h"

namespace antlr4 {
class ParserRuleContext;
class Token;
}  // namespace antlr4

namespace mbc::syntax {

class Builder {
 public:
  // `first` is the index in `list` of the first parsed token; it is negative, modulo 2^64, if other tokens were parsed
  // before.
  Builder(const TokenList& list, Sink& sink, std::size_t first = 0) : list_(list), sink_(sink), first_(first) {}

  // `tree` is of the grammar's rule `file`.
  ast::File file(antlr4::ParserRuleContext* tree);
  // `tree` is of the rule `statement`; a statement with several names becomes several.
  void statement(antlr4::ParserRuleContext* tree, std::vector<ast::StmtPtr>& out);

  // Builds any rule of the expression levels, `range` and `postfix` included. Never returns null.
  ast::ExprPtr expr(antlr4::ParserRuleContext* tree);
  ast::Unit unit(antlr4::ParserRuleContext* tree);
  ast::Binder binder(antlr4::ParserRuleContext* tree);
  std::vector<ast::Argument> arguments(antlr4::ParserRuleContext* tree);
  ast::Declared declared(antlr4::ParserRuleContext* tree);  // an empty Declared for null

  ast::Shown shown(antlr4::ParserRuleContext* tree);
  ast::Init init(antlr4::ParserRuleContext* tree);
  ast::Simulate simulate(antlr4::ParserRuleContext* tree);
  ast::Requirement requirement(antlr4::ParserRuleContext* tree);
  ast::Test test(antlr4::ParserRuleContext* tree);
  ast::Sweep sweep(antlr4::ParserRuleContext* tree);
  ast::When when(antlr4::ParserRuleContext* tree);

  [[nodiscard]] Span span(const antlr4::ParserRuleContext* tree) const;
  [[nodiscard]] Span span(const antlr4::Token* token) const;
  [[nodiscard]] std::string text(const antlr4::Token* token) const;
  // Returns source text for a message: cut, control characters escaped; `quoted` adds backticks.
  [[nodiscard]] std::string shown(Span where) const;
  [[nodiscard]] std::string quoted(Span where) const { return "`" + shown(where) + "`"; }
  [[nodiscard]] std::string doc(const antlr4::Token* start) const;

  Diagnostic& report(Kind kind, Span where, std::string arg = {}, std::string arg2 = {}) {
    return sink_.report(kind, where, std::move(arg), std::move(arg2));
  }

 private:
  [[nodiscard]] std::size_t place(const antlr4::Token* token) const;  // in list_

  const TokenList& list_;
  Sink& sink_;
  std::size_t first_;
};

template <class Node>
ast::ExprPtr make_expr(Span span, Node node) {
  auto e = std::make_unique<ast::Expr>();
  e->span = span;
  e->node = std::move(node);
  return e;
}

}  // namespace mbc::syntax
