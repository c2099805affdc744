// SPDX-License-Identifier: Apache-2.0
// RateTerms gives sizes to entries of the state that stay at zero, or at rest, while the terms of their rates cancel
// (record/error_sizes.h). The terms are measured only where steps are rejected for want of a size. If that has helped,
// they are measured again every few steps, since the motion changes them.
#pragma once
#include <algorithm>
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/record/error_sizes.h"
#include "runtime/record/run_state.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

class RateTerms {
 public:
  static constexpr std::uint64_t kStepsToLook = 8;

  // The state of the run and its model outlive the object. rtol is what an error of a step may be of a size.
  RateTerms(RunState& state, const ModelSize& model, double rtol) : state_(state), model_(model), rtol_(rtol) {}

  // Begins the attempts at a step from the accepted state at t, which has these sizes.
  void begin(double t, const ErrorSizes& sizes) {
    is_new_ = false;
    if (!helps_) terms_.clear();
    if (helps_ && static_cast<std::uint64_t>(++steps_) >= kStepsToLook) measure(t, sizes);
  }
  // Measures the terms at that state unless it was done. Afterwards the work arrays of the equations belong to it.
  // Returns whether they are new.
  bool measure(double t, const ErrorSizes& sizes) {
    if (is_new_) return false;
    terms_ = terms_of_rates(state_.equations(), t, state_.y().data(), sizes.reach(state_.y(), rtol_).data());
    steps_ = 0;
    return is_new_ = true;
  }
  // Sets sizes by what the terms change and round in a step of h.
  void raise(ErrorSizes& sizes, double h) const {
    raise(sizes, {.rtol = rtol_, .h = h, .of_span = false, .anew = false});
  }
  // Sets those of a method that is not asked for the size of its steps.
  void raise_for_any_step(ErrorSizes& sizes) const {
    raise(sizes, {.rtol = rtol_, .h = 0, .of_span = true, .anew = false});
  }
  // Tells whether steps have become longer by the terms measured last.
  void set_helps(bool helps) { helps_ = helps; }
  [[nodiscard]] bool helps() const { return helps_; }

  void transfer(Archive& archive) {
    archive(helps_, steps_);
    archive(terms_);
    archive.expect(terms_.empty() || terms_.size() == state_.y().size());
  }

 private:
  void raise(ErrorSizes& sizes, const ErrorSizes::ByTerms& by) const {
    if (terms_.empty())
      sizes.forget_rounding();
    else
      sizes.look_at_terms(model_, terms_, by);
  }

  RunState& state_;
  const ModelSize& model_;
  double rtol_;
  bool helps_ = false, is_new_ = false;  // is_new_: measured at the state at hand
  std::int32_t steps_ = 0;               // since the terms were measured
  std::vector<double> terms_;            // of the rates of y, or empty
};

}  // namespace mbc::runtime
