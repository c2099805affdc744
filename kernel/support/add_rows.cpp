// SPDX-License-Identifier: Apache-2.0
// mbc_add_rows: the inertia of rows, for mass matrices that are singular without them (contract in mbc_support.h).
#include <cstddef>
#include <cstdint>

#include "kernel/support/mbc_support.h"
#include "kernel/support/rows.h"

namespace {

using mbc::support::Rows;
using Size = std::size_t;

double mean_inertia(const double* mass, Size n) {
  double sum = 0.0;
  Size count = 0;
  for (Size i = 0; i < n; ++i)
    if (mass[i * n + i] > 0) {
      sum += mass[i * n + i];
      ++count;
    }
  return count == 0 ? 1.0 : sum / static_cast<double>(count);
}

// A speed without inertia counts with the mean inertia, since the row's entries for the other speeds may all be zero.
double automatic_weight(const Rows& a, Size k, const double* mass, Size n, double mean, double none) {
  double mobility = 0.0;
  for (Size e = a.begin[k]; e < a.begin[k + 1]; ++e) {
    const double inertia = mass[a.column[e] * n + a.column[e]];
    mobility += a.value[e] * a.value[e] / (inertia > none * mean ? inertia : mean);
  }
  return mobility > 0 ? 1.0 / mobility : 0.0;
}

}  // namespace

extern "C" std::int32_t mbc_add_rows(const std::uint32_t* plan, const double* /*mask*/, double* work) noexcept {
  const Size n = plan[MBC_ADD_N], m = plan[MBC_ADD_M];
  const std::uint32_t* row_ptr = plan + MBC_ADD_ROW_PTR;
  const Rows a{row_ptr, row_ptr + m + 1, work + plan[MBC_ADD_A]};
  double* mass = work + plan[MBC_ADD_MASS];
  double* force = plan[MBC_ADD_FORCE] == MBC_ADD_NONE ? nullptr : work + plan[MBC_ADD_FORCE];
  const double* b = work + plan[MBC_ADD_B];
  double* weight = work + plan[MBC_ADD_WEIGHT];
  const double mean = mean_inertia(mass, n);
  for (Size k = 0; k < m; ++k)  // all weights before the first change of M
    if (weight[k] < 0) weight[k] = automatic_weight(a, k, mass, n, mean, -weight[k]);
  for (Size k = 0; k < m; ++k) {
    if (weight[k] == 0) continue;
    for (Size e = a.begin[k]; e < a.begin[k + 1]; ++e) {
      const Size i = a.column[e];
      const double scaled = weight[k] * a.value[e];
      if (force != nullptr) force[i] += scaled * b[k];
      for (Size o = a.begin[k]; o <= e; ++o) mass[i * n + a.column[o]] += scaled * a.value[o];
    }
  }
  return 0;
}

extern "C" const char* mbc_add_rows_check(const std::uint32_t* plan, std::uint32_t words, std::uint32_t /*n_mask*/,
                                          std::uint32_t n_work) noexcept {
  if (words < MBC_ADD_ROW_PTR + 1) return "the plan is too short";
  const std::uint32_t n = plan[MBC_ADD_N], m = plan[MBC_ADD_M];
  if (n > 0x8000 || m > 0x8000) return "the system is too large";
  if (words < MBC_ADD_ROW_PTR + m + 1) return "the plan is too short";
  const std::uint32_t* row_ptr = plan + MBC_ADD_ROW_PTR;
  if (const char* wrong = mbc::support::check_row_pointers(row_ptr, m)) return wrong;
  const std::uint32_t* column = row_ptr + m + 1;
  if (words != MBC_ADD_ROW_PTR + std::uint64_t{m} + 1 + row_ptr[m]) return "the plan's length does not fit its pattern";
  for (Size k = 0; k < m; ++k)
    for (Size e = row_ptr[k]; e < row_ptr[k + 1]; ++e)
      if (column[e] >= n || (e > row_ptr[k] && column[e] <= column[e - 1])) return "the columns of a row do not ascend";
  const auto inside = [&](std::uint32_t offset, std::uint64_t size) { return offset + size <= n_work; };
  const bool fits = inside(plan[MBC_ADD_MASS], std::uint64_t{n} * n) &&
                    (plan[MBC_ADD_FORCE] == MBC_ADD_NONE || inside(plan[MBC_ADD_FORCE], n)) &&
                    inside(plan[MBC_ADD_A], row_ptr[m]) && inside(plan[MBC_ADD_B], m) &&
                    inside(plan[MBC_ADD_WEIGHT], m);
  return fits ? nullptr : "an array of the plan leaves the workspace";
}
