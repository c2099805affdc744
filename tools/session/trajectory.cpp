// SPDX-License-Identifier: Apache-2.0
#include "tools/session/trajectory.h"

#include <algorithm>

#include "base/numbers.h"

namespace mbc::tools {

void Trajectory::clear() {
  times_.clear();
  states_.clear();
  held_.clear();
  events_.clear();
  events_left_out_ = 0;
  stride_ = 1;
  seen_ = 0;
  last_kept_ = true;
}

void Trajectory::begin(const Model& model, double time, std::vector<std::string> held) {
  const bool goes_on = !empty() && times_.back() == time && width_ == model.state_size() && held == held_names_;
  if (!goes_on) clear();
  model_ = model;
  viewer_.reset();
  width_ = model.state_size();
  held_names_ = std::move(held);
}

void Trajectory::row(double time, std::span<const double> state, const std::vector<double>& held) {
  if (!last_kept_ || (!times_.empty() && times_.back() == time)) {  // the last row is there in any case, once
    times_.pop_back();
    states_.resize(states_.size() - width_);
    held_.resize(held_.size() - held_names_.size());
  }
  last_kept_ = seen_++ % stride_ == 0;
  times_.push_back(time);
  states_.insert(states_.end(), state.begin(), state.end());
  held_.insert(held_.end(), held.begin(), held.end());
  if (times_.size() > kMostRows || states_.size() > kMostValues) thin_out();
}

void Trajectory::event(double time, const std::string& name) {
  if (events_.size() < kMostEvents)
    events_.push_back({time, name});
  else
    ++events_left_out_;
}

// Drops every other row; the last one stays.
void Trajectory::thin_out() {
  std::vector<double> times, states, held;
  const std::size_t last = times_.size() - 1, h = held_names_.size();
  for (std::size_t k = 0; k <= last; ++k) {
    if (k % 2 != 0 && k != last) continue;
    times.push_back(times_[k]);
    states.insert(states.end(), states_.begin() + static_cast<std::ptrdiff_t>(k * width_),
                  states_.begin() + static_cast<std::ptrdiff_t>((k + 1) * width_));
    held.insert(held.end(), held_.begin() + static_cast<std::ptrdiff_t>(k * h),
                held_.begin() + static_cast<std::ptrdiff_t>((k + 1) * h));
  }
  last_kept_ = last % 2 == 0;
  times_ = std::move(times);
  states_ = std::move(states);
  held_ = std::move(held);
  stride_ *= 2;
}

Simulation* Trajectory::viewer() {
  if (!viewer_)
    if (Result<Simulation> made = Simulation::create(model_)) viewer_ = std::make_unique<Simulation>(*std::move(made));
  return viewer_.get();
}

std::vector<double> Trajectory::state(std::size_t row) const {
  const auto begin = states_.begin() + static_cast<std::ptrdiff_t>(row * width_);
  return {begin, begin + static_cast<std::ptrdiff_t>(width_)};
}

void Trajectory::hold(Simulation& viewer, std::size_t row) const {
  for (std::size_t k = 0; k < held_names_.size(); ++k)
    static_cast<void>(viewer.set_held(held_names_[k], held_[row * held_names_.size() + k]));
}

Result<Evaluated> Trajectory::value_at_row(const std::string& expression, std::size_t row) {
  Simulation* looks = viewer();
  if (!looks) return Error{ErrorCode::model_error, "the model of the last run cannot be looked at"};
  hold(*looks, row);
  return looks->evaluate(expression, times_[row], state(row));
}

Result<Evaluated> Trajectory::value(const std::string& expression, double time) {
  if (empty()) return Error{ErrorCode::invalid_argument, "there is no motion yet: `run 5` makes one"};
  if (!(time >= begin() && time <= end()))
    return Error{ErrorCode::out_of_range, "the motion that is kept goes from t = " + text::short_number(begin()) +
                                              " to " + text::short_number(end()) + ", and " + text::short_number(time) +
                                              " is outside"};
  const auto next = std::lower_bound(times_.begin(), times_.end(), time);
  const auto k = static_cast<std::size_t>(next - times_.begin());
  if (*next == time || k == 0) return value_at_row(expression, k);
  // An event between the rows may have changed the state; then the state of the row before counts.
  const auto between = [&](const Event& e) { return e.time > times_[k - 1] && e.time <= times_[k]; };
  if (std::any_of(events_.begin(), events_.end(), between)) return value_at_row(expression, k - 1);
  Simulation* looks = viewer();
  if (!looks) return Error{ErrorCode::model_error, "the model of the last run cannot be looked at"};
  // Hermite: y = h00 y0 + h10 h y0' + h01 y1 + h11 h y1'
  const double h = times_[k] - times_[k - 1], s = (time - times_[k - 1]) / h;
  std::vector<double> a = state(k - 1), b = state(k), da(width_), db(width_);
  hold(*looks, k - 1);
  if (const Result<void> known = looks->rhs(times_[k - 1], a, da); !known) return known.error();
  if (const Result<void> known = looks->rhs(times_[k], b, db); !known) return known.error();
  for (std::size_t i = 0; i < width_; ++i)
    a[i] = (1 + 2 * s) * (1 - s) * (1 - s) * a[i] + s * (1 - s) * (1 - s) * h * da[i] + s * s * (3 - 2 * s) * b[i] +
           s * s * (s - 1) * h * db[i];
  return looks->evaluate(expression, time, a);
}

}  // namespace mbc::tools
