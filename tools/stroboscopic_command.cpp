// SPDX-License-Identifier: Apache-2.0
// `mbc plot --stroboscopic` and `--animation`: the poses of a stored run at some times, in one picture or as a film.
#include <algorithm>
#include <charconv>
#include <cmath>

#include "base/numbers.h"
#include "base/row_format.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/picture/animation.h"
#include "tools/picture/plot.h"
#include "tools/picture/stored_run.h"
#include "tools/picture/stroboscope.h"
#include "tools/picture_file.h"
#include "tools/report.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kPoses = 10;                // default without --poses and --at
constexpr std::size_t kMostFigures = 50'000;      // parts times poses of a picture
constexpr double kShortFilm = 2, kLongFilm = 20;  // seconds: a film is as long as the motion within these
constexpr double kLongestFilm = 120;

// Parses "0, 0.5, 1"; returns nothing if an entry is not a number.
std::optional<std::vector<double>> numbers_in(const std::string& list) {
  std::vector<double> all;
  for (std::size_t at = 0; at <= list.size();) {
    const std::size_t end = std::min(list.find(',', at), list.size());
    const std::string word = trimmed(list.substr(at, end - at));
    double value = 0;
    const auto [stop, problem] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (problem != std::errc{} || stop != word.data() + word.size()) return {};
    all.push_back(value);
    at = end + 1;
  }
  return all;
}

bool is_plane(const std::string& text) {
  const auto axis = [](char c) { return c >= 'x' && c <= 'z'; };
  return text.size() == 2 && axis(text[0]) && axis(text[1]) && text[0] != text[1];
}

class StroboscopicCommand {
 public:
  explicit StroboscopicCommand(const Options& options) : options_(options), report_(options) {}

  int run() {
    if (const int problem = check_line(); problem != kOk) return problem;
    if (!stored_.open(options_.file)) {
      report_.failure("unreadable", stored_.error());
      return kModelError;
    }
    stored_.play(recording_);
    const std::string why = stored_.no_picture().empty() ? recording_.no_picture() : stored_.no_picture();
    if (!why.empty()) {
      report_.failure("no_picture", "there are no poses to draw: " + why);
      return kModelError;
    }
    if (recording_.times().empty() || recording_.scene().parts.empty()) {
      report_.failure("no_picture", "there are no poses to draw: nothing in this model has a place");
      return kModelError;
    }
    if (const int problem = choose_times(); problem != kOk) return problem;
    if (options_.animation) return write_film();
    return write_picture(options_, report_, stroboscopic_picture(recording_, how_));
  }

 private:
  int check_line() {
    const std::string what = options_.animation ? "an animation" : "a stroboscopic picture";
    if (options_.stroboscopic && options_.animation)
      return report_.usage("plot: --stroboscopic and --animation exclude each other", "leave out one of them");
    if (options_.output.empty())
      return report_.usage("plot: " + what + " does not fit into a terminal",
                           options_.animation ? "write it to a file, `-o swing.gif`, or .apng, .mp4"
                                              : "write it to a file, `-o poses.svg`, or .png, .pdf");
    if (options_.animation && (options_.poses > 0 || !options_.at.empty()))
      return report_.usage("plot: --poses and --at are for a stroboscopic picture",
                           "`--seconds S` says how long the film is");
    if (options_.animation && options_.seconds.value_or(1) > kLongestFilm)
      return report_.usage("plot: a film has " + text::short_number(kLongestFilm) + " seconds at most",
                           "a smaller --seconds");
    if (options_.stroboscopic && options_.seconds)
      return report_.usage("plot: --seconds is for an animation", "`--poses N` says how many poses there are");
    const bool of_curves = !options_.results.empty() || !options_.labels.empty() || options_.title ||
                           !options_.log.empty() || options_.equal || options_.points || options_.steps ||
                           !options_.x_limits.empty() || !options_.y_limits.empty() || !options_.by.empty() ||
                           !options_.bars.empty() || !options_.at_event.empty() || options_.across > 1;
    if (of_curves || is_one_of(ending_of(options_.output), {"tex", "gp"}))
      return report_.usage(
          "plot: --with, --label, --title, --log, --equal, limits, --points, --steps, --by, --bars, "
          "--at-event, --across, LaTeX and gnuplot are for curves",
          "leave them out, or --stroboscopic");
    if (!options_.quantities.empty() || !options_.against.empty())
      return report_.usage("plot: " + what + " shows poses, not columns", "leave the names out");
    if (options_.poses > 0 && !options_.at.empty())
      return report_.usage("plot: --poses and --at exclude each other", "--at gives the times of the poses one by one");
    if (!options_.plane.empty() && !is_plane(options_.plane))
      return report_.usage("plot: `" + printable(options_.plane) + "` is no plane",
                           "name the axis to the right and the axis up, as in `--plane xz`");
    return options_.animation ? check_film(options_, report_) : check_picture(options_, report_);
  }

  // A film is as long as the motion, where that takes seconds.
  [[nodiscard]] std::vector<double> times_of_film(double first, double last) const {
    const double seconds = options_.seconds.value_or(std::clamp(last - first, kShortFilm, kLongFilm));
    return equal_times(first, last, static_cast<std::size_t>(std::lround(seconds * kFilmRate)) + 1);
  }

  int write_film() {
    std::string film, error;
    if (!animated(recording_, how_, std::string(ending_of(options_.output)), film, error))
      return report_.failure("no_converter", error);
    return write_bytes(options_, report_, std::move(film));
  }

  int choose_times() {
    const Scene& scene = recording_.scene();
    if (!options_.plane.empty() && scene.space < 3 && options_.plane.find('z') != std::string::npos)
      return report_.usage("plot: the model is in `space " + std::to_string(scene.space) + "` and has no z",
                           "planes of `space 2` are xy and yx");
    const double first = recording_.times().front(), last = recording_.times().back();
    std::optional<std::vector<double>> times = equal_times(first, last, options_.poses > 0 ? options_.poses : kPoses);
    if (!options_.at.empty()) times = numbers_in(options_.at);
    if (options_.animation) times = times_of_film(first, last);
    if (!times)
      return report_.usage("plot: `" + printable(options_.at) + "` is no list of times",
                           "numbers with commas between them, as in `--at \"0, 0.5, 1\"`");
    for (const double t : *times)
      if (!(t >= first && t <= last))
        return report_.usage("plot: there is no pose at " + text::short_number(t, 6) + ": the rows are from " +
                                 text::short_number(first, 6) + " to " + text::short_number(last, 6),
                             "give times of the run");
    if (!options_.animation && times->size() * scene.parts.size() > kMostFigures)
      return report_.usage("plot: " + counted(times->size(), "pose") + " of " + counted(scene.parts.size(), "part") +
                               " are more than a picture shows",
                           "fewer with --poses N or --at");
    std::sort(times->begin(), times->end());
    how_ = {*std::move(times), options_.plane, "", stored_.facts().time_unit, scene.has_units ? "m" : "",
            options_.width,    options_.height};
    how_.title = options_.animation ? result_title(options_.file, stored_.ended()) + ": t" : title();
    return kOk;
  }

  // Returns "swing.csv: 10 poses from 0 to 2 s, 0.222 s apart".
  std::string title() const {
    const std::string unit = how_.time_unit.empty() ? "" : " " + how_.time_unit;
    const auto number = [](double x) { return text::short_number(x, 4); };
    const std::string name = result_title(options_.file, stored_.ended());
    std::string out = (name.empty() ? "" : name + ": ") + counted(how_.times.size(), "pose");
    if (how_.times.size() < 2) return out + " at " + number(how_.times[0]) + unit;
    out += " from " + number(how_.times.front()) + " to " + number(how_.times.back()) + unit;
    const double apart = (how_.times.back() - how_.times.front()) / static_cast<double>(how_.times.size() - 1);
    return options_.at.empty() ? out + ", " + number(apart) + unit + " apart" : out;
  }

  const Options& options_;
  Report report_;
  StoredRun stored_;
  Recording recording_;
  Stroboscope how_;
};

}  // namespace

int plot_stroboscopic(const Options& options) { return StroboscopicCommand(options).run(); }

}  // namespace mbc::tools
