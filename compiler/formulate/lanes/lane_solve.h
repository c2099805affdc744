// SPDX-License-Identifier: Apache-2.0
// S lambda = r in lanes.
//
// Let I_p be the rows of lane p = 0 .. 7, E_k those of separator k = 0 .. 8 (E_0 and E_8 with what is left at the ends
// of the system), and T all separator rows together. Rows of two lanes share no speed, so S is an arrow
//
//   [ S_00               S_0T ] [ l_0 ]   [ r_0 ]
//   [       S_11         S_1T ] [ l_1 ]   [ r_1 ]
//   [             ...     ... ] [ ... ] = [ ... ]      S_pp: I_p x I_p,  S_pT: I_p x T,  S_Tp = S_pT^T
//   [ S_T0  S_T1  ...    S_TT ] [ l_T ]   [ r_T ]
//
// and the rows of a lane touch its own two separators only: of S_pT the columns J_p = E_p + E_p+1, the interface rows
// of the lane, are not zero. Eliminating all l_p = S_pp^-1 (r_p - S_pJ l_J) at once leaves
//
//   C_p = -S_Jp S_pp^-1 S_pJ,   c_p = -S_Jp S_pp^-1 r_p                 eight lanes at once, |J_p| x |J_p| and |J_p|
//
//   S'_kk   = S_kk + C_k-1 [E_k, E_k] + C_k [E_k, E_k]                  nine diagonal blocks, block tridiagonal:
//   S'_k,k+1 = C_k [E_k, E_k+1]                                         separators k and k+1 meet in lane k only
//   r'_k    = r_k + c_k-1 [E_k] + c_k [E_k]
//
// which is written out as expressions and eliminated in an order of little fill and short chains
// (compiler/formulate/solve/pivot_order.h): for neighbours i, j of k that are still there,
//
//   S'_ij <- S'_ij - S'_ik S'_kk^-1 S'_kj,   r'_i <- r'_i - S'_ik S'_kk^-1 r'_k.
//
// Within a lane S_pp is block tridiagonal as well, by the levels of the partition
// (compiler/formulate/lanes/partition.h): with diagonal blocks B_1 .. B_m and couplings F_l between the levels l and
// l+1, elimination runs from both ends to the middle,
//
//   B'_1 = B_1,   B'_l = B_l - F_l-1^T B'_l-1^-1 F_l-1      from the first level up
//   B"_m = B_m,   B"_l = B_l - F_l B"_l+1^-1 F_l^T          from the last level down
//
// two recurrences that do not wait for each other. They are done one row after the other, right-looking: with d_s =
// S_ss as it is left by the rows before s, and reach(s) the later and interface rows column s of L holds,
//
//   S_ij <- S_ij - (S_is / d_s) S_js,   r_i <- r_i - (S_is / d_s) r_s,      i, j in reach(s)
//
// where i, j among the interface rows collect C_p and c_p. After l_T is known the lanes go backwards:
//
//   l_s = (r_s - sum over i in reach(s) of S_is l_i) / d_s.
#pragma once
#include "compiler/formulate/lanes/lane_places.h"
#include "compiler/formulate/lanes/lane_template.h"

namespace mbc::formulate {

// A pivot at or below this fraction of S_kk makes the accelerations NaN. It is above the limit that triggers a
// certification (runtime/singular/certification.cpp, kAskBelow).
inline constexpr double kSurePivot = 1e-6;

// One step of the elimination in a lane: places in lane 0, followed by the other lanes.
struct LaneColumn {
  struct Update {
    std::uint32_t i = 0, j = 0;  // indices into the rows of the column; i == j: diagonal; j after the last one: r of i
    std::uint32_t place = 0;
    bool adds = false;  // adds to an existing value
  };
  std::uint32_t size = 0;             // number of rows in the column
  std::vector<std::uint32_t> places;  // d, scale, r, 1/d, S_is, targets
  std::vector<Update> updates;
};
std::vector<LaneColumn> lane_columns(const LaneContext& c);

// Write the steps in this order: the lanes forwards, the separators, the lanes backwards.
void write_elimination(const LaneContext& c, const std::vector<LaneColumn>& columns, kernel::Function& f);
void write_separators(const LaneContext& c, const std::vector<LaneColumn>& columns, kernel::Function& f);
void write_substitution(const LaneContext& c, kernel::Function& f);
// Writes multipliers and pivots of the rows as they are written.
void write_row_results(const LaneContext& c, kernel::Function& f);

}  // namespace mbc::formulate
