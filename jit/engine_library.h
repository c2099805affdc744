// SPDX-License-Identifier: Apache-2.0
// Which library native code would come from, without opening it.
#pragma once
#include <string>

namespace mbc::jit {

// "LLVM 19.1.7, /usr/lib/libmbc-jit.so": the version it was built with here, and the file load_engine() tries first; ""
// when there is none.
std::string engine_library();

// The archive that object files are linked with, looked for where the library is; "" when there is none, and why.
std::string support_library(std::string& error);

}  // namespace mbc::jit
