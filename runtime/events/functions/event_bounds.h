// SPDX-License-Identifier: Apache-2.0
// Bounds of event functions over a stretch of time, by interval arithmetic over the operations of the kernel
// (kernel/enclosure.h). Bounds can prove that the sign does not change, however fast the function is compared with the
// step. Samples alone cannot.
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
  // Bounds the event functions with these numbers. The references must outlive the object.
  EventBounds(const Equations& equations, const problem::Events& events, const std::vector<std::uint32_t>& numbers);

  // The quantities that a number depends on, besides parameters. `time`: only the time and what instants of events
  // change. `unknown`: accelerations, multipliers, or functions without bounds.
  enum class Of : std::uint8_t { unknown, time, state };
  [[nodiscard]] Of of(std::uint32_t number) const { return of_[number]; }
  // Returns the entries of the state that numbers of kind `state` read.
  [[nodiscard]] const std::vector<std::uint32_t>& entries() const { return entries_; }
  // Returns the inputs that numbers of kind `time` read.
  [[nodiscard]] const std::vector<std::uint32_t>& inputs_of_time() const { return inputs_of_time_; }
  [[nodiscard]] double input(std::uint32_t index) const { return equations_.inputs()[index]; }
  [[nodiscard]] std::uint64_t param_changes() const { return equations_.param_changes(); }

  // Bounds one number for times from `from` to `to`. `states` bounds entries(); numbers of kind `time` do not read it.
  // Both bounds are equal up to rounding if the stretch is one instant.
  kernel::Enclosure enclose(std::uint32_t number, double from, double to, const kernel::Enclosure* states);

 private:
  struct Slice {
    std::vector<std::uint32_t> nodes;  // ascending; the last one is the event function
  };
  void classify(std::uint32_t number, const problem::DiscreteVariables& discrete);
  [[nodiscard]] kernel::Enclosure load(const kernel::StraightLine::Node& node, double from, double to,
                                       const kernel::Enclosure* states) const;

  const Equations& equations_;
  kernel::StraightLine line_;
  std::vector<Slice> slices_;  // by number
  std::vector<Of> of_;
  std::vector<std::uint32_t> entries_, place_of_;  // place_of_: index in entries_, by entry of the state
  std::vector<std::uint32_t> inputs_of_time_;
  std::vector<kernel::Enclosure> values_;  // by node
};

}  // namespace mbc::runtime
