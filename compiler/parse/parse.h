// SPDX-License-Identifier: Apache-2.0
// The only door to ANTLR. Text in, syntax tree and diagnostics out; never throws, never prints, any input.
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

// Parses sources[file]. What could be built is returned even when errors were reported.
ast::File parse(const SourceSet& sources, std::uint32_t file, ParseMode mode, Sink& sink);

// True when `text` is a statement that is not finished yet (open bracket or brace, trailing operator): the REPL reads
// on.
bool wants_more(std::string_view text);

}  // namespace mbc
