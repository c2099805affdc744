// SPDX-License-Identifier: Apache-2.0
// Pictures of `mbc plot` on their way to a file: SVG as it is, PNG and PDF by a program of the system.
#pragma once
#include <string>

#include "tools/options.h"
#include "tools/report.h"

namespace mbc::tools {

// Whether `-o` names a picture that can be written there; the exit status, with what is wrong said.
[[nodiscard]] int check_picture(const Options& options, const Report& report);
// To `-o`, "-" being standard output.
[[nodiscard]] int write_picture(const Options& options, const Report& report, const std::string& svg);

}  // namespace mbc::tools
