// SPDX-License-Identifier: Apache-2.0
// `mbc plot`: columns of a result as curves.
#include <unistd.h>

#include <algorithm>
#include <optional>

#include "api/output/preview.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/picture/plot.h"
#include "tools/picture/table_file.h"
#include "tools/places.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kFirst = 3;        // columns that are drawn when there are no outputs and none is named
constexpr std::size_t kMostOfStar = 40;  // of a star

// At commas outside brackets: "p[1,2].x, E".
std::vector<std::string> names_in(const std::string& list) {
  std::vector<std::string> names(1);
  int depth = 0;
  for (const char c : list) {
    depth += c == '[' ? 1 : c == ']' ? -1 : 0;
    if (c == ',' && depth == 0)
      names.emplace_back();
    else if (c != ' ' || !names.back().empty())
      names.back() += c;
  }
  for (std::string& name : names) name.erase(name.find_last_not_of(' ') + 1);
  return names;
}

class PlotCommand {
 public:
  explicit PlotCommand(const Options& options) : options_(options), report_(options) {}

  int run() {
    if (!options_.output.empty() && options_.output != "-") {
      if (!options_.output.ends_with(".svg"))
        return report_.usage("plot: `" + options_.output + "`: the picture is SVG", "name a file that ends in .svg");
      if (const int problem = check_place(options_, options_.output); problem != kOk) return problem;
    }
    if (!table_.open(options_.file)) {
      report_.failure("unreadable", table_.error());
      return kModelError;
    }
    if (const int problem = choose(); problem != kOk) return problem;
    return draw(plots());
  }

 private:
  std::optional<std::size_t> column(const std::string& name) const {
    for (std::size_t k = 0; k < table_.columns().size(); ++k)
      if (table_.columns()[k].name == name) return k;
    return {};
  }

  int unknown(const std::string& name) const {
    std::vector<std::string> known;
    for (const TableFile::Column& c : table_.columns()) known.push_back(c.name);
    const std::string near = nearest(name, known);
    std::string some;
    for (std::size_t k = 0; k < std::min<std::size_t>(known.size(), 12); ++k) some += (k ? ", " : "") + known[k];
    return report_.usage(
        "plot: `" + options_.file + "` has no column `" + name + "`",
        near.empty() ? "its columns are " + some + (known.size() > 12 ? ", ..." : "") : "did you mean `" + near + "`?");
  }

  int choose() {
    if (!options_.against.empty()) {
      const std::optional<std::size_t> found = column(options_.against);
      if (!found) return unknown(options_.against);
      x_ = *found;
    }
    if (options_.quantities.empty()) return choose_outputs();
    for (const std::string& name : names_in(options_.quantities))
      if (const int problem = take(name); problem != kOk) return problem;
    return kOk;
  }

  int take(const std::string& name) {
    const std::size_t before = chosen_.size();
    if (name.ends_with("*")) {
      for (std::size_t k = 0; k < table_.columns().size() && chosen_.size() < before + kMostOfStar; ++k)
        if (table_.columns()[k].name.starts_with(name.substr(0, name.size() - 1))) chosen_.push_back(k);
    } else if (const std::optional<std::size_t> found = column(name)) {
      chosen_.push_back(*found);
    }
    return chosen_.size() > before ? int{kOk} : unknown(name);
  }

  int choose_outputs() {
    for (std::size_t k = 1; k < table_.columns().size(); ++k)
      if (table_.columns()[k].output && k != x_) chosen_.push_back(k);
    for (std::size_t k = 1; chosen_.empty() && k < table_.columns().size(); ++k)
      for (std::size_t i = k; i < table_.columns().size() && chosen_.size() < kFirst; ++i)
        if (i != x_) chosen_.push_back(i);
    return kOk;
  }

  // Curves of one unit share their axes; on a terminal without colours each has its own.
  std::vector<Plot> plots() const {
    std::vector<std::size_t> wanted = chosen_;
    wanted.push_back(x_);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    std::vector<std::vector<double>> values = table_.read(wanted);
    const auto curve = [&](std::size_t k) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), k) - wanted.begin();
      const TableFile::Column& c = table_.columns()[k];
      return PlotCurve{c.name, c.unit, values[static_cast<std::size_t>(at)]};
    };
    std::vector<Plot> all;
    for (const std::size_t k : chosen_) {
      const std::string& unit = table_.columns()[k].unit;
      const bool alone = options_.output.empty() && !colours();
      const auto same = std::find_if(all.begin(), all.end(), [&](const Plot& p) { return p.curves[0].unit == unit; });
      if (!alone && same != all.end() && same->curves.size() < 6)
        same->curves.push_back(curve(k));
      else
        all.push_back({title(), curve(x_), {curve(k)}});
    }
    return all;
  }

  std::string title() const {
    const std::string name = options_.file == "-" ? "" : options_.file.substr(options_.file.rfind('/') + 1);
    return table_.ended().empty() ? name : name + " (" + table_.ended() + ")";
  }

  static bool colours() {
    const char* off = std::getenv("NO_COLOR");
    return isatty(1) == 1 && (off == nullptr || *off == '\0');
  }

  int draw(const std::vector<Plot>& all) const {
    if (!options_.output.empty()) {
      const std::string svg =
          svg_plots(all, options_.width ? options_.width : 800, options_.height ? options_.height : 450);
      std::string error;
      if (options_.output == "-") return print_output(svg);
      if (write_text(options_.output, svg, error)) return kOk;
      report_.failure("output_failed", error);
      return kOutputFailed;
    }
    const std::size_t width = options_.width ? options_.width : output::terminal_width(1);
    std::string text;
    for (const Plot& p : all)
      text += (text.empty() ? "" : "\n") + braille_plot(p, width, options_.height ? options_.height : 20, colours());
    return print_output(text);
  }

  const Options& options_;
  Report report_;
  TableFile table_;
  std::size_t x_ = 0;
  std::vector<std::size_t> chosen_;
};

}  // namespace

int plot_result(const Options& options) { return PlotCommand(options).run(); }

}  // namespace mbc::tools
