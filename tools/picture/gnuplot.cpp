// SPDX-License-Identifier: Apache-2.0
// Plots as a script for gnuplot, with the numbers of the curves.
#include <cmath>

#include "base/numbers.h"
#include "tools/picture/plot.h"

namespace mbc::tools {
namespace {

// Returns a text in single quotes, in which only the quote itself is special.
std::string text_of(const std::string& text) {
  std::string out = "'";
  for (const char c : text) out += c == '\'' ? std::string("''") : std::string(1, c == '\n' ? ' ' : c);
  return out + "'";
}

std::string value_of(double value) { return std::isfinite(value) ? text::number(value) : "NaN"; }

std::string range_of(const char* axis, const std::optional<PlotRange>& range) {
  if (!range) return std::string("set ") + axis + "range [*:*]\n";
  return std::string("set ") + axis + "range [" + text::number(range->low) + ":" + text::number(range->high) + "]\n";
}

// Each curve has a block of its own: gnuplot does not count a curve without rows as one of several in a block.
std::string name_of(std::size_t plot, std::size_t curve) {
  return "$plot" + std::to_string(plot + 1) + "_" + std::to_string(curve + 1);
}

std::string block_of(const std::vector<double>& x, const PlotCurve& c, const std::string& name) {
  std::string out = name + " << EOD\n";
  for (std::size_t k = 0; k < x.size() && k < c.values.size(); ++k) {
    out += value_of(x[k]) + " " + value_of(c.values[k]);
    if (c.has_bars()) out += " " + value_of(c.low[k]) + " " + value_of(c.high[k]);
    out += "\n";
  }
  return out + "EOD\n";
}

std::string style_of(const Plot& plot, const PlotCurve& c) {
  const bool points = plot.look.mark == PlotLook::Mark::points;
  if (c.has_bars()) return points ? "1:2:3:4 with yerrorbars" : "1:2:3:4 with yerrorlines";
  if (points) return "1:2 with points pointtype 7 pointsize 0.4";
  return plot.look.mark == PlotLook::Mark::steps ? "1:2 with steps" : "1:2 with lines";
}

std::string axes_of(const Plot& plot) {
  const PlotLook& look = plot.look;
  std::string out = "set xlabel " + text_of(axis_title(plot.x)) + "\nset ylabel " + text_of(curves_title(plot)) +
                    "\nset title " + text_of(plot.title) + "\nunset logscale\n";
  if (look.log_x) out += "set logscale x\n";
  if (look.log_y) out += "set logscale y\n";
  out += look.equal ? "set size ratio -1\n" : "set size noratio\n";
  return out + range_of("x", look.x) + range_of("y", look.y);
}

}  // namespace

std::string gnuplot_script(const std::vector<Plot>& plots, std::size_t across) {
  std::string out = "# a picture by mbc: gnuplot -persist FILE\nset termoption noenhanced\n";
  for (std::size_t k = 0; k < plots.size(); ++k)
    for (std::size_t i = 0; i < plots[k].curves.size(); ++i)
      out += block_of(plots[k].over(plots[k].curves[i]), plots[k].curves[i], name_of(k, i));
  const std::size_t rows = (plots.size() + across - 1) / across;
  if (plots.size() > 1) out += "set multiplot layout " + std::to_string(rows) + "," + std::to_string(across) + "\n";
  for (std::size_t k = 0; k < plots.size(); ++k) {
    out += axes_of(plots[k]) + "plot ";
    for (std::size_t i = 0; i < plots[k].curves.size(); ++i) {
      const PlotCurve& c = plots[k].curves[i];
      out += (i > 0 ? ", \\\n     " : "") + name_of(k, i) + " using " + style_of(plots[k], c) +
             (plots[k].curves.size() > 1 ? " title " + text_of(c.shown()) : std::string(" notitle"));
    }
    out += "\n";
  }
  return out + (plots.size() > 1 ? "unset multiplot\n" : "");
}

}  // namespace mbc::tools
