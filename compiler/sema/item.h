// SPDX-License-Identifier: Apache-2.0
// One item of the flat list that expansion writes (expansion/items.h).
#pragma once
#include <cstdint>
#include <string>

#include "compiler/ast/ast.h"
#include "compiler/sema/scope.h"

namespace mbc::sema {

// The value of a component's parameter.
struct Given {
  const ast::Parameter* parameter = nullptr;
  const ast::Expr* argument = nullptr;    // as given, or its default
  const Scope* argument_scope = nullptr;  // the scope for its names
  const ast::Expr* replaced = nullptr;    // the argument without `--set`; null if `--set` does not replace it
  const Scope* replaced_scope = nullptr;
};

// One statement in one place: written once, in a pass of a loop, or in an instance of a component. An item may also be
// the value of a component's parameter.
struct Item {
  const ast::Stmt* statement = nullptr;
  const Given* given = nullptr;      // of a parameter, in place of the statement
  Scope* scope = nullptr;            // the scope for the names of the statement
  Symbol* symbol = nullptr;          // the symbol that it gives a value to
  Elements* array = nullptr;         // the array that the symbol is an element of
  const Indices* indices = nullptr;  // the indices of that element
  enum class State : std::uint8_t { open, waiting, evaluating, done } state = State::open;
};
using ItemId = std::uint32_t;

// Returns the name with the instances around it and its indices: "chain.p[3]"; "" if it has no name.
std::string name_of(const Item& item);

}  // namespace mbc::sema
