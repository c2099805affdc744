// SPDX-License-Identifier: Apache-2.0
// A file as text; lists of folders.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mbc {

// One byte more than a model may have: what has no end (/dev/zero) is read no further.
inline constexpr std::size_t kMostOfModel = (std::size_t{8} << 20) + 1;

// A file, or the first `limit` bytes of it; or why not.
bool read_file(const std::string& path, std::string& text, std::string& error, std::size_t limit = kMostOfModel);

// "a:b" as its folders; a folder that has this very name is the only one.
std::vector<std::string> folders_in(const std::string& list);

}  // namespace mbc
