// SPDX-License-Identifier: Apache-2.0
// Values in other units, and SVG in other formats.
#pragma once
#include <optional>
#include <string>
#include <vector>

namespace mbc::tools {

// Returns the factor from values in `from` to values in `to`; both units are as the language writes them, without
// brackets ("N*m", "1" is a pure number, "" a quantity of a model without units). Returns nothing if there is none,
// with the reason in `why`.
[[nodiscard]] std::optional<double> unit_factor(const std::string& from, const std::string& to, std::string& why);

// Runs a program of the system, found as in a shell but without one, with its arguments, the first of which is its
// name; it neither reads nor prints anything. Returns its exit status.
inline constexpr int kNotInstalled = 127;
[[nodiscard]] int run_program(std::vector<std::string> arguments);

// Converts to `format`, "png" or "pdf", with rsvg-convert of Debian's librsvg2-bin, which is searched for on demand:
// the program is not linked with a library for fonts and pictures. Returns false if it is missing or fails, with the
// reason in `error`.
[[nodiscard]] bool converted(const std::string& svg, const std::string& format, std::string& picture,
                             std::string& error);

}  // namespace mbc::tools
