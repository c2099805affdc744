// SPDX-License-Identifier: Apache-2.0
// Finds the library that native code would come from, without opening it.
#pragma once
#include <string>

namespace mbc::jit {

// Returns "LLVM 19.1.7, /usr/lib/libmbc-jit.so": the LLVM version of the build, and the file that load_engine() tries
// first; "" if there is none.
std::string engine_library();

// Returns the archive that object files are linked with; it is looked for where the library is. Returns "" if there is
// none; `error` says why.
std::string support_library(std::string& error);

}  // namespace mbc::jit
