// SPDX-License-Identifier: Apache-2.0
// The words and signs of a text, whatever state it is in: for what has to work while somebody types.
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
  bool line_start = false;           // the first of its line
};

[[nodiscard]] std::vector<Lexeme> scan(std::string_view text);

// A place in a text, as it is seen from there backwards.
struct Surroundings {
  enum class Where : std::uint8_t {
    nothing,    // a comment, a string
    statement,  // a statement begins
    member,     // behind a dot
    unit,
    module,      // behind `use`
    setting,     // of a `simulate` block
    expression,  // anywhere else
  } where = Where::expression;
  std::uint32_t word = 0;           // where the word at the place begins; the place itself where there is none
  std::vector<std::string> chain;   // member: the names before the dots, `chain.hinge[1].` is chain, hinge
  bool call = false;                // member: the last of them is called
  std::string block;                // the word of the statement whose block this is; "" outside of blocks
  std::string component;            // the `joint` or `model` around it
  std::string head;                 // the first word of the statement
  std::string setting;              // of the entry `integrator = `, in a `simulate` block
  std::vector<std::string> called;  // the words before the innermost open parenthesis: "Revolute", "hinge" or "sin"
  std::string argument;             // the name of the argument there, as in f(k =
  std::uint32_t argument_index = 0;
};
[[nodiscard]] Surroundings surroundings(std::string_view text, std::uint32_t place);

}  // namespace mbc::lsp
