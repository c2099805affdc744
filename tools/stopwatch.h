// SPDX-License-Identifier: Apache-2.0
// The start time of the program, for --time-passes.
#pragma once
#include "base/stopwatch.h"

namespace mbc::tools {

inline const Clock::time_point kProgramBegan = Clock::now();

}  // namespace mbc::tools
