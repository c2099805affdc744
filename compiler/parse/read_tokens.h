// SPDX-License-Identifier: Apache-2.0
// Runs the lexer, reports what it could not read, and checks the limits (tokens, nesting, length of names).
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

inline constexpr std::size_t kMaxTokens = 2'000'000;
inline constexpr std::size_t kMaxNameBytes = 255;

// Reads the tokens of sources[file]. Returns false if a limit was exceeded; the error has been reported then.
bool read_tokens(const SourceSet& sources, std::uint32_t file, Sink& sink, TokenList& out);

}  // namespace mbc::syntax
