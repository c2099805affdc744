// SPDX-License-Identifier: Apache-2.0
// Sizes of coordinates, of rotations, and of the terms that rows are made of.
#include "runtime/constraints/model_size.h"

#include <algorithm>
#include <cmath>
#include <limits>

namespace mbc::runtime {

namespace {

constexpr double kRounding = 1e-9;   // of the terms: coordinates below are what rounding has left of 0
constexpr double kLeads = 1e-3;      // of the size: a way in the time of the run that counts as none
constexpr double kFarther = 1e3;     // times the coordinates: terms of rows that are larger say nothing of the size
constexpr double kOfBound = 0.25;    // terms, of the bound of their roundings in units of eps
constexpr double kCancelled = 1e-6;  // of its terms: a gradient that is smaller is one that vanishes

// Largest |e_k| of the terms of a level, over |G_k|, mass-weighted. Rows whose gradient is little of what makes it up
// say nothing: it vanishes nearby, or here but for rounding.
double size_of_terms(const Assembled& here, const std::vector<double>& bound, std::uint32_t residual) {
  const Eigen::VectorXd inertia = here.M.diagonal();
  double largest = 0;
  for (Eigen::Index r = 0; r < here.A.rows(); ++r) {
    double square = 0, of_terms = 0;
    for (Eigen::Index j = 0; j < here.A.cols(); ++j) {
      if (!(inertia[j] > 0)) continue;
      square += here.A(r, j) * here.A(r, j) / inertia[j];
      of_terms += kOfBound * kOfBound * here.A_error(r, j) * here.A_error(r, j) / inertia[j];
    }
    const double terms = kOfBound * bound[residual + static_cast<std::uint32_t>(r)];
    if (square > kCancelled * kCancelled * of_terms && std::isfinite(terms))
      largest = std::max(largest, terms / std::sqrt(square));
  }
  return largest;
}

// Terms stand in for coordinates that are 0, up to a limit: a row of little slope makes much of them.
double larger(double coordinates, double terms) {
  return coordinates > kRounding * terms ? std::max(coordinates, std::min(terms, kFarther * coordinates)) : terms;
}

double size_of_level(bool position, const ModelInfo& info, const kernel::SystemLayout& l,
                     const std::vector<double>& root_inertia, const double* y) {
  double size = 0;
  for (std::uint32_t j = 0; j < root_inertia.size(); ++j) {
    const std::uint32_t i = info.coordinate_of_speed[j];
    // rotations without a coordinate of their own: one radian
    const double x = !position ? y[l.speeds_at() + j] : i == ModelInfo::kNoCoordinate ? 1 : y[i];
    size = std::max(size, root_inertia[j] * std::fabs(x));
  }
  return size;
}

}  // namespace

double ModelSize::at(bool of_position, const ModelInfo& info, const kernel::SystemLayout& l, const double* y) const {
  return std::max(of(of_position), size_of_level(of_position, info, l, root_inertia, y));
}

ModelSize measured_size(Equations& equations, const ModelInfo& info, double t, const double* y, double span) {
  const kernel::SystemLayout& l = equations.layout();
  ModelSize out;
  out.root_inertia.assign(l.n_speeds, 0.0);
  double of_terms[2] = {0, 0};
  if (!equations.large() && l.n_rows > 0) {
    std::vector<double> bound(equations.kernel().n_work, 0.0), unused(equations.kernel().n_state, 0.0);
    equations.residuals_with_error(t, y, bound, unused);
    Assembled here;
    if (equations.assemble(t, y, here, true) == 0) {
      of_terms[0] = size_of_terms(here, bound, l.position_residual);
      of_terms[1] = size_of_terms(here, bound, l.velocity_residual);
    }
  } else {
    equations.assemble(t, y);
  }
  double acceleration = 0;
  for (std::size_t k = 0; k < l.mass.size(); ++k) {
    const auto [i, j] = l.mass[k];
    if (i != j || !(equations.mass_values()[k] > 0)) continue;
    out.root_inertia[i] = std::sqrt(equations.mass_values()[k]);
    acceleration = std::max(acceleration, std::fabs(equations.work()[l.f + i]) / out.root_inertia[i]);
  }
  if (!std::isfinite(acceleration)) acceleration = 0;
  const double speed = larger(size_of_level(false, info, l, out.root_inertia, y), of_terms[1]);
  // how far the speeds lead: until loads have turned them, or to the end
  const double turned = acceleration > 0 ? speed * speed / acceleration : std::numeric_limits<double>::infinity();
  const double way = span > 0 ? std::min(turned, speed * span) : acceleration > 0 ? turned : 0;
  const double here = larger(size_of_level(true, info, l, out.root_inertia, y), of_terms[0]);
  const double position = here > kLeads * way ? here : way;  // a model that is about a point leads to its size
  if (position > 0 && std::isfinite(position)) out.position = position;
  // at rest: that of a motion under the loads over this size, or one that leads nowhere in the time
  const double least = kLeads * out.position / (span > 0 ? span : 1);
  out.speed = std::max({std::isfinite(speed) ? speed : 0, std::sqrt(acceleration * out.position), least});
  return out;
}

}  // namespace mbc::runtime
