// SPDX-License-Identifier: Apache-2.0
#include "tools/places.h"

#include <algorithm>
#include <filesystem>
#include <optional>

#include "api/output/hdf5_library.h"
#include "api/output/own_file.h"
#include "api/output/partial_file.h"
#include "api/output/result_file.h"
#include "base/row_format.h"
#include "base/text.h"
#include "tools/exit_codes.h"
#include "tools/link/beside.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {

namespace {

namespace fs = std::filesystem;

// Returns `path` relative to `base`; nothing if it does not lie below.
std::optional<std::string> below(const fs::path& path, const fs::path& base) {
  std::error_code none;
  const fs::path root = fs::weakly_canonical(fs::absolute(base.empty() ? fs::path(".") : base, none), none);
  if (none) return {};
  auto [end, rest] = std::mismatch(root.begin(), root.end(), path.begin(), path.end());
  if (end != root.end() && !end->empty()) return {};  // a path that ends in a slash has an empty last part
  fs::path out;
  for (; rest != path.end(); ++rest) out /= *rest;
  return out.string();
}

// Folders that the user works in may be hidden; hidden names below them belong to other programs.
bool lies_hidden(const std::string& path, const std::string& model) {
  std::error_code none;
  const fs::path full = fs::weakly_canonical(fs::absolute(output::follow_links(path), none), none);
  if (is_hidden(fs::path(path).filename().string()) || is_hidden(full.filename().string())) return true;
  std::string shortest = full.string();
  for (const fs::path& base : {fs::path("."), fs::path(model).parent_path(), fs::temp_directory_path(none)})
    if (const std::optional<std::string> rest = below(full, base); rest && rest->size() < shortest.size())
      shortest = *rest;
  return is_hidden(shortest);
}

std::string endings_of(const std::vector<std::string_view>& endings) {
  std::string list;
  for (std::size_t k = 0; k < endings.size(); ++k)
    list += (k == 0 ? "." : k + 1 == endings.size() ? " or ." : ", .") + std::string(endings[k]);
  return list;
}

bool ends_so(const std::string& path, const std::vector<std::string_view>& endings) {
  return std::find(endings.begin(), endings.end(), ending_of(path)) != endings.end();
}

bool makes_models(const Written& written) {
  return std::find(written.endings.begin(), written.endings.end(), "mbd") != written.endings.end();
}

}  // namespace

std::string why_not_there(const std::string& path, const Written& written, bool force, const std::string& model) {
  std::error_code none;
  if (path.empty() || output::is_stream(path)) return "";
  // why_not_writable() reports a folder in the way.
  if (fs::is_directory(path, none) && !lies_hidden(path, model)) return "";
  if (!model.empty() && same_file(path, model)) return "writing " + quoted(path) + " would destroy the model";
  if (!makes_models(written) && ending_of(output::follow_links(path)) == "mbd")
    return "writing " + quoted(path) + " would destroy a model: name another file";
  if (lies_hidden(path, model)) return quoted(path) + ": " + kHidden + "; name another file";
  if (!written.endings.empty() && !ends_so(path, written.endings))
    return quoted(path) + ": " + written.what + "; name a file that ends in " + endings_of(written.endings);
  if (!force && !output::may_be_replaced(path))
    return quoted(path) + " is there and is no result of mbc: name another file, or replace it by `--force`";
  return "";
}

int check_place(const Options& options, const std::string& path, const Written& written) {
  if (path.empty() || path == "-") return kOk;
  const Report report(options);
  if (const std::string why = why_not_there(path, written, true, options.file); !why.empty())
    return report.failure("usage", why);
  // A path that cannot be written is reported as such, whether mbc made the file or not.
  if (const std::string problem = why_not_writable(path); !problem.empty())
    return report.failure("output_failed", problem);
  const std::string why = why_not_there(path, written, options.force, options.file);
  return why.empty() ? int{kOk} : report.failure("usage", why);
}

int check_not_read(const Options& options, const std::vector<std::string>& files,
                   const std::vector<std::string>& places) {
  for (const std::string& place : places)
    for (const std::string& file : files) {
      if (place.empty() || !same_file(place, file)) continue;
      return Report(options).failure(
          "usage", "writing " + quoted(place) + " would destroy what the model is read from: name another file");
    }
  return kOk;
}

namespace {

int check_hdf5(const Options& options, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    return Report(options).failure("usage", "`" + path + "`: " + why);
  };
  if (options.command == Command::sweep)
    return refuse("the rows of a sweep hold texts, and are written as CSV; name a file that ends in .csv");
  if (output::is_stream(path)) return refuse("HDF5 goes to a plain file only");
  std::string error;
  if (output::load_hdf5(library_beside(output::kHdf5File), error) != nullptr) return kOk;
  return refuse(error + "; name a file that ends in .csv");
}

// Returns the command or option that makes files with this ending of the model, or "".
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

namespace {

// Checks the files beside rows: the description is replaced with them, and the remains of a killed writer are taken
// over.
int check_beside(const Options& options, const std::string& path) {
  const std::vector<std::string> names = output::names_beside(path);
  for (const std::string& name : names) {
    const bool leftover = name.ends_with(".partial");
    Options taken_over = options;
    taken_over.force = options.force || (leftover && output::may_be_taken_over(name));
    if (output::follow_links(name) != name)
      return Report(options).failure("usage",
                                     quoted(name) + ", which is written beside the rows, is a link: name another file");
    if (const int problem = check_place(taken_over, name, {}); problem != kOk) return problem;
  }
  return kOk;
}

}  // namespace

int check_place_of_rows(const Options& options, const std::string& path) {
  if (path.empty() || path == "-") return kOk;
  const bool objects = options.command == Command::sweep && options.print_json;
  const std::vector<std::string_view> json = {"json", "jsonl", "ndjson"};
  const bool fits = output::is_stream(path) || (objects ? ends_so(path, json) : names_rows(path));
  // If a name is wrong in more than one way, the gravest reason is reported: writing would destroy something.
  int problem = check_place(options, path, {"", {}});
  if (problem != kOk) return problem;
  if (!fits) {
    const std::string why = objects                   ? "`--json` writes JSON, and the ending names another format"
                            : ending_of(path).empty() ? kNoEnding
                                                      : kNoSuchFormat;
    return Report(options).failure("usage", quoted(path) + ": " + why + "; name a file that ends in " +
                                                (objects ? ".json" : ".csv") + maker_of(options, path));
  }
  if (objects) return problem;
  if (names_hdf5(path)) problem = check_hdf5(options, path);
  return problem == kOk ? check_beside(options, path) : problem;
}

int check_place_of_page(const Options& options, const std::string& rows) {
  const std::string& page = options.report;
  if (page.empty()) return kOk;
  const Report report(options);
  if (!is_one_of(ending_of(page), {"html", "htm"}))
    return report.failure("usage", quoted(page) + ": the page is HTML; name a file that ends in .html");
  if (page == rows || page == options.summary)
    return report.failure("usage",
                          quoted(page) + " is the place of the rows or the summary as well; name another file");
  return check_place(options, page, {"the page is HTML", {"html", "htm"}});
}

}  // namespace mbc::tools
