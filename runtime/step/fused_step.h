// SPDX-License-Identifier: Apache-2.0
// A step of a run after its first stage, as one function (kernel/step_function.h: rk4 after its rates): three stages,
// the sums, quaternions of norm 1 and one Newton step onto the constraints, without a state written to memory in
// between. The bits are those of the same step in pieces, so it may be used for some steps and not for others.
//
// FusedCode is the function: made once, then never changed, shared by any number of runs on any threads. FusedStep is
// what one run needs beside it, and belongs to the run's thread.
#pragma once
#include <atomic>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/native_slot.h"
#include "kernel/problem/problem.h"
#include "kernel/step_function.h"
#include "runtime/constraints/model_size.h"
#include "runtime/equations/backoff.h"
#include "runtime/equations/equations.h"
#include "runtime/record/options.h"

namespace mbc::runtime {

// Whether steps of such a simulation can be had as one function, and what it has to do; the first: but for events.
bool steps_are_alike(const SimulateOptions& options, const problem::Problem& info);
bool steps_can_be_fused(const SimulateOptions& options, const problem::Problem& info);
kernel::StepShape step_shape(const SimulateOptions& options, const problem::Problem& info);

class FusedCode {
 public:
  struct Made {
    std::optional<kernel::StepFunction> step;  // nothing: steps are taken in pieces
    // Where its native code appears; nothing is done before that. Null: it is interpreted.
    std::shared_ptr<const kernel::NativeSlot> slot;
  };
  using Make = std::function<Made()>;
  // It is made when it has been asked for `worth` steps, in one run or in many, by the thread that asks for the last of
  // them. `make` is called once, unless it throws.
  FusedCode(Make make, std::uint64_t worth) : make_(std::move(make)), worth_(worth) {}

  // Asked before a step by a run that has not got it yet: the function, or null while it is not made. Any thread.
  const Made* ask();

 private:
  Make make_;  // until it is made; by the holder of making_
  const std::uint64_t worth_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::mutex making_;
  Made made_;  // not changed once ready_ points there
  std::atomic<const Made*> ready_ = nullptr;
};

class FusedStep {
 public:
  // The code outlives the object.
  explicit FusedStep(FusedCode& code) : shared_(code) {}

  // For a run by these equations with steps of size h (s).
  void begin(const Equations& equations, const ModelSize& size, double h);
  // Asked before every step that could be one function, from a state where Run::regular().
  [[nodiscard]] bool takes_next() { return (code_ != nullptr || ready()) && pause_.over(); }
  // From such a state: `rates` are those of y, and then the state after the step. False: the step has to be taken in
  // pieces; `rates` may hold anything then. y, rates: n_y entries.
  bool advance(double t, const std::vector<double>& y, const double* inputs, std::vector<double>& rates);
  // Mass-weighted size of the correction of the positions in the last step.
  [[nodiscard]] double moved() const { return std::sqrt(work_[made_->step->moved]); }
  // Since begin().
  [[nodiscard]] std::uint64_t steps() const { return steps_; }

 private:
  bool ready();
  void take_parameters();

  FusedCode& shared_;
  const FusedCode::Made* made_ = nullptr;
  kernel::KernelFunction code_ = nullptr;
  kernel::Registers registers_;
  const Equations* equations_ = nullptr;  // of the run at hand
  double h_ = 0;
  double size_[2] = {1, 1};          // of the model, positions and speeds
  std::uint64_t param_changes_ = 0;  // of the equations, when they were taken
  std::vector<double> params_, work_;
  Backoff pause_;
  std::uint64_t steps_ = 0;
};

}  // namespace mbc::runtime
