// SPDX-License-Identifier: Apache-2.0
// Places for results, judged before anything is computed. A result is never written to a hidden file or folder, over a
// file that the command reads, or over one that is no result of mbc; that last one `--force` allows.
#pragma once
#include <initializer_list>
#include <string>
#include <string_view>
#include <vector>

#include "tools/options.h"

namespace mbc::tools {

// What is written: "the summary is JSON", and the endings its files have; none: any.
struct Written {
  std::string what;
  std::vector<std::string_view> endings;
};

// Why a result may not go to the file `path`, as a sentence that says what to do; "". What the user has typed or a
// model says, with links followed. `model`: the file whose folder results may lie below, whatever its name.
[[nodiscard]] std::string why_not_there(const std::string& path, const Written& written, bool force,
                                        const std::string& model = "");

// kOk; kUsage where it may not be written, kOutputFailed where it cannot, both said on stderr. "" and "-" are standard
// output, against which nothing speaks; nor does anything against /dev/null and other files that are none.
[[nodiscard]] int check_place(const Options& options, const std::string& path, const Written& written);

// The same, and for what is written beside a CSV file of that name.
[[nodiscard]] int check_place_of_rows(const Options& options, const std::string& path);

// The place of the page of `run --report` and `view`, beside rows at `rows`.
[[nodiscard]] int check_place_of_page(const Options& options, const std::string& rows);

// Once the model is read: none of the places is a file that it was read from.
[[nodiscard]] int check_not_read(const Options& options, const std::vector<std::string>& files,
                                 const std::vector<std::string>& places);

}  // namespace mbc::tools
