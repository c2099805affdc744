// SPDX-License-Identifier: Apache-2.0
// Names of result files: the ending gives the format of rows, CSV or HDF5.
#pragma once
#include <algorithm>
#include <initializer_list>
#include <string_view>

namespace mbc {

inline constexpr const char* kNoSuchFormat = "rows are written as CSV or HDF5, and the ending names another format";
inline constexpr const char* kNoEnding = "rows are written as CSV or HDF5, and the ending says which";

// Returns the text after the last dot of the name; a name that begins with its only dot has no ending.
[[nodiscard]] inline std::string_view ending_of(std::string_view path) {
  const std::string_view name = path.substr(path.rfind('/') + 1);
  const std::size_t dot = name.rfind('.');
  return dot == std::string_view::npos || dot == 0 ? std::string_view() : name.substr(dot + 1);
}

[[nodiscard]] inline bool is_one_of(std::string_view ending, std::initializer_list<std::string_view> known) {
  for (const std::string_view k : known)
    if (ending == k) return true;
  return false;
}

[[nodiscard]] inline bool names_hdf5(std::string_view path) { return is_one_of(ending_of(path), {"h5", "hdf5"}); }

[[nodiscard]] inline bool names_rows(std::string_view path) {
  return is_one_of(ending_of(path), {"csv"}) || names_hdf5(path);
}

// Returns whether a part of the path begins with a dot: such names are not listed, and programs read some of them
// unasked.
[[nodiscard]] inline bool is_hidden(std::string_view path) {
  for (std::size_t at = 0; at < path.size();) {
    const std::size_t end = std::min(path.find('/', at), path.size());
    const std::string_view part = path.substr(at, end - at);
    if (part.starts_with('.') && part != "." && part != "..") return true;
    at = end + 1;
  }
  return false;
}
inline constexpr const char* kHidden = "names that begin with a dot are hidden, and no results go there";

}  // namespace mbc
