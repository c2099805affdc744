// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/energy_monitor.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/same_bits.h"
#include "runtime/equations/user_place.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr double kMissed = 1e-6;    // of the energy exchanged: error of a step that is not checked
constexpr double kTimes = 100;      // times the error that the step size explains: largest error of a step
constexpr double kDrift = 1e-2;     // of the energy exchanged: change by drift off the constraints in a step
constexpr double kConverges = 0.5;  // of the error of the whole step: largest error of the most pieces
constexpr double kUsual = 4;        // times the usual error of steps: a larger one is checked
constexpr double kForgets = 0.9;    // decay of the usual error per step
constexpr double kEnergyMonitorRounding = 1e-11;  // of the energies
// Rounding of positions in rows, relative to eps times the largest coordinate
constexpr double kEnergyMonitorRows = 64;
constexpr int kFiner[] = {2, 3, 5, 16};
constexpr std::uint64_t kEnergyMonitorMostSteps = 100;  // between two rows, checked together

// Makes one step of a method; the state at its end is in y.
bool piece(Method&& method, Equations& equations, double t, double h, std::vector<double>& y,
           std::vector<double>& rate) {
  const auto rhs = [&](double at, const double* state, double* dy) { return equations.rhs(at, state, dy); };
  return rhs(t, y.data(), rate.data()) == 0 && method.step(rhs, t, h, y, rate) == 0;
}

}  // namespace

void EnergyMonitor::transfer(Archive& archive) {
  archive(t_, missed_);
  archive.fixed_or_empty(y_, equations_.layout().n_y());
  archive.fixed_or_empty(inputs_, equations_.inputs().size());
  archive(param_changes_, instants_, steps_, usual_);
}

// Returns the energies in the work arrays minus the work done so far.
double EnergyMonitor::missed(const std::vector<double>& y) const {
  const std::size_t work = equations_.layout().work_at();
  return equations_.kinetic() + equations_.potential() - y[work] - y[work + 1];
}

bool EnergyMonitor::same_values(std::uint64_t instants) const {
  const auto inputs = equations_.inputs();
  return instants == instants_ && param_changes_ == equations_.param_changes() &&
         same_bits(inputs, inputs_);  // unknown values of tests and sweeps are not numbers
}

// Returns whether only steps lie between the last state and this one. A method that remembers rates, and steps that are
// checked together, use the old inputs for a while after a change.
bool EnergyMonitor::follows(double t, std::uint64_t instants, std::uint64_t steps) const {
  if (y_.empty() || !(t > t_) || !same_values(instants)) return false;
  const bool remembers = settings::remembers_rates(options_.integrator);
  if (remembers && options_.stabilisation == Stabilisation::partition) return false;  // the independent ones may change
  const bool alone = steps == steps_ + 1 && !remembers;
  return alone || (!options_.drive && steps > steps_ && steps - steps_ <= kEnergyMonitorMostSteps);
}

EnergyMonitor::Verdict EnergyMonitor::look(double t, const std::vector<double>& y, EnergyBalance& balance,
                                           std::uint64_t instants, std::uint64_t steps) {
  Verdict verdict = Verdict::stands;
  const double now = missed(y), change = now - missed_, exchanged = balance.exchanged;
  const double size = std::max(std::fabs(equations_.kinetic()), std::fabs(equations_.potential()));
  // Without projection the rows are off, and their work is not counted.
  const bool drifts =
      options_.stabilisation == Stabilisation::none || options_.stabilisation == Stabilisation::baumgarte;
  const double least =
      std::max((drifts ? kDrift : kMissed) * exchanged, kEnergyMonitorRounding * std::max(size, exchanged));
  usual_ *= kForgets;
  if (follows(t, instants, steps) && !(std::fabs(change) <= std::max(least, kUsual * usual_))) {
    made_ = static_cast<int>(steps - steps_);
    verdict = Verdict::looked;
    if (const double rounding = rounding_of_forces(t, y); std::fabs(change) <= rounding) {
      balance.rounded += rounding;
    } else if (const double clock = rounding_of_clock(t, y); std::fabs(change) <= clock) {
      balance.rounded += clock;
    } else if (explained(t, y, change)) {
      usual_ = std::max(usual_, std::fabs(change));
    } else {
      unexplained_ = change;
      exchanged_ = exchanged;
      verdict = Verdict::failed;
    }
  }
  t_ = t;
  missed_ = now;
  y_ = y;
  inputs_.assign(equations_.inputs().begin(), equations_.inputs().end());
  param_changes_ = equations_.param_changes();
  instants_ = instants;
  steps_ = steps;
  return verdict;
}

Diagnostic EnergyMonitor::failure() const {
  Diagnostic d = diagnostic_of(
      Kind::energy_unexplained, t_, {text::short_number(std::fabs(unexplained_), 2), text::short_number(exchanged_, 2)},
      options_.chooses_steps()
          ? "look for a singular position there (`mbc doctor`), or compare with another formulation (`mbc compare`)"
          : "use a smaller step, or `integrator = auto`; if it stops at the same time, look for a singular position "
            "there (`mbc doctor`)");
  if (made_ > 1) d.notes.emplace_back("looked at from row to row, " + std::to_string(made_) + " steps at a time");
  return d;
}

// Returns whether an operation of the equations or energies switches between two states.
bool EnergyMonitor::switches(double from, const std::vector<double>& y, double to, const std::vector<double>& y_new) {
  return equations_.jump_between(Equations::k_rhs, from, y.data(), to, y_new.data()) ||
         equations_.jump_between(Equations::k_outputs, from, y.data(), to, y_new.data());
}

// Returns the energy that rounding of forces and positions explains. A model at rest exchanges no energy that rounding
// could be compared with. The rounding of balanced forces moves it, by little compared with what the forces would do
// alone.
double EnergyMonitor::rounding_of_forces(double t, const std::vector<double>& y) {
  const double positions = projector_.work_of_rounding(y.data());
  if (equations_.beyond_dense() || equations_.assemble(t, y.data(), assembled_, false) != 0) return positions;
  const double h = t - t_, gained = h * assembled_.scaling.norm(assembled_.free_acceleration());
  const double forces = kEnergyMonitorRounding * 0.5 * gained * gained + positions;
  if (options_.stabilisation != Stabilisation::baumgarte) return forces;
  // Baumgarte's terms amplify the rounding of positions.
  double farthest = 0;
  for (std::uint32_t i = 0; i < equations_.layout().n_coordinates; ++i) farthest = std::max(farthest, std::fabs(y[i]));
  const double off = kEnergyMonitorRows * kEpsilon * farthest * std::sqrt(assembled_.M.trace());
  const double decays = h * options_.beta * options_.beta * off;
  return forces + 0.5 * decays * decays;
}

// Returns the energy that the rounding of the time explains, at both ends of the step.
double EnergyMonitor::rounding_of_clock(double t, const std::vector<double>& y) {
  const double h = t - t_;
  if (kEpsilon * std::fabs(t) <= kClockRounding * h) return 0;
  return kClockRoundings * std::max(moved_by_clock(t_, y_, h), moved_by_clock(t, y, h));
}

// Returns what the next time on the clock makes of the energy, and of the work in a step of h. What rows and formulas
// lead by the time moves meanwhile, and forces work on it. Zero where something is undefined.
double EnergyMonitor::moved_by_clock(double t, const std::vector<double>& y, double h) {
  const std::size_t work = equations_.layout().work_at();
  const auto at = [&](double time, std::vector<double>& rate) {
    rate.resize(y.size());
    if (equations_.rhs(time, y.data(), rate.data()) != 0) return std::numeric_limits<double>::quiet_NaN();
    equations_.outputs(time, y.data(), rate.data());
    return missed(y);
  };
  const double energy = at(t, rate_), later = at(t + kEpsilon * std::fabs(t), before_);
  const double power = std::fabs(rate_[work]) + std::fabs(rate_[work + 1]);
  const double turned = std::fabs(before_[work] - rate_[work]) + std::fabs(before_[work + 1] - rate_[work + 1]);
  const double moved = std::fabs(later - energy) + kEpsilon * std::fabs(t) * power + h * turned;
  return std::isfinite(moved) ? moved : 0;
}

// Returns whether the errors of steps of this size explain the change of energy.
bool EnergyMonitor::explained(double t, const std::vector<double>& y, double change) {
  if (switches(t_, y_, t, y)) return true;
  const std::optional<double> whole = as_made(t);
  if (!whole) return true;
  whole_ = trial_;
  double most = 0, finest = 0;
  for (const int finer : kFiner) {
    const std::optional<double> found = change_in(finer * made_, t);
    if (!found) return true;
    most = std::max(most, std::fabs(*found - *whole));
    finest = std::fabs(*found);
  }
  return finest <= kConverges * std::fabs(change) && (std::fabs(change) <= kTimes * most || is_near(y));
}

// Returns whether the state is about as close to that of the most pieces as the state of the whole step is. A
// correction that follows from the error of the step moves it no farther, but may cost more energy than the error
// itself.
bool EnergyMonitor::is_near(const std::vector<double>& y) const {
  const kernel::SystemLayout& l = equations_.layout();
  const auto farthest = [&](const std::vector<double>& from, std::size_t begin, std::size_t end) {
    double most = 0;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, std::fabs(from[i] - trial_[i]));
    return most;
  };
  return farthest(y, 0, l.speeds_at()) <= kTimes * farthest(whole_, 0, l.speeds_at()) &&
         farthest(y, l.speeds_at(), l.states_at()) <= kTimes * farthest(whole_, l.speeds_at(), l.states_at());
}

// Returns the method that makes one step of the order of the run.
Method EnergyMonitor::single() const { return {settings::info_of(options_.integrator).single, trial_.size()}; }

// Repeats the steps by the method of the run and returns the unexplained change of energy, or nothing if a value is
// undefined or an operation switches.
std::optional<double> EnergyMonitor::as_made(double t) {
  const double h = (t - t_) / made_;
  if (settings::remembers_rates(options_.integrator)) {
    if (!by_history(t, h)) return {};
    return change_to(t);
  }
  if (made_ == 1) return change_in(1, t);
  trial_ = y_;
  rate_.resize(trial_.size());
  for (int i = 0; i < made_; ++i) {
    before_ = trial_;
    if (!piece(single(), equations_, t_ + i * h, h, trial_, rate_) ||
        switches(t_ + i * h, before_, t_ + (i + 1) * h, trial_))
      return {};
  }
  return change_to(t);
}

// Repeats the steps by a method that remembers rates. It gets those of the motion before, computed backwards.
bool EnergyMonitor::by_history(double t, double h) {
  const int remembered = settings::info_of(options_.integrator).order - 1;
  trial_ = y_;
  rate_.resize(trial_.size());
  const auto rhs = [&](double at, const double* state, double* dy) { return equations_.rhs(at, state, dy); };
  for (int i = 0; i < remembered; ++i)
    if (!piece(single(), equations_, t_ - i * h, -h, trial_, rate_)) return false;
  Method method(options_.integrator, trial_.size());
  for (int i = -remembered; i < made_; ++i) {
    const double from = t_ + i * h;
    if (i == 0) trial_ = y_;
    before_ = trial_;
    if (rhs(from, trial_.data(), rate_.data()) != 0 || method.step(rhs, from, h, trial_, rate_) != 0 ||
        switches(from, before_, i + 1 == made_ ? t : from + h, trial_))
      return false;
  }
  return true;
}

// Returns the unexplained change over so many steps of a one-step method of the same order.
std::optional<double> EnergyMonitor::change_in(int pieces, double t) {
  trial_ = y_;
  rate_.resize(trial_.size());
  const double h = (t - t_) / pieces;
  for (int i = 0; i < pieces; ++i)
    if (!piece(single(), equations_, t_ + i * h, h, trial_, rate_)) return {};
  return change_to(t);
}

// Returns the unexplained change up to the state in trial_.
std::optional<double> EnergyMonitor::change_to(double t) {
  if (equations_.rhs(t, trial_.data(), rate_.data()) != 0) return {};
  equations_.outputs(t, trial_.data(), rate_.data());
  const double change = missed(trial_) - missed_;
  if (!std::isfinite(change)) return {};
  return change;
}

}  // namespace mbc::runtime
