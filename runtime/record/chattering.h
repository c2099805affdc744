// SPDX-License-Identifier: Apache-2.0
// Whether a motion chatters: steps grow so short that a run would take millions of them, and in most of them one and
// the same expression jumps (`sign(v)` of a speed that friction holds at 0). Where steps cover less than kProgress of
// the time span in kAttempts attempts, the next kLooks steps are looked at; a jump in kJumps of them is chattering.
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
  // Both outlive the object.
  Chattering(Equations& equations, const RunData& data) : equations_(equations), data_(data) {}

  // After a step between two accepted states, each as [q; u; s]; the expression where it is found to jump too often.
  // length: of the run in time (s).
  std::optional<Span> look(double length, double t_before, const std::vector<double>& before, double t,
                           const std::vector<double>& y);

  void transfer(Archive& archive) { archive(attempts_, since_, looks_, jumps_); }

 private:
  Equations& equations_;
  const RunData& data_;
  std::uint64_t attempts_ = 0;  // when progress was looked at, and the time it had reached
  double since_ = 0;
  std::uint64_t looks_ = 0, jumps_ = 0;  // to be made; found
};

}  // namespace mbc::runtime
