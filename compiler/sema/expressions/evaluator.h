// SPDX-License-Identifier: Apache-2.0
// Evaluates expressions to typed nodes of the model's graph. Each kind of expression has a part of its own; the parts
// call this class for inner expressions.
#pragma once
#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/calls.h"
#include "compiler/sema/expressions/definedness.h"
#include "compiler/sema/expressions/functions.h"
#include "compiler/sema/expressions/members.h"
#include "compiler/sema/expressions/names.h"
#include "compiler/sema/expressions/operators.h"
#include "compiler/sema/expressions/reactions.h"
#include "compiler/sema/expressions/run_values.h"
#include "compiler/sema/expressions/tables.h"
#include "compiler/sema/expressions/types.h"
#include "compiler/sema/expressions/value_checks.h"

namespace mbc::sema {

class Evaluator : public ValueChecks {
 public:
  explicit Evaluator(EvaluationContext& context) : ValueChecks(context, *this) {}
  // It is not copied, because the parts refer to it.
  Evaluator(const Evaluator&) = delete;
  Evaluator& operator=(const Evaluator&) = delete;
  ~Evaluator() = default;

  Value evaluate(const ast::Expr& e, const Scope& scope);

  Names& names() { return names_; }
  Members& members() { return members_; }
  Operators& operators() { return operators_; }
  Functions& functions() { return functions_; }
  Calls& calls() { return calls_; }
  Tables& tables() { return tables_; }
  Types& types() { return types_; }
  Reactions& reactions() { return reactions_; }
  RunValues& run_values() { return run_values_; }
  Definedness& defined() { return defined_; }

  // Set while expressions about a whole run are evaluated.
  void inside_test(bool inside) { context_.inside_test = inside; }

 private:
  Value node(const ast::Number& n, Span span, const Scope& scope);
  Value node(const ast::String& n, Span span, const Scope& scope);
  Value node(const ast::Name& n, Span span, const Scope& scope) { return names_.name(n, span, scope); }
  Value node(const ast::Member& n, Span span, const Scope& scope) { return members_.member(n, span, scope); }
  Value node(const ast::Index& n, Span span, const Scope& scope) { return names_.index(n, span, scope); }
  Value node(const ast::Call& n, Span span, const Scope& scope) { return calls_.call(n, span, scope); }
  Value node(const ast::Prime& n, Span span, const Scope& scope);
  Value node(const ast::Range& n, Span span, const Scope& scope);
  template <class Operation>  // the others
  Value node(const Operation& n, Span span, const Scope& scope) {
    return operators_.evaluate(n, span, scope);
  }

  Names names_{context_, *this};
  Members members_{context_, *this};
  Operators operators_{context_, *this};
  Functions functions_{context_, *this};
  Calls calls_{context_, *this};
  Tables tables_{context_, *this};
  Types types_{context_, *this};
  Reactions reactions_{context_, *this};
  RunValues run_values_{context_, *this};
  Definedness defined_{context_.model.graph};
};

}  // namespace mbc::sema
