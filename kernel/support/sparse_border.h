// SPDX-License-Identifier: Apache-2.0
// Rows of mbc_sparse_solve that are mostly zero (those of contacts: A_c = 0 while the sides are apart). They have no
// place in the order of elimination. Those that are not zero at the moment are eliminated behind the other rows, as a
// full matrix,
//
//   v_c = M^-1 (A_c^T + A_E^T mu),  A_E v_c = 0,   D_cd = A_c v_d,   D = F diag(d) F^T,
//
// row by row, so that a row that depends on those before it leaves nothing behind. A zero row costs only the inspection
// of its entries.
#pragma once
#include <bit>

#include "kernel/support/sparse_fronts.h"

namespace mbc::sparse {

// x := D^-1 F^-1 x, F by columns of `most`. Returns `value` less x^T F^-T D^-1 F^-1 x.
double eliminate(const double* factor, Size most, const double* inverse, Size count, double* x, double value);

struct Border {
  const Solver& solver;
  const Mass& mass;
  double *udot, *lambda;
  const double* b;
  Size n, most;  // speeds; rows that may take part at once
  // v_d by speeds: entry d of `most`; the response of the present row; F, by columns of `most`; the others by rows
  double *responses, *response, *factor, *inverse, *right, *row, *reach;

  Border(const Solver& s, const Mass& m, double* work)
      : solver(s),
        mass(m),
        udot(work + s.plan[MBC_PLAN_UDOT]),
        lambda(work + s.plan[MBC_PLAN_LAMBDA]),
        b(work + s.plan[MBC_PLAN_B]),
        n(s.plan[MBC_PLAN_N]),
        most(s.plan[MBC_SPARSE_BORDER_MOST]),
        responses(s.scratch.border),
        response(responses + most * n),
        factor(response + n),
        inverse(factor + most * most),
        right(inverse + most),
        row(right + most),
        reach(row + most) {}

  // Completes the accelerations and multipliers of the other rows to those of all rows.
  void solve() const {
    const Word rows = solver.plan + solver.plan[MBC_SPARSE_BORDER_AT];
    const Size count = solver.plan[MBC_SPARSE_BORDER];
    Size kept = 0;
    for (Size k = 0; k < count; k += kTogether) {
      const Size some = k + kTogether < count ? kTogether : count - k;
      const Size first = rows[k], end = rows[k + some - 1] + 1;
      if (end - first == some && !any_acts(first, end)) {
        for (Size c = first; c < end; ++c) solver.pivot[c] = solver.scale[c] = lambda[c] = 0.0;
        continue;
      }
      for (Size i = k; i < k + some; ++i) {
        const Size c = rows[i];
        solver.pivot[c] = solver.scale[c] = lambda[c] = 0.0;
        if (any_acts(c, c + 1) && take(i, c, kept)) ++kept;
      }
    }
    if (kept == 0) return;
    substitute_back(kept);
    answer(kept);
  }

 private:
  [[nodiscard]] Word row_ptr() const { return solver.plan + MBC_SPARSE_ROW_PTR; }
  [[nodiscard]] Word column() const { return row_ptr() + solver.plan[MBC_PLAN_M] + 1; }

  static constexpr Size kTogether = 32;  // rows that are tested together

  // Returns whether any of these rows has an entry that is not zero; NaN counts as one. Most rows need nothing but this
  // test, so that it combines the bits of all entries without their signs.
  [[nodiscard]] bool any_acts(Size first, Size end) const {
    std::uint64_t bits = 0;
    for (Size e = row_ptr()[first], last = row_ptr()[end]; e < last; ++e)
      bits |= std::bit_cast<std::uint64_t>(solver.a[e]);
    return (bits << 1) != 0;
  }

  [[nodiscard]] double product(Size c, const double* v) const {
    double sum = 0.0;
    for (Size e = row_ptr()[c]; e < row_ptr()[c + 1]; ++e) sum += solver.a[e] * v[column()[e]];
    return sum;
  }

  // Computes the next row of D and of its factors, for row `c` at `place` in the border. Returns false if the row does
  // not take part.
  [[nodiscard]] bool take(Size place, Size c, Size kept) const {
    respond_to(place, c);
    const double diagonal = solver.scale[c] = product(c, response);
    const bool dense = hold_equations();
    double value = product(c, response);
    for (Size j = 0; j < kept; ++j) reach[j] = 0.0;
    for (Size e = row_ptr()[c]; e < row_ptr()[c + 1]; ++e) {
      const double* __restrict of_speed = responses + column()[e] * most;
      double* __restrict to = reach;
      for (Size j = 0; j < kept; ++j) to[j] += solver.a[e] * of_speed[j];
    }
    value = eliminate(factor, most, inverse, kept, reach, value);
    solver.pivot[c] = value;
    if (solver.mask[c] == 0 || diagonal == 0 || value <= kPivotTolerance * diagonal || kept == most) return false;
    double defect = b[c] - product(c, udot);
    for (Size j = 0; j < kept; ++j) {
      factor[j * most + kept] = reach[j];
      defect -= reach[j] * right[j];
    }
    keep(place, c, kept, dense);
    row[kept] = static_cast<double>(c);
    inverse[kept] = 1.0 / value;
    right[kept] = defect;
    return true;
  }

  static constexpr Size kCleared = 16;  // columns of the responses at a time

  // Keeps the response of a row that takes part. `dense`: the response may reach all speeds, not only those that the
  // row touches.
  void keep(Size place, Size c, Size kept, bool dense) const {
    if (kept % kCleared == 0) {
      const Size end = kept + kCleared < most ? kept + kCleared : most;
      for (Size i = 0; i < n; ++i)
        for (Size j = kept; j < end; ++j) responses[i * most + j] = 0.0;
    }
    const auto store = [&](Size i) { responses[i * most + kept] = response[i]; };
    if (dense) {
      for (Size i = 0; i < n; ++i) store(i);
    } else if (solver.plan[MBC_PLAN_MASS_KIND] == 0) {
      for (Size e = row_ptr()[c]; e < row_ptr()[c + 1]; ++e) store(column()[e]);
    } else {
      each_block(place, [&](Word, Word block) {
        for (Size i = 0; i < block[0]; ++i) store(block[1 + i]);
      });
    }
  }

  // Visits the mass blocks that a row of the border touches: visit(index, description).
  template <class Visit>
  void each_block(Size place, Visit&& visit) const {
    const Word listed = solver.plan + solver.plan[MBC_SPARSE_BORDER_AT] + solver.plan[MBC_SPARSE_BORDER];
    const Word blocks = solver.plan + listed[place];
    for (Size k = 0; k < blocks[0]; ++k) visit(blocks + 1 + k, mass.description(blocks[1 + k]));
  }

  // response = M^-1 A_c^T
  void respond_to(Size place, Size c) const {
    for (Size i = 0; i < n; ++i) response[i] = 0.0;
    if (solver.plan[MBC_PLAN_MASS_KIND] == 0) {
      for (Size e = row_ptr()[c]; e < row_ptr()[c + 1]; ++e)
        response[column()[e]] = solver.a[e] * mass.values[column()[e]];
      return;
    }
    for (Size e = row_ptr()[c]; e < row_ptr()[c + 1]; ++e) response[column()[e]] = solver.a[e];
    each_block(place, [&](Word index, Word block) {
      const Word speed = block + 1;
      solve_block(mass.factor(*index), block[0], response, [speed](Size i) { return speed[i]; });
    });
  }

  // Replaces the response v by v + M^-1 A_E^T mu with A_E v = 0, so that the other rows stay satisfied; mu is by place
  // of elimination. Returns false if v satisfies them already.
  bool hold_equations() const {
    bool any = false;
    double* x = solver.scratch.x;
    solver.each_row([&](Size k, Size place) {
      x[place] = -product(k, response);
      any = any || x[place] != 0;
    });
    if (!any) return false;
    solver.substitute();
    double* pull = solver.scratch.pull;
    for (Size i = 0; i < n; ++i) pull[i] = 0.0;
    solver.each_row([&](Size k, Size place) {
      for (Size e = row_ptr()[k]; e < row_ptr()[k + 1]; ++e) pull[column()[e]] += solver.a[e] * x[place];
    });
    mass.solve(pull);
    for (Size i = 0; i < n; ++i) response[i] += pull[i];
    return true;
  }

  // right := F^-T D^-1 right, the multipliers
  void substitute_back(Size kept) const {
    for (Size k = kept; k-- > 0;) {
      const double* l = factor + k * most;
      double sum = right[k] * inverse[k];
      for (Size i = k + 1; i < kept; ++i) sum -= l[i] * right[i];
      right[k] = sum;
    }
  }

  // Adds the accelerations by the rows of the border, and the multipliers with which the other rows react to them.
  void answer(Size kept) const {
    for (Size i = 0; i < n; ++i) response[i] = 0.0;
    for (Size k = 0; k < kept; ++k) {
      const auto c = static_cast<Size>(row[k]);
      lambda[c] = right[k];
      for (Size e = row_ptr()[c]; e < row_ptr()[c + 1]; ++e) response[column()[e]] += solver.a[e] * right[k];
    }
    mass.solve(response);
    if (hold_equations()) solver.each_row([&](Size k, Size place) { lambda[k] += solver.scratch.x[place]; });
    for (Size i = 0; i < n; ++i) udot[i] += response[i];
  }
};

}  // namespace mbc::sparse
