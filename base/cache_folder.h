// SPDX-License-Identifier: Apache-2.0
// The folder for files that can be made again: compiled code, texts of the library for editors.
#pragma once
#include <string>

namespace mbc {

// Returns $MBC_CACHE (`off` or empty: none), else $XDG_CACHE_HOME/mbc, else ~/.cache/mbc; "" if there is none, or if
// the process runs with rights that its user does not have.
[[nodiscard]] std::string cache_folder();

}  // namespace mbc
