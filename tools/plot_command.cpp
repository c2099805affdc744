// SPDX-License-Identifier: Apache-2.0
// `mbc plot`: columns of results as curves, in the terminal, as SVG, as LaTeX and for gnuplot, and by a program of the
// system as PNG and PDF.
#include <unistd.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <optional>

#include "base/numbers.h"
#include "base/row_format.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/picture/converted.h"
#include "tools/picture/plot.h"
#include "tools/picture/row_groups.h"
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

std::optional<double> number_of(const std::string& text) {
  const std::string digits = trimmed(text);
  double value = 0;
  const auto [end, problem] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
  if (problem != std::errc{} || end != digits.data() + digits.size() || !std::isfinite(value)) return {};
  return value;
}

class PlotCommand {
 public:
  explicit PlotCommand(const Options& options) : options_(options), report_(options) {}

  int run() {
    if (options_.poses > 0 || !options_.at.empty() || !options_.plane.empty() || options_.seconds)
      return report_.usage("plot: --poses, --at, --plane and --seconds belong to pictures of the motion",
                           "add --stroboscopic or --animation");
    if (const int problem = check_picture(options_, report_); problem != kOk) return problem;
    if (const int problem = take_look(); problem != kOk) return problem;
    if (!table_.open(options_.file)) {
      report_.failure("unreadable", table_.error());
      return kModelError;
    }
    if (const int problem = choose(); problem != kOk) return problem;
    if (const int problem = find_roles(table_, options_.file); problem != kOk) return problem;
    std::vector<Plot> made = plots();
    if (const int problem = add_results(made); problem != kOk) return problem;
    if (const int problem = group_rows(made); problem != kOk) return problem;
    if (const int problem = give_looks(made); problem != kOk) return problem;
    for (const Plot& p : made) {
      if (!shows_anything(p)) say_empty(p);
      say_left_out(p);
    }
    return draw(made);
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
      const QuantityText item = quantity_text(options_.against);
      const std::optional<std::size_t> found = column(item.name);
      if (!found) return unknown(item.name);
      x_.column = *found;
      if (const int problem = draw_in(item.unit, x_); problem != kOk) return problem;
    }
    if (options_.quantities.empty()) return choose_outputs();
    for (const std::string& panel : pieces_between(';', options_.quantities)) {
      panels_.emplace_back();
      for (const std::string& name : pieces_between_commas(panel))
        if (const int problem = take(trimmed(name)); problem != kOk) return problem;
    }
    return kOk;
  }

  int take(const std::string& text) {
    const auto [name, unit] = quantity_text(text);
    std::vector<Drawn>& chosen = panels_.back();
    const std::size_t before = chosen.size();
    if (name.ends_with("*")) {
      for (std::size_t k = 0; k < table_.columns().size() && chosen.size() < before + kMostOfStar; ++k)
        if (table_.columns()[k].name.starts_with(name.substr(0, name.size() - 1))) chosen.push_back({k});
    } else if (const std::optional<std::size_t> found = column(name)) {
      chosen.push_back({*found});
    }
    if (chosen.size() == before) return unknown(name);
    for (std::size_t k = before; k < chosen.size(); ++k)
      if (const int problem = draw_in(unit, chosen[k]); problem != kOk) return problem;
    return kOk;
  }

  // Chooses the plots of the model (`plot` of its `simulate` block), else its outputs, else the first columns.
  int choose_outputs() {
    if (options_.against.empty() && asks_for_plots()) return kOk;
    std::vector<Drawn>& chosen = panels_.emplace_back();
    for (std::size_t k = 1; k < table_.columns().size(); ++k)
      if (table_.columns()[k].output && k != x_.column) chosen.push_back({k});
    for (std::size_t k = 1; chosen.empty() && k < table_.columns().size(); ++k)
      for (std::size_t i = k; i < table_.columns().size() && chosen.size() < kFirst; ++i)
        if (i != x_.column) chosen.push_back({i});
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

  // The columns of a result that choose and group its rows.
  struct Roles {
    std::optional<std::vector<bool>> shown{};  // nothing: all rows are drawn
    PlotCurve by{}, bars{};
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

  // "0..2" as two numbers.
  int take_limits(const char* option, const std::string& text, bool logarithmic, std::optional<PlotRange>& limits) {
    if (text.empty()) return kOk;
    const std::size_t dots = text.find("..");
    const std::optional<double> low = number_of(text.substr(0, dots));
    const std::optional<double> high = dots == std::string::npos ? std::nullopt : number_of(text.substr(dots + 2));
    if (!low || !high || !(*low < *high) || (logarithmic && !(*low > 0)))
      return report_.usage("plot: " + std::string(option) + ": `" + text + "` are no limits of " +
                               (logarithmic ? "a logarithmic axis" : "an axis"),
                           std::string("two numbers, the smaller one first: ") + (logarithmic ? "1e-6..1" : "0..2"));
    limits = PlotRange{*low, *high};
    return kOk;
  }

  int take_look() {
    if (options_.points && options_.steps)
      return report_.usage("plot: curves are points or steps", "leave out --points or --steps");
    const bool points = options_.points || (!options_.at_event.empty() && !options_.steps);
    look_.mark = points ? PlotLook::Mark::points : options_.steps ? PlotLook::Mark::steps : PlotLook::Mark::line;
    look_.log_x = options_.log.find('x') != std::string::npos;
    look_.log_y = options_.log.find('y') != std::string::npos;
    look_.equal = options_.equal;
    if (look_.equal && (!options_.log.empty() || !options_.x_limits.empty() || !options_.y_limits.empty()))
      return report_.usage("plot: --equal chooses the limits of linear axes", "leave out --log, --xlim and --ylim");
    if (const int problem = take_limits("--xlim", options_.x_limits, look_.log_x, look_.x); problem != kOk)
      return problem;
    return take_limits("--ylim", options_.y_limits, look_.log_y, look_.y);
  }

  // Draws the columns of further results beside those of the first one, in its units.
  int add_results(std::vector<Plot>& all) {
    for (const std::string& path : options_.results) {
      TableFile other;
      if (!other.open(path)) return report_.failure("unreadable", other.error()), kModelError;
      if (const int problem = find_roles(other, path); problem != kOk) return problem;
      for (Plot& p : all) {
        const std::size_t own = p.curves.size();
        PlotCurve x = p.x;
        if (const int problem = read_again(other, path, x); problem != kOk) return problem;
        for (std::size_t k = 0; k < own; ++k) {
          PlotCurve c = p.curves[k];
          if (!c.over.empty()) break;  // of a result before this one
          if (const int problem = read_again(other, path, c); problem != kOk) return problem;
          c.over = x.values;
          c.label = c.name + " (" + result_title(path, other.ended()) + ")";
          p.curves.push_back(std::move(c));
        }
        p.title.clear();
      }
    }
    return kOk;
  }

  // Replaces the values of a curve by those of the same column of another result.
  int read_again(const TableFile& other, const std::string& path, PlotCurve& curve) const {
    std::size_t k = 0;
    while (k < other.columns().size() && other.columns()[k].name != curve.name) ++k;
    if (k == other.columns().size())
      return report_.usage("plot: `" + path + "` has no column `" + curve.name + "`", "name columns that both have");
    std::string why;
    const std::optional<double> factor = unit_factor(other.columns()[k].unit, curve.unit, why);
    if (!factor && other.columns()[k].unit != curve.unit)
      return report_.usage("plot: `" + curve.name + "` of `" + path + "` has another unit: " + why, kUnitHint);
    curve.values = shown(other.read({k})[0]);
    for (double& v : curve.values) v *= factor.value_or(1);
    return kOk;
  }

  // Reads which rows of a result are drawn, and what groups them.
  int find_roles(const TableFile& table, const std::string& path) {
    Roles& roles = roles_.emplace_back();
    if (!options_.at_event.empty()) {
      std::string why, hint;
      roles.shown = rows_of_event(table, options_.at_event, why, hint);
      if (!roles.shown) return report_.usage("plot: `" + path + "` " + why, hint);
    }
    const auto read = [&](const std::string& text, PlotCurve& role) {
      const auto [name, unit] = quantity_text(text);
      const std::optional<std::size_t> first = column(name);
      if (!first) return unknown(name);
      Drawn drawn{*first};
      if (const int problem = draw_in(unit, drawn); problem != kOk) return problem;
      role = {name, unit_of(drawn), {}};
      return read_again(table, path, role);
    };
    if (!options_.by.empty())
      if (const int problem = read(options_.by, roles.by); problem != kOk) return problem;
    if (bars_of_column())
      if (const int problem = read(options_.bars, roles.bars); problem != kOk) return problem;
    if (const std::size_t n = different_values(roles.by.values).size(); n > kMostGroups)
      return report_.usage("plot: `" + roles.by.name + "` has " + counted(n, "value") + ", and a picture shows " +
                               std::to_string(kMostGroups) + " curves of them at most",
                           "`mbc sweep --report` makes a map of many values");
    return kOk;
  }

  [[nodiscard]] bool bars_of_column() const {
    return !options_.bars.empty() && options_.bars != "deviation" && options_.bars != "range";
  }

  // Returns the values of the rows that are drawn, of the result whose roles were read last.
  [[nodiscard]] std::vector<double> shown(std::vector<double> values) const {
    if (!roles_.back().shown) return values;
    std::size_t kept = 0;
    for (std::size_t k = 0; k < values.size(); ++k)
      if ((*roles_.back().shown)[k]) values[kept++] = values[k];
    values.resize(kept);
    return values;
  }

  // Splits the curves by the values of a column and gives them error bars.
  int group_rows(std::vector<Plot>& all) const {
    if (options_.by.empty() && options_.bars.empty()) return kOk;
    for (Plot& p : all) {
      const std::size_t own = p.curves.size() / roles_.size();
      std::vector<PlotCurve> made;
      for (std::size_t k = 0; k < p.curves.size(); ++k) {
        const Roles& roles = roles_[k / own];
        PlotCurve& c = p.curves[k];
        if (bars_of_column()) {
          if (roles.bars.unit != c.unit)
            return report_.usage("plot: --bars: `" + roles.bars.name + "` is in [" + roles.bars.unit + "], and `" +
                                     c.name + "` in [" + c.unit + "]",
                                 "a column of the same unit, or `deviation` or `range` of the rows of one abscissa");
          for (std::size_t i = 0; i < c.values.size(); ++i) {
            c.low.push_back(c.values[i] - std::fabs(roles.bars.values[i]));
            c.high.push_back(c.values[i] + std::fabs(roles.bars.values[i]));
          }
        }
        std::vector<PlotCurve> split{c};
        if (!options_.by.empty()) split = split_by(c, p.over(c), roles.by, p.curves.size() == 1);
        for (PlotCurve& one : split) {
          if (!options_.bars.empty() && !bars_of_column()) gather(one, p.over(one), options_.bars == "range");
          made.push_back(std::move(one));
        }
      }
      p.curves = std::move(made);
    }
    return kOk;
  }

  // Says that the limits leave nothing to be seen; an empty picture may be what is asked for.
  void say_empty(const Plot& p) const {
    if (!p.look.x && !p.look.y) return;
    const auto ends = [](const std::vector<double>& values) {
      const std::vector<double> sorted = different_values(values);
      if (sorted.empty()) return std::string(" has no values");
      return " goes from " + text::short_number(sorted.front(), 6) + " to " + text::short_number(sorted.back(), 6);
    };
    std::string where = "`" + p.x.name + "`" + ends(p.x.values);
    for (const PlotCurve& c : p.curves) where += ", `" + c.shown() + "`" + ends(c.values);
    print_error("mbc: plot: the limits of the axes show nothing: " + where + "\n");
  }

  // Says how many values have no place on a logarithmic axis.
  void say_left_out(const Plot& p) const {
    const auto say = [](const PlotCurve& c, const std::vector<double>& values) {
      const auto n = std::count_if(values.begin(), values.end(), [](double v) { return v <= 0; });
      if (n == 0) return;
      print_error("mbc: plot: note: `" + c.shown() + "` has " + counted(static_cast<std::size_t>(n), "value") +
                  " not above 0, which a logarithmic axis does not show\n");
    };
    if (p.look.log_x) say(p.x, p.x.values);
    for (const PlotCurve& c : p.curves)
      if (p.look.log_y) say(c, c.values);
  }

  int give_looks(std::vector<Plot>& all) const {
    std::size_t label = 0;
    for (Plot& p : all) {
      p.look = look_;
      if (options_.title) p.title = *options_.title;
      for (PlotCurve& c : p.curves)
        if (label < options_.labels.size()) c.label = options_.labels[label++];
      if (look_.equal && p.x.unit != p.curves[0].unit)
        return report_.usage("plot: --equal: `" + p.x.name + "` is in [" + p.x.unit + "], and `" + p.curves[0].name +
                                 "` in [" + p.curves[0].unit + "]",
                             "--against a column of the same unit");
    }
    if (label < options_.labels.size())
      return report_.usage(
          "plot: there are " + counted(label, "curve") + ", and " + counted(options_.labels.size(), "--label"),
          "leave out those at the end");
    return kOk;
  }

  std::vector<Plot> plots() const {
    const bool alone = options_.output.empty() && !terminal_has_colours();
    if (panels_.empty())
      return requested_plots(table_.plots(), result_title(options_.file, table_.ended()), alone,
                             [this](const std::string& name) -> std::optional<PlotCurve> {
                               const std::optional<std::size_t> found = column(name);
                               if (!found) return {};
                               return PlotCurve{name, table_.columns()[*found].unit, shown(table_.read({*found})[0])};
                             });
    std::vector<std::size_t> wanted = {x_.column};
    for (const std::vector<Drawn>& panel : panels_)
      for (const Drawn& d : panel) wanted.push_back(d.column);
    std::sort(wanted.begin(), wanted.end());
    wanted.erase(std::unique(wanted.begin(), wanted.end()), wanted.end());
    const std::vector<std::vector<double>> values = table_.read(wanted);
    const auto curve = [&](const Drawn& d) {
      const auto at = std::lower_bound(wanted.begin(), wanted.end(), d.column) - wanted.begin();
      PlotCurve made{table_.columns()[d.column].name, unit_of(d), shown(values[static_cast<std::size_t>(at)])};
      for (double& v : made.values) v *= d.factor;
      return made;
    };
    std::vector<Plot> all;
    for (const std::vector<Drawn>& panel : panels_) {
      std::vector<PlotCurve> curves;
      for (const Drawn& d : panel) curves.push_back(curve(d));
      const std::string title = result_title(options_.file, table_.ended());
      for (Plot& p : shared_axes(title, curve(x_), std::move(curves), alone)) all.push_back(std::move(p));
    }
    return all;
  }

  [[nodiscard]] std::string unit_of(const Drawn& d) const {
    return d.unit.empty() ? table_.columns()[d.column].unit : d.unit;
  }

  // Prints the curves with the values and units of the drawing.
  int say(const std::vector<Plot>& all) const {
    const auto curve = [](const PlotCurve& c) {
      nlohmann::ordered_json made{{"name", c.shown()}, {"unit", c.unit}, {"values", c.values}};
      if (!c.over.empty()) made["over"] = c.over;
      if (c.has_bars()) made["low"] = c.low, made["high"] = c.high;
      return made;
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
    const std::size_t across = options_.across;
    if (ending_of(options_.output) == "tex") return write_picture(options_, report_, pgf_plots(all, across));
    if (ending_of(options_.output) == "gp") return write_picture(options_, report_, gnuplot_script(all, across));
    if (!options_.output.empty()) {
      const std::string svg =
          svg_plots(all, options_.width ? options_.width : 800, options_.height ? options_.height : 450, across);
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
  PlotLook look_;
  Drawn x_;
  std::vector<std::vector<Drawn>> panels_;  // none: the plots of the model
  std::vector<Roles> roles_;                // of the result, and of those of --with
};

}  // namespace

int plot_result(const Options& options) {
  return options.stroboscopic || options.animation ? plot_stroboscopic(options) : PlotCommand(options).run();
}

}  // namespace mbc::tools
