// SPDX-License-Identifier: Apache-2.0
// DenseRows assembles the system M u' = f + A^T lambda, A u' = b as full matrices and solves it for the accelerations
// without the elimination of the kernel. It has three modes:
//
//   robust   Householder QR of the certified rows (runtime/rows/generalised_inverse.h)
//   truncated  the leading singular directions of all rows, as many as the generic rank
//            (runtime/rows/truncated_inverse.h)
//   literal  the generalised inverse of all rows, F. E. Udwadia, R. E. Kalaba, Proc. R. Soc. Lond. A 439 (1992)
//            407-410, eq. 3 of seed 003: u' = a + M^-1/2 (A M^-1/2)^+ (b - A a), with a rank found at each state
//
// The solvers use L^-T in place of M^-1/2, where M = L L^T. The two differ by a rotation, which changes no result.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/equations/kernel_runner.h"
#include "runtime/rows/generalised_inverse.h"
#include "runtime/rows/mass_scaling.h"
#include "runtime/rows/truncated_inverse.h"

namespace mbc::runtime {

// The mode `fast` is the elimination of the kernel; the others are described above.
enum class SolveMode : std::uint8_t { fast, robust, literal, truncated };
constexpr bool known(SolveMode mode) { return mode <= SolveMode::truncated; }

// This struct holds M, f, A and b at one state in SI units, with n = n_speeds and m = n_rows. The errors bound the
// rounding of the values in units of eps (kernel::interpret_with_error). They are empty unless the caller asks for
// them.
struct Assembled {
  Eigen::MatrixXd A, A_error;                     // m x n
  Eigen::VectorXd b, b_error;                     // m
  Eigen::VectorXd f;                              // n
  const kernel::SystemLayout* pattern = nullptr;  // entries of A and M outside of this pattern are zero
  std::vector<char> filled, error_filled;         // m flags: the row of A (of A_error) has an entry that is not zero
  Eigen::MatrixXd M;                              // n x n
  // The solvers use M + A^T D A and f + A^T D b if M alone is singular (layout: inertia_rows), and M and f otherwise.
  [[nodiscard]] const Eigen::MatrixXd& solved_mass() const { return with_rows.size() > 0 ? with_rows : M; }
  Eigen::MatrixXd with_rows;
  Eigen::VectorXd solved_force;
  MassScaling scaling;  // factors of solved_mass(); valid() is false if that matrix is not positive definite

  // Returns some rows of A or of A_error. The cost does not depend on the number of the other rows, which can be large.
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
  // Returns false for a row of a contact that is switched off. The vector of_contact has a 1 for each row of a contact.
  [[nodiscard]] bool acts(int row, const std::vector<char>& of_contact) const {
    const auto k = static_cast<std::size_t>(row);
    return of_contact[k] == 0 || filled[k] != 0 || (k < error_filled.size() && error_filled[k] != 0) || b[row] != 0;
  }

  // Returns the accelerations without the multipliers, M^-1 f = L^-T (L^-1 f).
  [[nodiscard]] Eigen::VectorXd free_acceleration() const {
    return scaling.from_scaled(scaling.scale_rows(solved_force.transpose()).transpose());
  }
};

class DenseRows {
 public:
  // The runner must outlive the object. Only the thread of the runner may use the object.
  explicit DenseRows(KernelRunner& runner);

  // Returns 0, or 1 if a value is not finite or the mass matrix is not positive definite. `out` is filled in either
  // case.
  std::int32_t assemble(double t, const double* y, Assembled& out, bool errors);

  // This is Equations::rhs for the modes other than fast. It leaves the multipliers in work. `tolerance` decides the
  // rank in the mode `literal`.
  std::int32_t rhs(SolveMode mode, double tolerance, double t, const double* y, double* dy);
  // The caller sets the parts and their generic ranks here before it calls rhs() in the mode `truncated`. The call
  // leaves the decomposition at its state here.
  [[nodiscard]] TruncatedInverse& truncated() { return truncated_; }
  // Returns the system that the last rhs() assembled.
  [[nodiscard]] const Assembled& assembled() const { return assembled_; }
  // Returns whether the last rhs() left out rows as dependent.
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
