// SPDX-License-Identifier: Apache-2.0
// Measures the sizes of coordinates, of rotations, and of the terms that rows consist of.
#include "runtime/constraints/model_size.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <string>

#include "base/disjoint_sets.h"
#include "base/epsilon.h"
#include "runtime/constraints/row_components.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// Returns |e_k| of the terms of a level over the mass-weighted |G_k|, for each row. A row whose gradient is small
// compared with its terms gets no size, because the gradient vanishes nearby, or at this state up to rounding.
std::vector<double> size_of_terms(const Assembled& here, const std::vector<double>& bound, std::uint32_t residual) {
  const Eigen::VectorXd inertia = here.M.diagonal();
  std::vector<double> out(static_cast<std::size_t>(here.A.rows()));
  for (Eigen::Index r = 0; r < here.A.rows(); ++r) {
    double square = 0, of_terms = 0;
    for (Eigen::Index j = 0; j < here.A.cols(); ++j) {
      if (!(inertia[j] > 0)) continue;
      square += here.A(r, j) * here.A(r, j) / inertia[j];
      of_terms += kOfBound * kOfBound * here.A_error(r, j) * here.A_error(r, j) / inertia[j];
    }
    const double terms = kOfBound * bound[residual + static_cast<std::uint32_t>(r)];
    if (square > kVanishingSlope * kVanishingSlope * of_terms && std::isfinite(terms))
      out[static_cast<std::size_t>(r)] = terms / std::sqrt(square);
  }
  return out;
}

// The terms replace coordinates that are 0, up to a limit, because a row with a small slope has large terms.
double larger(double coordinates, double terms) {
  return coordinates > kRoundedToZero * terms ? std::max(coordinates, std::min(terms, kTermsFarther * coordinates))
                                              : terms;
}

double size_of_speed(bool position, std::uint32_t j, const problem::Problem& info, const kernel::SystemLayout& l,
                     const std::vector<double>& root_inertia, const double* y) {
  const std::uint32_t i = info.coordinate_of_speed[j];
  // A rotation without a coordinate of its own counts as one radian.
  const double x = !position ? y[l.speeds_at() + j] : i == problem::Problem::kNoCoordinate ? 1 : y[i];
  return root_inertia[j] * std::fabs(x);
}

// Returns the particle or body of a speed, "a.b" for `a.b.vx`.
std::string owner_of(const std::string& name) {
  const std::size_t dot = name.rfind('.');
  return dot == std::string::npos ? std::string() : name.substr(0, dot);
}

// Measured holds the largest values of a part of the model.
struct Measured {
  double position = 0, speed = 0, terms[2] = {0, 0}, acceleration = 0;
  double turns = 0;  // one radian of the rotations

  void take(const Measured& part) {
    turns = std::max(turns, part.turns);
    position = std::max(position, part.position);
    speed = std::max(speed, part.speed);
    for (int k = 0; k < 2; ++k) terms[k] = std::max(terms[k], part.terms[k]);
    acceleration = std::max(acceleration, part.acceleration);
  }
};

struct Sizes {
  double position, speed;
};

// `otherwise` is the size of positions if nothing else determines it.
Sizes sizes_of(const Measured& m, double span, double otherwise) {
  const double acceleration = std::isfinite(m.acceleration) ? m.acceleration : 0;
  const double speed = larger(m.speed, m.terms[1]);
  // The speeds lead this far until the loads have turned them, or until the end.
  const double turned = acceleration > 0 ? speed * speed / acceleration : std::numeric_limits<double>::infinity();
  const double way = span > 0 ? std::min(turned, speed * span) : acceleration > 0 ? turned : 0;
  const double here = larger(m.position, m.terms[0]);
  // A model that is concentrated at a point has the size that its motion reaches.
  const double size = here > kLeads * way ? here : way;
  const double position = size > 0 && std::isfinite(size) ? size : otherwise;
  // A model at rest gets the speed of a motion under the loads over this size, or a speed that leads almost nowhere in
  // the given time.
  const double least = kLeads * position / (span > 0 ? span : 1);
  return {position, std::max({std::isfinite(speed) ? speed : 0, std::sqrt(acceleration * position), least})};
}

}  // namespace

ModelSize::ModelSize(const kernel::SystemLayout& l, const problem::Problem& info)
    : root_inertia(l.n_speeds, 1.0), rate_terms(l.n_y(), 0.0) {
  const std::vector<RowComponent> parts = row_components(l, info);
  const auto rest = static_cast<std::uint32_t>(parts.size());
  DisjointSets joined(parts.size() + 1);  // Parts that contain the same particle or body are joined.
  part_of_row.assign(l.n_rows, rest);
  part_of_speed.assign(l.n_speeds, rest);
  for (std::uint32_t p = 0; p < parts.size(); ++p) {
    for (const Eigen::Index j : parts[p].columns) part_of_speed[static_cast<std::size_t>(j)] = p;
    for (const Eigen::Index r : parts[p].rows) part_of_row[static_cast<std::size_t>(r)] = p;
  }
  for (std::uint32_t first = 0, next = 0; first < l.n_speeds; first = next) {
    const std::string owner = owner_of(info.speeds[first].name.text());
    std::uint32_t part = rest;
    for (next = first; next < l.n_speeds; ++next) {
      if (next != first && (owner.empty() || owner_of(info.speeds[next].name.text()) != owner)) break;
      if (part_of_speed[next] == rest) continue;
      if (part == rest) part = part_of_speed[next];
      joined.join(part_of_speed[next], part);
    }
    for (std::uint32_t j = first; j < next; ++j) part_of_speed[j] = part;
  }
  for (std::uint32_t& p : part_of_row) p = joined.root(p);
  for (std::uint32_t& p : part_of_speed) p = joined.root(p);
  part_position.assign(parts.size() + 1, 1.0);
  part_speed = part_closeness = part_position;
}

double ModelSize::at(bool of_position, const problem::Problem& info, const kernel::SystemLayout& l,
                     const double* y) const {
  double size = of(of_position);
  for (std::uint32_t j = 0; j < root_inertia.size(); ++j)
    size = std::max(size, size_of_speed(of_position, j, info, l, root_inertia, y));
  return size;
}

void ModelSize::at(bool of_position, const problem::Problem& info, const kernel::SystemLayout& l, const double* y,
                   std::vector<double>& by_part) const {
  by_part = of_position ? part_position : part_speed;
  for (std::uint32_t j = 0; j < root_inertia.size(); ++j) {
    double& size = by_part[part_of_speed[j]];
    size = std::max(size, size_of_speed(of_position, j, info, l, root_inertia, y));
  }
}

namespace {

// Measures the terms by row for both levels. Large systems get none. Afterwards the work arrays belong to this state.
// `late`: the clock reads far more than the run lasts, and its digits count as rounding, not as a size of the model.
void measure_terms(Equations& equations, double t, const double* y, bool late, std::vector<double> (&of_terms)[2]) {
  const kernel::SystemLayout& l = equations.layout();
  if (equations.large() || l.n_rows == 0) return equations.assemble(t, y);
  std::vector<double> bound(equations.kernel().n_work, 0.0), unused(equations.kernel().n_state, 0.0);
  std::vector<double> sizes(y, y + l.n_y());
  for (double& size : sizes) size = std::fabs(size);
  equations.call_with_error(Equations::k_residuals, t, y, bound, unused, late ? sizes.data() : nullptr);
  Assembled here;
  if (equations.assemble(t, y, here, true) != 0) return;
  of_terms[0] = size_of_terms(here, bound, l.position_residual);
  of_terms[1] = size_of_terms(here, bound, l.velocity_residual);
}

// Rows with a slope of almost zero (cos(pi/2) is 6e-17) have terms far above all others. If bodies turn, they have a
// size for all coordinates, and terms that far above the next smaller ones are ignored.
double largest_of(std::vector<double> terms, double turns) {
  std::sort(terms.begin(), terms.end(), std::greater<>());
  double largest = terms.empty() ? 0 : terms[0];
  for (std::size_t k = 0; k + 1 < terms.size(); ++k)
    if (kVanishingSlope * terms[k] > terms[k + 1] && turns > 0 && terms[k + 1] >= kOfTurns * turns)
      largest = terms[k + 1];
  return largest;
}

void measure_closeness(ModelSize& out, const problem::Problem& info, const kernel::SystemLayout& l, const double* y) {
  struct Places {
    double low[3] = {}, high[3] = {}, farthest = 0;
    bool any[3] = {}, particles = true;
  };
  std::vector<Places> places(out.part_closeness.size());
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
    Places& part = places[out.part_of_speed[j]];
    const std::uint32_t i = info.coordinate_of_speed[j];
    part.particles =
        part.particles && i != problem::Problem::kNoCoordinate && info.sizes[i] <= problem::Problem::Size::z;
    if (!part.particles) continue;
    const auto axis = static_cast<std::size_t>(info.sizes[i]);
    part.low[axis] = part.any[axis] ? std::min(part.low[axis], y[i]) : y[i];
    part.high[axis] = part.any[axis] ? std::max(part.high[axis], y[i]) : y[i];
    part.any[axis] = true;
    part.farthest = std::max(part.farthest, std::fabs(y[i]));
  }
  for (std::size_t p = 0; p + 1 < places.size(); ++p) {
    double side = 0;
    for (int axis = 0; axis < 3; ++axis) side = std::max(side, places[p].high[axis] - places[p].low[axis]);
    if (!places[p].particles || !(side > 0) || !(places[p].farthest > kFarFromOrigin * side)) continue;
    out.part_closeness[p] = std::max(kFarFromOrigin * side / places[p].farthest, 64 * kEpsilon / kInitialTolerance);
  }
}

}  // namespace

// A light speed that its rows determine counts with their inertia.
std::vector<double> terms_of_rates(Equations& equations, double t, const double* y, const double* sizes) {
  const kernel::SystemLayout& l = equations.layout();
  std::vector<double> terms(l.n_y(), 0.0);
  Assembled here;
  std::vector<double> bound(equations.kernel().n_work, 0.0), of_state(equations.kernel().n_state, 0.0);
  if (equations.large() || equations.assemble(t, y, here, false) != 0) return terms;
  equations.call_with_error(Equations::k_assemble, t, y, bound, of_state, sizes);
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
    const double inertia = here.solved_mass()(j, j);
    if (inertia > 0) terms[l.speeds_at() + j] = kOfBound * bound[l.f + j] / inertia;
  }
  for (std::uint32_t k = l.states_at(); k < l.n_y(); ++k) terms[k] = kOfBound * of_state[k];
  for (double& x : terms)
    if (!std::isfinite(x)) x = 0;
  return terms;
}

ModelSize measured_size(Equations& equations, const problem::Problem& info, double t, const double* y, double span) {
  const kernel::SystemLayout& l = equations.layout();
  ModelSize out(l, info);
  out.root_inertia.assign(l.n_speeds, 0.0);
  std::vector<double> of_terms[2];
  out.rate_terms = terms_of_rates(equations, t, y);
  measure_terms(equations, t, y, span > 0 && std::fabs(t) > span, of_terms);
  std::vector<double> accelerations(l.n_speeds);
  for (std::size_t k = 0; k < l.mass.size(); ++k) {
    const auto [i, j] = l.mass[k];
    if (i != j || !(equations.mass_values()[k] > 0)) continue;
    out.root_inertia[i] = std::sqrt(equations.mass_values()[k]);
    accelerations[i] = std::fabs(equations.work()[l.f + i]) / out.root_inertia[i];
  }
  const auto of_speed = [&](std::uint32_t j) {
    return Measured{.position = size_of_speed(true, j, info, l, out.root_inertia, y),
                    .speed = size_of_speed(false, j, info, l, out.root_inertia, y),
                    .acceleration = accelerations[j],
                    .turns = info.coordinate_of_speed[j] == problem::Problem::kNoCoordinate ? out.root_inertia[j] : 0};
  };
  Measured whole;
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) whole.take(of_speed(j));
  for (int k = 0; k < 2; ++k) whole.terms[k] = largest_of(of_terms[k], whole.turns);
  const Sizes sizes = sizes_of(whole, span, 1);
  out.position = sizes.position;
  out.speed = sizes.speed;
  std::vector<Measured> parts(out.part_position.size());
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) parts[out.part_of_speed[j]].take(of_speed(j));
  for (int k = 0; k < 2; ++k) {
    std::vector<std::vector<double>> by_part(parts.size());
    for (std::size_t r = 0; r < of_terms[k].size(); ++r) by_part[out.part_of_row[r]].push_back(of_terms[k][r]);
    for (std::size_t p = 0; p < parts.size(); ++p)
      parts[p].terms[k] = largest_of(std::move(by_part[p]), parts[p].turns);
  }
  for (std::size_t p = 0; p + 1 < parts.size(); ++p) {
    const Sizes of_part = sizes_of(parts[p], span, out.position);
    out.part_position[p] = of_part.position;
    out.part_speed[p] = of_part.speed;
  }
  out.part_position.back() = out.position;
  out.part_speed.back() = out.speed;
  measure_closeness(out, info, l, y);
  return out;
}

}  // namespace mbc::runtime
