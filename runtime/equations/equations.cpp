// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/equations.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "kernel/limits.h"

namespace mbc::runtime {

namespace {
constexpr const char* kNames[] = {"rhs",
                                  "assemble",
                                  "constraint_power",
                                  "residuals",
                                  "correct_position",
                                  "correct_velocity",
                                  "outputs",
                                  "nonideal",
                                  "rates",
                                  "expand",
                                  "rhs_quasi",
                                  "stage",
                                  "stage_position",
                                  "stage_velocity",
                                  "stage_full"};
}

Equations::Equations(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, Compiler compiler)
    : mask(layout.n_rows, 1.0),
      kernel_(kernel),
      layout_(layout),
      compiler_(std::move(compiler)),
      registers_(kernel::make_registers(kernel)),
      params_(kernel.n_params),
      inputs_(kernel.n_inputs),
      work_(kernel.n_work),
      scratch_dy_(kernel.n_state) {
  for (int k = 0; k < k_count; ++k) {
    functions_[k] = kernel.function(kNames[k]);
    std::uint64_t operations = 1;
    if (functions_[k])
      for (const kernel::Block& b : functions_[k]->blocks) operations += std::uint64_t{b.code.size()} * b.count;
    worth_[k] =
        static_cast<std::uint32_t>(std::clamp<std::uint64_t>(kWorthOperations / operations, 2, kWorthCompiling));
  }
  worth_[k_stage] = kWorthLeanCode;
  for (int k = 0; k < k_count; ++k)
    if (too_long(k)) worth_[k] = kAsked;
  lean_bits_ = !layout.laned;
  if (!lean_bits_ && compiler_) compiled_[k_stage] = compiler_(*functions_[k_stage]);
  for (const FunctionIndex k : {k_rhs, main_rhs()})
    if (compiler_ && functions_[k] && !compiled_[k]) compiled_[k] = compiler_(*functions_[k]);
  if (!large()) robust_.reserve(static_cast<int>(layout.n_rows), static_cast<int>(layout.n_speeds));
}

// Written out over very many parts, as an energy in an output: compiling it takes minutes, a call a few milliseconds.
bool Equations::too_long(int which) const {
  return functions_[which] && which != main_rhs() && size_of(*functions_[which]).code > kLongestCode;
}

void Equations::compile_in_background(kernel::NativeStarter starter) {
  starter_ = std::move(starter);
  for (int k = 0; k < k_count; ++k) {
    if (!functions_[k]) continue;
    const kernel::FunctionSize size = size_of(*functions_[k]);
    worth_opening_[k] = calls_worth_compiling(size, true);
    worth_[k] = k == main_rhs() ? worth_opening_[k] : calls_worth_compiling(size, false);
    if (too_long(k)) worth_[k] = worth_opening_[k] = kAsked;
  }
  if (lean_bits_) worth_[k_stage] = worth_opening_[k_stage] = kAsked;  // after rhs: stage_is_faster()
}

void Equations::expect_calls(double rhs_calls) {
  if (!starter_) return;
  for (const FunctionIndex which : {k_stage, main_rhs()})  // most calls are of the first
    if (functions_[which] && !slots_[which] && calls_[which] + rhs_calls >= worth_[which]) start(which);
}

kernel::EnginesUsed Equations::engines_used() const {
  return {native_rhs_ || (!interpreted_rhs_ && compiled_[main_rhs()] != nullptr), interpreted_rhs_};
}

void Equations::start(FunctionIndex which) {
  calls_[which] = kAsked;  // whatever the answer
  slots_[which] = starter_(*functions_[which]);
  any_started_ = true;
}

// A function that has no native code yet is about to be called.
void Equations::consider_native(FunctionIndex which) {
  if (compiler_) {
    if (calls_[which] < worth_[which] && ++calls_[which] == worth_[which])
      compiled_[which] = compiler_(*functions_[which]);
  } else if (slots_[which]) {
    compiled_[which] = slots_[which]->load(std::memory_order_acquire);
  } else if (starter_ && calls_[which] < kAsked - 1 &&
             ++calls_[which] >= (any_started_ ? worth_ : worth_opening_)[which]) {
    start(which);
  }
}

void Equations::forget() {
  mode = SolveMode::fast;
  literal_tolerance = 1e-10;
  std::fill(mask.begin(), mask.end(), 1.0);
  std::fill(work_.begin(), work_.end(), 0.0);
  std::fill(scratch_dy_.begin(), scratch_dy_.end(), 0.0);
  robust_skipped_ = false;
  choice_ = {};
  chosen_for_.clear();
  chosen_ = false;
  chosen_quality_ = 0;
  choices_ = 0;
  if (lean_bits_) restart_lean();  // in lanes the pauses must not depend on the engine
}

void Equations::transfer(Archive& archive) {
  archive(mode, literal_tolerance, mask, params_, inputs_, work_, scratch_dy_, robust_skipped_);
  archive(choice_.y, choice_.taken, choice_.count, choice_.left_out, choice_.complete);
  archive(chosen_for_, chosen_, chosen_quality_, choices_, lean_wait_, lean_pause_);
  ++param_changes_;
}

std::int32_t Equations::call(FunctionIndex which, double t, const double* y, const double* mask_values, double* dy) {
  if (!compiled_[which]) consider_native(which);
  const bool native = compiled_[which] != nullptr;
  if (which == k_rhs || which == main_rhs() || which == k_stage) (native ? native_rhs_ : interpreted_rhs_) = true;
  if (native) return compiled_[which](t, y, params_.data(), inputs_.data(), mask_values, work_.data(), dy);
  return interpret(*functions_[which], t, y, params_.data(), inputs_.data(), mask_values, work_.data(), dy, registers_);
}

std::int32_t Equations::rhs(double t, const double* y, double* dy) {
  if (mode != SolveMode::fast) return rhs_by_rows(t, y, dy);
  if (layout_.quasi) return rhs_by_quasi_velocities(t, y, dy);
  if (functions_[k_stage_full] && rows_of_lanes(mask) && call(k_stage_full, t, y, mask.data(), dy) == 0) return 0;
  return call(k_rhs, t, y, mask.data(), dy);
}

bool Equations::rows_of_lanes(const std::vector<double>& rows) const {
  if (static_cast<std::size_t>(std::count(rows.begin(), rows.end(), 1.0)) + layout_.lanes_without.size() != rows.size())
    return false;
  return std::all_of(layout_.lanes_without.begin(), layout_.lanes_without.end(),
                     [&rows](std::uint32_t row) { return rows[row] == 0; });
}

// While rhs is native code and `stage` is not, rhs is the faster one.
bool Equations::stage_is_faster() {
  if (!compiled_[k_rhs]) consider_native(k_rhs);  // a call of `stage` counts as one of rhs
  if (compiled_[k_stage] || !compiled_[k_rhs]) return true;
  if (compiler_) {
    if (calls_[k_stage] + 1 == worth_[k_stage]) return true;  // compiled by this call
    ++calls_[k_stage];
  } else if (slots_[k_stage]) {
    compiled_[k_stage] = slots_[k_stage]->load(std::memory_order_acquire);
  } else if (calls_[k_stage] != kAsked && ++calls_[k_stage] >= kWorthLeanCode) {
    start(k_stage);
  }
  return compiled_[k_stage] != nullptr;
}

bool Equations::lean_slowly(double t, const double* y, double* dy) {
  if (mode != SolveMode::fast || functions_[k_stage] == nullptr) return false;
  if (lean_bits_ && !stage_is_faster()) return false;
  if (lean_wait_ > 0) {
    --lean_wait_;
    return false;
  }
  const bool good = (lean_bits_ || rows_of_lanes(mask)) && call(k_stage, t, y, mask.data(), dy) == 0;
  if (lean_bits_) lean_code_ = compiled_[k_stage];
  if (!good) return lean_refused();
  lean_pause_ = 1;
  return true;
}

// What stands in its way is likely to last: a row left out, a singular position nearby.
bool Equations::lean_refused() {
  lean_wait_ = lean_pause_;
  lean_pause_ = std::min(2 * lean_pause_, kLongestPause);
  return false;
}

void Equations::set_gains(double alpha, double beta) {
  if (!layout_.gains) return;
  params_[*layout_.gains] = alpha;
  params_[*layout_.gains + 1] = beta;
  ++param_changes_;
}

bool Equations::skipped_row() const {
  if (mode != SolveMode::fast) return robust_skipped_;
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k) {
    const double d = work_[layout_.pivot + k], s = work_[layout_.pivot_scale + k];
    if (mask[k] != 0 && d <= kernel::kPivotTolerance * s) return true;
  }
  return false;
}

bool Equations::has_inertia(double t, const double* y, Assembled& out) {
  if (large()) return without_inertia(t, y).empty();
  if (layout_.diagonal_mass() && layout_.mass.size() == layout_.n_speeds && own_inertia(t, y)) return true;
  assemble(t, y, out, false);
  return !out.solved_mass.allFinite() ||
         positive_definite(out.solved_mass);  // what is not finite is reported elsewhere
}

bool Equations::own_inertia(double t, const double* y) {
  if (!layout_.inertia_rows.empty()) return false;
  call(k_assemble, t, y, mask.data(), scratch_dy_.data());
  for (std::size_t k = 0; k < layout_.mass.size(); ++k)
    if (layout_.mass[k].first == layout_.mass[k].second && !(work_[layout_.M + k] > 0)) return false;
  return true;
}

void Equations::residuals(double t, const double* y) { call(k_residuals, t, y, mask.data(), scratch_dy_.data()); }

void Equations::correct(bool position, double t, const double* y, const std::vector<double>& rows) {
  const FunctionIndex lean = position ? k_stage_position : k_stage_velocity;
  if (functions_[lean] && rows_of_lanes(rows) && call(lean, t, y, rows.data(), scratch_dy_.data()) == 0) {
    const auto from = scratch_dy_.begin() + layout_.speeds_at();
    std::copy(from, from + layout_.n_speeds, work_.begin() + layout_.correction);
    return;
  }
  call(position ? k_correct_position : k_correct_velocity, t, y, rows.data(), scratch_dy_.data());
}

void Equations::set_lambda(const Eigen::VectorXd& values) {
  std::copy(values.begin(), values.end(), work_.begin() + layout_.lambda);
}

void Equations::outputs(double t, const double* y, double* dy) { call(k_outputs, t, y, mask.data(), dy); }

std::int32_t Equations::assemble(double t, const double* y, Assembled& out, bool errors) {
  const auto n = static_cast<Eigen::Index>(layout_.n_speeds), m = static_cast<Eigen::Index>(layout_.n_rows);
  std::vector<double> work_error, deriv_error;
  if (errors) {
    work_error.assign(kernel_.n_work, 0.0);
    deriv_error.assign(kernel_.n_state, 0.0);
    const kernel::Arguments arguments{
        t, y, params_.data(), inputs_.data(), mask.data(), work_.data(), scratch_dy_.data()};
    interpret_with_error(*functions_[k_assemble], arguments, work_error.data(), deriv_error.data(), registers_);
  } else {
    call(k_assemble, t, y, mask.data(), scratch_dy_.data());
  }
  const auto fill = [&](const std::vector<double>& from, Eigen::MatrixXd& A, Eigen::VectorXd& b, Eigen::VectorXd& f) {
    A.setZero(m, n);
    for (std::uint32_t r = 0; r < layout_.n_rows; ++r)
      for (std::uint32_t k = layout_.row_ptr[r]; k < layout_.row_ptr[r + 1]; ++k)
        A(r, layout_.column[k]) = from[layout_.A + k];
    b = Eigen::Map<const Eigen::VectorXd>(from.data() + layout_.b, m);
    f = Eigen::Map<const Eigen::VectorXd>(from.data() + layout_.f, n);
  };
  fill(work_, out.A, out.b, out.f);
  if (errors) fill(work_error, out.A_error, out.b_error, out.f_error);
  out.M.setZero(n, n);
  for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
    const auto [i, j] = layout_.mass[k];
    out.M(i, j) = out.M(j, i) = work_[layout_.M + k];
  }
  out.solved_mass = out.M;
  out.solved_force = out.f;
  add_inertia_rows(out);
  out.scaling = layout_.diagonal_mass() && layout_.inertia_rows.empty() ? MassScaling::diagonal(out.M.diagonal())
                                                                        : MassScaling::dense(out.solved_mass);
  if (!out.scaling.valid()) return 1;
  if (!out.A.allFinite() || !out.b.allFinite() || !out.f.allFinite()) return 1;
  return 0;
}

// As mbc_add_rows does it.
void Equations::add_inertia_rows(Assembled& out) const {
  if (layout_.inertia_rows.empty()) return;
  const Eigen::VectorXd inertia = out.M.diagonal();
  const double total = inertia.cwiseMax(0).sum(), count = static_cast<double>((inertia.array() > 0).count());
  for (std::uint32_t r : layout_.inertia_rows) {
    const Eigen::RowVectorXd row = out.A.row(r);
    double weight = work_[layout_.weight + r];
    if (weight < 0) {
      double mobility = 0;
      for (Eigen::Index i = 0; i < row.size(); ++i)
        if (inertia[i] > 0) mobility += row[i] * row[i] / inertia[i];
      const double square = row.squaredNorm(), mean = count > 0 ? total / count : 1;
      weight = mobility > 0 ? 1 / mobility : square > 0 ? mean / square : 0;
    }
    out.solved_mass += weight * row.transpose() * row;
    out.solved_force += weight * out.b[r] * row.transpose();
  }
}

// u' = a + L^-T y, y = G^+ (b - A a), G = A L^-T (003 eq. 3 with M^-1/2 replaced by L^-T, which differs by a rotation).
void Equations::solve_rows(Eigen::VectorXd& acceleration, Eigen::VectorXd& multipliers) {
  const MassScaling& scaling = assembled_.scaling;
  const Eigen::VectorXd a = assembled_.free_acceleration();
  const Eigen::MatrixXd G = scaling.scale_rows(assembled_.A);
  const Eigen::VectorXd r = assembled_.b - assembled_.A * a;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(layout_.n_speeds);
  multipliers = Eigen::VectorXd::Zero(layout_.n_rows);
  robust_skipped_ = false;
  if (layout_.n_rows > 0 && mode == SolveMode::robust) {
    std::vector<int> active;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
      if (mask[k] != 0) active.push_back(static_cast<int>(k));
    robust_skipped_ = robust_.solve(G, r, active) == RobustSolver::Status::skipped_rows;
    step = robust_.y();
    multipliers = robust_.multipliers();
  } else if (layout_.n_rows > 0) {
    LiteralOptions options;
    options.tolerance = literal_tolerance;
    const LiteralSolution solution = literal_generalised_inverse(G, r, options);
    if (!solution.non_finite.found) {
      step = solution.y;
      multipliers = G.transpose().completeOrthogonalDecomposition().solve(step);
    }
    robust_skipped_ = solution.rank < static_cast<int>(layout_.n_rows);
  }
  acceleration = a + scaling.from_scaled(step);
}

std::int32_t Equations::rhs_by_rows(double t, const double* y, double* dy) {
  const std::int32_t failed = assemble(t, y, assembled_, false);
  for (std::uint32_t i = 0; i < layout_.n_coordinates; ++i) dy[i] = scratch_dy_[i];
  for (std::uint32_t i = 0; i < layout_.n_states; ++i)
    dy[layout_.states_at() + i] = scratch_dy_[layout_.states_at() + i];
  if (failed) {
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      dy[layout_.speeds_at() + i] = std::numeric_limits<double>::quiet_NaN();
    return static_cast<std::int32_t>(layout_.speeds_at() + 1);
  }
  Eigen::VectorXd acceleration, multipliers;
  solve_rows(acceleration, multipliers);
  if (layout_.ideal) {  // prescribed forces at the multipliers without them, then the same once more
    std::copy(multipliers.begin(), multipliers.end(), work_.begin() + *layout_.ideal);
    const Eigen::VectorXd before = assembled_.f;
    call(k_nonideal, t, y, mask.data(), scratch_dy_.data());
    assembled_.solved_force += Eigen::Map<const Eigen::VectorXd>(work_.data() + layout_.f, layout_.n_speeds) - before;
    solve_rows(acceleration, multipliers);
  }
  for (std::uint32_t i = 0; i < layout_.n_speeds; ++i) dy[layout_.speeds_at() + i] = acceleration[i];
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k) work_[layout_.lambda + k] = multipliers[k];
  const double load_power = dy[layout_.work_at()];
  call(k_power, t, y, mask.data(), dy);
  dy[layout_.work_at()] = load_power;
  for (std::uint32_t i = 0; i < layout_.n_y(); ++i)
    if (!std::isfinite(dy[i])) return static_cast<std::int32_t>(i + 1);
  return 0;
}

void Equations::row_defects(double t, const double* y, const double* dy, std::vector<double>& out) {
  out.resize(layout_.n_rows);
  call(k_assemble, t, y, mask.data(), scratch_dy_.data());
  for (std::uint32_t r = 0; r < layout_.n_rows; ++r) {
    double sum = -work_[layout_.b + r];
    for (std::uint32_t k = layout_.row_ptr[r]; k < layout_.row_ptr[r + 1]; ++k)
      sum += work_[layout_.A + k] * dy[layout_.speeds_at() + layout_.column[k]];
    out[r] = sum;
  }
}

std::optional<kernel::Failure> Equations::failure(double t, const double* y) {
  const kernel::Arguments arguments{
      t, y, params_.data(), inputs_.data(), mask.data(), work_.data(), scratch_dy_.data()};
  if (std::optional<kernel::Failure> found = find_failure(kernel_, *functions_[k_rhs], arguments)) return found;
  return find_failure(kernel_, *functions_[k_assemble], arguments);
}

std::optional<kernel::Failure> Equations::output_failure(double t, const double* y, const double* dy) {
  std::copy(dy, dy + scratch_dy_.size(), scratch_dy_.begin());
  const kernel::Arguments arguments{
      t, y, params_.data(), inputs_.data(), mask.data(), work_.data(), scratch_dy_.data()};
  return find_failure(kernel_, *functions_[k_outputs], arguments);
}

}  // namespace mbc::runtime
