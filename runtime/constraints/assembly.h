// SPDX-License-Identifier: Apache-2.0
// Assembly of an initial state: soft values are moved, hard ones stay, until the constraints hold.
//
// What is soft are coordinates given with `~` or following, and speeds given with `~` or not given at all. Positions
// come first, then speeds, each as
//
//   min  |d|^2_M + sum_k (s_k / |g_k|)^2     subject to   e(x) = 0,   h(x) = 0
//
// Wishes come before values that nobody gave, speeds that are 0 by default and declared places that follow an entry of
// `init`: first the wishes are held like hard values; where that cannot be, the sum is that of the wishes alone, and
// the rest is made small with them held at what they have come to.
//
// where d is the displacement of the soft quantities from their soft values, M the mass matrix at the soft values, s_k
// the residual of a soft expression and |g_k| the norm of its mass-scaled derivative (so that s_k/|g_k| is the
// mass-weighted distance at which it would be met), e the constraints and h the hard expressions. Only the columns of
// soft quantities are used, so hard values keep every bit.
//
// 0. Hard expressions far from their values (a joint angle of 170 deg) are led there in steps from what they are where
// the
//    constraints alone hold, so that the mechanism stays put together the way it is drawn.
// 1. A consistent state near the soft values: Gauss-Newton steps of smallest |w|_M (gauss_newton.h: the rank is decided
//    at every iteration, steps are halved). Where that fails, Levenberg-Marquardt on the residuals comes first. Where
//    that fails too (singular starts, a minimum of the residuals that is no state), the same is tried from perturbed
//    soft values, moved by more and more, and the nearest result of the first that were found is taken.
// 2. From there down to the nearest state: steps against the gradient along the constraints, lengths after Barzilai and
//    Borwein (IMA J. Numer. Anal. 8 (1988) 141), each followed by a projection, halved until the distance decreases.
//
// Everything is deterministic.
#pragma once
#include <Eigen/Core>
#include <csignal>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "base/stop_flag.h"
#include "runtime/constraints/constraint_projector.h"

namespace mbc::runtime {

struct AssemblyTarget {  // an expression that has to have a value at the start
  std::string name;
  Span span;
  bool position = true;  // else velocity level
  bool soft = false;
};

struct AssemblyProblem {
  std::vector<char> soft_coordinate, soft_speed;           // by index
  std::vector<char> wished_coordinate, wished_speed;       // of the soft ones: given with `~`
  std::vector<std::vector<std::uint32_t>> speeds_in_rate;  // by coordinate: the speeds its rate depends on
  std::vector<AssemblyTarget> targets;
  // Residual (value - wanted value) of every target and its derivative by the speeds (position level: by the
  // displacements w, q' = W u), n_targets x n_speeds. Entries may be non-finite.
  std::function<void(double t, const double* y, Eigen::VectorXd& residual, Eigen::MatrixXd& derivative)> evaluate;
  const volatile std::sig_atomic_t* stop = nullptr;  // set by a signal handler: the search ends, with nothing found
  bool all_soft = false;                             // whatever the lists say
  bool as_given = true;  // values of which none is soft are accepted as they are: others look at them

  // Nothing soft and no expression: initial values are used as given.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool stopped() const { return is_set(stop); }
};

struct AssemblyResult {
  bool met = false;
  bool moved = false;                    // else the soft values met the constraints as they were
  std::optional<Diagnostic> diagnostic;  // not met
  bool interrupted = false;              // not met: `stop` was set
  double distance[2] = {0, 0};           // mass-weighted, from the soft values: positions, speeds
};

// Rows and expressions are met within kInitialTolerance; `wishes`: the soft ones too.
bool holds(Equations& equations, const AssemblyProblem& problem, ConstraintProjector& projector, double t,
           const std::vector<double>& y, bool wishes);

// y = [q; u; s]: the initial values as given, soft ones included. When all is met it becomes the state that was found,
// else it stays as it is. t in s.
AssemblyResult assemble(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
                        ConstraintProjector& projector, double t, std::vector<double>& y);

}  // namespace mbc::runtime
