// SPDX-License-Identifier: Apache-2.0
// Texts of the language, without a model: their layout, and what a session reads.
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

// One thing that a statement declares: `b = 2` of `param a = 1, b = 2`.
struct EntryItem {
  std::string name;  // "b"; "" where it has none
  std::string key;   // what cannot be there twice: "b", "gravity", "simulate demo"; "" where nothing speaks against it
  std::string text;  // as a statement of its own: "param b = 2"
};

// Part of an entry: an expression, or one statement, with the comments before it.
struct EntryPart {
  std::string text;                // blanks before it keep its column
  std::uint32_t line = 1;          // of the entry, where it begins
  std::size_t begin = 0, end = 0;  // bytes of the entry
  bool expression = false;
  std::string word;  // "param", "particle"; "instance", "expression"
  std::vector<EntryItem> items;
};
[[nodiscard]] Result<std::vector<EntryPart>> split_entry(const std::string& text, const std::string& name,
                                                         bool colour = false);
// Whether more has to follow: an open bracket or brace, an operator at the end.
[[nodiscard]] bool entry_wants_more(const std::string& text);
// A file without its `mbd 1`, blanked so that places stay what they were.
[[nodiscard]] std::string without_header(const std::string& text);

}  // namespace mbc
