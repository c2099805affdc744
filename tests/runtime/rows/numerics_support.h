// SPDX-License-Identifier: Apache-2.0
// Provides reproducible random matrices and small exact comparisons for the tests of constraint rows.
#pragma once
#include <Eigen/Dense>
#include <cstdint>

namespace mbc::test {

// This fixed sequence (splitmix64) is the same on every machine and with every library. Its values are in (-1, 1).
class Random {
 public:
  explicit Random(std::uint64_t seed) : state_(seed) {}

  std::uint64_t bits() {
    std::uint64_t z = (state_ += 0x9e3779b97f4a7c15u);
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return z ^ (z >> 31);
  }
  double value() { return static_cast<double>(bits() >> 11) * 0x1p-52 - 1.0; }
  int index(int below) { return static_cast<int>(bits() % static_cast<std::uint64_t>(below)); }

  Eigen::MatrixXd matrix(int rows, int columns) {
    Eigen::MatrixXd out(rows, columns);
    for (int i = 0; i < rows; ++i)
      for (int j = 0; j < columns; ++j) out(i, j) = value();
    return out;
  }
  Eigen::VectorXd vector(int size) { return matrix(size, 1); }

 private:
  std::uint64_t state_;
};

// Returns a symmetric positive definite matrix with a condition of about 10.
inline Eigen::MatrixXd random_mass(Random& random, int n) {
  const Eigen::MatrixXd half = random.matrix(n, n);
  return half * half.transpose() + 0.3 * n * Eigen::MatrixXd::Identity(n, n);
}

inline double max_abs(const Eigen::VectorXd& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

}  // namespace mbc::test
