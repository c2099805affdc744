// SPDX-License-Identifier: Apache-2.0
// Writes trees as text of the language. Shared terms become `let`s, some operations use a `def`, and leaves are written
// in all forms that the language has.
#pragma once
#include <map>
#include <set>
#include <string>

#include "tests/compiler/ad/tree.h"

namespace mbc::test {

std::string literal(double x);  // round-trip; in parentheses if negative

class TreeText {
 public:
  explicit TreeText(Rng& rng) : rng_(rng) {}
  void set_space(std::uint32_t space) { space_ = space; }

  // Returns the tree as an expression. `spelled` holds the text of some terms (vector functions).
  std::string print(const Tree& tree, const std::map<std::uint32_t, std::string>& spelled = {});
  std::string leaf(LeafKind kind, std::uint32_t index);
  // Returns the `let` and `def` lines that the expressions printed so far need.
  [[nodiscard]] const std::string& declarations() const { return declarations_; }

 private:
  std::string operation(const Term& term, const std::vector<std::string>& text);

  Rng& rng_;
  std::uint32_t space_ = 3;
  std::string declarations_;
  std::set<std::string> defined_;
  std::uint32_t lets_ = 0;
};

}  // namespace mbc::test
