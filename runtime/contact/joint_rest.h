// SPDX-License-Identifier: Apache-2.0
// Frictions that rest together: rows that depend on each other share forces in many ways, and all of them rest while
// any of these ways keeps every friction within its limit. Where the smallest multipliers
// (runtime/constraints/reactions.h) exceed a limit, those are taken that springs of one stiffness within the limits
// lead to (runtime/rows/cone/problem.h). The motion is the same.
//
// Rows that share no forces belong to different groups (InstantRows::groups): the layers of a stack, the boxes of a
// shelf. Each group is solved by itself, and a group of which nothing has changed since the last state is not solved
// again.
#pragma once
#include <cstdint>
#include <map>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/constraints/reactions.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// The margins of the groups of frictions that rest together, along a run.
class JointRest {
 public:
  // A friction that sticks in a group of which the smallest multipliers take one to its limit. distance: from where the
  // group gives way, in place of that of the friction from its own limit. It is the part of all limits of the group
  // that is not needed, at most kClearlyWithin, times the largest of them; negative: no forces within the limits exist.
  // Frictions that would not slip where the group gives way stay at the largest distance.
  struct Watched {
    std::uint32_t friction = 0;
    double distance = 0;
  };
  // Follows smallest_multipliers: does the rest of shared_multipliers, and measures the margins where frictions are at
  // their limits. The output values are those of other multipliers afterwards.
  void measure(Equations& equations, const problem::Problem& info, double t, const double* y);
  void forget() { watched_.clear(); }
  [[nodiscard]] const std::vector<Watched>& watched() const { return watched_; }

 private:
  // The state of a group when it was solved, to the last bit, and the result.
  struct Solved {
    std::vector<double> state;
    Eigen::VectorXd multipliers;          // of its rows; empty: those that were there
    std::vector<std::uint32_t> slipping;  // frictions that slip where the group gives way
    double margin = 0;
  };
  std::vector<Watched> watched_;
  std::map<std::uint32_t, Solved> solved_;  // by the first row of the group
};

// Replaces the multipliers that the rhs at this state has left in work, as smallest_multipliers does, which says what
// the result means, and then by others within the limits where these exceed some and others exist.
bool shared_multipliers(Equations& equations, const problem::Problem& info, double t, const double* y,
                        MultiplierFreedom* freedom = nullptr);

}  // namespace mbc::runtime
