// SPDX-License-Identifier: Apache-2.0
// The entries of earlier sessions: a file of lines, shared by all sessions that run at the same time.
#pragma once
#include <string>
#include <vector>

namespace mbc::tools {

inline constexpr std::size_t kMostEntries = 1000;            // kept entries
inline constexpr std::size_t kLongestEntry = 4096;           // longer entries are not kept
inline constexpr std::size_t kLargestHistory = 1024 * 1024;  // bytes: a larger file is cut to its last entries

// Returns $MBC_HISTORY ("off": none), else mbc/history in $XDG_STATE_HOME or ~/.local/state; "" if there is no place
// for it, as in a home that does not exist.
[[nodiscard]] std::string history_path();
// Returns the entries of that file, oldest first; none if it cannot be read.
[[nodiscard]] std::vector<std::string> read_history(const std::string& path);
// Adds an entry under a lock. A history that cannot be written is not an error.
void append_history(const std::string& path, const std::string& entry);

}  // namespace mbc::tools
