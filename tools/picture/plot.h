// SPDX-License-Identifier: Apache-2.0
// Curves as text: in braille characters for a terminal, as SVG, and for PGFPlots and gnuplot.
#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "tools/picture/scale.h"

namespace mbc::tools {

struct PlotCurve {
  std::string name, unit;
  std::vector<double> values;
  std::vector<double> over{};         // its own abscissae; empty: those of the plot
  std::string label{};                // in legends; "": the name
  std::vector<double> low{}, high{};  // ends of its error bars; empty: none

  [[nodiscard]] const std::string& shown() const { return label.empty() ? name : label; }
  [[nodiscard]] bool has_bars() const { return !low.empty(); }
};

struct PlotLook {
  enum class Mark : unsigned char { line, points, steps } mark = Mark::line;
  bool log_x = false, log_y = false;
  bool equal = false;                 // one unit is as long on both axes
  std::optional<PlotRange> x{}, y{};  // limits of the axes
};

struct Plot {  // one pair of axes; its curves have one unit
  std::string title;
  PlotCurve x;
  std::vector<PlotCurve> curves;
  PlotLook look{};

  [[nodiscard]] const std::vector<double>& over(const PlotCurve& c) const { return c.over.empty() ? x.values : c.over; }
};

struct PlotScales {
  Scale x, y;
};
// `proportion`: the width of the axes by their height, for equal scales.
[[nodiscard]] PlotScales scales_of(const Plot& plot, double proportion);
// Returns "angle [rad]". The name of a column in a unit, "angle [deg]", has it already.
[[nodiscard]] std::string axis_title(const PlotCurve& c);
// Returns the title of the vertical axis where a legend has the names: "[m]" of several curves.
[[nodiscard]] std::string curves_title(const Plot& plot);
// Returns whether a part of a curve lies within the limits of the axes.
[[nodiscard]] bool shows_anything(const Plot& plot);

// Groups curves of one unit on shared axes, at most six of them. `alone`: each has its own axes, as on a terminal
// without colours.
[[nodiscard]] std::vector<Plot> shared_axes(const std::string& title, const PlotCurve& x, std::vector<PlotCurve> curves,
                                            bool alone);

// A pair of axes in a picture, in pixels.
struct SvgAxes {
  double left = 0, right = 0, top = 0, bottom = 0;
  std::vector<double> xs, ys;                     // ticks
  std::function<double(double)> x, y;             // pixels of a value
  double sign = 1;                                // of the numbers at the ticks of y
  std::vector<std::string> x_texts{}, y_texts{};  // at the ticks; empty: their numbers
};
// Draws the frame, ticks with their numbers, and the title of x.
[[nodiscard]] std::string svg_axes(const SvgAxes& axes, const std::string& title);
// Returns the name of a result's file, and the status of an incomplete run: "swing.csv (stopped)".
[[nodiscard]] std::string result_title(const std::string& file, const std::string& ended);
// Returns whether standard output is a terminal that may be written to in colours.
[[nodiscard]] bool terminal_has_colours();

// Draws a plot with `width` characters and `height` lines of curve; the axes add three lines. `colour`: of a terminal.
[[nodiscard]] std::string braille_plot(const Plot& plot, std::size_t width, std::size_t height, bool colour);
// Draws the plots, each `width` by `height` pixels, `across` of them side by side, the next ones below.
[[nodiscard]] std::string svg_plots(const std::vector<Plot>& plots, std::size_t width, std::size_t height,
                                    std::size_t across = 1);
// Returns the plots as LaTeX for PGFPlots: a tikzpicture each, with the numbers of the curves; a paragraph holds
// `across` of them.
[[nodiscard]] std::string pgf_plots(const std::vector<Plot>& plots, std::size_t across);
// Returns the plots as a script for gnuplot, with the numbers of the curves.
[[nodiscard]] std::string gnuplot_script(const std::vector<Plot>& plots, std::size_t across);

// Returns a text for use within XML or HTML.
[[nodiscard]] std::string xml_escaped(const std::string& text);

}  // namespace mbc::tools
