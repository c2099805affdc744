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

constexpr double kTouch = 1e-11;        // of the size of the model: a gap that is none
constexpr double kContactRest = 1e-10;  // of its speeds, or accelerations: one at which sides do not part
constexpr double kViolated = 1e-8;      // of the size of the model: a gap that is missing
constexpr double kSpanned = 1e-10;      // of the largest singular value of the equations: one that is zero

}  // namespace

Contact::Contact(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector,
                 Friction& friction, settings::Impact law, const double& lowest_rebound)
    : equations_(equations),
      info_(info),
      list_(info.events.unilaterals),
      projector_(projector),
      friction_(friction),
      law_(law),
      lowest_rebound_(lowest_rebound),
      pushes_(equations.layout().n_rows),
      values_(info.events.n_values),
      dy_(equations.layout().n_y()) {
  for (const problem::Unilateral& u : list_) pushes_[u.row] = 1;
  for (const problem::Friction& f : info.events.frictions)
    for (std::uint32_t k = 0; k < f.count; ++k) pushes_[f.row + k] = 1;
}

std::string Contact::name(std::uint32_t which) const { return info_.events.list[list_[which].touches].name; }

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

Contact::Outcome Contact::settle(double t, std::vector<double>& y, const Before& came) {
  moved_ = lowered_ = failed_by_friction_ = false;
  pressing_ = {};
  if (equations_.beyond_dense()) {
    const std::size_t size = equations_.layout().n_rows + equations_.layout().n_speeds;
    return fail(Kind::contact_too_large, 0, {std::to_string(size)});
  }
  Outcome outcome = find_touching(t, y, came);
  if (outcome == Outcome::undefined) return outcome;  // with the rows on that show why
  for (Touching& c : touching_) c.kept = came.pushed && came.was_held[c.which] != 0;
  const std::vector<double> before = y;
  while (outcome == Outcome::settled && (!touching_.empty() || friction_.is_pushed())) {
    if (!assemble(t, y)) return Outcome::undefined;
    if (outcome = meet(t, y); outcome != Outcome::settled) break;
    if (moved_ && !assemble(t, y)) return Outcome::undefined;
    if (outcome = press(t, y, came.was_held); outcome != Outcome::settled || !bounces_too_low(t, y)) break;
    y = before;
    moved_ = lowered_ = false;
  }
  for (const problem::Unilateral& u : list_) discrete().set_active(u, false);
  for (const int k : pressing_.pressing)
    discrete().set_active(list_[touching_[static_cast<std::size_t>(k)].which], true);
  return outcome;
}

// Those whose sides touch, by their gap. They are switched on, to be looked at; the others are off.
Contact::Outcome Contact::find_touching(double t, const std::vector<double>& y, const Before& before) {
  touching_.clear();
  for (const problem::Unilateral& u : list_) discrete().set_active(u, true);
  if (!assemble(t, y) && !(leave_out_undefined(before) && assemble(t, y))) return Outcome::undefined;
  equations_.residuals(t, y.data());
  equations_.outputs(t, y.data(), dy_.data());
  const double* first = equations_.output_values() + info_.events.first_value;
  std::copy(first, first + info_.events.n_values, values_.begin());
  const auto places = projector_.extents(true, y.data()), speeds = projector_.extents(false, y.data());
  const Vector norms = norms_of_sides();
  for (std::uint32_t k = 0; k < list_.size(); ++k) {
    const problem::Unilateral& u = list_[k];
    const double norm = norms[static_cast<Eigen::Index>(k)];
    if (!std::isfinite(values_[u.gap]) || !std::isfinite(norm)) {
      discrete().set_active(u, true);  // so that it is seen what is undefined
      return Outcome::undefined;
    }
    const bool allowed = discrete().is_enabled(u);
    if (!allowed) continue;
    const Extent extent{norm * places[u.row], norm * speeds[u.row]};
    if (const Outcome o = look_at(k, extent, before); o != Outcome::settled) return o;
  }
  for (const problem::Unilateral& u : list_) discrete().set_active(u, false);
  for (const Touching& c : touching_) discrete().set_active(list_[c.which], true);
  return Outcome::settled;
}

// Rows without derivatives (a distance of zero has no direction) are switched off, but for those that are needed in any
// case; look_at() accepts them where the sides are apart. False: there are none.
bool Contact::leave_out_undefined(const Before& before) {
  bool any = false;
  for (std::uint32_t k = 0; k < list_.size(); ++k) {
    const problem::Unilateral& u = list_[k];
    if ((assembled_.A.row(u.row).allFinite() && std::isfinite(assembled_.b[u.row])) || before.was_held[k] != 0 ||
        before.met[k] != 0)
      continue;
    discrete().set_active(u, false);
    any = true;
  }
  return any;
}

Contact::Outcome Contact::look_at(std::uint32_t which, Extent extent, const Before& before) {
  const problem::Unilateral& u = list_[which];
  const bool position = info_.rows[u.row].level == problem::Level::position;
  const double gap = values_[u.gap];
  if (!discrete().is_active(u) && gap > 0) return Outcome::settled;
  if (!discrete().is_active(u)) {
    discrete().set_active(u, true);  // so that it is seen what is undefined
    return Outcome::undefined;
  }
  const double speed_size = extent.speed, gap_size = position ? extent.place : speed_size;
  const bool was_held = before.was_held[which] != 0;
  const double none = (position ? (was_held ? kViolated : kTouch) : kContactRest) * gap_size;
  const bool together = before.met[which] != 0 || (was_held && !before.displaced);
  if (!together && gap > none) return Outcome::settled;
  const double missing = before.begins ? kViolated : std::max(kViolated, lowest_rebound_);
  if (position && gap < -missing * gap_size)
    return fail(Kind::unilateral_violated, which, {printable(name(which)), text::short_number(-gap, 3)},
                "begin where it holds, or let what moves it there be a force");
  const double e = position ? values_[u.restitution] : 0;
  if (!(e >= 0 && e <= 1))
    return fail(Kind::restitution_undefined, which, {printable(name(which)), text::short_number(e, 6)});
  Touching made;
  made.which = which;
  made.speed = equations_.velocity_residual()[u.row];
  made.at_rest = kContactRest * speed_size;
  made.restitution = e;
  made.gap_size = gap_size;
  touching_.push_back(made);
  return Outcome::settled;
}

// M, f, A, b at the state at hand, and of A what the equations leave of the rows that touch.
bool Contact::assemble(double t, const std::vector<double>& y) {
  if (equations_.assemble(t, y.data(), assembled_, false) != 0) return false;
  take_rows();
  return true;
}

// Of A L^-T, by row of the list, as they are assembled. There may be very many that do not touch.
Vector Contact::norms_of_sides() const {
  const kernel::SystemLayout& l = equations_.layout();
  std::vector<Eigen::Index> rows;
  for (const problem::Unilateral& u : list_) rows.push_back(u.row);
  if (!l.diagonal_mass() || !l.inertia_rows.empty()) return scaled(rows).rowwise().norm();
  Vector norms(static_cast<Eigen::Index>(rows.size()));
  for (Eigen::Index k = 0; k < norms.size(); ++k) {
    const std::uint32_t row = list_[static_cast<std::size_t>(k)].row;
    double square = 0;
    for (std::uint32_t e = l.row_ptr[row]; e < l.row_ptr[row + 1]; ++e)
      square += std::pow(assembled_.A(row, l.column[e]), 2) / assembled_.M(l.column[e], l.column[e]);
    norms[k] = std::sqrt(square);
  }
  return norms;
}

Eigen::MatrixXd Contact::scaled(const std::vector<Eigen::Index>& rows) const {
  return assembled_.scaling.scale_rows(assembled_.rows_of(assembled_.A, rows));
}

void Contact::take_rows() {
  std::vector<Eigen::Index> candidates, touching;
  for (std::size_t i = 0; i < pushes_.size(); ++i)
    if (pushes_[i] == 0) candidates.push_back(static_cast<Eigen::Index>(i));
  for (const Touching& c : touching_) touching.push_back(list_[c.which].row);
  const Eigen::MatrixXd scaled_equations = scaled(candidates);
  const Vector norms = scaled_equations.rowwise().norm();
  rows_of_equations_.clear();
  std::vector<Eigen::Index> filled;
  for (std::size_t k = 0; k < candidates.size(); ++k)
    if (norms[static_cast<Eigen::Index>(k)] > 0) {
      filled.push_back(static_cast<Eigen::Index>(k));
      rows_of_equations_.push_back(candidates[k]);
    }
  norms_ = norms(filled);
  equations_of_model_ = norms_.cwiseInverse().asDiagonal() * scaled_equations(filled, Eigen::all);
  wanted_ = assembled_.b(rows_of_equations_).cwiseQuotient(norms_);
  rows_ = free_ = scaled(touching);
  if (rows_of_equations_.empty() || touching.empty()) return;
  const RightSingular made = thin_right_singular(equations_of_model_);
  const auto rank = (made.values.array() > kSpanned * made.values[0]).count();
  const Eigen::MatrixXd basis = made.V.leftCols(rank);
  free_ -= (rows_ * basis) * basis.transpose();
}

// Which rows press on the accelerations, of those whose sides do not part.
Contact::Outcome Contact::press(double t, const std::vector<double>& y, const std::vector<char>& was_held) {
  equations_.residuals(t, y.data());
  acceleration_ = assembled_.scaling.to_scaled(assembled_.free_acceleration());
  if (wanted_.size() > 0) {
    const Vector missing = wanted_ - equations_of_model_ * acceleration_;
    acceleration_ += minimum_norm_by_svd(equations_of_model_, missing, kSpanned).x;
  }
  const Vector sizes = norms_of_parts(acceleration_);
  const auto n = static_cast<Eigen::Index>(touching_.size());
  Eigen::MatrixXd resting = free_;
  Vector wanted(n), tolerance(n);
  std::vector<int> likely;
  for (Eigen::Index k = 0; k < n; ++k) {
    Touching& c = touching_[static_cast<std::size_t>(k)];
    const std::uint32_t row = list_[c.which].row;
    const double size = sizes[projector_.size().part_of_row[row]];
    const bool parts = equations_.velocity_residual()[row] > c.at_rest;
    c.parts = parts;
    if (parts)
      resting.row(k).setZero();
    else if (was_held[c.which] != 0)
      likely.push_back(static_cast<int>(k));
    wanted[k] = parts ? 0 : assembled_.b[row] - rows_.row(k).dot(acceleration_);
    tolerance[k] = kContactRest * (rows_.row(k).norm() * size + std::fabs(assembled_.b[row]));
    if (!(tolerance[k] > 0)) tolerance[k] = 1;
    const double free = free_.row(k).norm();
    c.push_size = free > 0 ? size / free : 0;
  }
  pressing_ = least_distance(resting, wanted, tolerance, likely);
  if (pressing_.outcome != LeastDistance::Outcome::found) {
    const LeastDistance made = std::exchange(pressing_, {});
    return cannot_keep("accelerations", made);
  }
  acceleration_ += pressing_.w;
  return Outcome::settled;
}

// Of the parts of the model, mass-weighted.
Eigen::VectorXd Contact::norms_of_parts(const Eigen::VectorXd& scaled) const {
  const ModelSize& model = projector_.size();
  Vector squares = Vector::Zero(static_cast<Eigen::Index>(model.part_speed.size()));
  for (std::size_t j = 0; j < model.part_of_speed.size(); ++j)
    squares[model.part_of_speed[j]] += scaled[static_cast<Eigen::Index>(j)] * scaled[static_cast<Eigen::Index>(j)];
  return squares.cwiseSqrt();
}

// Those that part, but would come back from less than positions are known to.
bool Contact::bounces_too_low(double t, const std::vector<double>& y) {
  bool any = false;
  const auto places = projector_.extents(true, y.data());
  for (std::size_t k = 0; k < touching_.size(); ++k) {
    Touching& c = touching_[k];
    if (c.rests) continue;
    const problem::Unilateral& u = list_[c.which];
    const auto row = rows_.row(static_cast<Eigen::Index>(k));
    const double parts = equations_.velocity_residual()[u.row], rate = row.dot(acceleration_) - assembled_.b[u.row];
    if (!(parts > c.at_rest) || !(rate < 0)) continue;
    if (parts * parts > -2 * rate * lowest_rebound_ * row.norm() * places[u.row]) continue;
    if (c.part > 0 && c.restitution < 1) c.accumulates = t - 2 * parts / (rate * (1 - c.restitution));
    c.rests = any = true;
  }
  if (any) stop_with_them();
  return any;
}

// What stays together beside them keeps its sides together in the next attempt as well: that which differs is as small
// as rebounds that are none, and would spread from row to row, an attempt each. Of the jump w the same is least with
// these rows as equations, since it is in their span. Friction and Poisson's law look at each impulse.
void Contact::stop_with_them() {
  if (friction_.meets() || law_ == settings::Impact::poisson) return;
  for (Touching& c : touching_) {
    if (c.rests || equations_.velocity_residual()[list_[c.which].row] > c.at_rest) continue;
    c.rests = c.stops = true;
  }
}

}  // namespace mbc::runtime
