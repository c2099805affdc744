// SPDX-License-Identifier: Apache-2.0
// Chooses independent speeds by elimination with complete pivoting over rows, momenta and the quasi-velocities of the
// user.
#include "runtime/equations/independent_speeds.h"

#include <Eigen/Core>
#include <cmath>

#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

class Elimination {
 public:
  Elimination(const kernel::SystemLayout& l, const double* work, const std::vector<double>& mask)
      : l_(l), q_(*l.quasi), n_(l.n_speeds), first_momentum_(l.n_rows), first_user_(l.n_rows + q_.n_momenta) {
    rows_ = Matrix::Zero(static_cast<Eigen::Index>(first_user_ + q_.n_user), n_);
    for (std::uint32_t r = 0; r < l.n_rows; ++r)
      for (std::uint32_t k = l.row_ptr[r]; mask[r] != 0 && k < l.row_ptr[r + 1]; ++k)
        rows_(r, l.column[k]) = work[l.A + k];
    for (std::uint32_t r = 0; r < q_.n_momenta; ++r) momentum(work, r);
    for (std::uint32_t r = 0; r < q_.n_user; ++r)
      for (std::uint32_t k = q_.row_ptr[r]; k < q_.row_ptr[r + 1]; ++k)
        rows_(first_user_ + r, q_.column[k]) = work[q_.Y + k];
    scale(work);
    column_taken_.assign(n_, false);
    row_done_.assign(static_cast<std::size_t>(rows_.rows()), false);
  }

  SpeedChoice run() {
    SpeedChoice out;
    out.taken.assign(l_.n_rows, 0.0);
    std::uint32_t momenta = 0;
    for (Eigen::Index row; (row = best_row()) >= 0;) {
      if (row < first_momentum_)
        out.taken[static_cast<std::size_t>(row)] = 1;
      else
        ++momenta;
    }
    for (std::uint32_t r = 0; r < q_.n_user; ++r)
      if (take(first_user_ + r, kOtherRowLeft))
        out.y.push_back(n_ + r);
      else
        out.left_out.push_back(r);
    for (std::uint32_t j = 0; j < n_; ++j)
      if (!column_taken_[j]) out.y.push_back(j);
    out.count = static_cast<std::uint32_t>(out.y.size());
    out.complete = momenta == q_.n_momenta;
    out.y.resize(n_, -1.0);
    return out;
  }

 private:
  void momentum(const double* work, std::uint32_t r) {
    const double* direction = work + q_.direction + std::size_t{r} * n_;
    for (std::size_t k = 0; k < l_.mass.size(); ++k) {
      const auto [i, j] = l_.mass[k];
      rows_(first_momentum_ + r, j) += direction[i] * work[l_.M + k];
      if (i != j) rows_(first_momentum_ + r, i) += direction[j] * work[l_.M + k];
    }
  }

  void scale(const double* work) {
    Eigen::RowVectorXd columns = Eigen::RowVectorXd::Zero(n_);
    for (std::size_t k = 0; k < l_.mass.size(); ++k)
      if (l_.mass[k].first == l_.mass[k].second && work[l_.M + k] > 0)
        columns[l_.mass[k].first] = 1 / std::sqrt(work[l_.M + k]);
    const double largest = columns.size() > 0 && columns.maxCoeff() > 0 ? columns.maxCoeff() : 1;
    for (double& s : columns)
      if (s == 0) s = largest;
    rows_ = rows_ * columns.asDiagonal();
    for (Eigen::Index r = 0; r < rows_.rows(); ++r)
      if (const double norm = rows_.row(r).norm(); norm > 0 && std::isfinite(norm)) rows_.row(r) /= norm;
  }

  // Eliminates with complete pivoting among constraints and momenta. Returns the row, or -1 if none is left.
  Eigen::Index best_row() {
    double largest = kCertifiedRowLeft;
    Eigen::Index best = -1;
    std::uint32_t column = 0;
    for (Eigen::Index r = 0; r < first_user_; ++r) {
      if (row_done_[static_cast<std::size_t>(r)]) continue;
      for (std::uint32_t c = 0; c < n_; ++c)
        if (!column_taken_[c] && std::fabs(rows_(r, c)) > largest) {
          largest = std::fabs(rows_(r, c));
          best = r;
          column = c;
        }
    }
    if (best >= 0) eliminate(best, column);
    return best;
  }

  bool take(Eigen::Index row, double limit) {
    std::uint32_t column = 0;
    double largest = limit;
    bool found = false;
    for (std::uint32_t c = 0; c < n_; ++c)
      if (!column_taken_[c] && std::fabs(rows_(row, c)) > largest) {
        largest = std::fabs(rows_(row, c));
        column = c;
        found = true;
      }
    if (found) eliminate(row, column);
    return found;
  }

  void eliminate(Eigen::Index row, std::uint32_t column) {
    row_done_[static_cast<std::size_t>(row)] = true;
    column_taken_[column] = true;
    for (Eigen::Index r = 0; r < rows_.rows(); ++r) {
      if (row_done_[static_cast<std::size_t>(r)] || rows_(r, column) == 0) continue;
      rows_.row(r) -= rows_(r, column) / rows_(row, column) * rows_.row(row);
    }
  }

  const kernel::SystemLayout& l_;
  const kernel::QuasiLayout& q_;
  std::uint32_t n_;
  Eigen::Index first_momentum_, first_user_;
  Matrix rows_;  // constraints, momenta and quasi-velocities of the user, scaled
  std::vector<bool> column_taken_, row_done_;
};

}  // namespace

bool SpeedChoice::fits(const kernel::SystemLayout& layout) const {
  const std::uint32_t users = layout.quasi ? layout.quasi->n_user : 0;
  const double end = layout.quasi ? layout.n_speeds + users : 0;
  const auto is_entry = [end](double entry) { return entry >= -1 && entry < end && entry == std::floor(entry); };
  return (y.empty() || y.size() == layout.n_speeds) && count <= y.size() && std::all_of(y.begin(), y.end(), is_entry) &&
         std::all_of(y.begin(), y.begin() + count, [](double entry) { return entry >= 0; }) &&
         std::all_of(left_out.begin(), left_out.end(), [users](std::uint32_t user) { return user < users; });
}

SpeedChoice choose_speeds(const kernel::SystemLayout& layout, const double* work, const std::vector<double>& mask) {
  return Elimination(layout, work, mask).run();
}

}  // namespace mbc::runtime
