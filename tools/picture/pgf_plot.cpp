// SPDX-License-Identifier: Apache-2.0
// Plots as LaTeX for the package pgfplots.
#include <cmath>

#include "base/numbers.h"
#include "tools/picture/plot.h"

namespace mbc::tools {
namespace {

std::string latex_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) {
    if (c == '\\')
      out += "\\textbackslash{}";
    else if (c == '^')
      out += "\\textasciicircum{}";
    else if (c == '~')
      out += "\\textasciitilde{}";
    else
      out += (std::string_view("#$%&_{}").find(c) != std::string_view::npos ? "\\" : "") + std::string(1, c);
  }
  return out;
}

// A value that the axis cannot show is nan, a gap in the curve.
std::string shown(double value, bool logarithmic) {
  return std::isfinite(value) && (!logarithmic || value > 0) ? text::number(value) : "nan";
}

std::string limits(const char* axis, const std::optional<PlotRange>& range) {
  if (!range) return "";
  return std::string(", ") + axis + "min=" + text::number(range->low) + ", " + axis +
         "max=" + text::number(range->high);
}

std::string options_of(const Plot& plot) {
  const PlotLook& look = plot.look;
  std::string out = "xlabel={" + latex_escaped(axis_title(plot.x)) + "}";
  out += ", ylabel={" + latex_escaped(curves_title(plot)) + "}";
  if (!plot.title.empty()) out += ", title={" + latex_escaped(plot.title) + "}";
  if (look.log_x) out += ", xmode=log";
  if (look.log_y) out += ", ymode=log";
  if (look.equal) out += ", axis equal";
  return out + ", unbounded coords=jump" + limits("x", look.x) + limits("y", look.y);
}

// With error bars a row also holds what lies between the value and the ends of its bar.
std::string rows_of(const Plot& plot, const PlotCurve& c) {
  const std::vector<double>& x = plot.over(c);
  std::string out;
  for (std::size_t k = 0; k < x.size() && k < c.values.size(); ++k) {
    out += shown(x[k], plot.look.log_x) + " " + shown(c.values[k], plot.look.log_y);
    if (c.has_bars()) out += " " + text::number(c.high[k] - c.values[k]) + " " + text::number(c.values[k] - c.low[k]);
    out += "\n";
  }
  return out;
}

}  // namespace

std::string pgf_plots(const std::vector<Plot>& plots, std::size_t across) {
  static constexpr const char* kMarks[] = {"no marks", "only marks, mark size=1pt", "const plot, no marks"};
  std::string out = "% a picture by mbc, for \\usepackage{pgfplots}\n";
  for (std::size_t k = 0; k < plots.size(); ++k) {
    const Plot& plot = plots[k];
    if (k > 0 && k % across == 0) out += "\n";
    out += "\\begin{tikzpicture}\n\\begin{axis}[" + options_of(plot) + "]\n";
    for (const PlotCurve& c : plot.curves) {
      out += "\\addplot+[" + std::string(kMarks[static_cast<std::size_t>(plot.look.mark)]);
      out += c.has_bars()
                 ? ", error bars/.cd, y dir=both, y explicit] table[y error plus index=2, y error minus index=3] {\n"
                 : "] table {\n";
      out += rows_of(plot, c) + "};\n";
      if (plot.curves.size() > 1) out += "\\addlegendentry{" + latex_escaped(c.shown()) + "}\n";
    }
    out += "\\end{axis}\n\\end{tikzpicture}\n";
  }
  return out;
}

}  // namespace mbc::tools
