// SPDX-License-Identifier: Apache-2.0
// y = G^+ r with the rank given as a count: the leading r singular directions of the state at hand,
//
//   W G = U S V^T,   y = V_r S_r^-1 U_r^T W r,   so that  G^T lambda = y  with  lambda = W U_r S_r^-2 U_r^T W r
//
// Beside a singular position no threshold tells a direction that the rows still hold from one they have never held; how
// many they hold does not change there, so the count that was decided elsewhere does. W scales row k by a length that
// is fixed where the rank is counted, not by its norm at the state, so that a row that vanishes is seen to.
//
// Rows fall into parts that share no columns, each with a rank of its own. G: m x n, mass-scaled (mass_scaling.h).
#pragma once
#include <Eigen/Core>
#include <vector>

#include "runtime/rows/decompositions.h"

namespace mbc::runtime {

struct RowComponent {
  std::vector<Eigen::Index> rows, columns;
  int rank = 0;
  bool by_position = false;  // rows of position level are among them
  // of the last state that was decomposed
  Eigen::VectorXd values;  // min(m, n), descending
  Eigen::MatrixXd U, V;    // square; of U columns that would hold rows without weight alone are left out, or zero

  // The smallest singular value that counts, and the largest that does not (0 where there is none).
  [[nodiscard]] double smallest() const { return rank > 0 ? values[rank - 1] : 1; }
  [[nodiscard]] double largest_truncated() const { return rank < values.size() ? values[rank] : 0; }
  // How many of the counted ones are below `limit`.
  [[nodiscard]] int weak(double limit) const {
    int count = 0;
    while (count < rank && values[rank - 1 - count] < limit) ++count;
    return count;
  }
  // z, in the counted directions, divided by their singular values.
  [[nodiscard]] Eigen::VectorXd over_values(const Eigen::VectorXd& z) const;
  // Orthonormal basis of the displacements that the counted rows leave, in the part's columns.
  [[nodiscard]] auto free_directions() const { return V.rightCols(V.cols() - rank); }
};

class TruncatedInverse {
 public:
  std::vector<RowComponent> parts;
  Eigen::VectorXd weight;  // of every row: W

  // false, and nothing to be used, where G is not finite.
  bool decompose(const Eigen::MatrixXd& G);
  // After decompose(): the shortest y of the counted directions, and its multipliers.
  void solve(const Eigen::VectorXd& r, Eigen::VectorXd& y, Eigen::VectorXd& multipliers) const;
  // Part k of W r in the counted directions; and in those that are not counted.
  [[nodiscard]] Eigen::VectorXd leading(std::size_t k, const Eigen::VectorXd& r) const;
  [[nodiscard]] Eigen::VectorXd truncated(std::size_t k, const Eigen::VectorXd& r) const;
  // Part k of W G, rows and columns of the part.
  [[nodiscard]] Eigen::MatrixXd scaled_rows(std::size_t k, const Eigen::MatrixXd& G) const;

 private:
  [[nodiscard]] SingularDecomposition decomposed(std::size_t k, const Eigen::MatrixXd& G) const;
  [[nodiscard]] Eigen::VectorXd scaled(const RowComponent& part, const Eigen::VectorXd& r) const;
};

}  // namespace mbc::runtime
