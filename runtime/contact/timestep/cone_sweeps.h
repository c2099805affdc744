// SPDX-License-Identifier: Apache-2.0
// Contacts of one step of fixed size: impulses p of rows B that only push and of frictions, and the jump w = B^T p of
// the speeds in the scale of the masses (contact_rows.h), such that
//   0 <= p_i,  B_i w >= d_i, one of the two being equal, row by row
//   |p_f| <= L_f  and  B_f w = d_f,  or  p_f = -L_f s,  s the direction of B_f w - d_f
// The limits L are functions of all impulses. Rows are gone through one after the other, each with the others held
// (M. Jean, Computer Methods in Applied Mechanics and Engineering 177 (1999) 235-257); the limits are evaluated
// anew for each sweep. With limits that are given it is a convex problem, and the sweeps always get there.
#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/contact/timestep/row_list.h"

namespace mbc::runtime {

// Of the speeds, by whatever method: a change that is none, and one that does where rounding keeps it from what is
// asked for.
inline constexpr double kNoChange = 1e-14, kNearlyNoChange = 1e-10;

struct ConeProblem {
  struct Friction {
    std::uint32_t row = 0, count = 1;  // its rows
  };
  std::vector<double> wanted;          // d, by row
  std::vector<std::uint32_t> pushing;  // rows
  std::vector<Friction> frictions;
  // One for each friction, with these impulses.
  std::function<void(const Eigen::VectorXd& impulses, std::vector<double>& limits)> limits;
  double size = 0;       // of the speeds, in the scale of the masses: what is settled is measured by
  double tolerance = 0;  // of them
  int patience = 5'000;  // sweeps in which the change does not halve: rounding, or there are no impulses
};

struct ConeSolution {
  bool settled = false;
  Eigen::VectorXd jump, impulses;  // w, p
  double error = 0;                // of the sizes: the largest change that one more sweep would make
  int sweeps = 0;
};

// Whether rounding of such impulses is more than a jump of the speeds may be off by. Where friction holds against what
// presses it (a wedge that locks itself) impulses without end fulfil the conditions, and say nothing.
bool are_lost(const RowList& rows, const ConeProblem& problem, const ConeSolution& made);

// n: of speeds. start: impulses to begin with, by row; those that are not there are none.
ConeSolution sweep_cones(const RowList& rows, std::uint32_t n, const ConeProblem& problem,
                         const Eigen::VectorXd& start);

}  // namespace mbc::runtime
