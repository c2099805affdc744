// SPDX-License-Identifier: Apache-2.0
// Reading files as text; lists of folders.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mbc {

// One byte more than a model may have, so that a file without an end (/dev/zero) is not read further.
inline constexpr std::size_t kMostOfModel = (std::size_t{8} << 20) + 1;

// Reads a file, or the first `limit` bytes of it; on failure `error` gives the reason.
bool read_file(const std::string& path, std::string& text, std::string& error, std::size_t limit = kMostOfModel);

// Returns the folders in "a:b"; if a folder has this very name, it is the only one.
std::vector<std::string> folders_in(const std::string& list);

}  // namespace mbc
