// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/watched_numbers.h"

#include <algorithm>
#include <cmath>

namespace mbc::runtime {

std::vector<WatchedNumber> watched_numbers(const problem::Events& events) {
  std::vector<WatchedNumber> out;
  const auto add = [&out](std::uint32_t value, bool truth) {
    const auto same = [&](const WatchedNumber& n) { return n.value == value && n.truth == truth; };
    if (std::none_of(out.begin(), out.end(), same)) out.push_back({value, truth});
  };
  for (const problem::Event& e : events.list) {
    if (e.timed() || e.kink || e.of_contact()) continue;
    each_number(e, [&](std::uint32_t number, Reading reading) { add(number, reading == Reading::truth); });
  }
  return out;
}

bool stand_clear(const std::vector<WatchedNumber>& numbers, const problem::Events& events, const EventSigns& known,
                 const std::vector<double>& values, std::span<double> signs, std::span<double> sizes) {
  for (const std::uint32_t event : known.watched()) {
    const bool condition = events.list[event].kind == problem::Event::Kind::condition;
    const Side now = condition ? known.clear_of(event, values) : known.side_of(event, values);
    if (now == Side::open || now != known.side(event)) return false;
  }
  for (std::size_t k = 0; k < numbers.size(); ++k) {
    const auto [number, truth] = numbers[k];
    const double value = truth ? values[number] - 0.5 : values[number];
    sizes[k] = truth ? 0 : known.size_of(number);
    if (!(std::fabs(value) > kClear * sizes[k])) return false;
    signs[k] = value > 0 ? 1 : -1;
  }
  return true;
}

}  // namespace mbc::runtime
