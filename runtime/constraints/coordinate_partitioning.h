// SPDX-License-Identifier: Apache-2.0
// `stabilise = partition(tol)`: generalised coordinate partitioning (R. A. Wehage, E. J. Haug, J. Mech. Des. 104 (1982)
// 247-255; the method of seed 004). The independent coordinates and speeds are taken from the integration as they are;
// the dependent ones are solved from the constraints by Newton's method, first the positions, then the velocities:
//
//   A_d w_d = -e,  w = 0 elsewhere,  q <- q + W w;   then the same for u with the velocity-level residuals
//
// The choice is made in the space of the speeds, so that a displacement of a body's orientation is a rotation about its
// axes. Dependent are the columns that elimination with complete pivoting takes, the position-level rows first, each
// column scaled by 1/sqrt(M_jj) and each row to norm 1: the columns that move least mass. The choice is kept until the
// smallest pivot of A_d has fallen to kAged of what it was, and changed only if that makes it kBetter times larger. The
// state is the full [q; u; s] all along, so that a renewal changes nothing in it.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/constraint_projector.h"

namespace mbc::runtime {

class CoordinatePartitioning {
 public:
  CoordinatePartitioning(Equations& equations, const ModelInfo& info, ConstraintProjector& projector);

  // Corrects y in place. False when Newton's method fails with the choice at hand and with a new one; y is as it was.
  bool solve(double t, double* y, double tolerance, CorrectionReport& report);

  // The choice at hand, for steps that are made again from the same state.
  void keep() { assign(kept_, *this); }
  void restore() { assign(*this, kept_); }

  // How often another set of dependent coordinates was chosen during the run.
  [[nodiscard]] std::uint64_t renewals() const { return renewals_; }
  void transfer(Archive& archive) {
    archive(set_.rows, set_.columns, set_.n_position, mask_, chosen_quality_, quality_, renewals_);
    archive.fixed(column_scale_, row_scale_);
    archive.expect(mask_.empty() || mask_.size() == n_rows_);
    archive.expect(set_.rows.size() == set_.columns.size() && set_.n_position <= set_.rows.size());
    for (const std::uint32_t row : set_.rows) archive.expect(row < n_rows_);
    for (const std::uint32_t column : set_.columns) archive.expect(column < n_columns_);
  }

 private:
  struct Set {  // rows to meet and the columns solved for; the first `n_position` belong to the position level
    std::vector<std::uint32_t> rows, columns;
    std::size_t n_position = 0;
  };
  struct Kept {
    Set set_;
    std::vector<double> mask_, column_scale_, row_scale_;
    double chosen_quality_ = 0, quality_ = 0;
    std::uint64_t renewals_ = 0;
  };
  template <class To, class From>
  static void assign(To& to, const From& from) {
    to.set_ = from.set_;
    to.mask_ = from.mask_;
    to.column_scale_ = from.column_scale_;
    to.row_scale_ = from.row_scale_;
    to.chosen_quality_ = from.chosen_quality_;
    to.quality_ = from.quality_;
    to.renewals_ = from.renewals_;
  }
  bool both_levels(double t, double* y, double tolerance, CorrectionReport& report);
  bool newton(bool position, double t, double* y, double tolerance, CorrectionReport& report);
  void renew(double t, const double* y);
  void choose(Set& set);
  void eliminate(Set& set, bool position, bool certified);
  void scale_rows();
  double factorise(const Set& set, std::size_t n);
  void substitute(std::size_t n);
  [[nodiscard]] double worst_residual(bool position, int& row, double& left_out) const;
  [[nodiscard]] bool of_level(std::size_t row, bool position) const {
    return position ? info_.rows[row].level == RowLevel::position : info_.rows[row].level != RowLevel::acceleration;
  }
  [[nodiscard]] double moved(const std::vector<double>& w) const;

  Equations& equations_;
  const ModelInfo& info_;
  ConstraintProjector& projector_;
  std::size_t n_rows_, n_columns_;
  Set set_, next_;
  std::vector<double> mask_;  // of the rows the choice was made for
  double chosen_quality_ = 0, quality_ = 0;
  std::uint64_t renewals_ = 0;
  // A scaled, dense, for choosing; the scales; the factors of A_d; a displacement and the sum of them
  std::vector<double> dense_, column_scale_, row_scale_, factor_, right_, w_, total_, start_;
  std::vector<std::size_t> order_;
  std::vector<char> row_taken_, column_taken_;
  Kept kept_;
};

}  // namespace mbc::runtime
