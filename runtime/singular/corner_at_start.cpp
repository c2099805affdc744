// SPDX-License-Identifier: Apache-2.0
#include "runtime/singular/corner_at_start.h"

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/epsilon.h"

namespace mbc::runtime {

namespace {

constexpr double kCornerRoundings = 64;  // of the terms of a number: below, it is zero
constexpr double kCornerPart = 1e-6;     // of the state: the change that shows the terms
constexpr double kOtherGradient = 1e-9;  // of the larger one

// The first row of position level whose gradient is another one in the other mode of a piecewise function.
std::optional<std::uint32_t> row_that_differs(Equations& equations, const problem::Problem& info,
                                              const problem::Discontinuity& kink, double t, const double* y) {
  Assembled above, below;
  double& mode = equations.discrete_state(info.events).mode(kink);
  mode = 1;
  bool known = equations.assemble(t, y, above, false) == 0;
  mode = -1;
  known = equations.assemble(t, y, below, false) == 0 && known;
  mode = 0;
  for (std::uint32_t k = 0; known && k < info.rows.size(); ++k) {
    const auto a = above.A.row(k), b = below.A.row(k);
    const double size = std::max(a.cwiseAbs().maxCoeff(), b.cwiseAbs().maxCoeff());
    if (info.rows[k].level == problem::Level::position && (a - b).cwiseAbs().maxCoeff() > kOtherGradient * size)
      return k;
  }
  return {};
}

}  // namespace

std::optional<Corner> corner_at_start(Equations& equations, const problem::Problem& info, double t, const double* y,
                                      const double* dy) {
  if (info.rows.empty() || !info.events.has_kinks() || equations.beyond_dense()) return {};
  const kernel::SystemLayout& l = equations.layout();
  const std::vector<double> rate(dy, dy + l.n_y());
  std::vector<double> scratch = rate, state(y, y + l.n_y());
  const auto values = [&](double at) {
    equations.outputs(at, state.data(), scratch.data());
    const double* first = equations.output_values() + info.events.first_value;
    return std::vector<double>(first, first + info.events.n_values);
  };
  const std::vector<double> here = values(t);
  for (double& x : state) x *= 1 + kCornerPart;
  const std::vector<double> changed = values(t);
  // A second later, by the speeds at hand, the number is zero as well; else the motion leaves to a side that is known.
  for (std::uint32_t i = 0; i < l.n_y(); ++i) state[i] = i < l.n_coordinates ? y[i] + rate[i] : y[i];
  const std::vector<double> later = values(t + 1);
  for (const problem::Event& e : info.events.list) {
    if (!e.kink || e.kink->kind == problem::Discontinuity::Kind::steps) continue;
    const double terms = std::fabs(changed[e.value] - here[e.value]) / kCornerPart;
    if (std::max(std::fabs(here[e.value]), std::fabs(later[e.value])) <= kCornerRoundings * kEpsilon * terms)
      if (const std::optional<std::uint32_t> row = row_that_differs(equations, info, *e.kink, t, y))
        return Corner{*row, e.span};
  }
  return {};
}

}  // namespace mbc::runtime
