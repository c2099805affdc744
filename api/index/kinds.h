// SPDX-License-Identifier: Apache-2.0
// The kind of an expression, as far as its spelling determines it: the kind determines the members that may follow.
#pragma once
#include <string>

#include "api/index/scopes.h"

namespace mbc::api {

// `of` is "instance" or "labels", with the component or state in `symbol`; another word for kinds with built-in
// members; "" if only the compiler knows the kind.
struct What {
  std::string of;
  std::uint32_t symbol = kNoSymbol;
};

class Kinds {
 public:
  Kinds(const Declarations& names, const SourceIndex& index) : names_(names), index_(index) {}

  [[nodiscard]] What what_is(const ast::Expr& e, const NameScope& here, int depth = 0) const;
  [[nodiscard]] What of_symbol(std::uint32_t symbol, int depth = 0) const;
  [[nodiscard]] std::uint32_t member_symbol(const What& object, const std::string& name) const;

 private:
  [[nodiscard]] What of_call(const ast::Call& call, const NameScope& here) const;
  [[nodiscard]] What of_member(const What& object, const std::string& name, int depth) const;

  const Declarations& names_;
  const SourceIndex& index_;
};

// Links instances to their components; called before kinds are requested.
void link_instances(const Declarations& names, SourceIndex& out);

}  // namespace mbc::api
