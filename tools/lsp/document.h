// SPDX-License-Identifier: Apache-2.0
// An open document, its compiled model and the index of its names. The text changes with every key; the rest is made on
// demand.
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

// The places of files.
struct Setup {
  std::string stdlib;  // replaces the built-in library; "": the built-in one
  std::string copies;  // folder for copies of the built-in library's texts, which editors open; "": there is none
};

struct Document {
  std::string uri;
  std::string path;  // "" for a text that is not a file
  std::int64_t version = 0;
  Text text;
  bool stale = true;  // the text has changed since the members below were made
  Model model;
  SourceIndex index;
  SourceIndex earlier;  // index of the last text without syntax errors, if this one has some
  bool indexed = false;
  double seconds = 0;                          // duration of the last analysis
  std::optional<std::optional<int>> freedoms;  // outer: whether it was computed; inner: the result

  // Compiles the text if it has changed.
  void analyse(const Setup& setup);
  // Returns the degrees of freedom at the initial state; nothing for a model with errors and for large ones.
  std::optional<int> degrees_of_freedom();

  // Returns the index of the last text without syntax errors, which completion uses.
  [[nodiscard]] const SourceIndex& known() const { return index.whole ? index : earlier; }

  [[nodiscard]] const IndexSymbol& symbol(std::uint32_t id) const { return index.symbols.at(id); }
  // Returns the use at a place, or null.
  [[nodiscard]] const IndexUse* use_at(std::uint32_t offset) const;
  // fact_of() returns the fact of exactly this place; fact_ending() the smallest one that ends where `place` does.
  [[nodiscard]] const IndexFact* fact_of(const TextRange& place) const;
  [[nodiscard]] const IndexFact* fact_ending(const TextRange& place) const;
  [[nodiscard]] std::string_view text_of(const TextRange& place) const;
};

[[nodiscard]] CompileOptions compile_options(const std::string& path, const Setup& setup);

// Convert between "file:///a%20b.mbd" and "/a b.mbd"; "" if there is no such file.
[[nodiscard]] std::string path_of(const std::string& uri);
[[nodiscard]] std::string uri_of(const std::string& path);

// A file of the index that an editor can open, and its text; nothing for modules without copies.
struct Openable {
  std::string uri;
  Text text;
};
[[nodiscard]] std::optional<Openable> openable(const Document& document, std::uint32_t file, const Setup& setup);

}  // namespace mbc::lsp
