// SPDX-License-Identifier: Apache-2.0
// The part of `mbc compare` that is about two results.
#pragma once
#include "tools/options.h"

namespace mbc::tools {

// Compares the results `file` and `simulation` of the options; returns the exit status.
[[nodiscard]] int compare_results(const Options& options);

}  // namespace mbc::tools
