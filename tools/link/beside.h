// SPDX-License-Identifier: Apache-2.0
// Places of files that are installed with mbc.
#pragma once
#include <string>
#include <vector>

namespace mbc::tools {

// Returns a library of mbc: beside the program, in ../lib, or in the folder of MBC_LIBRARY_PATH; "" if it is not there.
[[nodiscard]] std::string library_beside(const std::string& name);

// Returns the possible places of a document of mbc: for an installed program, and for one in a build folder.
[[nodiscard]] std::vector<std::string> documents_beside(const std::string& name);

}  // namespace mbc::tools
