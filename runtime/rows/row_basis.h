// SPDX-License-Identifier: Apache-2.0
// Scaled constraint rows and an orthonormal basis of their span by Gram-Schmidt, shared by rank certification and
// projection. rank.h says what the scaling means.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/rank.h"

namespace mbc::runtime {

struct ScaledRows {
  Eigen::MatrixXd columns;  // n x m: scaled rows as columns; zero rows are zero columns
  Eigen::VectorXd scale;    // norm of each row as given
  Eigen::VectorXd weight;   // <= 1: norm of each scaled row, 0 for zero rows
  Eigen::VectorXd noise;    // relative noise of each row
  std::vector<char> zero;   // rows that are nothing but noise

  // A right-hand side of row i, in the units of the row as given, brought to those of the scaled row (0 for zero rows).
  [[nodiscard]] double scaled(double value, int row) const {
    return zero[row] ? 0.0 : value / scale(row) * weight(row);
  }
};

// row_noise, row_terms: as in RankInput, may be empty.
ScaledRows scale_rows(const Eigen::MatrixXd& G, const Eigen::VectorXd& row_noise, const Eigen::VectorXd& row_terms,
                      const RankOptions& options);

// With Q orthonormal: scaled row i = coordinates.row(i) Q^T + a remainder of norm distance(i) * weight(i).
// For the k-th selected row the remainder is part of the basis: L.row(k) Q^T is the row itself.
struct RowBasis {
  int rank = 0;
  Eigen::MatrixXd Q;            // n x min(m, n), the first `rank` columns are set
  Eigen::MatrixXd coordinates;  // m x min(m, n)
  Eigen::MatrixXd L;            // rank x rank, lower triangular
  Eigen::VectorXd distance;     // sine of the angle to the rows selected before it (pivoted: to all selected)
  std::vector<int> selected;    // in the order of selection

  [[nodiscard]] auto basis() const { return Q.leftCols(rank); }
};

// Rows in declaration order, those in use (by row; may be empty) before the others: a row whose remainder is above the
// tolerance joins the basis.
RowBasis basis_in_order(const ScaledRows& rows, double tolerance, const std::vector<char>& in_use = {});

// Each step takes the first row whose remainder is at least half the largest, until `rank` rows are taken or no
// remainder is above the tolerance.
RowBasis basis_pivoted(const ScaledRows& rows, int rank, double tolerance);

// z with y = Q z the minimum-norm solution of the selected rows, r in the units of the rows as given.
Eigen::VectorXd solve_in_basis(const RowBasis& basis, const ScaledRows& rows, const Eigen::VectorXd& r);

}  // namespace mbc::runtime
