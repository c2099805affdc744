// SPDX-License-Identifier: Apache-2.0
// Texts of values, as a session shows them and as the language reads them.
#pragma once
#include <string>
#include <vector>

#include "mbc/quantities.h"

namespace mbc::tools {

// Returns the value with the shortest digits; vectors as (x, y, z).
[[nodiscard]] std::string value_text(const std::vector<double>& value);
// Returns "0.5 [m]", "(0, 0, 1) [m/s]", "true"; a matrix has several lines with aligned columns. There is no line end.
[[nodiscard]] std::string shown(const Evaluated& value);
// Returns the same on one line in the language's syntax: "((1, 2, 3) [m])".
[[nodiscard]] std::string literal(const Evaluated& value);
// Returns " [m/s]"; "" for a pure number.
[[nodiscard]] std::string unit_text(const std::string& unit);

}  // namespace mbc::tools
