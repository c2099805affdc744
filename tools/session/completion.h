// SPDX-License-Identifier: Apache-2.0
// Completion of typed text: names and members, parts of the library, settings, files, commands.
#pragma once
#include <string>
#include <vector>

#include "tools/session/line_reader.h"
#include "tools/session/session.h"

namespace mbc::tools {

// `before` has all lines of the entry up to the cursor; `begin` of the answer counts in its last line.
[[nodiscard]] Completion complete(Session& session, const std::string& before);
// Returns the commands with their colon.
[[nodiscard]] const std::vector<std::string>& command_words();

}  // namespace mbc::tools
