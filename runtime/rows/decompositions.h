// SPDX-License-Identifier: Apache-2.0
// The one door to Eigen's decompositions: singular values, orthogonal and symmetric factorisations of dense matrices,
// and elimination of sparse ones.
//
// Each algorithm is a template of many thousand lines. It is instantiated once, in the source file named beside its
// group, and everything else includes Eigen/Core alone. Arguments have to be finite, which the callers check. An
// argument that is an expression is evaluated to a matrix first; no function keeps a reference to it.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

namespace mbc::runtime {

// ---- singular values (jacobi_svd.cpp, bidiagonal_svd.cpp), A = U diag(values) V^T, values descending

// One-sided Jacobi: the most accurate, for small matrices.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

// Through a tridiagonal matrix: 3 to 9 times faster from about 32 rows on, to rounding of the largest. Empty when it
// did not converge.
Eigen::VectorXd singular_values_tridiagonal(const Eigen::MatrixXd& A);

struct RightSingular {
  Eigen::VectorXd values;  // min(m, n)
  Eigen::MatrixXd V;       // n x min(m, n) when thin, n x n when full
};
RightSingular thin_right_singular(const Eigen::MatrixXd& A);  // one-sided Jacobi
RightSingular full_right_singular(const Eigen::MatrixXd& A);  // as singular_decomposition()

struct SingularDecomposition {
  Eigen::VectorXd values;  // min(m, n)
  Eigen::MatrixXd U, V;    // m x m, n x n
};
// One-sided Jacobi for small matrices, implicit QR of the bidiagonal form for others.
SingularDecomposition singular_decomposition(const Eigen::MatrixXd& A);

// ---- least squares

struct MinimumNorm {
  int rank = 0;       // singular values or pivots above tolerance times the largest
  Eigen::VectorXd x;  // of all that minimise |A x - b| the shortest; empty when the rank is 0
};
MinimumNorm minimum_norm_by_svd(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance);
MinimumNorm minimum_norm_by_orthogonal(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance);

// The shortest x that minimises |A^T x - b|, rank decided at round-off.
Eigen::VectorXd solve_transposed(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

// A^+ by a complete orthogonal decomposition that is made once and used many times, rank decided at round-off.
class PseudoInverse {
 public:
  PseudoInverse();
  ~PseudoInverse();
  PseudoInverse(PseudoInverse&&) noexcept;
  PseudoInverse& operator=(PseudoInverse&&) noexcept;

  void compute(const Eigen::MatrixXd& A);
  // Both only after compute().
  [[nodiscard]] Eigen::VectorXd times(const Eigen::VectorXd& b) const;
  [[nodiscard]] Eigen::MatrixXd times(const Eigen::MatrixXd& B) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// ---- Householder QR (householder_qr.cpp)

// Size of the diagonal of R in A P = Q R, column pivoting: descending, near the singular values.
Eigen::VectorXd pivoted_diagonal(const Eigen::MatrixXd& A);

// C with rows = C basis, in the sense of least squares. The rows of `basis` are independent; columns agree.
Eigen::MatrixXd in_terms_of(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& rows);

// Orthonormal columns, as many as A has, that span those of A.
Eigen::MatrixXd orthonormal_range(const Eigen::MatrixXd& A);

// Orthonormal columns that span the rows of A, as many as pivots are above tolerance times the largest.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& A, double tolerance);

// A = Q R with as many columns in Q as A has, which are no more than its rows; R is upper triangular, its diagonal of
// either sign.
struct ThinQr {
  Eigen::MatrixXd Q, R;
};
ThinQr thin_qr(const Eigen::MatrixXd& A);

// ---- symmetric matrices (symmetric_factors.cpp); the lower triangle is read

// M = L L^T; false, L untouched, when M is not positive definite.
bool cholesky(const Eigen::MatrixXd& M, Eigen::MatrixXd& L);

// M^-1 b by L D L^T with pivoting; M is semidefinite of either sign.
Eigen::VectorXd solve_semidefinite(const Eigen::MatrixXd& M, const Eigen::VectorXd& b);

struct Eigensystem {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns, orthonormal
};
Eigensystem symmetric_eigensystem(const Eigen::MatrixXd& M);

// ---- symmetric matrices of which most entries are zero (sparse_cholesky.cpp)

struct SparseEntry {
  int row = 0, column = 0;
  double value = 0;
};

// M = P^T L L^T P in an order that keeps L sparse.
class SparseCholesky {
 public:
  SparseCholesky();
  ~SparseCholesky();
  SparseCholesky(SparseCholesky&&) noexcept;
  SparseCholesky& operator=(SparseCholesky&&) noexcept;

  // n x n, of the lower triangle; entries of one place are added up; false when M is not positive definite.
  bool compute(int n, const std::vector<SparseEntry>& entries);
  // M^-1 b; only after compute() was true.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// ---- square matrices of which most entries are zero (sparse_lu.cpp)

// P A Q = L U in an order that keeps the factors sparse.
class SparseLu {
 public:
  SparseLu();
  ~SparseLu();
  SparseLu(SparseLu&&) noexcept;
  SparseLu& operator=(SparseLu&&) noexcept;

  // n x n, entries of one place are added up; false when A is singular.
  bool compute(int n, const std::vector<SparseEntry>& entries);
  // A^-1 b; only after compute() was true.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

// ---- square matrices (lu.cpp)

// By elimination with column pivots.
double determinant(Eigen::MatrixXd A);

// P A = L U by partial pivoting, made many times at one size without allocating.
class LuFactors {
 public:
  LuFactors();
  ~LuFactors();
  LuFactors(LuFactors&&) noexcept;
  LuFactors& operator=(LuFactors&&) noexcept;

  void compute(const Eigen::MatrixXd& A);
  // X = A^-1 B; the two are different matrices of one size. Only after compute(); not finite where A is singular.
  void solve(const Eigen::MatrixXd& B, Eigen::MatrixXd& X) const;

 private:
  struct Factors;
  std::unique_ptr<Factors> factors_;
};

}  // namespace mbc::runtime
