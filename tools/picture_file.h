// SPDX-License-Identifier: Apache-2.0
// Writes pictures of `mbc plot` to a file: SVG directly, PNG and PDF with a program of the system.
#pragma once
#include <string>

#include "tools/options.h"
#include "tools/report.h"

namespace mbc::tools {

// Checks whether `-o` names a picture that can be written; returns the exit status after a message.
[[nodiscard]] int check_picture(const Options& options, const Report& report);
// Does the same for a film.
[[nodiscard]] int check_film(const Options& options, const Report& report);
// Writes the bytes of a picture or film to the file of `-o`.
[[nodiscard]] int write_bytes(const Options& options, const Report& report, std::string bytes);
// Writes to `-o`; "-" is standard output.
[[nodiscard]] int write_picture(const Options& options, const Report& report, const std::string& svg);

}  // namespace mbc::tools
