// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/step_sample.h"

#include <algorithm>
#include <cmath>

namespace mbc::runtime {

namespace {

// One step of so many, of which the first is not the first of the run: 7 evaluations for 4 x 512.
constexpr std::uint64_t kEvery = 512, kFirst = 16;
constexpr double kOfOrder4 = 16.0 / 15;  // the error of a step by the difference to two halves

}  // namespace

bool StepSample::takes(bool regular) {
  if (!run_.method.rk4 || !regular || run_.data.steps % kEvery != kFirst) return false;
  IntegratedState& integrated = run_.integrated;
  if (!method_) method_.emplace(integrated.y().size());
  if (!sizes_) sizes_.emplace(run_.info, run_.layout, run_.length());
  sizes_->look(integrated.y());
  from_ = integrated.state();
  rate_ = integrated.rate();
  return true;
}

void StepSample::look(double t, double h) {
  IntegratedState& integrated = run_.integrated;
  const bool quasi = integrated.in_quasi_velocities();
  const auto rhs = [&](double at, const double* y, double* dy) {
    return quasi ? run_.equations.rhs_of_quasi_state(at, y, dy) : run_.equations.rhs(at, y, dy);
  };
  if (method_->step(rhs, t, h / 2, from_, rate_) != 0 || rhs(t + h / 2, from_.data(), rate_.data()) != 0 ||
      method_->step(rhs, t + h / 2, h / 2, from_, rate_) != 0)
    return;
  sizes_->look(integrated.y());
  double error = 0;
  for (std::uint32_t i = 0; i < run_.layout.work_at(); ++i) {
    const std::size_t place = quasi ? integrated.entry_of(i) : i;
    error = std::max(error, std::fabs(integrated.state()[i] - from_[i]) / (*sizes_)[place]);
  }
  run_.data.accuracy.add(kOfOrder4 * error, t);
}

}  // namespace mbc::runtime
