// SPDX-License-Identifier: Apache-2.0
#include "compiler/equations/program_frames.h"

#include "base/check.h"

namespace mbc::equations {

namespace {

constexpr Frame kC = {
    .first = 0,
    .comment = "// ",
    .begin = R"(#include <math.h>

enum { SIZE_Y = $1, SIZE_P = $2, UNKNOWNS = $3 };

// Sets `solution` to a solution of K x = r by elimination with complete pivoting. What redundant
// rows leave open is zero. Speeds are scaled by their inertia first, and rows by the speeds, since
// masses and lengths have sizes of any kind.
static void solve(const double K[][UNKNOWNS], const double r[], double solution[]) {
  double a[UNKNOWNS][UNKNOWNS + 1], scale[UNKNOWNS], largest = 0;
  int column[UNKNOWNS], rank = 0;
  for (int i = 0; i < UNKNOWNS; ++i) scale[i] = K[i][i] > 0 ? 1 / sqrt(K[i][i]) : 1;
  for (int pass = 0; pass < 3; ++pass)
    for (int i = 0; i < UNKNOWNS; ++i) {
      double most = 0;
      for (int j = 0; j < UNKNOWNS; ++j) most = fmax(most, fabs(K[i][j]) * scale[j]);
      if (!(K[i][i] > 0) && most > 0) scale[i] = 1 / most;
    }
  for (int i = 0; i < UNKNOWNS; ++i) {
    column[i] = i;
    solution[i] = 0;
    for (int j = 0; j < UNKNOWNS; ++j) a[i][j] = scale[i] * K[i][j] * scale[j];
    a[i][UNKNOWNS] = scale[i] * r[i];
  }
  for (; rank < UNKNOWNS; ++rank) {
    int row = rank, at = rank;
    for (int i = rank; i < UNKNOWNS; ++i)
      for (int j = rank; j < UNKNOWNS; ++j)
        if (fabs(a[i][j]) > fabs(a[row][at])) row = i, at = j;
    if (rank == 0) largest = fabs(a[row][at]);
    if (!(fabs(a[row][at]) > 1e-14 * largest)) break;
    for (int j = 0; j <= UNKNOWNS; ++j) {
      const double kept = a[rank][j];
      a[rank][j] = a[row][j];
      a[row][j] = kept;
    }
    for (int i = 0; i < UNKNOWNS; ++i) {
      const double kept = a[i][rank];
      a[i][rank] = a[i][at];
      a[i][at] = kept;
    }
    const int kept = column[rank];
    column[rank] = column[at];
    column[at] = kept;
    for (int i = rank + 1; i < UNKNOWNS; ++i) {
      const double factor = a[i][rank] / a[rank][rank];
      for (int j = rank; j <= UNKNOWNS; ++j) a[i][j] -= factor * a[rank][j];
    }
  }
  for (int i = rank - 1; i >= 0; --i) {
    double sum = a[i][UNKNOWNS];
    for (int j = i + 1; j < rank; ++j) sum -= a[i][j] * solution[column[j]];
    solution[column[i]] = sum / a[i][i];
  }
  for (int i = 0; i < UNKNOWNS; ++i) solution[i] *= scale[i];
}

static inline double sign(double x) { return (x > 0) - (x < 0); }

// The parameters as the model has them.
const double P[SIZE_P + 1] = {
)",
    .value = "  $1,  // $2\n",
    .end_values = "  0};\n",
    .head =
        "\nvoid rhs(double t, const double y[], const double p[], double dy[]) {\n  (void)t, (void)y, (void)p, "
        "(void)sign, (void)solve;\n",
    .let = "  const double $1 = $2;\n",
    .set = "  $1 = $2;\n",
    .zeros = "  double K[UNKNOWNS][UNKNOWNS] = {{0}}, r[UNKNOWNS] = {0}, solution[UNKNOWNS];\n",
    .solve = "  solve(K, r, solution);\n",
    .solve_rows = "  solve(K, r, solution);\n",
    .derivative = "",
    .tail = "}\n",
    .entry = "$1[$2]",
    .matrix = "K[$1][$2]",
    .broken = "\n      ",
    .grouped = "$1",
};

constexpr Frame kPython = {
    .first = 0,
    .comment = "# ",
    .begin = R"(from math import *

import numpy as np


def sign(x):
    return float(x > 0) - float(x < 0)


def solve(K, r):
    """Solves K x = r where rows may be redundant.

    Speeds are scaled by their inertia first, and rows by the speeds.
    """
    d = np.diag(K)
    scale = np.where(d > 0, 1 / np.sqrt(np.where(d > 0, d, 1)), 1)
    for _ in range(3):
        most = np.abs(K * scale).max(axis=1)
        scale = np.where((d > 0) | (most == 0), scale, 1 / np.where(most > 0, most, 1))
    return scale * np.linalg.lstsq(scale[:, None] * K * scale, scale * r, rcond=None)[0]


# The parameters as the model has them.
P = [
)",
    .value = "    $1,  # $2\n",
    .end_values = "]\n",
    .head = "\n\ndef rhs(t, y, p=P):\n",
    .let = "    $1 = $2\n",
    .set = "    $1 = $2\n",
    .zeros = "    K = np.zeros(($1, $1))\n    r = np.zeros($1)\n",
    .solve = "    solution = np.linalg.solve(K, r)\n",
    .solve_rows = "    solution = solve(K, r)\n",
    .derivative = "    dy = np.zeros($1)\n",
    .tail = "    return dy\n",
    .entry = "$1[$2]",
    .matrix = "K[$1, $2]",
    .broken = "\n        ",
    .grouped = "($1)",
};

constexpr Frame sympy() {
  Frame f = kPython;
  f.begin = R"(from sympy import *

# The parameters as the model has them.
P = [
)";
  f.zeros = "    K = zeros($1, $1)\n    r = zeros($1, 1)\n";
  f.solve = "    solution = K.LUsolve(r)\n";
  f.solve_rows = "    solution = K.LUsolve(r)  # rows must not be redundant\n";
  f.derivative = "    dy = [0] * $1\n";
  return f;
}
constexpr Frame kSympy = sympy();

constexpr Frame kOctave = {
    .first = 1,
    .comment = "% ",
    .begin = R"(% Save this file as rhs.m; rhs() gives the parameters as the model has them.
function dy = rhs(t, y, p)
  P = [
)",
    .value = "    $1;  % $2\n",
    .end_values = "  ];\n  if nargin == 0, dy = P; return; end\n  if nargin < 3, p = P; end\n",
    .head = "",
    .let = "  $1 = $2;\n",
    .set = "  $1 = $2;\n",
    .zeros = "  K = zeros($1, $1);\n  r = zeros($1, 1);\n",
    .solve = "  solution = K \\ r;\n",
    .solve_rows = "  solution = solve(K, r);\n",
    .derivative = "  dy = zeros($1, 1);\n",
    .tail = R"(end

% Solves K x = r where rows may be redundant; speeds are scaled by their inertia first, and rows
% by the speeds.
function x = solve(K, r)
  d = diag(K);
  scale = ones(size(r));
  scale(d > 0) = 1 ./ sqrt(d(d > 0));
  for pass = 1:3
    most = max(abs(K .* scale'), [], 2);
    others = ~(d > 0) & most > 0;
    scale(others) = 1 ./ most(others);
  end
  x = scale .* (pinv((scale * scale') .* K) * (scale .* r));
end

function value = choose(condition, a, b)
  if condition, value = a; else, value = b; end
end
)",
    .entry = "$1($2)",
    .matrix = "K($1, $2)",
    .broken = " ...\n      ",
    .grouped = "$1",
};

constexpr Frame julia() {
  Frame f = kPython;
  f.first = 1;
  f.begin = R"(using LinearAlgebra

# Solves K x = r where rows may be redundant; speeds are scaled by their inertia first, and rows
# by the speeds.
function solve(K, r)
    d = diag(K)
    scale = [x > 0 ? 1 / sqrt(x) : 1.0 for x in d]
    for _ in 1:3
        most = vec(maximum(abs.(K .* scale'), dims = 2))
        scale = [d[i] > 0 || most[i] == 0 ? scale[i] : 1 / most[i] for i in eachindex(d)]
    end
    return scale .* (pinv(scale .* K .* scale') * (scale .* r))
end

# The parameters as the model has them.
const P = Float64[
)";
  f.head = "\nfunction rhs(t, y, p = P)\n";
  f.zeros = "    K = zeros($1, $1)\n    r = zeros($1)\n";
  f.solve = "    solution = K \\ r\n";
  f.solve_rows = "    solution = solve(K, r)\n";
  f.derivative = "    dy = zeros($1)\n";
  f.tail = "    return dy\nend\n";
  return f;
}
constexpr Frame kJulia = julia();

}  // namespace

const Frame& frame_of(reading::Language language) {
  // The entries follow the order of the enumerators.
  static constexpr const Frame* kFrames[] = {nullptr, nullptr, nullptr, &kC, &kPython, &kOctave, &kSympy, &kJulia};
  static_assert(std::size(kFrames) == static_cast<std::size_t>(reading::Language::julia) + 1);
  const Frame* found = kFrames[static_cast<std::size_t>(language)];
  CHECK(found, "programs are made in languages of programs");
  return *found;
}

}  // namespace mbc::equations
