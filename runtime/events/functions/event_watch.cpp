// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/event_watch.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <utility>

#include "base/contains.h"
#include "runtime/events/functions/locate_change.h"

namespace mbc::runtime {

namespace {

using EventKind = problem::Event::Kind;

constexpr int kSamples = 9;               // per step: one more than the order of the highest method
constexpr double kPerRow = 4;             // at least this many in the time between two rows
constexpr int kEventWatchFinest = 12;     // after an event the first look is at 4^-kEventWatchFinest of the step
constexpr double kEventWatchSoon = 1e-8;  // of a step: the slopes at its beginning are taken up to there
constexpr int kTowardsMinimum = 3;        // looks at the lowest point of a gap whose samples are all above zero
constexpr double kRound = 1e-6;           // relative size above which a change between two close times is a jump

// Returns the k-th sample of a step that is divided into equal parts, each with its Chebyshev points.
double sample_point(std::int64_t k, double parts) {
  const std::int64_t part = (k - 1) / kSamples, of_part = k - part * kSamples;
  const double inside =
      of_part == kSamples ? 1 : 0.5 * (1 - std::cos(std::numbers::pi * static_cast<double>(of_part) / kSamples));
  return (static_cast<double>(part) + inside) / parts;
}

// Returns whether an angle wraps between two values just before and after: it jumps from pi to -pi and does not pass
// zero.
bool goes_round(const problem::Event& e, double before, double behind, double size) {
  return e.of_angles && e.kind != EventKind::condition && std::fabs(behind - before) > kRound * size;
}

// Returns whether a number is clearly on this side.
bool stays(double value, Side side) { return (side == Side::above && value > 0) || (side == Side::below && value < 0); }

// Times that differ by less than this are equal.
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

EventWatch::EventWatch(const problem::Events& events, double apart, EventSigns& signs)
    : events_(events),
      signs_(signs),
      finest_(apart > 0 ? kPerRow / apart : 0),
      plain_(events.list.size()),
      trial_(events.list.size()),
      last_(events.list.size()),
      values_(events.n_values),
      at_first_(events.n_values) {
  for (const std::uint32_t event : signs.watched()) {
    numbers_.push_back(events.list[event].value);
    if (events.list[event].may_graze()) grazing_.watch({event, events.list[event].value});
  }
  brackets_.reserve(signs.watched().size());
  look_for(nullptr);
}

void EventWatch::look_for(HiddenChanges* hidden) {
  hidden_ = hidden;
  for (const std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    plain_[event] = e.kind != EventKind::condition && !e.kink && !e.of_angles && !signs_.is_timed(event) ? 1 : 0;
  }
}

bool EventWatch::finite(const std::vector<double>& values) {
  for (std::size_t k = 0; k < signs_.watched().size(); ++k) {
    if (std::isfinite(values[numbers_[k]])) continue;
    undefined_ = signs_.watched()[k];
    if (!signs_.is_idle(undefined_) && (!events_.list[undefined_].kink || kinks_defined_)) return false;
  }
  return true;
}

// Looks at one point of the step: sides are updated from point to point, and each change that fires an event is kept.
bool EventWatch::sample(double theta, const Dense& dense) {
  if (!dense(theta, values_) || !finite(values_)) return false;
  for (std::size_t k = 0; k < signs_.watched().size(); ++k) {
    const std::uint32_t event = signs_.watched()[k];
    if (signs_.is_idle(event)) continue;
    if (plain_[event] != 0 && stays(values_[numbers_[k]], trial_[event])) {  // the common case
      signs_.expect(numbers_[k], std::fabs(values_[numbers_[k]]));
      last_[event] = theta;
      continue;
    }
    const problem::Event& e = events_.list[event];
    signs_.measure(event, values_);
    Side now = signs_.side_of(event, values_);
    const bool of_time = e.kind != EventKind::condition && signs_.known_side(e.value, Reading::number).has_value();
    if (trial_[event] == Side::open && !of_time) now = signs_.leaves(event, theta, values_);
    // A discontinuity at the very end of a step counts as passed, so that a row there is the one after it.
    if (e.kink && !of_time && theta == 1 && trial_[event] != Side::open && values_[e.value] == 0)
      now = flipped(trial_[event]);
    if (now == Side::open) signs_.open_truth(trial_[event], event);
    if (now == Side::open || (quiet(event, now) && signs_.rests(event, values_))) continue;
    if (signs_.fires(event, trial_[event], now)) brackets_.push_back({event, last_[event], theta, trial_[event], now});
    trial_[event] = now;
    last_[event] = theta;
  }
  return true;
}

// Returns whether a change of side fires nothing. At a number that rests at zero (a guard on a held quantity, a control
// on its switching curve) rounding makes such changes, and the change back would fire.
bool EventWatch::quiet(std::uint32_t event, Side now) const {
  return trial_[event] != Side::open && trial_[event] != now && !signs_.fires(event, trial_[event], now);
}

// A gap that is above zero at three points and lowest at the middle one may be below zero in between.
bool EventWatch::look_for_grazing(double theta, const Dense& dense) {
  const auto above = [this](std::uint32_t event) { return !signs_.is_idle(event) && trial_[event] == Side::above; };
  return grazing_.sample(theta, values_, above, [&](Grazing::Gap gap, LocalMinimum minimum) {
    for (int k = 0; k < kTowardsMinimum; ++k) {
      const double part = minimum.guessed ? minimum.theta[1] : minimum.lowest();
      if (part == minimum.theta[1] && !minimum.guessed) return true;
      if (!dense(part, values_) || !finite(values_)) return false;
      const double value = values_[gap.number];
      if (value < 0) {
        const double before = part > minimum.theta[1] && !minimum.guessed ? minimum.theta[1] : minimum.theta[0];
        brackets_.push_back({gap.event, before, part, Side::above, Side::below});
        return true;
      }
      minimum.take(part, value);
    }
    return true;
  });
}

// Begins a look. `open` tells whether any side is open.
bool EventWatch::begin_look(const Dense& dense, bool& open) {
  trial_ = signs_.sides();
  std::fill(last_.begin(), last_.end(), 0.0);
  brackets_.clear();
  open = false;
  for (std::uint32_t event : signs_.watched())
    open = open || (signs_.side(event) == Side::open && !signs_.is_idle(event));
  if (!open && !grazing_.any()) return true;
  if (!dense(0, values_) || !finite(values_)) return false;
  signs_.begin_step(values_);
  if (!grazing_.any()) return true;
  if (!dense(kEventWatchSoon, values_) || !finite(values_)) return false;
  grazing_.begin(signs_.at_begin(), kEventWatchSoon, values_);
  return true;
}

double EventWatch::measured(const Bracket& bracket, const std::vector<double>& values) const {
  const problem::Event& e = events_.list[bracket.event];
  // A number that has rested at zero leaves it where it is clear of rounding.
  const bool rested = e.of_contact() && bracket.from == Side::open;
  return values[e.value] + (rested ? signs_.zero_of(bracket.event) - signs_.rest_of(bracket.event) : 0);
}

bool EventWatch::crossed(const Bracket& bracket, double value) const {
  const problem::Event& e = events_.list[bracket.event];
  if (e.kind == EventKind::condition) return value != 0;
  return bracket.to == Side::above ? value >= 0 : value <= 0;
}

// Locates a change on steps of the method, which may show that there is none.
bool EventWatch::locate(const Bracket& bracket, double t, double h, const Dense& dense, const Made& made, double& at,
                        Change& change) {
  const problem::Event& e = events_.list[bracket.event];
  const bool halves = e.kind == EventKind::condition;
  const Sought sought{bracket.before,
                      bracket.behind,
                      halves,
                      signs_.size_of(e.value),
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
  // The dense output has the gap above zero for a while. Steps of the method have it below from the beginning, where it
  // rests. Neither is accurate enough, and a shorter step is.
  if (bracket.from == Side::above && signs_.side(bracket.event) == Side::open && e.of_contact() &&
      ends.b <= soonest(t, h)) {
    undefined_ = bracket.event;
    return false;
  }
  at = ends.b;
  change = goes_round(e, ends.fa, ends.fb, signs_.size_of(e.value)) ? Change::round : Change::passed;
  return true;
}

// Sets the sides at the located change and finds the events of that instant. An event that has changed its side earlier
// without firing may change back at this instant.
bool EventWatch::take_sides(double at, double tolerance, const Made& made, std::vector<std::uint32_t>& fired) {
  for (const std::uint32_t event : signs_.watched()) {
    const bool silent = plain_[event] != 0 || events_.list[event].kind == EventKind::condition;
    if (silent && !events_.list[event].of_contact() && signs_.side(event) != Side::open)
      signs_.side(event) = ahead_[event];
  }
  const std::vector<Side> before = signs_.sides();
  const auto round = [&](std::uint32_t event) {  // an angle wraps at this instant
    return std::any_of(brackets_.begin(), brackets_.end(), [&](const Bracket& b) {
      return b.event == event && b.round > 0 && std::fabs(b.round - at) <= tolerance;
    });
  };
  const auto stay_clear = [this](std::size_t k) {
    return plain_[signs_.watched()[k]] != 0 && stays(values_[numbers_[k]], signs_.side(signs_.watched()[k]));
  };
  values_ = at_first_;
  for (std::size_t k = 0; k < signs_.watched().size(); ++k) {
    const std::uint32_t event = signs_.watched()[k];
    if (signs_.is_idle(event) || stay_clear(k) || round(event))
      continue;
    else if (signs_.side(event) == Side::open && !events_.list[event].of_contact())
      signs_.side(event) = ahead_[event] == Side::open ? trial_[event] : ahead_[event];
    else if (const Side now = signs_.at_instant(event, values_); now == Side::open)
      signs_.open_truth(event);
    else if (signs_.fires(event, signs_.side(event), now) || !signs_.rests(event, values_))
      signs_.side(event) = now;
  }
  if (!made(at + tolerance, values_) || !finite(values_)) return false;
  for (std::size_t k = 0; k < signs_.watched().size(); ++k) {
    const std::uint32_t event = signs_.watched()[k];
    if (signs_.is_idle(event) || (stay_clear(k) && signs_.side(event) == before[event])) continue;
    const Side later = signs_.at_instant(event, values_);
    if (round(event)) {
      signs_.side(event) = later;
      continue;
    }
    const bool listed = contains(fired, event);
    if (!listed && !signs_.fires(event, signs_.side(event), later) &&
        !signs_.fires(event, before[event], signs_.side(event)))
      continue;
    if (!listed) fired.push_back(event);
    signs_.side(event) = Side::open;
  }
  return true;
}

// Finds the earliest of the changes between two looks. If none is real, `at` does not change and their events stay on
// their sides.
bool EventWatch::locate_all(double t, double h, const Dense& dense, const Made& made, double& at,
                            std::vector<std::uint32_t>& fired) {
  // A change after the first located one is skipped. Angles and open sides are always located.
  const auto is_later = [this](const Bracket& bracket) {
    const problem::Event& e = events_.list[bracket.event];
    if (e.of_angles || (signs_.side(bracket.event) == Side::open && !e.of_contact())) return false;
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
    if (bracket.round > 0 && (fired.empty() || bracket.round < at)) signs_.side(bracket.event) = bracket.to;
  return true;
}

// A contact that is below zero at the first change and above it at the beginning of the step has passed zero before.
bool EventWatch::locate_missed(double t, double h, const Dense& dense, const Made& made, double& at,
                               std::vector<std::uint32_t>& fired) {
  for (double was = 0; was != at;) {
    was = at;
    std::vector<Bracket> missed;
    for (std::size_t k = 0; k < signs_.watched().size(); ++k) {
      const std::uint32_t event = signs_.watched()[k];
      const double value = at_first_[numbers_[k]];
      const bool passed = !signs_.is_idle(event) && events_.list[event].of_contact() &&
                          signs_.side(event) == Side::above && value < 0 && !signs_.at_zero(numbers_[k], value);
      if (passed && fired.front() != event) missed.push_back({event, 0, at / h, Side::above, Side::below});
    }
    if (missed.empty()) return true;
    brackets_.swap(missed);
    if (!locate_all(t, h, dense, made, at, fired)) return false;
    brackets_.insert(brackets_.end(), missed.begin(), missed.end());
  }
  return true;
}

// Samples from the last point up to this one, with the hidden changes in between.
bool EventWatch::sample_up_to(double theta, const Dense& dense) {
  const std::size_t seen = brackets_.size();
  ahead_ = trial_;
  while (hidden_ != nullptr && hidden_->any()) {
    const std::optional<double> hidden = hidden_->find(sampled_, theta, trial_, signs_.idle());
    if (!hidden) break;
    if (!sample(*hidden, dense)) return false;
    sampled_ = *hidden;
    if (brackets_.size() > seen) return true;
    ahead_ = trial_;
  }
  sampled_ = theta;
  return sample(theta, dense) && look_for_grazing(theta, dense);
}

// Returns whether changes hide before a sample that was taken ahead of an unreal change. That sample is then repeated.
bool EventWatch::hides_before(double theta) {
  if (hidden_ == nullptr || !hidden_->any() || !hidden_->find(at_here_, theta, here_, signs_.idle())) return false;
  trial_ = here_;
  last_ = last_here_;
  sampled_ = at_here_;
  return true;
}

// Bounds a piece before its first sample.
void EventWatch::begin_piece(std::int64_t k, double parts, const Along& along) {
  if (hidden_ == nullptr || !hidden_->any() || (k - 1) % kSamples != 0) return;
  const auto part = static_cast<double>((k - 1) / kSamples);
  hidden_->begin_piece(part / parts, (part + 1) / parts, along.row, trial_, signs_.idle());
}

EventWatch::Found EventWatch::look(double t, double h, double tolerance, const Along& along, double& at,
                                   std::vector<std::uint32_t>& fired) {
  const auto& [dense, made, row] = along;
  bool open = false;
  before_ = signs_.sides();
  if (!begin_look(dense, open)) return Found::undefined;
  sampled_ = 0;
  if (hidden_ != nullptr) hidden_->begin_step(t, h);
  const double parts = std::max(1.0, std::ceil(h * finest_ / kSamples));
  const std::int64_t last = static_cast<std::int64_t>(parts) * kSamples;
  begin_piece(1, parts, along);
  bool sampled = false;  // the sample was taken ahead of an earlier change
  for (std::int64_t k = open ? -kEventWatchFinest : 1; k <= last; ++k) {
    if (k == -1) k = 1;  // the first points lie at 4^k of the step, the others are Chebyshev points of its parts
    const double theta = k < 0 ? std::pow(4.0, static_cast<double>(k)) : sample_point(k, parts);
    if (k < 0 && (theta * h <= 4 * tolerance || theta >= sample_point(1, parts))) continue;
    if (k > 1) begin_piece(k, parts, along);
    brackets_.clear();
    if (sampled && hides_before(theta)) sampled = false;
    if (!sampled && !sample_up_to(theta, dense)) return Found::undefined;
    if (std::exchange(sampled, false) || brackets_.empty()) continue;
    here_ = trial_;
    // Grazing just before a change shows only with the sample after it. If that sample is undefined, it lies beyond the
    // change.
    const std::size_t seen = brackets_.size();
    const bool at_sample = sampled_ == theta;
    if (k > 0 && k < last && at_sample) {
      const double next = sample_point(k + 1, parts);
      last_here_ = last_;
      at_here_ = theta;
      sampled = sample(next, dense) && look_for_grazing(next, dense);
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
    if (!at_sample) --k;  // the hidden change was not real: the sample is still ahead
  }
  signs_.take(trial_);
  return Found::nothing;
}

}  // namespace mbc::runtime
