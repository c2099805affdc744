// SPDX-License-Identifier: Apache-2.0
// What a file must be before any lexer sees it: small enough, valid UTF-8, no NUL. ANTLR throws on some broken text and
// lets other through, so this is decided here, with a place.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"

namespace mbc::syntax {

inline constexpr std::size_t kMaxFileBytes = 8u << 20;

// False when the text cannot be read on; one error has been reported then.
bool check_text(const SourceSet& sources, std::uint32_t file, Sink& sink);

}  // namespace mbc::syntax
