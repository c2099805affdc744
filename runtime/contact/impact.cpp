// SPDX-License-Identifier: Apache-2.0
// Impacts of Contact. With the speeds v of the rows that touch, w the jump of the speeds in the scale of the masses,
// B what the equations leave of the rows, p their impulses:
//   newton   w = B^T p,  0 <= p,  v+ + e v- >= 0 where v- < 0,  v+ >= 0 elsewhere, one of the two being zero row by row
//   poisson  the same with e = 0 stops them by impulses p1 (S. D. Poisson, Traite de mecanique, Paris 1833, 2, 273;
//            with several contacts C. Glocker, F. Pfeiffer, Nonlinear Dynamics 7 (1995) 471-497); then
//            w2 = B^T p2,  p2 >= e p1,  v+ >= 0, p2 = e p1 or v+ = 0 row by row
//   moreau   as newton, with the slips of frictions that name no restitution taken as what comes back of the sides: the
//            smallest e of those that meet
// Friction obeys Coulomb's law with impulses and, in the place of a slip s, s+ + e s- (J. J. Moreau, CISM 302, 1988).
#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "runtime/contact/contact.h"
#include "runtime/contact/pushes.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kDirections = 1e-10;  // of the largest singular value of the rows: one that is zero
constexpr double kIndependent = 1e-6;  // of a row: what others leave of it, where all are taken for independent
constexpr double kAdded = 1e-13;       // of the kinetic energy: what rounding may add
constexpr double kShares = 1e-9;       // of the jump: what another share of the impulses may change
constexpr double kSlight = 1e-6;       // of a restitution: what it is lowered more where there is no room for it
constexpr int kImpactHalvings = 60;    // of the factor that lowers restitutions

}  // namespace

// The impact, where sides meet.
Contact::Outcome Contact::meet(double t, std::vector<double>& y) {
  bool any = friction_.is_pushed();
  for (Touching& c : touching_) {
    const bool closes = c.speed < -c.at_rest;
    any = any || closes || c.rests;
    c.part = closes && !c.rests && !c.kept ? -c.restitution * c.speed : 0;
    if (!c.stops) c.impulse = 0;
  }
  if (!any) return Outcome::settled;
  LeastDistance made;
  if (const Outcome o = leap_within_energy(t, y, made); o != Outcome::settled) return o;
  const Vector change = assembled_.scaling.from_scaled(made.w);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    y[equations_.layout().speeds_at() + static_cast<std::size_t>(i)] += change[i];
  for (std::size_t k = 0; k < touching_.size(); ++k)
    if (!touching_[k].stops) touching_[k].impulse = made.pressure[static_cast<Eigen::Index>(k)];
  moved_ = true;
  return Outcome::settled;
}

// With all that comes back, or, where that adds energy or there is no room for it (sides that touch and part, beside
// others that meet), the most of it that does not.
Contact::Outcome Contact::leap_within_energy(double t, const std::vector<double>& y, LeastDistance& made) {
  const auto fits = [&](Outcome o) { return o == Outcome::settled && !adds_energy(y, made.w); };
  const Outcome first = leap(t, y, 1, made);
  const bool impossible = first == Outcome::failed && !failed_by_friction_ && failure_.kind == Kind::contact_impossible;
  if (first != Outcome::settled && !impossible) return first;
  if (!may_add_energy(y) || fits(first)) return first;
  double least = 0, most = 1;
  for (int k = 0; k < kImpactHalvings; ++k) {
    const double share = 0.5 * (least + most);
    (fits(leap(t, y, share, made)) ? least : most) = share;
  }
  lowered_ = true;
  if (impossible)
    least = least < kSlight ? 0 : (1 - kSlight) * least;  // within what counts as touching it would just fit
  return leap(t, y, least, made);
}

// `share`: of all restitutions.
Contact::Outcome Contact::leap(double t, const std::vector<double>& y, double share, LeastDistance& made) {
  const auto n = static_cast<Eigen::Index>(touching_.size());
  const bool stops_first = law_ == settings::Impact::poisson;
  Wanted wanted{Vector(n), Vector::Zero(n)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    wanted.speeds[k] = c.speed;
    if (!stops_first) wanted.parts[k] = share * c.part;
  }
  const Friction::Rebound rebound{stops_first ? 0 : share, usual_restitution(), false};
  if (const Outcome o = jump(t, y, wanted, rebound, made); o != Outcome::settled) return o;
  return stops_first ? give_back(t, y, share, made) : Outcome::settled;
}

// By Poisson's law, behind a jump that has stopped what met.
Contact::Outcome Contact::give_back(double t, const std::vector<double>& y, double share, LeastDistance& made) {
  const std::vector<Eigen::Index> stopped = closed(made);
  if (friction_.takes_smallest() && !friction_.meets() && !stopped.empty())
    made.pressure(stopped) = smallest_of_same_force(free_(stopped, Eigen::all), made.pressure(stopped));
  const Vector back = given_back(share, made);
  if (back.isZero(0)) return Outcome::settled;
  if (!is_shared_uniquely(share, stopped)) {
    std::size_t which = 0;
    for (std::size_t k = 0; k < touching_.size(); ++k)
      if (back[static_cast<Eigen::Index>(k)] > 0) which = k;
    if (!friction_.takes_smallest())
      return fail(Kind::impulses_not_unique, touching_[which].which, {printable(name(touching_[which].which))},
                  "give them one restitution, or take `impact = newton`; `reactions = smallest` takes the smallest "
                  "impulses");
    friction_.note_shared(name(touching_[which].which));
  }
  const auto n = static_cast<Eigen::Index>(touching_.size());
  const Vector so_far = made.w + free_.transpose() * back;
  Wanted wanted{free_ * so_far, Vector::Zero(n)};
  for (Eigen::Index k = 0; k < n; ++k) wanted.speeds[k] += touching_[static_cast<std::size_t>(k)].speed;
  std::vector<double> at = y;
  const Vector change = assembled_.scaling.from_scaled(so_far);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    at[equations_.layout().speeds_at() + static_cast<std::size_t>(i)] += change[i];
  const Vector taken = friction_.push(impulses_of(back));
  LeastDistance last;
  const Outcome o = jump(t, at, wanted, {share, 0, true}, last);
  friction_.push(taken);
  if (o != Outcome::settled) return o;
  made.w = so_far + last.w;
  made.pressure += back + last.pressure;
  return Outcome::settled;
}

Vector Contact::given_back(double share, const LeastDistance& stopped) const {
  Vector back = Vector::Zero(stopped.pressure.size());
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const Touching& c = touching_[k];
    const auto i = static_cast<Eigen::Index>(k);
    if (!c.rests && !c.kept) back[i] = share * c.restitution * std::max(stopped.pressure[i], 0.0);
  }
  return back;
}

// Of what touches: behind a jump its sides neither part nor close.
std::vector<Eigen::Index> Contact::closed(const LeastDistance& stopped) const {
  std::vector<Eigen::Index> out;
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    if (std::fabs(touching_[k].speed + free_.row(i).dot(stopped.w)) <= touching_[k].at_rest) out.push_back(i);
  }
  return out;
}

// Whether what is given back moves the model in the same way however the impulses are shared by rows that depend on
// each other.
bool Contact::is_shared_uniquely(double share, const std::vector<Eigen::Index>& closed) const {
  if (closed.empty()) return true;
  const auto m = static_cast<Eigen::Index>(closed.size());
  Eigen::MatrixXd rows(m, free_.cols());
  Vector e(m);
  for (Eigen::Index k = 0; k < m; ++k) {
    const Eigen::Index i = closed[static_cast<std::size_t>(k)];
    const double norm = free_.row(i).norm();
    rows.row(k) = norm > 0 ? Eigen::RowVectorXd(free_.row(i) / norm) : Eigen::RowVectorXd(free_.row(i));
    const Touching& c = touching_[static_cast<std::size_t>(i)];
    e[k] = c.rests || c.kept ? 0 : share * c.restitution;
  }
  const SingularDecomposition found = singular_decomposition(rows);
  const auto rank = (found.values.array() > kDirections * found.values[0]).count();
  if (rank == m) return true;
  const Eigen::MatrixXd others = found.U.rightCols(m - rank);
  return (rows.transpose() * (e.asDiagonal() * others)).norm() <= kShares;
}

// Of all rows of the model: those of the contacts, and what the equations take of them.
Vector Contact::impulses_of(const Vector& pressure) const {
  Vector all = Vector::Zero(static_cast<Eigen::Index>(pushes_.size()));
  for (std::size_t k = 0; k < touching_.size(); ++k)
    all[list_[touching_[k].which].row] = pressure[static_cast<Eigen::Index>(k)];
  if (rows_of_equations_.empty()) return all;
  const Vector taken = (free_ - rows_).transpose() * pressure;
  const MinimumNorm made = minimum_norm_by_svd(equations_of_model_.transpose(), taken, kDirections);
  for (std::size_t k = 0; made.rank > 0 && k < rows_of_equations_.size(); ++k) {
    const Eigen::Index i = rows_of_equations_[k];
    all[i] = made.x[static_cast<Eigen::Index>(k)] / norms_[static_cast<Eigen::Index>(k)];
  }
  return all;
}

// Of slips by Moreau's law.
double Contact::usual_restitution() const {
  if (law_ != settings::Impact::moreau) return 0;
  double least = 1;
  bool any = false;
  for (const Touching& c : touching_) {
    if (!(c.speed < -c.at_rest) || c.rests || c.kept) continue;
    least = std::min(least, c.restitution);
    any = true;
  }
  return any ? least : 0;
}

// The least jump after which nothing closes and each row has the speed it should have, at least.
Contact::Outcome Contact::jump(double t, const std::vector<double>& y, const Wanted& wanted,
                               const Friction::Rebound& rebound, LeastDistance& made) {
  if (friction_.meets()) return rubbing_jump(t, y, wanted, rebound, made);
  return free_jump(wanted, made) ? Outcome::settled : cannot_keep("velocities", made);
}

// The same with the impulses of friction.
Contact::Outcome Contact::rubbing_jump(double t, const std::vector<double>& y, const Wanted& wanted,
                                       const Friction::Rebound& rebound, LeastDistance& made) {
  const Vector first = to_rest(wanted.speeds).jump, change = assembled_.scaling.from_scaled(first);
  std::vector<double> at = y;
  for (Eigen::Index i = 0; i < change.size(); ++i)
    at[equations_.layout().speeds_at() + static_cast<std::size_t>(i)] += change[i];
  std::vector<Friction::Resting> touching;
  std::vector<double> gains;
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const Touching& c = touching_[k];
    const auto i = static_cast<Eigen::Index>(k);
    touching.push_back({c.which, c.rests || wanted.speeds[i] < -c.at_rest, false, c.rests});
    gains.push_back(c.rests ? 0 : wanted.parts[i] - wanted.speeds[i] - free_.row(i).dot(first));
  }
  const Friction::Outcome found = friction_.meet(t, at, touching, gains, rebound, made.w);
  if (found == Friction::Outcome::undefined) return Outcome::undefined;
  failed_by_friction_ = found == Friction::Outcome::failed;
  if (failed_by_friction_) return Outcome::failed;
  made.w += first;
  made.pressure = Vector::Zero(static_cast<Eigen::Index>(touching_.size()));
  for (std::size_t k = 0; k < touching.size(); ++k)
    if (touching[k].held) made.pressure[static_cast<Eigen::Index>(k)] = friction_.impulse(list_[touching[k].which].row);
  return Outcome::settled;
}

// The least jump that stops those that come to rest, whatever pushes they would need: their speeds are as good as none.
Contact::Stopped Contact::to_rest(const Vector& speeds) const {
  std::vector<Eigen::Index> resting;
  for (std::size_t k = 0; k < touching_.size(); ++k)
    if (touching_[k].rests) resting.push_back(static_cast<Eigen::Index>(k));
  const Eigen::Index n = free_.cols();
  if (resting.empty()) return {Vector::Zero(n), Eigen::MatrixXd(n, 0)};
  const Eigen::MatrixXd rows = free_(resting, Eigen::all);
  if (rows.rows() <= n) {
    const ThinQr made = thin_qr(rows.transpose());
    const Vector sizes = rows.rowwise().norm(), left = made.R.diagonal().cwiseAbs();
    if ((left.array() > kIndependent * sizes.array()).all()) {
      Vector along = -speeds(resting);
      made.R.transpose().triangularView<Eigen::Lower>().solveInPlace(along);
      return {made.Q * along, made.Q};
    }
  }
  const MinimumNorm made = minimum_norm_by_orthogonal(rows, -speeds(resting), kDirections);
  return {made.rank > 0 ? made.x : Vector(Vector::Zero(n)), row_space(rows, kDirections)};
}

// Those that come to rest first, the others in what these leave of their rows.
bool Contact::free_jump(const Wanted& wanted, LeastDistance& made) const {
  const Stopped first = to_rest(wanted.speeds);
  std::vector<Eigen::Index> others;
  for (std::size_t k = 0; k < touching_.size(); ++k)
    if (!touching_[k].rests) others.push_back(static_cast<Eigen::Index>(k));
  Eigen::MatrixXd rows = free_(others, Eigen::all);
  Vector gains = (wanted.parts - wanted.speeds)(others), tolerance(gains.size());
  if (first.basis.cols() > 0) {
    gains -= rows * first.jump;
    rows -= (rows * first.basis) * first.basis.transpose();
  }
  for (Eigen::Index k = 0; k < tolerance.size(); ++k)
    tolerance[k] = touching_[static_cast<std::size_t>(others[static_cast<std::size_t>(k)])].at_rest;
  made = least_distance(rows, gains, tolerance);
  made.w += first.jump;
  Vector pressure = Vector::Zero(static_cast<Eigen::Index>(touching_.size()));
  for (std::size_t k = 0; k < others.size(); ++k) pressure[others[k]] = made.pressure[static_cast<Eigen::Index>(k)];
  made.pressure = pressure;
  const auto of_all = [&others](int k) { return static_cast<int>(others[static_cast<std::size_t>(k)]); };
  std::transform(made.pressing.begin(), made.pressing.end(), made.pressing.begin(), of_all);
  if (made.worst >= 0) made.worst = of_all(made.worst);
  return made.outcome == LeastDistance::Outcome::found;
}

// Something comes back, and none of the sides moves by itself or is moved by equations, which would do work in any
// case.
bool Contact::may_add_energy(const std::vector<double>& y) const {
  bool back = friction_.meets() && friction_.rebounds();
  const Vector driven = driven_speeds(y);
  std::vector<std::uint32_t> rows;
  for (const Touching& c : touching_) rows.push_back(list_[c.which].row);
  const Eigen::MatrixXd A = assembled_.rows_of(assembled_.A, rows);
  for (Eigen::Index k = 0; k < A.rows(); ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    const double by_itself = c.speed - A.row(k).dot(speeds(y));
    const double by_equations = driven.size() > 0 ? A.row(k).dot(driven) : 0;
    if (std::fabs(by_itself) > c.at_rest || std::fabs(by_equations) > c.at_rest) return false;
    back = back || c.part > 0 || (law_ == settings::Impact::poisson && c.restitution > 0);
  }
  return back && !(friction_.meets() && friction_.is_driven(driven));
}

// The speeds that equations ask for by themselves, the least ones; where none does (rows A u = 0 alone) those are
// zero. Empty: there are no equations.
Vector Contact::driven_speeds(const std::vector<double>& y) const {
  if (rows_of_equations_.empty()) return {};
  const Vector asked = equations_of_model_ * assembled_.scaling.to_scaled(speeds(y));
  const MinimumNorm made = minimum_norm_by_svd(equations_of_model_, asked, kDirections);
  return made.rank > 0 ? assembled_.scaling.from_scaled(made.x) : Vector();
}

// Kinetic energy, beyond rounding.
bool Contact::adds_energy(const std::vector<double>& y, const Vector& w) const {
  const Vector scaled = assembled_.scaling.to_scaled(speeds(y));
  return w.dot(scaled) + 0.5 * w.squaredNorm() > kAdded * 0.5 * scaled.squaredNorm();
}

}  // namespace mbc::runtime
