// SPDX-License-Identifier: Apache-2.0
// The error of a whole run, by a second one with finer steps: the largest distance between their recorded states, in
// the norm of `auto` (runtime/record/error_sizes.h). States of both runs are kept, of long ones each 2^k-th,
// so that they take kMostValues numbers at most.
#pragma once
#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kernel/layout.h"
#include "kernel/problem/problem.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

// The settings of the second run: a hundredth of the tolerances, or steps of half the size; the same rows.
void refine(SimulateOptions& settings);
// Returns whether there is a smaller tolerance, or a smaller step.
[[nodiscard]] bool can_refine(const SimulateOptions& settings);
// "tol = 1e-10", "steps of 0.0005".
[[nodiscard]] std::string refined_text(const SimulateOptions& settings);

class Equations;
class ErrorSizes;

struct FarthestApart {
  std::uint64_t rows = 0;             // of both runs at the same times
  double relative = 0, absolute = 0;  // the largest distance; in SI units
  std::string name;                   // of what; "" where there is nothing
  double time = 0;
};

class TwoRuns {
 public:
  static constexpr std::size_t kMostValues = 1048576;

  // A row of the first run, and of the second one: times do not decrease. Rows at one time (before and behind an event)
  // are not compared.
  void first(double t, std::span<const double> y);
  void second(double t, std::span<const double> y);
  // Something happened in the run at hand at a time that it had to find: in the other one it happens before or behind
  // that, and rows so near to it are not compared.
  void event(double t);
  // After both. span: the length of the run in time. rtol is what an error of a step of the first run may be of a size.
  // Afterwards the work arrays of the equations belong to a row.
  [[nodiscard]] FarthestApart found(Equations& equations, const problem::Problem& info, double span, double rtol) const;

 private:
  struct Kept {
    double t = 0;
    bool alone = true, met = false;  // no other row has its time; the second run has come there
    std::vector<double> y, other;
  };
  void keep(const Kept& row);
  [[nodiscard]] std::pair<FarthestApart, const Kept*> farthest(const problem::Problem& info,
                                                               const kernel::SystemLayout& layout,
                                                               const ErrorSizes& sizes) const;
  [[nodiscard]] bool beside(double t, double event) const;

  std::vector<Kept> kept_;
  Kept last_;  // always kept
  std::uint64_t rows_ = 0, stride_ = 1;
  std::size_t next_ = 0;  // to be met
  double first_time_ = 0, last_event_ = -std::numeric_limits<double>::infinity();
  bool second_ = false;  // that run has begun
};

}  // namespace mbc::runtime
