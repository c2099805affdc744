// SPDX-License-Identifier: Apache-2.0
#include "base/correlation.h"

#include <cmath>

namespace mbc {

namespace {

// A pivot of at most this size is rounding and counts as 0: of the n + 1 terms that make it (Higham, Theorem 10.3), or
// of entries that are written with twelve digits. What stands beside such a pivot is at most its root.
constexpr double kRounding = 1e-11;
constexpr const char* kIndefinite = "the matrix is not positive semidefinite";

CorrelationFactor refused(const std::string& why, std::size_t row, std::size_t column) {
  return {{}, why, row, column};
}

}  // namespace

// Cholesky's factorisation. A pivot that is 0 leaves a column of zeros (Higham, Accuracy and Stability of Numerical
// Algorithms, 2002, section 10.3): a quantity that follows from the earlier ones.
CorrelationFactor factor_of_correlation(const std::vector<std::vector<double>>& matrix) {
  const std::size_t n = matrix.size();
  CorrelationFactor out;
  for (std::size_t i = 0; i < n; ++i) {
    if (matrix[i].size() != n) return refused("the matrix is not square", i, 0);
    if (matrix[i][i] != 1) return refused("a quantity has the correlation 1 with itself", i, i);
    for (std::size_t j = 0; j < n; ++j)
      if (!(std::fabs(matrix[i][j]) <= 1)) return refused("a correlation is a number from -1 to 1", i, j);
    for (std::size_t j = 0; j < i; ++j)
      if (matrix[i][j] != matrix[j][i]) return refused("the matrix is not symmetric", i, j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i][j];
      const std::vector<double>& other = j < i ? out.rows[j] : row;
      for (std::size_t k = 0; k < j; ++k) rest -= row[k] * other[k];
      if (j == i) {
        if (rest < -kRounding) return refused(kIndefinite, i, i);
        row[i] = rest > kRounding ? std::sqrt(rest) : 0;
      } else if (other[j] > 0) {
        row[j] = rest / other[j];
      } else if (std::fabs(rest) > std::sqrt(kRounding)) {
        return refused(kIndefinite, i, j);
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace mbc
