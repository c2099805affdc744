// SPDX-License-Identifier: Apache-2.0
// Model Exchange: the importer makes the steps and sets time and state.
#include <algorithm>
#include <cmath>
#include <string>

#include "api/fmi/instance.h"
#include "api/simulation/exchange.h"

namespace mbc::fmi {
namespace {

// Allowed distance of a state from the constraints if the importer gives no tolerance.
constexpr double kUsualTolerance = 1e-4;

}  // namespace

Status Instance::cannot(const Error& why) {
  if (logging_) log_(Status::discard, "logStatusError", why.message);
  return Status::discard;
}

Status Instance::wrong_count(const char* what, std::size_t count) {
  return fail("there are " + std::to_string(count) + " " + what);
}

// ---- modes

Status Instance::enter_event_mode() {
  phase_ = Phase::event;
  pending_ = true;
  made_ = {};
  return Status::ok;
}

Status Instance::enter_continuous_time() {
  if (pending_)
    if (const Status made = make_instant(); made != Status::ok) return made;
  if (phase_ == Phase::ended) return fail("the motion has ended");
  phase_ = Phase::continuous;
  return Status::ok;
}

Status Instance::make_instant() {
  pending_ = false;
  forget();
  const Result<api::Instant> made = api::make_instant(*simulation_, at_, y_);
  if (!made) {
    phase_ = Phase::failed;
    return fail(made.error().message);
  }
  y_ = simulation_->state();
  made_.moved = made_.moved || made->moved;
  made_.ended = !made->ended.empty();
  made_.next.reset();
  if (std::isfinite(made->next)) made_.next = made->next;
  if (made_.ended) phase_ = Phase::ended;
  return Status::ok;
}

// Values set since the instant may lead to another one.
Status Instance::update(Update& made) {
  const Status status = make_instant();
  made = made_;
  made_.moved = false;
  return status;
}

Status Instance::completed_step(bool& event) {
  event = false;
  const Result<double> off = api::complete_step(*simulation_, at_, y_);
  if (!off) {
    phase_ = Phase::failed;
    return fail(off.error().message);
  }
  event = *off > std::max(tolerance_.value_or(kUsualTolerance), api::constraint_tolerance(*simulation_));
  indicators_.reset();
  columns_.reset();
  return Status::ok;
}

// ---- values that the importer sets

Status Instance::set_time(double t) {
  if (!std::isfinite(t)) return fail("the time is not finite");
  if (t != at_) forget();
  at_ = t;
  return Status::ok;
}

Status Instance::set_states(const double* values, std::size_t count) {
  if (count != state_count()) return wrong_count("continuous states", state_count());
  for (std::size_t k = 0; k < count; ++k)
    if (!std::isfinite(values[k])) return cannot({ErrorCode::not_finite, "a state is not finite"});
  if (!std::equal(y_.begin(), y_.end(), values)) forget();
  y_.assign(values, values + count);
  return Status::ok;
}

// ---- values that it requests

Status Instance::get_states(double* values, std::size_t count) {
  if (count != state_count()) return wrong_count("continuous states", state_count());
  if (phase_ <= Phase::initialising && set_anew_ && !restart()) return Status::error;
  const std::vector<double>& y = exchanging() ? y_ : simulation_->state();
  std::copy(y.begin(), y.end(), values);
  return Status::ok;
}

Status Instance::get_nominals(double* values, std::size_t count) {
  if (count != state_count()) return wrong_count("continuous states", state_count());
  for (std::size_t k = 0; k < count; ++k) values[k] = variables_.list[variables_.states[k]].nominal;
  return Status::ok;
}

Status Instance::know_rates() {
  if (phase_ <= Phase::initialising && set_anew_ && !restart()) return Status::error;
  if (rates_) return Status::ok;
  std::vector<double> rates(state_count());
  const Result<void> made = exchanging() ? api::exchange_rate(*simulation_, at_, y_, rates)
                                         : simulation_->rhs(time(), simulation_->state(), rates);
  if (!made) return exchanging() ? cannot(made.error()) : fail(made.error().message);
  rates_ = std::move(rates);
  return Status::ok;
}

Status Instance::get_rates(double* values, std::size_t count) {
  if (count != state_count()) return wrong_count("derivatives", state_count());
  if (const Status known = know_rates(); known != Status::ok) return known;
  std::copy(rates_->begin(), rates_->end(), values);
  return Status::ok;
}

// During the initialisation these are the indicators of a motion that begins there; it is made and discarded.
Status Instance::know_indicators() {
  const bool initialising = phase_ <= Phase::initialising;
  if (indicators_ && !(initialising && set_anew_)) return Status::ok;
  std::vector<double> values(indicator_count());
  if (initialising) {
    if (!restart()) return Status::error;
    if (const Result<void> begun = api::begin_exchange(*simulation_); !begun) return fail(begun.error().message);
  }
  const std::vector<double> y = initialising ? simulation_->state() : y_;
  const Result<void> made = api::exchange_indicators(*simulation_, initialising ? start_ : at_, y, values);
  if (initialising) {
    set_anew_ = true;
    simulation_->reset();
  }
  if (!made) return exchanging() ? cannot(made.error()) : fail(made.error().message);
  indicators_ = std::move(values);
  return Status::ok;
}

Status Instance::get_indicators(double* values, std::size_t count) {
  if (count != indicator_count()) return wrong_count("event indicators", indicator_count());
  if (count == 0) return Status::ok;
  if (const Status known = know_indicators(); known != Status::ok) return known;
  std::copy(indicators_->begin(), indicators_->end(), values);
  return Status::ok;
}

}  // namespace mbc::fmi
