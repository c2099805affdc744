// SPDX-License-Identifier: Apache-2.0
// `mbc plot`: columns of a result as curves, in the terminal, as SVG, and by a program of the system as PNG and PDF.
#include <unistd.h>

#include <algorithm>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/text.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/picture/converted.h"
#include "tools/picture/plot.h"
#include "tools/picture/run_plots.h"
#include "tools/picture/table_file.h"
#include "tools/picture_file.h"
#include "tools/report.h"
#include "tools/streams.h"
#include "tools/terminal/preview.h"
#include "tools/words.h"

namespace mbc::tools {
namespace {

constexpr std::size_t kFirst = 3;        // columns that are drawn if there are no outputs and none is named
constexpr std::size_t kMostOfStar = 40;  // columns of a star

// A column, and the unit to draw it in: "hinge.angle in [deg]".
struct PlotItem {
  std::string name;
  std::optional<std::string> unit;  // nothing: that of the column
};

PlotItem item_of(const std::string& text) {
  const std::size_t at = text.rfind(" in [");
  if (at == std::string::npos || !text.ends_with("]")) return {text, {}};
  std::string name = text.substr(0, at);
  name.erase(name.find_last_not_of(' ') + 1);
  return {name, text.substr(at + 5, text.size() - at - 6)};
}

class PlotCommand {
 public:
  explicit PlotCommand(const Options& options) : options_(options), report_(options) {}

  int run() {
    if (options_.poses > 0 || !options_.at.empty() || !options_.plane.empty())
      return report_.usage("plot: --poses, --at and --plane belong to a stroboscopic picture", "add --stroboscopic");
    if (const int problem = check_picture(options_, report_); problem != kOk) return problem;
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
    const std::string some = joined({known.begin(), known.begin() + std::min<std::ptrdiff_t>(std::ssize(known), 12)});
    return report_.usage("plot: `" + options_.file + "` has no column `" + name + "`",
                         did_you_mean(name, known,
                                      "its columns are " + some + (known.size() > 12 ? ", ..." : "") +
                                          "; `output` in the model makes more of them"));
  }

  int choose() {
    if (!options_.against.empty()) {
      const PlotItem item = item_of(options_.against);
      const std::optional<std::size_t> found = column(item.name);
      if (!found) return unknown(item.name);
      x_.column = *found;
      if (const int problem = draw_in(item.unit, x_); problem != kOk) return problem;
    }
    if (options_.quantities.empty()) return choose_outputs();
    for (const std::string& name : pieces_between_commas(options_.quantities))
      if (const int problem = take(trimmed(name)); problem != kOk) return problem;
    return kOk;
  }

  int take(const std::string& text) {
    const auto [name, unit] = item_of(text);
    const std::size_t before = chosen_.size();
    if (name.ends_with("*")) {
      for (std::size_t k = 0; k < table_.columns().size() && chosen_.size() < before + kMostOfStar; ++k)
        if (table_.columns()[k].name.starts_with(name.substr(0, name.size() - 1))) chosen_.push_back({k});
    } else if (const std::optional<std::size_t> found = column(name)) {
      chosen_.push_back({*found});
    }
    if (chosen_.size() == before) return unknown(name);
    for (std::size_t k = before; k < chosen_.size(); ++k)
      if (const int problem = draw_in(unit, chosen_[k]); problem != kOk) return problem;
    return kOk;
  }

  // Chooses the plots of the model (`plot` of its `simulate` block), else its outputs, else the first columns.
  int choose_outputs() {
    if (options_.against.empty() && asks_for_plots()) return kOk;
    for (std::size_t k = 1; k < table_.columns().size(); ++k)
      if (table_.columns()[k].output && k != x_.column) chosen_.push_back({k});
    for (std::size_t k = 1; chosen_.empty() && k < table_.columns().size(); ++k)
      for (std::size_t i = k; i < table_.columns().size() && chosen_.size() < kFirst; ++i)
        if (i != x_.column) chosen_.push_back({i});
    return kOk;
  }

  bool asks_for_plots() const {
    return std::any_of(table_.plots().begin(), table_.plots().end(), [this](const PlotInfo& p) {
      return column(p.over ? p.over->name : "time") &&
             std::any_of(p.curves.begin(), p.curves.end(), [this](const PlottedColumn& c) { return column(c.name); });
    });
  }

  struct Drawn {
    std::size_t column = 0;
    std::string unit{};  // "": unit of the column
    double factor = 1;   // factor for the column's values
  };

  int draw_in(const std::optional<std::string>& wanted, Drawn& drawn) const {
    if (!wanted) return kOk;
    const std::string& unit = *wanted;
    const TableFile::Column& c = table_.columns()[drawn.column];
    std::string why;
    const std::optional<double> factor = unit_factor(c.unit, unit, why);
    if (!factor) return report_.usage("plot: `" + c.name + "` cannot be drawn in [" + unit + "]: " + why, kUnitHint);
    drawn.unit = unit;
    drawn.factor = *factor;
    return kOk;
  }

  std::vector<Plot> plots() const {
    const bool alone = options_.output.empty() && !terminal_has_colours();
    if (chosen_.empty())
      return requested_plots(table_.plots(), result_title(options_.file, table_.ended()), alone,
                             [this](const std::string& name) -> std::optional<PlotCurve> {
                               const std::optional<std::size_t> found = column(name);
                               if (!found) return {};
                               return PlotCurve{name, table_.columns()[*found].unit, table_.read({*found})[0]};
                             });
    std::vector<std::size_t> wanted = {x_.column};
    for (const Drawn& d : chosen_) wanted.push_back(d.column);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    const std::vector<std::vector<double>> values = table_.read(wanted);
    const auto curve = [&](const Drawn& d) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), d.column) - wanted.begin();
      PlotCurve made{table_.columns()[d.column].name, unit_of(d), values[static_cast<std::size_t>(at)]};
      for (double& v : made.values) v *= d.factor;
      return made;
    };
    std::vector<PlotCurve> curves;
    for (const Drawn& d : chosen_) curves.push_back(curve(d));
    return shared_axes(result_title(options_.file, table_.ended()), curve(x_), std::move(curves), alone);
  }

  [[nodiscard]] std::string unit_of(const Drawn& d) const {
    return d.unit.empty() ? table_.columns()[d.column].unit : d.unit;
  }

  // Prints the curves with the values and units of the drawing.
  int say(const std::vector<Plot>& all) const {
    const auto curve = [](const PlotCurve& c) {
      return nlohmann::ordered_json{{"name", c.name}, {"unit", c.unit}, {"values", c.values}};
    };
    nlohmann::ordered_json plots = nlohmann::ordered_json::array();
    for (const Plot& p : all) {
      plots.push_back({{"x", curve(p.x)}, {"curves", nlohmann::ordered_json::array()}});
      for (const PlotCurve& c : p.curves) plots.back()["curves"].push_back(curve(c));
    }
    return print_json({{"file", options_.file}, {"plots", plots}});
  }

  int draw(const std::vector<Plot>& all) const {
    if (options_.print_json && options_.output.empty()) return say(all);
    if (!options_.output.empty()) {
      const std::string svg =
          svg_plots(all, options_.width ? options_.width : 800, options_.height ? options_.height : 450);
      return write_picture(options_, report_, svg);
    }
    const std::size_t width = options_.width ? options_.width : terminal_width(1);
    std::string text;
    for (const Plot& p : all)
      text += (text.empty() ? "" : "\n") +
              braille_plot(p, width, options_.height ? options_.height : 20, terminal_has_colours());
    return print_output(text, terminal_has_colours() ? Shows::colours : Shows::text);
  }

  static constexpr const char* kUnitHint =
      "a unit of the same kind, as in `mbc plot swing.csv \"hinge.angle in [deg]\"`";

  const Options& options_;
  Report report_;
  TableFile table_;
  Drawn x_;
  std::vector<Drawn> chosen_;
};

}  // namespace

int plot_result(const Options& options) {
  return options.stroboscopic ? plot_stroboscopic(options) : PlotCommand(options).run();
}

}  // namespace mbc::tools
