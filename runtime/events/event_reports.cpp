// SPDX-License-Identifier: Apache-2.0
// Reports an instant: its rows, its callbacks, and the reason for which it ends the run.
#include <algorithm>

#include "base/contains.h"
#include "base/text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"
#include "runtime/events/event_instant.h"

namespace mbc::runtime {

Diagnostic about_event(const problem::Problem& info, Kind kind, std::uint32_t event, std::vector<std::string> args,
                       Span span, double t, const char* help) {
  args.insert(args.begin(), printable(info.events.list[event].name));
  Diagnostic d = diagnostic_of(kind, t, std::move(args), help);
  point_at(d, info, info.events.list[event].name, span);
  return d;
}

// Ends the run with a diagnostic for an event.
bool EventInstant::fail(Kind kind, std::uint32_t event, std::vector<std::string> args, Span span, double t,
                        const char* help) {
  return state_.stop(about_event(state_.info(), kind, event, std::move(args), span, t, help));
}

std::string EventInstant::shown(const problem::EventAction& action) const {
  const kernel::SystemLayout& l = state_.layout();
  if (action.kind == problem::EventAction::Kind::held) {
    const problem::DiscreteVariable& held = events_.discrete[action.index];
    const bool switched = held.use == problem::DiscreteVariable::Use::enabled;  // NAME.enabled
    return quoted_name(switched ? held.name.text().substr(0, held.name.text().rfind('.')) : held.name.text());
  }
  const std::uint32_t first = action.kind == problem::EventAction::Kind::coordinate ? 0
                              : action.kind == problem::EventAction::Kind::speed    ? l.speeds_at()
                                                                                    : l.states_at();
  return quoted_name(entry_name(state_.info(), l, first + action.index));
}

// Calls the callbacks of the events. Returns false if the run ends after one of them.
bool EventInstant::tell(double t, const std::vector<std::uint32_t>& fired) {
  for (std::uint32_t event : fired) {
    if (!events_.list[event].written()) continue;
    if (row_ == 0 && keeps_row_) {  // an instant of input samples or a discontinuity has led to this event
      row_ = events_.number_of(event);
      if (!recording_.kept_row(-row_)) return false;
    }
    fired_.push_back(event);
    if (options_.on_event) options_.on_event(t, event);
  }
  for (std::uint32_t event : fired) {
    if (const auto& text = events_.list[event].stop) return conclude(t) && end_by(t, *text);
    if (event == options_.until_event) return conclude(t) && end_by(t, events_.list[event].name);
  }
  return true;
}

// Records the row before the instant if rows of events are requested and an event of the user fires.
bool EventInstant::first_row(double t, const std::vector<std::uint32_t>& fired) {
  fired_.clear();
  row_ = 0;
  keeps_row_ = false;
  if (!options_.rows_of_events) return true;
  const auto first =
      std::find_if(fired.begin(), fired.end(), [this](std::uint32_t event) { return events_.list[event].written(); });
  if (first == fired.end()) {
    keeps_row_ = contact_.any() || std::any_of(fired.begin(), fired.end(), [this](std::uint32_t event) {
                   return events_.list[event].samples != nullptr;
                 });
    return !keeps_row_ || recording_.keep_row(t, state_.y(), state_.dy());
  }
  row_ = events_.number_of(*first);
  return recording_.row_of_event(t, state_.y(), state_.dy(), -row_);
}

// Records the row of the state that the instant leaves, and calls the observer of events.
bool EventInstant::conclude(double t) {
  if (row_ != 0 && !recording_.row_of_event(t, state_.y(), state_.dy(), row_)) return false;
  if (!options_.watch_event || fired_.empty()) return true;
  const double* y = state_.y().data();
  double* dy = state_.dy().data();
  state_.equations().outputs(t, y, dy);
  for (std::uint32_t event : fired_) options_.watch_event(t, event, y, dy);
  return true;
}

// Ends the run because one event, or several in turn, fire without end at one instant.
bool EventInstant::without_end(double t, const std::vector<std::uint32_t>& fired,
                               const std::vector<std::uint32_t>& passed) {
  const std::uint32_t event = fired[0];
  std::string others;
  for (std::uint32_t other : passed)
    if (!contains(fired, other)) others += (others.empty() ? "" : ", ") + quoted_name(events_.list[other].name);
  const bool alone = others.empty();
  Diagnostic d =
      about_event(state_.info(), Kind::events_without_end, event,
                  {std::to_string(kMostPasses) + " times", "one instant"}, events_.list[event].span, t,
                  alone ? "its body makes its own condition true again: let that read what the body has changed"
                        : "each makes the condition of the other true again: let one read what the other has changed");
  if (!alone) d.notes.push_back("in turn with " + others);
  return state_.stop(std::move(d));
}

// Ends the run at the end of the instant, whose row is the last one.
bool EventInstant::end_by(double t, const std::string& text) {
  state_.data().ended_by = text;
  state_.data().reached = t;
  recording_.row(t, state_.y(), state_.dy(), true);
  return false;
}

}  // namespace mbc::runtime
