// SPDX-License-Identifier: Apache-2.0
// Where libmbc-jit and what belongs to it is looked for.
#pragma once
#include <string>
#include <vector>

namespace mbc::jit {

inline constexpr const char* kLibrary = "libmbc-jit.so";

// Files of that name that are there, in the order they are tried; with none `error` names the folders looked in.
[[nodiscard]] std::vector<std::string> files_named(const char* name, std::string& error);

}  // namespace mbc::jit
