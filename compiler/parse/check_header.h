// SPDX-License-Identifier: Apache-2.0
// Checks the first statement of a file: `mbd 1`.
#pragma once
#include "base/diagnostics/diagnostic.h"
#include "compiler/parse/tokens.h"

namespace mbc::syntax {

inline constexpr std::uint32_t kLanguageVersion = 1;

// Returns false if the file is of another language or version, so that nothing of it is read.
bool check_header(TokenList& list, Sink& sink);

}  // namespace mbc::syntax
