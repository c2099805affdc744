// SPDX-License-Identifier: Apache-2.0
// Puts objects into archives and shared objects, by LLVM's archiver and LLD in this process. No linker, compiler or
// development package is needed, only the C library that is loaded anyway.
#pragma once
#include <string>
#include <vector>

namespace mbc::jit {

// These two functions implement Engine::archive and Engine::link.
[[nodiscard]] std::string archive_of(const std::string& object, const std::string& name, const std::string& support,
                                     std::string& error);
[[nodiscard]] std::string shared_object(const std::vector<std::string>& objects, const std::string& support,
                                        const std::string& name, std::string& error);

}  // namespace mbc::jit
