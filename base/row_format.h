// SPDX-License-Identifier: Apache-2.0
// Which files rows may be written to: the ending says the format, CSV or HDF5.
#pragma once
#include <initializer_list>
#include <string_view>

namespace mbc {

inline constexpr const char* kNoSuchFormat = "rows are written as CSV or HDF5, and the ending names another format";

// What follows the last dot of the name; a name that begins with its only dot has no ending.
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

// Without an ending, and with those of texts, the format is the user's affair, and it is CSV.
[[nodiscard]] inline bool names_rows(std::string_view path) {
  return is_one_of(ending_of(path), {"", "csv", "CSV", "txt", "dat"}) || names_hdf5(path);
}

}  // namespace mbc
