// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/data/energy_net.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "runtime/integrators/dop853.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/rk4.h"

namespace mbc::runtime {

namespace {

constexpr double kMissed = 1e-6;     // of the energy exchanged: what a step may miss unseen
constexpr double kTimes = 100;       // times the error that its size explains: what it may miss at most
constexpr double kDrift = 1e-2;      // of the energy exchanged: what drift off the constraints may add in a step
constexpr double kConverges = 0.5;   // of what the whole step misses: what it may miss in the most pieces
constexpr double kUsual = 4;         // times what steps missed before: from here on one is looked at
constexpr double kForgets = 0.9;     // of what they missed, from step to step
constexpr double kRounding = 1e-11;  // of the energies
constexpr int kPieces[] = {2, 3, 5, 16};

// One piece of the order of the method of the run; the state at its end is in y.
bool piece(Integrator integrator, Equations& equations, double t, double h, std::vector<double>& y,
           std::vector<double>& rate) {
  const auto rhs = [&](double at, const double* state, double* dy) { return equations.rhs(at, state, dy); };
  if (rhs(t, y.data(), rate.data()) != 0) return false;
  const auto of_order = [&](auto method) {
    if (method.step(rhs, t, h, y, rate) != 0) return false;
    y = method.y_new();
    return true;
  };
  switch (integrator) {
    case Integrator::dop853:
    case Integrator::dop853_fixed:
      return of_order(Dop853(y.size()));
    case Integrator::dopri5:
    case Integrator::dopri5_fixed:
      return of_order(Dopri5(y.size()));
    default:
      return Rk4(y.size()).step(rhs, t, h, y, rate) == 0;
  }
}

}  // namespace

void EnergyNet::transfer(Archive& archive) {
  archive(t_, missed_, y_, inputs_, param_changes_, instants_, usual_);
  archive.expect(y_.empty() || y_.size() == equations_.layout().n_y());
}

// Energies that the work arrays hold, less the work done until then.
double EnergyNet::missed(const std::vector<double>& y) const {
  const std::size_t work = equations_.layout().work_at();
  return equations_.kinetic() + equations_.potential() - y[work] - y[work + 1];
}

bool EnergyNet::same_values(std::uint64_t instants) const {
  const auto inputs = equations_.inputs();
  return instants == instants_ && param_changes_ == equations_.param_changes() &&
         std::equal(inputs.begin(), inputs.end(), inputs_.begin(), inputs_.end());
}

EnergyNet::Verdict EnergyNet::look(double t, const std::vector<double>& y, double exchanged, std::uint64_t instants) {
  Verdict verdict = Verdict::stands;
  const double now = missed(y), change = now - missed_;
  const double size = std::max(std::fabs(equations_.kinetic()), std::fabs(equations_.potential()));
  // a method that remembers rates goes on for some steps with those from before a switch
  const bool follows = !y_.empty() && options_.integrator != Integrator::ab4 && t > t_ && same_values(instants);
  // rows that are off do work that is not counted
  const bool drifts =
      options_.stabilisation == Stabilisation::none || options_.stabilisation == Stabilisation::baumgarte;
  const double least = std::max((drifts ? kDrift : kMissed) * exchanged, kRounding * std::max(size, exchanged));
  usual_ *= kForgets;
  if (follows && !(std::fabs(change) <= std::max(least, kUsual * usual_))) {
    if (explained(t, y, change)) {
      usual_ = std::max(usual_, std::fabs(change));
      verdict = Verdict::looked;
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
  return verdict;
}

Diagnostic EnergyNet::failure() const {
  Diagnostic d;
  d.kind = Kind::energy_unexplained;
  d.args = {text::short_number(std::fabs(unexplained_), 2), text::short_number(exchanged_, 2)};
  d.time = t_;
  d.help =
      chooses_steps(options_.integrator)
          ? "look for a singular position there (`mbc doctor`), or compare with another formulation (`mbc compare`)"
          : "use a smaller step, or `integrator = auto`; if it stops at the same time, look for a singular position "
            "there (`mbc doctor`)";
  return d;
}

// Whether steps of this size miss what this one does.
bool EnergyNet::explained(double t, const std::vector<double>& y, double change) {
  for (const auto which : {Equations::k_rhs, Equations::k_outputs})
    if (equations_.jump_between(which, t_, y_.data(), t, y.data())) return true;
  const std::optional<double> whole = change_in(1, t);
  if (!whole) return true;
  whole_ = trial_;
  double most = 0, finest = 0;
  for (const int pieces : kPieces) {
    const std::optional<double> finer = change_in(pieces, t);
    if (!finer) return true;
    most = std::max(most, std::fabs(*finer - *whole));
    finest = std::fabs(*finer);
  }
  return finest <= kConverges * std::fabs(change) && (std::fabs(change) <= kTimes * most || is_near(y));
}

// Whether the state is as near to that of the most pieces as that of the whole step is: a correction that follows from
// the error of the step moves it no farther, but may cost more energy than the error itself.
bool EnergyNet::is_near(const std::vector<double>& y) const {
  const kernel::SystemLayout& l = equations_.layout();
  const auto farthest = [&](const std::vector<double>& from, std::size_t begin, std::size_t end) {
    double most = 0;
    for (std::size_t i = begin; i < end; ++i) most = std::max(most, std::fabs(from[i] - trial_[i]));
    return most;
  };
  return farthest(y, 0, l.speeds_at()) <= kTimes * farthest(whole_, 0, l.speeds_at()) &&
         farthest(y, l.speeds_at(), l.states_at()) <= kTimes * farthest(whole_, l.speeds_at(), l.states_at());
}

// What the energy misses over the step, made anew in so many pieces; nothing where it is undefined.
std::optional<double> EnergyNet::change_in(int pieces, double t) {
  trial_ = y_;
  rate_.resize(trial_.size());
  const double h = (t - t_) / pieces;
  for (int i = 0; i < pieces; ++i)
    if (!piece(options_.integrator, equations_, t_ + i * h, h, trial_, rate_)) return {};
  if (equations_.rhs(t, trial_.data(), rate_.data()) != 0) return {};
  equations_.outputs(t, trial_.data(), rate_.data());
  const double change = missed(trial_) - missed_;
  if (!std::isfinite(change)) return {};
  return change;
}

}  // namespace mbc::runtime
