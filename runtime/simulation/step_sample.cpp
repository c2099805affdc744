// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/step_sample.h"

#include <algorithm>
#include <cmath>

namespace mbc::runtime {

namespace {

// One step of so many, of which the first is not the first of the run: of rk4 7 evaluations for 4 x 512.
constexpr std::uint64_t kEvery = 512, kFirst = 16;

// The error of a step of size h by its difference to two halves: 2^p/(2^p - 1) by order p. The halves of ab4 are rk4's.
double error_by_difference(Integrator method) {
  const auto of_order = [](int p) { return 1 + 1 / (std::ldexp(1.0, p) - 1); };
  switch (method) {
    case Integrator::rk4:
    case Integrator::gauss4:
      return of_order(4);
    case Integrator::dopri5:
      return of_order(5);
    case Integrator::gauss6:
      return of_order(6);
    case Integrator::dop853:
    case Integrator::automatic:
      return of_order(8);
    case Integrator::ab4:  // the error of rk4's halves is small beside its own
    case Integrator::taylor:
    case Integrator::bdf:  // these look at their own errors
      break;
  }
  return 1;
}

}  // namespace

void StepSample::make() {
  sizes_.emplace(run_.info, run_.layout, run_.length());
  sums_.assign(size(), 0);
  largest_ = when_ = sums_;
}

bool StepSample::takes(bool regular) {
  if (!regular || run_.data.steps % kEvery != kFirst) return false;
  IntegratedState& integrated = run_.integrated;
  const Integrator method = run_.options.integrator;
  if (!other_) other_.emplace(method == Integrator::ab4 ? Integrator::rk4 : method, integrated.y().size());
  if (!sizes_) make();
  sizes_->look(integrated.y());
  from_ = integrated.state();
  rate_ = integrated.rate();
  return true;
}

std::int32_t StepSample::rhs(double t, const double* y, double* dy) {
  return run_.integrated.in_quasi_velocities() ? run_.equations.rhs_of_quasi_state(t, y, dy)
                                               : run_.equations.rhs(t, y, dy);
}

std::int32_t StepSample::half(double t, double h) {
  const auto rate = [this](double at, const double* y, double* dy) { return rhs(at, y, dy); };
  if (other_->rk4) return other_->rk4->step(rate, t, h, from_, rate_);
  if (other_->gauss) return other_->gauss->step(rate, t, h, from_, rate_);
  const auto made = [&](auto& method) {
    const std::int32_t failed = method.step(rate, t, h, from_, rate_);
    if (failed == 0) from_ = method.y_new();
    return failed;
  };
  return other_->dopri5 ? made(*other_->dopri5) : made(*other_->dop853);
}

void StepSample::look(double t, double h) {
  IntegratedState& integrated = run_.integrated;
  if (half(t, h / 2) != 0 || rhs(t + h / 2, from_.data(), rate_.data()) != 0 || half(t + h / 2, h / 2) != 0) return;
  sizes_->look(integrated.y());
  ++run_.data.accuracy.looked_at;
  const double of_difference = error_by_difference(run_.options.integrator);
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
  sizes_->look(run_.integrated.y());
  Accuracy& found = run_.data.accuracy;
  for (std::uint32_t i = 0; i < size(); ++i) {
    const double of = (*sizes_)[run_.integrated.in_quasi_velocities() ? run_.integrated.entry_of(i) : i];
    found.sum = std::max(found.sum, sums_[i] / of);
    if (largest_[i] / of <= found.largest) continue;
    found.largest = largest_[i] / of;
    found.when = when_[i];
  }
}

}  // namespace mbc::runtime
