// SPDX-License-Identifier: Apache-2.0
// The method of a run, and what its steps resolve.
#pragma once
#include <optional>

#include "runtime/equations/jets.h"
#include "runtime/integrators/method.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

// Of the size of the model: a rebound that is lower is none. With a tolerance of more than kFineSteps, that of `auto`
// by itself, one that is lower than the tolerance.
inline constexpr double kLowestRebound = 1e-12;
inline constexpr double kFineSteps = 1e-8;

class Integration {
 public:
  // Everything outlives the object. n: entries of what is integrated.
  Integration(Equations& equations, const SimulateOptions& options, std::size_t n);
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;

  [[nodiscard]] Method& method() { return method_; }
  [[nodiscard]] const Method& method() const { return method_; }
  // Of a method of series, else null.
  [[nodiscard]] Jets* jets() { return jets_ ? &*jets_ : nullptr; }
  // The size of the steps at hand (s).
  [[nodiscard]] double pace() const { return pace_; }
  void set_pace(double h) { pace_ = h; }

  // Of the size of a gap: what it may fall below zero by, along the continuous output of the method at hand, where its
  // sides have just been together; 0: by rounding. The reference stays.
  [[nodiscard]] const double& gaps_known() const { return gaps_known_; }
  // Of the size of the model: what the method at hand knows places to.
  [[nodiscard]] const double& lowest_rebound() const { return lowest_rebound_; }
  // The method at hand knows places no better than to that; and the usual one does again.
  void coarsen(double size) { gaps_known_ = lowest_rebound_ = size; }
  void refine();

  void transfer_pace(Archive& archive) { archive(pace_); }

 private:
  const SimulateOptions& options_;
  std::optional<Jets> jets_;
  Method method_;
  double pace_ = 0, gaps_known_ = 0, lowest_rebound_ = 0;
};

}  // namespace mbc::runtime
