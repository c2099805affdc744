// SPDX-License-Identifier: Apache-2.0
// Bounds of event functions over a stretch of time, by interval arithmetic over the operations that the kernel makes
// them of (kernel/enclosure.h). A change of sign that bounds exclude is none, however fast the function is beside the
// step; samples alone would be a hope.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/enclosure.h"
#include "kernel/problem/events.h"
#include "kernel/straight_line.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class EventBounds {
 public:
  // Of these values of the events, by number. Equations and events outlive the object.
  EventBounds(const Equations& equations, const problem::Events& events, const std::vector<std::uint32_t>& numbers);

  // What a number depends on, beside parameters. `time`: on that alone, and on what only instants of events change.
  // `unknown`: on accelerations, multipliers, or what has no bounds.
  enum class Of : std::uint8_t { unknown, time, state };
  [[nodiscard]] Of of(std::uint32_t number) const { return of_[number]; }
  // The entries of the state that numbers `of` state read.
  [[nodiscard]] const std::vector<std::uint32_t>& entries() const { return entries_; }
  // The inputs that numbers of time read.
  [[nodiscard]] const std::vector<std::uint32_t>& inputs_of_time() const { return inputs_of_time_; }
  [[nodiscard]] double input(std::uint32_t index) const { return equations_.inputs()[index]; }
  [[nodiscard]] std::uint64_t param_changes() const { return equations_.param_changes(); }

  // Of one number, for times from `from` to `to`; states: bounds of entries(), not read by those of time. Both bounds
  // are equal up to rounding where the stretch is one instant.
  kernel::Enclosure enclose(std::uint32_t number, double from, double to, const kernel::Enclosure* states);

 private:
  struct Slice {
    std::vector<std::uint32_t> nodes;  // ascending; the last one is the number
  };
  void classify(std::uint32_t number, const problem::DiscreteVariables& discrete);
  [[nodiscard]] kernel::Enclosure load(const kernel::StraightLine::Node& node, double from, double to,
                                       const kernel::Enclosure* states) const;

  const Equations& equations_;
  kernel::StraightLine line_;
  std::vector<Slice> slices_;  // by number
  std::vector<Of> of_;
  std::vector<std::uint32_t> entries_, place_of_;  // place_of_: by entry of the state, in entries_
  std::vector<std::uint32_t> inputs_of_time_;
  std::vector<kernel::Enclosure> values_;  // by node
};

}  // namespace mbc::runtime
