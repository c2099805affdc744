// SPDX-License-Identifier: Apache-2.0
// Certifies constraint rows: it finds which rows of G u = r are independent, which repeat others, and which contradict
// them.
//
// G = A M^-1/2 (or A L^-T with M = L L^T) holds one mass-scaled constraint row per line, and r = b - A a is the
// acceleration that the constraint forces must supply (docs/numerics.md, section 4). The rank is decided on G and never
// on S = G G^T, whose condition number is the square. Eigen's factorisations do not handle non-finite input, rows of
// very different size or contradicting right-hand sides. This file does so in four steps:
//
//   1. Every entry is checked to be finite before any factorisation.
//   2. A row whose norm is rounding noise is a zero row. All others are scaled to norm 1, so that the units of a row
//      (1e12, 1e-17) do not matter. A row that is known only up to a relative error nu is scaled down further, by
//      tolerance / (64 nu) if that factor is below 1, so that the noise of every scaled row is at most the tolerance.
//   3. Singular values give the rank. Gram-Schmidt in declaration order gives the independent rows, so that the later
//      of two equal rows is redundant. Rows in use come first. A pivoted Gram-Schmidt replaces this choice in two
//      cases: a row in use is close to the rows before it although all rows together determine that direction well, or
//      the two methods give different ranks. It selects as many rows as there are singular values above the tolerance.
//   4. Every dependent row is written as a combination of independent ones, and its right-hand side is compared.
//
// The matrices are small and dense, because certification runs outside of the stages. Results depend on the input
// alone.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "runtime/tolerances.h"

namespace mbc::runtime {

struct RankInput {
  Eigen::MatrixXd G;  // m x n
  // m entries: absolute error (norm) of a row of G, from running error analysis and from the error of the evaluated
  // state. If an entry is 0 or the vector is empty, the error is unknown and taken as 64 eps |row|.
  Eigen::VectorXd row_noise;
  // m entries: sum of the absolute terms of a row (norm); 0 or an empty vector means unknown
  Eigen::VectorXd row_terms;
  Eigen::VectorXd r;        // m entries; empty if only the rank is requested
  Eigen::VectorXd r_noise;  // m entries: absolute error of r; if empty, only the rounding of r itself counts
  // m entries: the part of r that the present drift off the constraints explains, in units of r; empty means none
  Eigen::VectorXd drift;
  double free_size = 0;  // |a|, mass-scaled; it bounds the part of the motion outside of the span of the rows
  // m entries: the norm that a row has elsewhere. A row that has shrunk below it counts by so much less than others
  // that say the same. An empty vector means that all rows have their norm.
  Eigen::VectorXd usual{};
};

struct RankOptions {
  // A row is dependent if the sine of its angle to the span of earlier rows is below this value.
  double tolerance = kRankTolerance;
  // A dependent row above this distance is doubtful. The grey zone is 1e-13 .. 1e-8; the additional half unit admits
  // rows on its lower edge.
  double grey_low = 5e-14;
  double grey_high = 1e-8;       // An independent row below this distance is doubtful.
  double zero_factor = 64;       // A row is zero if its norm is at most zero_factor * row_noise ...
  double zero_of_terms = 1e-12;  // ... or at most this fraction of row_terms.
  std::vector<char> in_use;      // One flag per row marks the rows that are tested first; the vector may be empty.
  // If set, a better conditioned choice replaces the rows in use even if these are not poorly conditioned.
  bool look_for_others = false;
  // Singular values are computed up to this size (the smaller dimension); above it pivoted QR estimates them.
  int svd_limit = 200;
};

enum class RowState : std::uint8_t { independent, dependent, zero };
constexpr bool known(RowState state) { return state <= RowState::zero; }

// ok: the row is independent. near: the row is independent but within grey_high of the others. redundant: the row
// repeats earlier rows. redundant_near: the row is treated as redundant although it differs by more than rounding.
enum class RowGrade : std::uint8_t { ok, near, redundant, redundant_near };

// A Dependency is one term of "row i is sum_j coefficient * row_j".
struct Dependency {
  int row = 0;
  double coefficient = 0;      // between rows scaled to norm 1
  double raw_coefficient = 0;  // between the rows as given
};

struct RowReport {
  RowState state = RowState::independent;
  RowGrade grade = RowGrade::ok;
  double scale = 0;     // norm of the row
  double distance = 0;  // sine of its angle to the span of the independent rows that it was tested against
  std::vector<Dependency> combination;  // the rows that a dependent row repeats, without negligible terms
  double residual = 0;            // r_i minus the combination, in units of the scaled row, for dependent and zero rows
  double raw_residual = 0;        // the same value in units of r_i
  double allowance = 0;           // the part of raw_residual that noise and drift explain
  bool consistent = true;         // |raw_residual| <= allowance
  bool multiplier_unique = true;  // Row i of a null-space basis of G^T is zero.
};

// This struct names the first entry that is not finite. If column is -1, the entry is in r, r_noise, row_noise,
// row_terms or drift.
struct NonFinite {
  bool found = false;
  int row = -1;
  int column = -1;
};

struct RankReport {
  NonFinite non_finite;  // If an entry is not finite, all other members are empty.
  int rank = 0;
  double condition = 1;        // ratio of the largest and the smallest kept singular value of the scaled rows
  double smallest_kept = 0;    // 0 if the rank is 0
  double largest_dropped = 0;  // 0 if no row is left out
  bool methods_agree = true;   // Singular values and declaration order give the same rank.
  bool in_order = true;  // The independent rows are the first ones; false if a better conditioned choice replaced them.
  Eigen::VectorXd singular_values;  // values of the scaled rows, descending; above svd_limit the diagonal of R
  std::vector<RowReport> rows;
  std::vector<int> independent;  // indices, ascending

  [[nodiscard]] bool consistent() const;  // No row contradicts the independent ones, and all entries are finite.
  [[nodiscard]] bool near() const;        // A row is in the grey zone.
};

NonFinite find_non_finite(const Eigen::MatrixXd& G, const Eigen::VectorXd& r);

RankReport certify(const RankInput& input, const RankOptions& options = {});

// Extends a report on some rows to all m rows; the other rows are reported as zero rows.
RankReport spread(RankReport report, const std::vector<int>& rows, int m);

}  // namespace mbc::runtime
