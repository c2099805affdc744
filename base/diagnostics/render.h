// SPDX-License-Identifier: Apache-2.0
// Renders diagnostics as text (the form of docs/diagnostics.md, with labels on both sides) and as JSON (one object a
// line).
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
// Returns the diagnostic as the plain data that hosts get and that to_json() formats.
DiagnosticInfo to_info(const Diagnostic& d, const SourceSet& sources);
// Renders all diagnostics, followed by "N errors" if errors were suppressed.
std::string render_text(const Sink& sink, const SourceSet& sources, RenderOptions options = {});

}  // namespace mbc
