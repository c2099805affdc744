// SPDX-License-Identifier: Apache-2.0
// Backward differentiation formulas of order 1 to 5 in steps of variable size, for stiff problems. The method is that
// of CVODE (A. C. Hindmarsh et al., "SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers", ACM
// Trans. Math. Softw. 31 (2005) 363-396) with modified Newton iterations, given Jacobians, and a projection of every
// step onto the constraints of the state (E. Eich, "Convergence results for a coordinate projection method applied to
// mechanical systems with algebraic constraints", SIAM J. Numer. Anal. 30 (1993) 1467-1482).
//
// The error of a step is that of its worst component, relative to Problem::allowed. The class prints nothing and
// handles no signals. An object belongs to one thread. step() throws the exceptions of callbacks again.
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/integrators/step_point.h"

namespace mbc::runtime {

class Bdf {
 public:
  // Arrays have n entries. Callbacks return false if the result is not finite; a shorter step is then tried.
  struct Problem {
    std::size_t n = 0;
    std::function<bool(double t, const double* y, double* rate)> rate;
    // d rate[i] / d y[j] is at jacobian[j n + i]; entries that are not set are 0.
    // The step solves y = gamma rate(t, y) + known terms, with small changes of gamma later.
    std::function<bool(double t, double gamma, const double* y, double* jacobian)> jacobian;
    // Computes the allowed error of each component at y, above 0; it is infinite for a component without limit.
    std::function<void(const double* y, double* allowed)> allowed;
    // Computes the correction that moves y onto its constraints; empty if there are none.
    std::function<bool(double t, const double* y, double* correction)> project;
    double max_step = 0;      // 0: no limit
    double initial_step = 0;  // 0: from the problem
  };

  enum class Outcome : std::uint8_t {
    done,
    inaccurate,   // no step is small enough for the allowed errors
    no_solution,  // the equations of a step have no solution that Newton's iterations find
    undefined,    // the rate or its Jacobian is not finite for any step size
    off           // the projection fails for any step size
  };

  explicit Bdf(Problem problem);
  ~Bdf();
  Bdf(const Bdf&) = delete;
  Bdf& operator=(const Bdf&) = delete;

  // Begins here without a history, at the start and wherever the state or its rate have jumped. `end` lies after the
  // next step.
  Outcome restart(double t, const std::vector<double>& y, double end);
  // Makes one step, at most to `end`. A step that would lead beyond ends exactly there.
  Outcome step(double end);

  // Forbids the next step to continue from the last one. has_history() tells whether it can.
  void forget() { has_history_ = false; }
  [[nodiscard]] bool has_history() const { return has_history_; }

  [[nodiscard]] double time() const;                       // at the end of the last step
  [[nodiscard]] double length() const;                     // of the last step
  [[nodiscard]] const std::vector<double>& y_new() const;  // the same
  // Interpolation inside the last step needs no evaluation.
  template <class Rhs>
  std::int32_t extend(Rhs&&, double, const std::vector<double>&) {
    return 0;
  }
  void interpolate(StepPoint at, const std::vector<double>& y, std::vector<double>& out) const;
  // Returns the worst component after a failure, relative to its allowed error.
  [[nodiscard]] std::size_t worst() const;
  // Returns the error of the worst component in the last step, relative to its allowed error.
  [[nodiscard]] double error() const;
  // Computes the error of each component in the last step.
  void neglected(std::vector<double>& out) const;
  [[nodiscard]] double attempted() const;  // size of the last attempt

  struct Counts {
    std::uint64_t rejected = 0;   // attempts that were inaccurate or did not converge
    std::uint64_t jacobians = 0;  // evaluated
    std::uint64_t factored = 0;
    int order = 0;  // of the last step
  };
  [[nodiscard]] Counts counts() const;  // since the object was made

 private:
  class Solver;
  std::unique_ptr<Solver> solver_;
  bool has_history_ = false;
};

}  // namespace mbc::runtime
