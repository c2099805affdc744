// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/plot.h"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

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

constexpr std::size_t kCurvesOfAxes = 6;
constexpr std::array kTerminal = {"34", "33", "32", "35", "36", "31"};

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

// Cuts a line to the square from 0 to 1 (Liang and Barsky); returns false if nothing is left of it.
bool cut(std::pair<double, double>& from, std::pair<double, double>& to) {
  double begin = 0, end = 1;
  const double dx = to.first - from.first, dy = to.second - from.second;
  const std::pair<double, double> sides[] = {
      {-dx, from.first}, {dx, 1 - from.first}, {-dy, from.second}, {dy, 1 - from.second}};
  for (const auto& [outward, room] : sides) {
    if (outward == 0 && room < 0) return false;
    if (outward < 0) begin = std::max(begin, room / outward);
    if (outward > 0) end = std::min(end, room / outward);
  }
  if (begin > end) return false;
  to = {from.first + end * dx, from.second + end * dy};
  from = {from.first + begin * dx, from.second + begin * dy};
  return true;
}

using Place = std::pair<double, double>;  // in the square of the axes, from 0 to 1

// Calls `line` for the pieces of a curve within the axes, error bars among them; a point is a line of no length.
template <class Line>
void for_each_line(const Plot& plot, const PlotCurve& curve, const PlotScales& scales, const Line& line) {
  const std::vector<double>&x = plot.over(curve), &y = curve.values;
  const auto within = [&](Place from, Place to) {
    if (cut(from, to)) line(from, to);
  };
  std::optional<Place> last;
  for (std::size_t k = 0; k < y.size() && k < x.size(); ++k) {
    const Place at{scales.x.at(x[k]), scales.y.at(y[k])};
    if (!std::isfinite(at.first) || !std::isfinite(at.second)) {
      last.reset();
      continue;
    }
    if (curve.has_bars()) {
      const Place low{at.first, scales.y.at(curve.low[k])}, high{at.first, scales.y.at(curve.high[k])};
      if (std::isfinite(low.second) && std::isfinite(high.second)) within(low, high);
    }
    if (!last || plot.look.mark == PlotLook::Mark::points) {
      within(at, at);
    } else if (plot.look.mark == PlotLook::Mark::steps) {
      within(*last, {at.first, last->second});
      within({at.first, last->second}, at);
    } else {
      within(*last, at);
    }
    last = at;
  }
}

void draw_curve(Dots& dots, const Plot& plot, std::size_t which, const PlotScales& scales, double columns,
                double rows) {
  const auto dot = [&](const Place& p) {
    return std::pair{std::lround(p.first * (columns - 1)), std::lround((1 - p.second) * (rows - 1))};
  };
  for_each_line(plot, plot.curves[which], scales, [&](const Place& from, const Place& to) {
    const auto [fx, fy] = dot(from);
    const auto [tx, ty] = dot(to);
    dots.line(fx, fy, tx, ty, static_cast<int>(which));
  });
}

std::string padded(const std::string& text, std::size_t width) {
  const std::size_t size = text::display_width(text);
  return size < width ? std::string(width - size, ' ') + text : text;
}

// Returns "└──┬───┬──" with the numbers below it, as many as fit.
std::string bottom_axis(const Scale& scale, const PlotCurve& x, std::size_t margin, std::size_t width) {
  std::string line, numbers(margin + 1 + width + 24, ' ');
  std::vector<bool> marked(width, false);
  const std::vector<double> ticks = scale.ticks(static_cast<int>(std::max<std::size_t>(2, width / 14)));
  std::size_t free = 0;
  for (const double t : ticks) {
    const auto at = static_cast<std::size_t>(
        std::clamp(std::lround(scale.at(t) * static_cast<double>(width - 1)), 0L, static_cast<long>(width) - 1));
    const std::string text = scale.text_of(t, ticks);
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

// Curves with labels stand behind the title of the vertical axis, since a label has no unit.
std::string legend(const Plot& plot, bool colour) {
  const bool labelled =
      std::any_of(plot.curves.begin(), plot.curves.end(), [](const PlotCurve& c) { return !c.label.empty(); });
  std::string text = labelled ? curves_title(plot) + ":  " : "";
  for (std::size_t k = 0; k < plot.curves.size(); ++k) {
    if (colour) text += std::string("\x1b[") + kTerminal[k % kTerminal.size()] + "m";
    text += (plot.curves.size() > 1 && colour ? "━━ " : "") +
            (labelled ? plot.curves[k].shown() : axis_title(plot.curves[k]));
    if (colour) text += "\x1b[0m";
    text += "  ";
  }
  text.erase(text.find_last_not_of(' ') + 1);
  return text;
}

}  // namespace

std::string axis_title(const PlotCurve& c) {
  if (c.unit.empty() || c.unit == "1") return c.name;
  const std::size_t written = c.name.ends_with("]") ? c.name.rfind(" [") : std::string::npos;
  const std::string name = c.name.substr(0, written);
  return (name.empty() ? "" : name + " ") + "[" + c.unit + "]";
}

std::string curves_title(const Plot& plot) {
  PlotCurve titled{plot.curves[0].name, plot.curves[0].unit, {}};
  const auto other = [&titled](const PlotCurve& c) { return c.name != titled.name; };
  if (std::any_of(plot.curves.begin(), plot.curves.end(), other)) titled.name.clear();
  return axis_title(titled);
}

bool shows_anything(const Plot& plot) {
  bool any = false;
  const PlotScales scales = scales_of(plot, 1);
  for (const PlotCurve& c : plot.curves)
    for_each_line(plot, c, scales, [&any](const Place&, const Place&) { any = true; });
  return any;
}

PlotScales scales_of(const Plot& plot, double proportion) {
  std::vector<const std::vector<double>*> xs{&plot.x.values}, ys;
  for (const PlotCurve& c : plot.curves) {
    for (const std::vector<double>* list : {&c.values, &c.low, &c.high}) ys.push_back(list);
    if (!c.over.empty()) xs.push_back(&c.over);
  }
  PlotScales out{Scale(xs, plot.look.log_x, plot.look.x), Scale(ys, plot.look.log_y, plot.look.y)};
  if (!plot.look.equal) return out;
  if (out.x.length() < proportion * out.y.length())
    out.x.stretch(proportion * out.y.length());
  else
    out.y.stretch(out.x.length() / proportion);
  return out;
}

std::vector<Plot> shared_axes(const std::string& title, const PlotCurve& x, std::vector<PlotCurve> curves, bool alone) {
  std::vector<Plot> all;
  for (PlotCurve& c : curves) {
    const auto fits = [&](const Plot& p) { return p.curves[0].unit == c.unit && p.curves.size() < kCurvesOfAxes; };
    const auto same = std::find_if(all.begin(), all.end(), fits);
    if (!alone && same != all.end())
      same->curves.push_back(std::move(c));
    else
      all.push_back({title, x, {std::move(c)}, {}});
  }
  return all;
}

std::string braille_plot(const Plot& plot, std::size_t width, std::size_t height, bool colour) {
  constexpr double kMargin = 8;  // about
  const double proportion =
      std::max(10.0, static_cast<double>(width) - kMargin) * 2 / (4 * static_cast<double>(height));
  const PlotScales scales = scales_of(plot, proportion);
  const std::vector<double> ticks = scales.y.ticks(static_cast<int>(std::max<std::size_t>(2, height / 4)));
  std::vector<std::string> labels(height);
  std::size_t margin = 4;
  for (const double t : ticks) {
    const double row = (1 - scales.y.at(t)) * static_cast<double>(height);
    std::string& label = labels[std::min(static_cast<std::size_t>(std::max(0.0, row)), height - 1)];
    label = scales.y.text_of(t, ticks);
    margin = std::max(margin, label.size() + 1);
  }
  const std::size_t columns = width > margin + 11 ? width - margin - 1 : 10;
  Dots dots(columns, height);
  for (std::size_t k = 0; k < plot.curves.size(); ++k)
    draw_curve(dots, plot, k, scales, static_cast<double>(2 * columns), static_cast<double>(4 * height));
  std::string out = plot.title.empty() ? "" : std::string(margin + 1, ' ') + plot.title + "\n";
  out += std::string(margin + 1, ' ') + legend(plot, colour) + "\n";
  for (std::size_t k = 0; k < height; ++k) {
    std::string line = padded(labels[k], margin) + (labels[k].empty() ? "│" : "┤") + dots.row(k, colour);
    line.erase(line.find_last_not_of(' ') + 1);
    out += line + "\n";
  }
  return out + bottom_axis(scales.x, plot.x, margin, columns);
}

}  // namespace mbc::tools
