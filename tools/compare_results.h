// SPDX-License-Identifier: Apache-2.0
#pragma once
#include "tools/options.h"

namespace mbc::tools {

// Compares the results `file` and `simulation` of the options; returns the exit status.
[[nodiscard]] int compare_results(const Options& options);

}  // namespace mbc::tools
