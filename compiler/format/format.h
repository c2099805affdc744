// SPDX-License-Identifier: Apache-2.0
// The canonical layout of a text (`mbc fmt`). Words, comments, line breaks and meaning stay; blanks, indentation and
// empty lines are normalised. format(format(x)) = format(x).
#pragma once
#include <optional>
#include <string>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"

namespace mbc::format {

// Returns nothing for a text with syntax errors, which are reported to `sink`.
std::optional<std::string> format(const std::string& text, const std::string& name, SourceSet& sources, Sink& sink);

}  // namespace mbc::format
