// SPDX-License-Identifier: Apache-2.0
// mbc_dense_solve: the constrained accelerations by the Schur complement (docs/architecture.md, "Linear solve"; the
// contract and the plan are in mbc_support.h). S is dense, the rows of A are sparse, and there is no pivoting: the rows
// that take part were certified before, and a pivot that vanishes here only leaves its row out.
#include <cstddef>
#include <cstdint>

#include "kernel/support/mbc_support.h"
#include "kernel/support/rows.h"

namespace {

using mbc::support::Rows;
using Size = std::size_t;

// A row whose pivot is at most this fraction of its diagonal depends on the rows before it, to rounding.
constexpr double kPivotTolerance = MBC_PIVOT_TOLERANCE;

// One step of the row-wise factorisation X = L D L^T in place, for row k. It stores x[j][k] = L_kj above the diagonal
// (L^T, so that the inner loop runs along a row), overwrites the part below the diagonal, and returns the pivot d_k.
// Columns left out have zeros.
//   v_kj = X_kj - sum_{p<j} v_kp L_jp,  L_kj = v_kj / d_j,  d_k = X_kk - sum_{p<k} v_kp L_kp
double factor_row(double* x, Size n, Size k, const double* d, const double* takes_part) {
  double* v = x + k * n;
  double pivot = v[k];
  for (Size p = 0; p < k; ++p) {
    double* lp = x + p * n;  // column p of L
    if (takes_part != nullptr && takes_part[p] == 0) {
      lp[k] = 0.0;
      continue;
    }
    lp[k] = v[p] / d[p];
    pivot -= v[p] * lp[k];
    for (Size j = p + 1; j < k; ++j) v[j] -= v[p] * lp[j];
  }
  return pivot;
}

// x := L^-1 x
void substitute_forward(const double* l, Size n, double* x) {
  for (Size j = 0; j < n; ++j)
    for (Size i = j + 1; i < n; ++i) x[i] -= l[j * n + i] * x[j];
}

// The factorised mass matrix: its diagonal, or L^T (upper triangle of `l`) and D.
struct Mass {
  Size n;
  const double* d;
  const double* l;  // null: diagonal

  void solve(double* x) const {  // x := M^-1 x
    if (l != nullptr) substitute_forward(l, n, x);
    for (Size i = 0; i < n; ++i) x[i] /= d[i];
    if (l == nullptr) return;
    for (Size i = n; i-- > 0;)
      for (Size j = i + 1; j < n; ++j) x[i] -= l[i * n + j] * x[j];
  }
};

// Returns false if a pivot is not positive. A NaN pivot passes: it shows in the accelerations.
bool factor_mass(const double* mass, bool full, Size n, double* l, double* d) {
  for (Size i = 0; i < n; ++i) {
    if (full) {
      for (Size j = 0; j <= i; ++j) l[i * n + j] = mass[i * n + j];
      d[i] = factor_row(l, n, i, d, nullptr);
    } else {
      d[i] = mass[i];
    }
    if (d[i] <= 0) return false;
  }
  return true;
}

// w (m x n) := the rows of A times M^-1;  s (m x m, lower triangle) := A M^-1 A^T.
void schur_complement(const Rows& a, Size m, const Mass& mass, double* w, double* s) {
  for (Size i = 0; i < m; ++i) {
    double* wi = w + i * mass.n;
    for (Size c = 0; c < mass.n; ++c) wi[c] = 0.0;
    for (Size e = a.begin[i]; e < a.begin[i + 1]; ++e) wi[a.column[e]] = a.value[e];
    if (mass.l == nullptr) {
      for (Size e = a.begin[i]; e < a.begin[i + 1]; ++e) wi[a.column[e]] /= mass.d[a.column[e]];
    } else {
      mass.solve(wi);
    }
    for (Size j = 0; j <= i; ++j) {
      const double* wj = w + j * mass.n;
      double sum = 0.0;
      for (Size e = a.begin[i]; e < a.begin[i + 1]; ++e) sum += a.value[e] * wj[a.column[e]];
      s[i * m + j] = sum;
    }
  }
}

struct RowReport {  // per row: pivot d_k, S_kk, and 1 or 0 for whether it takes part
  double* pivot;
  double* scale;
  double* takes_part;
};

void factor_schur(double* s, Size m, const double* mask, const RowReport& out) {
  for (Size k = 0; k < m; ++k) {
    const double diagonal = s[k * m + k];
    const double pivot = factor_row(s, m, k, out.pivot, out.takes_part);
    out.scale[k] = diagonal;
    out.pivot[k] = pivot;
    // Each comparison is false for NaN, so that an undefined row takes part and shows in the result.
    const bool left_out = mask[k] == 0 || diagonal == 0 || pivot <= kPivotTolerance * diagonal;
    out.takes_part[k] = left_out ? 0.0 : 1.0;
  }
}

// r := S^-1 r over the rows that take part, 0 for the others.
void solve_schur(const double* s, Size m, const RowReport& rows, double* r) {
  for (Size j = 0; j < m; ++j) {
    if (rows.takes_part[j] == 0) {
      r[j] = 0.0;
      continue;
    }
    for (Size k = j + 1; k < m; ++k) r[k] -= s[j * m + k] * r[j];
  }
  for (Size k = 0; k < m; ++k)
    if (rows.takes_part[k] != 0) r[k] /= rows.pivot[k];
  for (Size k = m; k-- > 0;) {
    if (rows.takes_part[k] == 0) continue;
    for (Size i = k + 1; i < m; ++i) r[k] -= s[k * m + i] * r[i];
  }
}

}  // namespace

extern "C" std::int32_t mbc_dense_solve(const std::uint32_t* plan, const double* mask, double* work) noexcept {
  const Size n = plan[MBC_PLAN_N];
  const Size m = plan[MBC_PLAN_M];
  const bool full = plan[MBC_PLAN_MASS_KIND] != 0;
  const std::uint32_t* row_ptr = plan + MBC_PLAN_ROW_PTR;
  const Rows a{row_ptr, row_ptr + m + 1, work + plan[MBC_PLAN_A]};
  double* udot = work + plan[MBC_PLAN_UDOT];
  double* lambda = work + plan[MBC_PLAN_LAMBDA];

  double* s = work + plan[MBC_PLAN_SCRATCH];
  double* w = s + m * m;
  double* takes_part = w + m * n;
  double* d = takes_part + m;
  double* g = d + n;
  double* l = full ? g + n : nullptr;

  if (!factor_mass(work + plan[MBC_PLAN_MASS], full, n, l, d)) return 1;
  const Mass mass{n, d, l};

  const double* f = work + plan[MBC_PLAN_FORCE];
  for (Size i = 0; i < n; ++i) udot[i] = f[i];
  mass.solve(udot);  // a, for now

  const double* b = work + plan[MBC_PLAN_B];
  for (Size k = 0; k < m; ++k) {
    double sum = 0.0;
    for (Size e = a.begin[k]; e < a.begin[k + 1]; ++e) sum += a.value[e] * udot[a.column[e]];
    lambda[k] = b[k] - sum;  // r, for now
  }

  schur_complement(a, m, mass, w, s);
  const RowReport rows{work + plan[MBC_PLAN_PIVOT], work + plan[MBC_PLAN_PIVOT_SCALE], takes_part};
  factor_schur(s, m, mask, rows);
  solve_schur(s, m, rows, lambda);

  for (Size i = 0; i < n; ++i) g[i] = 0.0;
  for (Size k = 0; k < m; ++k)
    for (Size e = a.begin[k]; e < a.begin[k + 1]; ++e) g[a.column[e]] += a.value[e] * lambda[k];
  mass.solve(g);
  for (Size i = 0; i < n; ++i) udot[i] += g[i];
  return 0;
}

extern "C" std::uint32_t mbc_dense_solve_scratch(std::uint32_t n, std::uint32_t m, std::uint32_t mass_kind) noexcept {
  return m * m + m * n + m + 2 * n + (mass_kind != 0 ? n * n : 0);
}

extern "C" const char* mbc_dense_solve_check(const std::uint32_t* plan, std::uint32_t words, std::uint32_t n_mask,
                                             std::uint32_t n_work) noexcept {
  if (words < MBC_PLAN_ROW_PTR + 1) return "the plan is too short";
  const std::uint32_t n = plan[MBC_PLAN_N];
  const std::uint32_t m = plan[MBC_PLAN_M];
  const std::uint32_t kind = plan[MBC_PLAN_MASS_KIND];
  if (n > 0x8000 || m > 0x8000) return "the system is too large for a dense solve";
  if (kind > 1) return "unknown kind of mass matrix";
  if (words < MBC_PLAN_ROW_PTR + m + 1) return "the plan is too short";
  if (const char* wrong = mbc::support::check_pattern(plan, words, MBC_PLAN_ROW_PTR, m, n)) return wrong;
  if (m > n_mask) return "the mask has too few rows";
  const std::uint64_t mass_size = kind != 0 ? std::uint64_t{n} * n : n;
  const std::uint64_t sizes[] = {mass_size, n, plan[MBC_PLAN_ROW_PTR + m],         m, n, m,
                                 m,         m, mbc_dense_solve_scratch(n, m, kind)};
  for (Size i = 0; i < sizeof sizes / sizeof sizes[0]; ++i)
    if (plan[MBC_PLAN_MASS + i] + sizes[i] > n_work) return "an array of the plan leaves the workspace";
  return nullptr;
}
