// SPDX-License-Identifier: Apache-2.0
// The effects of a new declaration of a name on other names.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mbc/mbc.h"
#include "tools/session/statements.h"

namespace mbc::tools {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// Returns names of the text, in its order, whose statements use one of these names directly or indirectly; a statement
// without a name is listed by its first word. `text` is the text of the index.
[[nodiscard]] std::vector<std::string> users_of(const SourceIndex& index, const std::string& text,
                                                const std::vector<std::string>& names);

// Returns "k = 3, was 2" and "followed: T = 3.4 [s], was 2.8 [s]; spring".
[[nodiscard]] std::string redefinition_text(const std::vector<Replaced>& replaced,
                                            const std::vector<std::string>& users, const NamedValues& before,
                                            const NamedValues& after);

}  // namespace mbc::tools
