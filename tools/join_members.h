// SPDX-License-Identifier: Apache-2.0
// `mbc sweep --join`: parts of one sweep, which several machines have run, as one result.
#pragma once
#include "tools/options.h"

namespace mbc::tools {

// Joins the results `join` of the options; returns the exit status.
[[nodiscard]] int join_members(const Options& options);

}  // namespace mbc::tools
