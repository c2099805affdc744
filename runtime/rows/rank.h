// SPDX-License-Identifier: Apache-2.0
// Certification of constraint rows: which rows of G u = r are independent, which repeat others, which contradict them.
//
// G = A M^-1/2 (or A L^-T with M = L L^T) holds one mass-scaled constraint row per line, r = b - A a what the
// constraint forces have to supply (docs/numerics.md, section 4). The rank is decided on G, never on S = G G^T, whose
// condition number is the square. Eigen's factorisations do not handle non-finite input, rows of very different size or
// contradicting right-hand sides, so this file does:
//
//   1. Every entry is checked to be finite before anything is factorised.
//   2. A row whose norm is rounding noise is a zero row. All others are scaled to norm 1, so that the units a row was
//      written in (1e12, 1e-17) never matter. A row known only up to a relative error nu is scaled down further, by
//      tolerance / (64 nu) where that is below 1, so that the noise left in every row is at most the tolerance.
//   3. Singular values give the rank. Gram-Schmidt in declaration order gives the independent rows, so that the later
//      of two equal rows is redundant. Rows in use come first; where one of them is near to those before it while all
//      rows together hold that direction well, or the two counts differ, a pivoted Gram-Schmidt picks as many rows as
//      there are singular values above the tolerance.
//   4. Every dependent row is written as a combination of independent ones, and its right-hand side compared.
//
// Matrices are small and dense here (certification runs outside the stages). Results depend on the input alone.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

namespace mbc::runtime {

struct RankInput {
  Eigen::MatrixXd G;          // m x n
  Eigen::VectorXd row_noise;  // m: absolute error of a row of G (norm), from running error analysis and from the error
                              // of the state it was evaluated at; 0 or an empty vector: unknown, taken as 64 eps |row|
  Eigen::VectorXd row_terms;  // m: sum of the absolute terms of a row (norm); 0 or empty: unknown
  Eigen::VectorXd r;          // m; empty: only the rank is asked for
  Eigen::VectorXd r_noise;    // m: absolute error of r; empty: rounding of r itself only
  Eigen::VectorXd drift;      // m: what the present drift off the constraints explains in r, same units; empty: nothing
  double free_size = 0;       // |a|, mass-scaled: bounds the part of the motion outside the span of the rows
};

struct RankOptions {
  double tolerance = 1e-10;      // a row nearer to the span of earlier rows than this (sine of the angle) is dependent
  double grey_low = 5e-14;       // a dependent row farther than this is doubtful (the grey zone is 1e-13 .. 1e-8, and
                                 // half a unit is left for rows that sit on its lower edge)
  double grey_high = 1e-8;       // an independent row nearer than this is doubtful
  double zero_factor = 64;       // a row is zero when its norm is at most zero_factor * row_noise ...
  double zero_of_terms = 1e-12;  // ... or this fraction of row_terms
  std::vector<char> in_use;      // by row, may be empty: those that are asked first
  bool look_for_others = false;  // than these, which are held better, also where these are not poor
  int svd_limit = 200;           // singular values up to this size (smaller dimension), pivoted QR estimates above
};

enum class RowState : std::uint8_t { independent, dependent, zero };
constexpr bool known(RowState state) { return state <= RowState::zero; }

// ok: independent. near: independent, but within grey_high of the others. redundant: repeats earlier rows.
// redundant_near: treated as redundant although it differs by more than rounding.
enum class RowGrade : std::uint8_t { ok, near, redundant, redundant_near };

const char* to_string(RowState state);
const char* to_string(RowGrade grade);

// One term of "row i is sum_j coefficient * row_j".
struct Dependency {
  int row = 0;
  double coefficient = 0;      // between rows scaled to norm 1
  double raw_coefficient = 0;  // between the rows as given
};

struct RowReport {
  RowState state = RowState::independent;
  RowGrade grade = RowGrade::ok;
  double scale = 0;                     // norm of the row
  double distance = 0;                  // sine of its angle to the span of the independent rows it was tested against
  std::vector<Dependency> combination;  // dependent rows: the rows it repeats, negligible terms left out
  double residual = 0;            // dependent and zero rows: r_i minus the combination, in units of the scaled row
  double raw_residual = 0;        // the same in units of r_i
  double allowance = 0;           // what noise and drift explain of raw_residual
  bool consistent = true;         // |raw_residual| <= allowance
  bool multiplier_unique = true;  // row i of a null-space basis of G^T is zero
};

// The first entry that is not finite. column -1: in r, r_noise, row_noise, row_terms or drift.
struct NonFinite {
  bool found = false;
  int row = -1;
  int column = -1;
};

struct RankReport {
  NonFinite non_finite;  // if one was found, the rest is empty
  int rank = 0;
  double condition = 1;             // largest over smallest kept singular value of the scaled rows
  double smallest_kept = 0;         // 0 when the rank is 0
  double largest_dropped = 0;       // 0 when nothing was dropped
  bool methods_agree = true;        // singular values and declaration order gave the same rank
  bool in_order = true;             // independent rows are the first ones; false: others that are held better
  Eigen::VectorXd singular_values;  // of the scaled rows, descending; diagonal of R above svd_limit
  std::vector<RowReport> rows;
  std::vector<int> independent;  // indices, ascending

  [[nodiscard]] bool consistent() const;  // no row contradicts the independent ones (and nothing was non-finite)
  [[nodiscard]] bool near() const;        // some row is in the grey zone
};

NonFinite find_non_finite(const Eigen::MatrixXd& G, const Eigen::VectorXd& r);

RankReport certify(const RankInput& input, const RankOptions& options = {});

// A report on these rows as one on all m, of which the others are zero.
RankReport spread(RankReport report, const std::vector<int>& rows, int m);

}  // namespace mbc::runtime
