// SPDX-License-Identifier: Apache-2.0
// An open document and what was made of it: the compiled model, the index of its names. The text changes at every key,
// the rest when somebody asks.
#pragma once
#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mbc/mbc.h"
#include "tools/lsp/text.h"

namespace mbc::lsp {

// Where files are.
struct Setup {
  std::string stdlib;  // in place of the library built in; "" for that
  std::string copies;  // folder for texts of the library built in, to be opened; "": there are none
};

struct Document {
  std::string uri;
  std::string path;  // "" for a text that is no file
  std::int64_t version = 0;
  Text text;
  bool stale = true;  // the text changed behind what follows
  Model model;
  SourceIndex index;
  SourceIndex earlier;  // of the last text without mistakes of syntax, where this one has some
  bool indexed = false;
  double seconds = 0;                          // that the last analysis took
  std::optional<std::optional<int>> freedoms;  // looked for; found

  // Compiles the text, unless that was done.
  void analyse(const Setup& setup);
  // Degrees of freedom at the initial state; nothing for a model with errors and for large ones.
  std::optional<int> degrees_of_freedom();

  // The index of the last text without mistakes of syntax: what completion goes by.
  [[nodiscard]] const SourceIndex& known() const { return index.whole ? index : earlier; }

  [[nodiscard]] const IndexSymbol& symbol(std::uint32_t id) const { return index.symbols.at(id); }
  // What stands at a place, or null.
  [[nodiscard]] const IndexUse* use_at(std::uint32_t offset) const;
  // The fact of exactly this place; the smallest one that ends where `place` does.
  [[nodiscard]] const IndexFact* fact_of(const TextRange& place) const;
  [[nodiscard]] const IndexFact* fact_ending(const TextRange& place) const;
  [[nodiscard]] std::string_view text_of(const TextRange& place) const;
};

[[nodiscard]] CompileOptions compile_options(const std::string& path, const Setup& setup);

// "file:///a%20b.mbd" and "/a b.mbd"; "" where there is no such file.
[[nodiscard]] std::string path_of(const std::string& uri);
[[nodiscard]] std::string uri_of(const std::string& path);

// A file of the index as one that an editor can open, and its text; nothing for modules without copies.
struct Openable {
  std::string uri;
  Text text;
};
[[nodiscard]] std::optional<Openable> openable(const Document& document, std::uint32_t file, const Setup& setup);

}  // namespace mbc::lsp
