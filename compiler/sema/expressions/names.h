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
  // Returns whether a name is built in and no function, so that nothing else can have it. Names of functions are
  // reserved only for calls.
  static bool reserved(const std::string& name);
  static std::vector<std::string> builtin_values();  // those that are no functions
  static bool known(const std::string& name, const Scope& scope);
  Value name(const ast::Name& n, Span span, const Scope& scope);
  Value index(const ast::Index& i, Span span, const Scope& scope);
  // Returns the value of a symbol, after the item that gives it one was evaluated.
  const Meaning& value_of(const Symbol& symbol);
  // Sets the function that is called for every name before its value is used.
  void on_demand(std::function<void(const Symbol&)> demand) { demand_ = std::move(demand); }
  // Reports an unknown name. `remedy` is the suggestion if no known name is close.
  Value unknown(const std::string& name, Span span, const Scope& scope, const std::string& remedy = "");
  // Reports a label without its machine, `m = b` for `m.b`, or an unknown name; `of` is the value of the machine.
  bool label_alone(const ast::Expr& e, const ast::Expr& machine, const Value& of, const Scope& scope);

 private:
  std::optional<Value> builtin_value(const std::string& name, Span span);
  Value element(const Value& array, const std::vector<Value>& at, Span span);
  Value no_element(const Value& array, const Indices& indices, Span span, Span place);
  std::optional<std::int32_t> whole_index(const Value& at);
  std::function<void(const Symbol&)> demand_;
};

}  // namespace mbc::sema
