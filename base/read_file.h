// SPDX-License-Identifier: Apache-2.0
// A file as text.
#pragma once
#include <string>

namespace mbc {

// The whole of a file, or why not.
bool read_file(const std::string& path, std::string& text, std::string& error);

}  // namespace mbc
