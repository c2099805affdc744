// SPDX-License-Identifier: Apache-2.0
// Places for results, judged before anything is computed.
#pragma once
#include <string>

#include "tools/options.h"

namespace mbc::tools {

// kOk; kUsage when `path` is the model itself, kOutputFailed when it cannot be written, both said on stderr. "" and "-"
// are standard output, against which nothing speaks.
[[nodiscard]] int check_place(const Options& options, const std::string& path);

// The same, and for what is written beside a CSV file of that name.
[[nodiscard]] int check_place_of_rows(const Options& options, const std::string& path);

// The place of the page of `run --report` and `view`, beside rows at `rows`.
[[nodiscard]] int check_place_of_page(const Options& options, const std::string& rows);

}  // namespace mbc::tools
