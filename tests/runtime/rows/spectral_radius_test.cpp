// SPDX-License-Identifier: Apache-2.0
// Compares the power method with known eigenvalues of matrices: real ones, pairs on the imaginary axis, and damped
// oscillators as in a Jacobian.
#include "runtime/rows/spectral_radius.h"

#include <doctest/doctest.h>

#include <Eigen/Core>
#include <cmath>
#include <random>

using namespace mbc::runtime;

namespace {

// Returns V D V^-1 for a random reflection V = V^-1.
Eigen::MatrixXd similar(const Eigen::MatrixXd& D, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  Eigen::VectorXd v = Eigen::VectorXd::NullaryExpr(D.rows(), [&] { return normal(random); });
  v.normalize();
  const Eigen::MatrixXd V = Eigen::MatrixXd::Identity(D.rows(), D.rows()) - 2 * v * v.transpose();
  return V * D * V;
}

}  // namespace

TEST_CASE("the largest eigenvalue is found to a tenth, real or complex") {
  std::mt19937_64 random(3);
  std::uniform_real_distribution<double> part(-0.7, 0.7);
  for (int n = 2; n <= 12; ++n)
    for (int k = 0; k < 20; ++k) {
      Eigen::MatrixXd D = Eigen::MatrixXd::Zero(n, n);
      for (int i = 0; i < n; ++i) D(i, i) = 1e4 * part(random);
      D(0, 0) = -1e4;
      CHECK(SpectralRadius(n).of(similar(D, random)) == doctest::Approx(1e4).epsilon(0.1));
      D(0, 0) = D(1, 1) = -6e3;  // The eigenvalues are -6000 +- 8000 i.
      D(0, 1) = 8e3;
      D(1, 0) = -8e3;
      CHECK(SpectralRadius(n).of(similar(D, random)) == doctest::Approx(1e4).epsilon(0.1));
    }
}

TEST_CASE("free motion has nothing fast") {
  Eigen::MatrixXd J = Eigen::MatrixXd::Zero(4, 4);
  J(0, 2) = J(1, 3) = 1;
  CHECK(SpectralRadius(4).of(J) == 0);
}
