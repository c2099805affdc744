// SPDX-License-Identifier: Apache-2.0
// Loads that depend on the multipliers, which depend on them: friction with the true normal force, `force drag on p:
// -0.3*abs(wire.lambda)*ex`. What they are (the size of a friction, a component of another load) is an input of the
// kernel, and what it should be a value behind its outputs. Each evaluation of the accelerations starts from none of
// them, so that it is a function of the state alone.
//
// The multipliers are affine in the inputs x, lambda = lambda_0 + W x, and x = g(lambda): W is had from one evaluation
// for each of them, x by Newton's method with the derivatives of g by lambda as compiled expressions. There is a
// solution, and no other one within 100 times the forces, where det(1 - dg/dlambda W) is above zero there and at that
// distance in each direction (exact for one number that grows ever faster or slower, as abs and norm do), or where the
// derivatives are the same everywhere and it is not zero (a servo that holds another joint than the one it turns).
// Friction alone, whose limits are nearly always affine, is solved by Broyden's method, with fewer evaluations.
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

struct ImplicitLoad {
  std::uint32_t input = 0, output = 0;  // what acts; what that should be, among the outputs
  std::vector<std::uint32_t> acts;      // inputs: it acts where one of them is not zero; none: it always does
  std::vector<problem::Slope> slopes;   // of the output by multipliers, among the outputs
};

// Frictions whose limit depends on multipliers, in their order, then the components of other loads.
std::vector<ImplicitLoad> implicit_loads_of(const problem::Events& events);

class ImplicitLoads {
 public:
  void set(std::vector<ImplicitLoad> loads) { loads_ = std::move(loads); }
  // Whether one of them acts.
  [[nodiscard]] bool act(std::span<const double> inputs) const {
    for (const ImplicitLoad& load : loads_)
      if (acts(load, inputs)) return true;
    return false;
  }
  // Whether an input is the size of one of them, which solve() finds.
  [[nodiscard]] bool is_size(std::uint32_t input) const {
    return std::any_of(loads_.begin(), loads_.end(), [&](const ImplicitLoad& l) { return l.input == input; });
  }

  // How the multipliers are evaluated.
  struct Evaluation {
    std::function<const double*()> accelerations;  // and outputs, by the inputs at hand; null: not defined
    std::function<const double*(const Eigen::VectorXd& lambda)> outputs;  // with other multipliers
    std::span<const double> lambda;                                       // of the accelerations
  };
  // The inputs are those of the solution, and it was evaluated last, where this is true. rounding: by row, what the
  // multipliers may be off by; needed where they are small beside the forces that make them.
  bool solve(std::span<double> inputs, const Evaluation& evaluation, std::span<const double> rounding = {});
  // Among the loads: one that the last solve() has found nothing for, nothing finite, or more than one.
  [[nodiscard]] std::optional<std::uint32_t> unsolved() const { return unsolved_; }
  [[nodiscard]] bool not_finite() const { return not_finite_; }
  void solved() {
    unsolved_.reset();
    not_finite_ = false;
  }

 private:
  [[nodiscard]] static bool acts(const ImplicitLoad& load, std::span<const double> inputs) {
    if (load.acts.empty()) return true;
    for (const std::uint32_t k : load.acts)
      if (inputs[k] != 0) return true;
    return false;
  }
  bool solve_differentiated(std::span<double> inputs, const Evaluation& evaluation, std::span<const double> by_row);
  const double* evaluate(std::span<double> inputs, const Eigen::VectorXd& x, const Evaluation& evaluation) const;
  void read(const double* outputs, Eigen::VectorXd& g) const;
  [[nodiscard]] double rounding_of(std::span<const double> by_row, const Evaluation& evaluation) const;
  void read_slopes(const double* outputs, Eigen::MatrixXd& slope) const;
  bool is_only_one(const Eigen::VectorXd& lambda, const Eigen::VectorXd& x, const Evaluation& evaluation) const;

  std::vector<ImplicitLoad> loads_;
  std::vector<std::uint32_t> acting_;
  Eigen::MatrixXd per_unit_;  // W: multipliers of one unit of each that acts
  std::optional<std::uint32_t> unsolved_;
  bool not_finite_ = false;
};

}  // namespace mbc::runtime
