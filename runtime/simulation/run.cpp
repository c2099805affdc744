// SPDX-License-Identifier: Apache-2.0
// The loop at fixed steps, and what is done at every accepted state.
#include "runtime/simulation/run.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/constraints/undetermined.h"
#include "runtime/simulation/fused_step.h"

namespace mbc::runtime {

namespace {

// Defect of a redundant row, relative to the accelerations, above which the rows are certified again.
constexpr double kDefect = 1e-8;
// The same for its own residual when nothing removes drift, relative to the coordinates.
constexpr double kRedundantDrift = 1e-6;
// A correction onto the constraints that changes the speeds by more than this fraction of what the step did is no
// drift: the rates before it are of no use to a method that remembers them.
constexpr double kHistoryJump = 1e-2;
constexpr double kHistoryRoundOff = 1e-9;  // of the speeds: below this it is drift in any case

}  // namespace

Run::Run(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
         const Recorder& record)
    : equations_(equations),
      info_(info),
      options_(options),
      layout_(equations.layout()),
      y_(y),
      k1_(y.size()),
      start_(y.size()),
      projector_(equations, info),
      certification_(equations, info, projector_, options.rank_tolerance),
      passage_(equations, projector_),
      keeper_(equations, info, projector_, options),
      recording_(equations, info, options, record, data_),
      quasi_(equations.in_quasi_velocities()) {
  if (quasi_) {
    z_.resize(y.size());
    rate_.resize(y.size());
  }
  switch (options.integrator) {
    case Integrator::rk4:
      rk4_.emplace(y.size());
      break;
    case Integrator::ab4:
      ab4_.emplace(y.size());
      break;
    case Integrator::dopri5:
    case Integrator::dopri5_fixed:
      dopri5_.emplace(y.size());
      row_.resize(y.size());
      row_rate_.resize(y.size());
      break;
  }
}

RunData Run::run() {
  if (options_.integrator == Integrator::dopri5) {
    if (begin()) adaptive_loop();
  } else if (begin()) {
    for (std::uint64_t step = 0; at(step) && advance(step); ++step) continue;
  }
  return finish();
}

// Baumgarte's gains are part of the parameters until finish().
bool Run::begin() {
  const bool baumgarte = options_.stabilisation == Stabilisation::baumgarte;
  equations_.set_gains(baumgarte ? options_.alpha : 0, baumgarte ? options_.beta : 0);
  equations_.restart_lean();
  data_.reached = options_.begin;
  if (options_.fused) options_.fused->begin(equations_, options_.step);
  return start();
}

RunData Run::finish() {
  equations_.set_gains(0, 0);
  data_.renewals = keeper_.renewals();
  data_.rank_events = certification_.events();
  data_.smallest_distance = certification_.smallest_distance();
  return std::move(data_);
}

void Run::step_changed() {
  if (ab4_) ab4_->restart();
  if (options_.fused) options_.fused->begin(equations_, options_.step);
}

void Run::transfer(Archive& archive) {
  archive(equations_, k1_, mask_, quiet_, next_row_, looked_at_, was_at_, certification_, passage_, keeper_);
  archive(z_, rate_, choice_, t_);
  archive(data_.steps, data_.rejected, data_.rows, data_.evaluations, data_.smallest_step, data_.largest_step,
          data_.reached, data_.speed_renewals, data_.largest_correction, data_.start.rank);
  if (ab4_) archive(*ab4_);
  if (!dopri5_ || options_.integrator != Integrator::dopri5) return;
  if (archive.reading())
    control_.emplace(options_.control, options_.begin, options_.begin + length(), layout_.work_at());
  archive(*control_);
}

bool Run::end(RunStatus status, Diagnostic d) {
  data_.status = status;
  data_.diagnostic = std::move(d);
  return false;
}

bool Run::at(std::uint64_t step) {
  const double t = time_of(step);
  if (!evaluate(t)) return false;
  const bool last = step == options_.steps;
  if (records(step) && !recording_.row(t, y_, k1_, last)) return false;
  if (options_.progress) options_.progress(t);
  if (last) return false;
  if (!options_.stop || !*options_.stop) return true;
  interrupt();
  return false;
}

bool Run::advance(std::uint64_t step) {
  const double t = time_of(step);
  const bool whole = options_.fused && calm() && options_.fused->takes_next();
  if (!(whole && fused_step(t)) && !step_from(t)) return false;
  ++data_.steps;
  return true;
}

// The rate at an accepted state, in k1_, and everything that is decided there.
bool Run::evaluate(double t) {
  data_.reached = t;
  if (options_.drive) options_.drive(t, y_, equations_.inputs());
  ++data_.evaluations;
  if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
  if (!decide(t)) return false;
  if (layout_.quasi) return speeds_renewed(t);
  if (!quiet_) passage_.refine(t, y_.data(), k1_.data());
  return true;
}

// Independent speeds that have aged are replaced between steps; the state means the same before and after.
bool Run::speeds_renewed(double t) {
  if (data_.steps == 0) data_.first_choice = equations_.speed_choice();
  if (equations_.renew_speeds(t, y_.data(), k1_.data())) ++data_.speed_renewals;
  if (!quasi_) return true;
  if (choice_ != equations_.speed_choices()) {
    if (ab4_) ab4_->restart();
    if (!take_quasi_velocities(t)) return false;
    ++data_.evaluations;
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
  }
  equations_.quasi_rate(k1_.data(), rate_.data());
  return true;
}

// Coordinates may lose inertia on the way, as the angles of a following body do where two of its axes fall together.
Diagnostic Run::why_undefined(double t, const double* y) {
  if (equations_.speeds_lost()) return speeds_lost(t, y);
  Assembled s;
  if (!equations_.has_inertia(t, y, s) && s.M.allFinite()) {
    Diagnostic d = equations_.large() ? undetermined_block(equations_.without_inertia(t, y), info_, t)
                                      : undetermined_motion(s, info_, t, y);
    d.notes.push_back("it had inertia before: the coordinates are singular here");
    d.help = "describe the rotation by other angles, or by a free body with constraints";
    return d;
  }
  return undefined_value(equations_, info_, t, y);
}

// Rows of the choice that depend on the others here; `y` is a state of either kind.
Diagnostic Run::speeds_lost(double t, const double* y) {
  Diagnostic d;
  d.kind = Kind::no_independent_speeds;
  d.time = t;
  std::string names;
  const std::vector<std::size_t> lost = equations_.lost_rows(t, y);
  for (std::size_t k : lost) names += (names.empty() ? "" : ", ") + quoted_name(info_.rows[k].name);
  if (!lost.empty()) d.span = info_.rows[lost.front()].span;
  d.args = {names.empty() ? "the conserved momenta depend on the constraints"
                          : names + (lost.size() == 1 ? " becomes" : " become") + " dependent on other rows"};
  d.help = "use `formulation = udwadia_kalaba` or `augmented`, which keep all speeds as states";
  return d;
}

bool Run::decide(double t) {
  // particles cannot lose their inertia by moving; a kinetic energy written by hand can
  if (info_.inertia_by_hand && !equations_.own_inertia(t, y_.data()) && !has_inertia(t)) return false;
  return certified(t);
}

// Rows left out as redundant must go on agreeing with the others: their defect is looked at in every step.
bool Run::redundant_rows_agree(double t) {
  bool any = false;
  for (double kept : equations_.mask) any |= kept == 0;
  if (!any) return true;
  equations_.row_defects(t, y_.data(), k1_.data(), defects_);
  double size = 1;
  for (std::uint32_t j = 0; j < layout_.n_speeds; ++j) size = std::max(size, std::fabs(k1_[layout_.speeds_at() + j]));
  for (std::size_t k = 0; k < defects_.size(); ++k)
    if (equations_.mask[k] == 0 &&
        std::fabs(defects_[k]) > kDefect * size * std::max(1.0, std::sqrt(equations_.pivot_scale()[k])))
      return false;
  return keeper_.corrects() || redundant_rows_stay(t);
}

bool Run::redundant_rows_stay(double t) {
  equations_.residuals(t, y_.data());
  double size = 0;
  for (std::uint32_t i = 0; i < layout_.states_at(); ++i) size = std::max(size, std::fabs(y_[i]));
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    const double e =
        std::max(std::fabs(equations_.position_residual()[k]), std::fabs(equations_.velocity_residual()[k]));
    if (equations_.mask[k] == 0 && e > kRedundantDrift * size * std::sqrt(equations_.pivot_scale()[k])) return false;
  }
  return true;
}

bool Run::certified(double t) {
  quiet_ = certification_.quiet();
  if (quiet_) return true;
  mask_ = equations_.mask;
  const std::size_t events = certification_.events().size();
  const std::optional<Verdict> verdict = certification_.check(t, y_.data(), !redundant_rows_agree(t));
  if (!verdict) return true;
  // a row that is skipped from here on, or comes back, makes the rates jump
  if (ab4_ && (events != certification_.events().size() || mask_ != equations_.mask)) ab4_->restart();
  if (verdict->failed) return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
  if (verdict->conflict) return end(RunStatus::stopped, conflict_diagnostic(info_, verdict->conflicting, t));
  // the certification used the work arrays: evaluate again with the set it decided
  ++data_.evaluations;
  if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
  if (mask_ == equations_.mask || !layout_.ideal) return true;
  if (!ideal_parts_unique(t)) return false;
  ++data_.evaluations;  // that look left other multipliers
  return equations_.rhs(t, y_.data(), k1_.data()) == 0 || end(RunStatus::stopped, why_undefined(t, y_.data()));
}

std::int32_t Run::stage(double t, const double* y, double* dy) {
  ++data_.evaluations;
  if (quasi_) return equations_.rhs_quasi(t, y, dy);
  return layout_.quasi ? equations_.rhs(t, y, dy) : passage_.rhs(t, y, dy);
}

// The same where nothing but the derivatives is looked at.
std::int32_t Run::inner_stage(double t, const double* y, double* dy) {
  if (!equations_.lean_rhs(t, y, dy)) return stage(t, y, dy);
  ++data_.evaluations;
  return 0;
}

// The place in the model of an entry of what is integrated: of a quasi-velocity of the user the first speed it holds.
std::uint32_t Run::entry_of(std::size_t entry) const {
  const auto at = static_cast<std::uint32_t>(entry);
  if (!quasi_ || at < layout_.speeds_at() || at >= layout_.states_at()) return at;
  const double column = equations_.speed_choice().y[at - layout_.speeds_at()];
  if (column < 0) return at;
  const auto speed = static_cast<std::uint32_t>(column);
  const kernel::QuasiLayout& q = *layout_.quasi;
  return layout_.speeds_at() + (speed < layout_.n_speeds ? speed : q.column[q.row_ptr[speed - layout_.n_speeds]]);
}

Diagnostic Run::why_stage_failed(double t, const std::vector<double>& failed) {
  if (equations_.speeds_lost()) return speeds_lost(t, failed.data());
  if (!quasi_) return why_undefined(t, failed.data());
  moved_ = failed;
  equations_.to_speeds(t, moved_.data(), moved_.data());
  return why_undefined(t, moved_.data());
}

// The same as step_from(), where it can be had in one piece.
bool Run::fused_step(double t) {
  start_ = k1_;
  if (!options_.fused->advance(t, y_, equations_.inputs().data(), start_)) return false;
  y_.swap(start_);
  data_.evaluations += 3;
  data_.largest_correction = std::max(data_.largest_correction, options_.fused->moved());
  return true;
}

// A step of the given size.
bool Run::step_from(double t) {
  start_ = y_;
  const auto rhs = [this](double at, const double* y, double* dy) { return inner_stage(at, y, dy); };
  const auto took = [&](auto& method, std::int32_t failed) {
    if (failed == 0) return true;
    Diagnostic d = why_stage_failed(method.failed_time(), method.failed_state());
    y_ = start_;
    return end(RunStatus::stopped, std::move(d));
  };
  if (rk4_ && !took(*rk4_, rk4_->step(rhs, t, options_.step, state(), rate()))) return false;
  if (ab4_ && !took(*ab4_, ab4_->step(rhs, t, options_.step, state(), rate()))) return false;
  if (dopri5_) {
    if (!took(*dopri5_, dopri5_->step(rhs, t, options_.step, state(), rate()))) return false;
    state() = dopri5_->y_new();
  }
  return settle(t + options_.step);
}

// The state at the end of a step: finite, quaternions of norm 1, on the constraints where that is asked for.
bool Run::settle(double t) {
  for (std::uint32_t i = 0; i < layout_.work_at(); ++i)
    if (!std::isfinite(state()[i])) {
      const std::uint32_t entry = entry_of(i);
      Diagnostic d;
      d.kind = Kind::state_overflow;
      d.args = {quoted_name(entry_name(info_, layout_, entry))};
      d.span = entry_span(info_, layout_, entry);
      d.time = t;
      d.help = "use a smaller step";
      y_ = start_;
      return end(RunStatus::stopped, std::move(d));
    }
  if (quasi_ && equations_.to_speeds(t, z_.data(), y_.data()) != 0)
    return end(RunStatus::stopped, why_undefined(t, y_.data()));
  if (quasi_) moved_ = y_;
  normalise(info_, y_.data());
  if (ab4_) start_ = y_;
  if (!keeper_.idle() && !kept(t, keeper_.after_step(t, y_.data(), certification_.near_singular()))) return false;
  if (ab4_ && jumped()) ab4_->restart();
  return !quasi_ || moved_ == y_ || take_quasi_velocities(t);
}

// The correction from start_ to y_ is not the drift of one step.
bool Run::jumped() const {
  double moved = 0, change = 0, size = 1;
  for (std::uint32_t i = layout_.speeds_at(); i < layout_.states_at(); ++i) {
    moved = std::max(moved, std::fabs(y_[i] - start_[i]));
    change = std::max(change, options_.step * std::fabs(k1_[i]));
    size = std::max(size, std::fabs(y_[i]));
  }
  return moved > kHistoryJump * change && moved > kHistoryRoundOff * size;
}

bool Run::kept(double t, ConstraintKeeper::Outcome made) {
  data_.largest_correction = std::max(data_.largest_correction, made.moved);
  if (!made.conflicting.empty()) return end(RunStatus::stopped, conflict_diagnostic(info_, made.conflicting, t));
  return !made.diagnostic || end(RunStatus::stopped, std::move(*made.diagnostic));
}

}  // namespace mbc::runtime
