// SPDX-License-Identifier: Apache-2.0
#include "tools/places.h"

#include "api/output/result_file.h"
#include "tools/exit_codes.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

int check_place(const Options& options, const std::string& path) {
  if (path.empty() || path == "-") return kOk;
  const Report report(options);
  if (same_file(path, options.file)) {
    report.failure("usage", "writing `" + path + "` would destroy the model");
    return kUsage;
  }
  const std::string problem = why_not_writable(path);
  if (problem.empty()) return kOk;
  report.failure("output_failed", problem);
  return kOutputFailed;
}

int check_place_of_rows(const Options& options, const std::string& path) {
  if (path.empty() || path == "-") return kOk;
  int problem = check_place(options, path);
  for (const std::string& beside : output::names_beside(path))
    if (problem == kOk) problem = check_place(options, beside);
  return problem;
}

}  // namespace mbc::tools
