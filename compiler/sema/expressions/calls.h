// SPDX-License-Identifier: Apache-2.0
// Calls: of functions of the language and of `def`s, with their arguments, and calls on an object: arm.at(..).
#pragma once
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"

namespace mbc::sema {

class Calls : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  Value call(const ast::Call& c, Span span, const Scope& scope);
  // Returns the argument for each parameter (null: its default). Reports arguments that do not fit, and returns
  // nothing.
  std::optional<std::vector<const ast::Expr*>> match_arguments(const std::vector<ast::Parameter>& parameters,
                                                               const std::string& callee,
                                                               const std::vector<ast::Argument>& args, Span span,
                                                               Span declared);
  // These two enclose the evaluation of an item within that of another one.
  std::vector<const ast::Def*> begin_item() { return std::exchange(calls_, {}); }
  void end_item(std::vector<const ast::Def*> calls) { calls_ = std::move(calls); }

 private:
  using Args = std::vector<Value>;
  Value not_a_function(const Symbol* symbol, const std::string& name, Span declared, const ast::Call& c, Span span);
  Value call_user(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span, const Scope& scope);
  bool bind_arguments(const Symbol& symbol, const std::string& callee, const ast::Call& c, Span span,
                      const Scope& scope, Scope& inner);
  std::optional<std::size_t> named_parameter(const ast::Argument& a, const std::vector<ast::Parameter>& parameters,
                                             const std::string& callee, Span declared);
  Value call_member(const ast::Member& callee, const ast::Call& c, Span span, const Scope& scope);
  Value frame_at(const Value& object, const ast::Call& c, Span span, const Scope& scope);
  std::vector<const ast::Def*> calls_;  // calls being evaluated, outermost first
};

}  // namespace mbc::sema
