// SPDX-License-Identifier: Apache-2.0
// Text to tokens: runs the lexer, reports what it could not read, counts (tokens, nesting, length of names).
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

inline constexpr std::size_t kMaxTokens = 2'000'000;
inline constexpr std::size_t kMaxNameBytes = 255;

// The tokens of sources[file]. False when a limit stopped it; the error has been reported and nothing more is to be
// done.
bool read_tokens(const SourceSet& sources, std::uint32_t file, Sink& sink, TokenList& out);

}  // namespace mbc::syntax
