// SPDX-License-Identifier: Apache-2.0
// Plots as SVG.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/table.h"
#include "tools/picture/plot.h"

namespace mbc::tools {
namespace {

constexpr std::array kInk = {"#2b6cc4", "#d2691e", "#2e8b57", "#a6427a", "#6a55b5", "#8a6d00",
                             "#1f9aa8", "#b5433a", "#7f8c2a", "#4f5d6b", "#c46bb0", "#3d3f8f"};

struct Box {  // area of the curves, in pixels
  double left, right, top, bottom;
  PlotScales scales;
  [[nodiscard]] double x(double v) const { return left + scales.x.at(v) * (right - left); }
  [[nodiscard]] double y(double v) const { return bottom - scales.y.at(v) * (bottom - top); }
};

std::vector<std::string> texts_of(const Scale& scale, const std::vector<double>& ticks) {
  std::vector<std::string> out;
  for (const double v : ticks) out.push_back(scale.text_of(v, ticks));
  return out;
}

void titled_axes(std::string& out, const Plot& plot, const Box& b) {
  const auto xs = b.scales.x.ticks(static_cast<int>((b.right - b.left) / 80));
  const auto ys = b.scales.y.ticks(static_cast<int>(std::max(2.0, (b.bottom - b.top) / 45)));
  out += svg_axes({b.left, b.right, b.top, b.bottom, xs, ys, [&b](double v) { return b.x(v); },
                   [&b](double v) { return b.y(v); }, 1, texts_of(b.scales.x, xs), texts_of(b.scales.y, ys)},
                  xml_escaped(axis_title(plot.x)));
  std::string names;
  std::vector<std::string> different;
  for (const PlotCurve& c : plot.curves)
    if (std::find(different.begin(), different.end(), c.name) == different.end()) different.push_back(c.name);
  for (const std::string& name : different) names += (names.empty() ? "" : ", ") + name;
  // A letter is about 7 pixels wide; the legend has all names.
  const double room = (b.bottom - b.top + 40) / 7;
  const bool fits = static_cast<double>(text::display_width(axis_title({names, plot.curves[0].unit, {}}))) <= room;
  if (!fits && different.size() > 1) names = plot.curves[0].name + ", …";
  out += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     b.left - 58, (b.top + b.bottom) / 2, xml_escaped(axis_title({names, plot.curves[0].unit, {}})));
}

// Points at the same tenth of a pixel are merged. If the abscissa only grows, each pixel is drawn from its least to its
// largest value, so that a million rows become a few thousand points and no peak is lost.
std::string svg_path(const Plot& plot, const PlotCurve& curve, const Box& b) {
  const std::vector<double>& x = plot.over(curve);
  const bool steps = plot.look.mark == PlotLook::Mark::steps;
  std::string d;
  bool open = false, held = false;
  long column = 0;
  double low = 0, high = 0, last = 0;
  const bool grows = std::is_sorted(x.begin(), x.end());
  std::string before;
  const auto put = [&](double px, double py) {
    std::string point = fmt::format("{:.1f} {:.1f}", px, py);
    if (point == before && open) return;
    if (steps && open) d += fmt::format("H{:.1f}", px);
    d += (open ? "L" : "M") + point;
    before = std::move(point);
    open = true;
  };
  const auto flush = [&] {
    if (!held) return;
    const double px = static_cast<double>(column) / 2;
    if (high - low > 0.05) put(px, low), put(px, high);
    put(px, last);
    held = false;
  };
  std::size_t first = 0, end = std::min(curve.values.size(), x.size());
  if (grows && plot.look.x) {  // what lies outside of the axes is left out, but for one point on each side
    const auto from = std::lower_bound(x.begin(), x.end(), plot.look.x->low) - x.begin();
    const auto to = std::upper_bound(x.begin(), x.end(), plot.look.x->high) - x.begin();
    first = static_cast<std::size_t>(std::max<std::ptrdiff_t>(from, 1) - 1);
    end = std::min(end, static_cast<std::size_t>(to) + 1);
  }
  for (std::size_t k = first; k < end; ++k) {
    const double px = b.x(x[k]), py = b.y(curve.values[k]);
    if (!std::isfinite(px) || !std::isfinite(py)) {
      flush();
      open = false;
      continue;
    }
    if (!grows || steps || end - first < 4000) {
      put(px, py);
      continue;
    }
    const long here = std::lround(2 * px);
    if (!held || here != column) {
      flush();
      column = here;
      low = high = py;
      held = true;
    }
    low = std::min(low, py);
    high = std::max(high, py);
    last = py;
  }
  flush();
  return d;
}

// One small disc a point; points at the same tenth of a pixel are one.
std::string svg_points(const Plot& plot, const PlotCurve& curve, const Box& b) {
  const std::vector<double>& x = plot.over(curve);
  std::string out, before;
  for (std::size_t k = 0; k < curve.values.size() && k < x.size(); ++k) {
    const double px = b.x(x[k]), py = b.y(curve.values[k]);
    if (!std::isfinite(px) || !std::isfinite(py)) continue;
    std::string point = fmt::format("M{:.1f} {:.1f}h0", px, py);
    if (point != before) out += point;
    before = std::move(point);
  }
  return out;
}

// A line from end to end of each error bar, with a short one across at both.
std::string svg_bars(const Plot& plot, const PlotCurve& curve, const Box& b) {
  const std::vector<double>& x = plot.over(curve);
  std::string out;
  for (std::size_t k = 0; k < curve.low.size(); ++k) {
    const double px = b.x(x[k]), low = b.y(curve.low[k]), high = b.y(curve.high[k]);
    if (std::isfinite(px) && std::isfinite(low) && std::isfinite(high))
      out += fmt::format("M{0:.1f} {2:.1f}V{3:.1f}M{1:.1f} {2:.1f}h6M{1:.1f} {3:.1f}h6", px, px - 3, low, high);
  }
  return out;
}

double legend_width(const PlotCurve& curve) {
  return 7.0 * static_cast<double>(text::display_width(curve.shown())) + 34;
}

using LegendRow = std::pair<std::size_t, std::size_t>;  // from its first curve to the one behind its last

// Returns the rows of the legend. The first one stands beside the title; it is empty if the legend does not fit there.
std::vector<LegendRow> legend_rows(const Plot& plot, double width) {
  std::vector<LegendRow> rows{{0, 0}};
  if (plot.curves.size() < 2) return rows;
  double all = 9.5 * static_cast<double>(text::display_width(plot.title)), used = 0;
  for (const PlotCurve& c : plot.curves) all += legend_width(c);
  if (all <= width) return {{0, plot.curves.size()}};
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    used += legend_width(plot.curves[k]);
    if (k == 0 || used > width) {
      rows.emplace_back(k, k);
      used = legend_width(plot.curves[k]);
    }
    rows.back().second = k + 1;
  }
  return rows;
}

// Draws a row of the legend that ends at `right`.
void svg_legend(std::string& out, const Plot& plot, const LegendRow& row, double right, double top, const char* style) {
  const bool points = plot.look.mark == PlotLook::Mark::points;
  for (std::size_t k = row.second; k-- > row.first;) {
    right -= legend_width(plot.curves[k]);
    out += fmt::format(
        "<path {0} stroke=\"{1}\" d=\"M{2:.1f} {3:.1f}h{4}\"/><text x=\"{5:.1f}\" y=\"{6:.1f}\">{7}</text>\n", style,
        kInk[k % kInk.size()], points ? right + 9 : right, top + 16, points ? 0 : 18, right + 23, top + 20,
        xml_escaped(plot.curves[k].shown()));
  }
}

// Draws a plot whose corner lies at `west`, `top`.
void svg_plot(std::string& out, const Plot& plot, double width, double height, double west, double top) {
  const double left = west + 82, right = west + width - 18, bottom = top + height - 48;
  const auto rows = legend_rows(plot, right - left);
  const double ceiling = top + 34 + 18 * static_cast<double>(rows.size() - 1);
  const Box b{left, right, ceiling, bottom, scales_of(plot, (right - left) / (bottom - ceiling))};
  out +=
      fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", b.left, top + 20, xml_escaped(plot.title));
  titled_axes(out, plot, b);
  const bool limited = plot.look.x || plot.look.y;
  const std::string area = fmt::format("a{:.0f}", top) + (west > 0 ? fmt::format("-{:.0f}", west) : "");
  if (limited)
    out += fmt::format(
        "<clipPath id=\"{0}\"><rect x=\"{1:.1f}\" y=\"{2:.1f}\" width=\"{3:.1f}\" "
        "height=\"{4:.1f}\"/></clipPath>\n",
        area, b.left, b.top, b.right - b.left, b.bottom - b.top);
  const std::string clip = limited ? " clip-path=\"url(#" + area + ")\"" : "";
  const bool points = plot.look.mark == PlotLook::Mark::points;
  const char* style = points ? "stroke-width=\"3.5\" stroke-linecap=\"round\"" : "class=\"c\"";
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    const PlotCurve& c = plot.curves[k];
    out += fmt::format("<path {}{} stroke=\"{}\" d=\"{}\"/>\n", style, clip, kInk[k % kInk.size()],
                       points ? svg_points(plot, c, b) : svg_path(plot, c, b));
    if (c.has_bars())
      out += fmt::format("<path fill=\"none\"{} stroke=\"{}\" d=\"{}\"/>\n", clip, kInk[k % kInk.size()],
                         svg_bars(plot, c, b));
  }
  for (std::size_t row = 0; row < rows.size(); ++row)
    svg_legend(out, plot, rows[row], b.right, top + 18 * static_cast<double>(row), style);
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string svg_axes(const SvgAxes& a, const std::string& title) {
  std::string out;
  const auto text = [](const std::vector<std::string>& texts, std::size_t k, double value,
                       const std::vector<double>& ticks) { return texts.empty() ? tick_text(value, ticks) : texts[k]; };
  for (std::size_t k = 0; k < a.xs.size(); ++k)
    out += fmt::format(
        "<path class=\"r\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        a.x(a.xs[k]), a.top, a.bottom, a.bottom + 16, text(a.x_texts, k, a.xs[k], a.xs));
  for (std::size_t k = 0; k < a.ys.size(); ++k)
    out += fmt::format(
        "<path class=\"r\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        a.left, a.y(a.ys[k]), a.right, a.left - 6, a.y(a.ys[k]) + 4, text(a.y_texts, k, a.sign * a.ys[k], a.ys));
  out += fmt::format("<rect class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", a.left,
                     a.top, a.right - a.left, a.bottom - a.top);
  return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", (a.left + a.right) / 2,
                           a.bottom + 36, title);
}

std::string svg_plots(const std::vector<Plot>& plots, std::size_t width, std::size_t height, std::size_t across) {
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
      "<style>.r{{stroke:#ddd;fill:none}}.f{{stroke:#666;fill:none}}.c{{fill:none;stroke-width:1.6;stroke-linejoin:"
      "round}}"
      ".t{{font-size:14px;font-weight:bold}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width * std::min(across, plots.size()), height * ((plots.size() + across - 1) / across));
  for (std::size_t k = 0; k < plots.size(); ++k)
    svg_plot(out, plots[k], w, h, w * static_cast<double>(k % across), h * static_cast<double>(k / across));
  return out + "</svg>\n";
}

}  // namespace mbc::tools
