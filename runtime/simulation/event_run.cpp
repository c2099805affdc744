// SPDX-License-Identifier: Apache-2.0
#include "runtime/simulation/event_run.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/text.h"
#include "runtime/equations/failure_text.h"
#include "runtime/simulation/data/run_failure.h"
#include "runtime/simulation/run_start.h"

namespace mbc::runtime {

namespace {

// An event that fires so often within so small a part of the run will not let it end.
constexpr std::uint32_t kBurst = 1000;
constexpr double kBurstTime = 1e-6;
// Nor will one whose intervals have shrunk so often in a row, to less than that part.
constexpr std::uint32_t kShrinking = 12;
// A step with so many events is looked up from, whether the run is to end.
constexpr std::uint32_t kPieces = 1000;
// A number at the start that is this many roundings of its terms is zero, and a period of this many of its first time.
constexpr double kRoundings = 64;
constexpr int kMostUnclear = 1;  // halvings of a step in which bounds exclude too little
// Of one event in a run. A firing takes a microsecond or more: so many are hours.
constexpr double kMostFirings = 1e9;

// The cubic with the values and rates of both ends (Hermite): theta of the way.
void between(double theta, double h, const std::vector<double>& y0, const std::vector<double>& dy0,
             const std::vector<double>& y1, const std::vector<double>& dy1, std::vector<double>& out) {
  const double s = 1 - theta, a = s * s * (1 + 2 * theta), b = theta * theta * (3 - 2 * theta), c = h * theta * s * s,
               d = -h * theta * theta * s;
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = a * y0[i] + b * y1[i] + c * dy0[i] + d * dy1[i];
}

// The numbers that decide on the sides of what is watched, and what steps of piecewise functions are steps of.
std::vector<std::uint32_t> numbers_of(const problem::Events& events, const EventWatch& watch) {
  std::vector<std::uint32_t> out;
  for (const std::uint32_t event : watch.watched()) {
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

EventRun::EventRun(RunParts& run, Crossing& crossing, AcceptedState& accepted, Stepping& stepping)
    : run_(run),
      events_(run.info.events),
      crossing_(crossing),
      accepted_(accepted),
      stepping_(stepping),
      clock_(samples_of(events_)),
      watch_(events_, run.options.step * static_cast<double>(run.options.output_every), run.options.locates_kinks,
             run.gaps_known),
      bounds_(run.equations, events_, numbers_of(events_, watch_)),
      time_functions_(bounds_, length()),
      hidden_(events_, watch_.watched(), bounds_, time_functions_,
              [this](std::uint32_t number) { return watch_.zero_of_number(number); }),
      branches_(run, watch_),
      instant_(run, accepted, watch_, branches_, [this](double t) { return certify_again(t); }),
      firings_(events_.list.size()),
      y_(run.layout.n_y()),
      dy_(y_.size()),
      end_(y_.size()),
      end_rate_(y_.size()),
      values_(events_.n_values),
      evaluate_([this](double t, const double* y, double* dy, std::vector<double>& values) {
        instant_.evaluate(t, y, dy, values);
      }) {
  find_time_functions();
  watch_.know(&time_functions_, &hidden_);
}

void EventRun::find_time_functions() {
  for (const std::uint32_t event : watch_.watched()) {
    const problem::Event& e = events_.list[event];
    if (e.of_angles && e.kind != problem::Event::Kind::condition) continue;  // where it wraps it passes no zero
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
  watch_.know(nullptr, nullptr);
}

double EventRun::length() const {
  const SimulateOptions& o = run_.options;
  return o.horizon > 0 ? o.horizon : run_.time_of(o.steps) - o.begin;
}

bool EventRun::fail(Kind kind, std::uint32_t event, std::vector<std::string> args, double t, const char* help) {
  return run_.end(RunStatus::stopped,
                  about_event(run_.info, kind, event, std::move(args), events_.list[event].span, t, help));
}

// ---- the start

bool EventRun::start(double t) {
  if (!instant_.begin(t) || !read_times(t) || !note_sides(t)) return false;
  time_functions_.begin(t);
  branches_.hold(values_);
  time_functions_.begin(t);
  take_time_sides();
  return arrive(t);
}

bool EventRun::read_times(double t) {
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  clock_.clear();
  for (std::uint32_t k = 0; k < events_.list.size(); ++k) {
    const problem::Event& e = events_.list[k];
    if (!e.timed()) continue;
    if (e.kink) {
      if (run_.options.locates_kinks) clock_.add_points(k, t, tolerance(t));
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
    clock_.add(k, from, period, t, tolerance(t));
  }
  return can_reach(t, t + length());
}

bool EventRun::can_reach(double t, double end) {
  const EventClock::Firings most = clock_.most_firings(end);
  if (!(most.count > kMostFirings)) return true;
  Diagnostic d =
      about_event(run_.info, Kind::event_time_unfit, most.event, {"period", text::short_number(most.period, 6)},
                  events_.list[most.event].span, t, "a longer period, or an earlier end");
  d.note("until t = " + text::short_number(end, 6) + " it would fire " + text::short_number(most.count, 3) +
         " times, which takes hours or longer: at most " + text::short_number(kMostFirings, 1) + " are made");
  return run_.end(RunStatus::stopped, std::move(d));
}

void EventRun::transfer(Archive& archive) {
  archive(clock_, watch_, instant_);
  archive.fixed(firings_);
  archive(last_step_);
  archive.may_be_infinite(inside_);
  archive.expect(inside_ == kNotInside || std::isfinite(inside_));
  if (!archive.reading()) return;
  time_functions_.forget();
  const problem::DiscreteState state = run_.equations.discrete_state(events_);
  for (std::uint32_t k = 0; k < events_.discrete.size(); ++k) archive.expect(events_.discrete[k].may_be(state[k]));
}

// How large the terms of what is watched are: by what a part of the state changes it.
void EventRun::measure_terms(double t, std::vector<double>& terms) {
  constexpr double kPart = 1e-6;
  y_ = run_.integrated.y();
  for (std::uint32_t i = 0; i < run_.layout.work_at(); ++i) y_[i] *= 1 + kPart;
  instant_.evaluate(t, y_.data(), run_.integrated.dy().data(), terms);
  for (std::size_t k = 0; k < terms.size(); ++k) terms[k] = std::fabs(terms[k] - values_[k]) / kPart;
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
}

bool EventRun::note_sides(double t) {
  std::vector<double> terms(values_.size());
  measure_terms(t, terms);
  for (std::uint32_t event : watch_.watched()) {
    const problem::Event& e = events_.list[event];
    if (e.of_contact()) continue;
    if (!std::isfinite(values_[e.value]) && !e.kink) return fail(Kind::event_undefined, event, {"what is watched"}, t);
    const EventWatch::Side side = watch_.begins_on(event, values_, terms, kRoundings * kEpsilon);
    watch_.side(event) = side;
    if (e.kink) continue;
    const bool condition = e.kind == problem::Event::Kind::condition;
    if (side != (condition ? EventWatch::Side::above : EventWatch::Side::open)) continue;
    run_.data.warnings.push_back(
        about_event(run_.info, Kind::event_begins_there, event, {condition ? "is true" : "is at zero"}, e.span, t));
  }
  return true;
}

// ---- steps of fixed size

bool EventRun::advance(double t, double end, double h) {
  bool cut = inside_ != kNotInside;
  if (cut) t = std::exchange(inside_, kNotInside);
  hold_branches(t);
  std::uint32_t pieces = 0;
  while (t < end) {
    double to = before_rest(t, end);
    look_ahead(t, to);
    if (next_time() < to - tolerance(to)) to = std::max(next_time(), t);
    double reached = to;
    if (to > t && !piece(t, to, to == end && !cut ? h : to - t, reached)) return false;
    cut = true;
    t = reached;
    const bool due = !fired_.empty() || next_time() <= t + tolerance(t);
    if (!due && t >= end) return true;
    if (!accepted_.evaluate(t) || !arrive(t)) return false;
    if (++pieces % kPieces == 0 && t < end && !goes_on_inside(t)) return false;
  }
  return true;
}

// Friction in a plane turns the faster the less is left of the slip: steps of fixed size would hover about its rest.
// They end where a part of the way there is done, until its direction is held.
double EventRun::before_rest(double t, double end) {
  constexpr double kPart = 0.25, kApart = 1e-3;
  if (!instant_.follows()) return end;
  const double apart = kApart * (end - t);
  const std::vector<double>& dy = run_.integrated.dy();
  later_.resize(values_.size());
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  for (std::size_t i = 0; i < y_.size(); ++i) y_[i] = run_.integrated.y()[i] + apart * dy[i];
  dy_ = dy;
  instant_.evaluate(t + apart, y_.data(), dy_.data(), later_);
  const double to = t + kPart * instant_.rests_in(values_, later_, apart);
  return to < end - tolerance(end) ? to : end;
}

// A run may be left, and gone on with, within a step that has many events.
bool EventRun::goes_on_inside(double t) {
  inside_ = t;
  const bool goes_on = run_.goes_on(t);
  if (goes_on) inside_ = kNotInside;
  return goes_on;
}

void EventRun::keep() {
  kept_.y = run_.integrated.y();
  kept_.dy = run_.integrated.dy();
  kept_.state = run_.integrated.state();
  kept_.rate = run_.integrated.rate();
  run_.stabiliser.keep();
}

void EventRun::restore() {
  run_.integrated.y() = kept_.y;
  run_.integrated.dy() = kept_.dy;
  run_.integrated.state() = kept_.state;
  run_.integrated.rate() = kept_.rate;
  run_.stabiliser.restore();
}

// A step of the method from the state that was kept.
bool EventRun::make(double t, double h) {
  restore();
  run_.method.forget_history();
  return stepping_.step(t, h);
}

bool EventRun::values_at(double t, double* y, std::vector<double>& values) {
  normalise(run_.info, y);
  if (watch_.of_rates() && run_.equations.rhs(t, y, dy_.data()) != 0) return false;
  instant_.evaluate(t, y, dy_.data(), values);
  return true;
}

// The step of size h that has been made from t, from the state that was kept to end_.
EventWatch::Along EventRun::along(double t, double h) {
  return {[this, t, h](double theta, std::vector<double>& values) {
            between(theta, h, kept_.y, kept_.dy, end_, end_rate_, y_);
            return values_at(t + theta * h, y_.data(), values);
          },
          [this, t](double size, std::vector<double>& values) {
            if (!make(t, size)) return false;
            y_ = run_.integrated.y();
            return values_at(t + size, y_.data(), values);
          },
          [this, h](double theta) -> const double* {
            between(theta, h, kept_.y, kept_.dy, end_, end_rate_, y_);
            normalise(run_.info, y_.data());
            return y_.data();
          }};
}

// From t to `end`, or to the first change before.
bool EventRun::piece(double t, double end, double h, double& reached) {
  if (crossing_.near() || crossing_.interpolated(t)) return beside(t, end, reached);
  keep();
  if (h != last_step_) run_.method.forget_history();
  last_step_ = h;
  const RunStatus status = run_.data.status;
  if (!stepping_.step(t, h)) {
    if (!branches_.open_all()) return false;
    run_.data.status = status;
    run_.data.diagnostic.reset();
    restore();
    if (!stepping_.step(t, h)) return false;
  }
  ++run_.data.steps;
  if (!watch_.any()) return true;
  end_ = run_.integrated.y();
  if (run_.equations.rhs(end, end_.data(), end_rate_.data()) != 0) return run_.undefined(end);
  ++run_.data.evaluations;
  double at = h;
  const std::uint64_t evaluations = run_.data.evaluations;
  const Looked looked = look(t, h, along(t, h), at);
  if (looked == Looked::ended) return false;
  if (looked == Looked::shorter) {
    --run_.data.steps;
    restore();
    reached = t + at;
    return piece(t, reached, at, reached);
  }
  if (looked == Looked::again) {
    restore();
    return accepted_.evaluate_again(t) && piece(t, end, h, reached);
  }
  if (!fired_.empty()) {
    reached = t + at < end - tolerance(end) ? t + at : end;
    return make(t, at);
  }
  if (run_.data.evaluations != evaluations) return make(t, h);  // what looked like a change was none
  return true;
}

// Beside a singular position steps are not made again: a change inside one is a time that cannot be told.
bool EventRun::beside(double t, double end, double& reached) {
  branches_.open_all();
  keep();
  const Crossing::Status status = crossing_.step(t, end, end - t);
  if (status == Crossing::Status::ended) return false;
  reached = status == Crossing::Status::left ? t : end;
  if (status == Crossing::Status::left) return accepted_.evaluate_again(t) && piece(t, end, end - t, reached);
  ++run_.data.steps;
  return nothing_passed(end);
}

bool EventRun::nothing_passed(double end) {
  if (!watch_.any()) return true;
  end_ = run_.integrated.y();
  if (!values_at(end, end_.data(), values_)) return run_.undefined(end);
  for (std::uint32_t event : watch_.watched()) {
    if (watch_.idle(event) != 0) continue;
    const EventWatch::Side now = watch_.side_of(event, values_);
    if (events_.list[event].kink) {
      watch_.side(event) = now;
      continue;
    }
    if (watch_.fires(event, watch_.side(event), now)) return fail(Kind::event_at_singular, event, {}, end);
    if (now != EventWatch::Side::open) watch_.side(event) = now;
  }
  return true;
}

bool EventRun::undefined(double t) {
  return fail(
      Kind::event_undefined, watch_.undefined(), {"what is watched"}, t,
      "just behind this time; a table has no value outside of its points unless it says `beyond = hold` or `line`");
}

// ---- steps of the method's own size

EventRun::Looked EventRun::look(double t, double h, const EventWatch::Along& along, double& at) {
  if (const Looked looked = shorter_by_time(t, h, at); looked != Looked::good) return looked;
  watch_.expect_kinks(branches_.holds());
  if (instant_.follows() && along.dense(0, values_)) instant_.follow(values_);
  const EventWatch::Found found = watch_.look(t, h, tolerance(t + h), along, at, fired_);
  const auto shorter = [&] {
    look_again();
    at = 0.5 * h;
    return Looked::shorter;
  };
  if (found != EventWatch::Found::undefined && branches_.fit()) {
    if (watch_.unclear() && ++unclear_ <= kMostUnclear && h > 2 * tolerance(t + h)) return shorter();
    unclear_ = 0;
    return limits_hold(t, h, fired_.empty() ? 1 : at / h, along.dense) ? Looked::good : Looked::ended;
  }
  if (found == EventWatch::Found::undefined) {
    if (run_.data.diagnostic) return Looked::ended;
    look_again();
    if (branches_.open_all()) return Looked::again;
    if (h > 2 * tolerance(t + h)) return shorter();
    undefined(t);
    return Looked::ended;
  }
  // what has just changed its branch goes back by the new one: it slides, or only touches
  const bool goes_on = branches_.refit(t, h, evaluate_);
  look_again();
  return goes_on ? Looked::again : Looked::ended;
}

// Nothing that depends on the time alone changes within a step: it ends there.
EventRun::Looked EventRun::shorter_by_time(double t, double h, double& at) {
  look_ahead(t, t + h);
  const double next = time_functions_.next();
  if (!(next < t + h - tolerance(t + h) && next > t + tolerance(t))) return Looked::good;
  at = next - t;
  return Looked::shorter;
}

// Before rows of a step are recorded in which the limit of a friction is negative at the end; the run ends where it
// becomes so.
bool EventRun::limits_hold(double t, double h, double part, const EventWatch::Dense& dense) {
  if (!instant_.limits_vary()) return true;
  const auto negative = [&](double at) { return dense(at, values_) && instant_.has_negative_limit(values_); };
  if (!negative(part)) return true;
  double low = 0, high = part;
  while ((high - low) * h > tolerance(t + h)) {
    const double middle = 0.5 * (low + high);
    (negative(middle) ? high : low) = middle;
  }
  dense(high, values_);
  return instant_.limits_hold(t + high * h, values_);
}

EventRun::Looked EventRun::shorten(double t, double& h, const EventWatch::Along& along) {
  const EventWatch::Dense& dense = along.dense;
  double at = h;
  const Looked looked = look(t, h, along, at);
  if (looked == Looked::shorter) h = at;
  if (looked != Looked::good || fired_.empty()) return looked;
  // The direction of a slip that is next to nothing is held, as it was when the step began: where what comes to rest
  // turns on the way, the rate there, and rows within the step, would have another one.
  constexpr double kOnTheWay = 0.75;
  const bool follows = instant_.follows() && dense(0, values_);
  if (follows) later_ = values_;
  if (follows && dense(kOnTheWay * at / h, values_) && instant_.turns_to_rest(fired_, later_, values_)) {
    look_again();
    h = 0.5 * h;
    return Looked::shorter;
  }
  h = at;
  return looked;
}

bool EventRun::stands_clear(double t, const std::vector<WatchedNumber>& numbers, std::span<double> signs,
                            std::span<double> sizes) {
  if (!watch_.any()) return true;
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  return stand_clear(numbers, events_, watch_, values_, signs, sizes);
}

void EventRun::take_sizes(const std::vector<WatchedNumber>& numbers, std::span<const double> sizes) {
  for (std::size_t k = 0; k < numbers.size(); ++k)
    if (!numbers[k].truth) watch_.expect(numbers[k].value, sizes[k]);
}

// ---- instants

bool EventRun::arrive(double t) {
  clock_.take_due(t, tolerance(t), fired_);
  if (time_functions_.take_due(t, tolerance(t))) {
    instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
    take_time_sides();
  }
  if (!fired_.empty()) {
    if (!within_samples(t) || goes_on_firing(t)) return false;
    const bool went_on = instant_.execute(t, fired_, tolerance(t));
    fired_.clear();
    if (!went_on) return false;
  }
  hold_branches(t);
  if (!instant_.limits_vary()) return true;
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  return instant_.limits_hold(t, values_);
}

// Behind a change of what depends on the time alone, where values_ are those of the state at hand: what fires by it.
void EventRun::take_time_sides() {
  for (const std::uint32_t event : of_time_) {
    if (std::find(fired_.begin(), fired_.end(), event) != fired_.end()) continue;
    const EventWatch::Side was = watch_.side(event), now = watch_.side_of(event, values_);
    const bool changes = events_.list[event].kink ? was != now : watch_.fires(event, was, now);
    if (changes)
      fired_.push_back(event);
    else if (now != EventWatch::Side::open)
      watch_.side(event) = now;
  }
}

void EventRun::hold_branches(double t) {
  if (!branches_.waits()) return;
  instant_.evaluate(t, run_.integrated.y().data(), run_.integrated.dy().data(), values_);
  branches_.hold(values_);
}

// Samples of an input beyond which nothing is said to hold.
bool EventRun::within_samples(double t) {
  for (std::uint32_t event : fired_) {
    const problem::Event& e = events_.list[event];
    if (!e.samples || e.kink || e.samples->beyond() != kernel::DataTable::Beyond::error) continue;
    const double first = e.samples->arguments().front(), last = e.samples->arguments().back();
    if (t >= first - tolerance(t) && t <= last + tolerance(t)) continue;
    Diagnostic d = about_event(run_.info, Kind::table_outside, event, {}, e.span, t);
    d.args = outside_table(t, first, last);
    d.notes.push_back("it is the course of " + quoted(e.name));
    return run_.end(RunStatus::stopped, std::move(d));
  }
  return true;
}

// True, and the run ends, where events come so close that it would never end.
bool EventRun::goes_on_firing(double t) {
  for (std::uint32_t event : fired_) {
    const problem::Event& e = events_.list[event];
    if (e.timed() || std::find(of_time_.begin(), of_time_.end(), event) != of_time_.end()) continue;
    Firing& f = firings_[event];
    const double interval = t - f.last;
    f.shrinking = interval < f.interval ? f.shrinking + 1 : 0;
    f.interval = interval;
    f.last = t;
    if (t - f.burst_from > kBurstTime * length()) {
      f.burst_from = t;
      f.burst = 0;
    }
    ++f.burst;
    const bool closer = !e.of_contact() && f.shrinking >= kShrinking && interval < kBurstTime * length();
    if (!closer && f.burst < kBurst) continue;
    if (e.kink) return !branches_.chatters(t, event);
    const std::string within =
        closer ? text::short_number(interval, 3) + " of the last time" : text::short_number(t - f.burst_from, 3);
    return !fail(Kind::events_without_end, event, {closer ? "again" : std::to_string(f.burst) + " times", within}, t,
                 "say what holds in the limit: let the event end it, by a condition on what shrinks");
  }
  return false;
}

// After rows were switched or positions have jumped: which rows are independent, how many directions they hold.
bool EventRun::certify_again(double t) {
  RankReport at_start = std::move(run_.data.start);
  const bool good = RunStart(run_, accepted_).certify_again(t) &&
                    crossing_.begin(t, run_.data.start, run_.rows_on(), kMomentLater * run_.options.step);
  run_.data.start = std::move(at_start);
  return good;
}

}  // namespace mbc::runtime
