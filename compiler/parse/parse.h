// SPDX-License-Identifier: Apache-2.0
// The only use of ANTLR: text in, syntax tree and diagnostics out. It never throws and never prints, whatever the
// input.
#pragma once
#include <cstdint>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/ast/ast.h"

namespace mbc {

enum class ParseMode : std::uint8_t {
  file,  // starts with `mbd 1`; expressions are not statements
  repl,  // no header; an expression alone is a statement
};

// Parses sources[file]. Returns the tree as far as it could be built even if errors were reported.
ast::File parse(const SourceSet& sources, std::uint32_t file, ParseMode mode, Sink& sink);

// Returns true if `text` is an unfinished statement (open bracket or brace, trailing operator), so that the REPL reads
// on.
bool wants_more(std::string_view text);

}  // namespace mbc
