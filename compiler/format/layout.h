// SPDX-License-Identifier: Apache-2.0
// A text as lines of pieces: the tokens and comments of a line, its indent, and the number of blanks before each piece.
#pragma once
#include <string_view>
#include <vector>

#include "compiler/parse/classified.h"

namespace mbc::format {

struct Piece {
  std::string_view text;
  unsigned gap = 0;  // blanks before it; alignment adds to them
  bool comment = false;
  syntax::TokenClass kind{};  // pieces of one kind can be lined up
  unsigned column = 0;        // in the original text, in character cells; a tab goes to the next multiple of 8
  unsigned blanks = 0;        // empty cells before it
};

struct Line {
  unsigned indent = 0;
  bool after_blank_line = false;
  bool joined = false;  // made of several lines of the text: its columns mean nothing
  std::vector<Piece> pieces;
};

// Keeps the line breaks of the text, except in blocks over several lines, whose braces are moved to line ends.
std::vector<Line> lay_out(std::string_view text, const std::vector<syntax::ClassifiedToken>& tokens);

// Returns the cells of a text without tabs and line ends.
unsigned width_of(std::string_view text);

}  // namespace mbc::format
