// SPDX-License-Identifier: Apache-2.0
// Assembles an initial state: soft values move and hard values stay until the constraints hold.
//
// Soft values are coordinates given with `~`, coordinates that follow other values, and speeds that are given with `~`
// or not at all. Positions are solved first and speeds second, each as
//
//   min  |d|^2_M + sum_k (s_k / |g_k|)^2     subject to   e(x) = 0,   h(x) = 0
//
// where d is the displacement of the soft quantities from their soft values and M the mass matrix at the soft values.
// s_k is the residual of a soft expression and |g_k| the norm of its mass-scaled derivative, so that s_k/|g_k| is the
// mass-weighted distance at which it would be met. e are the constraints and h the hard expressions. Only the columns
// of soft quantities are used, so that hard values keep every bit.
//
// Wishes are values that somebody gave with `~`. They take precedence over values that nobody gave, that is, speeds
// that are 0 by default and declared places that follow an entry of `init`. The wishes are first treated like hard
// values. If that is impossible, the sum contains the wishes alone; the remaining quantities are then moved as little
// as possible while the wishes stay at the values reached.
//
//   0. Hard expressions far from their values (a joint angle of 170 deg) are led there in steps. The first step starts
//      from a state on the constraints alone, so that the mechanism stays assembled as it is drawn.
//   1. The search for a consistent state near the soft values uses Gauss-Newton steps of smallest |w|_M. They decide
//      the rank at every iteration and are halved if necessary (gauss_newton.h). If they fail, Levenberg-Marquardt
//      steps on the residuals precede them. If that also fails (singular starts, local minima of the residuals), the
//      search starts again from perturbed soft values with increasing perturbations. The nearest of the first results
//      is taken.
//   2. A descent then leads to the nearest state. Each step goes against the gradient along the constraints, with a
//      length after Barzilai and Borwein (IMA J. Numer. Anal. 8 (1988) 141), and is followed by a projection. It is
//      halved until the distance decreases.
//
// Joints come after all values that are given: their coordinates stay as drawn, and then the first body of a mechanism
// that hangs on nothing. If that cannot be, the sum contains the coordinates of the joints alone, each with the inertia
// that it moves, and the rest is moved as little as possible.
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

struct AssemblyTarget {  // A target is an expression that must have a given value at the start.
  std::string name;
  Span span;
  bool position = true;  // false for the velocity level
  bool soft = false;
  // The weight of the square of a soft target's residual. Without one it is that of the mass that the target moves.
  std::optional<double> weight{};
  // Coordinates of joints, and the places of bodies that no joint ties to the ground, stay as drawn if they can.
  enum class Stays : std::uint8_t { no, joint, root } stays = Stays::no;
  bool active = true;                         // else it counts for nothing; targets that stay are active in turn
  std::optional<std::uint32_t> coordinate{};  // that a target which stays is
};

struct AssemblyProblem {
  std::vector<char> soft_coordinate, soft_speed;           // one flag for each coordinate or speed
  std::vector<char> wished_coordinate, wished_speed;       // the soft ones that were given with `~`
  std::vector<std::vector<std::uint32_t>> speeds_in_rate;  // for each coordinate, the speeds that its rate depends on
  // Marks the speeds of joints that nobody gave, beside others of a tree that `init` gives: they begin with the least
  // kinetic energy. Empty if there are none.
  std::vector<char> by_energy;
  std::vector<AssemblyTarget> targets;
  // Computes the residual (value - wanted value) of every target and its derivative by the speeds (at position level by
  // the displacements w, q' = W u), n_targets x n_speeds. Entries may be non-finite.
  std::function<void(double t, const double* y, Eigen::VectorXd& residual, Eigen::MatrixXd& derivative)> evaluate;
  // A signal handler sets this flag; the search then ends without a result.
  const volatile std::sig_atomic_t* stop = nullptr;
  bool all_soft = false;  // All values are soft, and the lists are ignored.
  // If no value is soft, the values are accepted without a check, because the caller checks them.
  bool as_given = true;

  // Returns true if nothing is soft and there is no expression. The initial values are then used as they are given.
  [[nodiscard]] bool empty() const;
  [[nodiscard]] bool stopped() const { return is_set(stop); }
};

struct AssemblyResult {
  bool met = false;
  bool moved = false;                    // false if the soft values already meet the constraints
  std::optional<Diagnostic> diagnostic;  // set if `met` is false
  bool interrupted = false;              // `met` is false because `stop` was set.
  double distance[2] = {0, 0};           // mass-weighted distances of positions and speeds from the soft values
};

// Returns whether rows and expressions are met within kInitialTolerance. If `wishes` is set, the soft expressions are
// included.
bool holds(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
           ConstraintProjector& projector, double t, const std::vector<double>& y, bool wishes);

// y = [q; u; s] holds the initial values, including soft ones. If everything is met, y becomes the assembled state;
// otherwise it does not change. t is in s.
AssemblyResult assemble(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
                        ConstraintProjector& projector, double t, std::vector<double>& y);

}  // namespace mbc::runtime
