// SPDX-License-Identifier: Apache-2.0
// Keeps the parse trees of statements by the types of their tokens, the only input of the grammar, so that statements
// of one form are parsed once. A text that is read again at every key costs only the statements of new forms.
#pragma once
#include <cstddef>
#include <memory>
#include <unordered_map>
#include <vector>

#include "compiler/parse/tokens.h"

namespace antlr4 {
class ParserRuleContext;
}

namespace mbc::syntax {

// A parser with the trees that it made.
struct Parsed;

struct StatementTree {
  std::shared_ptr<const Parsed> of;
  antlr4::ParserRuleContext* tree = nullptr;  // of the rule `statement`
  std::size_t first = 0;                      // the token of `of` with which it begins
};

// The tokens [begin, end) of a statement that is in no other.
struct StatementRange {
  std::size_t begin = 0, end = 0;
};

class StatementTrees {
 public:
  // Returns the trees of the first of `statements` from number `from` on: as many as new forms fill a piece. Throws
  // ProbeFailed at a mistake.
  [[nodiscard]] std::vector<StatementTree> of(const std::vector<Token>& tokens,
                                              const std::vector<StatementRange>& statements, std::size_t from);
  [[nodiscard]] std::size_t kept() const { return kept_; }

 private:
  using Form = std::u16string;
  using Fresh = std::unordered_map<Form, StatementTree>::value_type*;
  static void form(const std::vector<Token>& tokens, const StatementRange& range, Form& out);
  void parse(const std::vector<Fresh>& fresh);

  std::unordered_map<Form, StatementTree> trees_;
  std::size_t kept_ = 0;  // tokens of all of them
};

}  // namespace mbc::syntax
