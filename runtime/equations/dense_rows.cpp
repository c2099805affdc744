// SPDX-License-Identifier: Apache-2.0
// Assembles the equations of motion as full matrices and solves them for the accelerations.
#include "runtime/equations/dense_rows.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "runtime/equations/sparse_rows.h"
#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

DenseRows::DenseRows(KernelRunner& runner) : runner_(runner), layout_(runner.layout()) {
  if (!is_large(layout_)) robust_.reserve(static_cast<int>(layout_.n_rows), static_cast<int>(layout_.n_speeds));
}

std::int32_t DenseRows::assemble(double t, const double* y, Assembled& out, bool errors) {
  const auto n = static_cast<Eigen::Index>(layout_.n_speeds), m = static_cast<Eigen::Index>(layout_.n_rows);
  std::vector<double> work_error, deriv_error;
  if (errors) {
    work_error.assign(runner_.kernel().n_work, 0.0);
    deriv_error.assign(runner_.kernel().n_state, 0.0);
    runner_.call_with_error(KernelRunner::k_assemble, t, y, work_error, deriv_error);
  } else {
    runner_.assemble(t, y);
  }
  const bool known = out.pattern == &layout_ && out.M.rows() == n;
  const auto fill = [&](const std::vector<double>& from, Eigen::MatrixXd& A, std::vector<char>& filled,
                        Eigen::VectorXd& b) {
    if (!known || A.rows() != m || A.cols() != n) {
      A.setZero(m, n);
      filled.assign(layout_.n_rows, 0);
    }
    const double* values = from.data() + layout_.A;
    for (std::uint32_t r = 0; r < layout_.n_rows; ++r) {
      const std::uint32_t first = layout_.row_ptr[r], end = layout_.row_ptr[r + 1];
      const bool any = std::any_of(values + first, values + end, [](double x) { return x != 0; });
      if (!any && filled[r] == 0) continue;  // Most rows of contacts are zero and stay zero.
      for (std::uint32_t k = first; k < end; ++k) A(r, layout_.column[k]) = values[k];
      filled[r] = any ? 1 : 0;
    }
    b = Eigen::Map<const Eigen::VectorXd>(from.data() + layout_.b, m);
  };
  fill(runner_.work(), out.A, out.filled, out.b);
  if (errors) fill(work_error, out.A_error, out.error_filled, out.b_error);
  out.f = Eigen::Map<const Eigen::VectorXd>(runner_.work().data() + layout_.f, n);
  out.pattern = &layout_;
  if (!known) out.M.setZero(n, n);
  for (std::size_t k = 0; k < layout_.mass.size(); ++k) {
    const auto [i, j] = layout_.mass[k];
    out.M(i, j) = out.M(j, i) = runner_.work()[layout_.M + k];
  }
  out.solved_force = out.f;
  add_inertia_rows(out);
  out.scaling = layout_.diagonal_mass() && layout_.inertia_rows.empty() ? MassScaling::diagonal(out.M.diagonal())
                                                                        : MassScaling::dense(out.solved_mass());
  if (!out.scaling.valid()) return 1;
  const auto values = std::span(runner_.work()).subspan(layout_.A, layout_.row_ptr.back());
  const bool finite = std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
  if (!finite || !out.b.allFinite() || !out.f.allFinite()) return 1;
  return 0;
}

// The kernel's routine mbc_add_rows computes the same sums.
void DenseRows::add_inertia_rows(Assembled& out) const {
  if (layout_.inertia_rows.empty()) {
    out.with_rows.resize(0, 0);
    return;
  }
  out.with_rows = out.M;
  const Eigen::VectorXd inertia = out.M.diagonal();
  const double total = inertia.cwiseMax(0).sum(), count = static_cast<double>((inertia.array() > 0).count());
  for (std::uint32_t r : layout_.inertia_rows) {
    const Eigen::RowVectorXd row = out.A.row(r);
    double weight = runner_.work()[layout_.weight + r];
    if (weight < 0) {
      const double mean = count > 0 ? total / count : 1;
      double mobility = 0;
      for (Eigen::Index i = 0; i < row.size(); ++i)
        mobility += row[i] * row[i] / (inertia[i] > -weight * mean ? inertia[i] : mean);
      weight = mobility > 0 ? 1 / mobility : 0;
    }
    out.with_rows += weight * row.transpose() * row;
    out.solved_force += weight * out.b[r] * row.transpose();
  }
}

// Solves u' = a + L^-T y with y = G^+ (b - A a) and G = A L^-T.
void DenseRows::solve(SolveMode mode, double tolerance, Eigen::VectorXd& acceleration, Eigen::VectorXd& multipliers) {
  const MassScaling& scaling = assembled_.scaling;
  const Eigen::VectorXd a = assembled_.free_acceleration();
  const Eigen::MatrixXd G = scaling.scale_rows(assembled_.A);
  const Eigen::VectorXd r = assembled_.b - assembled_.A * a;
  Eigen::VectorXd step = Eigen::VectorXd::Zero(layout_.n_speeds);
  multipliers = Eigen::VectorXd::Zero(layout_.n_rows);
  skipped_ = false;
  if (layout_.n_rows > 0 && mode == SolveMode::robust) {
    std::vector<int> active;
    for (std::uint32_t k = 0; k < layout_.n_rows; ++k)
      if (runner_.mask[k] != 0) active.push_back(static_cast<int>(k));
    skipped_ = robust_.solve(G, r, active) == RobustSolver::Status::skipped_rows;
    step = robust_.y();
    multipliers = robust_.multipliers();
  } else if (layout_.n_rows > 0 && mode == SolveMode::truncated) {
    if (truncated_.decompose(G)) truncated_.solve(r, step, multipliers);
  } else if (layout_.n_rows > 0) {
    LiteralOptions options;
    options.tolerance = tolerance;
    const LiteralSolution solution = literal_generalised_inverse(G, r, options);
    if (!solution.non_finite.found) {
      step = solution.y;
      multipliers = solve_transposed(G, step);
    }
    skipped_ = solution.rank < static_cast<int>(layout_.n_rows);
  }
  acceleration = a + scaling.from_scaled(step);
}

std::int32_t DenseRows::rhs(SolveMode mode, double tolerance, double t, const double* y, double* dy) {
  const std::int32_t failed = assemble(t, y, assembled_, false);
  double* scratch = runner_.scratch();
  const std::span<double> work = runner_.work_to_write();
  for (std::uint32_t i = 0; i < layout_.n_coordinates; ++i) dy[i] = scratch[i];
  for (std::uint32_t i = 0; i < layout_.n_states; ++i) dy[layout_.states_at() + i] = scratch[layout_.states_at() + i];
  if (failed) {
    for (std::uint32_t i = 0; i < layout_.n_speeds; ++i)
      dy[layout_.speeds_at() + i] = std::numeric_limits<double>::quiet_NaN();
    return static_cast<std::int32_t>(layout_.speeds_at() + 1);
  }
  Eigen::VectorXd acceleration, multipliers;
  solve(mode, tolerance, acceleration, multipliers);
  // The prescribed forces depend on the multipliers of the motion without them, so the system is solved twice.
  if (layout_.ideal) {
    std::copy(multipliers.begin(), multipliers.end(), work.begin() + *layout_.ideal);
    const Eigen::VectorXd before = assembled_.f;
    runner_.call(KernelRunner::k_nonideal, t, y, runner_.mask.data(), scratch);
    assembled_.solved_force += Eigen::Map<const Eigen::VectorXd>(work.data() + layout_.f, layout_.n_speeds) - before;
    solve(mode, tolerance, acceleration, multipliers);
  }
  for (std::uint32_t i = 0; i < layout_.n_speeds; ++i) dy[layout_.speeds_at() + i] = acceleration[i];
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k) work[layout_.lambda + k] = multipliers[k];
  const double load_power = dy[layout_.work_at()];
  runner_.call(KernelRunner::k_power, t, y, runner_.mask.data(), dy);
  dy[layout_.work_at()] = load_power;
  for (std::uint32_t i = 0; i < layout_.n_y(); ++i)
    if (!std::isfinite(dy[i])) return static_cast<std::int32_t>(i + 1);
  return 0;
}

}  // namespace mbc::runtime
