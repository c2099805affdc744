// SPDX-License-Identifier: Apache-2.0
// Event indicators that a host follows along steps of its own: it ends its steps where an indicator has passed zero.
// Sides change only at such instants, except for numbers that leave zero.
#pragma once
#include <cstdint>
#include <vector>

#include "base/archive.h"
#include "runtime/events/functions/event_signs.h"

namespace mbc::runtime {

class EventIndicators {
 public:
  // Both references must outlive the object.
  EventIndicators(const problem::Events& events, EventSigns& signs)
      : events_(events), signs_(signs), leans_(events.list.size()) {}

  // Returns a number that passes zero where the event's side changes. If the side is open (at zero up to rounding), the
  // indicator is shifted away from zero to the side that the number was last heading to.
  [[nodiscard]] double value(std::uint32_t event, const std::vector<double>& values) const;
  // Takes the sides at a state where the host reports an event. Appends the events that fire.
  void take_sides(const std::vector<double>& values, std::vector<std::uint32_t>& fired);
  // Returns whether a number is at zero on its way to the other side, as a host may locate it.
  [[nodiscard]] bool at_edge(const std::vector<double>& values) const;
  // Notes the state that an instant has left.
  void begin(const std::vector<double>& values);
  // Closes open sides whose numbers are clear of zero at the end of a step.
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
  std::vector<double> leans_;  // by event, for open sides: 1 or -1, the side that the number was heading to
};

}  // namespace mbc::runtime
