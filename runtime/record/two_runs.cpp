// SPDX-License-Identifier: Apache-2.0
#include "runtime/record/two_runs.h"

#include <algorithm>
#include <cmath>

#include "base/least_tolerance.h"
#include "base/numbers.h"
#include "base/time_steps.h"
#include "runtime/equations/failure_text.h"
#include "runtime/record/error_sizes.h"
#include "runtime/tolerances.h"

namespace mbc::runtime {

namespace {

constexpr double kFiner = 100;           // tolerances of the second run
constexpr double kLeastRtol = 1e-14;     // below it a tolerance is rounding
constexpr std::size_t kOfRow = 16;       // what a row takes beside its values
constexpr double kSameTime = 1e-12;      // of the span: rows of both runs at one time
constexpr double kTwoRunsBeside = 1e-6;  // of the time gone: an event of one run that the other one may have elsewhere

// A step of series has no error by rounding that depends on its tolerance.
double finer_rtol(const SimulateOptions& settings) {
  const double now = settings.control.rtol, finer = now / kFiner;
  return settings.integrator == Integrator::taylor ? finer : std::max(finer, std::min(now, kLeastRtol));
}

}  // namespace

bool can_refine(const SimulateOptions& settings) {
  return !settings.chooses_steps() || finer_rtol(settings) < 0.9 * settings.control.rtol;
}

void refine(SimulateOptions& settings) {
  if (settings.chooses_steps()) {
    StepSettings& control = settings.control;
    control.rtol = finer_rtol(settings);
    control.atol /= kFiner;
    control.tolerance = std::max(control.tolerance / kFiner, settings::least_tolerance(settings.integrator));
    return;
  }
  const double end = settings.end.value_or(settings.begin + static_cast<double>(settings.steps) * settings.step);
  const TimeSteps halves = TimeSteps::over(settings.begin, end, settings.step / 2);
  settings.step = halves.step;
  settings.steps = halves.count;
  settings.end = halves.end;
  constexpr std::uint32_t kMost = std::numeric_limits<std::uint32_t>::max();
  settings.output_every = settings.output_every > kMost / 2 ? kMost : 2 * settings.output_every;
}

std::string refined_text(const SimulateOptions& settings) {
  if (!settings.chooses_steps()) return "steps of " + text::short_number(settings.step, 3);
  const StepSettings& control = settings.control;
  return control.by_sizes
             ? "tol = " + text::short_number(control.tolerance, 3)
             : "rtol = " + text::short_number(control.rtol, 3) + ", atol = " + text::short_number(control.atol, 3);
}

void TwoRuns::first(double t, std::span<const double> y) {
  if (rows_ == 0) first_time_ = t;
  Kept row{t, !beside(t, last_event_), false, {y.begin(), y.end()}, {}};
  if (rows_ > 0 && last_.t == t) {
    row.alone = last_.alone = false;
    if (!kept_.empty() && kept_.back().t == t) kept_.back().alone = false;
  }
  if (rows_++ % stride_ == 0) keep(row);
  last_ = std::move(row);
}

bool TwoRuns::beside(double t, double event) const {
  return std::fabs(t - event) <= kTwoRunsBeside * (t - first_time_);
}

void TwoRuns::event(double t) {
  last_event_ = t;
  if (second_) {
    for (std::size_t k = next_; k-- > 0 && beside(kept_[k].t, t);) kept_[k].met = false;
    return;
  }
  if (rows_ > 0 && beside(last_.t, t)) last_.alone = false;
  for (std::size_t k = kept_.size(); k-- > 0 && beside(kept_[k].t, t);) kept_[k].alone = false;
}

// Every other one has to go where there is no room.
void TwoRuns::keep(const Kept& row) {
  const std::size_t most = std::max<std::size_t>(2, kMostValues / (2 * row.y.size() + kOfRow));
  if (kept_.size() >= most) {
    std::size_t left = 0;
    for (std::size_t k = 0; k < kept_.size(); k += 2) std::swap(kept_[left++], kept_[k]);
    kept_.resize(left);
    stride_ *= 2;
    if ((rows_ - 1) % stride_ != 0) return;
  }
  kept_.push_back(row);
}

void TwoRuns::second(double t, std::span<const double> y) {
  if (!second_) last_event_ = -std::numeric_limits<double>::infinity();
  second_ = true;
  if (next_ == 0 && !kept_.empty() && kept_.back().t < last_.t) kept_.push_back(last_);
  if (kept_.empty()) return;
  const double same = kSameTime * (last_.t - kept_.front().t);
  while (next_ < kept_.size() && kept_[next_].t < t - same) ++next_;
  if (next_ == kept_.size() || kept_[next_].t > t + same || y.size() != kept_[next_].y.size()) return;
  Kept& row = kept_[next_++];
  row.met = row.alone && !beside(t, last_event_);
  row.other.assign(y.begin(), y.end());
}

std::pair<FarthestApart, const TwoRuns::Kept*> TwoRuns::farthest(const problem::Problem& info,
                                                                 const kernel::SystemLayout& layout,
                                                                 const ErrorSizes& sizes) const {
  FarthestApart out;
  const Kept* at = nullptr;
  for (const Kept& row : kept_) {
    if (!row.met) continue;
    ++out.rows;
    for (std::uint32_t i = 0; i < layout.work_at(); ++i) {
      const double absolute = std::fabs(row.other[i] - row.y[i]), relative = absolute / sizes[i];
      if (out.relative > relative) continue;
      out.relative = relative;
      out.absolute = absolute;
      out.name = entry_name(info, layout, i);
      out.time = row.t;
      at = &row;
    }
  }
  return {out, at};
}

// The terms of the rates give a size to what stays at zero, if rows seem far apart.
FarthestApart TwoRuns::found(Equations& equations, const problem::Problem& info, double span, double rtol) const {
  const kernel::SystemLayout& layout = equations.layout();
  ErrorSizes sizes(info, layout, span);
  for (const Kept& row : kept_) sizes.look(row.y);
  const auto [out, at] = farthest(info, layout, sizes);
  if (at == nullptr || out.relative <= kErrorSeen) return out;
  const ModelSize model = measured_size(equations, info, at->t, at->y.data(), span);
  sizes.look_at_terms(model, terms_of_rates(equations, at->t, at->y.data(), sizes.reach(at->y, rtol).data()),
                      {.rtol = rtol, .h = span, .of_span = true, .anew = true});
  return farthest(info, layout, sizes).first;
}

}  // namespace mbc::runtime
