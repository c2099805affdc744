// SPDX-License-Identifier: Apache-2.0
// Diagnostics to text (the form of docs/diagnostics.md, with labels on both sides) and to JSON (one object a line).
#pragma once
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "base/text.h"

namespace mbc {

struct RenderOptions {
  bool colour = false;
};

std::string render_text(const Diagnostic& d, const SourceSet& sources, RenderOptions options = {});
// The same as plain data, which is what a host sees, and what to_json() makes a JSON object of.
DiagnosticInfo to_info(const Diagnostic& d, const SourceSet& sources);
// All of them, followed by "N errors" when errors were suppressed.
std::string render_text(const Sink& sink, const SourceSet& sources, RenderOptions options = {});

}  // namespace mbc
