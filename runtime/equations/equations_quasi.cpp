// SPDX-License-Identifier: Apache-2.0
// Equations of motion in independent speeds: the choice of quasi-velocities, and the state z = [q; y; s] in terms of
// them.
#include <algorithm>
#include <cmath>

#include "runtime/equations/equations.h"

namespace mbc::runtime {

namespace {
constexpr double kAged = 0.5;    // of the quality (mbc_quasi_solve) at the time of the choice
constexpr double kBetter = 1.5;  // what another choice must offer
}  // namespace

void Equations::set_choice(const SpeedChoice& choice) {
  const kernel::QuasiLayout& q = *layout_.quasi;
  if (choice.y != choice_.y) ++choices_;
  choice_ = choice;
  std::copy(choice.y.begin(), choice.y.end(), work_.begin() + q.choice);
  chosen_for_ = mask;
  chosen_ = true;
}

// Directions of the momenta are constants of the functions that solve; for the choice they are wanted before the first.
std::int32_t Equations::rhs_by_quasi_velocities(double t, const double* y, double* dy) {
  const auto evaluate = [&] { return call(k_rhs, t, y, choice_.taken.data(), dy); };
  const auto choose = [&] {
    call(k_rates, t, y, mask.data(), scratch_dy_.data());
    set_choice(choose_speeds(layout_, work_.data(), mask));
  };
  bool fresh = !chosen_ || chosen_for_ != mask;
  if (fresh) choose();
  std::int32_t failed = evaluate();
  if (failed != 0 && !fresh && speeds_lost()) {
    if (!lost_rows(t, y).empty()) return failed;  // not the choice: the rank of the rows has changed
    choose();
    fresh = true;
    failed = evaluate();
  }
  if (fresh) chosen_quality_ = work_[layout_.quasi->quality];
  return failed;
}

std::vector<std::size_t> Equations::lost_rows(double t, const double* y) {
  call(k_rates, t, y, mask.data(), scratch_dy_.data());
  const SpeedChoice there = choose_speeds(layout_, work_.data(), mask);
  std::vector<std::size_t> lost;
  for (std::size_t k = 0; k < there.taken.size(); ++k)
    if (choice_.taken[k] != 0 && there.taken[k] == 0) lost.push_back(k);
  return lost;
}

bool Equations::renew_speeds(double t, const double* y, double* dy) {
  const double quality = work_[layout_.quasi->quality];
  if (quality >= kAged * chosen_quality_) return false;
  const SpeedChoice before = choice_;
  const std::uint64_t count = choices_;
  call(k_rates, t, y, mask.data(), scratch_dy_.data());
  set_choice(choose_speeds(layout_, work_.data(), mask));
  const bool other = choice_.y != before.y;
  const std::int32_t failed = call(k_rhs, t, y, choice_.taken.data(), dy);
  chosen_quality_ = work_[layout_.quasi->quality];
  if (failed == 0 && other && chosen_quality_ > kBetter * quality) return true;
  set_choice(before);
  choices_ = count;
  chosen_quality_ = quality;  // a choice that is not beaten is measured from here on
  call(k_rhs, t, y, choice_.taken.data(), dy);
  return false;
}

std::int32_t Equations::rhs_quasi(double t, const double* z, double* dz) {
  return call(k_rhs_quasi, t, z, choice_.taken.data(), dz);
}

std::int32_t Equations::to_quasi(double t, const double* y, double* z) {
  const kernel::QuasiLayout& q = *layout_.quasi;
  const std::uint32_t at = layout_.speeds_at(), n = layout_.n_speeds;
  const std::int32_t failed = call(k_rates, t, y, choice_.taken.data(), scratch_dy_.data());
  std::copy(y, y + layout_.n_y(), z);
  for (std::uint32_t k = 0; k < n; ++k) {
    double value = 0;
    if (k < choice_.count && choice_.y[k] < n) value = y[at + static_cast<std::uint32_t>(choice_.y[k])];
    if (k < choice_.count && choice_.y[k] >= n) {
      const auto row = static_cast<std::uint32_t>(choice_.y[k]) - n;
      value = work_[q.Z + row];
      for (std::uint32_t e = q.row_ptr[row]; e < q.row_ptr[row + 1]; ++e) value += work_[q.Y + e] * y[at + q.column[e]];
    }
    z[at + k] = value;
  }
  return failed;
}

std::int32_t Equations::to_speeds(double t, const double* z, double* y) {
  const std::int32_t failed = call(k_expand, t, z, choice_.taken.data(), scratch_dy_.data());
  if (y != z) std::copy(z, z + layout_.n_y(), y);
  std::copy_n(work_.begin() + layout_.quasi->u, layout_.n_speeds, y + layout_.speeds_at());
  return failed;
}

void Equations::quasi_rate(const double* dy, double* dz) const {
  std::copy(dy, dy + layout_.n_y(), dz);
  std::copy_n(work_.begin() + layout_.quasi->y_rate, layout_.n_speeds, dz + layout_.speeds_at());
}

// G = C (M u + N)
void Equations::hold_momenta(double t, const double* y) {
  const kernel::QuasiLayout& q = *layout_.quasi;
  if (q.n_momenta == 0) return;
  call(k_rates, t, y, mask.data(), scratch_dy_.data());
  const double* u = y + layout_.speeds_at();
  std::vector<double> momentum(work_.begin() + q.momentum_offset, work_.begin() + q.momentum_offset + layout_.n_speeds);
  for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
    const auto [i, j] = layout_.mass[k];
    momentum[i] += work_[layout_.M + k] * u[j];
    if (i != j) momentum[j] += work_[layout_.M + k] * u[i];
  }
  for (std::uint32_t k = 0; k < q.n_momenta; ++k) {
    double sum = 0;
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      sum += work_[q.direction + k * layout_.n_speeds + i] * momentum[i];
    work_[q.momentum + k] = sum;
  }
}

}  // namespace mbc::runtime
