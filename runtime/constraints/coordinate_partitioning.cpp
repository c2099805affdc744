// SPDX-License-Identifier: Apache-2.0
// Chooses the dependent coordinates and solves for them by Newton's method.
#include "runtime/constraints/coordinate_partitioning.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {
constexpr int kCoordinatePartitioningMaxIterations = 12;
}  // namespace

CoordinatePartitioning::CoordinatePartitioning(Equations& equations, const problem::Problem& info,
                                               ConstraintProjector& projector)
    : equations_(equations),
      info_(info),
      projector_(projector),
      n_rows_(info.rows.size()),
      n_columns_(equations.layout().n_speeds),
      dense_(n_rows_ * n_columns_),
      factor_(n_rows_ * n_rows_),
      right_(n_rows_),
      w_(n_columns_),
      total_(n_columns_),
      start_(equations.layout().n_y()),
      order_(n_rows_),
      row_taken_(n_rows_),
      column_taken_(n_columns_) {
  for (Set* s : {&choice_.set, &next_}) {
    s->rows.reserve(n_rows_);
    s->columns.reserve(n_rows_);
  }
  choice_.mask.reserve(n_rows_);
  choice_.column_scale.resize(n_columns_);
  choice_.row_scale.resize(n_rows_);
}

bool CoordinatePartitioning::solve(double t, double* y, double tolerance, CorrectionReport& report) {
  if (n_rows_ == 0) return true;
  std::copy(y, y + start_.size(), start_.begin());
  const bool fresh = choice_.mask != equations_.mask;
  if (fresh || choice_.quality < kPartitionAged * choice_.chosen_quality) renew(t, y);
  if (both_levels(t, y, tolerance, report)) return true;
  std::copy(start_.begin(), start_.end(), y);
  choice_.quality = 0;  // Any other choice counts as better.
  renew(t, y);
  if (both_levels(t, y, tolerance, report)) return true;
  std::copy(start_.begin(), start_.end(), y);
  return false;
}

bool CoordinatePartitioning::both_levels(double t, double* y, double tolerance, CorrectionReport& report) {
  report = {};
  for (const bool position : {true, false})
    if (!newton(position, t, y, tolerance, report)) return false;
  return true;
}

// Makes another choice for the state y and takes it if it is clearly better than the current one.
void CoordinatePartitioning::renew(double t, const double* y) {
  equations_.assemble(t, y);
  scale_rows();
  choose(next_);
  const double there = factorise(next_, next_.rows.size());
  const bool first = choice_.mask != equations_.mask;
  if (first || there > kPartitionBetter * choice_.quality) {
    if (!choice_.mask.empty() && next_.columns != choice_.set.columns) ++choice_.renewals;
    std::swap(choice_.set, next_);
    choice_.quality = there;
  }
  // If the old choice stays, its quality is compared with this value from here on.
  choice_.chosen_quality = choice_.quality;
  choice_.mask = equations_.mask;
}

// Scales columns by the inertia that they move, and rows to norm 1.
void CoordinatePartitioning::scale_rows() {
  const kernel::SystemLayout& l = equations_.layout();
  double largest = 0;
  std::fill(choice_.column_scale.begin(), choice_.column_scale.end(), 0.0);
  for (std::size_t k = 0; k < l.mass.size(); ++k)
    if (l.mass[k].first == l.mass[k].second && equations_.mass_values()[k] > 0)
      largest = std::max(largest, choice_.column_scale[l.mass[k].first] = 1 / std::sqrt(equations_.mass_values()[k]));
  for (double& s : choice_.column_scale)
    if (s == 0) s = largest > 0 ? largest : 1;  // This column has no inertia of its own.
  for (std::uint32_t r = 0; r < n_rows_; ++r) {
    double sum = 0;
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k)
      sum += std::pow(equations_.row_values()[k] * choice_.column_scale[l.column[k]], 2);
    choice_.row_scale[r] = sum > 0 ? 1 / std::sqrt(sum) : 0;
  }
}

void CoordinatePartitioning::choose(Set& set) {
  const kernel::SystemLayout& l = equations_.layout();
  std::fill(dense_.begin(), dense_.end(), 0.0);
  for (std::uint32_t r = 0; r < n_rows_; ++r)
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k)
      dense_[r * n_columns_ + l.column[k]] =
          equations_.row_values()[k] * choice_.column_scale[l.column[k]] * choice_.row_scale[r];
  std::fill(row_taken_.begin(), row_taken_.end(), 0);
  std::fill(column_taken_.begin(), column_taken_.end(), 0);
  set.rows.clear();
  set.columns.clear();
  // A level may need rows outside of the certified set. For example, a length constraint may be left out because a
  // velocity constraint implies it, but the velocity constraint does not determine the length at position level.
  eliminate(set, true, true);
  eliminate(set, true, false);
  set.n_position = set.rows.size();
  eliminate(set, false, true);
  eliminate(set, false, false);
}

// Applies Gaussian elimination with complete pivoting to the remaining rows of a level.
void CoordinatePartitioning::eliminate(Set& set, bool position, bool certified) {
  for (;;) {
    double largest = certified ? kCertifiedRowLeft : kOtherRowLeft;
    std::size_t row = n_rows_, column = 0;
    for (std::size_t r = 0; r < n_rows_; ++r) {
      if (row_taken_[r] || !of_level(r, position) || (equations_.mask[r] != 0) != certified) continue;
      for (std::size_t c = 0; c < n_columns_; ++c)
        if (!column_taken_[c] && std::fabs(dense_[r * n_columns_ + c]) > largest) {
          largest = std::fabs(dense_[r * n_columns_ + c]);
          row = r;
          column = c;
        }
    }
    if (row == n_rows_) return;
    row_taken_[row] = column_taken_[column] = 1;
    set.rows.push_back(static_cast<std::uint32_t>(row));
    set.columns.push_back(static_cast<std::uint32_t>(column));
    const double* pivot = &dense_[row * n_columns_];
    for (std::size_t r = 0; r < n_rows_; ++r) {
      double* other = &dense_[r * n_columns_];
      if (row_taken_[r] || other[column] == 0) continue;
      const double factor = other[column] / pivot[column];
      for (std::size_t c = 0; c < n_columns_; ++c) other[c] -= factor * pivot[c];
    }
  }
}

// Computes L U of the first n scaled rows and columns of a set with row exchanges. Returns the smallest pivot.
double CoordinatePartitioning::factorise(const Set& set, std::size_t n) {
  const kernel::SystemLayout& l = equations_.layout();
  std::fill(w_.begin(), w_.end(), 0.0);
  for (std::size_t i = 0; i < n; ++i) {
    const std::uint32_t r = set.rows[i];
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k)
      w_[l.column[k]] = equations_.row_values()[k] * choice_.column_scale[l.column[k]] * choice_.row_scale[r];
    for (std::size_t j = 0; j < n; ++j) factor_[i * n + j] = w_[set.columns[j]];
    for (std::uint32_t k = l.row_ptr[r]; k < l.row_ptr[r + 1]; ++k) w_[l.column[k]] = 0;
    order_[i] = i;
  }
  double smallest = 1;
  for (std::size_t k = 0; k < n; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < n; ++i)
      if (std::fabs(factor_[order_[i] * n + k]) > std::fabs(factor_[order_[best] * n + k])) best = i;
    std::swap(order_[k], order_[best]);
    const double* pivot = &factor_[order_[k] * n];
    smallest = std::min(smallest, std::fabs(pivot[k]));
    if (pivot[k] == 0) return 0;
    for (std::size_t i = k + 1; i < n; ++i) {
      double* row = &factor_[order_[i] * n];
      if (row[k] == 0) continue;
      row[k] /= pivot[k];
      for (std::size_t j = k + 1; j < n; ++j) row[j] -= row[k] * pivot[j];
    }
  }
  return std::isfinite(smallest) ? smallest : 0;
}

// Replaces right_, ordered by rows of the set, by the solution, ordered by columns of the set.
void CoordinatePartitioning::substitute(std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    double sum = right_[order_[k]];
    const double* row = &factor_[order_[k] * n];
    for (std::size_t j = 0; j < k; ++j) sum -= row[j] * w_[j];
    w_[k] = sum;
  }
  for (std::size_t k = n; k-- > 0;) {
    const double* row = &factor_[order_[k] * n];
    for (std::size_t j = k + 1; j < n; ++j) w_[k] -= row[j] * w_[j];
    w_[k] /= row[k];
  }
  std::copy(w_.begin(), w_.begin() + static_cast<std::ptrdiff_t>(n), right_.begin());
}

double CoordinatePartitioning::worst_residual(bool position, int& row, double& left_out) const {
  const double* e = equations_.residual(position);
  double worst = 0;
  for (std::size_t k = 0; k < n_rows_; ++k) {
    if (!of_level(k, position)) continue;
    const double scaled = std::fabs(e[k]) * (choice_.row_scale[k] > 0 ? choice_.row_scale[k] : 1);
    if (equations_.mask[k] == 0) left_out = std::max(left_out, scaled);
    if (scaled <= worst) continue;
    worst = scaled;
    row = static_cast<int>(k);
  }
  return worst;
}

bool CoordinatePartitioning::newton(bool position, double t, double* y, double tolerance, CorrectionReport& report) {
  const int level = position ? 0 : 1;
  const std::size_t n = position ? choice_.set.n_position : choice_.set.rows.size();
  tolerance *= projector_.size().of(position);
  std::fill(total_.begin(), total_.end(), 0.0);
  double last = 0;
  bool done = false;
  for (int iteration = 0; !done; ++iteration) {
    equations_.assemble(t, y);
    equations_.residuals(t, y);
    scale_rows();
    int row = -1;
    double left_out = 0;
    const double worst = worst_residual(position, row, left_out);
    if (!std::isfinite(worst)) return false;
    if (iteration == 0) report.before[level] = worst;
    report.after[level] = worst;
    if (worst > tolerance) report.worst_row = row;
    if (worst == 0 || (iteration > 0 && worst <= tolerance)) break;
    if (iteration == kCoordinatePartitioningMaxIterations || n == 0) return false;
    // The residual is round-off of large coordinates, and more iterations cannot reduce it.
    if (iteration > 2 && worst > 0.5 * last) {
      if (worst > 1e3 * kEpsilon * projector_.extent(position, y)) return false;
      break;
    }
    const double quality = factorise(choice_.set, n);
    if (!(quality > kPartitionSingular)) return false;
    if (!position) choice_.quality = quality;
    const double* e = equations_.residual(position);
    for (std::size_t i = 0; i < n; ++i) right_[i] = -e[choice_.set.rows[i]] * choice_.row_scale[choice_.set.rows[i]];
    substitute(n);
    std::fill(w_.begin(), w_.end(), 0.0);
    for (std::size_t j = 0; j < n; ++j)
      w_[choice_.set.columns[j]] = right_[j] * choice_.column_scale[choice_.set.columns[j]];
    projector_.displace(position, t, y, w_.data());
    for (std::size_t j = 0; j < n_columns_; ++j) total_[j] += w_[j];
    done = worst < kPartitionQuadratic * projector_.size().of(position) && left_out <= tolerance;
    if (done) report.after[level] = worst * worst / projector_.size().of(position);
    last = worst;
  }
  report.moved[level] = moved(total_);
  return true;
}

// Returns sqrt(w^T M w) with the M that was assembled last.
double CoordinatePartitioning::moved(const std::vector<double>& w) const {
  const kernel::SystemLayout& l = equations_.layout();
  double sum = 0;
  for (std::size_t k = 0; k < l.mass.size(); ++k) {
    const auto [i, j] = l.mass[k];
    sum += (i == j ? 1 : 2) * equations_.mass_values()[k] * w[i] * w[j];
  }
  return std::sqrt(std::max(sum, 0.0));
}

}  // namespace mbc::runtime
