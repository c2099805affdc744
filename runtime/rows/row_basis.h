// SPDX-License-Identifier: Apache-2.0
// Scales constraint rows and builds an orthonormal basis of their span by Gram-Schmidt, for rank certification and
// projection. rank.h explains the scaling.
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/rank.h"

namespace mbc::runtime {

struct ScaledRows {
  Eigen::MatrixXd columns;  // n x m: the scaled rows as columns; zero rows are zero columns
  Eigen::VectorXd scale;    // the norm of each row before scaling
  Eigen::VectorXd weight;   // the norm of each scaled row: at most 1, and 0 for zero rows
  Eigen::VectorXd noise;    // relative noise of each row
  std::vector<char> zero;   // rows that consist of noise only

  // Converts a right-hand side of row i to the units of the scaled row. The result is 0 for zero rows.
  [[nodiscard]] double scaled(double value, int row) const {
    return zero[row] ? 0.0 : value / scale(row) * weight(row);
  }
};

// row_noise, row_terms and `usual` have the meaning of RankInput and may be empty.
ScaledRows scale_rows(const Eigen::MatrixXd& G, const Eigen::VectorXd& row_noise, const Eigen::VectorXd& row_terms,
                      const RankOptions& options, const Eigen::VectorXd& usual = {});

// Q is orthonormal. Scaled row i is coordinates.row(i) Q^T plus a remainder of norm distance(i) * weight(i). The basis
// contains the remainders of the selected rows, so that L.row(k) Q^T is the k-th selected row itself.
struct RowBasis {
  int rank = 0;
  Eigen::MatrixXd Q;            // n x min(m, n); only the first `rank` columns are set
  Eigen::MatrixXd coordinates;  // m x min(m, n)
  Eigen::MatrixXd L;            // rank x rank, lower triangular
  // Each entry is the sine of the angle to the rows selected before. After pivoting, rows that are left out are
  // measured against all selected rows.
  Eigen::VectorXd distance;
  std::vector<int> selected;  // indices in the order of selection

  [[nodiscard]] auto basis() const { return Q.leftCols(rank); }
};

// Tests the rows in declaration order, with the rows in use first (`in_use` has a flag per row or is empty). A row
// joins the basis if its remainder is above the tolerance.
RowBasis basis_in_order(const ScaledRows& rows, double tolerance, const std::vector<char>& in_use = {});

// Each step selects the first row whose remainder is at least half the largest. The selection ends with `rank` rows, or
// when no remainder is above the tolerance.
RowBasis basis_pivoted(const ScaledRows& rows, int rank, double tolerance);

// Returns z such that y = Q z is the minimum-norm solution of the selected rows. r has the units of the rows before
// scaling.
Eigen::VectorXd solve_in_basis(const RowBasis& basis, const ScaledRows& rows, const Eigen::VectorXd& r);

}  // namespace mbc::runtime
