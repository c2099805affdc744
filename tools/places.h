// SPDX-License-Identifier: Apache-2.0
// Places for results, which are checked before any computation. A result is never written to a hidden file or folder,
// over a file that the command reads, or over a file that is not a result of mbc; `--force` allows only the last.
#pragma once
#include <string>
#include <string_view>
#include <vector>

#include "tools/options.h"

namespace mbc::tools {

// A kind of output: "the summary is JSON", and the endings of its files; none: any ending.
struct Written {
  std::string what;
  std::vector<std::string_view> endings;
};

// Returns a sentence on why a result may not be written to `path` and what to do; "" if it may. The path comes from the
// user or a model; links are followed. `model`: the file below whose folder results may lie, whatever its name.
[[nodiscard]] std::string why_not_there(const std::string& path, const Written& written, bool force,
                                        const std::string& model = "");

// Returns kOk; kUsage if the path may not be written, kOutputFailed if it cannot, both with a message on stderr. "" and
// "-" are standard output, which is always allowed; so are /dev/null and other paths that are not files.
[[nodiscard]] int check_place(const Options& options, const std::string& path, const Written& written);

// Does the same, and also for the files beside a CSV file of that name.
[[nodiscard]] int check_place_of_rows(const Options& options, const std::string& path);

// Checks the place of the page of `run --report` and `view`, beside rows at `rows`.
[[nodiscard]] int check_place_of_page(const Options& options, const std::string& rows);

// Checks, once the model is read, that none of the places is a file that it was read from.
[[nodiscard]] int check_not_read(const Options& options, const std::vector<std::string>& files,
                                 const std::vector<std::string>& places);

}  // namespace mbc::tools
