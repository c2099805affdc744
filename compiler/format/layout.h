// SPDX-License-Identifier: Apache-2.0
// Text as lines of pieces: which tokens and comments stand on a line, how far it is indented, and how many blanks there
// are before each piece.
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
  unsigned column = 0;        // where it stood, in character cells; a tab went to the next multiple of 8
  unsigned blanks = 0;        // cells without anything before it
};

struct Line {
  unsigned indent = 0;
  bool after_blank_line = false;
  bool joined = false;  // from more than one line of the text: its columns say nothing
  std::vector<Piece> pieces;
};

// The line breaks are those of the text, but for blocks that go over several lines: their braces stand at line ends.
std::vector<Line> lay_out(std::string_view text, const std::vector<syntax::ClassifiedToken>& tokens);

// Cells of a text without tabs and line ends.
unsigned width_of(std::string_view text);

}  // namespace mbc::format
