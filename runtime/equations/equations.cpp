// SPDX-License-Identifier: Apache-2.0
// Equations chooses the method by which each evaluation is made.
#include "runtime/equations/equations.h"

#include <cmath>

#include "kernel/limits.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr double kLeftAtRest = 1e-6;  // of the free accelerations: rounding that is left if rows hold everything

}  // namespace

Equations::Equations(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource native,
                     const std::vector<double>& params)
    : KernelRunner(kernel, layout, std::move(native)),
      large_(is_large(layout)),
      beyond_dense_(is_beyond_dense(layout)),
      dense_(*this),
      quasi_(*this) {
  std::copy(params.begin(), params.end(), params_.begin());
}

void Equations::forget() {
  clear_work();
  mode_ = SolveMode::fast;
  set_determined({}, {});
  literal_tolerance_ = 1e-10;
  dense_.forget();
  quasi_.forget();
  // The pauses must not depend on the engine where the fast function of a system in lanes gives other bits.
  if (engines().fast_has_bits()) restart_fast_rhs();
}

std::int32_t Equations::rhs_in(SolveMode mode, double t, const double* y, double* dy) {
  const std::int32_t failed =
      dependent_forces_.act(inputs_) ? rhs_with_dependent_forces(mode, t, y, dy) : explicit_rhs(mode, t, y, dy);
  if (failed == 0 && !determined_rows_.empty()) rest_where_determined(t, y, dy);
  return failed;
}

// Sets the accelerations of determined speeds to zero. Accelerations above the rounding of the forces do not come from
// such rows: their gradients have changed.
void Equations::rest_where_determined(double t, const double* y, double* dy) {
  assemble(t, y);
  const auto moves = [this](std::uint32_t row) { return work_[layout_.b + row] != 0; };
  if (std::any_of(determined_rows_.begin(), determined_rows_.end(), moves)) return;
  double left = 0, acts = 0;
  for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
    const auto [i, j] = layout_.mass[k];
    const double inertia = work_[layout_.M + k], f = work_[layout_.f + i], made = dy[layout_.speeds_at() + i];
    if (i != j || !(inertia > 0) || !std::binary_search(determined_speeds_.begin(), determined_speeds_.end(), i))
      continue;
    left += inertia * made * made;
    acts += f * f / inertia;
  }
  if (left > kLeftAtRest * kLeftAtRest * acts) return;
  for (const std::uint32_t j : determined_speeds_) dy[layout_.speeds_at() + j] *= 0;  // keeps its sign
}

std::int32_t Equations::rhs_with_dependent_forces(SolveMode mode, double t, const double* y, double* dy) {
  std::int32_t failed = 0;
  if (find_dependent_forces(mode, t, y, dy, failed) || failed != 0) return failed;
  const std::uint32_t first = layout_.speeds_at();
  dy[first] = std::nan("");
  return static_cast<std::int32_t>(first) + 1;
}

bool Equations::find_dependent_forces(SolveMode mode, double t, const double* y, double* dy, std::int32_t& failed) {
  dependent_forces_.solved();
  const auto evaluate = [&]() -> const double* {
    failed = explicit_rhs(mode, t, y, dy);
    if (failed != 0) return nullptr;
    if (shared_.smallest) shared_.smallest(t, y);
    outputs(t, y, dy);
    return output_values();
  };
  const auto values = [&](const Eigen::VectorXd& multipliers) {
    set_lambda(multipliers);
    outputs(t, y, dy);
    return output_values();
  };
  const ReactionDependentForces::Evaluation evaluation{evaluate, values, {lambda(), layout_.n_rows}};
  bool found = dependent_forces_.solve(inputs_, evaluation);
  if (!found && failed == 0 && !beyond_dense()) {
    const std::vector<double> rounding = rounding_of_multipliers(t, y, dy);
    dependent_forces_.solved();
    found = !rounding.empty() && dependent_forces_.solve(inputs_, evaluation, rounding);
  }
  if (!found || !shared_.with_loads) return found;
  const std::optional<Eigen::VectorXd> shared = shared_.with_loads(t, y);
  if (!shared) return true;
  if (evaluate() == nullptr) return false;
  if (shared->size() > 0) values(*shared);
  return true;
}

// Returns a rounding bound for each multiplier that belongs to these accelerations, or nothing if they are not finite.
// In M u' = f + A^T lambda, measured in the norm of M, the terms that cancel have the size of u' or of f.
std::vector<double> Equations::rounding_of_multipliers(double t, const double* y, const double* dy) {
  Assembled s;
  if (assemble(t, y, s, false) != 0 || !s.scaling.valid()) return {};
  const Eigen::VectorXd made = Eigen::Map<const Eigen::VectorXd>(dy + layout_.speeds_at(), layout_.n_speeds);
  const double size = std::max(s.scaling.to_scaled(made).norm(), s.scaling.to_scaled(s.free_acceleration()).norm());
  if (!std::isfinite(size)) return {};
  const Eigen::MatrixXd rows = s.scaling.scale_rows(s.A);
  std::vector<double> out(layout_.n_rows);
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
    if (const double norm = rows.row(k).norm(); norm > 0) out[k] = kCancelled * size / norm;
  return out;
}

std::int32_t Equations::rhs_of_quasi_state(double t, const double* z, double* dz) {
  if (dependent_forces_.act(inputs_)) {
    speeds_state_.resize(layout_.n_y());
    aside_.resize(layout_.n_y());
    if (const std::int32_t failed = quasi_.to_speeds(t, z, speeds_state_.data()); failed != 0) return failed;
    if (const std::int32_t failed = rhs(t, speeds_state_.data(), aside_.data()); failed != 0) return failed;
  }
  return quasi_.rhs_of_quasi_state(t, z, dz);
}

std::int32_t Equations::explicit_rhs(SolveMode mode, double t, const double* y, double* dy) {
  if (mode != SolveMode::fast) return dense_.rhs(mode, literal_tolerance_, t, y, dy);
  if (layout_.quasi) return quasi_.rhs(t, y, dy);
  if (has(k_fast_full) && rows_of_lanes(mask) && call(k_fast_full, t, y, mask.data(), dy) == 0) return 0;
  return call(k_rhs, t, y, mask.data(), dy);
}

bool Equations::rows_of_lanes(const std::vector<double>& rows) const {
  if (static_cast<std::size_t>(std::count(rows.begin(), rows.end(), 1.0)) + layout_.lanes_without.size() != rows.size())
    return false;
  return std::all_of(layout_.lanes_without.begin(), layout_.lanes_without.end(),
                     [&rows](std::uint32_t row) { return rows[row] == 0; });
}

bool Equations::fast_rhs_considered(double t, const double* y, double* dy) {
  if (mode_ != SolveMode::fast || !has(k_fast_rhs)) return false;
  if (engines().fast_has_bits() && !engines().fast_is_faster()) return false;
  if (!fast_pause_.over()) return false;
  const bool good = (engines().fast_has_bits() || rows_of_lanes(mask)) && call(k_fast_rhs, t, y, mask.data(), dy) == 0;
  if (engines().fast_has_bits()) fast_code_ = engines().native(k_fast_rhs);
  if (good)
    fast_pause_.succeeded();
  else
    fast_pause_.refused();
  return good;
}

bool Equations::skipped_row() const {
  if (mode_ != SolveMode::fast) return dense_.skipped();
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k) {
    const double d = work_[layout_.pivot + k], s = work_[layout_.pivot_scale + k];
    if (mask[k] != 0 && d <= kernel::kPivotTolerance * s) return true;
  }
  return false;
}

bool Equations::has_inertia(double t, const double* y, Assembled& out) {
  if (large()) return sparse().without_inertia(t, y).empty();
  if (layout_.diagonal_mass() && layout_.mass.size() == layout_.n_speeds && own_inertia(t, y)) return true;
  assemble(t, y, out, false);
  return !out.solved_mass().allFinite() ||
         positive_definite(out.solved_mass());  // A matrix with entries that are not finite is reported elsewhere.
}

bool Equations::own_inertia(double t, const double* y) {
  if (!layout_.inertia_rows.empty()) return false;
  assemble(t, y);
  for (std::size_t k = 0; k < layout_.mass.size(); ++k)
    if (layout_.mass[k].first == layout_.mass[k].second && !(work_[layout_.M + k] > 0)) return false;
  return true;
}

void Equations::correct(bool position, double t, const double* y, const std::vector<double>& rows) {
  const FunctionIndex fast = position ? k_fast_position : k_fast_velocity;
  if (has(fast) && rows_of_lanes(rows) && call(fast, t, y, rows.data(), scratch()) == 0) {
    const double* from = scratch() + layout_.speeds_at();
    std::copy(from, from + layout_.n_speeds, work_.begin() + layout_.correction);
    return;
  }
  call(position ? k_correct_position : k_correct_velocity, t, y, rows.data(), scratch());
}

void Equations::row_defects(double t, const double* y, const double* dy, std::vector<double>& out) {
  out.resize(layout_.n_rows);
  assemble(t, y);
  for (std::uint32_t r = 0; r < layout_.n_rows; ++r) {
    double sum = -work_[layout_.b + r];
    for (std::uint32_t k = layout_.row_ptr[r]; k < layout_.row_ptr[r + 1]; ++k)
      sum += work_[layout_.A + k] * dy[layout_.speeds_at() + layout_.column[k]];
    out[r] = sum;
  }
}

void Equations::assemble_contacts(double t, const double* y) {
  call(has(k_contact_rows) ? k_contact_rows : k_assemble, t, y, mask.data(), scratch());
}

void Equations::contact_residuals(double t, const double* y) {
  call(has(k_contact_residuals) ? k_contact_residuals : k_residuals, t, y, mask.data(), scratch());
}

void Equations::clear_rows(const std::vector<std::uint32_t>& rows) {
  for (const std::uint32_t r : rows) {
    std::fill(work_.begin() + layout_.A + layout_.row_ptr[r], work_.begin() + layout_.A + layout_.row_ptr[r + 1], 0.0);
    work_[layout_.b + r] = 0;
  }
}

void Equations::energies(double t, const double* y, double* dy) {
  call(has(k_energies) ? k_energies : k_outputs, t, y, mask.data(), dy);
}

std::optional<kernel::Failure> Equations::failure(double t, const double* y) {
  if (std::optional<kernel::Failure> found = KernelRunner::failure(k_rhs, t, y)) return found;
  if (has(k_contact_rows))
    if (std::optional<kernel::Failure> found = KernelRunner::failure(k_contact_rows, t, y)) return found;
  return KernelRunner::failure(k_assemble, t, y);
}

std::optional<kernel::Failure> Equations::output_failure(double t, const double* y, const double* dy) {
  std::copy(dy, dy + kernel().n_state, scratch());
  return KernelRunner::failure(k_outputs, t, y);
}

}  // namespace mbc::runtime
