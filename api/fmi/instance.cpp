// SPDX-License-Identifier: Apache-2.0
#include "api/fmi/instance.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "api/fmi/resources.h"
#include "api/simulation/exchange.h"
#include "base/digest.h"

namespace mbc::fmi {
namespace {

// Tolerance for the times of importers, which are sums of steps, as a fraction of a step.
constexpr double kOffTime = 1e-6;

constexpr const char* kError = "logStatusError";

// The head of a saved state; the bytes of the simulation follow it.
constexpr char kMagic[8] = {'m', 'b', 'c', 'f', 'm', 'i', '0', '2'};
struct Head {
  char magic[8];
  std::uint64_t token;
  double start, stop, at, tolerance, next;
  std::uint64_t size;  // size of the importer's state, which follows
  std::uint8_t phase, has_stop, set_anew, interface, pending, moved, ended, has_next;
};

}  // namespace

Instance::Instance(Model model, Simulation simulation, std::string block, std::string token, Interface interface,
                   Log log)
    : model_(std::move(model)),
      simulation_(std::move(simulation)),
      block_(std::move(block)),
      token_(std::move(token)),
      log_(std::move(log)),
      interface_(interface),
      variables_(variables_of(model_, block_)),
      start_(simulation_->time()) {}

std::unique_ptr<Instance> Instance::make(const std::string& resources, const std::string& token, Interface interface,
                                         Log log) {
  std::string error;
  std::optional<Resources> read = read_resources(resources, error);
  if (read && read->token != token) error = "the token `" + token + "` is not that of this FMU, `" + read->token + "`";
  if (!error.empty()) {
    log(Status::error, kError, error);
    return {};
  }
  Model model = Model::from_string(read->text, read->name, read->options);
  if (!model.ok()) {
    log(Status::error, kError, model.render_diagnostics());
    return {};
  }
  Result<Simulation> simulation = Simulation::create(model, read->simulation);
  if (!simulation) {
    log(Status::error, kError, simulation.error().message);
    return {};
  }
  return std::unique_ptr<Instance>(
      new Instance(model, *std::move(simulation), read->simulation, token, interface, std::move(log)));
}

Status Instance::fail(const std::string& message) {
  if (logging_) log_(Status::error, kError, message);
  return Status::error;
}

bool Instance::may(const char* call, std::initializer_list<Phase> phases) {
  if (std::find(phases.begin(), phases.end(), phase_) != phases.end()) return true;
  static constexpr const char* kNames[] = {
      "instantiated", "in initialisation mode", "in step mode",  "at the end of its motion",
      "terminated",   "of a step that failed",  "in event mode", "in continuous-time mode"};
  fail(std::string(call) + " is not allowed while the instance is " + kNames[static_cast<std::size_t>(phase_)]);
  return false;
}

// ---- the phases

Status Instance::enter_initialisation(double start, std::optional<double> stop, std::optional<double> tolerance) {
  if (!std::isfinite(start) || (stop && !(*stop >= start))) return fail("the times of the experiment make no sense");
  start_ = start;
  stop_ = stop;
  tolerance_ = tolerance && *tolerance >= 0 ? tolerance : std::nullopt;
  set_anew_ = true;
  phase_ = Phase::initialising;
  return Status::ok;
}

void Instance::forget() {
  columns_.reset();
  rates_.reset();
  indicators_.reset();
}

bool Instance::restart() {
  forget();
  simulation_->reset();
  if (start_ != simulation_->time()) {
    const Result<InitialState> initial = simulation_->initial(start_);
    if (!initial) return fail(initial.error().message), false;
    if (!initial->consistent) return fail(initial->rendered), false;
    if (const Result<void> set = simulation_->set_state(start_, initial->state); !set)
      return fail(set.error().message), false;
  }
  set_anew_ = false;
  return true;
}

Status Instance::exit_initialisation() {
  if (!restart()) return Status::error;
  if (interface_ == Interface::model_exchange) {
    const Result<void> begun = api::begin_exchange(*simulation_);
    if (!begun) return fail(begun.error().message);
    at_ = start_;
    y_ = simulation_->state();
    made_ = {};
    pending_ = true;
    phase_ = Phase::event;
    return Status::ok;
  }
  // Checks the initial state, and executes its events.
  if (const Result<void> begun = simulation_->run_until(start_); !begun) return fail(begun.error().message);
  forget();
  phase_ = Phase::stepping;
  return Status::ok;
}

Status Instance::step(double at, double h, bool& ended) {
  ended = false;
  if (!(h > 0) || !std::isfinite(h)) return fail("the size of a step is above 0, and finite");
  if (std::fabs(at - time()) > kOffTime * h)
    return fail("the instance is at t = " + std::to_string(time()) + ", not at " + std::to_string(at));
  if (stop_ && at + h > *stop_ + kOffTime * h) return fail("the step goes beyond the stop time");
  forget();
  const Result<void> moved = simulation_->run_until(at + h);
  if (moved) return Status::ok;
  ended = moved.error().code == ErrorCode::stopped && moved.error().diagnostics.empty();
  phase_ = ended ? Phase::ended : Phase::failed;
  return ended ? Status::ok : fail(moved.error().message);
}

Status Instance::terminate() {
  phase_ = Phase::closed;
  return Status::ok;
}

Status Instance::reset() {
  Result<Simulation> anew = Simulation::create(model_, block_);
  if (!anew) return fail(anew.error().message);
  simulation_.emplace(*std::move(anew));
  start_ = simulation_->time();
  stop_.reset();
  set_anew_ = true;
  forget();
  phase_ = Phase::instantiated;
  return Status::ok;
}

// ---- values

bool Instance::know_columns() {
  if (phase_ <= Phase::initialising && set_anew_ && !restart()) return false;
  if (columns_) return true;
  Result<std::vector<double>> values =
      exchanging() ? api::exchange_columns(*simulation_, at_, y_) : simulation_->columns();
  if (!values) return fail(values.error().message), false;
  columns_ = *std::move(values);
  return true;
}

Status Instance::value(const Variable& v, double& value) {
  switch (v.kind) {
    case Variable::Kind::time:
      value = phase_ <= Phase::initialising ? start_ : time();
      return Status::ok;
    case Variable::Kind::parameter:
    case Variable::Kind::calculated:
      value = *simulation_->parameter(v.index);
      return Status::ok;
    case Variable::Kind::input:
      value = *simulation_->input(v.index);
      return Status::ok;
    case Variable::Kind::derivative: {
      const Status known = know_rates();
      if (known == Status::ok) value = (*rates_)[v.index];
      return known;
    }
    case Variable::Kind::indicator: {
      value = std::nan("");
      if (interface_ == Interface::co_simulation) return Status::ok;
      const Status known = know_indicators();
      if (known == Status::ok) value = (*indicators_)[v.index];
      return known;
    }
    case Variable::Kind::state:
    case Variable::Kind::output:
    case Variable::Kind::local:
      break;
  }
  if (exchanging() && v.state) {
    value = y_[*v.state];
    return Status::ok;
  }
  if (v.kind == Variable::Kind::state) {
    if (phase_ <= Phase::initialising && set_anew_ && !restart()) return Status::error;
    value = simulation_->state()[v.index];
    return Status::ok;
  }
  if (!know_columns()) return exchanging() ? Status::discard : Status::error;
  value = (*columns_)[v.index];
  return Status::ok;
}

Status Instance::get(const std::uint32_t* references, std::size_t count, double* values) {
  for (std::size_t k = 0; k < count; ++k) {
    if (references[k] >= variables_.list.size())
      return fail("there is no variable with the value reference " + std::to_string(references[k]));
    if (const Status known = value(variables_.list[references[k]], values[k]); known != Status::ok) return known;
  }
  return Status::ok;
}

Status Instance::set(const std::uint32_t* references, std::size_t count, const double* values) {
  for (std::size_t k = 0; k < count; ++k) {
    if (references[k] >= variables_.list.size())
      return fail("there is no variable with the value reference " + std::to_string(references[k]));
    const Variable& v = variables_.list[references[k]];
    if (!is_settable(v)) return fail("`" + v.name + "` cannot be set: parameters and inputs can");
    const bool input = v.kind == Variable::Kind::input;
    if (!input && phase_ == Phase::continuous)
      return fail("`" + v.name + "` is a parameter: it can be set in event mode, not in continuous-time mode");
    // The events of this instant use the values before the change.
    if (!input && phase_ == Phase::event && pending_)
      if (const Status made = make_instant(); made != Status::ok) return made;
    const Result<void> set =
        input ? simulation_->set_input(v.index, values[k]) : simulation_->set_parameter(v.index, values[k]);
    if (!set) return fail("`" + v.name + "`: " + set.error().message);
    set_anew_ = true;
    forget();
  }
  return Status::ok;
}

// ---- the state

Status Instance::save(std::string& bytes) {
  Head head{};
  std::memcpy(head.magic, kMagic, sizeof kMagic);
  head.token = digest(token_);
  head.start = start_;
  head.stop = stop_.value_or(0);
  head.phase = static_cast<std::uint8_t>(phase_);
  head.has_stop = stop_.has_value();
  head.set_anew = set_anew_;
  head.interface = static_cast<std::uint8_t>(interface_);
  head.at = at_;
  head.tolerance = tolerance_.value_or(-1);
  head.size = y_.size();
  head.pending = pending_;
  head.moved = made_.moved;
  head.ended = made_.ended;
  head.has_next = made_.next.has_value();
  head.next = made_.next.value_or(0);
  bytes.assign(reinterpret_cast<const char*>(&head), sizeof head);
  bytes.append(reinterpret_cast<const char*>(y_.data()), y_.size() * sizeof(double));
  bytes += simulation_->save();
  return Status::ok;
}

Status Instance::restore(const std::string& bytes) {
  Head head{};
  if (bytes.size() < sizeof head) return fail("these bytes are no state of an instance");
  std::memcpy(&head, bytes.data(), sizeof head);
  if (std::memcmp(head.magic, kMagic, sizeof kMagic) != 0 || head.token != digest(token_) ||
      head.phase > static_cast<std::uint8_t>(Phase::continuous) || head.size > state_count())
    return fail("these bytes are no state of an instance of this FMU");
  if (head.interface != static_cast<std::uint8_t>(interface_))
    return fail("this state is of an instance by the other interface");
  const std::size_t own = sizeof head + head.size * sizeof(double);
  if (bytes.size() < own) return fail("these bytes are no state of an instance");
  if (const Result<void> restored = simulation_->restore(bytes.substr(own)); !restored)
    return fail(restored.error().message);
  y_.resize(head.size);
  if (head.size > 0) std::memcpy(y_.data(), bytes.data() + sizeof head, head.size * sizeof(double));
  at_ = head.at;
  tolerance_ = head.tolerance >= 0 ? std::optional<double>(head.tolerance) : std::nullopt;
  pending_ = head.pending != 0;
  made_ = {head.moved != 0, head.ended != 0, head.has_next != 0 ? std::optional<double>(head.next) : std::nullopt};
  start_ = head.start;
  stop_ = head.has_stop != 0 ? std::optional<double>(head.stop) : std::nullopt;
  set_anew_ = head.set_anew != 0;
  phase_ = static_cast<Phase>(head.phase);
  forget();
  return Status::ok;
}

}  // namespace mbc::fmi
