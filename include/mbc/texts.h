// SPDX-License-Identifier: Apache-2.0
// Functions on texts of the language that need no model: their layout, and the entries of a session.
#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "mbc/export.h"
#include "mbc/result.h"

namespace MBC_API mbc {

[[nodiscard]] std::string version();           // "0.1.0"
[[nodiscard]] std::string back_end_version();  // "LLVM 19.1.7, ...", or "" if only the interpreter is available
// Returns the library that back_end_version() would open: "LLVM 19.1.7, /usr/lib/libmbc-jit.so", or "" if it is not
// found.
[[nodiscard]] std::string back_end_library();

// Text in the canonical layout (`mbc fmt`). format_text() fails for texts with syntax errors, and the error gives them.
// `warnings` has the diagnostics of a text without errors.
struct FormattedText {
  std::string text, warnings;
};
[[nodiscard]] Result<FormattedText> format_text(const std::string& text, const std::string& name, bool colour = false);

// A module of the standard library as text.
struct LibraryModule {
  std::string name, text;
};
[[nodiscard]] std::vector<LibraryModule> library_modules();

// ---- entries of a session, where an expression alone is a statement

// One declaration of a statement: `b = 2` of `param a = 1, b = 2`.
struct EntryItem {
  std::string name;  // "b"; "" if it has none
  std::string key;   // what may be declared only once: "b", "gravity", "simulate demo"; "" if nothing forbids another
  std::string text;  // as a separate statement: "param b = 2"
};

// Part of an entry: an expression, or one statement, with the comments before it.
struct EntryPart {
  std::string text;                // leading blanks keep its column
  std::uint32_t line = 1;          // line of the entry where it begins
  std::size_t begin = 0, end = 0;  // byte offsets in the entry
  bool expression = false;
  std::string word;  // "param", "particle"; "instance", "expression"
  std::vector<EntryItem> items;
};
[[nodiscard]] Result<std::vector<EntryPart>> split_entry(const std::string& text, const std::string& name,
                                                         bool colour = false);
// Returns whether the entry is incomplete: an open bracket or brace, an operator at the end.
[[nodiscard]] bool entry_wants_more(const std::string& text);
// Returns the text of a file without its `mbd 1`, which blanks replace so that places stay the same.
[[nodiscard]] std::string without_header(const std::string& text);

}  // namespace mbc
