// SPDX-License-Identifier: Apache-2.0
// mbc_quasi_solve: accelerations in independent speeds (contract and plan in mbc_support.h).
//
// Names below: R are the rows of S that are no unit vectors (user's, momenta, constraints), D the columns they are
// solved for, I the columns of the unit rows; |R| = |D| = d. Index lists live at the end of the scratch.
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <new>

#include "kernel/support/mbc_support.h"
#include "kernel/support/rows.h"

namespace {

using Size = std::size_t;

constexpr double kNoPivot = 1e-14;  // of rows scaled to norm 1

struct Quasi {
  const std::uint32_t* plan;
  const double* mask;
  double* work;
  Size n, m, user, momenta;
  Size p = 0, d = 0;
  // scratch
  double *lu, *basis, *product, *factor;  // d x d; n x p (B); n x p (M B); n x n
  double *column_scale, *row_scale, *particular, *beta, *x, *y, *row;
  double* header;  // p and d, kept for later calls
  std::uint32_t *rows, *order, *second_order, *place, *list;

  [[nodiscard]] double* at(int word) const { return work + plan[word]; }
  [[nodiscard]] bool full_mass() const { return plan[MBC_QUASI_MASS_KIND] != 0; }
  [[nodiscard]] const std::uint32_t* row_ptr() const { return plan + MBC_QUASI_ROW_PTR; }
  [[nodiscard]] const std::uint32_t* column() const { return row_ptr() + m + user + 1; }
};

Quasi open(const std::uint32_t* plan, const double* mask, double* work) {
  Quasi s{};
  s.plan = plan;
  s.mask = mask;
  s.work = work;
  s.n = plan[MBC_QUASI_N];
  s.m = plan[MBC_QUASI_M];
  s.user = plan[MBC_QUASI_USER];
  s.momenta = plan[MBC_QUASI_MOMENTA];
  double* next = work + plan[MBC_QUASI_SCRATCH];
  const auto take = [&](Size count) {
    double* mine = next;
    next += count;
    return mine;
  };
  for (double** matrix : {&s.lu, &s.basis, &s.product, &s.factor}) *matrix = take(s.n * s.n);
  for (double** vector : {&s.column_scale, &s.row_scale, &s.particular, &s.beta, &s.x, &s.y, &s.row})
    *vector = take(s.n);
  s.header = take(2);
  for (std::uint32_t** indices : {&s.rows, &s.order, &s.second_order, &s.place, &s.list})
    *indices = std::launder(reinterpret_cast<std::uint32_t*>(take((s.n + 1) / 2)));
  s.p = static_cast<Size>(s.header[0] >= 0 ? s.header[0] : 0);
  s.d = static_cast<Size>(s.header[1] >= 0 ? s.header[1] : 0);
  return s;
}

// x := M v
void times_mass(const Quasi& s, const double* v, double* x) {
  const double* mass = s.at(MBC_QUASI_MASS);
  if (!s.full_mass()) {
    for (Size i = 0; i < s.n; ++i) x[i] = mass[i] * v[i];
    return;
  }
  for (Size i = 0; i < s.n; ++i) x[i] = 0.0;
  for (Size i = 0; i < s.n; ++i) {
    const double* line = mass + i * s.n;
    for (Size j = 0; j < i; ++j) {
      if (line[j] == 0) continue;
      x[i] += line[j] * v[j];
      x[j] += line[j] * v[i];
    }
    x[i] += line[i] * v[i];
  }
}

// Row `code` of S in full: user's rows, then momenta, then constraints.
void load_row(const Quasi& s, Size code, double* row) {
  if (code >= s.user && code < s.user + s.momenta) {
    times_mass(s, s.at(MBC_QUASI_DIRECTION) + (code - s.user) * s.n, row);
    return;
  }
  for (Size j = 0; j < s.n; ++j) row[j] = 0.0;
  const bool of_user = code < s.user;
  const Size pattern = of_user ? s.m + code : code - s.user - s.momenta;
  const std::uint32_t* row_ptr = s.row_ptr();
  const double* value = of_user ? s.at(MBC_QUASI_Y_ROWS) - row_ptr[s.m] : s.at(MBC_QUASI_A);
  for (Size e = row_ptr[pattern]; e < row_ptr[pattern + 1]; ++e) row[s.column()[e]] = value[e];
}

// Finds the columns that unit rows eliminate at once and the rows that are left. `place` of a column is its number in
// D, or n + the number of its y. Returns false if S is not square.
bool arrange(Quasi& s) {
  for (Size j = 0; j < s.n; ++j) s.place[j] = 0;
  const double* choice = s.at(MBC_QUASI_CHOICE);
  s.p = s.d = 0;
  while (s.p < s.n && choice[s.p] >= 0) {
    const Size c = static_cast<Size>(choice[s.p]);
    if (c >= s.n + s.user || s.d >= s.n) return false;
    if (c < s.n)
      s.place[c] = static_cast<std::uint32_t>(s.n + s.p);
    else
      s.rows[s.d++] = static_cast<std::uint32_t>(c - s.n);
    ++s.p;
  }
  const Size units = s.p - s.d;
  for (Size k = 0; k < s.momenta; ++k) {
    if (s.d >= s.n) return false;
    s.rows[s.d++] = static_cast<std::uint32_t>(s.user + k);
  }
  for (Size r = 0; r < s.m; ++r) {
    if (s.mask[r] == 0) continue;
    if (s.d >= s.n) return false;
    s.rows[s.d++] = static_cast<std::uint32_t>(s.user + s.momenta + r);
  }
  std::uint32_t next = 0;
  for (Size j = 0; j < s.n; ++j)
    if (s.place[j] < s.n) s.place[j] = next++;
  s.header[0] = static_cast<double>(s.p);
  s.header[1] = static_cast<double>(s.d);
  return s.d + units == s.n && next == s.d;
}

// S_DD scaled into lu, [-S_DI | 1 for user's rows] into `product` (d x p).
void fill(const Quasi& s) {
  for (Size e = 0; e < s.d * s.p; ++e) s.product[e] = 0.0;
  for (Size i = 0; i < s.d; ++i) {
    load_row(s, s.rows[i], s.row);
    double square = 0.0;
    for (Size j = 0; j < s.n; ++j) {
      const double entry = s.row[j] * s.column_scale[j];
      square += entry * entry;
    }
    const double scale = square > 0 ? 1.0 / std::sqrt(square) : 1.0;
    s.row_scale[i] = scale;
    for (Size j = 0; j < s.n; ++j) {
      if (s.place[j] < s.n)
        s.lu[i * s.d + s.place[j]] = s.row[j] * s.column_scale[j] * scale;
      else if (s.row[j] != 0)
        s.product[i * s.p + (s.place[j] - s.n)] = -s.row[j] * scale;
    }
  }
  const double* choice = s.at(MBC_QUASI_CHOICE);
  for (Size k = 0, i = 0; k < s.p; ++k)
    if (choice[k] >= static_cast<double>(s.n)) {
      s.product[i * s.p + k] = s.row_scale[i];
      ++i;
    }
}

// Factorises a square matrix as L U with row exchanges; order[k] is the row of step k, which keeps its place. Returns
// the smallest pivot.
double factorise(double* a, Size size, std::uint32_t* order, std::uint32_t* list) {
  double smallest = 1.0;
  for (Size k = 0; k < size; ++k) order[k] = static_cast<std::uint32_t>(k);
  for (Size k = 0; k < size; ++k) {
    Size best = k;
    for (Size i = k + 1; i < size; ++i)
      if (!(std::fabs(a[order[i] * size + k]) <= std::fabs(a[order[best] * size + k]))) best = i;
    const std::uint32_t kept = order[k];
    order[k] = order[best];
    order[best] = kept;
    const double* from = a + order[k] * size;
    const double pivot = from[k];
    if (std::fabs(pivot) < smallest) smallest = std::fabs(pivot);
    if (std::fabs(pivot) <= kNoPivot) return 0.0;
    Size count = 0;
    for (Size j = k + 1; j < size; ++j)
      if (from[j] != 0) list[count++] = static_cast<std::uint32_t>(j);
    for (Size i = k + 1; i < size; ++i) {
      double* to = a + order[i] * size;
      if (to[k] == 0) continue;
      const double l = to[k] / pivot;
      to[k] = l;
      for (Size e = 0; e < count; ++e) to[list[e]] -= l * from[list[e]];
    }
  }
  return smallest;
}

// x := A^-1 right, from the factors; right is in the order of rows and is used up.
void substitute(const double* a, Size size, const std::uint32_t* order, const double* right, double* x) {
  for (Size k = 0; k < size; ++k) {
    const double* line = a + order[k] * size;
    double sum = right[order[k]];
    for (Size j = 0; j < k; ++j)
      if (line[j] != 0) sum -= line[j] * x[j];
    x[k] = sum;
  }
  for (Size k = size; k-- > 0;) {
    const double* line = a + order[k] * size;
    for (Size j = k + 1; j < size; ++j)
      if (line[j] != 0) x[k] -= line[j] * x[j];
    x[k] /= line[k];
  }
}

// x := A^-T right: right is in the order of columns, x in that of rows.
void substitute_transposed(const double* a, Size size, const std::uint32_t* order, double* right, double* x) {
  for (Size k = 0; k < size; ++k) {
    const double* line = a + order[k] * size;
    right[k] /= line[k];
    for (Size j = k + 1; j < size; ++j)
      if (line[j] != 0) right[j] -= line[j] * right[k];
  }
  for (Size k = size; k-- > 0;) {
    const double* line = a + order[k] * size;
    for (Size j = 0; j < k; ++j)
      if (line[j] != 0) right[j] -= line[j] * right[k];
  }
  for (Size k = 0; k < size; ++k) x[order[k]] = right[k];
}

// out (n) := the solution of S v = right, with zeros for the unit rows; `value(code)` is the right side of a row.
template <class Value>
void solve_rows(const Quasi& s, double* out, Value&& value) {
  for (Size i = 0; i < s.d; ++i) s.y[i] = s.row_scale[i] * value(s.rows[i]);
  substitute(s.lu, s.d, s.order, s.y, s.x);
  for (Size j = 0; j < s.n; ++j) out[j] = s.place[j] < s.n ? s.column_scale[j] * s.x[s.place[j]] : 0.0;
}

double along(const Quasi& s, Size k, const double* v) {  // C_k v
  const double* direction = s.at(MBC_QUASI_DIRECTION) + k * s.n;
  double sum = 0.0;
  for (Size j = 0; j < s.n; ++j) sum += direction[j] * v[j];
  return sum;
}

// Computes B (n x p), all columns at once, so that the inner loops run along rows.
void solve_basis(const Quasi& s) {
  const Size p = s.p;
  double* w = s.product;  // rows as in R
  for (Size k = 0; k < s.d; ++k) {
    const double* line = s.lu + s.order[k] * s.d;
    double* to = w + s.order[k] * p;
    for (Size j = 0; j < k; ++j) {
      if (line[j] == 0) continue;
      const double* from = w + s.order[j] * p;
      for (Size c = 0; c < p; ++c) to[c] -= line[j] * from[c];
    }
  }
  for (Size k = s.d; k-- > 0;) {
    const double* line = s.lu + s.order[k] * s.d;
    double* to = w + s.order[k] * p;
    for (Size j = k + 1; j < s.d; ++j) {
      if (line[j] == 0) continue;
      const double* from = w + s.order[j] * p;
      for (Size c = 0; c < p; ++c) to[c] -= line[j] * from[c];
    }
    for (Size c = 0; c < p; ++c) to[c] /= line[k];
  }
  for (Size j = 0; j < s.n; ++j) {
    double* to = s.basis + j * p;
    if (s.place[j] >= s.n) {
      for (Size c = 0; c < p; ++c) to[c] = 0.0;
      to[s.place[j] - s.n] = 1.0;
      continue;
    }
    const double* from = w + s.order[s.place[j]] * p;
    for (Size c = 0; c < p; ++c) to[c] = s.column_scale[j] * from[c];
  }
}

// Measures how much the dependent speeds magnify the independent ones, in units of equal inertia: 1 over the largest
// entry of B. A choice of largest volume has no entry above 1; close to a singular choice the entries grow without
// bounds.
double quality_of_basis(const Quasi& s) {
  const double* choice = s.at(MBC_QUASI_CHOICE);
  double largest = 1.0;
  for (Size c = 0, i = 0; c < s.p; ++c) {
    const bool unit = choice[c] < static_cast<double>(s.n);
    const double scale = unit ? s.column_scale[static_cast<Size>(choice[c])] : 1.0 / s.row_scale[i];
    if (!unit) ++i;
    for (Size j = 0; j < s.n; ++j) {
      const double entry = std::fabs(s.basis[j * s.p + c]) * scale / s.column_scale[j];
      if (entry > largest) largest = entry;
    }
  }
  return 1.0 / largest;
}

bool factor(Quasi& s) {
  double& quality = *s.at(MBC_QUASI_QUALITY);
  quality = 0.0;
  if (!arrange(s)) return false;
  mbc::support::inverse_roots_of_inertia(s.at(MBC_QUASI_MASS), s.full_mass(), s.n, s.column_scale);
  fill(s);
  if (factorise(s.lu, s.d, s.order, s.list) == 0) return false;
  solve_basis(s);
  quality = quality_of_basis(s);
  return true;
}

void expand(const Quasi& s) {
  const double* c = s.at(MBC_QUASI_C);
  solve_rows(s, s.particular, [&](Size code) {
    if (code < s.user) return -s.at(MBC_QUASI_Z)[code];
    if (code < s.user + s.momenta)
      return s.at(MBC_QUASI_MOMENTUM)[code - s.user] - along(s, code - s.user, s.at(MBC_QUASI_OFFSET));
    return -c[code - s.user - s.momenta];
  });
  const double* y = s.at(MBC_QUASI_Y);
  double* u = s.at(MBC_QUASI_U);
  for (Size j = 0; j < s.n; ++j) {
    double sum = s.particular[j];
    for (Size k = 0; k < s.p; ++k) sum += s.basis[j * s.p + k] * y[k];
    u[j] = sum;
  }
}

// `product` := M B
void mass_times_basis(const Quasi& s) {
  const Size p = s.p;
  const double* mass = s.at(MBC_QUASI_MASS);
  for (Size e = 0; e < s.n * p; ++e) s.product[e] = 0.0;
  const auto add = [&](Size i, Size j, double value) {
    const double* from = s.basis + j * p;
    double* to = s.product + i * p;
    for (Size c = 0; c < p; ++c) to[c] += value * from[c];
  };
  for (Size i = 0; i < s.n; ++i) {
    if (!s.full_mass()) {
      add(i, i, mass[i]);
      continue;
    }
    for (Size j = 0; j <= i; ++j) {
      const double value = mass[i * s.n + j];
      if (value == 0) continue;
      add(i, j, value);
      if (j != i) add(j, i, value);
    }
  }
}

// Mp := B^T M B and fp := B^T (f - M beta), M beta in s.y.
void project(const Quasi& s) {
  const Size p = s.p;
  double* reduced = s.at(MBC_QUASI_PROJECTED_MASS);
  double* force = s.at(MBC_QUASI_PROJECTED_FORCE);
  const double* f = s.at(MBC_QUASI_FORCE);
  for (Size e = 0; e < p * p; ++e) reduced[e] = 0.0;
  for (Size c = 0; c < s.n; ++c) force[c] = 0.0;
  for (Size i = 0; i < s.n; ++i) {
    const double* b = s.basis + i * p;
    const double* mb = s.product + i * p;
    const double left = f[i] - s.y[i];
    for (Size k = 0; k < p; ++k) {
      if (b[k] == 0) continue;
      force[k] += b[k] * left;
      for (Size l = 0; l <= k; ++l) reduced[k * p + l] += b[k] * mb[l];
    }
  }
  for (Size k = 0; k < p; ++k)
    for (Size l = 0; l < k; ++l) reduced[l * p + k] = reduced[k * p + l];
}

// Factorises Mp as L D L^T in `factor` (L below the diagonal, D on it). Returns false if a pivot is not positive.
bool factor_projected(const Quasi& s) {
  const Size p = s.p;
  const double* reduced = s.at(MBC_QUASI_PROJECTED_MASS);
  for (Size k = 0; k < p; ++k) {
    double* lk = s.factor + k * p;
    for (Size j = 0; j <= k; ++j) lk[j] = reduced[k * p + j];
    double pivot = lk[k];
    for (Size j = 0; j < k; ++j) {
      const double* lj = s.factor + j * p;
      double v = lk[j];
      for (Size i = 0; i < j; ++i) v -= s.x[i] * lj[i];
      s.x[j] = v;
      lk[j] = v / lj[j];
      pivot -= v * lk[j];
    }
    if (pivot <= kNoPivot * reduced[k * p + k]) return false;
    lk[k] = pivot;
  }
  return true;
}

void solve_projected(const Quasi& s, double* x) {
  const Size p = s.p;
  for (Size k = 0; k < p; ++k)
    for (Size j = 0; j < k; ++j) x[k] -= s.factor[k * p + j] * x[j];
  for (Size k = 0; k < p; ++k) x[k] /= s.factor[k * p + k];
  for (Size k = p; k-- > 0;)
    for (Size j = k + 1; j < p; ++j) x[k] -= s.factor[j * p + k] * x[j];
}

// The multipliers are the constraints' part of mu in S^T mu = M u' - f. The pivots are scaled as the certification
// reads them.
void report_rows(const Quasi& s) {
  double* lambda = s.at(MBC_QUASI_LAMBDA);
  double* pivot = s.at(MBC_QUASI_PIVOT);
  double* scale = s.at(MBC_QUASI_PIVOT_SCALE);
  times_mass(s, s.at(MBC_QUASI_UDOT), s.row);
  const double* f = s.at(MBC_QUASI_FORCE);
  for (Size j = 0; j < s.n; ++j)
    if (s.place[j] < s.n) s.y[s.place[j]] = s.column_scale[j] * (s.row[j] - f[j]);
  substitute_transposed(s.lu, s.d, s.order, s.y, s.x);
  const std::uint32_t* row_ptr = s.row_ptr();
  for (Size r = 0; r < s.m; ++r) {
    double size = 0.0;
    for (Size e = row_ptr[r]; e < row_ptr[r + 1]; ++e) {
      const double entry = s.at(MBC_QUASI_A)[e] * s.column_scale[s.column()[e]];
      size += entry * entry;
    }
    scale[r] = size;
    lambda[r] = 0.0;
    if (s.mask[r] != 0) pivot[r] = 0.0;
  }
  for (Size k = 0; k < s.d; ++k) {
    const Size i = s.order[k], code = s.rows[i];
    if (code < s.user + s.momenta) continue;
    const Size r = code - s.user - s.momenta;
    const double d = s.lu[i * s.d + k];
    lambda[r] = s.row_scale[i] * s.x[i];
    pivot[r] = scale[r] * d * d;
  }
}

// Computes the Schur complement of the rows outside the mask: |L^-1 (A_k B)^T|^2 with Mp = L L^T.
void report_left_out(const Quasi& s) {
  const Size p = s.p;
  double* pivot = s.at(MBC_QUASI_PIVOT);
  const std::uint32_t* row_ptr = s.row_ptr();
  for (Size r = 0; r < s.m; ++r) {
    if (s.mask[r] != 0) continue;
    for (Size c = 0; c < p; ++c) s.x[c] = 0.0;
    for (Size e = row_ptr[r]; e < row_ptr[r + 1]; ++e) {
      const double a = s.at(MBC_QUASI_A)[e];
      const double* b = s.basis + s.column()[e] * p;
      for (Size c = 0; c < p; ++c) s.x[c] += a * b[c];
    }
    double sum = 0.0;
    for (Size k = 0; k < p; ++k) {
      for (Size j = 0; j < k; ++j) s.x[k] -= s.factor[k * p + j] * s.x[j];
      sum += s.x[k] * s.x[k] / s.factor[k * p + k];
    }
    pivot[r] = sum;
  }
}

void particular_acceleration(const Quasi& s) {
  const double* f = s.at(MBC_QUASI_FORCE);
  const double* b = s.at(MBC_QUASI_B);
  solve_rows(s, s.beta, [&](Size code) {
    if (code < s.user) return -s.at(MBC_QUASI_BIAS)[code];
    if (code < s.user + s.momenta) return along(s, code - s.user, f);
    return b[code - s.user - s.momenta];
  });
}

// Reduces the equations to the independent speeds and factorises their matrix.
bool reduce(const Quasi& s) {
  particular_acceleration(s);
  times_mass(s, s.beta, s.y);
  mass_times_basis(s);
  project(s);
  return factor_projected(s);
}

bool accelerate(const Quasi& s) {
  if (!reduce(s)) return false;
  double* rate = s.at(MBC_QUASI_YDOT);
  for (Size k = 0; k < s.n; ++k) rate[k] = k < s.p ? s.at(MBC_QUASI_PROJECTED_FORCE)[k] : 0.0;
  solve_projected(s, rate);
  double* udot = s.at(MBC_QUASI_UDOT);
  for (Size j = 0; j < s.n; ++j) {
    double sum = s.beta[j];
    for (Size k = 0; k < s.p; ++k) sum += s.basis[j * s.p + k] * rate[k];
    udot[j] = sum;
  }
  report_rows(s);
  report_left_out(s);
  return true;
}

// Solves [B^T M; A] u' = [B^T f; b], rows scaled to norm 1, in the scratch of the projected mass matrix's factors.
bool maggi(const Quasi& s) {
  const Size n = s.n, p = s.p;
  double* matrix = s.factor;
  const double* f = s.at(MBC_QUASI_FORCE);
  Size at = 0;
  const auto add_row = [&](double right) {
    double square = 0.0;
    for (Size j = 0; j < n; ++j) {
      const double entry = s.row[j] * s.column_scale[j];
      matrix[at * n + j] = entry;
      square += entry * entry;
    }
    const double scale = square > 0 ? 1.0 / std::sqrt(square) : 1.0;
    for (Size j = 0; j < n; ++j) matrix[at * n + j] *= scale;
    s.y[at++] = scale * right;
  };
  for (Size k = 0; k < p; ++k) {
    double right = 0.0;
    for (Size j = 0; j < n; ++j) {
      s.row[j] = s.product[j * p + k];
      right += s.basis[j * p + k] * f[j];
    }
    add_row(right);
  }
  for (Size i = 0; i < s.d; ++i) {
    if (s.rows[i] < s.user) continue;
    load_row(s, s.rows[i], s.row);
    add_row(s.at(MBC_QUASI_B)[s.rows[i] - s.user]);
  }
  if (at != n || factorise(matrix, n, s.second_order, s.list) == 0) return false;
  substitute(matrix, n, s.second_order, s.y, s.x);
  for (Size j = 0; j < n; ++j) s.at(MBC_QUASI_UDOT)[j] = s.column_scale[j] * s.x[j];
  return true;
}

bool accelerate_by_maggi(const Quasi& s) {
  if (!reduce(s)) return false;
  report_left_out(s);
  if (!maggi(s)) return false;
  report_rows(s);
  return true;
}

}  // namespace

extern "C" std::int32_t mbc_quasi_solve(const std::uint32_t* plan, const double* mask, double* work) noexcept {
  Quasi s = open(plan, mask, work);
  const std::uint32_t mode = plan[MBC_QUASI_MODE];
  if ((mode & MBC_QUASI_FACTOR) != 0 && !factor(s)) return 2;
  if ((mode & MBC_QUASI_EXPAND) != 0) expand(s);
  if ((mode & MBC_QUASI_ACCELERATE) != 0 && !accelerate(s)) return 1;
  if ((mode & MBC_QUASI_MAGGI) != 0 && !accelerate_by_maggi(s)) return 1;
  return 0;
}
