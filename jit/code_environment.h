// SPDX-License-Identifier: Apache-2.0
// The properties besides its kernel that kept code depends on, as a text. The text is the same for the compiler, which
// keeps an object, and for a process that looks for one without the compiler.
#pragma once
#include <string>

namespace mbc::jit {

// The first part of the names of a kernel's functions in kept objects. It is the same for all, so that an object fits
// any process.
inline constexpr const char* kKeptPrefix = "k_";

// `library` is the file of libmbc-jit; a rebuilt one may emit other code. Returns "" if there is no such file.
[[nodiscard]] std::string code_environment(const std::string& processor, const std::string& library, int optimise);

}  // namespace mbc::jit
