// SPDX-License-Identifier: Apache-2.0
// Sentences as lines of a terminal.
#pragma once
#include <cstddef>
#include <string>

namespace mbc::text {

// Breaks a sentence between words into lines of at most `width` columns: the first one begins with `first`, the others
// with `next`, which are blanks. A longer word has a line of its own.
[[nodiscard]] std::string wrapped(const std::string& sentence, std::size_t width, const std::string& first = "",
                                  const std::string& next = "");

}  // namespace mbc::text
