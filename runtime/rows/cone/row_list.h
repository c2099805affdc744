// SPDX-License-Identifier: Apache-2.0
// Rows of which most entries are zero: their columns and values, behind each other.
#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace mbc::runtime {

struct RowList {
  std::vector<std::uint32_t> begin{0}, column;
  std::vector<double> value;

  [[nodiscard]] std::size_t size() const { return begin.size() - 1; }
  void clear() {
    begin.assign(1, 0);
    column.clear();
    value.clear();
  }
  void add(std::uint32_t at, double x) {
    column.push_back(at);
    value.push_back(x);
  }
  // The row at hand, of the entries that were added, is complete.
  void close() { begin.push_back(static_cast<std::uint32_t>(column.size())); }

  [[nodiscard]] double times(std::size_t row, const double* w) const {
    double sum = 0;
    for (std::uint32_t e = begin[row]; e < begin[row + 1]; ++e) sum += value[e] * w[column[e]];
    return sum;
  }
  void add_to(std::size_t row, double factor, double* w) const {
    for (std::uint32_t e = begin[row]; e < begin[row + 1]; ++e) w[column[e]] += factor * value[e];
  }
  [[nodiscard]] double square(std::size_t row) const {
    double sum = 0;
    for (std::uint32_t e = begin[row]; e < begin[row + 1]; ++e) sum += value[e] * value[e];
    return sum;
  }
  [[nodiscard]] double product(std::size_t one, std::size_t other) const {
    double sum = 0;
    for (std::uint32_t i = begin[one]; i < begin[one + 1]; ++i)
      for (std::uint32_t k = begin[other]; k < begin[other + 1]; ++k)
        if (column[i] == column[k]) sum += value[i] * value[k];
    return sum;
  }
};

}  // namespace mbc::runtime
