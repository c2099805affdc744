// SPDX-License-Identifier: Apache-2.0
// `mbc view`: a run whose result is a page, or a result of an earlier run as a page, opened in the browser.
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <system_error>

#include "base/row_format.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/picture/stored_run.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

// Makes a private folder, so that no other user can have put files into it.
std::string new_folder() {
  std::error_code none;
  std::string name = (std::filesystem::temp_directory_path(none) / "mbc-XXXXXX").string();
  return mkdtemp(name.data()) != nullptr ? name : "";
}

std::string stem_of(const std::string& file) {
  return file == "-" ? "model" : std::filesystem::path(file).stem().string();
}

}  // namespace

std::string new_page(const std::string& model) {
  const std::string folder = new_folder();
  return folder.empty() ? "" : folder + "/" + stem_of(model) + ".html";
}

namespace {

// Makes the page at the place of -o, or in a temporary folder, which is removed if no page was made.
template <class Make>
int with_page(const Options& options, Make&& make) {
  Options with_place = options;
  if (!options.report.empty()) return make(with_place);
  const std::string folder = new_folder();
  if (folder.empty())
    return Report(options).failure("output_failed", "cannot make a folder for the page; name a file with -o");
  with_place.report = folder + "/" + stem_of(options.file) + ".html";
  const int code = make(with_place);
  rmdir(folder.c_str());
  return code;
}

// Refuses options of a future run for a stored result.
int refuse_options(const Options& o) {
  const std::pair<const char*, bool> given[] = {
      {"NAME", !o.simulation.empty()}, {"--set", !o.set.empty()},
      {"--stdlib", !o.stdlib.empty()}, {"--interpret", o.interpret},
      {"--native", o.native},          {"--no-cache", o.no_cache},
      {"--assemble", o.assemble},      {"--output-every", o.output_every != 1}};
  for (const auto& [name, there] : given)
    if (there)
      return Report(o).usage(std::string("view: ") + name + ": `" + o.file + "` is a result, and its run is over",
                             "leave it out, or name the model");
  return kOk;
}

int view_result(const Options& options) {
  if (const int problem = refuse_options(options); problem != kOk) return problem;
  if (const int problem = check_place_of_page(options, options.file); problem != kOk) return problem;
  const Report report(options);
  StoredRun run;
  if (!run.open(options.file)) {
    report.failure("unreadable", run.error());
    return kModelError;
  }
  Recording recording;
  run.play(recording);
  std::string error;
  const std::string name = options.file.substr(options.file.rfind('/') + 1);
  if (!write_text(options.report, page_around(name, page_data(recording, run.facts())), error))
    return report.failure("output_failed", error);
  if (!run.no_picture().empty() && !options.quiet) print_error("mbc: " + run.no_picture() + "\n");
  if (!options.quiet)
    print_error("wrote " + options.report + " (" + counted(recording.times().size(), "frame") + ")\n");
  show_page(options);
  return kOk;
}

}  // namespace

int view_model(const Options& options) {
  const bool result = options.file != "-" && !ending_of(options.file).empty() && names_rows(options.file);
  return with_page(options, [&](const Options& o) { return result ? view_result(o) : run_model(o); });
}

}  // namespace mbc::tools
