// SPDX-License-Identifier: Apache-2.0
// Several runs of one simulation side by side, in the lanes of one step function (compiler/formulate/steps/step.h):
// members of a sweep, which differ in parameters, inputs and initial values only.
//
// Each member has a Run of its own. Where that is regular (Run::regular) and no row is due, or rows are there for
// extremes only, its state lies in a lane and is stepped there together with the others; at recorded rows, and for as
// long as something stands out - an event, a row near the others, a drift that one Newton step does not remove, a value
// that is not finite - it takes its steps by itself, from the state the lane had. Both give the same bits, so results
// do not depend on the company a member is in.
//
// What `when` watches is looked at in the lanes, where a run by itself would look. A lane in which a number comes near
// zero, or is found on the other side, makes that step by itself, its event in it, and comes back when all numbers are
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

// Whether steps of such a simulation can be made in lanes; what is left out then: the balance of energy and work, sizes
// of corrections and distances of rows in RunData. What such a step has to do.
bool steps_in_lanes(const SimulateOptions& options, const problem::Problem& info);
kernel::StepShape shape_in_lanes(const SimulateOptions& options, const problem::Problem& info);

class Batch {
 public:
  static constexpr std::uint32_t kLanes = kernel::kStepLanes;

  struct Member {
    Equations* equations = nullptr;  // of the kernel that `step` was made from; parameters and inputs set
    std::vector<double>* y = nullptr;
    SimulateOptions options;  // equal but for who watches
    Recorder record;
    std::vector<double*> extremes;  // of the rows so far, in the order of StepShape::extremes
  };

  // All outlive the object. `slot`: where native code of the step appears, or null.
  Batch(const kernel::StepFunction& step, const problem::Problem& info, std::shared_ptr<const kernel::NativeSlot> slot);

  // At most kLanes members, from their initial states to the end.
  std::vector<RunData> run(std::span<Member> members);

  [[nodiscard]] kernel::EnginesUsed engines_used() const { return used_; }
  // Steps of one lane made together with the others, and alone, since the constructor.
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

  struct Seen {            // by look()
    bool changed = false;  // some lane was entered or left
    bool active = false;   // some run is not at its end
    bool inside = false;   // some state lies in a lane
  };

  void begin(std::span<Member> members);
  Seen look(std::uint64_t step);
  void load(const Lane& lane, std::uint32_t k);
  void enter(Lane& lane, std::uint32_t k);
  void leave(Lane& lane, std::uint32_t k);
  void see(Lane& lane, std::uint32_t k, std::uint64_t step);
  void fill_empty_lanes();
  [[nodiscard]] bool good(std::uint32_t k) const;
  // Whether the runs themselves look at the state before that step: for a row that is kept.
  [[nodiscard]] bool looked_at(std::uint64_t step) const;
  [[nodiscard]] bool due(std::uint64_t step);
  std::int32_t call(double t);
  bool step_together(std::uint64_t step);
  void step_apart(std::uint64_t step);
  [[nodiscard]] bool interrupted();

  const kernel::StepFunction& step_;
  const problem::Problem& info_;
  std::vector<WatchedNumber> numbers_;  // that events watch
  std::vector<double> signs_, sizes_;   // of them, of one lane
  std::shared_ptr<const kernel::NativeSlot> slot_;
  kernel::KernelFunction code_ = nullptr;
  kernel::EnginesUsed used_;
  kernel::Registers registers_;
  std::vector<double> state_, next_, params_, inputs_, work_;  // entry i of lane k at [8 i + k]
  std::array<Lane, kLanes> lanes_;
  std::uint64_t together_ = 0, alone_ = 0;
};

}  // namespace mbc::runtime
