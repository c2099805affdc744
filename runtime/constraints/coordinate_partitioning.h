// SPDX-License-Identifier: Apache-2.0
// CoordinatePartitioning implements `stabilise = partition(tol)`: generalised coordinate partitioning (R. A. Wehage, E.
// J. Haug, J. Mech. Des. 104 (1982) 247-255; the method of seed 004). The independent coordinates and speeds keep the
// values of the integration. Newton's method solves the constraints for the dependent ones, first the positions and
// then the velocities:
//
//   A_d w_d = -e,  w = 0 elsewhere,  q <- q + W w;   then the same for u with the velocity-level residuals
//
// The choice is made in the space of the speeds, so that a displacement of a body's orientation is a rotation about its
// axes. The dependent columns are those that elimination with complete pivoting takes, starting with the position-level
// rows. Each column is scaled by 1/sqrt(M_jj) and each row to norm 1, so that the columns that move least mass become
// dependent. The choice stays until the smallest pivot of A_d has fallen to kPartitionAged of its value at the choice.
// It changes only if the new pivot is kPartitionBetter times larger. The state is always the full [q; u; s], so that a
// new choice does not change it.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/constraints/constraint_projector.h"

namespace mbc::runtime {

class CoordinatePartitioning {
 public:
  CoordinatePartitioning(Equations& equations, const problem::Problem& info, ConstraintProjector& projector);

  // Corrects y in place. The result is false if Newton's method fails with the current choice and with a new one; y
  // then does not change.
  bool solve(double t, double* y, double tolerance, CorrectionReport& report);

  // These functions save and restore the choice for steps that are repeated from the same state.
  void keep() { kept_ = choice_; }
  void restore() { choice_ = kept_; }

  // Returns how often the set of dependent coordinates changed during the run.
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
  struct Set {  // the rows to satisfy and the columns to solve for; the first `n_position` belong to the position level
    std::vector<std::uint32_t> rows, columns;
    std::size_t n_position = 0;
  };
  struct Choice {
    Set set;
    std::vector<double> mask;                     // the row mask of the choice
    std::vector<double> column_scale, row_scale;  // scales of A that the choice uses
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
  Choice choice_, kept_;  // the current choice; the one saved by keep()
  Set next_;
  // These are the scaled dense A for the choice, the factors of A_d, a displacement and the sum of all displacements.
  std::vector<double> dense_, factor_, right_, w_, total_, start_;
  std::vector<std::size_t> order_;
  std::vector<char> row_taken_, column_taken_;
};

}  // namespace mbc::runtime
