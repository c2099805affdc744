// SPDX-License-Identifier: Apache-2.0
#include "tools/picture/stroboscope.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>
#include <numeric>

#include "base/numbers.h"
#include "base/table.h"
#include "tools/picture/hull.h"
#include "tools/picture/plot.h"
#include "tools/picture/poses.h"

namespace mbc::tools {
namespace {

constexpr std::array kPartInk = {"#2b6cc4", "#d2691e", "#2e8b57", "#a6427a",
                                 "#6a55b5", "#8a6d00", "#1f8a9e", "#8f4e34"};
constexpr const char* kSteel = "#444";
constexpr std::size_t kMostTraces = 60;     // parts whose paths are drawn
constexpr std::size_t kTracePoints = 2000;  // points of a path
constexpr double kPathStep = 2;             // pixels from corner to corner of a path
constexpr double kUnknownPart = 0.12;       // fraction of the motion: largest half size of a part of unknown shape
constexpr double kFlatMotion = 0.05;        // fraction of its width: a motion of smaller height is seen from above
constexpr double kFaint = 0.22;             // opacity of the first pose; the last has 1
constexpr double kLeft = 62, kRight = 16, kTop = 34, kBottom = 46;  // pixels round the axes
constexpr double kLowest = 120, kHighest = 620;                     // pixels of the axes, by the motion
constexpr double kBall = 5, kLeastBall = 2.6;                       // pixels: radius of particles by mass

// A figure of one pose, in metres on the plane; figures are drawn in the order of the list.
struct Figure {
  enum class Kind : std::uint8_t { area, line, ring, ball, rod, bar, spring, force, joint, anchor } kind{};
  std::vector<Point2> points;
  std::size_t part = 0;
  double size = 0;  // of a ring: the thickness of its tube; of a ball: 0 to 1
  bool clear = false;
  double depth = 0;
};

class Drawing {
 public:
  Drawing(const Recording& recording, const Stroboscope& how)
      : recording_(recording), scene_(recording.scene()), how_(how) {
    measure();
    choose_plane();
  }

  std::string text() {
    std::vector<std::vector<Figure>> poses;
    for (const double t : how_.times) {
      poses.push_back(figures(t));
      include(poses.back());
    }
    const std::string drawn_paths = paths();  // chooses the axes
    std::string out = frame(how_.title) + drawn_paths;
    for (std::size_t k = 0; k < poses.size(); ++k) {
      const double opacity =
          poses.size() < 2 ? 1 : kFaint + (1 - kFaint) * static_cast<double>(k) / static_cast<double>(poses.size() - 1);
      out += fmt::format("<g opacity=\"{:.2f}\"><title>{}</title>\n", opacity,
                         xml_escaped("t = " + text::short_number(how_.times[k], 6) + " " + how_.time_unit));
      for (const Figure& f : poses[k]) out += drawn(f);
      out += "</g>\n";
    }
    return out + "</g>\n</svg>\n";
  }

  void frames(const std::function<bool(const std::string& svg)>& take) {
    for (const double t : how_.times) include(figures(t));
    const std::string drawn_paths = paths();
    const double span = how_.times.back() - how_.times.front();
    const int decimals = std::clamp(2 - static_cast<int>(std::floor(std::log10(span > 0 ? span : 1))), 0, 9);
    for (const double t : how_.times) {
      std::string out = frame(fmt::format("{} = {:.{}f} {}", how_.title, t, decimals, how_.time_unit)) + drawn_paths;
      for (const Figure& f : figures(t)) out += drawn(f);
      if (!take(out + "</g>\n</svg>\n")) return;
    }
  }

 private:
  static const char* ink(std::size_t part) { return kPartInk[part % kPartInk.size()]; }

  // ---- poses

  [[nodiscard]] Vector3 centre_of(std::size_t part, const PartPose& pose) const {
    return pose.at + turned(pose.turn, scene_.parts[part].shape.centre);
  }

  static Vector3 end_of(const SceneEnd& end, const std::vector<PartPose>& poses) {
    if (end.part == SceneEnd::kGround) return end.offset;
    return poses[end.part].at + turned(poses[end.part].turn, end.offset);
  }

  // Finds the box of the mass centres and of fixed points, in some hundred frames.
  void measure() {
    const std::size_t n = recording_.times().size(), step = std::max<std::size_t>(1, n / 200);
    low_.fill(INFINITY);
    high_.fill(-INFINITY);
    const auto add = [&](const Vector3& p) {
      for (std::size_t i = 0; i < 3; ++i) {
        low_[i] = std::min(low_[i], p[i]);
        high_[i] = std::max(high_[i], p[i]);
      }
    };
    for (std::size_t f = 0; f < n; f += step) {
      std::vector<PartPose> poses;
      for (std::size_t k = 0; k < scene_.parts.size(); ++k) {
        poses.push_back(pose_in(recording_, f, k));
        if (scene_.parts[k].shown) add(centre_of(k, poses.back()));
      }
      for (const ScenePoint& p : scene_.points) add(end_of(p.at, poses));
      for (const SceneLink& l : scene_.links) add(end_of(l.a, poses)), add(end_of(l.b, poses));
    }
    for (std::size_t i = 0; i < 3; ++i)
      if (!(low_[i] <= high_[i])) low_[i] = high_[i] = 0;
    size_ = norm(high_ - low_);
  }

  static Vector3 axis(std::size_t k, double sign) {
    Vector3 e{};
    e[k] = sign;
    return e;
  }

  // Chooses the plane with "up" and the wider of the other two axes, or the view from above for a flat motion.
  void choose_plane() {
    static constexpr const char* kNames = "xyz";
    std::array<std::size_t, 2> axes{0, 1};
    double up = 1;
    if (how_.plane.size() == 2) {
      for (std::size_t i = 0; i < 2; ++i) axes[i] = static_cast<std::size_t>(how_.plane[i] - 'x');
    } else if (scene_.space == 3) {
      std::size_t v = 0;
      for (std::size_t i = 1; i < 3; ++i)
        if (std::fabs(scene_.up[i]) > std::fabs(scene_.up[v])) v = i;
      const auto extent = [&](std::size_t k) { return high_[k] - low_[k]; };
      std::size_t a = (v + 1) % 3, b = (v + 2) % 3;
      if (a > b) std::swap(a, b);
      const bool from_above = extent(v) < kFlatMotion * std::min(extent(a), extent(b));
      if (from_above)
        axes = {a, b};
      else
        axes = {extent(b) > extent(a) * 1.001 ? b : a, v};
      if (!from_above && scene_.up[v] < 0) up = -1;
    } else if (std::fabs(scene_.up[0]) > std::fabs(scene_.up[1])) {
      axes = {1, 0};
      up = scene_.up[0] < 0 ? -1 : 1;
    } else if (scene_.up[1] < 0) {
      up = -1;
    }
    right_ = axis(axes[0], 1);
    up_ = axis(axes[1], up);
    sign_ = up;
    names_ = {std::string(1, kNames[axes[0]]), std::string(1, kNames[axes[1]])};
  }

  [[nodiscard]] Point2 flat(const Vector3& p) const { return {dot(right_, p), dot(up_, p)}; }
  [[nodiscard]] double depth(const Vector3& p) const { return dot(cross(right_, up_), p); }

  // ---- figures

  std::vector<Figure> figures(double time) const {
    const std::vector<PartPose> poses = poses_at(recording_, time);
    std::vector<Figure> parts, all;
    for (std::size_t k = 0; k < scene_.parts.size(); ++k) part(k, poses[k], parts);
    for (const ScenePoint& p : scene_.points) {
      if (p.at.part == SceneEnd::kGround || scene_.parts[p.at.part].kind != ScenePart::Kind::body) continue;
      const Vector3 centre = centre_of(p.at.part, poses[p.at.part]), at = end_of(p.at, poses);
      if (norm(at - centre) > 1e-3 * size_)
        parts.push_back({Figure::Kind::bar, {flat(centre), flat(at)}, p.at.part, 0, false, depth(centre)});
    }
    std::stable_sort(parts.begin(), parts.end(), [](const Figure& a, const Figure& b) { return a.depth < b.depth; });
    for (Figure& f : parts)
      if (f.kind == Figure::Kind::area && f.clear) all.push_back(std::move(f));
    links(poses, all);
    for (Figure& f : parts)
      if (!f.points.empty()) all.push_back(std::move(f));
    for (const SceneLink& l : scene_.links)
      if (l.kind == SceneLink::Kind::joint) all.push_back({Figure::Kind::joint, {flat(end_of(l.a, poses))}});
    return all;
  }

  void links(const std::vector<PartPose>& poses, std::vector<Figure>& out) const {
    for (const SceneLink& l : scene_.links) {
      const Point2 a = flat(end_of(l.a, poses)), b = flat(end_of(l.b, poses));
      if (l.a.part == SceneEnd::kGround) out.push_back({Figure::Kind::anchor, {a}});
      if (l.kind == SceneLink::Kind::joint) continue;
      if (l.b.part == SceneEnd::kGround) out.push_back({Figure::Kind::anchor, {b}});
      out.push_back({l.kind == SceneLink::Kind::rod      ? Figure::Kind::rod
                     : l.kind == SceneLink::Kind::spring ? Figure::Kind::spring
                                                         : Figure::Kind::force,
                     {a, b}});
    }
  }

  void part(std::size_t k, const PartPose& pose, std::vector<Figure>& out) const {
    const ScenePart& p = scene_.parts[k];
    if (p.kind == ScenePart::Kind::place) return;
    const Vector3 centre = centre_of(k, pose);
    if (p.shape.kind == SceneShape::Kind::none) {
      double heaviest = 0;
      for (const ScenePart& other : scene_.parts) heaviest = std::max(heaviest, other.mass);
      const double size = heaviest > 0 ? std::cbrt(std::max(p.mass, 0.0) / heaviest) : 1;
      out.push_back({Figure::Kind::ball, {flat(centre)}, k, size, false, depth(centre)});
      return;
    }
    shape(k, centre, product(pose.turn, p.shape.axes), out);
  }

  // The size of a body of unknown shape is limited to a fraction of the motion.
  [[nodiscard]] std::array<double, 3> size_of(const SceneShape& s) const {
    double large = std::max(s.size[0], s.size[1]);
    if (s.kind == SceneShape::Kind::ellipsoid || s.kind == SceneShape::Kind::box) large = std::max(large, s.size[2]);
    const double most = kUnknownPart * size_;
    const double factor = !s.known && most > 1e-6 * large && large > most ? most / large : 1;
    return {factor * s.size[0], factor * s.size[1], factor * s.size[2]};
  }

  // The outline is the hull of points on the surface; it is exact for boxes and a polygon with many corners for round
  // shapes.
  void shape(std::size_t k, const Vector3& centre, const Turn& turn, std::vector<Figure>& out) const {
    const SceneShape& s = scene_.parts[k].shape;
    const std::array<double, 3> size = size_of(s);
    Figure f{Figure::Kind::area, {}, k, 0, !s.known, depth(centre)};
    const auto add = [&](const Vector3& local) { f.points.push_back(flat(centre + turned(turn, local))); };
    const auto circle = [&](double radius, double z) {
      for (int i = 0; i < kRound; ++i) {
        const double angle = 2 * std::numbers::pi * i / kRound;
        add({radius * std::cos(angle), radius * std::sin(angle), z});
      }
    };
    switch (s.kind) {
      case SceneShape::Kind::none:
        return;
      case SceneShape::Kind::box:
        for (int corner = 0; corner < 8; ++corner)
          add({(corner & 1 ? 0.5 : -0.5) * size[0], (corner & 2 ? 0.5 : -0.5) * size[1],
               (corner & 4 ? 0.5 : -0.5) * size[2]});
        break;
      case SceneShape::Kind::cylinder:
        circle(size[0], -size[1] / 2);
        circle(size[0], size[1] / 2);
        break;
      case SceneShape::Kind::cone:
        circle(size[0], -size[1] / 4);
        add({0, 0, 0.75 * size[1]});
        break;
      case SceneShape::Kind::torus:
        circle(size[0], 0);
        f.points.push_back(f.points.front());
        f.kind = Figure::Kind::ring;
        f.size = size[1];
        out.push_back(std::move(f));
        return;
      case SceneShape::Kind::ellipsoid:
        f.points = ellipse(centre, turn, size);
        break;
      case SceneShape::Kind::capsule:  // the hull of the balls at its ends
        for (const double end : {-0.5, 0.5})
          for (const Point2& p :
               ellipse(centre + turned(turn, {0, 0, end * size[1]}), turn, {size[0], size[0], size[0]}))
            f.points.push_back(p);
        break;
    }
    f.points = hull_of(std::move(f.points));
    out.push_back(std::move(f));
    if (s.kind != SceneShape::Kind::cylinder || size[1] > size[0]) return;  // a mark shows the rotation of a disc
    const Vector3 rim = centre + turned(turn, {0.96 * size[0], 0, 0});
    out.push_back({Figure::Kind::line, {flat(centre), flat(rim)}, k, 0, false, depth(centre)});
  }

  // The outline of an ellipsoid is an ellipse: with the half axes as the columns of B, the points L (cos, sin) where
  // L L^T = B B^T on the plane.
  [[nodiscard]] std::vector<Point2> ellipse(const Vector3& centre, const Turn& turn,
                                            const std::array<double, 3>& size) const {
    double xx = 0, xy = 0, yy = 0;
    for (std::size_t i = 0; i < 3; ++i) {
      const Point2 h = flat(turned(turn, axis(i, size[i])));
      xx += h.x * h.x;
      xy += h.x * h.y;
      yy += h.y * h.y;
    }
    const double a = std::sqrt(xx), b = a > 0 ? xy / a : 0, c = std::sqrt(std::max(0.0, yy - b * b));
    const Point2 middle = flat(centre);
    std::vector<Point2> out;
    for (int i = 0; i < kRound; ++i) {
      const double angle = 2 * std::numbers::pi * i / kRound;
      out.push_back({middle.x + a * std::cos(angle), middle.y + b * std::cos(angle) + c * std::sin(angle)});
    }
    return out;
  }

  [[nodiscard]] std::vector<std::vector<Point2>> traces() const {
    std::vector<std::vector<Point2>> out;
    if (scene_.parts.size() > kMostTraces || how_.times.empty()) return out;
    const std::vector<double>& t = recording_.times();
    const auto [first, last] = std::minmax_element(how_.times.begin(), how_.times.end());
    const std::size_t step = std::max<std::size_t>(1, t.size() / kTracePoints);
    for (std::size_t k = 0; k < scene_.parts.size(); ++k) {
      std::vector<Point2>& path = out.emplace_back();
      if (scene_.parts[k].kind == ScenePart::Kind::place) continue;
      for (std::size_t f = 0; f < t.size(); f += step)
        if (t[f] >= *first && t[f] <= *last) path.push_back(flat(centre_of(k, pose_in(recording_, f, k))));
    }
    return out;
  }

  // ---- the page

  // Lays the axes out, whose figures are included, and draws the paths.
  std::string paths() {
    const std::vector<std::vector<Point2>> all = traces();
    for (const auto& path : all) include(path, 0);
    lay_out();
    std::string out;
    for (std::size_t k = 0; k < all.size(); ++k)
      if (all[k].size() > 1)
        out += fmt::format("<path class=\"p\" stroke=\"{}\" d=\"{}\"/>\n", ink(k), path_text(all[k], false, kPathStep));
    return out;
  }

  void include(const std::vector<Figure>& pose) {
    for (const Figure& f : pose) include(f.points, f.kind == Figure::Kind::ring ? f.size : 0);
  }

  void include(const std::vector<Point2>& points, double room) {
    for (const Point2& p : points) {
      box_.x.low = std::min(box_.x.low, p.x - room);
      box_.x.high = std::max(box_.x.high, p.x + room);
      box_.y.low = std::min(box_.y.low, p.y - room);
      box_.y.high = std::max(box_.y.high, p.y + room);
    }
  }

  // Both axes have one scale; the range that needs less room is widened.
  void lay_out() {
    if (!(box_.x.low <= box_.x.high)) box_ = {{0, 0}, {0, 0}};
    const double least = std::max({box_.x.high - box_.x.low, box_.y.high - box_.y.low, 1e-9});
    for (PlotRange* r : {&box_.x, &box_.y}) {
      const double room = std::max(0.05 * least, 0.5 * (0.12 * least - (r->high - r->low)));
      r->low -= room;
      r->high += room;
    }
    const double w = box_.x.high - box_.x.low, h = box_.y.high - box_.y.low;
    width_ = how_.width > 0 ? static_cast<double>(how_.width) : 800;
    const double inner = width_ - kLeft - kRight;
    height_ = how_.height > 0 ? static_cast<double>(how_.height)
                              : kTop + kBottom + std::clamp(inner * h / w, kLowest, kHighest);
    scale_ = std::min(inner / w, (height_ - kTop - kBottom) / h);
    const auto widen = [](PlotRange& r, double length) {
      const double room = (length - (r.high - r.low)) / 2;
      r.low -= room;
      r.high += room;
    };
    widen(box_.x, inner / scale_);
    widen(box_.y, (height_ - kTop - kBottom) / scale_);
  }

  [[nodiscard]] double px(double x) const { return kLeft + (x - box_.x.low) * scale_; }
  [[nodiscard]] double py(double y) const { return kTop + (box_.y.high - y) * scale_; }

  std::string frame(const std::string& title) const {
    const double right = width_ - kRight, bottom = height_ - kBottom;
    std::string out = fmt::format(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
        "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\" fill=\"#333\">\n"
        "<style>.r{{stroke:#e4e4e4;fill:none}}.f{{stroke:#666;fill:none}}.p{{fill:none;stroke-width:1;stroke-opacity:."
        "55}}"
        "</style>\n<rect width=\"100%\" height=\"100%\" fill=\"#fff\"/>\n"
        "<text font-weight=\"bold\" font-size=\"{4:.1f}\" x=\"{2:.0f}\" y=\"20\">{3}</text>\n",
        width_, height_, kLeft, xml_escaped(title), title_size(title));
    const int across = std::max(2, static_cast<int>((right - kLeft) / 80));
    const std::vector<double> ys = round_ticks(box_.y, std::max(2, static_cast<int>((bottom - kTop) / 45)));
    const std::string unit = how_.length_unit.empty() ? "" : " [" + how_.length_unit + "]";
    out += svg_axes({kLeft, right, kTop, bottom, round_ticks(box_.x, across), ys, [this](double x) { return px(x); },
                     [this](double y) { return py(y); }, sign_},
                    names_[0] + unit);
    out += fmt::format("<text transform=\"translate(16 {:.1f}) rotate(-90)\" text-anchor=\"middle\">{}</text>\n",
                       (kTop + bottom) / 2, names_[1] + unit);
    return out + "<g stroke-linejoin=\"round\" stroke-linecap=\"round\">\n";
  }

  // A long title has a smaller font: a bold letter is about 0.62 as wide as high.
  [[nodiscard]] double title_size(const std::string& title) const {
    const double letters = std::max(1.0, static_cast<double>(text::display_width(title)));
    return std::clamp((width_ - kLeft - kRight) / (0.62 * letters), 7.0, 14.0);
  }

  // Merges points nearer than `apart` pixels.
  [[nodiscard]] std::string path_text(const std::vector<Point2>& points, bool closed, double apart = 0.1) const {
    std::string d;
    double x = 0, y = 0;
    for (std::size_t k = 0; k < points.size(); ++k) {
      const double nx = px(points[k].x), ny = py(points[k].y);
      if (k > 0 && k + 1 < points.size() && std::hypot(nx - x, ny - y) < apart) continue;
      d += fmt::format("{}{:.1f} {:.1f}", d.empty() ? "M" : "L", nx, ny);
      x = nx;
      y = ny;
    }
    return d + (closed ? "Z" : "");
  }

  [[nodiscard]] std::string stroke(const Figure& f, const char* colour, double width, const char* more = "") const {
    return fmt::format("<path fill=\"none\" stroke=\"{}\" stroke-width=\"{:.1f}\"{} d=\"{}\"/>\n", colour, width, more,
                       path_text(f.points, false));
  }

  [[nodiscard]] std::string disc(const Point2& p, double radius, const char* fill, const char* edge) const {
    return fmt::format("<circle cx=\"{:.1f}\" cy=\"{:.1f}\" r=\"{:.1f}\" fill=\"{}\" stroke=\"{}\"/>\n", px(p.x),
                       py(p.y), radius, fill, edge);
  }

  [[nodiscard]] std::string drawn(const Figure& f) const {
    switch (f.kind) {
      case Figure::Kind::area:
        return fmt::format("<path fill=\"{0}\" fill-opacity=\"{1}\" stroke=\"{0}\" stroke-width=\"1.2\" d=\"{2}\"/>\n",
                           ink(f.part), f.clear ? "0.18" : "0.45", path_text(f.points, true));
      case Figure::Kind::ring:
        return stroke(f, ink(f.part), std::max(1.8, 2 * f.size * scale_));
      case Figure::Kind::line:
        return stroke(f, ink(f.part), 1.2);
      case Figure::Kind::bar:
        return stroke(f, ink(f.part), 2.2);
      case Figure::Kind::ball:
        return disc(f.points[0], std::max(kLeastBall, kBall * f.size), ink(f.part), "none");
      case Figure::Kind::rod:
        return stroke(f, kSteel, 1.4);
      case Figure::Kind::force:
        return stroke(f, kSteel, 1, " stroke-dasharray=\"4 4\"");
      case Figure::Kind::spring:
        return spring(f);
      case Figure::Kind::joint:
        return disc(f.points[0], 2.4, "#fff", kSteel);
      case Figure::Kind::anchor:
        return fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"7\" height=\"7\" fill=\"{}\"/>\n",
                           px(f.points[0].x) - 3.5, py(f.points[0].y) - 3.5, kSteel);
    }
    return "";
  }

  // Draws a zigzag whose width does not depend on its length.
  [[nodiscard]] std::string spring(const Figure& f) const {
    const double ax = px(f.points[0].x), ay = py(f.points[0].y), dx = px(f.points[1].x) - ax,
                 dy = py(f.points[1].y) - ay;
    const double length = std::hypot(dx, dy);
    if (!(length > 1)) return "";
    std::string d = fmt::format("M{:.1f} {:.1f}", ax, ay);
    constexpr int kTurns = 9;
    for (int k = 0; k <= 2 * kTurns; ++k) {
      const double s = 0.12 + 0.76 * k / (2 * kTurns), side = k == 0 || k == 2 * kTurns ? 0 : k % 2 ? 4 : -4;
      d += fmt::format("L{:.1f} {:.1f}", ax + s * dx - side * dy / length, ay + s * dy + side * dx / length);
    }
    d += fmt::format("L{:.1f} {:.1f}", ax + dx, ay + dy);
    return fmt::format("<path fill=\"none\" stroke=\"{}\" d=\"{}\"/>\n", kSteel, d);
  }

  static constexpr int kRound = 32;  // corners of round shapes

  const Recording& recording_;
  const Scene& scene_;
  const Stroboscope& how_;
  Vector3 low_{}, high_{}, right_{}, up_{};
  double size_ = 0, scale_ = 1, width_ = 0, height_ = 0, sign_ = 1;
  std::array<std::string, 2> names_;
  struct {
    PlotRange x{INFINITY, -INFINITY}, y{INFINITY, -INFINITY};
  } box_;
};

}  // namespace

std::vector<double> equal_times(double first, double last, std::size_t count) {
  std::vector<double> times;
  for (std::size_t k = 0; k + 1 < count; ++k)
    times.push_back(first + (last - first) * static_cast<double>(k) / static_cast<double>(count - 1));
  if (count > 0) times.push_back(last);
  return times;
}

std::string stroboscopic_picture(const Recording& recording, const Stroboscope& how) {
  return Drawing(recording, how).text();
}

void stroboscopic_frames(const Recording& recording, const Stroboscope& how,
                         const std::function<bool(const std::string& svg)>& take) {
  Drawing(recording, how).frames(take);
}

}  // namespace mbc::tools
