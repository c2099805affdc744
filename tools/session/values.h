// SPDX-License-Identifier: Apache-2.0
// Values as a session shows them and as the language reads them.
#pragma once
#include <string>
#include <vector>

#include "mbc/quantities.h"

namespace mbc::tools {

// Shortest digits; vectors as (x, y, z).
[[nodiscard]] std::string value_text(const std::vector<double>& value);
// "0.5 [m]", "(0, 0, 1) [m/s]", "true"; a matrix in lines, its columns aligned. Without a line end.
[[nodiscard]] std::string shown(const Evaluated& value);
// The same on one line, to be read again: "((1, 2, 3) [m])".
[[nodiscard]] std::string literal(const Evaluated& value);
// " [m/s]"; "" of a pure number.
[[nodiscard]] std::string unit_text(const std::string& unit);

}  // namespace mbc::tools
