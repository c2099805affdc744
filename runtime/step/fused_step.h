// SPDX-License-Identifier: Apache-2.0
// A step of a run after its first stage as one function (kernel/step_function.h: rk4 after its rates). It contains
// three stages, the sums, the normalisation of quaternions and one Newton step onto the constraints, and writes no
// state to memory in between. It gives the same bits as the step in pieces, so it may be used for some steps and not
// for others.
//
// FusedCode is the function. It is made once, does not change after that, and is shared by any number of runs on any
// threads. FusedStep holds the data of one run and belongs to the run's thread.
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

// steps_can_be_fused() returns whether steps of such a simulation can be one function; steps_are_alike() ignores
// events. step_shape() describes the work of the function.
bool steps_are_alike(const SimulateOptions& options, const problem::Problem& info);
bool steps_can_be_fused(const SimulateOptions& options, const problem::Problem& info);
kernel::StepShape step_shape(const SimulateOptions& options, const problem::Problem& info);

class FusedCode {
 public:
  struct Made {
    std::optional<kernel::StepFunction> step;  // empty: steps are made in pieces
    // The slot where the native code appears; the function is not used before that. Null means that it is interpreted.
    std::shared_ptr<const kernel::NativeSlot> slot;
  };
  using Make = std::function<Made()>;
  // The code is made after `worth` steps have asked for it, in one run or in many, by the thread that asks for the last
  // of them. `make` is called once unless it throws.
  FusedCode(Make make, std::uint64_t worth) : make_(std::move(make)), worth_(worth) {}

  // Returns the function, or null while it is not made. A run without the function asks before each step. Any thread
  // may call it.
  const Made* ask();

 private:
  Make make_;  // until the code is made; used by the holder of making_
  const std::uint64_t worth_;
  std::atomic<std::uint64_t> asked_ = 0;
  std::mutex making_;
  Made made_;  // constant once ready_ points to it
  std::atomic<const Made*> ready_ = nullptr;
};

class FusedStep {
 public:
  // The code must outlive the object.
  explicit FusedStep(FusedCode& code) : shared_(code) {}

  // Begins a run with these equations and steps of size h (s).
  void begin(const Equations& equations, const ModelSize& size, double h);
  // Returns whether the next step can be fused. It is asked before every such step from a state where Run::regular() is
  // true.
  [[nodiscard]] bool takes_next() { return (code_ != nullptr || ready()) && pause_.over(); }
  // Makes a step from such a state. `rates` holds the rates of y and becomes the state after the step. If the result is
  // false, the step has to be made in pieces, and `rates` is undefined. y and `rates` have n_y entries.
  bool advance(double t, const std::vector<double>& y, const double* inputs, std::vector<double>& rates);
  // Returns the mass-weighted size of the correction of the positions in the last step.
  [[nodiscard]] double moved() const { return std::sqrt(work_[made_->step->moved]); }
  // Returns the number of steps since begin().
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
  double size_[2] = {1, 1};          // of the model: positions, speeds
  std::uint64_t param_changes_ = 0;  // of the equations, when the parameters were taken
  std::vector<double> params_, work_;
  Backoff pause_;
  std::uint64_t steps_ = 0;
};

}  // namespace mbc::runtime
