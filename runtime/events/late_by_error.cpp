// SPDX-License-Identifier: Apache-2.0
// How much later the events of an instant come in the motion that the errors of the run lead away from it. An event
// function g that changes at the rate g' along the motion, and by dg between both motions, is zero later by -dg/g'.
#include <algorithm>
#include <cmath>

#include "runtime/events/event_run.h"

namespace mbc::runtime {

// Everything but the errors is left as it was.
double EventRun::late_by_error(double t) {
  if (!errors_.follows_events()) return 0;
  const std::span<double> work = state_.equations().work_to_write();
  work_.assign(work.begin(), work.end());
  errors_.reach(t);
  double late = 0;
  const double scale = errors_.displace(y_);
  if (scale > 0 && values_at(t, y_.data(), displaced_)) {
    const double earlier = errors_.go_back(y_);
    if (earlier > 0 && values_at(t - earlier, y_.data(), earlier_)) {
      values_now(t);
      for (const std::uint32_t event : fired_) {
        const double by_event = late_by_error(t, event, scale, earlier);
        if (std::fabs(by_event) > std::fabs(late)) late = by_event;
      }
    }
  }
  std::copy(work_.begin(), work_.end(), work.begin());
  return late;
}

// The number that is nearest to zero in time has fired the event.
double EventRun::late_by_error(double t, std::uint32_t event, double scale, double earlier) const {
  if (events_.list[event].timed()) return 0;
  double late = 0, nearest = tolerance(t) + earlier;
  each_number(events_.list[event], [&](std::uint32_t number, Reading) {
    const double rate = (values_[number] - earlier_[number]) / earlier, away = std::fabs(values_[number] / rate);
    const double by_error = (values_[number] - displaced_[number]) / (scale * rate);
    if (!(away < nearest) || !std::isfinite(by_error)) return;
    nearest = away;
    late = by_error;
  });
  return late;
}

}  // namespace mbc::runtime
