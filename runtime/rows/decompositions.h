// SPDX-License-Identifier: Apache-2.0
// This header is the only access to Eigen's decompositions: singular values, orthogonal and symmetric factorisations of
// dense matrices, and elimination of sparse ones.
//
// Each algorithm is a template of many thousand lines. It is instantiated once, in the source file named beside its
// group, so that all other files include only Eigen/Core. Arguments must be finite, which the callers check. An
// argument that is an expression is first evaluated to a matrix; no function keeps a reference to it.
#pragma once
#include <Eigen/Core>
#include <memory>
#include <vector>

namespace mbc::runtime {

// A Hidden value has a type that only the source file knows in which it is made.
template <class T>
using Hidden = std::unique_ptr<T, void (*)(T*)>;
template <class T>
Hidden<T> make_hidden() {
  return {new T, [](T* made) { delete made; }};
}

// ---- singular values (jacobi_svd.cpp, bidiagonal_svd.cpp), A = U diag(values) V^T, values descending

// One-sided Jacobi is the most accurate method and serves small matrices.
Eigen::VectorXd singular_values(const Eigen::MatrixXd& A);

// This method uses a tridiagonal matrix. It is 3 to 9 times faster from about 32 rows on, and its errors are roundings
// of the largest value. The result is empty if the iteration does not converge.
Eigen::VectorXd singular_values_tridiagonal(const Eigen::MatrixXd& A);

struct RightSingular {
  Eigen::VectorXd values;  // min(m, n)
  Eigen::MatrixXd V;       // n x min(m, n) when thin, n x n when full
};
RightSingular thin_right_singular(const Eigen::MatrixXd& A);  // This function uses one-sided Jacobi.
// This function uses the methods of singular_decomposition().
RightSingular full_right_singular(const Eigen::MatrixXd& A);

struct SingularDecomposition {
  Eigen::VectorXd values;  // min(m, n)
  Eigen::MatrixXd U, V;    // m x m, n x n
};
// Uses one-sided Jacobi for small matrices and implicit QR of the bidiagonal form for larger ones.
SingularDecomposition singular_decomposition(const Eigen::MatrixXd& A);

// ---- least squares

struct MinimumNorm {
  int rank = 0;       // number of singular values or pivots above tolerance times the largest
  Eigen::VectorXd x;  // the shortest x that minimises |A x - b|; empty if the rank is 0
};
MinimumNorm minimum_norm_by_svd(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance);
MinimumNorm minimum_norm_by_orthogonal(const Eigen::MatrixXd& A, const Eigen::VectorXd& b, double tolerance);

// Returns the shortest x that minimises |A^T x - b|. The rank is decided at round-off.
Eigen::VectorXd solve_transposed(const Eigen::MatrixXd& A, const Eigen::VectorXd& b);

// PseudoInverse applies A^+ by a complete orthogonal decomposition that is made once and used many times. The rank is
// decided at round-off.
class PseudoInverse {
 public:
  PseudoInverse();

  void compute(const Eigen::MatrixXd& A);
  // Both functions require a preceding compute().
  [[nodiscard]] Eigen::VectorXd times(const Eigen::VectorXd& b) const;
  [[nodiscard]] Eigen::MatrixXd times(const Eigen::MatrixXd& B) const;

 private:
  struct Factors;
  Hidden<Factors> factors_;
};

// ---- Householder QR (householder_qr.cpp)

// Returns the absolute diagonal of R in A P = Q R with column pivoting. The values descend and are close to the
// singular values.
Eigen::VectorXd pivoted_diagonal(const Eigen::MatrixXd& A);

// Returns the least-squares solution C of rows = C basis. The rows of `basis` must be independent, and the numbers of
// columns must agree.
Eigen::MatrixXd in_terms_of(const Eigen::MatrixXd& basis, const Eigen::MatrixXd& rows);

// Returns as many orthonormal columns as A has; they span the columns of A.
Eigen::MatrixXd orthonormal_range(const Eigen::MatrixXd& A);

// Returns orthonormal columns that span the rows of A. Their number is that of the pivots above tolerance times the
// largest.
Eigen::MatrixXd row_space(const Eigen::MatrixXd& A, double tolerance);

// A = Q R, where Q has as many columns as A. A must not have more columns than rows. R is upper triangular, and its
// diagonal may have either sign.
struct ThinQr {
  Eigen::MatrixXd Q, R;
};
ThinQr thin_qr(const Eigen::MatrixXd& A);

// ---- symmetric matrices (symmetric_factors.cpp); only the lower triangle is read

// Computes M = L L^T. If M is not positive definite, the result is false and L does not change.
bool cholesky(const Eigen::MatrixXd& M, Eigen::MatrixXd& L);

// Returns M^-1 b by L D L^T with pivoting. M must be positive or negative semidefinite.
Eigen::VectorXd solve_semidefinite(const Eigen::MatrixXd& M, const Eigen::VectorXd& b);

struct Eigensystem {
  Eigen::VectorXd values;   // ascending
  Eigen::MatrixXd vectors;  // columns, orthonormal
};
Eigensystem symmetric_eigensystem(const Eigen::MatrixXd& M);

// ---- general square matrices (general_eigensystem.cpp)

struct GeneralEigensystem {
  bool converged = false;    // If it is false, the members below are empty.
  Eigen::VectorXcd values;   // in no particular order
  Eigen::MatrixXcd vectors;  // columns x of norm 1
  Eigen::MatrixXcd left;     // rows y with y x = 1: a change E of A moves the value by y E x, to first order
};
GeneralEigensystem general_eigensystem(const Eigen::MatrixXd& A);

// ---- square matrices with mostly zero entries (sparse_factors.cpp)

struct SparseEntry {
  int row = 0, column = 0;
  double value = 0;
};

// The factorisation is M = P^T L L^T P of a symmetric matrix and P A Q = L U of another one, in an order that keeps the
// factors sparse.
template <bool symmetric>
class SparseFactors {
 public:
  SparseFactors();
  // `entries` are those of an n x n matrix; of a symmetric one they are those of the lower triangle. Entries with the
  // same place are added. The result is false if A is singular or M is not positive definite.
  bool compute(int n, const std::vector<SparseEntry>& entries);
  // Returns the solution for a right side. A call of compute() must have returned true before.
  [[nodiscard]] Eigen::VectorXd solve(const Eigen::VectorXd& b) const;

 private:
  struct Factors;
  Hidden<Factors> factors_;
};
using SparseCholesky = SparseFactors<true>;
using SparseLu = SparseFactors<false>;

// ---- square matrices (lu.cpp)

// Computes the determinant by elimination with column pivots.
double determinant(Eigen::MatrixXd A);

// LuFactors computes P A = L U by partial pivoting. Repeated factorisations of one size allocate nothing.
class LuFactors {
 public:
  LuFactors();

  void compute(const Eigen::MatrixXd& A);
  // Computes X = A^-1 B. X and B must be different matrices of the same size. The function requires a preceding
  // compute(). The result is not finite if A is singular.
  void solve(const Eigen::MatrixXd& B, Eigen::MatrixXd& X) const;

 private:
  struct Factors;
  Hidden<Factors> factors_;
};

}  // namespace mbc::runtime
