// SPDX-License-Identifier: Apache-2.0
#include "base/correlation.h"

#include <cmath>

namespace mbc {

namespace {

// Pivots of at most this size are rounding of entries with 16 digits, and count as 0; products of 1e5 of them do.
constexpr double kRounding = 1e-11;

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
    if (matrix[i].size() != n) return refused("it is not square", i, 0);
    for (std::size_t j = 0; j < n; ++j)
      if (!std::isfinite(matrix[i][j])) return refused("this is not a finite number", i, j);
    if (matrix[i][i] != 1) return refused("a quantity has the correlation 1 with itself", i, i);
    for (std::size_t j = 0; j < i; ++j)
      if (matrix[i][j] != matrix[j][i]) return refused("it is not symmetric", i, j);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> row(i + 1);
    for (std::size_t j = 0; j <= i; ++j) {
      double rest = matrix[i][j];
      const std::vector<double>& other = j < i ? out.rows[j] : row;
      for (std::size_t k = 0; k < j; ++k) rest -= row[k] * other[k];
      if (j == i) {
        if (rest < -kRounding) return refused("it is not positive semidefinite", i, i);
        row[i] = rest > kRounding ? std::sqrt(rest) : 0;
      } else if (other[j] > 0) {
        row[j] = rest / other[j];
      } else if (std::fabs(rest) > std::sqrt(kRounding)) {
        return refused("it is not positive semidefinite", i, j);
      }
    }
    out.rows.push_back(std::move(row));
  }
  return out;
}

}  // namespace mbc
