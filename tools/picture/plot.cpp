// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/plot.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

#include "base/numbers.h"
#include "base/table.h"

namespace mbc::tools {

bool terminal_has_colours() {
  const char* off = std::getenv("NO_COLOR");
  return isatty(1) == 1 && (off == nullptr || *off == '\0');
}

std::string result_title(const std::string& file, const std::string& ended) {
  const std::string name = file == "-" ? "" : file.substr(file.rfind('/') + 1);
  return ended.empty() ? name : name + " (" + ended + ")";
}

namespace {

constexpr double kRoom = 0.04;      // fraction of the range, on both sides
constexpr double kConstant = 1e-9;  // fraction of the size: smaller changes are drawn as a constant
constexpr std::size_t kCurvesOfAxes = 6;
constexpr std::array kTerminal = {"34", "33", "32", "35", "36", "31"};
constexpr std::array kInk = {"#2b6cc4", "#d2691e", "#2e8b57", "#a6427a", "#6a55b5", "#8a6d00"};

std::string axis_title(const PlotCurve& c) {
  return c.unit.empty() || c.unit == "1" ? c.name : c.name + " [" + c.unit + "]";
}

// Returns the text of a tick with enough digits to distinguish it from the next one.
std::string tick_text(double value, const std::vector<double>& ticks) {
  const double step = ticks.size() > 1 ? ticks[1] - ticks[0] : 1;
  if (std::fabs(value) < 1e-6 * step) return "0";
  const double digits = std::ceil(std::log10(std::fabs(value) / step)) + 1;
  return text::short_number(value, static_cast<int>(std::clamp(digits, 6.0, 15.0)));
}

bool finite(double x, double y) { return std::isfinite(x) && std::isfinite(y); }

// ---- dots of a terminal: two by four in a character

class Dots {
 public:
  Dots(std::size_t width, std::size_t height)
      : width_(width), height_(height), cells_(width * height), ink_(width * height) {}

  void line(long x0, long y0, long x1, long y1, int ink) {
    const long dx = std::labs(x1 - x0), dy = -std::labs(y1 - y0), sx = x0 < x1 ? 1 : -1, sy = y0 < y1 ? 1 : -1;
    for (long error = dx + dy;;) {  // Bresenham
      dot(x0, y0, ink);
      if (x0 == x1 && y0 == y1) return;
      const long twice = 2 * error;
      if (twice >= dy) error += dy, x0 += sx;
      if (twice <= dx) error += dx, y0 += sy;
    }
  }

  [[nodiscard]] std::string row(std::size_t k, bool colour) const {
    std::string text;
    int now = -1;
    for (std::size_t c = 0; c < width_; ++c) {
      const unsigned cell = cells_[k * width_ + c];
      const int ink = cell == 0 ? -1 : ink_[k * width_ + c];
      if (colour && ink != now && cell != 0) {
        text += std::string("\x1b[") + kTerminal[static_cast<std::size_t>(ink) % kTerminal.size()] + "m";
        now = ink;
      }
      const unsigned code = 0x2800 + cell;  // in UTF-8
      text += cell == 0 ? " "
                        : std::string{static_cast<char>(0xe0 | code >> 12), static_cast<char>(0x80 | (code >> 6 & 63)),
                                      static_cast<char>(0x80 | (code & 63))};
    }
    if (now >= 0) text += "\x1b[0m";
    return text;
  }

 private:
  void dot(long x, long y, int ink) {
    static constexpr std::array<std::array<unsigned, 2>, 4> kBits = {{{1, 8}, {2, 16}, {4, 32}, {64, 128}}};
    if (x < 0 || y < 0 || x >= static_cast<long>(2 * width_) || y >= static_cast<long>(4 * height_)) return;
    const auto cell = static_cast<std::size_t>(y / 4) * width_ + static_cast<std::size_t>(x / 2);
    cells_[cell] |= kBits[static_cast<std::size_t>(y % 4)][static_cast<std::size_t>(x % 2)];
    ink_[cell] = ink;
  }

  std::size_t width_, height_;
  std::vector<unsigned> cells_;
  std::vector<int> ink_;
};

struct Axes {
  PlotRange x, y;
};

Axes axes_of(const Plot& plot) {
  std::vector<const std::vector<double>*> lists;
  for (const PlotCurve& c : plot.curves) lists.push_back(&c.values);
  return {range_of({&plot.x.values}), range_of(lists)};
}

void draw_curve(Dots& dots, const Plot& plot, std::size_t which, const Axes& axes, double columns, double rows) {
  const std::vector<double>&x = plot.x.values, &y = plot.curves[which].values;
  const auto place = [&](std::size_t k) {
    return std::pair{std::lround((x[k] - axes.x.low) / (axes.x.high - axes.x.low) * (columns - 1)),
                     std::lround((axes.y.high - y[k]) / (axes.y.high - axes.y.low) * (rows - 1))};
  };
  bool open = false;
  std::pair<long, long> last;
  for (std::size_t k = 0; k < y.size() && k < x.size(); ++k) {
    if (!finite(x[k], y[k])) {
      open = false;
      continue;
    }
    const std::pair<long, long> at = place(k);
    if (!open || at != last) {
      const auto [fx, fy] = open ? last : at;
      dots.line(fx, fy, at.first, at.second, static_cast<int>(which));
    }
    last = at;
    open = true;
  }
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t size = text::display_width(text);
  return size < width ? std::string(width - size, ' ') + text : text;
}

// Returns "└──┬───┬──" with the numbers below it, as many as fit.
std::string bottom_axis(const PlotRange& range, const PlotCurve& x, std::size_t margin, std::size_t width) {
  std::string line, numbers(margin + 1 + width + 24, ' ');
  std::vector<bool> marked(width, false);
  const std::vector<double> ticks = round_ticks(range, static_cast<int>(std::max<std::size_t>(2, width / 14)));
  std::size_t free = 0;
  for (const double t : ticks) {
    const auto at = static_cast<std::size_t>(
        std::clamp(std::lround((t - range.low) / (range.high - range.low) * static_cast<double>(width - 1)), 0L,
                   static_cast<long>(width) - 1));
    const std::string text = tick_text(t, ticks);
    const std::size_t middle = margin + 1 + at, begin = middle - std::min(middle, text.size() / 2);
    marked[at] = true;
    if (begin < free) continue;
    numbers.replace(begin, text.size(), text);
    free = begin + text.size() + 1;
  }
  for (const bool mark : marked) line += mark ? "┬" : "─";
  numbers.erase(numbers.find_last_not_of(' ') + 1);
  const std::string title = axis_title(x);
  const std::size_t centre = margin + 1 + (width - std::min(width, text::display_width(title))) / 2;
  return std::string(margin, ' ') + "└" + line + "\n" + numbers + "\n" + std::string(centre, ' ') + title + "\n";
}

std::string legend(const Plot& plot, bool colour) {
  std::string text;
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    if (colour) text += std::string("\x1b[") + kTerminal[k % kTerminal.size()] + "m";
    text += (plot.curves.size() > 1 && colour ? "━━ " : "") + axis_title(plot.curves[k]);
    if (colour) text += "\x1b[0m";
    text += "  ";
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

// ---- SVG

struct Box {  // area of the curves, in pixels
  double left, right, top, bottom;
  Axes axes;
  [[nodiscard]] double x(double v) const {
    return left + (v - axes.x.low) / (axes.x.high - axes.x.low) * (right - left);
  }
  [[nodiscard]] double y(double v) const {
    return bottom - (v - axes.y.low) / (axes.y.high - axes.y.low) * (bottom - top);
  }
};

void titled_axes(std::string& out, const Plot& plot, const Box& b) {
  const auto ys = round_ticks(b.axes.y, static_cast<int>(std::max(2.0, (b.bottom - b.top) / 45)));
  out += svg_axes({b.left, b.right, b.top, b.bottom, round_ticks(b.axes.x, static_cast<int>((b.right - b.left) / 80)),
                   ys, [&b](double v) { return b.x(v); }, [&b](double v) { return b.y(v); }},
                  xml_escaped(axis_title(plot.x)));
  std::string names;
  for (const PlotCurve& c : plot.curves) names += (names.empty() ? "" : ", ") + c.name;
  // A letter is about 7 pixels wide; the legend has all names.
  const double room = (b.bottom - b.top + 40) / 7;
  const bool fits = static_cast<double>(text::display_width(axis_title({names, plot.curves[0].unit, {}}))) <= room;
  if (!fits && plot.curves.size() > 1) names = plot.curves[0].name + ", …";
  out += fmt::format("<text transform=\"translate({:.1f} {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                     b.left - 58, (b.top + b.bottom) / 2, xml_escaped(axis_title({names, plot.curves[0].unit, {}})));
}

// Points at the same tenth of a pixel are merged. If the abscissa only grows, each pixel is drawn from its least to its
// largest value, so that a million rows become a few thousand points and no peak is lost.
std::string svg_path(const Plot& plot, const PlotCurve& curve, const Box& b) {
  const std::vector<double>& x = plot.x.values;
  std::string d;
  bool open = false, held = false;
  long column = 0;
  double low = 0, high = 0, last = 0;
  const bool grows = std::is_sorted(x.begin(), x.end());
  std::string before;
  const auto put = [&](double px, double py) {
    std::string point = fmt::format("{:.1f} {:.1f}", px, py);
    if (point == before && open) return;
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
  for (std::size_t k = 0; k < curve.values.size() && k < x.size(); ++k) {
    if (!finite(x[k], curve.values[k])) {
      flush();
      open = false;
      continue;
    }
    const double px = b.x(x[k]), py = b.y(curve.values[k]);
    if (!grows || x.size() < 4000) {
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

void svg_plot(std::string& out, const Plot& plot, double width, double height, double top) {
  const Box b{82, width - 18, top + 34, top + height - 48, axes_of(plot)};
  out +=
      fmt::format("<text class=\"t\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>\n", b.left, top + 20, xml_escaped(plot.title));
  titled_axes(out, plot, b);
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    const char* ink = kInk[k % kInk.size()];
    out += fmt::format("<path class=\"c\" stroke=\"{}\" d=\"{}\"/>\n", ink, svg_path(plot, plot.curves[k], b));
  }
  double right = b.right;
  for (std::size_t k = plot.curves.size(); plot.curves.size() > 1 && k-- > 0;) {
    right -= 7.0 * static_cast<double>(text::display_width(plot.curves[k].name)) + 34;
    out += fmt::format(
        "<path class=\"c\" stroke=\"{0}\" d=\"M{1:.1f} {2:.1f}h18\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\">{5}</text>\n",
        kInk[k % kInk.size()], right, top + 16, right + 23, top + 20, xml_escaped(plot.curves[k].name));
  }
}

}  // namespace

std::string xml_escaped(const std::string& text) {
  std::string out;
  for (const char c : text) out += c == '<' ? "&lt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
  return out;
}

std::string svg_axes(const SvgAxes& a, const std::string& title) {
  std::string out;
  for (const double v : a.xs)
    out += fmt::format(
        "<path class=\"r\" d=\"M{0:.1f} {1:.1f}V{2:.1f}\"/><text x=\"{0:.1f}\" y=\"{3:.1f}\" "
        "text-anchor=\"middle\">{4}</text>\n",
        a.x(v), a.top, a.bottom, a.bottom + 16, tick_text(v, a.xs));
  for (const double v : a.ys)
    out += fmt::format(
        "<path class=\"r\" d=\"M{0:.1f} {1:.1f}H{2:.1f}\"/><text x=\"{3:.1f}\" y=\"{4:.1f}\" "
        "text-anchor=\"end\">{5}</text>\n",
        a.left, a.y(v), a.right, a.left - 6, a.y(v) + 4, tick_text(a.sign * v, a.ys));
  out += fmt::format("<rect class=\"f\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\"/>\n", a.left,
                     a.top, a.right - a.left, a.bottom - a.top);
  return out + fmt::format("<text x=\"{:.1f}\" y=\"{:.1f}\" text-anchor=\"middle\">{}</text>\n", (a.left + a.right) / 2,
                           a.bottom + 36, title);
}

std::vector<Plot> shared_axes(const std::string& title, const PlotCurve& x, std::vector<PlotCurve> curves, bool alone) {
  std::vector<Plot> all;
  for (PlotCurve& c : curves) {
    const auto fits = [&](const Plot& p) { return p.curves[0].unit == c.unit && p.curves.size() < kCurvesOfAxes; };
    const auto same = std::find_if(all.begin(), all.end(), fits);
    if (!alone && same != all.end())
      same->curves.push_back(std::move(c));
    else
      all.push_back({title, x, {std::move(c)}});
  }
  return all;
}

PlotRange range_of(const std::vector<const std::vector<double>*>& lists) {
  double low = INFINITY, high = -INFINITY;
  for (const std::vector<double>* list : lists)
    for (const double v : *list)
      if (std::isfinite(v)) {
        low = std::min(low, v);
        high = std::max(high, v);
      }
  if (!(low <= high)) return {};
  const double size = std::max(std::fabs(low), std::fabs(high));
  if (high - low <= kConstant * size) {
    const double middle = low + (high - low) / 2, room = size > 0 ? 0.5 * size : 1;
    return {middle - room, middle + room};
  }
  return {low - kRoom * (high - low), high + kRoom * (high - low)};
}

std::vector<double> round_ticks(const PlotRange& range, int pieces) {
  const double raw = (range.high - range.low) / std::max(1, pieces), power = std::pow(10, std::floor(std::log10(raw)));
  double step = 10 * power;
  for (const double s : {1.0, 2.0, 5.0})
    if (raw <= s * power * (1 + 1e-9)) {
      step = s * power;
      break;
    }
  std::vector<double> ticks;
  for (double k = std::ceil(range.low / step - 1e-9); k * step <= range.high + 1e-9 * step; ++k)
    ticks.push_back(k * step);
  constexpr int kMostPieces = 64;
  if (ticks.size() < 2 && pieces < kMostPieces) return round_ticks(range, 2 * pieces);  // a single tick shows no scale
  return ticks;
}

std::string braille_plot(const Plot& plot, std::size_t width, std::size_t height, bool colour) {
  const Axes axes = axes_of(plot);
  const std::vector<double> ticks = round_ticks(axes.y, static_cast<int>(std::max<std::size_t>(2, height / 4)));
  std::vector<std::string> labels(height);
  std::size_t margin = 4;
  for (const double t : ticks) {
    const double row = (axes.y.high - t) / (axes.y.high - axes.y.low) * static_cast<double>(height);
    std::string& label = labels[std::min(static_cast<std::size_t>(std::max(0.0, row)), height - 1)];
    label = tick_text(t, ticks);
    margin = std::max(margin, label.size() + 1);
  }
  const std::size_t columns = width > margin + 11 ? width - margin - 1 : 10;
  Dots dots(columns, height);
  for (std::size_t k = 0; k < plot.curves.size(); ++k)
    draw_curve(dots, plot, k, axes, static_cast<double>(2 * columns), static_cast<double>(4 * height));
  std::string out = plot.title.empty() ? "" : std::string(margin + 1, ' ') + plot.title + "\n";
  out += std::string(margin + 1, ' ') + legend(plot, colour) + "\n";
  for (std::size_t k = 0; k < height; ++k) {
    std::string line = padded(labels[k], margin) + (labels[k].empty() ? "│" : "┤") + dots.row(k, colour);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out + bottom_axis(axes.x, plot.x, margin, columns);
}

std::string svg_plots(const std::vector<Plot>& plots, std::size_t width, std::size_t height) {
  const auto w = static_cast<double>(width), h = static_cast<double>(height);
  std::string out = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0} {1}\" width=\"{0}\" height=\"{1}\" "
      "font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
      "<style>.r{{stroke:#ddd;fill:none}}.f{{stroke:#666;fill:none}}.c{{fill:none;stroke-width:1.6;stroke-linejoin:"
      "round}}"
      ".t{{font-size:14px;font-weight:bold}}</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n",
      width, height * plots.size());
  for (std::size_t k = 0; k < plots.size(); ++k) svg_plot(out, plots[k], w, h, h * static_cast<double>(k));
  return out + "</svg>\n";
}

}  // namespace mbc::tools
