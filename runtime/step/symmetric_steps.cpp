// SPDX-License-Identifier: Apache-2.0
#include "runtime/step/symmetric_steps.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/epsilon.h"
#include "runtime/rows/decompositions.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

namespace {

constexpr int kMostProjections = 30;
constexpr double kMetAtOnce = 4;       // roundings of the size of the model: smaller residuals count as met
constexpr double kKeptRoundings = 64;  // larger ones are kept up to this if they do not decrease
constexpr double kOffNorm = 1e-13;     // of the norm of a quaternion: rounding may cause it, without effect

// Returns the error with a + b = sum + error, exactly (Knuth).
double error_of_sum(double a, double b, double sum) {
  const double of_b = sum - a;
  return (a - (sum - of_b)) + (b - of_b);
}

bool off_norm(const problem::Problem& info, const double* y) {
  return std::any_of(info.quaternions.begin(), info.quaternions.end(), [&](std::uint32_t first) {
    double square = 0;
    for (std::uint32_t k = 0; k < 4; ++k) square += y[first + k] * y[first + k];
    return std::fabs(square - 1) > kOffNorm;
  });
}

}  // namespace

SymmetricSteps::SymmetricSteps(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints,
                               Gauss& method, Stepping& stepping)
    : options_(options),
      state_(state),
      constraints_(constraints),
      method_(method),
      stepping_(stepping),
      low_(state_.y().size()),
      left_(low_.size(), std::numeric_limits<double>::quiet_NaN()),
      shift_(low_.size()),
      end_shift_(low_.size()),
      change_(low_.size()),
      end_(low_.size()),
      moving_(low_.size()),
      rate_(low_.size()) {}

// Takes the certified rows; if they have changed, the iteration begins from zero.
void SymmetricSteps::take_rows() {
  std::vector<std::uint32_t> rows;
  for (std::uint32_t k = 0; k < state_.layout().n_rows && constraints_.stabiliser().corrects(); ++k)
    if (state_.equations().mask[k] != 0) rows.push_back(k);
  if (rows == rows_) return;
  rows_ = std::move(rows);
  of_position_.assign(rows_.size(), 0.0);
  of_speeds_ = of_position_;
  here_.known = there_.known = false;
}

bool SymmetricSteps::directions(double t, const double* y, Directions& out) {
  out.known = false;
  if (state_.equations().assemble(t, y, assembled_, false) != 0) return false;
  out.rows.resize(static_cast<Eigen::Index>(rows_.size()), state_.layout().n_speeds);
  for (std::size_t k = 0; k < rows_.size(); ++k)
    out.rows.row(static_cast<Eigen::Index>(k)) = assembled_.A.row(static_cast<Eigen::Index>(rows_[k]));
  out.rows = assembled_.scaling.scale_rows(out.rows);
  out.columns.resize(out.rows.cols(), out.rows.rows());
  for (Eigen::Index k = 0; k < out.rows.rows(); ++k)
    out.columns.col(k) = assembled_.scaling.from_scaled(out.rows.row(k).transpose());
  out.known = cholesky(out.rows * out.rows.transpose(), out.factor);
  return out.known;
}

// Computes D(y) mu.
void SymmetricSteps::displacement(double t, const double* y, const Directions& d, std::vector<double>& out) {
  const kernel::SystemLayout& l = state_.layout();
  const auto m = static_cast<Eigen::Index>(rows_.size());
  const Eigen::VectorXd w = d.columns * Eigen::Map<const Eigen::VectorXd>(of_position_.data(), m);
  const Eigen::VectorXd v = d.columns * Eigen::Map<const Eigen::VectorXd>(of_speeds_.data(), m);
  std::fill(out.begin(), out.end(), 0.0);
  if (state_.info().quaternions.empty()) {
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) out[state_.info().coordinate_of_speed[j]] = w[j];
  } else {  // W w is the rate of the coordinates at the speeds w; time does not move them
    std::copy(y, y + l.n_y(), moving_.begin());
    std::copy(w.data(), w.data() + l.n_speeds, moving_.begin() + l.speeds_at());
    state_.equations().rates(t, moving_.data(), rate_.data());
    std::copy(rate_.begin(), rate_.begin() + l.n_coordinates, out.begin());
  }
  std::copy(v.data(), v.data() + l.n_speeds, out.begin() + l.speeds_at());
  moved_ = std::max(moved_, (d.rows.transpose() * Eigen::Map<const Eigen::VectorXd>(of_position_.data(), m)).norm());
}

// Computes the residuals of both levels, and the largest one relative to its row and the size of the model.
bool SymmetricSteps::residuals(double t, const double* y, const Directions& d, double& worst) {
  state_.equations().residuals(t, y);
  const auto m = static_cast<Eigen::Index>(rows_.size());
  position_.resize(m);
  speeds_.resize(m);
  worst = 0;
  for (Eigen::Index k = 0; k < m; ++k) {
    const std::uint32_t row = rows_[static_cast<std::size_t>(k)];
    position_[k] = state_.equations().position_residual()[row];
    speeds_[k] = state_.equations().velocity_residual()[row];
    const double size = d.rows.row(k).norm();
    worst = std::max(worst, std::fabs(position_[k]) / (size * constraints_.projector().extent(true, y)));
    worst = std::max(worst, std::fabs(speeds_[k]) / (size * constraints_.projector().extent(false, y)));
  }
  return position_.allFinite() && speeds_.allFinite();
}

SymmetricSteps::Outcome SymmetricSteps::found(std::int32_t failed) const {
  return failed == 0 ? Outcome::done : failed == Gauss::kNoSolution ? Outcome::no_solution : Outcome::undefined;
}

// Solves the step repeatedly, each time from the state that mu gives.
SymmetricSteps::Outcome SymmetricSteps::project(double t, double h) {
  const std::vector<double>& y = state_.y();
  double last = std::numeric_limits<double>::infinity();
  if (!here_.known && !directions(t, y.data(), here_)) return Outcome::off;
  end_ = y;
  for (int k = 0; k < kMostProjections; ++k) {
    displacement(t, y.data(), here_, shift_);
    for (std::size_t i = 0; i < shift_.size(); ++i) shift_[i] += low_[i];
    if (const std::int32_t failed = method_.solve(stepping_.fast_rhs(), t, h, y, shift_)) return found(failed);
    method_.increment(h, change_);
    for (std::size_t i = 0; i < change_.size(); ++i) change_[i] += shift_[i];
    if (k == 0)
      for (std::size_t i = 0; i < change_.size(); ++i) end_[i] = y[i] + change_[i];
    if (!directions(t + h, end_.data(), there_)) return Outcome::off;
    displacement(t + h, end_.data(), there_, end_shift_);
    for (std::size_t i = 0; i < change_.size(); ++i) {
      change_[i] += end_shift_[i];
      end_[i] = y[i] + change_[i];
    }
    double worst = 0;
    if (!residuals(t + h, end_.data(), there_, worst)) return Outcome::off;
    if (worst <= kMetAtOnce * kEpsilon || (worst <= kKeptRoundings * kEpsilon && worst >= 0.5 * last))
      return Outcome::done;
    if (k > 3 && worst > last) break;
    last = worst;
    correct(h);
  }
  return last <= options_.tolerance ? Outcome::done : Outcome::off;
}

// Corrects mu. The residuals change by 2 S mu; those of the positions also change by h S mu_u.
void SymmetricSteps::correct(double h) {
  const auto solve = [&](Eigen::VectorXd& e) {
    here_.factor.triangularView<Eigen::Lower>().solveInPlace(e);
    here_.factor.triangularView<Eigen::Lower>().transpose().solveInPlace(e);
  };
  solve(speeds_);
  solve(position_);
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    const auto row = static_cast<Eigen::Index>(i);
    const double of_speeds = 0.5 * speeds_[row];
    of_speeds_[i] -= of_speeds;
    of_position_[i] -= 0.5 * (position_[row] - h * of_speeds);
  }
}

SymmetricSteps::Outcome SymmetricSteps::step(double t, double h) {
  std::vector<double>& y = state_.y();
  if (left_ != y) {
    std::fill(low_.begin(), low_.end(), 0.0);
    here_.known = there_.known = false;
  }
  std::swap(here_, there_);
  there_.known = false;
  moved_ = 0;
  take_rows();
  method_.begin(h, state_.dy());
  Outcome outcome = Outcome::done;
  if (!rows_.empty()) {
    outcome = project(t, h);
  } else {
    outcome = found(method_.solve(stepping_.fast_rhs(), t, h, y, low_));
    method_.increment(h, change_);
    for (std::size_t i = 0; i < change_.size(); ++i) change_[i] += low_[i];
  }
  if (outcome == Outcome::done) settle();
  return outcome;
}

// Sets the new state and keeps the part that rounding loses.
void SymmetricSteps::settle() {
  std::vector<double>& y = state_.y();
  for (std::size_t i = 0; i < y.size(); ++i) {
    const double sum = y[i] + change_[i];
    low_[i] = error_of_sum(y[i], change_[i], sum);
    y[i] = sum;
  }
  if (off_norm(state_.info(), y.data())) {
    normalise(state_.info(), y.data());
    for (const std::uint32_t first : state_.info().quaternions) std::fill_n(low_.begin() + first, 4, 0.0);
    there_.known = false;
  }
  left_ = y;
}

}  // namespace mbc::runtime
