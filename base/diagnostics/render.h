// SPDX-License-Identifier: Apache-2.0
// Diagnostics to text (the form of docs/diagnostics.md, with labels on both sides) and to JSON (one object a line).
#pragma once
#include <concepts>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/name.h"
#include "base/source_file.h"

namespace mbc {

struct RenderOptions {
  bool colour = false;
};

std::string render_text(const Diagnostic& d, const SourceSet& sources, RenderOptions options = {});
// The same as plain data, which is what a host sees, and what to_json() makes a JSON object of.
DiagnosticInfo to_info(const Diagnostic& d, const SourceSet& sources);
// All of them, followed by "N errors" when errors were suppressed.
std::string render_text(const Sink& sink, const SourceSet& sources, RenderOptions options = {});

// Control characters escaped, cut to `limit` bytes at a code point: anything from a model that goes to a terminal.
std::string printable(std::string_view text, std::size_t limit = 200);
template <std::same_as<Name> N>  // nothing that would become one
std::string printable(const N& name) {
  return printable(name.text());
}

// The candidate closest to `name` by edit distance, or "" when none is near enough to suggest.
std::string nearest(std::string_view name, const std::vector<std::string>& candidates);

}  // namespace mbc
