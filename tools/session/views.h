// SPDX-License-Identifier: Apache-2.0
// The equations of motion, the state and the names of a session as text: `:A`, `:rank`, `:help NAME`.
#pragma once
#include <string>
#include <vector>

#include "tools/session/session.h"

namespace mbc::tools {

// What `:A` and its kin print.
[[nodiscard]] bool is_view(const std::string& word);
[[nodiscard]] std::string view_text(Session& session, const std::string& word);
// What `:help NAME` says of a name of the session, of the library or built in; "" where it is none of them.
[[nodiscard]] std::string help_text(const Session& session, const std::string& name);
// What `:explain ROW` says; "" where there is no such row among the known ones.
[[nodiscard]] std::string explain_row(Session& session, const std::string& name, std::vector<std::string>& known);

}  // namespace mbc::tools
