// SPDX-License-Identifier: Apache-2.0
// Events by numbers that a host follows along steps of its own: it makes them end where one of the numbers has passed
// zero. Sides of what is watched change at such instants only, but for what leaves zero.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/events/functions/event_signs.h"

namespace mbc::runtime {

class EventIndicators {
 public:
  // Both outlive the object.
  EventIndicators(const problem::Events& events, EventSigns& signs)
      : events_(events), signs_(signs), leans_(events.list.size()) {}

  // A number that passes zero where the event's side changes. Where that is open, at zero up to rounding, it is clear
  // of zero on the side that the number was last on the way to.
  [[nodiscard]] double value(std::uint32_t event, const std::vector<double>& values) const;
  // At a state where a host says that something has happened: the sides there. Appends what fires by that.
  void take_sides(const std::vector<double>& values, std::vector<std::uint32_t>& fired);
  // Whether one of them is at zero on its way to the other side, as a host may locate it.
  [[nodiscard]] bool at_edge(const std::vector<double>& values) const;
  // At the state an instant has left.
  void begin(const std::vector<double>& values);
  // At the end of a step: what was open, and is clear of zero, is on a side.
  void leave_zero(const std::vector<double>& values);

  void transfer(Archive& archive) {
    signs_.transfer_step(archive);
    archive.fixed(leans_);
  }

 private:
  [[nodiscard]] double margin(std::uint32_t event, const std::vector<double>& values) const;
  [[nodiscard]] double nothing_of(std::uint32_t event) const;
  [[nodiscard]] Side side(std::uint32_t event, const std::vector<double>& values) const;

  const problem::Events& events_;
  EventSigns& signs_;
  std::vector<double> leans_;  // by event, of open ones: 1 or -1, the side it was on the way to
};

}  // namespace mbc::runtime
