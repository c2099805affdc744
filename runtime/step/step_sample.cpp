// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/step_sample.h"

#include <algorithm>
#include <cmath>

namespace mbc::runtime {

namespace {

// One step of so many, of which the first is not the first of the run: of rk4 7 evaluations for 4 x 512.
constexpr std::uint64_t kEvery = 512, kFirst = 16;

// The error of a step of size h by its difference to two halves: 2^p/(2^p - 1) by order p. Where another method makes
// the halves, its error is small beside that of the step.
double error_by_difference(Integrator method) {
  const settings::IntegratorInfo& info = settings::info_of(method);
  return info.single == method ? 1 + 1 / (std::ldexp(1.0, info.order) - 1) : 1;
}

}  // namespace

void StepSample::make() {
  sizes_.emplace(state_.info(), state_.layout(), plan_.length());
  sums_.assign(size(), 0);
  largest_ = when_ = sums_;
}

bool StepSample::takes(bool regular) {
  if (!regular || state_.data().steps % kEvery != kFirst) return false;
  IntegratedState& integrated = state_.integrated();
  if (!other_) other_.emplace(settings::info_of(plan_.options().integrator).single, integrated.y().size());
  if (!sizes_) make();
  sizes_->look(integrated.y());
  from_ = integrated.state();
  rate_ = integrated.rate();
  return true;
}

std::int32_t StepSample::rhs(double t, const double* y, double* dy) {
  return state_.integrated().in_quasi_velocities() ? state_.equations().rhs_of_quasi_state(t, y, dy)
                                                   : state_.equations().rhs(t, y, dy);
}

std::int32_t StepSample::half(double t, double h) {
  const auto rate = [this](double at, const double* y, double* dy) { return rhs(at, y, dy); };
  return other_->step(rate, t, h, from_, rate_);
}

void StepSample::look(double t, double h) {
  IntegratedState& integrated = state_.integrated();
  if (half(t, h / 2) != 0 || rhs(t + h / 2, from_.data(), rate_.data()) != 0 || half(t + h / 2, h / 2) != 0) return;
  sizes_->look(integrated.y());
  ++state_.data().accuracy.looked_at;
  const double of_difference = error_by_difference(plan_.options().integrator);
  for (std::size_t i = 0; i < size(); ++i) {
    const double error = of_difference * std::fabs(integrated.state()[i] - from_[i]);
    sums_[i] += error;
    if (error <= largest_[i]) continue;
    largest_[i] = error;
    when_[i] = t;
  }
}

void StepSample::report() {
  if (!sizes_) return;
  sizes_->look(state_.y());
  Accuracy& found = state_.data().accuracy;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const double of = (*sizes_)[state_.integrated().in_quasi_velocities() ? state_.integrated().entry_of(i) : i];
    found.sum = std::max(found.sum, sums_[i] / of);
    if (largest_[i] / of <= found.largest) continue;
    found.largest = largest_[i] / of;
    found.when = when_[i];
  }
}

}  // namespace mbc::runtime
