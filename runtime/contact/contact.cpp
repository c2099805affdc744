// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/contact.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kTouch = 1e-11;    // of the size of the model: a gap that is none
constexpr double kRest = 1e-10;     // of its speeds, or accelerations: one at which sides do not part
constexpr double kLowest = 1e-12;   // of the size of the model: a rebound that is lower is none
constexpr double kViolated = 1e-8;  // of the size of the model: a gap that is missing
constexpr double kSpanned = 1e-10;  // of the largest singular value of the equations: one that is zero
constexpr double kAdded = 1e-13;    // of the kinetic energy: what rounding may add
constexpr int kHalvings = 60;       // of the factor that lowers restitutions

}  // namespace

Contact::Contact(Equations& equations, const ModelInfo& info, const ConstraintProjector& projector, Friction& friction)
    : equations_(equations),
      info_(info),
      list_(info.events.unilaterals),
      projector_(projector),
      friction_(friction),
      pushes_(equations.layout().n_rows),
      values_(info.events.n_values),
      dy_(equations.layout().n_y()) {
  for (const UnilateralInfo& u : list_) pushes_[u.row] = 1;
  for (const FrictionInfo& f : info.events.frictions)
    for (std::uint32_t k = 0; k < f.count; ++k) pushes_[f.row + k] = 1;
}

const std::string& Contact::name(std::uint32_t which) const { return info_.events.list[list_[which].touches].name; }

Contact::Outcome Contact::fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help) {
  failure_ = {kind, which, std::move(args), help};
  return Outcome::failed;
}

Contact::Outcome Contact::cannot_keep(const char* what, const LeastDistance& made) {
  const std::uint32_t which = touching_[static_cast<std::size_t>(std::max(made.worst, 0))].which;
  return fail(Kind::contact_impossible, which, {what, printable(name(which))},
              "let what is held give way, or part of the contacts begin later");
}

Eigen::Map<const Vector> Contact::speeds(const std::vector<double>& y) const {
  return {y.data() + equations_.layout().speeds_at(), equations_.layout().n_speeds};
}

Contact::Outcome Contact::settle(double t, std::vector<double>& y, const std::vector<char>& was_held,
                                 const std::vector<char>& met, bool pushed) {
  moved_ = lowered_ = failed_by_friction_ = false;
  pressing_ = {};
  if (equations_.beyond_dense()) {
    const std::size_t size = equations_.layout().n_rows + equations_.layout().n_speeds;
    return fail(Kind::contact_too_large, 0, {std::to_string(size)});
  }
  Outcome outcome = find_touching(t, y, was_held, met);
  for (Touching& c : touching_) c.kept = pushed && was_held[c.which] != 0;
  const std::vector<double> before = y;
  while (outcome == Outcome::settled && (!touching_.empty() || friction_.is_pushed())) {
    if (!assemble(t, y)) return Outcome::undefined;
    if (outcome = meet(t, y); outcome != Outcome::settled) break;
    if (moved_ && !assemble(t, y)) return Outcome::undefined;
    if (outcome = press(t, y); outcome != Outcome::settled || !bounces_too_low(t, y)) break;
    y = before;
    moved_ = lowered_ = false;
  }
  for (const UnilateralInfo& u : list_) held(u.active) = 0;
  for (const int k : pressing_.pressing) held(list_[touching_[static_cast<std::size_t>(k)].which].active) = 1;
  return outcome;
}

// Those whose sides touch, by their gap. They are switched on, to be looked at; the others are off.
Contact::Outcome Contact::find_touching(double t, const std::vector<double>& y, const std::vector<char>& was_held,
                                        const std::vector<char>& met) {
  touching_.clear();
  for (const UnilateralInfo& u : list_) held(u.active) = 1;
  if (!assemble(t, y)) return Outcome::undefined;
  equations_.residuals(t, y.data());
  equations_.outputs(t, y.data(), dy_.data());
  const double* first = equations_.output_values() + info_.events.first_value;
  std::copy(first, first + info_.events.n_values, values_.begin());
  for (std::uint32_t k = 0; k < list_.size(); ++k) {
    const UnilateralInfo& u = list_[k];
    const double norm = scaled_.row(u.row).norm();
    if (!std::isfinite(values_[u.gap]) || !std::isfinite(norm)) return Outcome::undefined;
    const bool allowed = !u.enabled || held(*u.enabled) != 0;
    if (!allowed) continue;
    if (const Outcome o = look_at(k, y, norm, was_held[k] != 0, met[k] != 0); o != Outcome::settled) return o;
  }
  for (const UnilateralInfo& u : list_) held(u.active) = 0;
  for (const Touching& c : touching_) held(list_[c.which].active) = 1;
  return Outcome::settled;
}

Contact::Outcome Contact::look_at(std::uint32_t which, const std::vector<double>& y, double row_norm, bool was_held,
                                  bool met) {
  const UnilateralInfo& u = list_[which];
  const bool position = info_.rows[u.row].level == RowLevel::position;
  const double gap = values_[u.gap], speed_size = row_norm * projector_.extent(false, y.data());
  const double gap_size = position ? row_norm * projector_.extent(true, y.data()) : speed_size;
  const double none = (position ? kTouch : kRest) * gap_size;
  if (!met && !was_held && gap > none) return Outcome::settled;
  if (position && gap < -kViolated * gap_size)
    return fail(Kind::unilateral_violated, which, {printable(name(which)), text::short_number(-gap, 3)},
                "begin where it holds, or let what moves it there be a force");
  const double e = position ? values_[u.restitution] : 0;
  if (!(e >= 0 && e <= 1))
    return fail(Kind::restitution_undefined, which, {printable(name(which)), text::short_number(e, 6)});
  Touching made;
  made.which = which;
  made.speed = equations_.velocity_residual()[u.row];
  made.at_rest = kRest * speed_size;
  made.restitution = e;
  made.gap_size = gap_size;
  touching_.push_back(made);
  return Outcome::settled;
}

// M, f, A, b at the state at hand, and of A what the equations leave of the rows that touch.
bool Contact::assemble(double t, const std::vector<double>& y) {
  if (equations_.assemble(t, y.data(), assembled_, false) != 0) return false;
  scaled_ = assembled_.scaling.scale_rows(assembled_.A);
  take_rows();
  return true;
}

void Contact::take_rows() {
  std::vector<Eigen::Index> of_equations;
  for (Eigen::Index i = 0; i < scaled_.rows(); ++i)
    if (pushes_[static_cast<std::size_t>(i)] == 0 && scaled_.row(i).norm() > 0) of_equations.push_back(i);
  const auto n = static_cast<Eigen::Index>(of_equations.size()), m = static_cast<Eigen::Index>(touching_.size());
  equations_of_model_.resize(n, scaled_.cols());
  wanted_.resize(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    const Eigen::Index i = of_equations[static_cast<std::size_t>(k)];
    const double norm = scaled_.row(i).norm();
    equations_of_model_.row(k) = scaled_.row(i) / norm;
    wanted_[k] = assembled_.b[i] / norm;
  }
  rows_.resize(m, scaled_.cols());
  for (Eigen::Index k = 0; k < m; ++k)
    rows_.row(k) = scaled_.row(list_[touching_[static_cast<std::size_t>(k)].which].row);
  free_ = rows_;
  if (n == 0 || m == 0) return;
  const RightSingular made = thin_right_singular(equations_of_model_);
  const auto rank = (made.values.array() > kSpanned * made.values[0]).count();
  const Eigen::MatrixXd basis = made.V.leftCols(rank);
  free_ -= (rows_ * basis) * basis.transpose();
}

// The impact, where sides meet.
Contact::Outcome Contact::meet(double t, std::vector<double>& y) {
  bool any = friction_.is_pushed();
  for (Touching& c : touching_) {
    const bool closes = c.speed < -c.at_rest;
    any = any || closes || c.rests;
    c.part = closes && !c.rests && !c.kept ? -c.restitution * c.speed : 0;
    c.impulse = 0;
  }
  if (!any) return Outcome::settled;
  LeastDistance made;
  if (const Outcome o = leap(t, y, 1, made); o != Outcome::settled) return o;
  if (may_add_energy(y) && !(friction_.meets() && friction_.is_driven()) && adds_energy(y, made.w)) {
    double least = 0, most = 1;
    for (int k = 0; k < kHalvings; ++k) {
      const double share = 0.5 * (least + most);
      if (const Outcome o = leap(t, y, share, made); o != Outcome::settled) return o;
      (adds_energy(y, made.w) ? most : least) = share;
    }
    if (const Outcome o = leap(t, y, least, made); o != Outcome::settled) return o;
    lowered_ = true;
  }
  const Vector change = assembled_.scaling.from_scaled(made.w);
  for (Eigen::Index i = 0; i < change.size(); ++i)
    y[equations_.layout().speeds_at() + static_cast<std::size_t>(i)] += change[i];
  for (std::size_t k = 0; k < touching_.size(); ++k) touching_[k].impulse = made.pressure[static_cast<Eigen::Index>(k)];
  moved_ = true;
  return Outcome::settled;
}

Contact::Outcome Contact::leap(double t, const std::vector<double>& y, double share, LeastDistance& made) {
  if (friction_.meets()) return rubbing_jump(t, y, share, made);
  return jump(share, made) ? Outcome::settled : cannot_keep("velocities", made);
}

// The same with the impulses of friction.
Contact::Outcome Contact::rubbing_jump(double t, const std::vector<double>& y, double share, LeastDistance& made) {
  const Vector first = to_rest(), change = assembled_.scaling.from_scaled(first);
  std::vector<double> at = y;
  for (Eigen::Index i = 0; i < change.size(); ++i)
    at[equations_.layout().speeds_at() + static_cast<std::size_t>(i)] += change[i];
  std::vector<Friction::Resting> touching;
  std::vector<double> wanted;
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    const Touching& c = touching_[k];
    touching.push_back({c.which, c.speed < -c.at_rest, false});
    wanted.push_back(c.rests ? 0 : share * c.part - c.speed - free_.row(static_cast<Eigen::Index>(k)).dot(first));
  }
  const Friction::Outcome found = friction_.meet(t, at, touching, wanted, made.w);
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
Eigen::VectorXd Contact::to_rest() const {
  std::vector<Eigen::Index> resting;
  Vector wanted(static_cast<Eigen::Index>(touching_.size()));
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    wanted[static_cast<Eigen::Index>(k)] = -touching_[k].speed;
    if (touching_[k].rests) resting.push_back(static_cast<Eigen::Index>(k));
  }
  if (resting.empty()) return Vector::Zero(free_.cols());
  const MinimumNorm made = minimum_norm_by_svd(free_(resting, Eigen::all), wanted(resting), kSpanned);
  return made.rank > 0 ? made.x : Vector(Vector::Zero(free_.cols()));
}

// The least jump after which nothing closes and what has met parts; `share`: of the speeds it should part with.
bool Contact::jump(double share, LeastDistance& made) {
  const auto n = static_cast<Eigen::Index>(touching_.size());
  const Vector first = to_rest();
  Vector wanted(n), tolerance(n);
  std::vector<Eigen::Index> resting;
  for (Eigen::Index k = 0; k < n; ++k) {
    const Touching& c = touching_[static_cast<std::size_t>(k)];
    wanted[k] = share * c.part - c.speed;
    tolerance[k] = c.at_rest;
    if (c.rests) resting.push_back(k);
  }
  Eigen::MatrixXd rows = free_;
  if (!resting.empty()) {
    const RightSingular spanned = thin_right_singular(Eigen::MatrixXd(rows(resting, Eigen::all)));
    const auto rank = (spanned.values.array() > kSpanned * spanned.values[0]).count();
    const Eigen::MatrixXd basis = spanned.V.leftCols(rank);
    rows -= (rows * basis) * basis.transpose();
    wanted -= free_ * first;
    for (const Eigen::Index k : resting) wanted[k] = 0;
  }
  made = least_distance(rows, wanted, tolerance);
  made.w += first;
  return made.outcome == LeastDistance::Outcome::found;
}

// Some of the sides part, and none moves by itself, which would do work in any case.
bool Contact::may_add_energy(const std::vector<double>& y) const {
  bool parts = false;
  for (const Touching& c : touching_) {
    const double by_itself = c.speed - assembled_.A.row(list_[c.which].row).dot(speeds(y));
    if (std::fabs(by_itself) > c.at_rest) return false;
    parts = parts || c.part > 0;
  }
  return parts;
}

// Kinetic energy, beyond rounding.
bool Contact::adds_energy(const std::vector<double>& y, const Vector& w) const {
  const Vector scaled = assembled_.scaling.to_scaled(speeds(y));
  return w.dot(scaled) + 0.5 * w.squaredNorm() > kAdded * 0.5 * scaled.squaredNorm();
}

// Which rows press on the accelerations, of those whose sides do not part.
Contact::Outcome Contact::press(double t, const std::vector<double>& y) {
  equations_.residuals(t, y.data());
  acceleration_ = assembled_.scaling.to_scaled(assembled_.free_acceleration());
  if (wanted_.size() > 0) {
    const Vector missing = wanted_ - equations_of_model_ * acceleration_;
    acceleration_ += minimum_norm_by_svd(equations_of_model_, missing, kSpanned).x;
  }
  const double size = acceleration_.norm();
  const auto n = static_cast<Eigen::Index>(touching_.size());
  Eigen::MatrixXd resting = free_;
  Vector wanted(n), tolerance(n);
  for (Eigen::Index k = 0; k < n; ++k) {
    Touching& c = touching_[static_cast<std::size_t>(k)];
    const std::uint32_t row = list_[c.which].row;
    const bool parts = equations_.velocity_residual()[row] > c.at_rest;
    c.parts = parts;
    if (parts) resting.row(k).setZero();
    wanted[k] = parts ? 0 : assembled_.b[row] - rows_.row(k).dot(acceleration_);
    tolerance[k] = kRest * (rows_.row(k).norm() * size + std::fabs(assembled_.b[row]));
    if (!(tolerance[k] > 0)) tolerance[k] = 1;
    const double free = free_.row(k).norm();
    c.push_size = free > 0 ? size / free : 0;
  }
  pressing_ = least_distance(resting, wanted, tolerance);
  if (pressing_.outcome != LeastDistance::Outcome::found) {
    const LeastDistance made = std::exchange(pressing_, {});
    return cannot_keep("accelerations", made);
  }
  acceleration_ += pressing_.w;
  return Outcome::settled;
}

// Those that part, but would come back from less than positions are known to.
bool Contact::bounces_too_low(double t, const std::vector<double>& y) {
  bool any = false;
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    Touching& c = touching_[k];
    if (c.rests) continue;
    const UnilateralInfo& u = list_[c.which];
    const auto row = rows_.row(static_cast<Eigen::Index>(k));
    const double parts = equations_.velocity_residual()[u.row], rate = row.dot(acceleration_) - assembled_.b[u.row];
    if (!(parts > c.at_rest) || !(rate < 0)) continue;
    if (parts * parts > -2 * rate * kLowest * row.norm() * projector_.extent(true, y.data())) continue;
    if (c.part > 0 && c.restitution < 1) c.accumulates = t - 2 * parts / (rate * (1 - c.restitution));
    c.rests = any = true;
  }
  return any;
}

}  // namespace mbc::runtime
