// SPDX-License-Identifier: Apache-2.0
// Backward differentiation formulas of order 1 to 5 in steps of variable size, for stiff problems: the method of CVODE
// (A. C. Hindmarsh et al., "SUNDIALS: Suite of nonlinear and differential/algebraic equation solvers", ACM Trans. Math.
// Softw. 31 (2005) 363-396) with modified Newton iterations, Jacobians as they are given, and a projection of every
// step onto what the state has to satisfy (E. Eich, "Convergence results for a coordinate projection method applied to
// mechanical systems with algebraic constraints", SIAM J. Numer. Anal. 30 (1993) 1467-1482).
//
// The error of a step is its largest component, each compared with what Problem::allowed says. Nothing is printed and
// no signal is touched. An object belongs to one thread. What a callback throws is thrown again by step().
#pragma once
#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "runtime/integrators/step_point.h"

namespace mbc::runtime {

class Bdf {
 public:
  // Arrays have n entries. Callbacks return false where there is nothing finite to give; the step is then tried
  // shorter.
  struct Problem {
    std::size_t n = 0;
    std::function<bool(double t, const double* y, double* rate)> rate;
    // d rate[i] / d y[j] at jacobian[j n + i]; entries that are not set are 0
    // gamma: the step solves y = gamma rate(t, y) + what is known, with small changes of gamma later
    std::function<bool(double t, double gamma, const double* y, double* jacobian)> jacobian;
    // The error that each component of a step may have at y, above 0; infinite where there is no limit.
    std::function<void(const double* y, double* allowed)> allowed;
    // What brings y to where it has to be; empty: nothing does.
    std::function<bool(double t, const double* y, double* correction)> project;
    double max_step = 0;      // 0: no limit
    double initial_step = 0;  // 0: from the problem
  };

  enum class Outcome : std::uint8_t {
    done,
    inaccurate,   // no step is small enough for the errors that are allowed
    no_solution,  // the equations of a step have no solution that Newton's iterations find
    undefined,    // the rate, or its Jacobian, is not finite wherever a step leads
    off           // the projection fails wherever a step leads
  };

  explicit Bdf(Problem problem);
  ~Bdf();
  Bdf(const Bdf&) = delete;
  Bdf& operator=(const Bdf&) = delete;

  // From here, without a history: at the start and wherever the state or its rate have jumped. `end`: beyond the next
  // step.
  Outcome restart(double t, const std::vector<double>& y, double end);
  // One step, which ends at `end` at the latest, and exactly there where it would lead beyond.
  Outcome step(double end);

  // The next step cannot go on from the last one. has_history(): there is one that it can go on from.
  void forget() { has_history_ = false; }
  [[nodiscard]] bool has_history() const { return has_history_; }

  [[nodiscard]] double time() const;                       // at the end of the last step
  [[nodiscard]] double length() const;                     // of the last step
  [[nodiscard]] const std::vector<double>& y_new() const;  // there
  // The state inside of the last step; nothing has to be evaluated for that.
  template <class Rhs>
  std::int32_t extend(Rhs&&, double, const std::vector<double>&) {
    return 0;
  }
  void interpolate(StepPoint at, const std::vector<double>& y, std::vector<double>& out) const;
  // After a failure: the component that is worst by its share of the error allowed.
  [[nodiscard]] std::size_t worst() const;
  // Of the last step, in parts of what is allowed: of its worst component.
  [[nodiscard]] double error() const;
  [[nodiscard]] double attempted() const;  // size of the last attempt

  struct Counts {
    std::uint64_t rejected = 0;   // attempts of a step that were too inaccurate or did not converge
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
