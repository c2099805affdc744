// SPDX-License-Identifier: Apache-2.0
// Reaction-dependent forces are loads that depend on the multipliers, which depend on the loads in turn: friction with
// the true normal force, or `force drag on p: -0.3*abs(wire.lambda)*ex`. The size of each (of a friction, of a
// component of another load) is an input of the kernel, and the size required by its law is a value after the outputs
// of the kernel. Each evaluation of the accelerations starts from zero sizes, so that the accelerations are a function
// of the state alone.
//
// The multipliers are affine in the inputs x, lambda = lambda_0 + W x, and the inputs satisfy x = g(lambda). One
// evaluation for each input gives W. Newton's method gives x, with the derivatives of g by lambda as compiled
// expressions. A solution exists, and no other one lies within 100 times the forces, in two cases. In the first,
// det(1 - dg/dlambda W) is positive at the solution and at that distance in each direction; for a single load whose
// derivative is monotonic, as with abs and norm, this test is exact. In the second, the derivatives are the same
// everywhere and the determinant is not zero, as with a servo whose motor acts on another joint than the one it
// controls. Broyden's method solves for friction alone, whose limits are nearly always affine, because it needs fewer
// evaluations.
#pragma once
#include <Eigen/Core>
#include <algorithm>
#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <vector>

#include "kernel/problem/events.h"

namespace mbc::runtime {

struct ReactionDependentForce {
  std::uint32_t input = 0, output = 0;  // the input that holds the size; the output that holds the required size
  std::vector<std::uint32_t> acts;     // The load acts if one of these inputs is not zero, or always if there are none.
  std::vector<problem::Slope> slopes;  // derivatives of the output by multipliers, as places among the outputs
};

// Returns first the frictions whose limit depends on multipliers, in their order, and then the components of the other
// loads.
std::vector<ReactionDependentForce> reaction_dependent_of(const problem::Events& events);

class ReactionDependentForces {
 public:
  void set(std::vector<ReactionDependentForce> loads) { loads_ = std::move(loads); }
  [[nodiscard]] static bool acts(const ReactionDependentForce& load, std::span<const double> inputs) {
    if (load.acts.empty()) return true;
    for (const std::uint32_t k : load.acts)
      if (inputs[k] != 0) return true;
    return false;
  }
  // Returns whether any of the loads acts.
  [[nodiscard]] bool act(std::span<const double> inputs) const {
    for (const ReactionDependentForce& load : loads_)
      if (acts(load, inputs)) return true;
    return false;
  }
  // Returns whether an input is the size of a load, which solve() finds.
  [[nodiscard]] bool is_size(std::uint32_t input) const {
    return std::any_of(loads_.begin(), loads_.end(), [&](const ReactionDependentForce& l) { return l.input == input; });
  }

  // These functions evaluate the multipliers.
  struct Evaluation {
    // Computes accelerations and outputs at the current inputs; null means that they are not defined.
    std::function<const double*()> accelerations;
    // Computes the outputs with other multipliers.
    std::function<const double*(const Eigen::VectorXd& lambda)> outputs;
    std::span<const double> lambda;  // multipliers of the accelerations
  };
  // Returns true if the inputs are those of the solution; the last evaluation was made with them. `rounding` bounds the
  // error of each multiplier. It is needed if the multipliers are small compared with the forces that cause them.
  bool solve(std::span<double> inputs, const Evaluation& evaluation, std::span<const double> rounding = {});
  // Returns the index of a load for which the last solve() found no solution, no finite one, or more than one.
  [[nodiscard]] std::optional<std::uint32_t> unsolved() const { return unsolved_; }
  [[nodiscard]] bool not_finite() const { return not_finite_; }
  void solved() {
    unsolved_.reset();
    not_finite_ = false;
  }

 private:
  bool solve_differentiated(std::span<double> inputs, const Evaluation& evaluation, std::span<const double> by_row);
  const double* evaluate(std::span<double> inputs, const Eigen::VectorXd& x, const Evaluation& evaluation) const;
  void read(const double* outputs, Eigen::VectorXd& g) const;
  [[nodiscard]] double rounding_of(std::span<const double> by_row, const Evaluation& evaluation) const;
  void read_slopes(const double* outputs, Eigen::MatrixXd& slope) const;
  bool is_only_one(const Eigen::VectorXd& lambda, const Eigen::VectorXd& x, const Evaluation& evaluation) const;

  std::vector<ReactionDependentForce> loads_;
  std::vector<std::uint32_t> acting_;
  Eigen::MatrixXd per_unit_;  // W: the multipliers of one unit of each acting load
  std::optional<std::uint32_t> unsolved_;
  bool not_finite_ = false;
};

}  // namespace mbc::runtime
