// SPDX-License-Identifier: Apache-2.0
// y = G^+ r: the step of Udwadia and Kalaba, u' = a + M^-1/2 G^+ (b - A a) with G = A M^-1/2, in three forms.
//
//   literal_generalised_inverse   the formula itself, on all rows, rank decided on the spot: the oracle of the tests
//   and
//                                 the `udwadia_kalaba(literal)` formulation. Discontinuous where the rank changes.
//   RobustSolver                  minimum-norm solution on the certified independent rows, for use inside stages
//   minimum_norm_multipliers      multipliers of redundant rows made definite
//
// Rows are scaled to norm 1 first. This is part of the definition: the least-squares solution of contradicting rows and
// the minimum-norm multipliers depend on it.
#pragma once
#include <Eigen/Core>
#include <span>
#include <vector>

#include "runtime/rows/rank.h"

namespace mbc::runtime {

struct LiteralOptions {
  enum class Method { complete_orthogonal, svd };
  Method method = Method::complete_orthogonal;
  double tolerance = 1e-10;  // relative to the largest pivot or singular value of the scaled rows
};

struct LiteralSolution {
  NonFinite non_finite;  // when found, y is empty
  Eigen::VectorXd y;     // minimum-norm least-squares solution
  int rank = 0;
  double residual = 0;      // |G y - r| over the scaled rows (zero rows: as given)
  double raw_residual = 0;  // largest |G y - r| in the units of r
};

LiteralSolution literal_generalised_inverse(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                            const LiteralOptions& options = {});

// Minimum-norm solution of the active rows by Householder QR of their transpose,
//
//   G_a^T = Q R,   R^T z = r_a,   y = Q z,   R lambda = z   (so that G_a^T lambda = y),
//
// which never squares the condition number, as factorising G_a G_a^T would. Solves allocate nothing once `reserve` was
// called with large enough sizes. A row that has become dependent (what is left of it below 1e-13 of its norm) is
// skipped, gets the multiplier 0 and is listed; the caller asks for certification.
class RobustSolver {
 public:
  enum class Status { ok, skipped_rows, non_finite };

  RobustSolver() = default;
  RobustSolver(int rows, int coordinates) { reserve(rows, coordinates); }
  void reserve(int rows, int coordinates);

  // active: rows of G to satisfy, in order of preference.
  Status solve(const Eigen::Ref<const Eigen::MatrixXd>& G, const Eigen::Ref<const Eigen::VectorXd>& r,
               std::span<const int> active);

  // Valid until the next solve. After Status::non_finite both are zero.
  [[nodiscard]] auto y() const { return y_.head(coordinates_); }
  [[nodiscard]] auto multipliers() const { return multipliers_.head(rows_); }  // one per row of G, inactive ones 0
  [[nodiscard]] std::span<const int> skipped() const { return skipped_; }
  [[nodiscard]] int rank() const { return rank_; }
  // Largest |G y - r| / |row| over the active rows, skipped ones included.
  [[nodiscard]] double residual() const { return residual_; }

 private:
  bool load_column(const Eigen::Ref<const Eigen::MatrixXd>& G, int row);
  void apply_reflectors_to_column();
  bool append_column(int row, double r);
  void recover_solution();
  void recover_multipliers();
  void measure_residual(const Eigen::Ref<const Eigen::MatrixXd>& G, const Eigen::Ref<const Eigen::VectorXd>& r,
                        std::span<const int> active);

  Eigen::MatrixXd factor_;  // n x m: column k holds R(0..k, k) and below it the k-th reflector
  Eigen::VectorXd tau_, z_, y_, multipliers_, scale_;
  std::vector<int> kept_, skipped_;
  int rank_ = 0, rows_ = 0, coordinates_ = 0;
  double residual_ = 0;
};

// Multipliers of all rows with the same G^T lambda as `basic` (which may leave redundant rows at 0) and, in units of
// the scaled rows (|row_i| lambda_i), the smallest norm: basic - N N^T basic, N an orthonormal basis of the null space
// of the transposed scaled rows. `report` is the certification of the rows.
Eigen::VectorXd minimum_norm_multipliers(const RankReport& report, const Eigen::VectorXd& basic);

}  // namespace mbc::runtime
