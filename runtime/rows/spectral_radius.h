// SPDX-License-Identifier: Apache-2.0
// How fast the fastest of the motions of x' = J x is: the largest absolute eigenvalue of J.
#pragma once
#include <Eigen/Core>

namespace mbc::runtime {

// By the power method: 30 products, no matrix but J. A pair of complex eigenvalues turns the direction, so the mean
// growth over 19 products counts: a few percent (tests/runtime/numerics/spectral_radius_test.cpp).
class SpectralRadius {
 public:
  explicit SpectralRadius(Eigen::Index n) : direction_(n), image_(n) {}
  // J: n x n, 1/s. 0 where J is nilpotent.
  [[nodiscard]] double of(const Eigen::MatrixXd& J);

 private:
  Eigen::VectorXd direction_, image_;
};

}  // namespace mbc::runtime
