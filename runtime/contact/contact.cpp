// SPDX-License-Identifier: Apache-2.0
#include "runtime/contact/contact.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/user_place.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kTouch = 1e-11;        // of the size of the model: a gap that is none
constexpr double kContactRest = 1e-10;  // of its speeds, or accelerations: one at which sides do not part
constexpr double kViolated = 1e-8;      // of the size of the model: a gap that is missing

}  // namespace

Contact::Contact(Equations& equations, const problem::Problem& info, const ConstraintProjector& projector,
                 InstantRows& rows, Friction& friction, settings::Impact law, const double& lowest_rebound)
    : equations_(equations),
      info_(info),
      list_(info.events.unilaterals),
      projector_(projector),
      friction_(friction),
      law_(law),
      lowest_rebound_(lowest_rebound),
      rows_(rows),
      values_(info.events.n_values),
      dy_(equations.layout().n_y()) {}

std::string Contact::name(std::uint32_t which) const { return info_.events.list[list_[which].touches].name; }

Contact::Outcome Contact::fail(Kind kind, std::uint32_t which, std::vector<std::string> args, const char* help) {
  failure_ = about_contact(info_, which, kind, {}, std::move(args), help);
  return Outcome::failed;
}

// Names the side of which most is missing.
Contact::Outcome Contact::cannot_keep(const char* what, const ConeSolution& made) {
  const auto is_worst = [&](const Touching& c) { return row_of(c) == made.worst; };
  const auto worst = std::find_if(touching_.begin(), touching_.end(), is_worst);
  const std::uint32_t which = worst != touching_.end() ? worst->which : touching_.front().which;
  return fail(Kind::contact_impossible, which, {what, printable(name(which))},
              "let what is held give way, or part of the contacts begin later");
}

Eigen::Map<const Vector> Contact::speeds(const std::vector<double>& y) const {
  return {y.data() + equations_.layout().speeds_at(), equations_.layout().n_speeds};
}

Contact::Outcome Contact::settle(double t, std::vector<double>& y, const Before& came) {
  moved_ = lowered_ = false;
  touching_.clear();
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
    if (outcome = press(t, y); outcome != Outcome::settled || !bounces_too_low(t, y, came)) break;
    y = before;
    moved_ = lowered_ = false;
  }
  for (const problem::Unilateral& u : list_) discrete().set_active(u, false);
  for (const Touching& c : touching_) discrete().set_active(list_[c.which], c.presses && outcome == Outcome::settled);
  return outcome;
}

// Finds the contacts whose sides touch, by their gaps. They are switched on for what follows, and the others off.
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
    if (const Outcome o = look_at(k, t, extent, before); o != Outcome::settled) return o;
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
    if ((rows_.assembled().A.row(u.row).allFinite() && std::isfinite(rows_.assembled().b[u.row])) ||
        before.was_held[k] != 0 || before.met[k] != 0)
      continue;
    discrete().set_active(u, false);
    any = true;
  }
  return any;
}

// An instant is known to some units in the last place of its time, and a gap to the way that its sides move meanwhile.
Contact::Outcome Contact::look_at(std::uint32_t which, double t, Extent extent, const Before& before) {
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
  const double unclear = kClockRoundings * kEpsilon * std::fabs(t) * std::fabs(equations_.velocity_residual()[u.row]);
  if (position && gap < -missing * gap_size - unclear)
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
  made.begins = before.met[which] != 0 && before.was_idle[which] != 0;
  touching_.push_back(made);
  return Outcome::settled;
}

// With the rows of the frictions that the sides which touch press, where impacts move their slips.
bool Contact::assemble(double t, const std::vector<double>& y) {
  std::vector<std::uint32_t> touching;
  for (const Touching& c : touching_) touching.push_back(c.which);
  const bool rubs = friction_.meets();
  if (rubs) friction_.turn_on(touching);
  const bool defined = rows_.assemble(t, y);
  if (rubs) friction_.turn_off();
  return defined;
}

// Returns the norms of the assembled rows A L^-T, by number of the contact. Very many of them may be open.
Vector Contact::norms_of_sides() const {
  const auto norm = [this](const problem::Unilateral& u) { return rows_.norm(u.row); };
  Vector norms(static_cast<Eigen::Index>(list_.size()));
  std::transform(list_.begin(), list_.end(), norms.begin(), norm);
  return norms;
}

// Decides by the accelerations which contacts carry a force, among those whose sides do not part.
Contact::Outcome Contact::press(double t, const std::vector<double>& y) {
  equations_.residuals(t, y.data());
  const Assembled& assembled = rows_.assembled();
  const Vector free = rows_.free_acceleration(), sizes = norms_of_parts(free);
  Vector wanted = assembled.b;
  for (std::uint32_t row = 0; row < wanted.size(); ++row) wanted[row] -= rows_.times(row, free);
  ConeProblem problem = rows_.problem(wanted, rows_.size(free, wanted));
  for (Touching& c : touching_) {
    const std::uint32_t row = row_of(c);
    c.parts = equations_.velocity_residual()[row] > c.at_rest;
    if (!c.parts) problem.unilateral.push_back(row);
    c.push_size = rows_.norm(row) > 0 ? sizes[projector_.size().part_of_row[row]] / rows_.norm(row) : 0;
  }
  rows_.reconcile(problem);
  const ConeSolution made = solve_cones(problem, Vector());
  if (!made.settled) return cannot_keep("accelerations", made);
  acceleration_ = free + made.jump;
  note_pressing(problem, made.multipliers);
  return Outcome::settled;
}

// Notes the contacts that carry a force. A contact is idle if it neither carries one nor parts, and its row depends on
// those that do.
void Contact::note_pressing(const ConeProblem& problem, const Vector& multipliers) {
  std::vector<std::uint32_t> on = rows_.equations();
  const auto rounding = [&](std::uint32_t row) {
    return kContactRest * (rows_.norm(row) * problem.size + std::fabs(problem.wanted[row]));
  };
  for (Touching& c : touching_) {
    const std::uint32_t row = row_of(c);
    const double apart = rows_.times(row, acceleration_) - rows_.assembled().b[row];
    c.presses = !c.parts && ((c.begins && apart <= rounding(row)) ||
                             multipliers[row] * std::pow(rows_.norm(row), 2) > rounding(row));
    if (c.presses) on.push_back(row);
  }
  const Eigen::MatrixXd basis = rows_.basis(on);
  for (Touching& c : touching_) {
    const std::uint32_t row = row_of(c);
    const double parts = rows_.times(row, acceleration_) - rows_.assembled().b[row];
    c.idle = !c.parts && !c.presses && parts <= rounding(row) && rows_.follows(row, basis);
  }
}

// Returns the mass-weighted norm of each part of the model.
Eigen::VectorXd Contact::norms_of_parts(const Eigen::VectorXd& scaled) const {
  const ModelSize& model = projector_.size();
  Vector squares = Vector::Zero(static_cast<Eigen::Index>(model.part_speed.size()));
  for (std::size_t j = 0; j < model.part_of_speed.size(); ++j)
    squares[model.part_of_speed[j]] += scaled[static_cast<Eigen::Index>(j)] * scaled[static_cast<Eigen::Index>(j)];
  return squares.cwiseSqrt();
}

// Notes contacts that part but would rebound by less than the accuracy of positions, or so little that no event sees
// where the hop ends, or for so short a time that the clock does not. Returns whether there are any.
bool Contact::bounces_too_low(double t, const std::vector<double>& y, const Before& before) {
  bool any = false;
  const auto places = projector_.extents(true, y.data());
  for (Touching& c : touching_) {
    if (c.rests) continue;
    const std::uint32_t row = row_of(c);
    const double parts = equations_.velocity_residual()[row];
    const double rate = rows_.times(row, acceleration_) - rows_.assembled().b[row];
    if (!(parts > c.at_rest) || !(rate < 0)) continue;
    const double lowest = std::max(lowest_rebound_ * rows_.norm(row) * places[row], kLowestHop * before.seen[c.which]);
    const bool clock_sees = parts > -rate * kClockRoundings * kClockRoundings * kEpsilon * std::fabs(t);
    if (parts * parts > -2 * rate * lowest && clock_sees) continue;
    if (c.part > 0 && c.restitution < 1) c.accumulates = t - 2 * parts / (rate * (1 - c.restitution));
    c.rests = any = true;
  }
  if (any) stop_with_them();
  return any;
}

// Keeps the contacts that stay together closed in the next attempt as well. The difference is as small as a negligible
// rebound, and would otherwise spread from row to row with one attempt each. The jump w is the same with these rows as
// equations, because it is the least one and lies in their span. Friction and Poisson's law need each impulse.
void Contact::stop_with_them() {
  if (friction_.meets() || law_ == settings::Impact::poisson) return;
  for (Touching& c : touching_) {
    if (c.rests || equations_.velocity_residual()[list_[c.which].row] > c.at_rest) continue;
    c.rests = c.stops = true;
  }
}

}  // namespace mbc::runtime
