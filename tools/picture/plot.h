// SPDX-License-Identifier: Apache-2.0
// Curves as text: in braille characters for a terminal, and as SVG.
#pragma once
#include <cstddef>
#include <functional>
#include <string>
#include <vector>

namespace mbc::tools {

struct PlotCurve {
  std::string name, unit;
  std::vector<double> values;
};

struct Plot {  // one pair of axes; its curves have one unit
  std::string title;
  PlotCurve x;
  std::vector<PlotCurve> curves;
};

// Groups curves of one unit on shared axes, at most six of them. `alone`: each has its own axes, as on a terminal
// without colours.
[[nodiscard]] std::vector<Plot> shared_axes(const std::string& title, const PlotCurve& x, std::vector<PlotCurve> curves,
                                            bool alone);

struct PlotRange {
  double low = 0, high = 1;
};

// Returns the range of the finite values, with some margin; a constant (up to round-off) lies in the middle.
[[nodiscard]] PlotRange range_of(const std::vector<const std::vector<double>*>& lists);
// Returns round numbers (1, 2 or 5 times a power of ten apart) that divide the range into `pieces` or a few less.
[[nodiscard]] std::vector<double> round_ticks(const PlotRange& range, int pieces);

// A pair of axes in a picture, in pixels.
struct SvgAxes {
  double left = 0, right = 0, top = 0, bottom = 0;
  std::vector<double> xs, ys;          // ticks
  std::function<double(double)> x, y;  // pixels of a value
  double sign = 1;                     // of the numbers at the ticks of y
};
// Draws the frame, ticks with their numbers, and the title of x.
[[nodiscard]] std::string svg_axes(const SvgAxes& axes, const std::string& title);
// Returns the name of a result's file, and the status of an incomplete run: "swing.csv (stopped)".
[[nodiscard]] std::string result_title(const std::string& file, const std::string& ended);
// Returns whether standard output is a terminal that may be written to in colours.
[[nodiscard]] bool terminal_has_colours();

// Draws a plot with `width` characters and `height` lines of curve; the axes add three lines. `colour`: of a terminal.
[[nodiscard]] std::string braille_plot(const Plot& plot, std::size_t width, std::size_t height, bool colour);
// Draws the plots one below the other, each `width` by `height` pixels.
[[nodiscard]] std::string svg_plots(const std::vector<Plot>& plots, std::size_t width, std::size_t height);

// Returns a text for use within XML or HTML.
[[nodiscard]] std::string xml_escaped(const std::string& text);

}  // namespace mbc::tools
