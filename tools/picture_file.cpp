// SPDX-License-Identifier: Apache-2.0
#include "tools/picture_file.h"

#include <nlohmann/json.hpp>

#include "api/output/own_file.h"
#include "base/row_format.h"
#include "tools/answer.h"
#include "tools/exit_codes.h"
#include "tools/picture/converted.h"
#include "tools/places.h"
#include "tools/streams.h"

namespace mbc::tools {

namespace {

// Smaller pictures leave no room beside the axes.
constexpr std::size_t kLeastWidth = 150, kLeastHeight = 120;

int check_size(const Options& options, const Report& report) {
  const bool narrow = options.width > 0 && options.width < kLeastWidth;
  const bool low = options.height > 0 && options.height < kLeastHeight;
  if (options.output.empty() || !(narrow || low)) return kOk;
  return report.usage("plot: a picture in a file is at least " + std::to_string(kLeastWidth) + " pixels wide and " +
                          std::to_string(kLeastHeight) + " high",
                      "larger --width, --height");
}

}  // namespace

int check_picture(const Options& options, const Report& report) {
  if (const int problem = check_size(options, report); problem != kOk) return problem;
  if (options.print_json && options.output == "-")
    return report.usage("plot: the picture and --json cannot both go to standard output", "name a file with -o");
  if (options.print_json && options.output.empty() && (options.width > 0 || options.height > 0))
    return report.usage("plot: --width and --height are those of a picture, and --json without -o gives numbers",
                        "leave them out, or name a picture with -o");
  if (options.output.empty() || options.output == "-") return kOk;
  if (!is_one_of(ending_of(options.output), {"svg", "png", "pdf", "tex", "gp"}))
    return report.usage("plot: `" + options.output + "`: the picture is SVG, PNG, PDF, LaTeX or a script for gnuplot",
                        "name a file that ends in .svg, .png, .pdf, .tex or .gp");
  return check_place(
      options, options.output,
      {"the picture is SVG, PNG, PDF, LaTeX or a script for gnuplot", {"svg", "png", "pdf", "tex", "gp"}});
}

int check_film(const Options& options, const Report& report) {
  constexpr const char* kWhat = "the film is GIF, APNG or MP4";
  if (const int problem = check_size(options, report); problem != kOk) return problem;
  if (!is_one_of(ending_of(options.output), {"gif", "apng", "mp4"}))
    return report.usage("plot: `" + options.output + "`: " + kWhat, "name a file that ends in .gif, .apng or .mp4");
  return check_place(options, options.output, {kWhat, {"gif", "apng", "mp4"}});
}

int write_bytes(const Options& options, const Report& report, std::string bytes) {
  std::string error;
  output::mark_picture(bytes);
  if (write_text(options.output, bytes, error))
    return options.print_json ? print_json({{"file", options.output}}) : int{kOk};
  return report.failure("output_failed", error);
}

int write_picture(const Options& options, const Report& report, const std::string& svg) {
  if (options.output == "-") return print_output(svg);
  const std::string format(ending_of(options.output));
  if (is_one_of(format, {"svg", "tex", "gp"})) return write_bytes(options, report, svg);
  std::string picture, error;
  if (converted(svg, format, picture, error)) return write_bytes(options, report, std::move(picture));
  report.failure("no_converter", error);
  return kOutputFailed;
}

}  // namespace mbc::tools
