// SPDX-License-Identifier: Apache-2.0
// The scratch that mbc_quasi_solve needs, and the check that a plan for it stays inside its arrays.
#include <cstdint>

#include "kernel/support/mbc_support.h"
#include "kernel/support/rows.h"

namespace {

// Vectors of doubles and of indices behind four n x n matrices (quasi_solve.cpp, open()).
constexpr std::uint32_t kVectors = 7, kIndices = 5;

}  // namespace

extern "C" std::uint32_t mbc_quasi_solve_scratch(std::uint32_t n) noexcept {
  return 4 * n * n + kVectors * n + 2 + kIndices * ((n + 1) / 2);
}

extern "C" const char* mbc_quasi_solve_check(const std::uint32_t* plan, std::uint32_t words, std::uint32_t n_mask,
                                             std::uint32_t n_work) noexcept {
  if (words < MBC_QUASI_ROW_PTR + 1) return "the plan is too short";
  const std::uint64_t n = plan[MBC_QUASI_N], m = plan[MBC_QUASI_M], user = plan[MBC_QUASI_USER];
  const std::uint64_t momenta = plan[MBC_QUASI_MOMENTA];
  if (n > 0x4000 || m > 0x8000 || user > 0x8000 || momenta > n) return "the system is too large for a dense solve";
  if (plan[MBC_QUASI_MASS_KIND] > 1) return "unknown kind of mass matrix";
  if (plan[MBC_QUASI_MODE] > 15) return "unknown mode";
  if (words < MBC_QUASI_ROW_PTR + m + user + 1) return "the plan is too short";
  if (m > n_mask) return "the mask has too few rows";
  const std::uint32_t* row_ptr = plan + MBC_QUASI_ROW_PTR;
  if (const char* wrong = mbc::support::check_pattern(plan, words, MBC_QUASI_ROW_PTR, m + user, n)) return wrong;
  const std::uint64_t square = n * n, mass = plan[MBC_QUASI_MASS_KIND] != 0 ? square : n;
  const struct {
    int word;
    std::uint64_t size;
  } arrays[] = {{MBC_QUASI_MASS, mass},
                {MBC_QUASI_FORCE, n},
                {MBC_QUASI_A, row_ptr[m]},
                {MBC_QUASI_Y_ROWS, row_ptr[m + user] - row_ptr[m]},
                {MBC_QUASI_B, m},
                {MBC_QUASI_C, m},
                {MBC_QUASI_Z, user},
                {MBC_QUASI_BIAS, user},
                {MBC_QUASI_OFFSET, momenta > 0 ? n : 0},
                {MBC_QUASI_DIRECTION, momenta * n},
                {MBC_QUASI_MOMENTUM, momenta},
                {MBC_QUASI_CHOICE, n},
                {MBC_QUASI_Y, n},
                {MBC_QUASI_U, n},
                {MBC_QUASI_UDOT, n},
                {MBC_QUASI_YDOT, n},
                {MBC_QUASI_LAMBDA, m},
                {MBC_QUASI_PIVOT, m},
                {MBC_QUASI_PIVOT_SCALE, m},
                {MBC_QUASI_PROJECTED_MASS, square},
                {MBC_QUASI_PROJECTED_FORCE, n},
                {MBC_QUASI_QUALITY, 1},
                {MBC_QUASI_SCRATCH, 4 * square + kVectors * n + 2 + kIndices * ((n + 1) / 2)}};
  for (const auto& array : arrays)
    if (plan[array.word] + array.size > n_work) return "an array of the plan leaves the workspace";
  return nullptr;
}
