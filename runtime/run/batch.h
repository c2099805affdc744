// SPDX-License-Identifier: Apache-2.0
// Several runs of one simulation in the lanes of one step function (compiler/formulate/steps/step.h). They are members
// of a sweep and differ only in parameters, inputs and initial values.
//
// Each member has its own Run. While it is regular (Run::regular), and no row is due or rows serve only extremes, its
// state lies in a lane and is stepped with the others. At recorded rows the run handles its state itself. It also makes
// its steps itself, from the state of the lane, as long as a special case lasts: an event, a row near the others, a
// drift that one Newton step does not remove, a value that is not finite. Both ways give the same bits, so results do
// not depend on the other members.
//
// Event functions are looked at in the lanes where a run would look at them by itself. A run whose number comes near
// zero or changes its sign makes that step, with its event, by itself. It returns to its lane when all numbers are
// clear of zero.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "runtime/run/run.h"
#include "runtime/step/fused_step.h"

namespace mbc::runtime {

// The first function returns whether steps of such a simulation can be made in lanes. Lanes leave out the balance of
// energy and work, the sizes of corrections and the distances of rows in RunData. The second function describes the
// work of such a step.
bool steps_in_lanes(const SimulateOptions& options, const problem::Problem& info);
kernel::StepShape shape_in_lanes(const SimulateOptions& options, const problem::Problem& info);

class Batch {
 public:
  static constexpr std::uint32_t kLanes = kernel::kStepLanes;

  struct Member {
    Equations* equations = nullptr;  // of the kernel that `step` was made from; parameters and inputs are set
    std::vector<double>* y = nullptr;
    SimulateOptions options;  // equal for all members except for callbacks
    Recorder record;
    std::vector<double*> extremes;  // extremes of the rows so far, in the order of StepShape::extremes
  };

  // References must outlive the object. `slot` is the place where native code of the step appears, or null.
  Batch(const kernel::StepFunction& step, const problem::Problem& info, std::shared_ptr<const kernel::NativeSlot> slot);

  // Runs at most kLanes members from their initial states to the end.
  std::vector<RunData> run(std::span<Member> members);

  [[nodiscard]] kernel::EnginesUsed engines_used() const { return used_; }
  // Return the number of steps in lanes and of steps that runs made by themselves, since the constructor.
  [[nodiscard]] std::uint64_t steps_together() const { return together_; }
  [[nodiscard]] std::uint64_t steps_alone() const { return alone_; }

 private:
  struct Lane {
    std::optional<Run> run;
    Member* member = nullptr;
    bool active = false;     // not at its end yet
    bool inside = false;     // its state lies in the lane
    std::uint64_t seen = 0;  // at(seen - 1) has been called
  };

  struct Seen {            // result of look()
    bool changed = false;  // some lane was entered or left
    bool active = false;   // some run is not at its end
    bool inside = false;   // some state lies in a lane
  };

  void begin(std::span<Member> members);
  Seen look(std::uint64_t step);
  void load(const Lane& lane, std::uint32_t k);
  void enter(Lane& lane, std::uint32_t k);
  void leave(Lane& lane, std::uint32_t k);
  void follow_angles(Lane& lane, std::uint32_t k, std::uint64_t step);
  void see(Lane& lane, std::uint32_t k, std::uint64_t step);
  void fill_empty_lanes();
  [[nodiscard]] bool good(std::uint32_t k) const;
  // Returns whether the runs handle the state before that step themselves, for a row that is kept.
  [[nodiscard]] bool looked_at(std::uint64_t step) const;
  [[nodiscard]] bool due(std::uint64_t step);
  std::int32_t call(double t);
  bool step_together(std::uint64_t step);
  void step_apart(std::uint64_t step);
  [[nodiscard]] bool interrupted();

  const kernel::StepFunction& step_;
  const problem::Problem& info_;
  std::vector<WatchedNumber> numbers_;  // numbers that events watch
  std::vector<double> signs_, sizes_;   // of one lane
  std::shared_ptr<const kernel::NativeSlot> slot_;
  kernel::KernelFunction code_ = nullptr;
  kernel::EnginesUsed used_;
  kernel::Registers registers_;
  std::vector<double> state_, next_, params_, inputs_, work_;  // entry i of lane k at [8 i + k]
  std::array<Lane, kLanes> lanes_;
  std::uint64_t together_ = 0, alone_ = 0;
};

}  // namespace mbc::runtime
