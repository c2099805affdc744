// SPDX-License-Identifier: Apache-2.0
// Correlated normal quantities: the factor L of a correlation matrix C = L L^T. If z are independent standard normal
// numbers, those of L z have the correlations of C.
#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace mbc {

struct CorrelationFactor {
  std::vector<std::vector<double>> rows;  // of L, each up to its diagonal
  std::string why;                        // not empty: there is no such matrix, for this reason
  std::size_t row = 0, column = 0;        // the entry that shows it
};

// Factorises a matrix given by its rows, which may be singular. Refuses one that is not symmetric, has no ones on its
// diagonal, or is not positive semidefinite.
[[nodiscard]] CorrelationFactor factor_of_correlation(const std::vector<std::vector<double>>& matrix);

}  // namespace mbc
