// SPDX-License-Identifier: Apache-2.0
// Names, and elements of arrays: p, p[3], link[i, j].
#pragma once
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "compiler/ast/ast.h"
#include "compiler/sema/expressions/value_checks.h"

namespace mbc::sema {

class Names : public ValueChecks {
 public:
  using ValueChecks::ValueChecks;

  static bool builtin(const std::string& name);
  // Built in and no function: nothing else can have the name. That of a function is kept for what is called only.
  static bool reserved(const std::string& name);
  static std::vector<std::string> builtin_values();  // those that are no functions
  static bool known(const std::string& name, const Scope& scope);
  Value name(const ast::Name& n, Span span, const Scope& scope);
  Value index(const ast::Index& i, Span span, const Scope& scope);
  // The value of a symbol, after what gives it one was evaluated.
  const Meaning& value_of(const Symbol& symbol);
  // Called for every name that is met, before its value is used.
  void on_demand(std::function<void(const Symbol&)> demand) { demand_ = std::move(demand); }
  // Reports. `remedy`: what is suggested where no name is near.
  Value unknown(const std::string& name, Span span, const Scope& scope, const std::string& remedy = "");
  // A label without its machine, `m = b` for `m.b`, or a name of nothing; `of` is the value of that. Reports.
  bool label_alone(const ast::Expr& e, const ast::Expr& machine, const Value& of, const Scope& scope);

 private:
  std::optional<Value> builtin_value(const std::string& name, Span span);
  Value element(const Value& array, const std::vector<Value>& at, Span span);
  Value no_element(const Value& array, const Indices& indices, Span span, Span place);
  std::optional<std::int32_t> whole_index(const Value& at);
  std::function<void(const Symbol&)> demand_;
};

}  // namespace mbc::sema
