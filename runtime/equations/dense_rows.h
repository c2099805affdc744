// SPDX-License-Identifier: Apache-2.0
// The assembled system M u' = f + A^T lambda, A u' = b as full matrices, and accelerations from it without the kernel's
// elimination:
//
//   robust   Householder QR of the certified rows (runtime/rows/generalised_inverse.h)
//   truncated  the leading singular directions of all rows, as many as the generic rank
//   (runtime/rows/truncated_inverse.h) literal  the generalised inverse of all rows, F. E. Udwadia, R. E. Kalaba, Proc.
//   R. Soc. Lond. A 439 (1992)
//            407-410, eq. 3 of seed 003: u' = a + M^-1/2 (A M^-1/2)^+ (b - A a), rank decided on the spot
//
// In both L^-T stands for M^-1/2, M = L L^T: it differs from it by a rotation, which changes no result.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/equations/kernel_runner.h"
#include "runtime/rows/generalised_inverse.h"
#include "runtime/rows/mass_scaling.h"
#include "runtime/rows/truncated_inverse.h"

namespace mbc::runtime {

// By the kernel's own elimination, or as above.
enum class SolveMode : std::uint8_t { fast, robust, literal, truncated };
constexpr bool known(SolveMode mode) { return mode <= SolveMode::truncated; }

// M, f, A, b at a state. n = n_speeds, m = n_rows; SI units. Errors bound the rounding of the values, in units of eps
// (kernel::interpret_with_error); they are empty unless they were asked for.
struct Assembled {
  Eigen::MatrixXd A, A_error;                     // m x n
  Eigen::VectorXd b, b_error;                     // m
  Eigen::VectorXd f, f_error;                     // n
  const kernel::SystemLayout* pattern = nullptr;  // other entries of A and M than these are zero
  std::vector<char> filled, error_filled;         // m: of A and of A_error, an entry of the row is not zero
  Eigen::MatrixXd M;                              // n x n
  // What is solved with: M + A^T D A and f + A^T D b where M alone is singular (layout: inertia_rows), else M and f.
  [[nodiscard]] const Eigen::MatrixXd& solved_mass() const { return with_rows.size() > 0 ? with_rows : M; }
  Eigen::MatrixXd with_rows;
  Eigen::VectorXd solved_force;
  MassScaling scaling;  // of solved_mass(); valid() is false where that is not positive definite

  // Some rows of A, or of A_error: there may be very many others.
  template <class Rows>
  [[nodiscard]] Eigen::MatrixXd rows_of(const Eigen::MatrixXd& from, const Rows& rows) const {
    Eigen::MatrixXd out = Eigen::MatrixXd::Zero(static_cast<Eigen::Index>(rows.size()), from.cols());
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const auto row = static_cast<std::size_t>(rows[k]);
      for (std::uint32_t e = pattern->row_ptr[row]; e < pattern->row_ptr[row + 1]; ++e) {
        const auto column = static_cast<Eigen::Index>(pattern->column[e]);
        out(static_cast<Eigen::Index>(k), column) = from(static_cast<Eigen::Index>(row), column);
      }
    }
    return out;
  }
  // Whether a row is none of a contact that is switched off. of_contact: 1 by row for those of contacts.
  [[nodiscard]] bool acts(int row, const std::vector<char>& of_contact) const {
    const auto k = static_cast<std::size_t>(row);
    return of_contact[k] == 0 || filled[k] != 0 || (k < error_filled.size() && error_filled[k] != 0) || b[row] != 0;
  }

  // The accelerations without the multipliers, M^-1 f = L^-T (L^-1 f)
  [[nodiscard]] Eigen::VectorXd free_acceleration() const {
    return scaling.from_scaled(scaling.scale_rows(solved_force.transpose()).transpose());
  }
};

class DenseRows {
 public:
  // The runner outlives the object, which is used by the runner's thread.
  explicit DenseRows(KernelRunner& runner);

  // 0, or 1 where something is not finite or the mass matrix is not positive definite; `out` is filled in any case.
  std::int32_t assemble(double t, const double* y, Assembled& out, bool errors);

  // Equations::rhs in a mode other than fast; multipliers are left in work. `tolerance`: of the literal rank.
  std::int32_t rhs(SolveMode mode, double tolerance, double t, const double* y, double* dy);
  // Which rows belong together, and how many directions they hold: set before rhs() in truncated mode, which leaves the
  // decomposition of its state there.
  [[nodiscard]] TruncatedInverse& truncated() { return truncated_; }
  // What rhs() has assembled last.
  [[nodiscard]] const Assembled& assembled() const { return assembled_; }
  // Rows were left out as dependent in the last rhs().
  [[nodiscard]] bool skipped() const { return skipped_; }
  void forget() { skipped_ = false; }
  void transfer(Archive& archive) { archive(skipped_); }

 private:
  void add_inertia_rows(Assembled& out) const;
  void solve(SolveMode mode, double tolerance, Eigen::VectorXd& acceleration, Eigen::VectorXd& multipliers);

  KernelRunner& runner_;
  const kernel::SystemLayout& layout_;
  Assembled assembled_;
  RobustSolver robust_;
  TruncatedInverse truncated_;
  bool skipped_ = false;
};

}  // namespace mbc::runtime
