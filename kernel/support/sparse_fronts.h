// SPDX-License-Identifier: Apache-2.0
// Parts of mbc_sparse_solve: blocks of M, and S of the rows that are eliminated in a given order.
//
// S is assembled and factorised front by front in postorder. A front holds the columns of S that are eliminated
// together and all rows they reach. Its panel, c columns of c + r entries, becomes c columns of L. The effect of the
// elimination on the r rows below is its contribution, an r x r lower triangle that the next front above adds to its
// own. Every inner loop is a dense one over consecutive doubles, and every sum has a fixed order.
#pragma once
#include <cstddef>
#include <cstdint>

#include "kernel/support/mbc_support.h"

namespace mbc::sparse {

using Size = std::size_t;
using Word = const std::uint32_t*;

inline constexpr double kPivotTolerance = MBC_PIVOT_TOLERANCE;

struct Scratch {
  double *blocks, *response, *x, *inverse, *pull, *panels, *stack, *border;

  Scratch(Word plan, double* work)
      : blocks(work + plan[MBC_PLAN_SCRATCH]),
        response(blocks + plan[MBC_SPARSE_BLOCK_VALUES]),
        x(response + plan[MBC_SPARSE_RESPONSE]),
        inverse(x + plan[MBC_PLAN_M]),
        pull(inverse + plan[MBC_PLAN_M]),
        panels(pull + plan[MBC_PLAN_N]),
        stack(panels + plan[MBC_SPARSE_PANELS]),
        border(stack + plan[MBC_SPARSE_STACK]) {}
};

// ---- the mass matrix: L D L^T of each block, L below the diagonal (row-major), 1/D on it

// Returns false if a pivot is not positive. A NaN pivot passes: it shows in the accelerations.
inline bool factor_block(Word entries, Size size, const double* mass, double* l) {
  for (Size i = 0; i < size; ++i) {
    double* row = l + i * size;
    for (Size j = 0; j <= i; ++j, ++entries) row[j] = *entries == MBC_SPARSE_NONE ? 0.0 : mass[*entries];
    for (Size j = 0; j < i; ++j)
      for (Size p = 0; p < j; ++p) row[j] -= row[p] * l[j * size + p];
    double pivot = row[i];
    for (Size j = 0; j < i; ++j) {
      const double v = row[j];
      row[j] = v * l[j * size + j];
      pivot -= v * row[j];
    }
    if (pivot <= 0) return false;
    row[i] = 1.0 / pivot;
  }
  return true;
}

// x := M_b^-1 x, entry i of the block at x[at(i)].
template <class At>
void solve_block(const double* l, Size size, double* x, At&& at) {
  for (Size i = 1; i < size; ++i)
    for (Size j = 0; j < i; ++j) x[at(i)] -= l[i * size + j] * x[at(j)];
  for (Size i = 0; i < size; ++i) x[at(i)] *= l[i * size + i];
  for (Size i = size; i-- > 0;)
    for (Size j = i + 1; j < size; ++j) x[at(i)] -= l[j * size + i] * x[at(j)];
}

struct Mass {
  Word plan;
  double* values;  // of the factorised blocks

  [[nodiscard]] Word description(Size block) const { return plan + plan[plan[MBC_SPARSE_BLOCKS_AT] + 2 * block]; }
  [[nodiscard]] double* factor(Size block) const { return values + plan[plan[MBC_SPARSE_BLOCKS_AT] + 2 * block + 1]; }

  [[nodiscard]] bool factorise(const double* mass) const {
    if (plan[MBC_PLAN_MASS_KIND] == 0) {
      for (Size i = 0; i < plan[MBC_PLAN_N]; ++i) {
        if (mass[i] <= 0) return false;
        values[i] = 1.0 / mass[i];
      }
      return true;
    }
    for (Size k = 0; k < plan[MBC_SPARSE_BLOCKS]; ++k) {
      const Word block = description(k);
      if (!factor_block(block + 1 + block[0], block[0], mass, factor(k))) return false;
    }
    return true;
  }

  void solve(double* x) const {  // x := M^-1 x
    if (plan[MBC_PLAN_MASS_KIND] == 0) {
      for (Size i = 0; i < plan[MBC_PLAN_N]; ++i) x[i] *= values[i];
      return;
    }
    for (Size k = 0; k < plan[MBC_SPARSE_BLOCKS]; ++k) {
      const Word block = description(k), speed = block + 1;
      solve_block(factor(k), block[0], x, [speed](Size i) { return speed[i]; });
    }
  }
};

// Visits the rows that are eliminated, range by range: visit(first, end).
template <class Visit>
void each_range(Word plan, Visit&& visit) {
  Word at = plan + plan[MBC_SPARSE_RANGES_AT];
  for (Size k = plan[MBC_SPARSE_RANGES]; k > 0; --k, at += 2) visit(Size{at[0]}, Size{at[1]});
}

// Computes M^-1 A_k^T of every row, over the blocks it touches.
inline void respond(Word plan, const Mass& mass, const double* a, double* response) {
  if (plan[MBC_PLAN_MASS_KIND] == 0) {
    const Word row_ptr = plan + MBC_SPARSE_ROW_PTR, column = row_ptr + plan[MBC_PLAN_M] + 1;
    each_range(plan, [&](Size first, Size end) {
      for (Size e = row_ptr[first]; e < row_ptr[end]; ++e) response[e] = a[e] * mass.values[column[e]];
    });
    return;
  }
  Word at = plan + plan[MBC_SPARSE_RESPONSE_AT];
  Size rows = 0;
  each_range(plan, [&](Size first, Size end) { rows += end - first; });
  for (Size k = 0; k < rows; ++k)
    for (std::uint32_t touched = *at++; touched > 0; --touched) {
      const Size block = at[0], count = at[1], size = mass.description(block)[0];
      at += 2;
      for (Size i = 0; i < size; ++i) response[i] = 0.0;
      for (Size e = 0; e < count; ++e, at += 2) response[at[1]] = a[at[0]];
      solve_block(mass.factor(block), size, response, [](Size i) { return i; });
      response += size;
    }
}

// ---- fronts

struct Front {
  Size columns, below, contribution, children, entries;
  Word row, index, rest;  // rows of A; places of elimination below; children and entries

  explicit Front(Word at)
      : columns(at[0]),
        below(at[1]),
        contribution(at[2]),
        children(at[3]),
        entries(at[4]),
        row(at + 5),
        index(row + columns),
        rest(index + below) {}
  [[nodiscard]] Size height() const { return columns + below; }
};

// Gathers sums of S into the panel; returns the word behind them.
inline Word gather(Word at, Size entries, const double* a, const double* response, double* panel) {
  for (; entries > 0; --entries) {
    double* place = panel + at[0];
    const Size runs = at[1];
    at += 2;
    double sum = 0.0;
    for (Size k = 0; k < runs; ++k, at += 3) {
      const double *x = a + at[0], *y = response + at[1];
      for (Size e = 0; e < at[2]; ++e) sum += x[e] * y[e];
    }
    *place = sum;
  }
  return at;
}

inline void add_child(Word at, const double* stack, const Front& f, double* panel, double* own) {
  const Size below = at[0];
  const double* from = stack + at[1];
  const Word place = at + 2;
  for (Size j = 0; j < below; ++j, from += below) {
    const Size column = place[j];
    // rows above c land in the panel only when the column does
    double* to = column < f.columns ? panel + column * f.height() : own + (column - f.columns) * f.below - f.columns;
    for (Size i = j; i < below; ++i) to[place[i]] += from[i];
  }
}

// own -= sum over the columns of L_below d L_below^T, lower triangle, four columns at a time.
inline void subtract_products(const Front& f, const double* panel, const double* pivot, double* own) {
  const Size h = f.height(), r = f.below;
  const double* l = panel + f.columns;
  Size p = 0;
  for (; p + 4 <= f.columns; p += 4) {
    const double* __restrict l0 = l + p * h, * __restrict l1 = l0 + h, * __restrict l2 = l1 + h, * __restrict l3 = l2 + h;
    for (Size j = 0; j < r; ++j) {
      const double t0 = l0[j] * pivot[p], t1 = l1[j] * pivot[p + 1], t2 = l2[j] * pivot[p + 2],
                   t3 = l3[j] * pivot[p + 3];
      double* __restrict to = own + j * r;
      for (Size i = j; i < r; ++i) to[i] = (((to[i] - l0[i] * t0) - l1[i] * t1) - l2[i] * t2) - l3[i] * t3;
    }
  }
  for (; p < f.columns; ++p) {
    const double* __restrict lp = l + p * h;
    for (Size j = 0; j < r; ++j) {
      const double t = lp[j] * pivot[p];
      double* __restrict to = own + j * r;
      for (Size i = j; i < r; ++i) to[i] -= lp[i] * t;
    }
  }
}

struct Solver {
  Word plan;
  const double* mask;
  const double* a;
  double *pivot, *scale;  // by row
  Scratch& scratch;

  // Eliminates the columns of a panel and the right side x with them. The pivots of the columns go to `d`.
  void eliminate(const Front& f, double* panel, Size first, double* d) const {
    const Size h = f.height();
    double *x = scratch.x + first, *inverse = scratch.inverse + first;
    for (Size j = 0; j < f.columns; ++j) {
      double* column = panel + j * h;
      const std::uint32_t row = f.row[j];
      const double diagonal = scale[row], value = column[j];
      pivot[row] = value;
      // Each comparison is false for NaN, so that an undefined row takes part and shows in the result.
      const bool left_out = mask[row] == 0 || diagonal == 0 || value <= kPivotTolerance * diagonal;
      d[j] = left_out ? 0.0 : value;
      inverse[j] = left_out ? 0.0 : 1.0 / value;
      if (left_out) {
        for (Size i = j; i < h; ++i) column[i] = 0.0;
        x[j] = 0.0;
        continue;
      }
      for (Size k = j + 1; k < f.columns; ++k) {
        const double t = column[k] * inverse[j];
        double* __restrict to = panel + k * h;
        const double* __restrict v = column;
        for (Size i = k; i < h; ++i) to[i] -= v[i] * t;
      }
      for (Size i = j + 1; i < h; ++i) column[i] *= inverse[j];
      for (Size i = j + 1; i < f.columns; ++i) x[i] -= column[i] * x[j];
      for (Size i = 0; i < f.below; ++i) scratch.x[f.index[i]] -= column[f.columns + i] * x[j];
    }
  }

  // A link of a chain is a front of one column and one row below, with at most one contribution, to its column. link()
  // computes the same numbers as the general code at less cost.
  [[nodiscard]] static bool is_link(const Front& f) {
    return f.columns == 1 && f.below == 1 && (f.children == 0 || (f.children == 1 && f.rest[0] == 1 && f.rest[2] == 0));
  }
  Word link(const Front& f, double* panel, Size first) const {
    panel[0] = panel[1] = 0.0;
    const Word end = gather(f.rest + 3 * f.children, f.entries, a, scratch.response, panel);
    const std::uint32_t row = f.row[0];
    const double diagonal = panel[0];
    const double value = f.children == 0 ? diagonal : diagonal + scratch.stack[f.rest[1]];
    scale[row] = diagonal;
    pivot[row] = value;
    const bool left_out = mask[row] == 0 || diagonal == 0 || value <= kPivotTolerance * diagonal;
    const double inverse = left_out ? 0.0 : 1.0 / value;
    const double l = left_out ? 0.0 : panel[1] * inverse, x = left_out ? 0.0 : scratch.x[first];
    panel[1] = l;
    scratch.inverse[first] = inverse;
    scratch.x[first] = x;
    scratch.x[f.index[0]] -= l * x;
    scratch.stack[f.contribution] = left_out ? 0.0 : 0.0 - l * (l * value);
    return end;
  }

  void factorise() const {
    Word at = plan + plan[MBC_SPARSE_FRONTS_AT];
    double* panel = scratch.panels;
    Size first = 0;
    for (Size k = 0; k < plan[MBC_SPARSE_FRONTS]; ++k) {
      const Front f(at);
      if (is_link(f)) {
        at = link(f, panel, first);
        panel += 3;
        ++first;
        continue;
      }
      const Size h = f.height();
      double* own = scratch.stack + f.contribution;
      for (Size i = 0; i < f.columns * h; ++i) panel[i] = 0.0;
      for (Size i = 0; i < f.below * f.below; ++i) own[i] = 0.0;
      Word rest = f.rest;
      for (Size c = 0; c < f.children; ++c) rest += 2 + rest[0];
      at = gather(rest, f.entries, a, scratch.response, panel);
      for (Size j = 0; j < f.columns; ++j) scale[f.row[j]] = panel[j * h + j];
      rest = f.rest;
      for (Size c = 0; c < f.children; ++c, rest += 2 + rest[0]) add_child(rest, scratch.stack, f, panel, own);
      double* d = panel + f.columns * h;
      eliminate(f, panel, first, d);
      subtract_products(f, panel, d, own);
      panel = d + f.columns;
      first += f.columns;
    }
  }

  // x := S^-1 x, once it is factorised.
  void substitute() const {
    const Word places = plan + plan[MBC_SPARSE_PLACES_AT];
    const double* panel = scratch.panels;
    Size first = 0;
    for (Size k = 0; k < plan[MBC_SPARSE_FRONTS]; ++k) {
      const Front f(plan + places[k]);
      const Size h = f.height();
      double* x = scratch.x + first;
      for (Size j = 0; j < f.columns; ++j) {
        const double* column = panel + j * h;
        if (scratch.inverse[first + j] == 0) x[j] = 0.0;  // left out
        for (Size i = j + 1; i < f.columns; ++i) x[i] -= column[i] * x[j];
        for (Size i = 0; i < f.below; ++i) scratch.x[f.index[i]] -= column[f.columns + i] * x[j];
      }
      panel += f.columns * (h + 1);
      first += f.columns;
    }
    substitute_back();
  }

  // x := L^-T D^-1 x
  void substitute_back() const {
    const Word places = plan + plan[MBC_SPARSE_PLACES_AT];
    const double* panel = scratch.panels + plan[MBC_SPARSE_PANELS];
    Size first = 0;
    each_range(plan, [&](Size from, Size end) { first += end - from; });
    for (Size k = plan[MBC_SPARSE_FRONTS]; k-- > 0;) {
      const Front f(plan + places[k]);
      const Size h = f.height();
      panel -= f.columns * (h + 1);
      first -= f.columns;
      if (f.columns == 1 && f.below == 1) {
        scratch.x[first] = scratch.x[first] * scratch.inverse[first] - panel[1] * scratch.x[f.index[0]];
        continue;
      }
      double *x = scratch.x + first, *inverse = scratch.inverse + first;
      for (Size j = f.columns; j-- > 0;) {
        const double* column = panel + j * h;
        double sum = x[j] * inverse[j];
        for (Size i = j + 1; i < f.columns; ++i) sum -= column[i] * x[i];
        for (Size i = 0; i < f.below; ++i) sum -= column[f.columns + i] * scratch.x[f.index[i]];
        x[j] = sum;
      }
    }
  }

  // Visits every row that is eliminated, with its place of elimination.
  template <class Visit>
  void each_row(Visit&& visit) const {
    const Word places = plan + plan[MBC_SPARSE_PLACES_AT];
    Size place = 0;
    for (Size k = 0; k < plan[MBC_SPARSE_FRONTS]; ++k) {
      const Word at = plan + places[k];
      for (Size j = 0; j < at[0]; ++j) visit(at[5 + j], place++);
    }
  }
};

}  // namespace mbc::sparse
