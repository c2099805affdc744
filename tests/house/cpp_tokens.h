// SPDX-License-Identifier: Apache-2.0
// Splits a C++ text into tokens: words, numbers, brackets and operators. Comments and preprocessor lines give no
// tokens. Strings and characters give the token `""`.
#pragma once
#include <string_view>
#include <vector>

namespace mbc::house {

struct Token {
  std::string_view text;
  int line;
};

std::vector<Token> tokens_of(std::string_view text);

bool is_word(std::string_view text);

// Returns the position after the bracket that closes the one at `at`.
std::size_t behind_group(const std::vector<Token>& tokens, std::size_t at);

}  // namespace mbc::house
