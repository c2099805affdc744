// SPDX-License-Identifier: Apache-2.0
// The layout of texts, for hosts that edit them.
#include "compiler/format/format.h"

#include "base/diagnostics/render.h"
#include "mbc/mbc.h"

namespace mbc {

std::optional<std::string> format_text(const std::string& text, const std::string& name, std::string& error,
                                       bool colour) {
  SourceSet sources;
  Sink sink;
  std::optional<std::string> out = format::format(text, name, sources, sink);
  error = render_text(sink, sources, {colour});
  return out;
}

}  // namespace mbc
