// SPDX-License-Identifier: Apache-2.0
// Where files are kept that can be made again: compiled code, texts of the library for editors.
#pragma once
#include <string>

namespace mbc {

// $MBC_CACHE (`off` or empty: none), else $XDG_CACHE_HOME/mbc, else ~/.cache/mbc; "" when there is none, or the process
// runs with rights its user has not got.
[[nodiscard]] std::string cache_folder();

}  // namespace mbc
