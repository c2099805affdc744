// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/contact_instant.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"
#include "runtime/rows/decompositions.h"
#include "runtime/simulation/data/run_failure.h"

namespace mbc::runtime {

namespace {

using Side = EventWatch::Side;
using Vector = Eigen::VectorXd;

constexpr double kTouch = 1e-11;      // of the size of the model: a gap that is none
constexpr double kRest = 1e-10;       // of its speeds, or accelerations: one at which sides do not part
constexpr double kLowest = 1e-12;     // of the size of the model: a rebound that is lower is none
constexpr double kViolated = 1e-8;    // of the size of the model: a gap that is missing
constexpr double kDependent = 1e-10;  // of the largest singular value of the equations
constexpr double kAdded = 1e-13;      // of the kinetic energy: what rounding may add
constexpr int kHalvings = 60;         // of the factor that lowers restitutions

}  // namespace

ContactInstant::ContactInstant(RunParts& run, EventWatch& watch, std::function<bool(double t)> certify_again)
    : run_(run),
      events_(run.info.events),
      list_(events_.unilaterals),
      watch_(watch),
      certify_again_(std::move(certify_again)),
      values_(events_.n_values),
      dy_(run.layout.n_y()),
      was_held_(list_.size()) {}

bool ContactInstant::fail(Kind kind, std::uint32_t which, std::vector<std::string> args, double t, const char* help) {
  Diagnostic d;
  d.kind = kind;
  d.args = std::move(args);
  const RowInfo& row = run_.info.rows[list_[which].row];
  point_at(d, run_.info, row.name.text(), row.span);
  d.time = t;
  d.help = help;
  return run_.end(RunStatus::stopped, std::move(d));
}

bool ContactInstant::settle(double t, const std::vector<std::uint32_t>& fired) {
  changed_ = moved_ = false;
  if (run_.equations.beyond_dense()) {
    const std::size_t size = run_.layout.n_rows + run_.layout.n_speeds;
    return fail(Kind::contact_too_large, 0, {std::to_string(size)}, t);
  }
  for (std::size_t k = 0; k < list_.size(); ++k) was_held_[k] = held(list_[k].active) != 0;
  if (!find_touching(t, fired)) return false;
  if (touching_.empty() && std::find(was_held_.begin(), was_held_.end(), 1) == was_held_.end()) return true;
  const std::vector<double> before = run_.integrated.y();
  LeastDistance made;
  for (;;) {
    if (!assemble(t) || !meet(t)) return false;
    Vector acceleration;
    if ((moved_ && !assemble(t)) || !press(t, made, acceleration)) return false;
    if (!bounces_too_low(t, acceleration)) break;
    run_.integrated.y() = before;
    moved_ = false;
  }
  note_impacts(t, fired);
  return hold(t, made);
}

// A displacement of the size that positions are known to, along a row.
double ContactInstant::gap_known(double row_norm) const {
  return row_norm * run_.projector.extent(true, run_.integrated.y().data());
}

// Those whose sides touch, by their gap; switched on, as they are to be looked at. The others are off.
bool ContactInstant::find_touching(double t, const std::vector<std::uint32_t>& fired) {
  std::vector<double>& y = run_.integrated.y();
  for (const UnilateralInfo& u : list_) held(u.active) = 1;
  if (!assemble(t)) return false;
  run_.equations.residuals(t, y.data());
  run_.equations.outputs(t, y.data(), dy_.data());
  const double* first = run_.equations.output_values() + events_.first_value;
  std::copy(first, first + events_.n_values, values_.begin());
  const Eigen::MatrixXd rows = assembled_.scaling.scale_rows(assembled_.A);
  touching_.clear();
  for (std::uint32_t k = 0; k < list_.size(); ++k) {
    const UnilateralInfo& u = list_[k];
    const bool allowed = !u.enabled || held(*u.enabled) != 0;
    const bool position = run_.info.rows[u.row].level == RowLevel::position;
    const double gap = values_[u.gap], norm = rows.row(u.row).norm();
    if (!std::isfinite(gap) || !std::isfinite(norm)) return run_.undefined(t);
    const bool met = std::find(fired.begin(), fired.end(), u.touches) != fired.end();
    const double speeds = norm * run_.projector.extent(false, y.data());
    const double none = position ? kTouch * gap_known(norm) : kRest * speeds;
    const bool touches = allowed && (met || was_held_[k] != 0 || gap <= none);
    held(u.active) = touches ? 1 : 0;
    if (!touches) continue;
    if (position && gap < -kViolated * gap_known(norm))
      return fail(Kind::unilateral_violated, k, {printable(run_.info.rows[u.row].name), text::short_number(-gap, 3)}, t,
                  "begin where it holds, or let what moves it there be a force");
    const double e = position ? values_[u.restitution] : 0;
    if (!(e >= 0 && e <= 1))
      return fail(Kind::restitution_undefined, k, {printable(run_.info.rows[u.row].name), text::short_number(e, 6)}, t);
    Touching made;
    made.which = k;
    made.speed = run_.equations.velocity_residual()[u.row];
    made.at_rest = kRest * speeds;
    made.restitution = e;
    touching_.push_back(made);
    watch_.expect(u.touches, position ? gap_known(norm) : speeds);
  }
  return true;
}

// M, f, A, b at the state at hand, and of A what the equations leave of the rows that touch.
bool ContactInstant::assemble(double t) {
  if (run_.equations.assemble(t, run_.integrated.y().data(), assembled_, false) != 0) return run_.undefined(t);
  take_rows();
  return true;
}

void ContactInstant::take_rows() {
  const Eigen::MatrixXd rows = assembled_.scaling.scale_rows(assembled_.A);
  std::vector<char> pushes(run_.layout.n_rows);
  for (const UnilateralInfo& u : list_) pushes[u.row] = 1;
  Eigen::MatrixXd equations(rows.rows(), rows.cols());
  Eigen::Index n = 0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double norm = rows.row(i).norm();
    if (pushes[static_cast<std::size_t>(i)] == 0 && norm > 0) equations.row(n++) = rows.row(i) / norm;
  }
  rows_.basis.resize(rows.cols(), 0);
  if (n > 0) {
    const RightSingular made = thin_right_singular(equations.topRows(n));
    const auto rank = (made.values.array() > kDependent * made.values[0]).count();
    rows_.basis = made.V.leftCols(rank);
  }
  rows_.rows.resize(static_cast<Eigen::Index>(touching_.size()), rows.cols());
  for (std::size_t k = 0; k < touching_.size(); ++k)
    rows_.rows.row(static_cast<Eigen::Index>(k)) = rows.row(list_[touching_[k].which].row);
  rows_.free = rows_.rows - (rows_.rows * rows_.basis) * rows_.basis.transpose();
}

// The impact, where sides meet.
bool ContactInstant::meet(double t) {
  bool any = false;
  for (Touching& c : touching_) {
    const bool closes = c.speed < -c.at_rest;
    any = any || closes;
    c.part = closes && !c.rests ? -c.restitution * c.speed : 0;
    c.impulse = 0;
  }
  if (!any) return true;
  LeastDistance made;
  if (!jump(t, 1, made)) return false;
  if (may_add_energy() && energy_added(made.w) > 0) {
    double least = 0, most = 1;
    for (int k = 0; k < kHalvings; ++k) {
      const double share = 0.5 * (least + most);
      if (!jump(t, share, made)) return false;
      (energy_added(made.w) > 0 ? most : least) = share;
    }
    if (!jump(t, least, made)) return false;
    ++run_.data.lowered_restitutions;
  }
  const Vector change = assembled_.scaling.from_scaled(made.w);
  std::vector<double>& y = run_.integrated.y();
  for (Eigen::Index i = 0; i < change.size(); ++i)
    y[run_.layout.speeds_at() + static_cast<std::size_t>(i)] += change[i];
  for (std::size_t k = 0; k < touching_.size(); ++k) touching_[k].impulse = made.pressure[static_cast<Eigen::Index>(k)];
  moved_ = true;
  return true;
}

// The least jump after which nothing closes and what has met parts; `share`: of the speeds it should part with.
bool ContactInstant::jump(double t, double share, LeastDistance& made) {
  const auto n = static_cast<Eigen::Index>(touching_.size());
  Vector wanted(n), tolerance(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    wanted[k] = share * c.part - c.speed;
    tolerance[k] = c.at_rest;
  }
  made = least_distance(rows_.free, wanted, tolerance);
  if (made.outcome == LeastDistance::Outcome::found) return true;
  const std::uint32_t which = touching_[static_cast<std::size_t>(std::max(made.worst, 0))].which;
  return fail(Kind::contact_impossible, which, {"velocities", printable(run_.info.rows[list_[which].row].name)}, t,
              "let what is held give way, or part of the contacts begin later");
}

// Restitutions that differ can do so; sides that move by themselves do work in any case.
bool ContactInstant::may_add_energy() const {
  const std::vector<double>& y = run_.integrated.y();
  const Eigen::Map<const Vector> u(y.data() + run_.layout.speeds_at(), run_.layout.n_speeds);
  double first = -1;
  bool differ = false;
  for (const Touching& c : touching_) {
    const double moving = c.speed - assembled_.A.row(list_[c.which].row).dot(u);
    if (std::fabs(moving) > c.at_rest) return false;
    if (c.part == 0) continue;
    differ = differ || (first >= 0 && c.restitution != first);
    first = c.restitution;
  }
  return differ || first >= 0;
}

// Of the kinetic energy, in its parts beyond rounding; 0: none.
double ContactInstant::energy_added(const Vector& w) const {
  const std::vector<double>& y = run_.integrated.y();
  const Eigen::Map<const Vector> u(y.data() + run_.layout.speeds_at(), run_.layout.n_speeds);
  const Vector scaled = assembled_.scaling.to_scaled(u);
  const double before = 0.5 * scaled.squaredNorm(), added = w.dot(scaled) + 0.5 * w.squaredNorm();
  return added > kAdded * before ? added : 0;
}

// Which rows press on the accelerations, of those whose sides do not part. acceleration: scaled, of all speeds.
bool ContactInstant::press(double t, LeastDistance& made, Vector& acceleration) {
  const std::vector<double>& y = run_.integrated.y();
  run_.equations.residuals(t, y.data());
  const auto n = static_cast<Eigen::Index>(touching_.size());
  acceleration = assembled_.scaling.to_scaled(assembled_.free_acceleration());
  const double size = acceleration.norm();
  std::vector<char> pushes(run_.layout.n_rows);
  for (const UnilateralInfo& u : list_) pushes[u.row] = 1;
  const Eigen::MatrixXd rows = assembled_.scaling.scale_rows(assembled_.A);
  Eigen::MatrixXd equations(rows.rows(), rows.cols());
  Vector b(rows.rows());
  Eigen::Index m = 0;
  for (Eigen::Index i = 0; i < rows.rows(); ++i) {
    const double norm = rows.row(i).norm();
    if (pushes[static_cast<std::size_t>(i)] != 0 || norm == 0) continue;
    equations.row(m) = rows.row(i) / norm;
    b[m++] = (assembled_.b[i] - rows.row(i).dot(acceleration)) / norm;
  }
  if (m > 0) acceleration += minimum_norm_by_svd(equations.topRows(m), b.head(m), kDependent).x;
  Eigen::MatrixXd resting(n, rows.cols());
  Vector wanted(n), tolerance(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    const std::uint32_t row = list_[c.which].row;
    const bool parts = run_.equations.velocity_residual()[row] > c.at_rest;
    resting.row(k) = parts ? Eigen::RowVectorXd::Zero(rows.cols()).eval() : Eigen::RowVectorXd(rows_.free.row(k));
    wanted[k] = parts ? 0 : assembled_.b[row] - rows.row(row).dot(acceleration);
    tolerance[k] = kRest * (rows.row(row).norm() * std::max(size, acceleration.norm()) + std::fabs(assembled_.b[row]));
    if (!(tolerance[k] > 0)) tolerance[k] = 1;
    if (const double free = rows_.free.row(k).norm(); free > 0)
      watch_.expect(list_[c.which].leaves, std::max(size, acceleration.norm()) / free);
  }
  made = least_distance(resting, wanted, tolerance);
  if (made.outcome != LeastDistance::Outcome::found) {
    const std::uint32_t which = touching_[static_cast<std::size_t>(std::max(made.worst, 0))].which;
    return fail(Kind::contact_impossible, which, {"accelerations", printable(run_.info.rows[list_[which].row].name)}, t,
                "let what is held give way, or part of the contacts begin later");
  }
  acceleration += made.w;
  return true;
}

// Those that have met and part again, but would come back from less than positions are known to.
bool ContactInstant::bounces_too_low(double t, const Vector& acceleration) {
  bool any = false;
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    Touching& c = touching_[k];
    if (c.rests || !(c.part > 0)) continue;
    const UnilateralInfo& u = list_[c.which];
    const double parts = run_.equations.velocity_residual()[u.row];
    const double rate = rows_.rows.row(static_cast<Eigen::Index>(k)).dot(acceleration) - assembled_.b[u.row];
    if (!(parts > c.at_rest) || !(rate < 0)) continue;
    const double norm = rows_.rows.row(static_cast<Eigen::Index>(k)).norm();
    if (parts * parts > -2 * rate * kLowest * gap_known(norm)) continue;
    c.rests = any = true;
    run_.data.accumulations.push_back(
        {run_.info.rows[u.row].name.text(), t - 2 * parts / (rate * (1 - c.restitution))});
  }
  return any;
}

void ContactInstant::note_impacts(double t, const std::vector<std::uint32_t>& fired) {
  for (const Touching& c : touching_) {
    const UnilateralInfo& u = list_[c.which];
    if (c.impulse > 0) held(u.impulse) = c.impulse;
    const bool met = std::find(fired.begin(), fired.end(), u.touches) != fired.end();
    if (!(c.impulse > 0) || met) continue;  // those that have fired are counted there
    held(events_.list[u.touches].count) += 1;
    held(events_.list[u.touches].time) = t;
  }
}

// The rows that press are equations from here on.
bool ContactInstant::hold(double t, const LeastDistance& made) {
  for (const UnilateralInfo& u : list_) held(u.active) = 0;
  for (const int k : made.pressing) held(list_[touching_[static_cast<std::size_t>(k)].which].active) = 1;
  bool switched = false;
  for (std::size_t k = 0; k < list_.size(); ++k)
    switched = switched || (held(list_[k].active) != 0) != (was_held_[k] != 0);
  changed_ = switched || moved_;
  if (!changed_) return true;
  if (switched && !certify_again_(t)) return false;
  std::vector<double>& y = run_.integrated.y();
  if (run_.layout.n_rows == 0) return true;
  const CorrectionReport done =
      run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  if (done.converged) return true;
  const auto row = static_cast<std::size_t>(std::max(done.worst_row, 0));
  return fail(Kind::contact_impossible, 0, {"velocities", printable(run_.info.rows[row].name)}, t);
}

void ContactInstant::note_sides(const std::vector<double>& values) {
  for (const UnilateralInfo& u : list_) {
    const bool is_held = held(u.active) != 0, allowed = !u.enabled || held(*u.enabled) != 0;
    watch_.set_idle(u.touches, is_held || !allowed);
    watch_.set_idle(u.leaves, !is_held);
    for (const std::uint32_t event : {u.touches, u.leaves}) {
      const double value = values[events_.list[event].value];
      const bool clear = value > 0 && !watch_.at_zero(event, value);
      watch_.set(event, clear ? Side::above : Side::open);
    }
  }
}

}  // namespace mbc::runtime
