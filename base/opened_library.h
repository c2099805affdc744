// SPDX-License-Identifier: Apache-2.0
// Libraries of mbc that are opened when they are asked for, so that nothing else loads what they are linked with.
#pragma once
#include <string>

namespace mbc {

// Returns a symbol of a library, which stays open. Returns null on failure, with the reason in `error`.
[[nodiscard]] void* symbol_of_library(const std::string& file, const char* symbol, std::string& error);

// "`FILE` is of another version"
[[nodiscard]] std::string is_of_another_version(const std::string& file);

}  // namespace mbc
