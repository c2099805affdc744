// SPDX-License-Identifier: Apache-2.0
// Computes y = G^+ r with a given rank, by as many leading singular directions at the present state:
//
//   W G = U S V^T,   y = V_r S_r^-1 U_r^T W r,   so that  G^T lambda = y  with  lambda = W U_r S_r^-2 U_r^T W r
//
// Near a singular position no threshold separates a direction that the rows still hold from one that they never hold.
// The number of held directions does not change there, so the rank that was determined elsewhere decides. W scales row
// k by a length that is fixed where the rank is determined, not by its norm at the state, so that a vanishing row stays
// visible.
//
// Rows form parts that share no columns, each with its own rank. G is m x n and mass-scaled (mass_scaling.h).
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct RowComponent {
  std::vector<Eigen::Index> rows, columns;
  int rank = 0;
  bool by_position = false;  // some rows have position level
  // At the last state that was decomposed
  Eigen::VectorXd values;  // min(m, n), descending
  Eigen::MatrixXd U, V;    // square; columns of U for rows without weight are left out or zero

  // Return the smallest singular value that counts, and the largest that does not (0 if there is none).
  [[nodiscard]] double smallest() const { return rank > 0 ? values[rank - 1] : 1; }
  [[nodiscard]] double largest_truncated() const { return rank < values.size() ? values[rank] : 0; }
  // Returns how many of the counted ones are below `limit`.
  [[nodiscard]] int weak(double limit) const {
    int count = 0;
    while (count < rank && values[rank - 1 - count] < limit) ++count;
    return count;
  }
  // Returns z, in the counted directions, divided by their singular values.
  [[nodiscard]] Eigen::VectorXd over_values(const Eigen::VectorXd& z) const;
  // Returns an orthonormal basis of the displacements that the counted rows leave free, in the part's columns.
  [[nodiscard]] auto free_directions() const { return V.rightCols(V.cols() - rank); }
};

class TruncatedInverse {
 public:
  std::vector<RowComponent> parts;
  Eigen::VectorXd weight;  // W, by row

  // Returns false if G is not finite; the results must not be used then.
  bool decompose(const Eigen::MatrixXd& G);
  // Computes the shortest y of the counted directions after decompose(), and its multipliers.
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& y, Eigen::VectorXd& multipliers) const;
  // Return part k of W r in the counted directions, and in the other ones.
  [[nodiscard]] Eigen::VectorXd leading(std::size_t k, const Eigen::VectorXd& r) const;
  [[nodiscard]] Eigen::VectorXd truncated(std::size_t k, const Eigen::VectorXd& r) const;
  // Returns part k of W G, with the rows and columns of the part.
  [[nodiscard]] Eigen::MatrixXd scaled_rows(std::size_t k, const Eigen::MatrixXd& G) const;

 private:
  [[nodiscard]] SingularDecomposition decomposed(std::size_t k, const Eigen::MatrixXd& G) const;
  [[nodiscard]] Eigen::VectorXd scaled(const RowComponent& part, const Eigen::VectorXd& r) const;
};

}  // namespace mbc::runtime
