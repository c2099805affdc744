// SPDX-License-Identifier: Apache-2.0
// Rendered diagnostics of a session's source, with places as its user sees them: see session.h.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

namespace mbc::tools {

inline constexpr const char* kSessionFile = "<input>";

struct LineMap {
  std::uint32_t first = 1;  // line of the whole source where the statement at hand begins
  std::uint32_t shown = 1;  // the number it has for the user
};

// No statement at hand.
inline constexpr LineMap kAllEarlier{0xffffffffu, 1};

// One text for each diagnostic: a heading and the indented lines below it.
[[nodiscard]] std::vector<std::string> split_diagnostics(const std::string& rendered);

// `rendered` with translated places. Colours in it are left as they are.
[[nodiscard]] std::string translate_lines(const std::string& rendered, const LineMap& map);

}  // namespace mbc::tools
