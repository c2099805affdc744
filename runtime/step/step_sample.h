// SPDX-License-Identifier: Apache-2.0
// The errors of a sample of steps of fixed size: each is made once more as two steps of half the size, and the
// difference tells its error (Richardson's extrapolation; Hairer, Norsett and Wanner, "Solving Ordinary Differential
// Equations I", II.4). A step of a method that remembers rates is compared with two halves by one that does not, whose
// error is next to nothing beside its own. The motion does not see it. Where rows are near to depending on others
// nothing is looked at.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/integrators/method.h"
#include "runtime/record/error_sizes.h"
#include "runtime/record/run_plan.h"
#include "runtime/state/run_state.h"

namespace mbc::runtime {

class StepSample {
 public:
  explicit StepSample(const RunPlan& plan, RunState& state) : plan_(plan), state_(state) {}

  // Returns whether the step from the current accepted state belongs to the sample, and keeps that state if it does.
  bool takes(bool regular);
  // After that step of size h from t was made.
  void look(double t, double h);
  // Reports the errors, relative to the sizes of the whole motion. It is called at the end of a run.
  void report();

  void transfer(Archive& archive) {
    bool made = sizes_.has_value();
    archive(made);
    if (made && archive.reading()) make();
    if (made) archive(*sizes_, sums_, largest_, when_);
    archive.expect(!made ||
                   (sums_.size() == largest_.size() && sums_.size() == when_.size() && sums_.size() == size()));
  }

 private:
  [[nodiscard]] std::size_t size() const { return state_.layout().work_at(); }
  void make();
  // One step of the half size, from_ -> from_, where rate_ is its rate; 0, or the failed entry + 1.
  std::int32_t half(double t, double h);
  std::int32_t rhs(double t, const double* y, double* dy);

  const RunPlan& plan_;
  RunState& state_;
  std::optional<ErrorSizes> sizes_;
  std::optional<Method> other_;  // makes the halves
  std::vector<double> from_, rate_;
  std::vector<double> sums_, largest_, when_;  // of the errors of each entry of what is integrated
};

}  // namespace mbc::runtime
