// SPDX-License-Identifier: Apache-2.0
// What kind of thing an expression is, as far as that follows from how it is written: what members behind it can be.
#pragma once
#include <string>

#include "api/index/scopes.h"

namespace mbc::api {

// `of`: "instance" and "labels" with the component or state they are of, another word where the members are built in,
// "" where only the compiler knows.
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

// Gives instances their components; before kinds are asked for.
void link_instances(const Declarations& names, SourceIndex& out);

}  // namespace mbc::api
