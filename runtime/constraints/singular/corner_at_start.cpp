// SPDX-License-Identifier: Apache-2.0
#include "runtime/constraints/singular/corner_at_start.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/epsilon.h"

namespace mbc::runtime {

namespace {

constexpr double kCornerRoundings = 64;  // of the terms of a number: below, it is zero
constexpr double kCornerPart = 1e-6;     // of the state: what shows the terms
constexpr double kOtherGradient = 1e-9;  // of the larger one

class Corners {
 public:
  Corners(Equations& equations, const problem::Problem& info, double t, const double* y, const double* dy)
      : equations_(equations), info_(info), t_(t), y_(y, y + equations.layout().n_y()), dy_(dy, dy + y_.size()) {
    const kernel::SystemLayout& l = equations_.layout();
    here_ = values(t, y_);
    std::vector<double> aside = y_;
    for (double& x : aside) x *= 1 + kCornerPart;
    terms_ = values(t, aside);
    for (std::size_t k = 0; k < here_.size(); ++k) terms_[k] = std::fabs(terms_[k] - here_[k]) / kCornerPart;
    aside = y_;
    for (std::uint32_t i = 0; i < l.n_coordinates; ++i) aside[i] += dy_[i];
    later_ = values(t + 1, aside);
  }

  std::optional<Corner> find() {
    for (const problem::Event& e : info_.events.list)
      if (e.kink && e.kink->kind != problem::Discontinuity::Kind::steps && rests_at_edge(e.value))
        if (const std::optional<std::uint32_t> row = row_that_differs(*e.kink)) return Corner{*row, e.span};
    return {};
  }

 private:
  std::vector<double> values(double t, const std::vector<double>& y) {
    equations_.outputs(t, y.data(), dy_.data());
    const double* first = equations_.output_values() + info_.events.first_value;
    return {first, first + info_.events.n_values};
  }

  // A second on by the speeds at hand it is zero as well: where it is not, the motion leaves to a side that is known.
  [[nodiscard]] bool rests_at_edge(std::uint32_t value) const {
    const double rounding = kCornerRoundings * kEpsilon * terms_[value];
    return std::fabs(here_[value]) <= rounding && std::fabs(later_[value]) <= rounding;
  }

  std::optional<std::uint32_t> row_that_differs(const problem::Discontinuity& kink) {
    double& branch = equations_.discrete_state(info_.events).mode(kink);
    branch = 1;
    const bool above = equations_.assemble(t_, y_.data(), above_, false) == 0;
    branch = -1;
    const bool below = equations_.assemble(t_, y_.data(), below_, false) == 0;
    branch = 0;
    if (!above || !below) return {};
    for (std::uint32_t k = 0; k < info_.rows.size(); ++k) {
      const auto a = above_.A.row(k), b = below_.A.row(k);
      const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
      if (info_.rows[k].level == problem::Level::position && (a - b).cwiseAbs().maxCoeff() > kOtherGradient * size)
        return k;
    }
    return {};
  }

  Equations& equations_;
  const problem::Problem& info_;
  double t_;
  std::vector<double> y_, dy_, here_, terms_, later_;  // values of what is watched
  Assembled above_, below_;
};

}  // namespace

std::optional<Corner> corner_at_start(Equations& equations, const problem::Problem& info, double t, const double* y,
                                      const double* dy) {
  if (info.rows.empty() || !info.events.has_kinks() || equations.beyond_dense()) return {};
  return Corners(equations, info, t, y, dy).find();
}

}  // namespace mbc::runtime
