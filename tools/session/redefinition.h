// SPDX-License-Identifier: Apache-2.0
// What a name that is declared anew changes besides itself.
#pragma once
#include <string>
#include <utility>
#include <vector>

#include "mbc/mbc.h"
#include "tools/session/statements.h"

namespace mbc::tools {

using NamedValues = std::vector<std::pair<std::string, std::string>>;

// Names of the text, in its order, whose statements use one of these, or something that does; a statement without a
// name by its first word. `text`: what the index is of.
[[nodiscard]] std::vector<std::string> users_of(const SourceIndex& index, const std::string& text,
                                                const std::vector<std::string>& names);

// "k = 3, was 2" and "followed: T = 3.4 [s], was 2.8 [s]; spring".
[[nodiscard]] std::string redefinition_text(const std::vector<Replaced>& replaced,
                                            const std::vector<std::string>& users, const NamedValues& before,
                                            const NamedValues& after);

}  // namespace mbc::tools
