// SPDX-License-Identifier: Apache-2.0
// `mbc jupyter`: the kernel for notebooks, and its installation.
#pragma once
#include "tools/options.h"

namespace mbc::tools {

// Returns the text of mbc_kernel.py.
[[nodiscard]] const char* kernel_text();
[[nodiscard]] int serve_notebook(const Options& options);

}  // namespace mbc::tools
