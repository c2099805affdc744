// SPDX-License-Identifier: Apache-2.0
// `test` blocks: each check becomes values that the kernel computes at every row of the run, and the times at which
// they are checked.
#pragma once
#include "compiler/sema/statements/statement.h"

namespace mbc::sema {

class Tests : private Statement {
 public:
  explicit Tests(Elaboration& shared) : Statement(shared) {}
  // Runs after everything else: a test may use outputs and `simulate` blocks further down.
  void read(const ast::File& file);

 private:
  void test(const ast::Test& t, const ast::Stmt& s, const Scope& scope);
  void check(const ast::Check& c, const ast::Expr& e, const Scope& scope, Test& out);
  bool ends_with_clauses(const ast::Check& c);
  bool comparable(const ast::Check& c, const ast::Expr& e, const Scope& scope);
  [[nodiscard]] bool whole(const ast::Compare& e, const Scope& scope);
  [[nodiscard]] std::optional<std::uint32_t> event_named(const Value& v) const;
  bool moment(const ast::Check& c, const Scope& scope, const Simulation& run, Check& out);
  bool equation(const ast::Check& c, const ast::Compare& e, Span span, const Scope& scope, Check& out);
  bool condition(const ast::Expr& e, const Scope& scope, Check& out);
};

}  // namespace mbc::sema
