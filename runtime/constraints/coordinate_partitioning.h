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
  CoordinatePartitioning(Equations& equations, const problem::Problem& info, ConstraintProjector& projector);

  // Corrects y in place. False when Newton's method fails with the choice at hand and with a new one; y is as it was.
  bool solve(double t, double* y, double tolerance, CorrectionReport& report);

  // The choice at hand, for steps that are made again from the same state.
  void keep() { kept_ = choice_; }
  void restore() { choice_ = kept_; }

  // How often another set of dependent coordinates was chosen during the run.
  [[nodiscard]] std::uint64_t renewals() const { return choice_.renewals; }
  void transfer(Archive& archive) {
    archive(choice_.set.rows, choice_.set.columns, choice_.set.n_position, choice_.mask, choice_.chosen_quality,
            choice_.quality, choice_.renewals);
    archive.fixed(choice_.column_scale, choice_.row_scale);
    archive.expect(choice_.mask.empty() || choice_.mask.size() == n_rows_);
    archive.expect(choice_.set.rows.size() == choice_.set.columns.size() &&
                   choice_.set.n_position <= choice_.set.rows.size());
    for (const std::uint32_t row : choice_.set.rows) archive.expect(row < n_rows_);
    for (const std::uint32_t column : choice_.set.columns) archive.expect(column < n_columns_);
  }

 private:
  struct Set {  // rows to meet and the columns solved for; the first `n_position` belong to the position level
    std::vector<std::uint32_t> rows, columns;
    std::size_t n_position = 0;
  };
  struct Choice {
    Set set;
    std::vector<double> mask;                     // of the rows the choice was made for
    std::vector<double> column_scale, row_scale;  // of A, for choosing
    double chosen_quality = 0, quality = 0;
    std::uint64_t renewals = 0;
  };
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
    return position ? info_.rows[row].level == problem::Level::position
                    : info_.rows[row].level != problem::Level::acceleration;
  }
  [[nodiscard]] double moved(const std::vector<double>& w) const;

  Equations& equations_;
  const problem::Problem& info_;
  ConstraintProjector& projector_;
  std::size_t n_rows_, n_columns_;
  Choice choice_, kept_;  // at hand; see keep()
  Set next_;
  // A scaled, dense, for choosing; the factors of A_d; a displacement and the sum of them
  std::vector<double> dense_, factor_, right_, w_, total_, start_;
  std::vector<std::size_t> order_;
  std::vector<char> row_taken_, column_taken_;
};

}  // namespace mbc::runtime
