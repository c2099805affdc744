// SPDX-License-Identifier: Apache-2.0
// Values in other units, and SVG in other formats.
#pragma once
#include <optional>
#include <string>

namespace mbc::tools {

// What a value in `from` is multiplied by to be one in `to`; both as the language writes them, without brackets ("N*m",
// "1" is a pure number, "" a quantity of a model without units). Nothing, and why, where there is none.
[[nodiscard]] std::optional<double> unit_factor(const std::string& from, const std::string& to, std::string& why);

// `format` is "png" or "pdf". By rsvg-convert of Debian's librsvg2-bin, which is looked for when it is needed: the
// program is not linked with a library for fonts and pictures. False, and why, where it is not there or fails.
[[nodiscard]] bool converted(const std::string& svg, const std::string& format, std::string& picture,
                             std::string& error);

}  // namespace mbc::tools
