// SPDX-License-Identifier: Apache-2.0
// Tells whether a motion chatters. Steps become so short that a run would take millions of them, and one expression
// jumps in most of them (`sign(v)` of a speed that friction holds at 0). If steps cover less than kChatteringProgress
// of the time span in kChatteringAttempts attempts, the next kLooks steps are checked. A jump in kJumps of them is
// chattering.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "runtime/equations/equations.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

class Chattering {
 public:
  // References must outlive the object.
  Chattering(Equations& equations, const RunData& data) : equations_(equations), data_(data) {}

  // Checks a step between two accepted states, each as [q; u; s]. Returns the expression that jumps too often, if there
  // is one. `length` is the time span of the run (s).
  std::optional<Span> look(double length, double t_before, const std::vector<double>& before, double t,
                           const std::vector<double>& y);

  void transfer(Archive& archive) { archive(attempts_, since_, looks_, jumps_); }

 private:
  Equations& equations_;
  const RunData& data_;
  std::uint64_t attempts_ = 0;  // number of attempts at the last check of progress, and the time reached then
  double since_ = 0;
  std::uint64_t looks_ = 0, jumps_ = 0;  // steps left to check; jumps found in them
};

}  // namespace mbc::runtime
