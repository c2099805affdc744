// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/watch/event_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "runtime/simulation/watch/locate_change.h"

namespace mbc::runtime {

namespace {

using EventKind = problem::Event::Kind;

constexpr int kSamples = 9;                // of a step: one more than the order of the highest method
constexpr double kPerRow = 4;              // and at least so many in the time between two rows
constexpr int kEventWatchFinest = 12;      // behind an event the first look is at 4^-kEventWatchFinest of the step
constexpr double kEventWatchSoon = 1e-8;   // of a step: from the beginning to there numbers have a slope
constexpr int kIntoDip = 3;                // looks at the lowest point of a gap that has none of its samples below zero
constexpr double kRound = 1e-6;            // and so much between two times that are next to each other is a jump
constexpr double kEventWatchSeen = 1e-13;  // and a difference of this much of it is more than rounding

// Of a step in so many equal parts, each with its Chebyshev points: the k-th one.
double sample_point(std::int64_t k, double parts) {
  const std::int64_t part = (k - 1) / kSamples, of_part = k - part * kSamples;
  const double inside =
      of_part == kSamples ? 1 : 0.5 * (1 - std::cos(std::numbers::pi * static_cast<double>(of_part) / kSamples));
  return (static_cast<double>(part) + inside) / parts;
}

// An angle that goes round jumps from pi to -pi: it passes no zero there. Values just before and behind.
bool goes_round(const problem::Event& e, double before, double behind, double size) {
  return e.of_angles && e.kind != EventKind::condition && std::fabs(behind - before) > kRound * size;
}

// A number that is clearly on this side.
bool stays(double value, Side side) { return (side == Side::above && value > 0) || (side == Side::below && value < 0); }

Side at_limit(const problem::ConditionTerm& c) { return c.at_limit ? Side::above : Side::below; }

// Times that differ by less are one.
double soonest(double t, double h) {
  return 16 * std::numeric_limits<double>::epsilon() * std::max(std::fabs(t), std::fabs(t + h));
}

}  // namespace

std::vector<double> looks_along(double h, double apart) {
  const double parts = std::max(1.0, std::ceil(h * (kPerRow / apart) / kSamples));
  std::vector<double> out;
  for (std::int64_t k = 1; k <= static_cast<std::int64_t>(parts) * kSamples; ++k) out.push_back(sample_point(k, parts));
  return out;
}

EventWatch::EventWatch(const problem::Events& events, double apart, bool kinks, const double& gaps_known)
    : events_(events),
      gaps_known_(gaps_known),
      finest_(apart > 0 ? kPerRow / apart : 0),
      idle_(events.list.size()),
      plain_(events.list.size()),
      timed_(events.list.size()),
      sides_(events.list.size(), Side::open),
      trial_(events.list.size()),
      sizes_(events.n_values),
      zero_(events.n_values),
      last_(events.list.size()),
      values_(events.n_values),
      at_first_(events.n_values) {
  for (std::uint32_t k = 0; k < events.list.size(); ++k) {
    const problem::Event& e = events.list[k];
    if (!e.followed(kinks)) continue;
    watched_.push_back(k);
    numbers_.push_back(e.value);
    plain_[k] = e.kind != EventKind::condition && !e.kink && !e.of_angles ? 1 : 0;
    if (e.may_graze()) dips_.watch({k, e.value});
  }
  brackets_.reserve(watched_.size());
}

void EventWatch::know(TimeFunctions* time_functions, HiddenChanges* hidden) {
  time_functions_ = time_functions;
  hidden_ = hidden;
  std::fill(timed_.begin(), timed_.end(), 0);
  for (const std::uint32_t event : watched_)
    each_number(events_.list[event], [&](std::uint32_t number, Reading reading) {
      if (time_functions != nullptr && time_functions->has(number, reading)) timed_[event] = 1;
    });
  for (const std::uint32_t event : watched_)
    if (timed_[event] != 0) plain_[event] = 0;
}

bool EventWatch::of_rates() const {
  return std::any_of(watched_.begin(), watched_.end(),
                     [&](std::uint32_t k) { return events_.list[k].of_rates && idle_[k] == 0; });
}

// `compared`: the side of a comparison by its margin. What depends on the time alone is known.
template <class Compared>
Side EventWatch::truth(std::uint32_t event, const std::vector<double>& values, Compared&& compared) const {
  return condition_side(events_.list[event].terms, [&](const problem::ConditionTerm& c) {
    if (const std::optional<Side> known = known_side(c.value, reading_of(c))) return *known;
    return c.kind == problem::ConditionTerm::Kind::exact ? exact_side(c, values) : compared(c, values[c.value]);
  });
}

// Where what jumps in it is at its jump but for rounding, its truth is rounding's.
Side EventWatch::exact_side(const problem::ConditionTerm& term, const std::vector<double>& values) const {
  for (const std::uint32_t edge : term.edges)
    if (at_zero(edge, values[edge])) return Side::open;
  return values[term.value] != 0 ? Side::above : Side::below;
}

Side EventWatch::side_of(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  const double v = values[e.value];
  if (e.kind != EventKind::condition) {
    if (timed_[event] != 0)
      if (const std::optional<Side> known = known_side(e.value, Reading::number)) return *known;
    return v > 0 ? Side::above : v < 0 ? Side::below : Side::open;
  }
  if (holds(event, values)) return Side::above;
  return clear_of(event, values) == Side::below ? Side::below : Side::open;
}

// Whether a condition is true, by its values, and by what is known of the time.
bool EventWatch::holds(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (timed_[event] == 0) return values[e.value] != 0;
  return condition_side(e.terms, [&](const problem::ConditionTerm& c) {
           if (const std::optional<Side> known = known_side(c.value, reading_of(c))) return *known;
           const double v = values[c.value];
           const bool holds = c.kind == problem::ConditionTerm::Kind::exact ? v != 0 : v > 0 || (v == 0 && c.at_limit);
           return holds ? Side::above : Side::below;
         }) == Side::above;
}

Side EventWatch::clear_of(std::uint32_t event, const std::vector<double>& values) const {
  return truth(event, values, [&](const problem::ConditionTerm& c, double margin) {
    return at_zero(c.value, margin) ? Side::open : margin > 0 ? Side::above : Side::below;
  });
}

bool EventWatch::became_true(std::uint32_t event, const std::vector<double>& before,
                             const std::vector<double>& after) const {
  const problem::Event& e = events_.list[event];
  if (e.kind != EventKind::condition || side_of(event, before) != Side::below) return false;
  return truth(event, after, [&](const problem::ConditionTerm& c, double margin) {
           return at_zero(c.value, margin) ? at_limit(c) : margin > 0 ? Side::above : Side::below;
         }) == Side::above;
}

Side EventWatch::begins_on(std::uint32_t event, const std::vector<double>& values, const std::vector<double>& terms,
                           double roundings) const {
  const problem::Event& e = events_.list[event];
  const auto zero = [&](std::uint32_t number) { return std::fabs(values[number]) <= roundings * terms[number]; };
  if (e.kind != EventKind::condition) return zero(e.value) ? Side::open : side_of(event, values);
  return truth(event, values, [&](const problem::ConditionTerm& c, double margin) {
    return zero(c.value) ? at_limit(c) : margin > 0 ? Side::above : Side::below;
  });
}

bool EventWatch::fires(std::uint32_t event, Side from, Side to) const {
  if (events_.list[event].of_contact()) return to == Side::below && from != to;  // at zero nothing is held, or pressed
  if (from == Side::open || to == Side::open || from == to) return false;
  const EventKind kind = events_.list[event].kind;
  return kind == EventKind::crossing || (kind == EventKind::falling) == (to == Side::below);
}

bool EventWatch::finite(const std::vector<double>& values) {
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    if (std::isfinite(values[numbers_[k]])) continue;
    undefined_ = watched_[k];
    if (idle_[undefined_] == 0 && (!events_.list[undefined_].kink || kinks_defined_)) return false;
  }
  return true;
}

// One look along the step: sides go on from point to point, and each change that fires an event is kept.
bool EventWatch::sample(double theta, const Dense& dense) {
  if (!dense(theta, values_) || !finite(values_)) return false;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const std::uint32_t event = watched_[k];
    if (idle_[event] != 0) continue;
    if (plain_[event] != 0 && stays(values_[numbers_[k]], trial_[event])) {  // as nearly all do
      sizes_[numbers_[k]] = std::max(sizes_[numbers_[k]], std::fabs(values_[numbers_[k]]));
      last_[event] = theta;
      continue;
    }
    const problem::Event& e = events_.list[event];
    measure_sizes(e);
    Side now = side_of(event, values_);
    const bool of_time = e.kind != EventKind::condition && known_side(e.value, Reading::number).has_value();
    if (trial_[event] == Side::open && !of_time)
      now = e.kind == EventKind::condition ? leaves_truth(event, theta)
            : e.of_contact()               ? leaves_rest(event)
                                           : leaves(e.value, theta, values_[e.value]);
    // a kink at the very end of a step is passed, so that a row there is the one after it
    if (e.kink && !of_time && theta == 1 && trial_[event] != Side::open && values_[e.value] == 0)
      now = flipped(trial_[event]);
    if (now == Side::open) open_truth(trial_[event], event);
    if (now == Side::open || (quiet(event, now) && rests(event, values_))) continue;
    if (fires(event, trial_[event], now)) brackets_.push_back({event, last_[event], theta, trial_[event], now});
    trial_[event] = now;
    last_[event] = theta;
  }
  return true;
}

void EventWatch::measure_sizes(const problem::Event& event) {
  const auto measure = [this](std::uint32_t number) {
    sizes_[number] = std::max(sizes_[number], std::fabs(values_[number]));
  };
  if (event.kind != EventKind::condition) return measure(event.value);
  for (const problem::ConditionTerm& c : event.terms) {
    if (c.kind == problem::ConditionTerm::Kind::comparison) measure(c.value);
    for (const std::uint32_t edge : c.edges) measure(edge);
  }
}

// A change to a side that fires nothing. Where a number rests at zero (a guard on what a constraint now holds, a
// control on its switching curve) rounding would make it, and the way back would fire.
bool EventWatch::quiet(std::uint32_t event, Side now) const {
  return trial_[event] != Side::open && trial_[event] != now && !fires(event, trial_[event], now);
}

bool EventWatch::rests(std::uint32_t event, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[event];
  if (e.kind == EventKind::condition || known_side(e.value, Reading::number)) return false;
  return at_zero(e.value, values[e.value]);
}

bool EventWatch::at_zero(std::uint32_t number, double value) const {
  return std::fabs(value) <= kAtZero * sizes_[number];
}

// Gaps are followed down to their rounding: a rebound may be low.
double EventWatch::zero_of(std::uint32_t event) const {
  const problem::Event& e = events_.list[event];
  const double gap = e.kind == EventKind::touches ? std::max(kEventWatchSeen, gaps_known_) : kEventWatchSeen;
  return (e.may_graze() ? gap : kAtZero) * sizes_[e.value];
}

void EventWatch::begin_contact(std::uint32_t event, double value) {
  sides_[event] = value > zero_of(event) ? Side::above : Side::open;
}

// The same of a gap or a push that has rested: clear of rounding, and of what the step has begun with.
Side EventWatch::leaves_rest(std::uint32_t event) const {
  const double value = values_[events_.list[event].value];
  if (value > zero_of(event)) return Side::above;
  return missing(event, value) ? Side::below : Side::open;
}

// The side to which an open number goes: it is clear of zero, or on the way to be so within the step.
Side EventWatch::leaves(std::uint32_t number, double theta, double value) const {
  const double moved = value - zero_[number], size = sizes_[number];
  if (!at_zero(number, value)) return value > 0 ? Side::above : Side::below;
  if (std::fabs(moved) <= kEventWatchSeen * size || std::fabs(moved) <= kAtZero * size * theta) return Side::open;
  return moved > 0 ? Side::above : Side::below;
}

// The same for a condition that has held: true or false clearly, or on the way to be so. Within the step in which its
// side has opened nothing is known of its way.
Side EventWatch::leaves_truth(std::uint32_t event, double theta) const {
  if (sides_[event] != Side::open) return clear_of(event, values_);
  return truth(event, values_,
               [&](const problem::ConditionTerm& c, double margin) { return leaves(c.value, theta, margin); });
}

// A gap that is above zero at three points and lower at the middle one may be below in between.
bool EventWatch::look_into_dips(double theta, const Dense& dense) {
  const auto above = [this](std::uint32_t event) { return idle_[event] == 0 && trial_[event] == Side::above; };
  return dips_.sample(theta, values_, above, [&](Dips::Gap gap, Dip dip) {
    for (int k = 0; k < kIntoDip; ++k) {
      const double part = dip.guessed ? dip.theta[1] : dip.lowest();
      if (part == dip.theta[1] && !dip.guessed) return true;
      if (!dense(part, values_) || !finite(values_)) return false;
      const double value = values_[gap.number];
      if (value < 0) {
        const double before = part > dip.theta[1] && !dip.guessed ? dip.theta[1] : dip.theta[0];
        brackets_.push_back({gap.event, before, part, Side::above, Side::below});
        return true;
      }
      dip.take(part, value);
    }
    return true;
  });
}

// `open`: a side is.
bool EventWatch::begin_look(const Dense& dense, bool& open) {
  trial_ = sides_;
  std::fill(last_.begin(), last_.end(), 0.0);
  brackets_.clear();
  open = false;
  for (std::uint32_t event : watched_) open = open || (sides_[event] == Side::open && idle_[event] == 0);
  if (!open && !dips_.any()) return true;
  if (!dense(0, values_) || !finite(values_)) return false;
  zero_ = values_;
  if (!dips_.any()) return true;
  if (!dense(kEventWatchSoon, values_) || !finite(values_)) return false;
  dips_.begin(zero_, kEventWatchSoon, values_);
  return true;
}

double EventWatch::measured(const Bracket& bracket, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[bracket.event];
  // what has rested at zero has left it where it is clear of rounding
  const bool rested = e.of_contact() && bracket.from == Side::open;
  return values[e.value] + (rested ? zero_of(bracket.event) - std::min(zero_[e.value], 0.0) : 0);
}

bool EventWatch::crossed(const Bracket& bracket, double value) const {
  const problem::Event& e = events_.list[bracket.event];
  if (e.kind == EventKind::condition) return value != 0;
  return bracket.to == Side::above ? value >= 0 : value <= 0;
}

// What the dense output shows may be none.
bool EventWatch::locate(const Bracket& bracket, double t, double h, const Dense& dense, const Made& made, double& at,
                        Change& change) {
  const problem::Event& e = events_.list[bracket.event];
  const bool halves = e.kind == EventKind::condition;
  const Sought sought{bracket.before,
                      bracket.behind,
                      halves,
                      sizes_[e.value],
                      [&](double theta, double& value) {
                        if (!dense(theta, values_) || !finite(values_)) return false;
                        value = measured(bracket, values_);
                        return true;
                      },
                      [&](double size, double& value) {
                        if (!made(size, values_) || !finite(values_)) return false;
                        value = measured(bracket, values_);
                        if (crossed(bracket, value)) {
                          behind_size_ = size;
                          behind_ = values_;
                        }
                        return true;
                      },
                      [&](double value) { return crossed(bracket, value); }};
  ChangeEnds ends;
  bool found = false;
  change = Change::none;
  behind_size_ = 0;
  if (!locate_change(sought, t, h, ends, found)) return false;
  if (!found) return true;
  // the dense output has it above zero for a while, steps have it below from the beginning, where it rests: neither is
  // good enough for that, and a shorter step is
  if (bracket.from == Side::above && sides_[bracket.event] == Side::open && e.of_contact() && ends.b <= soonest(t, h)) {
    undefined_ = bracket.event;
    return false;
  }
  at = ends.b;
  change = goes_round(e, ends.fa, ends.fb, sizes_[e.value]) ? Change::round : Change::passed;
  return true;
}

// A condition that held, and does not any more, but by rounding.
void EventWatch::open_truth(Side& side, std::uint32_t event) const {
  if (events_.list[event].kind == EventKind::condition && side == Side::above) side = Side::open;
}

// A gap, or a push, that has rested is missing where less is left of it than the step has begun with.
bool EventWatch::missing(std::uint32_t event, double value) const {
  return value < std::min(zero_[events_.list[event].value], 0.0) - zero_of(event);
}

// The side at the instant of a change. What has rested, and is not clear of rounding, rests.
Side EventWatch::at_instant(std::uint32_t event) const {
  const double value = values_[events_.list[event].value];
  const bool rests = sides_[event] == Side::open && events_.list[event].of_contact() && value <= zero_of(event) &&
                     !missing(event, value);
  return rests ? Side::open : side_of(event, values_);
}

// At the located change: which events belong to that instant, and on which side the others are. One that has gone to
// another side on the way, which fires nothing, may come back at this instant.
bool EventWatch::take_sides(double at, double tolerance, const Made& made, std::vector<std::uint32_t>& fired) {
  for (const std::uint32_t event : watched_)
    if (plain_[event] != 0 && !events_.list[event].of_contact() && sides_[event] != Side::open)
      sides_[event] = ahead_[event];
  const std::vector<Side> before = sides_;
  const auto round = [&](std::uint32_t event) {  // an angle goes round at this instant
    return std::any_of(brackets_.begin(), brackets_.end(), [&](const Bracket& b) {
      return b.event == event && b.round > 0 && std::fabs(b.round - at) <= tolerance;
    });
  };
  const auto stay_clear = [this](std::size_t k) {
    return plain_[watched_[k]] != 0 && stays(values_[numbers_[k]], sides_[watched_[k]]);
  };
  values_ = at_first_;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const std::uint32_t event = watched_[k];
    if (idle_[event] != 0 || stay_clear(k) || round(event))
      continue;
    else if (sides_[event] == Side::open && !events_.list[event].of_contact())
      sides_[event] = ahead_[event] == Side::open ? trial_[event] : ahead_[event];
    else if (const Side now = at_instant(event); now == Side::open)
      open_truth(sides_[event], event);
    else if (fires(event, sides_[event], now) || !rests(event, values_))
      sides_[event] = now;
  }
  if (!made(at + tolerance, values_) || !finite(values_)) return false;
  for (std::size_t k = 0; k < watched_.size(); ++k) {
    const std::uint32_t event = watched_[k];
    if (idle_[event] != 0 || (stay_clear(k) && sides_[event] == before[event])) continue;
    const Side later = at_instant(event);
    if (round(event)) {
      sides_[event] = later;
      continue;
    }
    const bool listed = std::find(fired.begin(), fired.end(), event) != fired.end();
    if (!listed && !fires(event, sides_[event], later) && !fires(event, before[event], sides_[event])) continue;
    if (!listed) fired.push_back(event);
    sides_[event] = Side::open;
  }
  return true;
}

// The earliest of the changes between two looks; `at` stays where none of them is real: their events are then on the
// side they were on.
bool EventWatch::locate_all(double t, double h, const Dense& dense, const Made& made, double& at,
                            std::vector<std::uint32_t>& fired) {
  // behind the first of those located so far; of angles, and of what is open, more is asked for
  const auto is_later = [this](const Bracket& bracket) {
    const problem::Event& e = events_.list[bracket.event];
    if (e.of_angles || (sides_[bracket.event] == Side::open && !e.of_contact())) return false;
    return !crossed(bracket, measured(bracket, at_first_));
  };
  for (Bracket& bracket : brackets_) {
    double found = 0;
    Change change{};
    if (!fired.empty() && is_later(bracket)) continue;
    if (!locate(bracket, t, h, dense, made, found, change)) return false;
    if (change == Change::none) here_[bracket.event] = trial_[bracket.event] = bracket.from;
    if (change == Change::round) bracket.round = found;
    if (change != Change::passed || (!fired.empty() && found >= at)) continue;
    at = found;
    fired.assign(1, bracket.event);
    if (at == behind_size_) {
      at_first_ = behind_;
    } else if (!made(at, at_first_) || !finite(at_first_)) {
      return false;
    }
  }
  for (const Bracket& bracket : brackets_)
    if (bracket.round > 0 && (fired.empty() || bracket.round < at)) sides_[bracket.event] = bracket.to;
  return true;
}

// What is below zero at the first change, and was above where the step begins, has passed zero before.
bool EventWatch::locate_missed(double t, double h, const Dense& dense, const Made& made, double& at,
                               std::vector<std::uint32_t>& fired) {
  for (double was = 0; was != at;) {
    was = at;
    std::vector<Bracket> missed;
    for (std::size_t k = 0; k < watched_.size(); ++k) {
      const std::uint32_t event = watched_[k];
      const double value = at_first_[numbers_[k]];
      const bool passed = idle_[event] == 0 && events_.list[event].of_contact() && sides_[event] == Side::above &&
                          value < 0 && !at_zero(numbers_[k], value);
      if (passed && fired.front() != event) missed.push_back({event, 0, at / h, Side::above, Side::below});
    }
    if (missed.empty()) return true;
    brackets_.swap(missed);
    if (!locate_all(t, h, dense, made, at, fired)) return false;
    brackets_.insert(brackets_.end(), missed.begin(), missed.end());
  }
  return true;
}

// The samples from the last one up to this, and what lies hidden in between.
bool EventWatch::sample_up_to(double theta, const Dense& dense) {
  const std::size_t seen = brackets_.size();
  ahead_ = trial_;
  while (hidden_ != nullptr && hidden_->any()) {
    const std::optional<double> hidden = hidden_->find(sampled_, theta, trial_, idle_);
    if (!hidden) break;
    if (!sample(*hidden, dense)) return false;
    sampled_ = *hidden;
    if (brackets_.size() > seen) return true;
    ahead_ = trial_;
  }
  sampled_ = theta;
  return sample(theta, dense) && look_into_dips(theta, dense);
}

// Before the first sample of one of the equal parts.
void EventWatch::begin_piece(std::int64_t k, double parts, const Along& along) {
  if (hidden_ == nullptr || !hidden_->any() || (k - 1) % kSamples != 0) return;
  const auto part = static_cast<double>((k - 1) / kSamples);
  hidden_->begin_piece(part / parts, (part + 1) / parts, along.row, trial_, idle_);
}

EventWatch::Found EventWatch::look(double t, double h, double tolerance, const Along& along, double& at,
                                   std::vector<std::uint32_t>& fired) {
  const auto& [dense, made, row] = along;
  bool open = false;
  before_ = sides_;
  if (!begin_look(dense, open)) return Found::undefined;
  sampled_ = 0;
  if (hidden_ != nullptr) hidden_->begin_step(t, h);
  const double parts = std::max(1.0, std::ceil(h * finest_ / kSamples));
  const std::int64_t last = static_cast<std::int64_t>(parts) * kSamples;
  begin_piece(1, parts, along);
  bool sampled = false;  // already, ahead of a change before
  for (std::int64_t k = open ? -kEventWatchFinest : 1; k <= last; ++k) {
    if (k == -1) k = 1;  // the first points lie at 4^k of the step, the others are Chebyshev's of its parts
    const double theta = k < 0 ? std::pow(4.0, static_cast<double>(k)) : sample_point(k, parts);
    if (k < 0 && (theta * h <= 4 * tolerance || theta >= sample_point(1, parts))) continue;
    if (k > 1) begin_piece(k, parts, along);
    brackets_.clear();
    if (!sampled && !sample_up_to(theta, dense)) return Found::undefined;
    if (std::exchange(sampled, false) || brackets_.empty()) continue;
    here_ = trial_;
    // what dips just before a change is seen with the sample behind it; where there is none, it lies beyond the change
    const std::size_t seen = brackets_.size();
    const bool at_sample = sampled_ == theta;
    if (k > 0 && k < last && at_sample) {
      const double next = sample_point(k + 1, parts);
      sampled = sample(next, dense) && look_into_dips(next, dense);
      if (sampled) sampled_ = next;
      if (!sampled) brackets_.resize(seen);
    }
    if (!locate_all(t, h, dense, made, at, fired)) return Found::undefined;
    if (!fired.empty()) {
      trial_ = here_;
      if (!locate_missed(t, h, dense, made, at, fired)) return Found::undefined;
      return take_sides(at, tolerance, made, fired) ? Found::change : Found::undefined;
    }
    if (!sampled) trial_ = here_;
    if (!at_sample) --k;  // the hidden change was none: the sample is still ahead
  }
  sides_ = trial_;
  return Found::nothing;
}

}  // namespace mbc::runtime
