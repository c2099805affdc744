// SPDX-License-Identifier: Apache-2.0
// The words and signs of a text in any state, for functions that have to work while the user types.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::lsp {

enum class Lex : std::uint8_t { word, number, string, comment, documentation, sign };

struct Lexeme {
  Lex what{};
  std::uint32_t begin = 0, end = 0;  // bytes
  bool line_start = false;           // it is the first of its line
};

[[nodiscard]] std::vector<Lexeme> scan(std::string_view text);

// The context of a place in a text, from the text before it.
struct Surroundings {
  enum class Where : std::uint8_t {
    nothing,    // a comment, a string
    statement,  // a statement begins
    member,     // after a dot
    unit,
    module,      // after `use`
    setting,     // setting of a `simulate` block
    expression,  // anywhere else
  } where = Where::expression;
  std::uint32_t word = 0;           // begin of the word at the place; the place itself if there is none
  std::vector<std::string> chain;   // member: the names before the dots, `chain.hinge[1].` is chain, hinge
  bool call = false;                // member: the last of them is called
  std::string block;                // the word of the statement that the block belongs to; "" outside of blocks
  std::string component;            // the `joint` or `model` around it
  std::string head;                 // the first word of the statement
  std::string setting;              // key of the entry `integrator = `, in a `simulate` block
  std::vector<std::string> called;  // the words before the innermost open parenthesis: "Revolute", "hinge" or "sin"
  std::string argument;             // the name of the argument there, as in f(k =
  std::uint32_t argument_index = 0;
};
[[nodiscard]] Surroundings surroundings(std::string_view text, std::uint32_t place);

}  // namespace mbc::lsp
