// SPDX-License-Identifier: Apache-2.0
// Object code as a shared object, by the linker of the system.
#pragma once
#include <string>
#include <vector>

namespace mbc::tools {

// The bytes of a shared object with the functions of `object` and the support library they need; "" and `error`.
[[nodiscard]] std::string shared_object(const std::string& object, const std::string& name, std::string& error);

// A library that comes with mbc: beside the program, in ../lib, or in the folder MBC_LIBRARY_PATH names; "" when it is
// not there.
[[nodiscard]] std::string library_beside(const std::string& name);

// Where a document that comes with mbc may lie: with an installed program, with one that was built only.
[[nodiscard]] std::vector<std::string> documents_beside(const std::string& name);

}  // namespace mbc::tools
