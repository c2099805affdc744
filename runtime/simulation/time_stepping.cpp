// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/time_stepping.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/user_place.h"
#include "runtime/rows/decompositions.h"
#include "runtime/rows/least_distance.h"

namespace mbc::runtime {

namespace {

using Vector = Eigen::VectorXd;

constexpr double kSpanned = 1e-10;    // of the largest singular value of the equations: one that is zero
constexpr double kViolated = 1e-8;    // of the size of the model: a gap that is missing at the start
constexpr double kPositions = 1e-12;  // of it: what positions are moved back to
constexpr double kRest = 1e-10;       // of the speeds of the model: one that is none
constexpr double kResting = 1e-8;     // of them: sides that stay together, as far as impulses are known
constexpr int kMostLifts = 8;         // Newton's iterations of positions

}  // namespace

TimeStepping::TimeStepping(RunParts& run, Stepping& stepping)
    : run_(run),
      events_(run.info.events),
      stepping_(stepping),
      of_contact_(run.layout.n_rows),
      dy_(run.layout.n_y()),
      values_(events_.n_values),
      before_(run.layout.n_rows),
      free_speeds_(run.layout.n_rows),
      accelerations_(run.layout.n_speeds),
      impulses_(run.layout.n_rows),
      forces_(run.layout.n_rows),
      kept_(events_.unilaterals.size()),
      rests_(kept_.size()),
      sticks_(events_.frictions.size()) {
  for (const UnilateralInfo& u : events_.unilaterals) of_contact_[u.row] = 1;
  for (const FrictionInfo& f : events_.frictions)
    for (std::uint32_t k = 0; k < f.count; ++k) of_contact_[f.row + k] = 1;
  run.equations.implicit_loads().set({});
  run.recording.with([this] { show(); }, [this] { hide(); });
}

void TimeStepping::set_held() {
  run_.equations.set_held(events_.held_at,
                          run_.options.held ? *run_.options.held : events_.held_at_start(run_.equations.params()));
  switch_rows(false);
}

void TimeStepping::switch_rows(bool on) {
  for (const UnilateralInfo& u : events_.unilaterals) held(u.active) = on && enabled(u.enabled) ? 1 : 0;
  for (const FrictionInfo& f : events_.frictions) {
    held(f.sticks) = on && enabled(f.enabled) ? 1 : 0;
    for (const std::uint32_t d : f.direction) held(d) = 0;
    if (f.size) held(*f.size) = 0;
  }
}

bool TimeStepping::refuse(Kind kind, const std::string& what, double t) {
  Diagnostic d;
  d.kind = kind;
  d.args = {what};
  d.time = t;
  return run_.end(RunStatus::stopped, std::move(d));
}

// What steps that go through impacts do not carry out is refused by name.
bool TimeStepping::fits(double t) {
  for (std::uint32_t k = 0; k < events_.list.size(); ++k) {
    const EventInfo& e = events_.list[k];
    if (e.kink || e.of_contact()) continue;
    Diagnostic d;
    d.kind = Kind::timestep_unfit;
    d.args = {"`" + printable(e.name) + "`"};
    point_at(d, run_.info, e.name, e.span);
    d.time = t;
    d.help = "take `contact = event`, or write a course of time as a function of t";
    return run_.end(RunStatus::stopped, std::move(d));
  }
  if (run_.options.locates_kinks) return refuse(Kind::timestep_unfit, "`kinks = locate`", t);
  if (run_.options.rows_of_events) return refuse(Kind::timestep_unfit, "`rows = events`", t);
  if (run_.options.until_event) return refuse(Kind::timestep_unfit, "`--until-event`", t);
  if (run_.options.impact == ImpactLaw::poisson) return refuse(Kind::timestep_unfit, "`impact = poisson`", t);
  if (run_.layout.quasi) return refuse(Kind::timestep_unfit, "a formulation in independent speeds", t);
  if (run_.equations.beyond_dense())
    return refuse(Kind::contact_too_large, std::to_string(run_.layout.n_rows + run_.layout.n_speeds), t);
  return true;
}

bool TimeStepping::start(double t) {
  if (!fits(t)) return false;
  std::vector<double>& y = run_.integrated.y();
  run_.equations.outputs(t, y.data(), run_.integrated.dy().data());
  const double* values = run_.equations.output_values() + events_.first_value;
  for (const UnilateralInfo& u : events_.unilaterals) {
    if (run_.info.rows[u.row].level != RowLevel::position || !enabled(u.enabled)) continue;
    if (values[u.gap] >= -kViolated * run_.projector.extent(true, y.data())) continue;
    Diagnostic d;
    d.kind = Kind::unilateral_violated;
    const EventInfo& event = events_.list[u.touches];
    d.args = {printable(event.name), text::short_number(-values[u.gap], 3)};
    point_at(d, run_.info, event.name, event.span);
    d.time = t;
    d.help = "begin where it holds, or let what moves it there be a force";
    return run_.end(RunStatus::stopped, std::move(d));
  }
  return true;
}

// What outputs of the state at hand see of the step before, until hide().
void TimeStepping::show() {
  std::vector<double>& dy = run_.integrated.dy();
  rate_ = dy;
  for (std::size_t i = 0; i < accelerations_.size(); ++i) dy[run_.layout.speeds_at() + i] += accelerations_[i];
  const double* lambda = run_.equations.lambda();
  Vector shown = Eigen::Map<const Vector>(lambda, run_.layout.n_rows);
  for (std::size_t i = 0; i < of_contact_.size(); ++i)
    shown[static_cast<Eigen::Index>(i)] = forces_[i] + (of_contact_[i] != 0 ? 0 : lambda[i]);
  run_.equations.set_lambda(shown);
  show_held();
}

void TimeStepping::show_held() {
  for (std::size_t k = 0; k < kept_.size(); ++k) held(events_.unilaterals[k].active) = rests_[k];
  for (std::size_t k = 0; k < sticks_.size(); ++k) {
    const FrictionInfo& f = events_.frictions[k];
    held(f.sticks) = sticks_[k];
    const double force = Eigen::Map<const Vector>(forces_.data() + f.row, f.count).norm();
    if (sticks_[k] != 0 || !(force > 0)) continue;
    for (std::uint32_t i = 0; i < f.count; ++i) held(f.direction[i]) = -forces_[f.row + i] / force;
    if (f.size) held(*f.size) = force;
  }
}

void TimeStepping::hide() {
  run_.integrated.dy() = rate_;
  switch_rows(false);
}

// The step without contacts, and in its middle all rows with the speeds at its end.
bool TimeStepping::look(double t, double h) {
  const std::vector<double>&y = run_.integrated.y(), &rate = run_.integrated.dy();
  const kernel::SystemLayout& layout = run_.layout;
  const double half = t + 0.5 * h;
  middle_ = y;
  for (std::size_t i = 0; i < y.size(); ++i) middle_[i] += 0.5 * h * rate[i];
  if (stepping_.rhs(half, middle_.data(), dy_.data()) != 0) return run_.undefined(half);
  free_lambda_ = h * Eigen::Map<const Vector>(run_.equations.lambda(), layout.n_rows);
  free_ = y;
  for (std::size_t i = 0; i < y.size(); ++i) free_[i] += h * dy_[i];
  switch_rows(true);
  std::copy(y.begin() + layout.speeds_at(), y.begin() + layout.states_at(), middle_.begin() + layout.speeds_at());
  run_.equations.residuals(half, middle_.data());
  std::copy_n(run_.equations.velocity_residual(), before_.size(), before_.begin());
  std::copy(free_.begin() + layout.speeds_at(), free_.begin() + layout.states_at(),
            middle_.begin() + layout.speeds_at());
  if (run_.equations.assemble(half, middle_.data(), assembled_, false) != 0) return run_.undefined(half);
  run_.equations.residuals(half, middle_.data());
  std::copy_n(run_.equations.velocity_residual(), free_speeds_.size(), free_speeds_.begin());
  run_.equations.outputs(half, middle_.data(), dy_.data());
  const double* first = run_.equations.output_values() + events_.first_value;
  std::copy_n(first, values_.size(), values_.begin());
  scaled_ = assembled_.scaling.scale_rows(assembled_.A);
  take_equations();
  return true;
}

void TimeStepping::take_equations() {
  rows_of_equations_.clear();
  for (Eigen::Index i = 0; i < scaled_.rows(); ++i)
    if (of_contact_[static_cast<std::size_t>(i)] == 0 && scaled_.row(i).norm() > 0) rows_of_equations_.push_back(i);
  problem_.rows = scaled_;
  basis_.resize(scaled_.cols(), 0);
  if (rows_of_equations_.empty()) return;
  equations_ = scaled_(rows_of_equations_, Eigen::all);
  equations_.rowwise().normalize();
  const RightSingular made = thin_right_singular(equations_);
  const auto rank = (made.values.array() > kSpanned * made.values[0]).count();
  basis_ = made.V.leftCols(rank);
  problem_.rows -= (scaled_ * basis_) * basis_.transpose();
}

// Which rows take part, and what they should have behind the step. False: a restitution is none.
bool TimeStepping::bounds(double h) {
  problem_.wanted = Vector::Zero(scaled_.rows());
  problem_.pushing.clear();
  problem_.frictions.clear();
  const std::vector<double>& free = free_speeds_;
  const double extent = run_.projector.extent(false, middle_.data());
  double least = 1;  // restitution of the sides that meet
  bool met = false;
  for (const UnilateralInfo& u : events_.unilaterals) {
    if (!enabled(u.enabled)) continue;
    const bool position = run_.info.rows[u.row].level == RowLevel::position;
    const double gap = position ? std::max(values_[u.gap], 0.0) : 0;
    double bound = -2 * gap / h;
    const double met_at = before_[u.row], none = kRest * scaled_.row(u.row).norm() * extent;
    if (position && free[u.row] < bound && met_at < -none) {
      const double e = values_[u.restitution];
      if (!(e >= 0 && e <= 1)) {
        const EventInfo& event = events_.list[u.touches];
        Diagnostic d;
        d.kind = Kind::restitution_undefined;
        d.args = {printable(event.name), text::short_number(e, 6)};
        point_at(d, run_.info, event.name, event.span);
        d.time = run_.data.reached;
        return run_.end(RunStatus::stopped, std::move(d));
      }
      least = std::min(least, e);
      met = true;
      if (e > 0) bound = -e * met_at;
    }
    problem_.pushing.push_back(u.row);
    problem_.wanted[u.row] = bound - free[u.row];
  }
  const double usual = met && run_.options.impact == ImpactLaw::moreau ? least : 0;
  for (const FrictionInfo& f : events_.frictions) {
    if (!enabled(f.enabled)) continue;
    const double e = f.restitution ? values_[*f.restitution] : usual;
    problem_.frictions.push_back({f.row, f.count});
    for (std::uint32_t k = 0; k < f.count; ++k)
      problem_.wanted[f.row + k] = -values_[f.slip + k] - (met ? e * before_[f.row + k] : 0);
  }
  problem_.size = std::max(extent, assembled_.scaling.norm(Eigen::Map<const Vector>(
                                       middle_.data() + run_.layout.speeds_at(), run_.layout.n_speeds)));
  return true;
}

// Of rows of equations the impulses that answer those of contacts.
Vector TimeStepping::of_equations(const Vector& impulses) const {
  Vector all = impulses;
  if (rows_of_equations_.empty()) return all;
  const Vector taken = (problem_.rows - scaled_).transpose() * impulses;
  const MinimumNorm made = minimum_norm_by_svd(equations_.transpose(), taken, kSpanned);
  for (std::size_t k = 0; k < rows_of_equations_.size(); ++k) {
    const Eigen::Index i = rows_of_equations_[k];
    all[i] = free_lambda_[i] + (made.rank > 0 ? made.x[static_cast<Eigen::Index>(k)] / scaled_.row(i).norm() : 0);
  }
  return all;
}

void TimeStepping::limits(const Vector& impulses, std::vector<ConeProblem::Limit>& out, double t, double h) {
  run_.equations.set_lambda(of_equations(impulses) / h);
  run_.equations.outputs(t, middle_.data(), dy_.data());
  const double* values = run_.equations.output_values() + events_.first_value;
  std::size_t k = 0;
  for (const FrictionInfo& f : events_.frictions)
    if (enabled(f.enabled)) out[k++] = {h * values[f.limit], h * values[f.still]};
}

// With the impulses found: sizes, those at rest not below those of sliding. False when the run ends here.
bool TimeStepping::limits_hold(double t, double h) {
  if (problem_.frictions.empty()) return true;
  std::vector<ConeProblem::Limit> found(problem_.frictions.size());
  limits(made_.impulses, found, t + 0.5 * h, h);
  const double rounding = kResting * std::max(made_.impulses.norm(), free_lambda_.norm());
  std::size_t k = 0;
  for (const FrictionInfo& f : events_.frictions) {
    if (!enabled(f.enabled)) continue;
    const auto [sliding, still] = found[k++];
    const bool defined = std::isfinite(sliding) && std::isfinite(still) && sliding >= -rounding;
    if (defined && (still >= sliding * (1 - kResting) || sliding <= rounding)) continue;
    Diagnostic d;
    d.kind = defined ? Kind::friction_static_below : Kind::friction_undefined;
    const double wrong = std::isfinite(sliding) && !std::isfinite(still) ? still : sliding;
    d.args = {printable(f.name), text::short_number((defined ? still : wrong) / h, 6)};
    if (defined) d.args.push_back(text::short_number(sliding / h, 6));
    point_at_row(d, run_.info, f.row);
    d.time = t;
    d.help = defined ? "leave `static` out, or let it be the larger one"
                     : "take `abs` of a multiplier that may have both signs";
    return run_.end(RunStatus::stopped, std::move(d));
  }
  return true;
}

bool TimeStepping::energy_at(double t, std::vector<double>& y, double& energy) {
  run_.equations.outputs(t, y.data(), dy_.data());
  energy = run_.equations.kinetic() + run_.equations.potential();
  return std::isfinite(energy);
}

bool TimeStepping::unsettled(double t) {
  Diagnostic d;
  d.kind = Kind::contact_unsettled;
  d.args = {text::short_number(t, 9)};
  point_at_row(d, run_.info, problem_.frictions.empty() ? problem_.pushing[0] : problem_.frictions[0].row);
  d.time = t;
  d.help = "let the part that presses give way by a spring, or take a smaller coefficient";
  return run_.end(RunStatus::stopped, std::move(d));
}

bool TimeStepping::step(double t, double h) {
  std::vector<double>& y = run_.integrated.y();
  const std::vector<double> began = y;
  const kernel::SystemLayout& layout = run_.layout;
  if (!look(t, h) || !bounds(h)) return false;
  problem_.limits = [this, t, h](const Vector& impulses, std::vector<ConeProblem::Limit>& out) {
    limits(impulses, out, t + 0.5 * h, h);
  };
  made_ = sweep_cones(problem_);
  if (made_.settled && !limits_hold(t, h)) return false;
  switch_rows(false);
  if (!made_.settled) return unsettled(t);
  double energy = 0, energy_free = 0;
  const bool touched = made_.impulses.norm() > 0;
  if (touched && !energy_at(t + h, free_, energy_free)) return run_.undefined(t + h);
  y = free_;
  if (touched) {
    const Vector jump = assembled_.scaling.from_scaled(made_.jump);
    Vector moved = 0.5 * h * jump;
    run_.projector.displace(true, t + 0.5 * h, y.data(), moved.data());
    for (std::uint32_t i = 0; i < layout.n_speeds; ++i) y[layout.speeds_at() + i] += jump[i];
  }
  note(t, h);
  if (!stepping_.settle(t, began, t + h) || !lift(t + h)) return false;
  if (touched && !energy_at(t + h, y, energy)) return run_.undefined(t + h);
  if (touched) run_.data.work_of_events += energy - energy_free;
  ++run_.data.steps;
  return true;
}

// Impulses, means of forces, impacts.
void TimeStepping::note(double t, double h) {
  const double extent = run_.projector.extent(false, middle_.data());
  const Vector jump = assembled_.scaling.from_scaled(made_.jump);
  for (std::size_t i = 0; i < accelerations_.size(); ++i) accelerations_[i] = jump[static_cast<Eigen::Index>(i)] / h;
  Vector all = of_equations(made_.impulses);
  for (Eigen::Index i = 0; i < scaled_.rows(); ++i)  // rows without entries answer nothing
    if (!(scaled_.row(i).norm() > 0)) all[i] = free_lambda_[i];
  for (std::size_t i = 0; i < impulses_.size(); ++i) {
    impulses_[i] = made_.impulses[static_cast<Eigen::Index>(i)];
    const double answer = of_contact_[i] != 0 ? impulses_[i] : all[static_cast<Eigen::Index>(i)] - free_lambda_[i];
    forces_[i] = answer / h;
  }
  for (std::size_t k = 0; k < sticks_.size(); ++k) {
    const FrictionInfo& f = events_.frictions[k];
    const auto rows = problem_.rows.middleRows(f.row, f.count);
    const Vector slip = Eigen::Map<const Vector>(values_.data() + f.slip, f.count) + rows * made_.jump;
    const bool acts = made_.impulses.segment(f.row, f.count).norm() > 0;
    sticks_[k] = acts && slip.norm() <= kResting * std::sqrt(rows.squaredNorm()) * extent ? 1 : 0;
  }
  for (std::size_t k = 0; k < kept_.size(); ++k) {
    const UnilateralInfo& u = events_.unilaterals[k];
    const bool presses = impulses_[u.row] > 0, before = kept_[k] != 0;
    kept_[k] = presses ? 1 : 0;
    const double after = free_speeds_[u.row] + problem_.rows.row(u.row).dot(made_.jump);
    rests_[k] = presses && std::fabs(after) <= kResting * problem_.rows.row(u.row).norm() * extent ? 1 : 0;
    if (!presses || before || !(before_[u.row] < -kRest * scaled_.row(u.row).norm() * extent)) continue;
    held(u.impulse) = impulses_[u.row];
    held(events_.list[u.touches].count) += 1;
    held(events_.list[u.touches].time) = t + h;
    ++run_.data.events;
    if (run_.options.on_event) run_.options.on_event(t + h, u.touches);
  }
}

// Gaps that are missing are moved back, by the least displacement.
bool TimeStepping::lift(double t) {
  std::vector<double>& y = run_.integrated.y();
  double missing = 0;
  bool lifted = false;
  for (int k = 0; k < kMostLifts; ++k) {
    run_.equations.outputs(t, y.data(), dy_.data());
    const double* values = run_.equations.output_values() + events_.first_value;
    std::vector<Eigen::Index> rows;
    std::vector<double> gaps;
    missing = 0;
    for (const UnilateralInfo& u : events_.unilaterals) {
      const bool position = run_.info.rows[u.row].level == RowLevel::position;
      if (!position || !enabled(u.enabled) || std::isnan(values[u.gap])) continue;
      missing = std::max(missing, -values[u.gap]);
      rows.push_back(u.row);
      gaps.push_back(values[u.gap]);
    }
    if (k == 0) run_.data.penetration_before = std::max(run_.data.penetration_before, missing);
    const double size = run_.projector.extent(true, y.data());
    if (!(missing > kPositions * size)) break;
    switch_rows(true);
    const bool defined = run_.equations.assemble(t, y.data(), assembled_, false) == 0;
    switch_rows(false);
    if (!defined) return run_.undefined(t);
    scaled_ = assembled_.scaling.scale_rows(assembled_.A);
    take_equations();
    const Eigen::MatrixXd moved = problem_.rows(rows, Eigen::all);
    const Vector wanted = -Eigen::Map<const Vector>(gaps.data(), static_cast<Eigen::Index>(gaps.size()));
    const Vector tolerance = Vector::Constant(wanted.size(), 0.1 * kPositions * size);
    const LeastDistance found = least_distance(moved, wanted, tolerance);
    if (found.outcome != LeastDistance::Outcome::found) break;
    const Vector w = assembled_.scaling.from_scaled(found.w);
    run_.projector.displace(true, t, y.data(), w.data());
    normalise(run_.info, y.data());
    lifted = true;
  }
  if (lifted && run_.stabiliser.acts())
    run_.projector.project(t, y.data(), run_.options.tolerance, run_.certification.near_singular());
  run_.data.penetration = std::max(run_.data.penetration, missing);
  return true;
}

}  // namespace mbc::runtime
