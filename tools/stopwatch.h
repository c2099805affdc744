// SPDX-License-Identifier: Apache-2.0
// Time since the program began, for --time-passes.
#pragma once
#include <chrono>

namespace mbc::tools {

inline const std::chrono::steady_clock::time_point kProgramBegan = std::chrono::steady_clock::now();

inline double seconds_since(std::chrono::steady_clock::time_point begin) {
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

}  // namespace mbc::tools
