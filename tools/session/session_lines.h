// SPDX-License-Identifier: Apache-2.0
// Translates places in rendered diagnostics of a session's source to those its user sees: see session.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mbc::tools {

inline constexpr const char* kSessionFile = "<input>";

struct LineMap {
  std::uint32_t first = 1;  // line of the whole source where the current statement begins
  std::uint32_t shown = 1;  // its number for the user
};

// The map without a current statement.
inline constexpr LineMap kAllEarlier{0xffffffffu, 1};

// Returns one text for each diagnostic: a heading and the indented lines below it.
[[nodiscard]] std::vector<std::string> split_diagnostics(const std::string& rendered);

// Returns `rendered` with translated places. Its colours do not change.
[[nodiscard]] std::string translate_lines(const std::string& rendered, const LineMap& map);

}  // namespace mbc::tools
