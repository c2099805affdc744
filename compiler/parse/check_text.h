// SPDX-License-Identifier: Apache-2.0
// Checks a file before any lexer sees it: it has to be small enough and valid UTF-8 without NUL. ANTLR throws on some
// broken texts and accepts others; this check reports them with a place.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"

namespace mbc::syntax {

inline constexpr std::size_t kMaxFileBytes = 8u << 20;

// Returns false if the text cannot be read on; one error has been reported then.
bool check_text(const SourceSet& sources, std::uint32_t file, Sink& sink);

}  // namespace mbc::syntax
