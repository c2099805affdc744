// SPDX-License-Identifier: Apache-2.0
// Looks for libmbc-jit and the files that belong to it.
#pragma once
#include <string>
#include <vector>

namespace mbc::jit {

inline constexpr const char* kLibrary = "libmbc-jit.so";

// Returns the existing files of that name, in the order in which they are tried. If there is none, `error` names the
// folders searched.
[[nodiscard]] std::vector<std::string> files_named(const char* name, std::string& error);

}  // namespace mbc::jit
