// SPDX-License-Identifier: Apache-2.0
// mbc_augmented_solve: accelerations and multipliers from one indefinite system (contract in mbc_support.h).
//
// The unknowns are, in order, speeds, rows of the mask, rows outside it. The last ones are carried along in the
// elimination but give no pivots: their diagonal ends as the Schur complement, which measures their independence of the
// others. Row pivoting is needed because the diagonal is zero where M is singular and in all rows of A.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <new>

#include "kernel/support/mbc_support.h"
#include "kernel/support/rows.h"

namespace {

using Size = std::size_t;

constexpr double kNoPivot = 1e-13;  // of the scaled matrix, whose entries are at most 1

struct Augmented {
  Size n, m, size;       // speeds, rows, both
  Size taken;            // speeds and rows of the mask
  double* k;             // size x size, row-major
  double* scale;         // size: the matrix is scaled by it from both sides
  double* x;             // size: right side, then solution
  double* place;         // m: place of a row among the unknowns
  double* pivot_row;     // size: the row that eliminated a column, or -1; before that the largest entries of rows
  std::uint32_t* list;   // size: columns of a row that are not zero
  std::uint32_t* order;  // size: the unknown whose row is at a place after the exchanges

  double& at(Size i, Size j) const { return k[i * size + j]; }
  [[nodiscard]] Size place_of(Size row) const { return static_cast<Size>(place[row]); }
};

void number_rows(Augmented& s, const double* mask) {
  Size next = s.n;
  for (Size r = 0; r < s.m; ++r)
    if (mask[r] != 0) s.place[r] = static_cast<double>(next++);
  s.taken = next;
  for (Size r = 0; r < s.m; ++r)
    if (mask[r] == 0) s.place[r] = static_cast<double>(next++);
}

void fill(const Augmented& s, const std::uint32_t* plan, const double* work) {
  for (Size e = 0; e < s.size * s.size; ++e) s.k[e] = 0.0;
  const double* mass = work + plan[MBC_PLAN_MASS];
  const bool full = plan[MBC_PLAN_MASS_KIND] != 0;
  for (Size i = 0; i < s.n; ++i) {
    if (full)
      for (Size j = 0; j <= i; ++j) s.at(i, j) = s.at(j, i) = mass[i * s.n + j];
    else
      s.at(i, i) = mass[i];
    s.x[i] = work[plan[MBC_PLAN_FORCE] + i];
  }
  const std::uint32_t* row_ptr = plan + MBC_PLAN_ROW_PTR;
  const std::uint32_t* column = row_ptr + s.m + 1;
  for (Size r = 0; r < s.m; ++r) {
    const Size p = s.place_of(r);
    s.x[p] = work[plan[MBC_PLAN_B] + r];
    for (Size e = row_ptr[r]; e < row_ptr[r + 1]; ++e)
      s.at(p, column[e]) = s.at(column[e], p) = work[plan[MBC_PLAN_A] + e];
  }
}

// Returns |G_r|^2 of the entries with the present scale of the columns.
double squared_norm(const Augmented& s, const std::uint32_t* plan, const double* work, Size r) {
  const std::uint32_t* row_ptr = plan + MBC_PLAN_ROW_PTR;
  const std::uint32_t* column = row_ptr + s.m + 1;
  double square = 0.0;
  for (Size e = row_ptr[r]; e < row_ptr[r + 1]; ++e) {
    const double entry = work[plan[MBC_PLAN_A] + e] * s.scale[column[e]];
    square += entry * entry;
  }
  return square;
}

void scale_rows(const Augmented& s, const std::uint32_t* plan, const double* work) {
  for (Size r = 0; r < s.m; ++r) {
    const double square = squared_norm(s, plan, work, r);
    s.scale[s.place_of(r)] = square > 0 && std::isfinite(square) ? 1.0 / std::sqrt(square) : 1.0;
  }
}

// Scales the columns of speeds without inertia, which only rows determine, to a largest entry of 1.
void scale_free_columns(const Augmented& s, const std::uint32_t* plan, const double* work) {
  const std::uint32_t* row_ptr = plan + MBC_PLAN_ROW_PTR;
  const std::uint32_t* column = row_ptr + s.m + 1;
  double* largest = s.pivot_row;
  for (Size j = 0; j < s.n; ++j) largest[j] = 0.0;
  for (Size r = 0; r < s.m; ++r)
    for (Size e = row_ptr[r]; e < row_ptr[r + 1]; ++e) {
      const Size j = column[e];
      const double entry = std::fabs(work[plan[MBC_PLAN_A] + e]) * s.scale[s.place_of(r)] * s.scale[j];
      if (s.at(j, j) == 0 && entry > largest[j]) largest[j] = entry;
    }
  for (Size j = 0; j < s.n; ++j)
    if (largest[j] > 0 && std::isfinite(largest[j])) s.scale[j] /= largest[j];
}

// Scales speeds by the roots of their inertia and rows to norm 1. Entries are then at most 1, and a row after
// elimination of the speeds and of the rows before it is left with its squared distance from those.
void equilibrate(const Augmented& s, const std::uint32_t* plan, const double* work) {
  mbc::support::inverse_roots_of_inertia(work + plan[MBC_PLAN_MASS], plan[MBC_PLAN_MASS_KIND] != 0, s.n, s.scale);
  scale_rows(s, plan, work);
  scale_free_columns(s, plan, work);
  scale_rows(s, plan, work);
  for (Size i = 0; i < s.size; ++i) {
    s.x[i] *= s.scale[i];
    for (Size j = 0; j < s.size; ++j) s.at(i, j) *= s.scale[i] * s.scale[j];
  }
}

void swap_rows(const Augmented& s, Size i, Size j) {
  if (i == j) return;
  for (Size c = 0; c < s.size; ++c) {
    const double kept = s.at(i, c);
    s.at(i, c) = s.at(j, c);
    s.at(j, c) = kept;
  }
  const double kept = s.x[i];
  s.x[i] = s.x[j];
  s.x[j] = kept;
  const std::uint32_t row = s.order[i];
  s.order[i] = s.order[j];
  s.order[j] = row;
}

// Returns false if a speed has no pivot. `pivots`, by place behind the speeds, gets the size of a row's pivot; for a
// row outside the mask it gets the Schur complement.
bool eliminate(const Augmented& s, double* pivots) {
  Size row = 0;
  for (Size i = 0; i < s.size; ++i) s.order[i] = static_cast<std::uint32_t>(i);
  for (Size c = 0; c < s.taken; ++c) {
    Size best = row;
    for (Size i = row; i < s.taken; ++i)
      if (!(std::fabs(s.at(i, c)) <= std::fabs(s.at(best, c)))) best = i;  // a NaN is taken, and shows in the result
    const double pivot = row < s.taken ? s.at(best, c) : 0.0;
    if (c >= s.n) pivots[c - s.n] = std::fabs(pivot);
    s.pivot_row[c] = -1;
    if (std::fabs(pivot) <= kNoPivot) {
      if (c < s.n) return false;
      continue;
    }
    swap_rows(s, row, best);
    const double* from = s.k + row * s.size;
    Size count = 0;
    for (Size j = c + 1; j < s.size; ++j)
      if (from[j] != 0) s.list[count++] = static_cast<std::uint32_t>(j);
    for (Size i = row + 1; i < s.size; ++i) {
      double* to = s.k + i * s.size;
      if (to[c] == 0) continue;
      const double factor = to[c] / pivot;
      to[c] = factor;  // L, for the refinement
      for (Size e = 0; e < count; ++e) to[s.list[e]] -= factor * from[s.list[e]];
      s.x[i] -= factor * s.x[row];
    }
    s.pivot_row[c] = static_cast<double>(row++);
  }
  for (Size c = s.taken; c < s.size; ++c) pivots[c - s.n] = -s.at(c, c);
  return true;
}

// x := L^-1 P x, for a right side given by unknowns.
void eliminate_again(const Augmented& s, const double* right) {
  for (Size i = 0; i < s.size; ++i) s.x[i] = right[s.order[i]];
  for (Size c = 0; c < s.taken; ++c) {
    if (s.pivot_row[c] < 0) continue;
    const auto row = static_cast<Size>(s.pivot_row[c]);
    for (Size i = row + 1; i < s.size; ++i) s.x[i] -= s.at(i, c) * s.x[row];
  }
}

// Computes the residual of a solution of the scaled equations.
void residual(const Augmented& s, const std::uint32_t* plan, const double* work, const double* solution, double* out) {
  const double* mass = work + plan[MBC_PLAN_MASS];
  const bool full = plan[MBC_PLAN_MASS_KIND] != 0;
  const auto value = [&](Size i) { return solution[i] * s.scale[i]; };
  for (Size i = 0; i < s.n; ++i) out[i] = work[plan[MBC_PLAN_FORCE] + i];
  for (Size i = 0; i < s.n; ++i) {
    if (!full) {
      out[i] -= mass[i] * value(i);
      continue;
    }
    for (Size j = 0; j < i; ++j) {
      const double m = mass[i * s.n + j];
      if (m == 0) continue;
      out[i] -= m * value(j);
      out[j] -= m * value(i);
    }
    out[i] -= mass[i * s.n + i] * value(i);
  }
  const std::uint32_t* row_ptr = plan + MBC_PLAN_ROW_PTR;
  const std::uint32_t* column = row_ptr + s.m + 1;
  for (Size r = 0; r < s.m; ++r) {
    const Size p = s.place_of(r);
    out[p] = 0.0;
    if (p >= s.taken) continue;
    double sum = work[plan[MBC_PLAN_B] + r];
    for (Size e = row_ptr[r]; e < row_ptr[r + 1]; ++e) {
      const double a = work[plan[MBC_PLAN_A] + e];
      sum -= a * value(column[e]);
      out[column[e]] -= a * value(p);
    }
    out[p] = sum;
  }
  for (Size i = 0; i < s.size; ++i) out[i] *= s.scale[i];
}

// solution[c] in the scaled unknowns; unknowns without a pivot are 0
void substitute(const Augmented& s, double* solution) {
  for (Size c = s.size; c-- > 0;) {
    solution[c] = 0.0;
    if (c >= s.taken || s.pivot_row[c] < 0) continue;
    const auto row = static_cast<Size>(s.pivot_row[c]);
    double sum = s.x[row];
    for (Size j = c + 1; j < s.taken; ++j) sum -= s.at(row, j) * solution[j];
    solution[c] = sum / s.at(row, c);
  }
}

}  // namespace

extern "C" std::int32_t mbc_augmented_solve(const std::uint32_t* plan, const double* mask, double* work) noexcept {
  Augmented s{};
  s.n = plan[MBC_PLAN_N];
  s.m = plan[MBC_PLAN_M];
  s.size = s.n + s.m;
  s.k = work + plan[MBC_PLAN_SCRATCH];
  s.scale = s.k + s.size * s.size;
  s.x = s.scale + s.size;
  s.pivot_row = s.x + s.size;
  double* solution = s.pivot_row + s.size;
  s.place = solution + s.size;
  double* pivots = s.place + s.m;
  double* correction = pivots + s.m;
  double* left = correction + s.size;
  s.list = ::new (static_cast<void*>(left + s.size)) std::uint32_t[2 * s.size];
  s.order = s.list + s.size;

  number_rows(s, mask);
  fill(s, plan, work);
  equilibrate(s, plan, work);
  if (!eliminate(s, pivots)) return 1;
  substitute(s, solution);
  // one step of iterative refinement: the pivots of an indefinite matrix may be small where the solution is not
  residual(s, plan, work, solution, left);
  eliminate_again(s, left);
  substitute(s, correction);
  for (Size i = 0; i < s.size; ++i) solution[i] += correction[i];

  // The elimination of the speeds by rows of M leaves -S for the rows of A, whose pivots are squared distances already.
  // A row that eliminated a speed itself has one factor of the distance there and the other one here.
  for (Size c = 0; c < s.n; ++c)
    if (s.order[c] >= s.n && s.order[c] < s.taken) pivots[s.order[c] - s.n] *= std::fabs(s.at(c, c));
  for (Size i = 0; i < s.n; ++i) work[plan[MBC_PLAN_UDOT] + i] = solution[i] * s.scale[i];
  for (Size r = 0; r < s.m; ++r) {
    const Size p = s.place_of(r);
    const double size = squared_norm(s, plan, work, r), pivot = pivots[p - s.n];
    work[plan[MBC_PLAN_LAMBDA] + r] = p < s.taken ? -solution[p] * s.scale[p] : 0.0;
    work[plan[MBC_PLAN_PIVOT_SCALE] + r] = size;
    work[plan[MBC_PLAN_PIVOT] + r] = size * pivot;
  }
  return 0;
}

extern "C" std::uint32_t mbc_augmented_solve_scratch(std::uint32_t n, std::uint32_t m) noexcept {
  const std::uint32_t size = n + m;
  return size * size + 6 * size + 2 * m + size;
}

extern "C" const char* mbc_augmented_solve_check(const std::uint32_t* plan, std::uint32_t words, std::uint32_t n_mask,
                                                 std::uint32_t n_work) noexcept {
  if (const char* wrong = mbc_dense_solve_check(plan, words, n_mask, n_work)) return wrong;
  const std::uint64_t size = std::uint64_t{plan[MBC_PLAN_N]} + plan[MBC_PLAN_M];
  if (size > 0x8000) return "the system is too large for a dense solve";
  const std::uint64_t scratch = size * size + 7 * size + 2 * std::uint64_t{plan[MBC_PLAN_M]};
  return plan[MBC_PLAN_SCRATCH] + scratch <= n_work ? nullptr : "an array of the plan leaves the workspace";
}
