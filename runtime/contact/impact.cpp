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
#include "runtime/rows/decompositions.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kAdded = 1e-13;     // of the kinetic energy: what rounding may add
constexpr double kShares = 1e-9;     // of the jump: what another share of the impulses may change
constexpr double kSlight = 1e-6;     // of a restitution: what it is lowered more where there is no room for it
constexpr int kImpactHalvings = 60;  // of the factor that lowers restitutions

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
  ConeSolution made;
  if (const Outcome o = jump_within_energy(t, y, made); o != Outcome::settled) return o;
  y = moved_by(y, made.jump);
  // A rebound that is too low has no impulse of its own, unless friction depends on it.
  for (Touching& c : touching_)
    if (!c.stops) c.impulse = c.rests && !friction_.meets() ? 0 : std::max(made.multipliers[row_of(c)], 0.0);
  moved_ = true;
  return Outcome::settled;
}

std::vector<double> Contact::moved_by(const std::vector<double>& y, const Vector& jump) const {
  std::vector<double> out = y;
  const Vector change = rows_.assembled().scaling.from_scaled(jump);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    out[equations_.layout().speeds_at() + static_cast<std::size_t>(i)] += change[i];
  return out;
}

// With all that comes back, or, where that adds energy or there is no room for it (sides that touch and part, beside
// others that meet), the most of it that does not.
Contact::Outcome Contact::jump_within_energy(double t, const std::vector<double>& y, ConeSolution& made) {
  const auto fits = [&](Outcome o) { return o == Outcome::settled && !adds_energy(y, made.jump); };
  const Outcome first = jump_by_law(t, y, 1, ConeEffort::all, made);
  const bool impossible = first == Outcome::failed &&
                          (failure_.kind == Kind::friction_not_unique || failure_.kind == Kind::contact_impossible);
  if (first != Outcome::settled && !impossible) return first;
  if (!may_add_energy(y) || fits(first)) return first;
  double least = 0, most = 1;
  for (int k = 0; k < kImpactHalvings; ++k) {
    const double share = 0.5 * (least + most);
    (fits(jump_by_law(t, y, share, ConeEffort::first_stage, made)) ? least : most) = share;
  }
  lowered_ = true;
  if (impossible)
    least = least < kSlight ? 0 : (1 - kSlight) * least;  // within what counts as touching it would just fit
  return jump_by_law(t, y, least, ConeEffort::all, made);
}

// `share`: of all restitutions.
Contact::Outcome Contact::jump_by_law(double t, const std::vector<double>& y, double share, ConeEffort effort,
                                      ConeSolution& made) {
  const auto n = static_cast<Eigen::Index>(touching_.size());
  const bool stops_first = law_ == settings::Impact::poisson;
  Wanted wanted{Vector(n), Vector::Zero(n), Vector::Zero(equations_.layout().n_speeds)};
  for (Eigen::Index k = 0; k < n; ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    wanted.speeds[k] = c.speed;
    if (!stops_first) wanted.parts[k] = share * c.part;
  }
  const Friction::Rebound rebound{stops_first ? 0 : share, usual_restitution(), false};
  if (const Outcome o = jump(t, y, wanted, rebound, effort, made); o != Outcome::settled) return o;
  return stops_first ? give_back(t, y, share, effort, made) : Outcome::settled;
}

// The jump after which nothing closes, each side has the speed it should have, at least, and equations hold; those that
// come to rest are stopped whatever it takes, since their speeds are as good as none.
Contact::Outcome Contact::jump(double t, const std::vector<double>& y, const Wanted& wanted,
                               const Friction::Rebound& rebound, ConeEffort effort, ConeSolution& made) {
  Vector change = Vector::Zero(equations_.layout().n_rows);
  for (const std::uint32_t row : rows_.equations()) change[row] = -rows_.times(row, wanted.applied);
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const auto i = static_cast<Eigen::Index>(k);
    change[row_of(touching_[k])] = wanted.parts[i] - wanted.speeds[i];
  }
  const Vector speeds_before = rows_.assembled().scaling.to_scaled(speeds(y));
  ConeProblem problem = rows_.problem(change, rows_.size(speeds_before, change));
  for (const Touching& c : touching_) (c.rests ? problem.held : problem.unilateral).push_back(row_of(c));
  rows_.reconcile(problem);
  if (!friction_.meets()) {
    made = solve_cones(problem, Vector(), effort);
    return made.settled ? Outcome::settled : cannot_keep("velocities", made);
  }
  const ContactOutcome found = friction_.meet(t, y, problem, rebound, effort, made);
  if (found == Outcome::failed) failure_ = friction_.failure();
  return found;
}

// By Poisson's law, behind a jump that has stopped what met.
Contact::Outcome Contact::give_back(double t, const std::vector<double>& y, double share, ConeEffort effort,
                                    ConeSolution& made) {
  const Vector back = given_back(share, made);
  if (back.isZero(0)) return Outcome::settled;
  if (!is_shared_uniquely(share, made)) {
    const auto comes_back = [&](const Touching& c) { return back[row_of(c)] > 0; };
    const auto last = std::find_if(touching_.rbegin(), touching_.rend(), comes_back);
    if (friction_.wants_unique())
      return fail(Kind::impulses_not_unique, last->which, {printable(name(last->which))},
                  "give them one restitution, or take `impact = newton`; `reactions = smallest` takes the smallest "
                  "impulses");
    friction_.note_shared(name(last->which));
  }
  const auto n = static_cast<Eigen::Index>(touching_.size());
  Wanted wanted{Vector(n), Vector::Zero(n), Vector::Zero(made.jump.size())};
  for (const Touching& c : touching_) rows_.scaled().add_to(row_of(c), back[row_of(c)], wanted.applied.data());
  const Vector so_far = made.jump + wanted.applied;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    wanted.speeds[k] = c.speed + rows_.times(row_of(c), so_far);
  }
  const Vector taken = friction_.push(back);
  ConeSolution last;
  const Outcome o = jump(t, moved_by(y, so_far), wanted, {share, 0, true}, effort, last);
  friction_.push(taken);
  if (o != Outcome::settled) return o;
  made.jump = so_far + last.jump;
  made.multipliers += back + last.multipliers;
  return Outcome::settled;
}

// By row of the model.
Vector Contact::given_back(double share, const ConeSolution& stopped) const {
  Vector back = Vector::Zero(stopped.multipliers.size());
  for (const Touching& c : touching_)
    if (!c.rests && !c.kept) back[row_of(c)] = share * c.restitution * std::max(stopped.multipliers[row_of(c)], 0.0);
  return back;
}

// Returns whether every distribution of the impulses among dependent rows gives the same rebound. These rows are the
// equations and the contacts that neither part nor close after the jump that stops them.
bool Contact::is_shared_uniquely(double share, const ConeSolution& stopped) const {
  std::vector<std::uint32_t> rows = rows_.equations();
  Vector e = Vector::Zero(equations_.layout().n_rows);
  for (const Touching& c : touching_) {
    if (!(std::fabs(c.speed + rows_.times(row_of(c), stopped.jump)) <= c.at_rest)) continue;
    rows.push_back(row_of(c));
    e[row_of(c)] = c.rests || c.kept ? 0 : share * c.restitution;
  }
  if (rows.empty()) return true;
  const Eigen::MatrixXd normal = rows_.normal(rows);
  const SingularDecomposition found = singular_decomposition(normal);
  const auto m = normal.rows(), rank = (found.values.array() > kRankTolerance * found.values[0]).count();
  if (rank == m) return true;
  const Eigen::MatrixXd moved = normal.transpose() * (e(rows).asDiagonal() * found.U.rightCols(m - rank));
  const Eigen::MatrixXd basis = rows_.basis(rows_.equations());
  return (moved - basis * (basis.transpose() * moved)).norm() <= kShares;
}

// Returns the restitution of slips by Moreau's law.
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

// Something comes back, and none of the sides moves by itself or is moved by equations, which would do work in any
// case.
bool Contact::may_add_energy(const std::vector<double>& y) const {
  bool back = friction_.meets() && friction_.rebounds();
  const Vector driven = driven_speeds(y);
  std::vector<std::uint32_t> rows;
  for (const Touching& c : touching_) rows.push_back(row_of(c));
  const Eigen::MatrixXd A = rows_.assembled().rows_of(rows_.assembled().A, rows);
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
  if (rows_.equations().empty()) return {};
  const MassScaling& scaling = rows_.assembled().scaling;
  const Eigen::MatrixXd equations = rows_.normal(rows_.equations());
  const MinimumNorm made = minimum_norm_by_svd(equations, equations * scaling.to_scaled(speeds(y)), kRankTolerance);
  return made.rank > 0 ? scaling.from_scaled(made.x) : Vector();
}

// Kinetic energy, beyond rounding.
bool Contact::adds_energy(const std::vector<double>& y, const Vector& w) const {
  const Vector scaled = rows_.assembled().scaling.to_scaled(speeds(y));
  return w.dot(scaled) + 0.5 * w.squaredNorm() > kAdded * 0.5 * scaled.squaredNorm();
}

}  // namespace mbc::runtime
