// SPDX-License-Identifier: Apache-2.0
// The poles of a linear model x' = A x: eigenvalues with bounds of their errors, and the structure of the pole zero.
//
// A multiple zero, as every symmetry of a model without damping gives, would come out as a ring of numbers of the size
// of a root of eps. So zeros are found by ranks and taken out beforehand: A is split by the null space of A, then of
// what is left, and so on (V. N. Kublanovskaya, USSR Comput. Math. Math. Phys. 6 (1966) 1-14; G. H. Golub,
// J. H. Wilkinson, SIAM Review 18 (1976) 578-619, section 7). With n_k the dimension that step k takes out, there are
// n_k - n_(k+1) Jordan blocks of size k.
#pragma once
#include <Eigen/Core>
#include <vector>

namespace mbc::runtime {

struct Spectrum {
  bool converged = true;            // The iteration for the eigenvalues has converged.
  Eigen::VectorXcd values;          // those that are not zero; by size, a pair with the positive imaginary part first
  Eigen::VectorXd errors;           // bounds of their rounding errors, to first order
  Eigen::MatrixXcd shapes;          // columns: their eigenvectors; the largest entry is 1
  std::vector<int> zero_blocks;     // sizes of the Jordan blocks of the pole zero, descending
  Eigen::MatrixXd zero_directions;  // columns: an orthonormal basis of the null space of A, as balanced
  double smallest_kept = 0;         // The singular values beside the decision that the others are zero, relative to
  double largest_dropped = 0;       // the largest one; both are 0 if there is no zero.
};

// `errors` bounds the errors of the entries of A. Entries that are not larger count as zero.
Spectrum spectrum(Eigen::MatrixXd A, const Eigen::MatrixXd& errors);

}  // namespace mbc::runtime
