// SPDX-License-Identifier: Apache-2.0
// mbc_sparse_solve: the constrained accelerations of large systems (contract and plan in mbc_support.h).
#include <cstddef>
#include <cstdint>

#include "kernel/support/clones.h"
#include "kernel/support/mbc_support.h"
#include "kernel/support/sparse_border.h"
#include "kernel/support/sparse_fronts.h"

using namespace mbc::sparse;

namespace mbc::sparse {

MBC_CLONES_WIDE double eliminate(const double* factor, Size most, const double* inverse, Size count, double* x,
                                 double value) {
  for (Size j = 0; j < count; ++j) {
    const double w = x[j];
    if (w == 0) continue;
    const double* __restrict l = factor + j * most;
    double* __restrict to = x;
    for (Size i = j + 1; i < count; ++i) to[i] -= l[i] * w;
    x[j] = w * inverse[j];
    value -= w * x[j];
  }
  return value;
}

}  // namespace mbc::sparse

extern "C" std::int32_t mbc_sparse_solve(const std::uint32_t* plan, const double* mask, double* work) noexcept {
  const Size n = plan[MBC_PLAN_N], m = plan[MBC_PLAN_M];
  const Word row_ptr = plan + MBC_SPARSE_ROW_PTR, column = row_ptr + m + 1;
  const double *a = work + plan[MBC_PLAN_A], *b = work + plan[MBC_PLAN_B], *f = work + plan[MBC_PLAN_FORCE];
  double *udot = work + plan[MBC_PLAN_UDOT], *lambda = work + plan[MBC_PLAN_LAMBDA];
  Scratch scratch(plan, work);

  const Mass mass{plan, scratch.blocks};
  if (!mass.factorise(work + plan[MBC_PLAN_MASS])) return 1;
  for (Size i = 0; i < n; ++i) udot[i] = f[i];
  mass.solve(udot);  // a, for now
  respond(plan, mass, a, scratch.response);

  const Solver solver{plan, mask, a, work + plan[MBC_PLAN_PIVOT], work + plan[MBC_PLAN_PIVOT_SCALE], scratch};
  solver.each_row([&](Size row, Size place) {
    double sum = 0.0;
    for (Size e = row_ptr[row]; e < row_ptr[row + 1]; ++e) sum += a[e] * udot[column[e]];
    scratch.x[place] = b[row] - sum;
  });
  solver.factorise();
  solver.substitute_back();
  Size left_at = 0;
  each_range(plan, [&](Size first, Size end) {
    for (; left_at < first; ++left_at) lambda[left_at] = 0.0;
    left_at = end;
  });
  for (; left_at < m; ++left_at) lambda[left_at] = 0.0;
  solver.each_row([&](Size row, Size place) { lambda[row] = scratch.x[place]; });

  for (Size i = 0; i < n; ++i) scratch.pull[i] = 0.0;
  each_range(plan, [&](Size first, Size end) {
    for (Size k = first; k < end; ++k)
      for (Size e = row_ptr[k]; e < row_ptr[k + 1]; ++e) scratch.pull[column[e]] += a[e] * lambda[k];
  });
  mass.solve(scratch.pull);
  for (Size i = 0; i < n; ++i) udot[i] += scratch.pull[i];
  if (plan[MBC_SPARSE_BORDER] > 0) Border(solver, mass, work).solve();
  return 0;
}
