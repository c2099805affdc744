// SPDX-License-Identifier: Apache-2.0
#include "runtime/linear/equilibrium_search.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/epsilon.h"
#include "base/split_mix64.h"
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr int kMostSearchSteps = 200, kMostDampings = 40, kMostCorrections = 4;

// Returns the shortest z that minimises |J z + r|^2 + damping |z|^2.
Eigen::VectorXd damped_step(const SingularDecomposition& J, const Eigen::VectorXd& r, double damping) {
  Eigen::VectorXd z = Eigen::VectorXd::Zero(J.V.rows());
  for (Eigen::Index k = 0; k < J.values.size(); ++k) {
    const double s = J.values[k];
    if (s <= kSingularStiffness * J.values[0]) break;
    z -= s / (s * s + damping) * J.U.col(k).dot(r) * J.V.col(k);
  }
  return z;
}

// Returns the forces of accelerations by speed, over the root of its inertia. A singular mass matrix has no such root;
// the accelerations are taken then.
Eigen::MatrixXd forces_of(const Assembled& s, const Eigen::MatrixXd& accelerations) {
  if (!s.scaling.valid()) return accelerations;
  return s.solved_mass().diagonal().cwiseSqrt().cwiseInverse().asDiagonal() * (s.solved_mass() * accelerations);
}

// Returns by state and direction of positions how states that only integrate speeds, as the turns that a spring is
// wound by, move with positions: s' = S u, and a displacement w of the positions is W c, with W the directions of the
// speeds. The rows of other states are zero.
Eigen::MatrixXd carried_states(const TangentSpace& tangent, const Eigen::MatrixXd& displacements,
                               const Eigen::MatrixXd& rates) {
  const Eigen::Index n = displacements.rows() / 2, n_p = tangent.n_positions, n_v = tangent.n_speeds;
  Eigen::MatrixXd out = Eigen::MatrixXd::Zero(rates.rows(), n_p);
  if (n_v == 0 || rates.rows() == 0) return out;
  const Eigen::MatrixXd W = displacements.block(n, n_p, n, n_v), S = rates.middleCols(n_p, n_v);
  LuFactors factors;
  factors.compute(W.transpose() * W);
  Eigen::MatrixXd c(n_v, n_p);
  factors.solve(W.transpose() * displacements.topLeftCorner(n, n_p), c);
  for (Eigen::Index k = 0; k < rates.rows(); ++k)
    if (rates.row(k).head(n_p).isZero(0) && rates.row(k).tail(rates.cols() - n_p - n_v).isZero(0) &&
        !S.row(k).isZero(0))
      out.row(k) = S.row(k) * c;
  return out;
}

// Returns the loads by speed, over the root of its inertia, and the terms of the rates of states.
Eigen::VectorXd loads_of(Equations& equations, const ModelSize& size, double t, const double* y) {
  const kernel::SystemLayout& l = equations.layout();
  equations.assemble(t, y);
  Eigen::VectorXd loads(l.n_speeds + l.work_at() - l.states_at());
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
    const double inertia = size.root_inertia[j], terms = inertia * size.rate_terms[l.speeds_at() + j];
    loads[j] = std::max(terms, inertia > 0 ? std::fabs(equations.work()[l.f + j]) / inertia : 0);
  }
  for (std::uint32_t k = l.states_at(); k < l.work_at(); ++k)
    loads[l.n_speeds + k - l.states_at()] = size.rate_terms[k];
  return loads;
}

}  // namespace

// The sizes know the terms of loads that vary; constant ones are known by their sum.
double size_of_loads(Equations& equations, const ModelSize& size, double t, const double* y) {
  return loads_of(equations, size, t, y).norm();
}

EquilibriumSearch::EquilibriumSearch(ManifoldDerivatives& derivatives, Equations& equations,
                                     const problem::Problem& info)
    : derivatives_(derivatives), equations_(equations), info_(info), projector_(equations, info) {}

bool EquilibriumSearch::norm(double t, const std::vector<double>& y, const Local& near, double& out) {
  const kernel::SystemLayout& l = equations_.layout();
  std::vector<double> dy(y.size());
  if (equations_.rhs(t, y.data(), dy.data()) != 0) return false;
  Assembled s;
  if (equations_.assemble(t, y.data(), s, false) != 0) return false;
  const Eigen::Map<const Eigen::VectorXd> a(dy.data() + l.speeds_at(), l.n_speeds),
      states(dy.data() + l.states_at(), l.work_at() - l.states_at());
  Eigen::VectorXd rates(near.rests.size());
  rates << forces_of(s, a), states;
  out = rates.cwiseQuotient(near.rests).norm();
  return std::isfinite(out);
}

bool EquilibriumSearch::evaluate(double t, const std::vector<double>& y, Local& out) {
  if (!derivatives_.evaluate(t, y.data())) return false;
  const kernel::SystemLayout& l = equations_.layout();
  const Eigen::Index n = l.n_speeds, n_s = l.work_at() - l.states_at();
  const TangentSpace& tangent = derivatives_.tangent();
  Eigen::MatrixXd all = derivatives_.displacements(), by_state = derivatives_.accelerations(),
                  of_states = derivatives_.state_rates_by_arguments();
  const Eigen::MatrixXd carried = carried_states(tangent, all.topRows(2 * n), of_states);
  const Eigen::Index n_p = tangent.n_positions, first_state = n_p + tangent.n_speeds;
  all.bottomLeftCorner(n_s, n_p) += carried;
  by_state.leftCols(n_p) += by_state.rightCols(n_s) * carried;
  std::vector<Eigen::Index> columns;  // of positions and states
  for (Eigen::Index k = 0; k < tangent.size(); ++k)
    if (k < n_p || (k >= first_state && carried.row(k - first_state).isZero(0))) columns.push_back(k);
  Assembled s;
  if (equations_.assemble(t, y.data(), s, false) != 0) return false;
  const MassScaling scaling = s.scaling.valid() ? s.scaling : MassScaling::identity(static_cast<int>(n));
  out.rates.resize(n + n_s);
  const std::vector<double>& dy = derivatives_.state_rates();
  const Eigen::Map<const Eigen::VectorXd> a(dy.data() + l.speeds_at(), n), states(dy.data() + l.states_at(), n_s);
  out.rates << forces_of(s, a), states;
  out.slopes.resize(n + n_s, static_cast<Eigen::Index>(columns.size()));
  out.displacements.resize(all.rows(), out.slopes.cols());
  Eigen::MatrixXd lengths(n + n_s, out.slopes.cols());
  for (std::size_t k = 0; k < columns.size(); ++k) {
    const auto at = static_cast<Eigen::Index>(k);
    out.slopes.col(at) << forces_of(s, by_state.col(columns[k])), of_states.col(columns[k]);
    out.displacements.col(at) = all.col(columns[k]);
    lengths.col(at) << scaling.to_scaled(all.col(columns[k]).head(n)), all.col(columns[k]).tail(n_s);
  }
  if (columns.empty()) return find_rests(t, y, out);
  LuFactors factors;
  factors.compute(thin_qr(lengths).R);
  Eigen::MatrixXd inverse(out.slopes.cols(), out.slopes.cols());
  factors.solve(Eigen::MatrixXd::Identity(out.slopes.cols(), out.slopes.cols()), inverse);
  out.slopes = (out.slopes * inverse).eval();
  out.displacements = (out.displacements * inverse).eval();
  return out.slopes.allFinite() && find_rests(t, y, out);
}

std::vector<double> EquilibriumSearch::moved(double t, const std::vector<double>& y,
                                             const Eigen::VectorXd& displacement) {
  const kernel::SystemLayout& l = equations_.layout();
  std::vector<double> out = y;
  // A quaternion turns by a little less than a displacement says, and states that integrate its speed would differ.
  const bool carries = displacement.tail(l.work_at() - l.states_at()).cwiseAbs().sum() > 0;
  const double parts = carries ? std::ceil(std::max(1.0, largest_turn(y, displacement) / kLittleTurn)) : 1;
  const Eigen::VectorXd part = displacement / parts;
  for (int k = 0; k < parts; ++k) projector_.displace(true, t, out.data(), part.data());
  for (std::uint32_t k = l.states_at(); k < l.work_at(); ++k)
    out[k] += displacement[2 * Eigen::Index{l.n_speeds} + k - l.states_at()];
  if (l.n_rows > 0) projector_.project(t, out.data(), kRoundOffShown, true);
  std::fill(out.begin() + l.speeds_at(), out.begin() + l.states_at(), 0.0);
  return out;
}

// Returns the largest turn in a displacement of the speeds; a coordinate without a unit is taken in relation to its
// size.
double EquilibriumSearch::largest_turn(const std::vector<double>& y, const Eigen::VectorXd& displacement) const {
  double turn = 0;
  for (std::uint32_t j = 0; j < info_.coordinate_of_speed.size(); ++j) {
    if (!may_turn(j)) continue;
    const std::uint32_t q = info_.coordinate_of_speed[j];
    const bool has_unit = q == problem::Problem::kNoCoordinate || info_.sizes[q] == problem::Problem::Size::one;
    turn = std::max(turn, std::fabs(displacement[j]) / (has_unit ? 1 : std::max(1.0, std::fabs(y[q]))));
  }
  return turn;
}

// Makes one step that reduces the norm. Turns are at most half a radian, so that the search does not jump past the
// nearest equilibrium.
bool EquilibriumSearch::step(double t, std::vector<double>& y, const Local& here) {
  if (here.slopes.cols() == 0) return false;
  const SingularDecomposition J = singular_decomposition(here.relative_slopes());
  const double before = here.relative_rates().norm(), largest = J.values[0];
  if (largest == 0) return false;
  if (corrected_step(t, y, here, J)) return true;
  double damping = 1e-6 * largest * largest;
  for (int k = 0; k < kMostDampings; ++k, damping *= 4) {
    std::vector<double> there =
        moved(t, y, limited(y, here.displacements * damped_step(J, here.relative_rates(), damping)));
    double after = 0;
    if (!norm(t, there, here, after) || !(after < before)) continue;
    y = std::move(there);
    return true;
  }
  return false;
}

Eigen::VectorXd EquilibriumSearch::limited(const std::vector<double>& y, Eigen::VectorXd displacement) const {
  const double turn = largest_turn(y, displacement);
  if (turn > kMostTurn) displacement *= kMostTurn / turn;
  return displacement;
}

// Makes a Newton step. In a curved valley, as along the turn of a body on a stiff bushing, it first climbs, and the
// steps that follow lead down again.
bool EquilibriumSearch::corrected_step(double t, std::vector<double>& y, const Local& here,
                                       const SingularDecomposition& J) {
  const double before = here.relative_rates().norm();
  std::vector<double> there = moved(t, y, limited(y, here.displacements * damped_step(J, here.relative_rates(), 0)));
  for (int k = 0; k < kMostCorrections; ++k) {
    double after = 0;
    if (!norm(t, there, here, after)) return false;
    if (after < before) {
      y = std::move(there);
      return true;
    }
    Local now;
    if (!evaluate(t, there, now)) return false;
    const Eigen::VectorXd step = damped_step(singular_decomposition(now.relative_slopes()), now.relative_rates(), 0);
    there = moved(t, there, limited(there, now.displacements * step));
  }
  return false;
}

// Moves the state along its acceleration, by half of the largest turn or by a tenth of the size of the model.
void EquilibriumSearch::fall(double t, std::vector<double>& y) {
  const kernel::SystemLayout& l = equations_.layout();
  const Eigen::Index n = l.n_speeds;
  Eigen::VectorXd d = Eigen::VectorXd::Zero(2 * n + l.work_at() - l.states_at());
  double squares = 0;
  for (Eigen::Index j = 0; j < n; ++j) {
    const auto at = static_cast<std::size_t>(j);
    d[j] = derivatives_.state_rates()[l.speeds_at() + at];
    squares += std::pow(projector_.size().root_inertia[at] * d[j], 2);
  }
  const double turn = largest_turn(y, d);
  if (turn > 0)
    d *= kMostTurn / 2 / turn;
  else if (squares > 0)
    d *= 0.1 * projector_.size().position / std::sqrt(squares);
  y = moved(t, y, d);
}

// Returns whether a displacement of the speed turns something. Any coordinate of a model without units may be an angle.
bool EquilibriumSearch::may_turn(std::uint32_t speed) const {
  using Size = problem::Problem::Size;
  const std::uint32_t q = info_.coordinate_of_speed[speed];
  return q == problem::Problem::kNoCoordinate || info_.sizes[q] == Size::one || info_.sizes[q] == Size::own;
}

std::optional<std::vector<double>> EquilibriumSearch::drawn(double t, const std::vector<double>& y,
                                                            std::uint64_t seed) {
  const kernel::SystemLayout& l = equations_.layout();
  SplitMix64 noise(seed * 0xd1342543de82ef95u);  // neighbouring seeds begin far apart in the sequence
  projector_.measure(t, y.data());
  Eigen::VectorXd d = Eigen::VectorXd::Zero(2 * Eigen::Index{l.n_speeds} + l.work_at() - l.states_at());
  for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
    double largest = may_turn(j) ? std::numbers::pi : 0;
    for (std::uint32_t q = 0; !may_turn(j) && q < l.n_coordinates; ++q)
      if (info_.coordinates.unit(q) == info_.coordinates.unit(info_.coordinate_of_speed[j]))
        largest = std::max(largest, std::fabs(y[q]));
    d[j] = (largest > 0 ? largest : 1) * noise.next();
  }
  std::vector<double> out = moved(t, y, d);
  if (l.n_rows > 0 && !(projector_.worst(true, t, out.data()) <= kInitialTolerance)) return {};
  return out;
}

// Returns the row that requires most of the velocities where all of them are zero.
std::optional<std::uint32_t> EquilibriumSearch::moving_row(double t, const std::vector<double>& y) {
  int row = -1;
  projector_.measure(t, y.data());
  if (equations_.layout().n_rows == 0 || projector_.worst(false, t, y.data(), &row) <= kInitialTolerance) return {};
  return row < 0 ? std::nullopt : std::optional(static_cast<std::uint32_t>(row));
}

// Finds by rate what counts as zero. A displacement far below the size of the model, as the search begins, gives as
// much, and so does the rounding of loads that cancel: constraints pass this on to speeds without a load of their own.
// Far away, where loads vanish, their derivatives do so faster. Stiff and slow parts of a model have rates, and
// derivatives, of very different sizes, so each rate is measured by the directions in which its speed moves. Its own
// derivative alone does not do: that of a particle's height vanishes where its rod is upright, and small numbers there
// would send the search away from where the particle hangs.
bool EquilibriumSearch::find_rests(double t, const std::vector<double>& y, Local& out) {
  const Eigen::VectorXd loads = loads_of(equations_, measured_size(equations_, info_, t, y.data()), t, y.data());
  const Eigen::Index n = equations_.layout().n_speeds;
  Eigen::VectorXd scale = out.slopes.rowwise().norm(), round_off = kRoundOffShown * loads;
  round_off.head(n).setConstant(round_off.head(n).norm());
  for (Eigen::Index k = 0; n > 0 && k < out.slopes.cols(); ++k) {
    const Eigen::VectorXd moved = out.displacements.col(k).head(n).cwiseAbs();
    const double least = kDirectionPart * moved.maxCoeff(), largest = out.slopes.col(k).head(n).cwiseAbs().maxCoeff();
    for (Eigen::Index j = 0; j < n; ++j)
      if (moved[j] > least) scale[j] = std::max(scale[j], largest);
  }
  const double extent = std::max(kRests * first_extent_, kRoundOffShown * projector_.extent(true, y.data()));
  out.rests = (extent * scale).cwiseMax(kRests * loads).cwiseMax(round_off);
  Eigen::VectorXd first = kRests * first_loads_;
  first.head(n).setConstant(first.head(n).norm());
  out.held = (first.array() > 0).select(first, round_off);
  const double largest = out.rests.size() > 0 ? out.rests.maxCoeff() : 0;
  for (Eigen::VectorXd* zero : {&out.rests, &out.held})
    *zero = zero->cwiseMax(largest > 0 ? kEpsilon * kEpsilon * largest : 1);
  return out.rests.allFinite();
}

// Returns whether nothing moves at a state. The part of the rates that no displacement changes has to vanish by itself,
// however stiff the model is: a force that pulls two wagons with a spring between them accelerates both.
bool EquilibriumSearch::at_rest(const std::vector<double>& y, const Local& here) {
  if (!(here.remaining() <= 1) || !(projector_.extent(true, y.data()) <= first_extent_ / kRests)) return false;
  if (here.rates.size() == 0) return true;
  Eigen::VectorXd left = here.relative_rates();
  if (here.slopes.cols() > 0) {
    const SingularDecomposition J = singular_decomposition(here.relative_slopes());
    for (Eigen::Index k = 0; k < J.values.size() && J.values[k] > kSingularStiffness * J.values[0]; ++k)
      left -= J.U.col(k) * J.U.col(k).dot(left);
  }
  return left.cwiseProduct(here.rests).cwiseQuotient(here.held).cwiseAbs().maxCoeff() <= 1;
}

EquilibriumFound EquilibriumSearch::from(double t, std::vector<double> y) {
  const kernel::SystemLayout& l = equations_.layout();
  EquilibriumFound out;
  std::fill(y.begin() + l.speeds_at(), y.begin() + l.states_at(), 0.0);
  projector_.measure(t, y.data());
  first_extent_ = projector_.extent(true, y.data());
  first_loads_ = loads_of(equations_, measured_size(equations_, info_, t, y.data()), t, y.data());
  if (const std::optional<std::uint32_t> row = moving_row(t, y)) {
    out.outcome = EquilibriumFound::Outcome::moving;
    out.row = *row;
    return out;
  }
  Local here;
  std::vector<double> best = y;
  double least = std::numeric_limits<double>::infinity();
  for (int k = 0;; ++k) {
    if (!evaluate(t, y, here)) {
      out.outcome = EquilibriumFound::Outcome::undefined;
      out.y = std::move(y);
      return out;
    }
    const double now = here.remaining();
    if (now < least) {
      least = now;
      best = y;
    }
    if (k == kMostSearchSteps || now <= kEpsilon / kRests) break;
    if (step(t, y, here)) continue;
    if (at_rest(y, here)) break;
    fall(t, y);
  }
  if (y != best) {
    y = best;
    static_cast<void>(evaluate(t, y, here));
  }
  out.remaining = kRests * here.remaining();
  out.outcome = at_rest(y, here) ? EquilibriumFound::Outcome::found : EquilibriumFound::Outcome::not_found;
  Eigen::Index fastest = 0;
  if (here.rates.size() > 0) here.relative_rates().cwiseAbs().maxCoeff(&fastest);
  out.fastest = static_cast<std::uint32_t>(fastest);
  if (here.rates.size() > 0) out.fastest_rate = derivatives_.state_rates()[l.speeds_at() + out.fastest];
  if (here.slopes.cols() > 0) {
    const Eigen::VectorXd stiffness = singular_values(here.relative_slopes());
    const Eigen::Index kept = (stiffness.array() > kSingularStiffness * stiffness[0]).count();
    out.singular = static_cast<std::uint32_t>(here.slopes.cols() - kept);
  }
  out.y = std::move(y);
  return out;
}

}  // namespace mbc::runtime
