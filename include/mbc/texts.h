// SPDX-License-Identifier: Apache-2.0
// Texts of the language, without a model: their layout, and what a session reads.
#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/export.h"
#include "mbc/result.h"

namespace MBC_API mbc {

[[nodiscard]] std::string version();           // "0.1.0"
[[nodiscard]] std::string back_end_version();  // "LLVM 19.1.7, ..." or "" when only the interpreter is there
// "LLVM 19.1.7, /usr/lib/libmbc-jit.so": the library that back_end_version() would open, or "" when it is not found.
[[nodiscard]] std::string back_end_library();

// The canonical layout of a model's text (`mbc fmt`). Fails, and says why, when it has syntax errors. `warnings`: what
// was said of it all the same.
struct FormattedText {
  std::string text, warnings;
};
[[nodiscard]] Result<FormattedText> format_text(const std::string& text, const std::string& name, bool colour = false);

// The modules of the standard library, as text, by name.
struct LibraryModule {
  std::string name, text;
};
[[nodiscard]] std::vector<LibraryModule> library_modules();

// ---- what is typed into a session, where an expression alone is a statement

// Part of an entry: one expression, or all declarations up to the next one, with the comments before and between them.
struct EntryPart {
  std::string text;
  std::uint32_t line = 1;  // of the entry, where it begins
  bool expression = false;
};
[[nodiscard]] Result<std::vector<EntryPart>> split_entry(const std::string& text, const std::string& name,
                                                         bool colour = false);
// Whether more has to follow: an open bracket or brace, an operator at the end.
[[nodiscard]] bool entry_wants_more(const std::string& text);
// A file without its `mbd 1`, blanked so that places stay what they were.
[[nodiscard]] std::string without_header(const std::string& text);

}  // namespace mbc
