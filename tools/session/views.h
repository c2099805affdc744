// SPDX-License-Identifier: Apache-2.0
// The equations of motion, the state and the names of a session as text: `:A`, `:rank`, `:help NAME`.
#pragma once
#include <string>
#include <vector>

#include "tools/session/session.h"

namespace mbc::tools {

// Return whether a word is a view such as `:A`, and the text of the view.
[[nodiscard]] bool is_view(const std::string& word);
[[nodiscard]] std::string view_text(Session& session, const std::string& word);
// Returns the text of `:help NAME` for a name of the session, of the library or a built-in one; "" for other names.
[[nodiscard]] std::string help_text(const Session& session, const std::string& name);
// Returns the text of `:explain ROW`; "" if there is no such row among the known ones.
[[nodiscard]] std::string explain_row(Session& session, const std::string& name, std::vector<std::string>& known);

}  // namespace mbc::tools
