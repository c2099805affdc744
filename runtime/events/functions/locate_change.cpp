// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/locate_change.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

constexpr double kLocatedUlps = 4;  // of the time, to which a change is located
constexpr int kMostHalvings = 200;
constexpr double kNoiseOfSide = 4e-16;   // of the largest value so far: the sign of a smaller value is unknown
constexpr double kNarrow = 1e-8;         // of a step: accuracy of the change of a condition on the dense output
constexpr double kNarrowNumber = 1e-12;  // the same for a number
constexpr int kMostWidenings = 3;        // of the distance to the step that ends on the other side of a change
constexpr double kWider = 64;
constexpr int kMostNarrowings = 60;

class Locator {
 public:
  Locator(const Sought& sought, double h, ChangeEnds& ends) : sought_(sought), h_(h), ends_(ends) {}

  bool run(double t, bool& found) {
    if (!close_in(t, found)) return false;
    if (!found && !begin_wide(found)) return false;
    return !found || narrow_down(t);
  }

 private:
  // Returns the next time to look at. `width` is the distance of the ends before.
  [[nodiscard]] double next(const ChangeEnds& e, int k, double finest, double& width) const {
    double x = 0.5 * (e.a + e.b);
    if (!sought_.halves && e.fa != 0 && e.fb != e.fa && k % 6 != 5) {
      x = e.b - e.fb * (e.b - e.a) / (e.fb - e.fa);
      if (e.b - e.a > 0.1 * width) x += x - (std::fabs(e.fb) < std::fabs(e.fa) ? e.b : e.a);
    }
    width = e.b - e.a;
    return std::clamp(x, e.a + 0.4 * finest, e.b - 0.4 * finest);
  }
  void take(ChangeEnds& e, double x, double fx) const {
    (sought_.crossed(fx) ? e.b : e.a) = x;
    (sought_.crossed(fx) ? e.fb : e.fa) = fx;
  }

  // Locates the change on the dense output to `narrow` of the step, with the slope of the number there. Returns false
  // if the dense output shows no change between the ends.
  bool find_on_dense(double narrow, double& theta, double& slope) const {
    ChangeEnds e{sought_.before, 0, sought_.behind, 0};
    if (!sought_.dense(e.a, e.fa) || !sought_.dense(e.b, e.fb) || sought_.crossed(e.fa) || !sought_.crossed(e.fb))
      return false;
    double width = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostNarrowings && e.b - e.a > narrow; ++k) {
      slope = (e.fb - e.fa) / (e.b - e.a);
      const double x = next(e, k, narrow, width);
      double fx = 0;
      if (!(x > e.a && x < e.b)) break;
      if (!sought_.dense(x, fx)) return false;
      take(e, x, fx);
    }
    theta = 0.5 * (e.a + e.b);
    return true;
  }

  // Makes two steps closely around the change. One ends at the change of the dense output. The other ends twice as far
  // from there as the first one shows the change to be, or farther if that does not reach it. `close` tells whether the
  // change lies between them.
  bool close_in(double t, bool& close) {
    double theta = 0, slope = 0, f = 0, g = 0;
    close = false;
    if (!find_on_dense(sought_.halves ? kNarrow : kNarrowNumber, theta, slope) || !(theta > 0 && theta < 1))
      return true;
    if (!sought_.made(theta * h_, f)) return false;
    const bool behind = sought_.crossed(f), known = !sought_.halves && slope != 0;
    double shift = known ? std::max(2 * (std::fabs(f) + noise()) / std::fabs(slope), finest(t, h_) / h_) : 2 * kNarrow;
    for (int k = 0; k < kMostWidenings && !close; ++k, shift = std::max(kWider * shift, kNarrowNumber)) {
      const double other = behind ? theta - shift : theta + shift;
      if (!(other > sought_.before && other < sought_.behind)) return true;
      if (!sought_.made(other * h_, g)) return false;
      close = sought_.crossed(g) != behind;
      ends_ = behind ? ChangeEnds{other * h_, g, theta * h_, f} : ChangeEnds{theta * h_, f, other * h_, g};
    }
    return true;
  }

  // Begins with the whole part in which the dense output shows the change. Later samples show later changes.
  bool begin_wide(bool& found) {
    ends_ = {sought_.before * h_, 0, sought_.behind * h_, 0};
    auto& [a, fa, b, fb] = ends_;
    if (!sought_.made(b, fb)) return false;
    found = sought_.crossed(fb);
    if (!found || a == 0) return true;
    if (!sought_.made(a, fa)) return false;
    if (!sought_.crossed(fa)) return true;
    b = a;
    fb = fa;
    a = fa = 0;
    return true;
  }

  [[nodiscard]] double noise() const { return sought_.halves ? 0 : kNoiseOfSide * sought_.size; }
  static double finest(double t, double h) {
    return kLocatedUlps * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::fabs(t + h));
  }

  bool narrow_down(double t) {
    double width = std::numeric_limits<double>::infinity();
    for (int k = 0; k < kMostHalvings; ++k) {
      const auto& [a, fa, b, fb] = ends_;
      if (b - a <= finest(t, b) || (fa != 0 && std::fabs(fa) <= noise() && std::fabs(fb) <= noise())) break;
      const double x = next(ends_, k, finest(t, b), width);
      double fx = 0;
      if (!(x > a && x < b)) break;
      if (!sought_.made(x, fx)) return false;
      take(ends_, x, fx);
    }
    return true;
  }

  const Sought& sought_;
  double h_;
  ChangeEnds& ends_;
};

}  // namespace

bool locate_change(const Sought& sought, double t, double h, ChangeEnds& ends, bool& found) {
  return Locator(sought, h, ends).run(t, found);
}

}  // namespace mbc::runtime
