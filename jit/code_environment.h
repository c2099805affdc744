// SPDX-License-Identifier: Apache-2.0
// What kept code depends on besides its kernel: the same text whether the compiler asks, which keeps an object, or a
// process that looks for one without the compiler.
#pragma once
#include <string>

namespace mbc::jit {

// First part of the names of a kernel's functions in kept objects: the same for all, so that an object fits any
// process.
inline constexpr const char* kKeptPrefix = "k_";

// `library` is the file of libmbc-jit: a rebuilt one may emit other code. "" when there is no such file.
[[nodiscard]] std::string code_environment(const std::string& processor, const std::string& library, int optimise);

}  // namespace mbc::jit
