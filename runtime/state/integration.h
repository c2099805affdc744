// SPDX-License-Identifier: Apache-2.0
// The method of a run, and the accuracy of its steps.
#pragma once
#include <optional>

#include "runtime/equations/jets.h"
#include "runtime/integrators/method.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

// Relative to the size of the model: a lower rebound is none. If the tolerance of the steps exceeds kFineSteps, as the
// default of `auto` does, a rebound below the tolerance is none.
inline constexpr double kLowestRebound = 1e-12;
inline constexpr double kFineSteps = 1e-8;

class Integration {
 public:
  // References must outlive the object. `n` is the number of integrated entries.
  Integration(Equations& equations, const SimulateOptions& options, std::size_t n);
  Integration(const Integration&) = delete;
  Integration& operator=(const Integration&) = delete;

  [[nodiscard]] Method& method() { return method_; }
  [[nodiscard]] const Method& method() const { return method_; }
  // Returns the series of the method, or null if the method uses none.
  [[nodiscard]] Jets* jets() { return jets_ ? &*jets_ : nullptr; }
  // Returns the size of the current steps (s).
  [[nodiscard]] double pace() const { return pace_; }
  void set_pace(double h) { pace_ = h; }

  // Returns the part of the size of a gap by which the gap may fall below zero along the dense output just after it was
  // closed. 0 means rounding only. The reference stays valid.
  [[nodiscard]] const double& gaps_known() const { return gaps_known_; }
  // Returns the accuracy of positions by the present method, relative to the size of the model.
  [[nodiscard]] const double& lowest_rebound() const { return lowest_rebound_; }
  // The first function sets the accuracy of a coarser method; the second one restores the usual one.
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
