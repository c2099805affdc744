// SPDX-License-Identifier: Apache-2.0
// Computes y = G^+ r for the formula of Udwadia and Kalaba, u' = a + M^-1/2 G^+ (b - A a) with G = A M^-1/2. There are
// two forms:
//
//   literal_generalised_inverse   the formula itself, on all rows. It decides the rank by itself and is discontinuous
//                                 where the rank changes. It serves the formulation `udwadia_kalaba(literal)` and is
//                                 the oracle of the tests.
//   RobustSolver                  the minimum-norm solution on certified independent rows, for the stages of a step
//
// Rows are first scaled to norm 1. The scaling is part of the definition, because the least-squares solution of
// contradicting rows depends on it.
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
  NonFinite non_finite;  // if one was found, y is empty
  Eigen::VectorXd y;     // minimum-norm least-squares solution
  int rank = 0;
  double residual = 0;      // |G y - r| over the scaled rows (zero rows are not scaled)
  double raw_residual = 0;  // the largest |G y - r| in the units of r
};

LiteralSolution literal_generalised_inverse(const Eigen::MatrixXd& G, const Eigen::VectorXd& r,
                                            const LiteralOptions& options = {});

// RobustSolver computes the minimum-norm solution of the active rows by Householder QR of their transpose:
//
//   G_a^T = Q R,   R^T z = r_a,   y = Q z,   R lambda = z   (so that G_a^T lambda = y).
//
// The method does not square the condition number, as a factorisation of G_a G_a^T would. After `reserve` with
// sufficient sizes a solve allocates nothing. A row is dependent if less than 1e-13 of it remains after the preceding
// rows are removed. Such a row is skipped, listed, and gets the multiplier 0; the caller then requests certification.
class RobustSolver {
 public:
  enum class Status { ok, skipped_rows, non_finite };

  RobustSolver() = default;
  RobustSolver(int rows, int coordinates) { reserve(rows, coordinates); }
  void reserve(int rows, int coordinates);

  // `active` lists the rows of G to satisfy, in order of preference.
  Status solve(const Eigen::Ref<const Eigen::MatrixXd>& G, const Eigen::Ref<const Eigen::VectorXd>& r,
               std::span<const int> active);

  // These values are valid until the next solve. After Status::non_finite both are zero.
  [[nodiscard]] auto y() const { return y_.head(coordinates_); }
  // one for each row of G; zero for inactive rows
  [[nodiscard]] auto multipliers() const { return multipliers_.head(rows_); }
  [[nodiscard]] std::span<const int> skipped() const { return skipped_; }
  [[nodiscard]] int rank() const { return rank_; }
  // Returns the largest |G y - r| / |row| over the active rows, including skipped ones.
  [[nodiscard]] double residual() const { return residual_; }

 private:
  bool load_column(const Eigen::Ref<const Eigen::MatrixXd>& G, int row);
  void reflect(int k, Eigen::Ref<Eigen::VectorXd> column) const;
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

}  // namespace mbc::runtime
