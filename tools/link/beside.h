// SPDX-License-Identifier: Apache-2.0
// Where lies what comes with mbc.
#pragma once
#include <string>
#include <vector>

namespace mbc::tools {

// A library that comes with mbc: beside the program, in ../lib, or in the folder MBC_LIBRARY_PATH names; "" when it is
// not there.
[[nodiscard]] std::string library_beside(const std::string& name);

// Where a document that comes with mbc may lie: with an installed program, with one that was built only.
[[nodiscard]] std::vector<std::string> documents_beside(const std::string& name);

}  // namespace mbc::tools
