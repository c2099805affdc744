// SPDX-License-Identifier: Apache-2.0
// Helpers of the tests of constraint rows: reproducible random matrices and small exact comparisons.
#pragma once
#include <Eigen/Dense>
#include <cstdint>

namespace mbc::test {

// A fixed sequence of its own (splitmix64), the same on every machine and library; values in (-1, 1).
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

// A symmetric positive definite matrix of condition about 10.
inline Eigen::MatrixXd random_mass(Random& random, int n) {
  const Eigen::MatrixXd half = random.matrix(n, n);
  return half * half.transpose() + 0.3 * n * Eigen::MatrixXd::Identity(n, n);
}

inline double max_abs(const Eigen::VectorXd& v) { return v.size() == 0 ? 0.0 : v.cwiseAbs().maxCoeff(); }

}  // namespace mbc::test
