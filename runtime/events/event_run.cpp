// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/event_run.h"

#include <cmath>
#include <utility>

#include "base/contains.h"
#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/failure_text.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

// An event that fires this often within this part of the run ends the run.
constexpr std::uint32_t kBurst = 1000;
constexpr std::uint32_t kEdgeBurst = 20;  // the same for an edge, which then loses its mode
constexpr double kBurstTime = 1e-6;
// An event also ends the run if its intervals have shrunk this often in a row, to less than that part.
constexpr std::uint32_t kShrinking = 12;
// At the start, a number within this many roundings of its terms is zero. A period must exceed this many roundings of
// the first time.
constexpr double kRoundings = 64;
constexpr int kMostUnclear = 1;  // halvings of a step in which bounds exclude too little
// The largest number of firings of one event in a run. A firing takes a microsecond or more, so this many take hours.
constexpr double kMostFirings = 1e9;

// Returns the numbers that decide the sides of event functions, and the arguments of step functions.
std::vector<std::uint32_t> numbers_of(const problem::Events& events, const std::vector<std::uint32_t>& watched) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t event : watched) {
    const problem::Event& e = events.list[event];
    if (e.of_contact() || e.of_rates) continue;
    each_number(e, [&](std::uint32_t number, Reading) { out.push_back(number); });
    if (e.kink && e.kink->kind == problem::Discontinuity::Kind::steps) out.push_back(e.kink->inside);
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

std::vector<const kernel::DataTable*> samples_of(const problem::Events& events) {
  std::vector<const kernel::DataTable*> out;
  for (const problem::Event& e : events.list) out.push_back(e.samples.get());
  return out;
}

}  // namespace

EventRun::EventRun(const RunPlan& plan, RunState& state, ConstraintHandling& constraints, Integration& integration,
                   Recording& recording, RunStart& start, Crossing& crossing, AcceptedState& accepted,
                   FollowedErrors& errors)
    : plan_(plan),
      state_(state),
      start_(start),
      events_(state_.info().events),
      crossing_(crossing),
      accepted_(accepted),
      errors_(errors),
      clock_(samples_of(events_)),
      signs_(events_, plan_.options().locates_kinks, integration.gaps_known()),
      watch_(events_, plan_.options().step * static_cast<double>(plan_.options().output_every), signs_),
      bounds_(state_.equations(), events_, numbers_of(events_, signs_.watched())),
      time_functions_(bounds_, plan_.length()),
      hidden_(events_, signs_.watched(), bounds_, time_functions_,
              [this](std::uint32_t number) { return signs_.zero_of_number(number); }),
      modes_(plan.options(), state, signs_),
      instant_(plan.options(), state, constraints, integration, recording, accepted, signs_, modes_,
               [this](double t) { return certify_again(t); }),
      firings_(events_.list.size()),
      y_(state_.layout().n_y()),
      dy_(y_.size()),
      values_(events_.n_values),
      displaced_(values_.size()),
      earlier_(values_.size()),
      evaluate_([this](double t, const double* y, double* dy, std::vector<double>& values) {
        instant_.evaluate(t, y, dy, values);
      }) {
  find_time_functions();
  signs_.know(&time_functions_);
  watch_.look_for(&hidden_);
}

void EventRun::find_time_functions() {
  for (const std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    if (e.of_angles && e.kind != problem::Event::Kind::condition) continue;  // a jump where it wraps is no zero
    bool of_time = false;
    each_number(e, [&](std::uint32_t number, Reading reading) {
      if (bounds_.of(number) != EventBounds::Of::time) return;
      time_functions_.add(number, reading);
      of_time = true;
    });
    if (of_time) of_time_.push_back(event);
  }
}

void EventRun::leave_looking() {
  time_functions_.clear();
  of_time_.clear();
  signs_.know(nullptr);
  watch_.look_for(nullptr);
}

bool EventRun::fail(Kind kind, std::uint32_t event, std::vector<std::string> args, double t, const char* help) {
  return state_.stop(about_event(state_.info(), kind, event, std::move(args), events_.list[event].span, t, help));
}

// ---- the start

bool EventRun::start(double t) {
  if (!instant_.begin(t) || !read_times(t) || !note_sides(t)) return false;
  time_functions_.begin(t);
  if (modes_.hold(values_) && !accepted_.evaluate_again(t)) return false;
  time_functions_.begin(t);
  take_time_sides();
  instant_.find_held_numbers(t, values_now(t));
  return take_initial_values(t) && arrive(t) && take_initial_values(t);
}

// Sets what `initial(e)` stands for: before the events of the beginning, which may read it, and after them, to the
// values of the first row.
bool EventRun::take_initial_values(double t) {
  for (std::uint32_t k = 0; k < events_.list.size(); ++k)
    if (events_.list[k].begins()) fired_.push_back(k);
  const bool goes_on = fired_.empty() || instant_.execute(t, fired_, tolerance(t));
  fired_.clear();
  return goes_on;
}

bool EventRun::read_times(double t) {
  values_now(t);
  clock_.clear();
  for (std::uint32_t k = 0; k < events_.list.size(); ++k) {
    const problem::Event& e = events_.list[k];
    if (!e.timed() || e.begins()) continue;
    if (e.kink) {
      if (plan_.options().locates_kinks) clock_.add_points(k, t, tolerance(t));
      continue;
    }
    if (e.samples) {
      clock_.add_samples(k, t, tolerance(t));
      fired_.assign(1, k);
      if (!within_samples(t)) return false;
      fired_.clear();
      continue;
    }
    const bool every = e.kind == problem::Event::Kind::every;
    const double value = values_[e.value], from = every ? values_[e.from] : value;
    const double period = every ? value : 0;
    if (!std::isfinite(value) || !std::isfinite(from) || (every && !(period > tolerance(t))))
      return fail(Kind::event_time_unfit, k, {every ? "period" : "time", text::short_number(value, 6)}, t);
    if (every && !(period > kRoundings * kEpsilon * std::fabs(from)))
      return fail(Kind::event_time_unfit, k, {"first time", text::short_number(from, 6)}, t,
                  "beside it the period is lost in rounding: let it begin near the run");
    warn_if_outside(k, from, clock_.add(k, from, period, t, tolerance(t)), t);
  }
  return can_reach(t, t + plan_.length());
}

// Warns of an event that is due outside of the run. `due` is its first time from the beginning on.
void EventRun::warn_if_outside(std::uint32_t event, double from, double due, double begin) {
  const double end = begin + plan_.length();
  if (!plan_.options().whole || due <= end + tolerance(end)) return;
  const bool passed = std::isinf(due), again = events_.list[event].kind == problem::Event::Kind::every;
  const std::string time = text::short_number(passed ? from : due, 6);
  state_.data().warnings.push_back(about_event(
      state_.info(), Kind::event_outside, event,
      {passed ? "its time, " + time + ", is before the beginning of the run, " + text::short_number(begin, 6)
              : (again ? "its first time, " : "its time, ") + time + ", is after the end of the run, " +
                    text::short_number(end, 6)},
      events_.list[event].span, begin));
}

bool EventRun::can_reach(double t, double end) {
  const EventClock::Firings most = clock_.most_firings(end);
  if (!(most.count > kMostFirings)) return true;
  Diagnostic d =
      about_event(state_.info(), Kind::event_time_unfit, most.event, {"period", text::short_number(most.period, 6)},
                  events_.list[most.event].span, t, "a longer period, or an earlier end");
  d.note("until t = " + text::short_number(end, 6) + " it would fire " + text::short_number(most.count, 3) +
         " times, which takes hours or longer: at most " + text::short_number(kMostFirings, 1) + " are made");
  return state_.stop(std::move(d));
}

void EventRun::transfer(Archive& archive) {
  archive(clock_, signs_, instant_);
  archive.fixed(firings_);
  if (!archive.reading()) return;
  time_functions_.forget();
  const problem::DiscreteState state = state_.equations().discrete_state(events_);
  for (std::uint32_t k = 0; k < events_.discrete.size(); ++k) archive.expect(events_.discrete[k].may_be(state[k]));
}

// Measures the size of the terms in each event function by its response to a small relative change of the state.
void EventRun::measure_terms(double t, std::vector<double>& terms) {
  constexpr double kPart = 1e-6;
  y_ = state_.y();
  for (std::uint32_t i = 0; i < state_.layout().work_at(); ++i) y_[i] *= 1 + kPart;
  instant_.evaluate(t, y_.data(), state_.dy().data(), terms);
  for (std::size_t k = 0; k < terms.size(); ++k) terms[k] = std::fabs(terms[k] - values_[k]) / kPart;
  instant_.evaluate(t, state_.y().data(), state_.dy().data(), values_);
}

bool EventRun::note_sides(double t) {
  std::vector<double> terms(values_.size());
  measure_terms(t, terms);
  for (std::uint32_t number = 0; number < terms.size(); ++number)
    if (std::isfinite(terms[number])) signs_.expect_rounding(number, kRoundingOfDense * terms[number]);
  for (std::uint32_t event : signs_.watched()) {
    const problem::Event& e = events_.list[event];
    if (e.of_contact()) continue;
    if (!std::isfinite(values_[e.value]) && !e.kink) return fail(Kind::event_undefined, event, {"what is watched"}, t);
    const Side side = signs_.begins_on(event, values_, terms, kRoundings * kEpsilon);
    signs_.side(event) = side;
    if (e.kink) continue;
    const bool condition = e.kind == problem::Event::Kind::condition;
    if (side != (condition ? Side::above : Side::open)) continue;
    state_.data().warnings.push_back(
        about_event(state_.info(), Kind::event_begins_there, event, {condition ? "is true" : "is at zero"}, e.span, t));
  }
  return true;
}

bool EventRun::values_at(double t, double* y, std::vector<double>& values) {
  normalise(state_.info(), y);
  if (signs_.of_rates() && state_.equations().rhs(t, y, dy_.data()) != 0) return false;
  instant_.evaluate(t, y, dy_.data(), values);
  return true;
}

bool EventRun::nothing_passed(double end) {
  if (!signs_.any()) return true;
  y_ = state_.y();
  if (!values_at(end, y_.data(), values_)) return state_.undefined(end);
  for (std::uint32_t event : signs_.watched()) {
    if (signs_.is_idle(event)) continue;
    const Side now = signs_.side_of(event, values_);
    if (events_.list[event].kink) {
      signs_.side(event) = now;
      continue;
    }
    if (signs_.fires(event, signs_.side(event), now)) return fail(Kind::event_at_singular, event, {}, end);
    if (now != Side::open) signs_.side(event) = now;
  }
  return true;
}

bool EventRun::undefined(double t) {
  return fail(
      Kind::event_undefined, watch_.undefined(), {"what is watched"}, t,
      "just behind this time; a table has no value outside of its points unless it says `beyond = hold` or `line`");
}

// ---- steps of the method's own size

EventRun::StepVerdict EventRun::look(double t, double h, const EventWatch::Along& along, double& at) {
  if (const StepVerdict looked = shorter_by_time(t, h, at); looked != StepVerdict::accepted) return looked;
  watch_.expect_kinks(modes_.holds());
  if (instant_.contact().follows() && along.dense(0, values_)) instant_.contact().follow(values_);
  std::vector<std::uint32_t> jumps = modes_.at_jumps();
  const EventWatch::Found found = watch_.look(t, h, tolerance(t + h), along, at, fired_);
  const auto shorter = [&] {
    look_again();
    at = 0.5 * h;
    return StepVerdict::shorten;
  };
  const auto goes_back = [&] {
    bool back = false;
    const double end = fired_.empty() ? 1 : at / h;
    for (double part = kJustBehind; part < end && !jumps.empty() && !back; part *= 10)
      back = along.dense(part, values_) && modes_.takes_other_side(jumps, values_);
    return back;
  };
  if (found != EventWatch::Found::undefined && modes_.fit() && !goes_back()) {
    if (watch_.unclear() && ++unclear_ <= kMostUnclear && h > 2 * tolerance(t + h)) return shorter();
    unclear_ = 0;
    return limits_hold(t, h, fired_.empty() ? 1 : at / h, along.dense) ? StepVerdict::accepted : StepVerdict::ended;
  }
  if (found == EventWatch::Found::undefined) {
    if (state_.data().diagnostic) return StepVerdict::ended;
    look_again();
    if (modes_.open_all()) return StepVerdict::retry;
    if (h > 2 * tolerance(t + h)) return shorter();
    undefined(t);
    return StepVerdict::ended;
  }
  // The event function goes back by the mode that has just been set: the motion slides or only touches the
  // discontinuity.
  const bool goes_on = modes_.refit(t, h, evaluate_);
  look_again();
  return goes_on ? StepVerdict::retry : StepVerdict::ended;
}

// Shortens the step to the first change of what depends on the time alone.
EventRun::StepVerdict EventRun::shorter_by_time(double t, double h, double& at) {
  look_ahead(t, t + h);
  const double next = time_functions_.next();
  if (!(next < t + h - tolerance(t + h) && next > t + tolerance(t))) return StepVerdict::accepted;
  at = next - t;
  return StepVerdict::shorten;
}

// Checks, before rows of a step are recorded, that no limit of a friction is negative at its end. Otherwise the run
// ends where a limit becomes negative.
bool EventRun::limits_hold(double t, double h, double part, const EventWatch::Dense& dense) {
  if (!instant_.contact().limits_vary()) return true;
  const auto negative = [&](double at) { return dense(at, values_) && instant_.contact().negative_limit(values_); };
  if (!negative(part)) return true;
  double low = 0, high = part;
  while ((high - low) * h > tolerance(t + h)) {
    const double middle = 0.5 * (low + high);
    (negative(middle) ? high : low) = middle;
  }
  dense(high, values_);
  return instant_.contact().limits_hold(t + high * h, values_);
}

EventRun::StepVerdict EventRun::shorten(double t, double& h, const EventWatch::Along& along) {
  const EventWatch::Dense& dense = along.dense;
  double at = h;
  const StepVerdict looked = look(t, h, along, at);
  if (looked == StepVerdict::shorten) h = at;
  if (looked != StepVerdict::accepted || fired_.empty()) return looked;
  // A very small slip keeps the direction that it had at the beginning of the step. If a slip that comes to rest turns
  // within the step, the rate at its end and the rows within it would have the wrong direction.
  constexpr double kOnTheWay = 0.75;
  const bool follows = instant_.contact().follows() && dense(0, values_);
  if (follows) later_ = values_;
  if (follows && dense(kOnTheWay * at / h, values_) && instant_.contact().turns_to_rest(fired_, later_, values_)) {
    look_again();
    h = 0.5 * h;
    return StepVerdict::shorten;
  }
  h = at;
  return looked;
}

bool EventRun::stands_clear(double t, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                            std::span<double> sizes) {
  if (!signs_.any()) return true;
  return stand_clear(numbers, events_, signs_, values_now(t), signs, sizes);
}

void EventRun::take_sizes(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes) {
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!numbers[k].truth) signs_.expect(numbers[k].value, sizes[k]);
}

// ---- instants

bool EventRun::arrive(double t, const std::vector<std::uint32_t>& fired) {
  fired_.insert(fired_.end(), fired.begin(), fired.end());
  clock_.take_due(t, tolerance(t), fired_);
  if (time_functions_.take_due(t, tolerance(t))) {
    values_now(t);
    take_time_sides();
  }
  if (!fired_.empty()) {
    if (!within_samples(t) || goes_on_firing(t)) return false;
    const double late = late_by_error(t);
    const bool went_on = instant_.execute(t, fired_, tolerance(t));
    fired_.clear();
    if (!went_on || !hold_modes(t)) return false;
    errors_.pass(late);
  } else if (!hold_modes(t)) {
    return false;
  }
  if (!instant_.contact().limits_vary()) return true;
  return instant_.contact().limits_hold(t, values_now(t));
}

// Finds the events that fire because something that depends on the time alone has changed. values_ are those of the
// current state.
void EventRun::take_time_sides() {
  for (const std::uint32_t event : of_time_) {
    if (contains(fired_, event)) continue;
    const Side was = signs_.side(event), now = signs_.side_of(event, values_);
    const bool changes = events_.list[event].kink ? was != now : signs_.fires(event, was, now);
    if (changes)
      fired_.push_back(event);
    else if (now != Side::open)
      signs_.side(event) = now;
  }
}

bool EventRun::hold_modes(double t) {
  return !modes_.waits() || !modes_.hold(values_now(t)) || accepted_.evaluate_again(t);
}

const std::vector<double>& EventRun::values_now(double t) {
  instant_.evaluate(t, state_.y().data(), state_.dy().data(), values_);
  return values_;
}

// Returns the estimated time until the first slip in two directions comes to rest, by its present rate. Returns
// infinity if there is no such slip. The caller looks again after a part of this time.
double EventRun::time_to_rest(double t, double apart) {
  if (!instant_.contact().follows()) return std::numeric_limits<double>::infinity();
  const std::vector<double>& dy = state_.dy();
  later_.resize(values_.size());
  values_now(t);
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = state_.y()[i] + apart * dy[i];
  dy_ = dy;
  instant_.evaluate(t + apart, y_.data(), dy_.data(), later_);
  return instant_.contact().rests_in(values_, later_, apart);
}

// Checks that the run stays within the samples of inputs that have no value beyond them.
bool EventRun::within_samples(double t) {
  for (std::uint32_t event : fired_) {
    const problem::Event& e = events_.list[event];
    if (!e.samples || e.kink || e.samples->beyond() != kernel::DataTable::Beyond::error) continue;
    const double first = e.samples->arguments().front(), last = e.samples->arguments().back();
    if (t >= first - tolerance(t) && t <= last + tolerance(t)) continue;
    Diagnostic d = about_event(state_.info(), Kind::table_outside, event, {}, e.span, t);
    d.args = outside_table(t, first, last);
    d.notes.push_back("it is the signal of " + quoted(e.name));
    return state_.stop(std::move(d));
  }
  return true;
}

// Ends the run and returns true if an event fires so often that the run would never end. An edge loses its mode
// instead.
bool EventRun::goes_on_firing(double t) {
  for (std::size_t k = 0; k < fired_.size(); ++k) {
    const std::uint32_t event = fired_[k];
    const problem::Event& e = events_.list[event];
    if (e.timed() || contains(of_time_, event)) continue;
    Firing& f = firings_[event];
    const double interval = t - f.last;
    f.shrinking = interval < f.interval ? f.shrinking + 1 : 0;
    f.interval = interval;
    f.last = t;
    if (t - f.burst_from > kBurstTime * plan_.length()) {
      f.burst_from = t;
      f.burst = 0;
    }
    ++f.burst;
    const bool closer = !e.of_contact() && f.shrinking >= kShrinking && interval < kBurstTime * plan_.length();
    const bool edge = modes_.is_edge(event);
    if (!closer && f.burst < (edge ? kEdgeBurst : kBurst)) continue;
    if (edge) {  // an edge is continuous, so both modes are right
      modes_.release(event);
      f = {};
      fired_.erase(fired_.begin() + static_cast<std::ptrdiff_t>(k--));
      continue;
    }
    if (e.kink) return !modes_.chatters(t, event);
    const std::string within =
        closer ? text::short_number(interval, 3) + " of the last time" : text::short_number(t - f.burst_from, 3);
    return !fail(Kind::events_without_end, event, {closer ? "again" : std::to_string(f.burst) + " times", within}, t,
                 "say what holds in the limit: let the event end it, by a condition on what shrinks");
  }
  return false;
}

// Certifies the rows after rows were switched or positions have jumped, and finds their generic rank again.
bool EventRun::certify_again(double t) {
  RankReport at_start = std::move(state_.data().start);
  const bool good = start_.certify_again(t) && crossing_.begin(t);
  state_.data().start = std::move(at_start);
  return good;
}

}  // namespace mbc::runtime
