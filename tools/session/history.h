// SPDX-License-Identifier: Apache-2.0
// What was typed in earlier sessions: a file of lines, shared by all that run at the same time.
#pragma once
#include <string>
#include <vector>

namespace mbc::tools {

inline constexpr std::size_t kMostEntries = 1000;            // that are kept
inline constexpr std::size_t kLongestEntry = 4096;           // longer ones are not
inline constexpr std::size_t kLargestHistory = 1024 * 1024;  // bytes: a larger file is cut to its last entries

// $MBC_HISTORY ("off": none), else mbc/history in $XDG_STATE_HOME or ~/.local/state; "" where there is no place, as in
// a home that is not there.
[[nodiscard]] std::string history_path();
// Of that file, oldest first; none where it cannot be read.
[[nodiscard]] std::vector<std::string> read_history(const std::string& path);
// One more, under a lock. A history that cannot be written is no failure.
void append_history(const std::string& path, const std::string& entry);

}  // namespace mbc::tools
