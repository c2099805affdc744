// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/rate_jacobian.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "kernel/limits.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

RateJacobian::RateJacobian(const PartialsCode& code, Equations& equations)
    : code_(code),
      layout_(code.partials.layout),
      equations_(equations),
      runner_(code, equations),
      rate_(code.partials.kernel.n_state),
      given_(code.partials.kernel.n_state),
      active_(layout_.n_rows) {
  const auto n = static_cast<Eigen::Index>(layout_.n_speeds + layout_.n_rows),
             columns = Eigen::Index{layout_.n_columns()};
  scale_.resize(n);
  augmented_.resize(n, n);
  right_.resize(n, columns);
  solved_.resize(n, columns);
  matrix_.resize(size(), columns);
  weighed_.resize(n, n);
  displacement_.resize(layout_.n_speeds);
  one_right_.resize(n, 1);
  one_solved_.resize(n, 1);
  if (!layout_.nonideal) return;
  ideal_.resize(layout_.n_rows);
  lambda_.resize(layout_.n_rows);
  free_.resize(layout_.n_speeds);
}

bool RateJacobian::takes_part(std::uint32_t row) const {
  if (equations_.mask[row] == 0) return false;
  return equations_.mode() != SolveMode::fast ||
         equations_.pivot()[row] > kernel::kPivotTolerance * equations_.pivot_scale()[row];
}

bool RateJacobian::evaluate(double t, const double* y) {
  runner_.prepare_native();
  if (equations_.rhs(t, y, rate_.data()) != 0) return false;
  for (std::uint32_t k = 0; k < layout_.n_rows; ++k) active_[k] = takes_part(k);
  std::vector<double>& work = runner_.work();
  std::copy(equations_.lambda(), equations_.lambda() + layout_.n_rows, work.begin() + layout_.lambda);
  if (layout_.nonideal) std::copy(equations_.ideal(), equations_.ideal() + layout_.n_rows, ideal_.begin());
  equations_.assemble(t, y);
  factor();
  const std::uint32_t speeds_at = layout_.motion_at();
  if (layout_.nonideal) {
    std::copy_n(work.begin() + layout_.lambda, layout_.n_rows, lambda_.begin());
    add_nonideal(t, y);
    take_partials(t, y, rate_.data() + speeds_at, lambda_.data());
  } else {
    take_partials(t, y, rate_.data() + speeds_at, nullptr);
  }
  gather(true);
  factors_.solve(right_, solved_);
  for (Eigen::Index i = 0; i < Eigen::Index{layout_.n_speeds}; ++i)
    matrix_.row(speeds_at + i) = scale_[i] * solved_.row(i);
  const bool by_differences =
      layout_.scope == kernel::PartialsScope::rates && equations_.reaction_dependent().act(equations_.inputs());
  if (by_differences && !add_dependent_forces(t, y)) return false;
  return matrix_.allFinite();
}

// Recomputes the rows of the accelerations by differences, in place of the derivatives at constant loads, because the
// reaction-dependent forces follow the multipliers as the state moves.
bool RateJacobian::add_dependent_forces(double t, const double* y) {
  const std::uint32_t speeds_at = layout_.motion_at(), n = layout_.n_speeds;
  std::vector<double> here(rate_.size()), there(rate_.size()), moved(y, y + equations_.layout().n_y());
  if (equations_.rhs(t, y, here.data()) != 0) return false;
  for (std::uint32_t j = 0; j < size(); ++j) {
    moved[j] = y[j] + kDifferenceStep * std::max(1.0, std::fabs(y[j]));
    const double step = moved[j] - y[j];
    if (equations_.rhs(t, moved.data(), there.data()) != 0) return false;
    for (std::uint32_t i = 0; i < n; ++i)
      matrix_(speeds_at + i, j) = (there[speeds_at + i] - here[speeds_at + i]) / step;
    moved[j] = y[j];
  }
  if (equations_.rhs(t, y, here.data()) != 0) return false;  // The last call restores the loads of this state.
  equations_.assemble(t, y);
  return true;
}

// Computes all partial derivatives at these accelerations and multipliers. If `lambda` is null, the multipliers in work
// are used.
void RateJacobian::take_partials(double t, const double* y, const double* accelerations, const double* lambda) {
  std::copy(accelerations, accelerations + layout_.n_speeds, given_.begin() + layout_.motion_at());
  std::copy_n(rate_.begin() + layout_.states_at(), layout_.n_states, given_.begin() + layout_.states_at());
  if (lambda) std::copy(lambda, lambda + layout_.n_rows, runner_.work().begin() + layout_.lambda);
  runner_.run(t, y, given_.data());
}

// Factors [M A^T; A 0]. A row that does not take part is replaced by the unit row of a zero multiplier. Rows and
// columns are divided by the roots of their largest entries.
void RateJacobian::factor() {
  const kernel::SystemLayout& l = equations_.layout();
  const double *M = equations_.mass_values(), *A = equations_.row_values();
  const std::uint32_t n = layout_.n_speeds;
  augmented_.setZero();
  for (std::size_t k = 0; k < l.mass.size(); ++k)
    augmented_(l.mass[k].first, l.mass[k].second) = augmented_(l.mass[k].second, l.mass[k].first) = M[k];
  for (std::uint32_t r = 0; r < layout_.n_rows; ++r) {
    if (!active_[r]) augmented_(n + r, n + r) = 1;
    for (std::uint32_t k = l.row_ptr[r]; active_[r] && k < l.row_ptr[r + 1]; ++k)
      augmented_(n + r, l.column[k]) = augmented_(l.column[k], n + r) = A[k];
  }
  for (Eigen::Index i = 0; i < augmented_.rows(); ++i) {
    const double largest = augmented_.row(i).cwiseAbs().maxCoeff();
    scale_[i] = largest > 0 ? 1 / std::sqrt(largest) : 1;
  }
  for (Eigen::Index i = 0; i < augmented_.rows(); ++i)
    for (Eigen::Index j = 0; j < augmented_.cols(); ++j) augmented_(i, j) *= scale_[i] * scale_[j];
  factors_.compute(augmented_);
}

// Sorts the values into the rows of q' and s' and into the scaled right sides of F and R. If `prescribed` is set, the
// forces C of `nonideal` blocks are included; they depend on the ideal multipliers, whose derivatives solved_ holds.
void RateJacobian::gather(bool prescribed) {
  const std::uint32_t motion = layout_.motion_at(), states = layout_.states_at(), rows = layout_.constraints_at();
  matrix_.setZero();
  right_.setZero();
  for (std::size_t k = 0; k < layout_.entries.size(); ++k) {
    const auto [row, column] = layout_.entries[k];
    const double value = runner_.values()[k];
    if (row < motion || (row >= states && row < rows)) {
      matrix_(row, column) = value;
    } else if (row < states) {
      right_(row - motion, column) += scale_[row - motion] * value;
    } else if (row < layout_.nonideal_at()) {
      const std::uint32_t r = row - rows;
      if (active_[r]) right_(layout_.n_speeds + r, column) = scale_[layout_.n_speeds + r] * value;
    } else if (prescribed && row < layout_.position_at()) {
      const std::uint32_t i = row - layout_.nonideal_at();
      if (column < layout_.n_columns()) {
        right_(i, column) += scale_[i] * value;
      } else {
        const std::uint32_t r = layout_.n_speeds + column - layout_.ideal_at();
        right_.row(i) -= scale_[i] * value * scale_[r] * solved_.row(r);
      }
    }
  }
}

// Differentiates the multipliers without prescribed forces. It leaves the result in solved_ as that of [du'; -dlambda].
void RateJacobian::add_nonideal(double t, const double* y) {
  const kernel::SystemLayout& l = equations_.layout();
  const std::uint32_t n = layout_.n_speeds;
  const std::vector<double>& assembled = equations_.work();
  for (std::uint32_t i = 0; i < n; ++i) one_right_(i, 0) = scale_[i] * assembled[l.f + i];
  for (std::uint32_t r = 0; r < layout_.n_rows; ++r)
    one_right_(n + r, 0) = active_[r] ? scale_[n + r] * assembled[l.b + r] : 0;
  factors_.solve(one_right_, one_solved_);
  for (std::uint32_t i = 0; i < n; ++i) free_[i] = scale_[i] * one_solved_(i, 0);
  std::copy(ideal_.begin(), ideal_.end(), runner_.work().begin() + layout_.ideal);
  take_partials(t, y, free_.data(), ideal_.data());
  gather(false);
  factors_.solve(right_, solved_);
  ideal_solved_ = solved_;
}

Eigen::MatrixXd RateJacobian::multipliers_of(const Eigen::MatrixXd& solved) const {
  if (solved.size() == 0) return Eigen::MatrixXd::Zero(layout_.n_rows, layout_.n_columns());
  return -(scale_.tail(layout_.n_rows).asDiagonal() * solved.bottomRows(layout_.n_rows));
}

// Errors of the partial derivatives pass through the inverse of the augmented matrix.
Eigen::MatrixXd RateJacobian::errors(double t, const double* y) {
  std::vector<double> of_work(runner_.work().size()), of_rates(given_.size());
  const kernel::Arguments arguments{.t = t,
                                    .state = y,
                                    .params = equations_.params().data(),
                                    .inputs = equations_.inputs().data(),
                                    .mask = equations_.mask.data(),
                                    .work = runner_.work().data(),
                                    .deriv = given_.data()};
  kernel::interpret_with_error(code_.partials.kernel.functions.front(), arguments, of_work.data(), of_rates.data(),
                               runner_.registers());
  const std::uint32_t n = layout_.n_speeds, motion = layout_.motion_at(), states = layout_.states_at(),
                      rows = layout_.constraints_at();
  Eigen::MatrixXd right = Eigen::MatrixXd::Zero(augmented_.rows(), layout_.n_columns()), inverse = augmented_,
                  out = Eigen::MatrixXd::Zero(n + layout_.n_states, layout_.n_columns());
  for (std::size_t k = 0; k < layout_.entries.size(); ++k) {
    const auto [row, column] = layout_.entries[k];
    const double error = kEpsilon * of_work[layout_.values + k];
    if (column >= layout_.n_columns() || row < motion || row >= layout_.position_at()) continue;
    if (row >= states && row < rows)
      out(n + row - states, column) = error;
    else if (row < states)
      right(row - motion, column) += scale_[row - motion] * error;
    else if (row >= layout_.nonideal_at())
      right(row - layout_.nonideal_at(), column) += scale_[row - layout_.nonideal_at()] * error;
    else if (active_[row - rows])
      right(n + row - rows, column) += scale_[n + row - rows] * error;
  }
  factors_.solve(Eigen::MatrixXd::Identity(augmented_.rows(), augmented_.rows()), inverse);
  out.topRows(n) = scale_.head(n).asDiagonal() * (inverse.cwiseAbs() * right).topRows(n);
  return out;
}

void RateJacobian::weigh(double gamma) {
  const Eigen::Index n = layout_.n_speeds, n_q = layout_.n_coordinates;
  weighed_ = augmented_;
  weighed_.topLeftCorner(n, n).noalias() -=
      gamma * (right_.block(0, n_q, n, n) + gamma * right_.topLeftCorner(n, n_q) * matrix_.block(0, n_q, n_q, n)) *
      scale_.head(n).asDiagonal();
  weighed_factors_.compute(weighed_);
}

const std::vector<double>& RateJacobian::displacement(const double* e) {
  const std::uint32_t n = layout_.n_speeds;
  one_right_.setZero();
  for (std::uint32_t r = 0; r < layout_.n_rows; ++r)
    if (active_[r]) one_right_(n + r, 0) = -scale_[n + r] * e[r];
  weighed_factors_.solve(one_right_, one_solved_);
  for (std::uint32_t i = 0; i < n; ++i) displacement_[i] = scale_[i] * one_solved_(i, 0);
  return displacement_;
}

}  // namespace mbc::runtime
