// SPDX-License-Identifier: Apache-2.0
// Computes the spectral radius of J, the largest rate of the motions of x' = J x.
#pragma once
#include <Eigen/Core>

namespace mbc::runtime {

// The power method makes 30 products with J and needs no other matrix. A pair of complex eigenvalues turns the
// direction, so the result is the mean growth over 19 products. Its error is a few percent
// (tests/runtime/rows/spectral_radius_test.cpp).
class SpectralRadius {
 public:
  explicit SpectralRadius(Eigen::Index n) : direction_(n), image_(n) {}
  // J is n x n, in 1/s. The result is 0 if J is nilpotent.
  [[nodiscard]] double of(const Eigen::MatrixXd& J);

 private:
  Eigen::VectorXd direction_, image_;
};

}  // namespace mbc::runtime
