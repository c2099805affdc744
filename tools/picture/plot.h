// SPDX-License-Identifier: Apache-2.0
// Curves as text: in braille characters for a terminal, and as SVG.
#pragma once
#include <cstddef>
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

// Curves of one unit share their axes, not more than six of them. `alone`: each has its own, as on a terminal without
// colours.
[[nodiscard]] std::vector<Plot> shared_axes(const std::string& title, const PlotCurve& x, std::vector<PlotCurve> curves,
                                            bool alone);

struct PlotRange {
  double low = 0, high = 1;
};

// Of what is finite, with a little room around it; a constant (but for round-off) lies in the middle.
[[nodiscard]] PlotRange range_of(const std::vector<const std::vector<double>*>& lists);
// Round numbers (1, 2 or 5 times a power of ten apart) that cut the range into `pieces` or a few less.
[[nodiscard]] std::vector<double> round_ticks(const PlotRange& range, int pieces);

// A tick with as many digits as tell it from the next one, `step` away.
[[nodiscard]] std::string tick_text(double value, double step);
// The name of a result's file, and how it ended where that is not as it should: "swing.csv (stopped)".
[[nodiscard]] std::string result_title(const std::string& file, const std::string& ended);
// Whether the terminal behind standard output may be written to in colours.
[[nodiscard]] bool terminal_has_colours();

// `width` characters and `height` lines of curve; with the axes it is three lines more. `colour`: of a terminal.
[[nodiscard]] std::string braille_plot(const Plot& plot, std::size_t width, std::size_t height, bool colour);
// All of them one below the other, each `width` by `height` pixels.
[[nodiscard]] std::string svg_plots(const std::vector<Plot>& plots, std::size_t width, std::size_t height);

// A text within XML or HTML.
[[nodiscard]] std::string xml_escaped(const std::string& text);

}  // namespace mbc::tools
