// SPDX-License-Identifier: Apache-2.0
// Chooses the quasi-velocities and converts the state to and from them.
#include "runtime/equations/quasi_equations.h"

#include <algorithm>

#include "runtime/tolerances.h"

namespace mbc::runtime {

void QuasiEquations::forget() {
  choice_ = {};
  chosen_for_.clear();
  chosen_ = false;
  chosen_quality_ = 0;
  choices_ = 0;
}

void QuasiEquations::transfer(Archive& archive) {
  archive(choice_.y, choice_.taken, choice_.count, choice_.left_out, choice_.complete);
  archive(chosen_for_, chosen_, chosen_quality_, choices_);
  const bool sized = layout_.quasi && choice_.y.size() == layout_.n_speeds && choice_.taken.size() == layout_.n_rows;
  archive.expect(sized || (!chosen_ && choice_.y.empty()));
  if (!layout_.quasi) return;
  for (const double part : choice_.taken) archive.expect(part == 0 || part == 1);
  archive.expect(chosen_for_.empty() || chosen_for_.size() == layout_.n_rows);
  archive.expect(choice_.fits(layout_));
  if (archive.reading() && archive.good() && sized)
    std::copy(choice_.y.begin(), choice_.y.end(), runner_.work_to_write().begin() + layout_.quasi->choice);
}

void QuasiEquations::set_choice(const SpeedChoice& choice) {
  if (choice.y != choice_.y) ++choices_;
  choice_ = choice;
  std::copy(choice.y.begin(), choice.y.end(), runner_.work_to_write().begin() + layout_.quasi->choice);
  chosen_for_ = runner_.mask;
  chosen_ = true;
}

// The choice needs the directions of the momenta before the first solution. The function `rates` writes them.
void QuasiEquations::choose(double t, const double* y) {
  runner_.call(KernelRunner::k_rates, t, y, runner_.mask.data(), runner_.scratch());
  set_choice(choose_speeds(layout_, runner_.work().data(), runner_.mask));
}

std::int32_t QuasiEquations::rhs(double t, const double* y, double* dy) {
  const auto evaluate = [&] { return runner_.call(KernelRunner::k_rhs, t, y, choice_.taken.data(), dy); };
  bool fresh = !chosen_ || chosen_for_ != runner_.mask;
  if (fresh) choose(t, y);
  std::int32_t failed = evaluate();
  if (failed != 0 && !fresh && lost()) {
    if (!lost_rows(t, y).empty()) return failed;  // The choice is not the cause here: the rank of the rows has changed.
    choose(t, y);
    fresh = true;
    failed = evaluate();
  }
  if (fresh) chosen_quality_ = quality();
  return failed;
}

std::vector<std::size_t> QuasiEquations::lost_rows(double t, const double* y) {
  runner_.call(KernelRunner::k_rates, t, y, runner_.mask.data(), runner_.scratch());
  const SpeedChoice there = choose_speeds(layout_, runner_.work().data(), runner_.mask);
  std::vector<std::size_t> lost;
  for (std::size_t k = 0; k < there.taken.size(); ++k)
    if (choice_.taken[k] != 0 && there.taken[k] == 0) lost.push_back(k);
  return lost;
}

bool QuasiEquations::renew(double t, const double* y, double* dy) {
  const double before_quality = quality();
  if (before_quality >= kSpeedsAged * chosen_quality_) return false;
  const SpeedChoice before = choice_;
  const std::uint64_t count = choices_;
  choose(t, y);
  const bool other = choice_.y != before.y;
  const std::int32_t failed = runner_.call(KernelRunner::k_rhs, t, y, choice_.taken.data(), dy);
  chosen_quality_ = quality();
  if (failed == 0 && other && chosen_quality_ > kBetterChoice * before_quality) return true;
  set_choice(before);
  choices_ = count;
  chosen_quality_ = before_quality;  // The choice stays, and its quality is compared with this value from here on.
  runner_.call(KernelRunner::k_rhs, t, y, choice_.taken.data(), dy);
  return false;
}

std::int32_t QuasiEquations::rhs_of_quasi_state(double t, const double* z, double* dz) {
  return runner_.call(KernelRunner::k_rhs_quasi, t, z, choice_.taken.data(), dz);
}

// Returns quasi-velocity k at a state: a speed, or a combination of speeds that the user has declared.
double QuasiEquations::value_of(std::uint32_t k, const double* y) const {
  const kernel::QuasiLayout& q = *layout_.quasi;
  const std::uint32_t at = layout_.speeds_at(), n = layout_.n_speeds;
  if (k >= choice_.count) return 0;
  if (choice_.y[k] < n) return y[at + static_cast<std::uint32_t>(choice_.y[k])];
  const auto row = static_cast<std::uint32_t>(choice_.y[k]) - n;
  const double* work = runner_.work().data();
  double value = work[q.Z + row];
  for (std::uint32_t e = q.row_ptr[row]; e < q.row_ptr[row + 1]; ++e) value += work[q.Y + e] * y[at + q.column[e]];
  return value;
}

std::int32_t QuasiEquations::to_quasi(double t, const double* y, double* z) {
  const std::int32_t failed = runner_.call(KernelRunner::k_rates, t, y, choice_.taken.data(), runner_.scratch());
  std::copy(y, y + layout_.n_y(), z);
  for (std::uint32_t k = 0; k < layout_.n_speeds; ++k) z[layout_.speeds_at() + k] = value_of(k, y);
  return failed;
}

std::int32_t QuasiEquations::to_speeds(double t, const double* z, double* y) {
  const std::int32_t failed = runner_.call(KernelRunner::k_expand, t, z, choice_.taken.data(), runner_.scratch());
  if (y != z) std::copy(z, z + layout_.n_y(), y);
  std::copy_n(runner_.work().begin() + layout_.quasi->u, layout_.n_speeds, y + layout_.speeds_at());
  return failed;
}

void QuasiEquations::quasi_rate(const double* dy, double* dz) const {
  std::copy(dy, dy + layout_.n_y(), dz);
  std::copy_n(runner_.work().begin() + layout_.quasi->y_rate, layout_.n_speeds, dz + layout_.speeds_at());
}

// The momenta are C (M u + N), where C holds their directions.
void QuasiEquations::hold_momenta(double t, const double* y) {
  const kernel::QuasiLayout& q = *layout_.quasi;
  if (q.n_momenta == 0) return;
  runner_.call(KernelRunner::k_rates, t, y, runner_.mask.data(), runner_.scratch());
  const std::span<double> work = runner_.work_to_write();
  const double* u = y + layout_.speeds_at();
  std::vector<double> momentum(work.begin() + q.momentum_offset, work.begin() + q.momentum_offset + layout_.n_speeds);
  for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
    const auto [i, j] = layout_.mass[k];
    momentum[i] += work[layout_.M + k] * u[j];
    if (i != j) momentum[j] += work[layout_.M + k] * u[i];
  }
  for (std::uint32_t k = 0; k < q.n_momenta; ++k) {
    double sum = 0;
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      sum += work[q.direction + k * layout_.n_speeds + i] * momentum[i];
    work[q.momentum + k] = sum;
  }
}

}  // namespace mbc::runtime
