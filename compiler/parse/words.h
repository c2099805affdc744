// SPDX-License-Identifier: Apache-2.0
// The words that are keywords only in their place, and the classes of tokens in the newline rule.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "compiler/parse/tokens.h"

namespace mbc::syntax {

// Return the token type of a word that begins a statement (`particle`, `init`, ...), of an entry of a block (`check`,
// `record`), or of a modifier (`at`, `step`, ...); 0 for any other word.
TokenType head_word(std::string_view word);
TokenType entry_word(std::string_view word);
// `enable`, `disable`, `stop`, `impulse`: the actions of an event besides assignments.
TokenType action_word(std::string_view word);
TokenType modifier_word(std::string_view word);

// Returns every word that can begin or modify a statement, for suggestions.
const std::vector<std::string>& statement_words();
const std::vector<std::string>& modifier_words();
// Returns the statement that an unknown first word means, misspelt or from another language; "" if there is none.
std::string meant_statement(std::string_view word);

bool is_reserved(TokenType type);
bool is_comparison(TokenType type);
// Returns true for the operators between two operands: + - * / ^ .. and or and the comparisons.
bool is_binary(TokenType type);
// Returns true for tokens after which an operator may follow and before which none can.
bool ends_operand(TokenType type);
// Returns true for tokens that a value may begin with.
bool begins_operand(TokenType type);
// Returns true for tokens after which a statement goes on at the end of a line.
bool continues_line(TokenType type);

// The other words, for tools that show texts: words that never name anything, words of entries in blocks and of events.
std::vector<std::string> reserved_words();
std::vector<std::string> entry_words();
std::vector<std::string> action_words();
// Returns the modifiers of a statement that begins with this word.
std::vector<std::string> modifiers_after(std::string_view word);

// Returns whether this modifier may belong to a statement that began with `head`.
bool takes_modifier(TokenType head, TokenType modifier);
// Returns whether it may stand at the beginning of a line and still belong to the line before.
bool modifier_continues(TokenType head, TokenType modifier);

// Returns the noun for the name in a statement that begins with `head`, for messages: "particle", "parameter". "" if it
// names nothing.
std::string_view declared_noun(TokenType head);
// Returns the word itself: "particle" for PARTICLE, "if" for IF_BLOCK; "" if there is none.
std::string_view head_text(TokenType head);

// "a `force` statement", "an `init` statement"
std::string statement_noun(std::string_view word);
// "a particle", "an input"
std::string with_article(std::string_view noun);

// Returns whether the text between unit brackets consists only of known unit names, numbers and * / ^.
bool looks_like_unit(std::string_view inside);

}  // namespace mbc::syntax
