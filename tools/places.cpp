// SPDX-License-Identifier: Apache-2.0
#include "tools/places.h"

#include <string>
#include <string_view>

#include "api/output/hdf5_library.h"
#include "api/output/result_file.h"
#include "base/row_format.h"
#include "tools/exit_codes.h"
#include "tools/link/beside.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

int check_place(const Options& options, const std::string& path) {
  if (path.empty() || path == "-") return kOk;
  const Report report(options);
  if (same_file(path, options.file) || ending_of(output::follow_links(path)) == "mbd") {
    report.failure("usage", "writing `" + path + "` would destroy " +
                                (same_file(path, options.file) ? "the model" : "a model: name another file"));
    return kUsage;
  }
  const std::string problem = why_not_writable(path);
  if (problem.empty()) return kOk;
  report.failure("output_failed", problem);
  return kOutputFailed;
}

namespace {

int check_hdf5(const Options& options, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    Report(options).failure("usage", "`" + path + "`: " + why);
    return int{kUsage};
  };
  if (options.command == Command::sweep)
    return refuse("the rows of a sweep hold texts, and are written as CSV; name a file that ends in .csv");
  if (output::is_stream(path)) return refuse("HDF5 goes to a plain file only");
  std::string error;
  if (output::load_hdf5(library_beside(output::kHdf5File), error) != nullptr) return kOk;
  return refuse(error + "; name a file that ends in .csv");
}

// Where the ending names what another command, or another option, makes of the model: that one.
std::string maker_of(const Options& options, const std::string& path) {
  const std::string_view ending = ending_of(path);
  std::string how;
  if (is_one_of(ending, {"fmu", "so", "o", "a", "h", "ll", "bc", "s"}))
    how = "mbc compile " + options.file + " -o " + path;
  else if (ending == "exe")
    how = "mbc compile " + options.file + " --emit=exe -o " + path;
  else if (is_one_of(ending, {"html", "htm"}))
    how = "mbc " + std::string(options.command == Command::sweep ? "sweep " : "run ") + options.file + " --report " +
          path;
  return how.empty() ? how : "; what ends in ." + std::string(ending) + " is made by `" + how + "`";
}

}  // namespace

int check_place_of_rows(const Options& options, const std::string& path) {
  if (path.empty() || path == "-") return kOk;
  int problem = check_place(options, path);
  if (problem != kOk) return problem;
  const bool objects = options.command == Command::sweep && options.print_json;
  const bool fits = objects ? is_one_of(ending_of(path), {"", "json", "jsonl", "ndjson", "txt"}) : names_rows(path);
  if (!fits && !output::is_stream(path)) {
    const std::string why = objects ? "`--json` writes JSON, and the ending names another format" : kNoSuchFormat;
    Report(options).failure("usage", "`" + path + "`: " + why + "; name a file that ends in " +
                                         (objects ? ".json" : ".csv") + maker_of(options, path));
    return kUsage;
  }
  if (objects) return problem;
  if (names_hdf5(path) && problem == kOk) problem = check_hdf5(options, path);
  for (const std::string& beside : output::names_beside(path))
    if (problem == kOk) problem = check_place(options, beside);
  return problem;
}

int check_place_of_page(const Options& options, const std::string& rows) {
  const std::string& page = options.report;
  if (page.empty()) return kOk;
  const Report report(options);
  if (!is_one_of(ending_of(page), {"html", "htm"})) {
    report.failure("usage", "`" + page + "`: the page is HTML; name a file that ends in .html");
    return kUsage;
  }
  if (page == rows || page == options.summary) {
    report.failure("usage", "`" + page + "` is the place of the rows or the summary as well; name another file");
    return kUsage;
  }
  return check_place(options, page);
}

}  // namespace mbc::tools
