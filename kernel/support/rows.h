// SPDX-License-Identifier: Apache-2.0
// The solvers share rows of A in compressed form, the check that a plan holds them, and the scale of the speeds.
#pragma once
#include <cmath>
#include <cstddef>
#include <cstdint>

namespace mbc::support {

struct Rows {  // A in compressed rows
  const std::uint32_t* begin;
  const std::uint32_t* column;
  const double* value;
};

inline const char* check_row_pointers(const std::uint32_t* row_ptr, std::uint64_t rows) {
  if (row_ptr[0] != 0) return "the row pointers do not begin at 0";
  for (std::uint64_t k = 0; k < rows; ++k)
    if (row_ptr[k] > row_ptr[k + 1]) return "the row pointers decrease";
  return nullptr;
}

// Checks that the plan holds row pointers from word `at` on, columns below n behind them, and no more.
inline const char* check_pattern(const std::uint32_t* plan, std::uint64_t words, std::uint64_t at, std::uint64_t rows,
                                 std::uint64_t n) {
  const std::uint32_t *row_ptr = plan + at, *column = row_ptr + rows + 1;
  if (const char* wrong = check_row_pointers(row_ptr, rows)) return wrong;
  if (words != at + rows + 1 + row_ptr[rows]) return "the plan's length does not fit its pattern";
  for (std::uint64_t e = 0; e < row_ptr[rows]; ++e)
    if (column[e] >= n) return "a column index is out of range";
  return nullptr;
}

// Computes the scale 1/sqrt(M_jj) of each speed; a speed without inertia gets the largest of them. A mass matrix that
// is not full is its diagonal.
inline void inverse_roots_of_inertia(const double* mass, bool full, std::size_t n, double* out) {
  const std::size_t stride = full ? n + 1 : 1;
  double largest = 0.0;
  for (std::size_t j = 0; j < n; ++j) {
    const double inertia = mass[j * stride];
    out[j] = inertia > 0 ? 1.0 / std::sqrt(inertia) : 0.0;
    if (out[j] > largest) largest = out[j];
  }
  for (std::size_t j = 0; j < n; ++j)
    if (out[j] == 0) out[j] = largest > 0 ? largest : 1.0;
}

}  // namespace mbc::support
