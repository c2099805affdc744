// SPDX-License-Identifier: Apache-2.0
// The keywords that are keywords only in their place, and the classes of tokens the newline rule speaks of.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/tokens.h"

namespace mbc::syntax {

// The token type of a word that begins a statement (`particle`, `init`, ...), of an entry of a block (`check`,
// `record`), or of a modifier (`at`, `step`, ...); 0 for any other word.
TokenType head_word(std::string_view word);
TokenType entry_word(std::string_view word);
// `enable`, `disable`, `stop`, `impulse`: what an event does besides assigning.
TokenType action_word(std::string_view word);
TokenType modifier_word(std::string_view word);

// Every word that can begin or modify a statement, for suggestions.
const std::vector<std::string>& statement_words();
const std::vector<std::string>& modifier_words();
// The statement that a first word of none means, as other languages call it or misspelt; "" where there is none.
std::string meant_statement(std::string_view word);

bool is_reserved(TokenType type);
bool is_comparison(TokenType type);
// Between two operands: + - * / ^ .. and or and the comparisons.
bool is_binary(TokenType type);
// After these an operator may follow, before them none can.
bool ends_operand(TokenType type);
// A value may begin with these.
bool begins_operand(TokenType type);
// A statement goes on after these at the end of a line.
bool continues_line(TokenType type);

// The others, for tools that show texts: words that never name anything, words of entries in blocks and of events.
std::vector<std::string> reserved_words();
std::vector<std::string> entry_words();
std::vector<std::string> action_words();
// The modifiers that a statement which begins with this word takes.
std::vector<std::string> modifiers_after(std::string_view word);

// May this modifier belong to a statement that began with `head`?
bool takes_modifier(TokenType head, TokenType modifier);
// May it stand at the beginning of a line and still belong to the line before?
bool modifier_continues(TokenType head, TokenType modifier);

// "particle", "parameter": what a statement that begins with `head` names, for messages. "" when it names nothing.
std::string_view declared_noun(TokenType head);
// The word itself: "particle" for PARTICLE, "if" for IF_BLOCK. "" when there is none.
std::string_view head_text(TokenType head);

// "a `force` statement", "an `init` statement"
std::string statement_noun(std::string_view word);
// "a particle", "an input"
std::string with_article(std::string_view noun);

// Does the text between unit brackets consist of known unit names, numbers and * / ^ only?
bool looks_like_unit(std::string_view inside);

}  // namespace mbc::syntax
