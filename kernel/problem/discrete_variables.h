// SPDX-License-Identifier: Apache-2.0
// The discrete variables of a model, which are constant between events: switches of constraints, contact and friction
// states, the modes of discontinuities, impulses, counts and samples. A kernel reads their values, the discrete state,
// as inputs behind those of the model; only this file knows that.
#pragma once
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "base/name.h"
#include "base/span.h"

namespace mbc::problem {

using Labels = std::shared_ptr<const std::vector<std::string>>;  // of a state that is one of a few

struct DiscreteVariable {
  enum class Use : std::uint8_t {
    state,            // `state u = 0 [N]`
    enabled,          // of a constraint or load that is switched: 1 or 0
    impulse,          // of an event, while its body is executed; else 0
    count,            // how often an event has fired
    time,             // when it did so last
    active,           // of a unilateral constraint: 1 while it is kept as an equation, else 0
    contact_impulse,  // of a unilateral constraint: that of its last impact
    sample,           // of an input whose signal is held between samples
    mode,             // of a discontinuity inside a step: 0 while it is open
    friction,         // of a friction: sticking, the direction of sliding, the size of the force
    load,             // a component of a reaction-dependent force: found in each evaluation
    turns             // of the angle of a joint that rows hold: the angle is within half a turn of it
  } use{};
  Name name;
  Span span;
  Labels labels{};  // of a machine: its value is the number of one of them

  // Returns whether a run passes the value on to the next one: variables that users have named, and their switches.
  [[nodiscard]] bool is_told() const {
    return use == Use::state || use == Use::count || use == Use::time || use == Use::enabled;
  }
  // Returns whether events may assign this value.
  [[nodiscard]] bool may_be(double value) const {
    const bool whole = value == std::floor(value);
    if (labels) return whole && value >= 0 && value < static_cast<double>(labels->size());
    switch (use) {
      case Use::enabled:
      case Use::active:
        return value == 0 || value == 1;
      case Use::count:
        return whole && value >= 0;
      case Use::state:
      case Use::impulse:
      case Use::time:
      case Use::contact_impulse:
      case Use::sample:
      case Use::mode:
      case Use::friction:
      case Use::load:
      case Use::turns:
        break;
    }
    return std::isfinite(value);
  }
  // Returns the number of values 0, 1, 2, ... it may have; 0 if it may be any number.
  [[nodiscard]] std::uint32_t choices() const {
    if (use == Use::enabled) return 2;
    return labels ? static_cast<std::uint32_t>(labels->size()) : 0;
  }
};

// The discrete variables of a model, their places among the inputs of its kernel, and their values at the start of a
// run.
class DiscreteVariables {
 public:
  using AtStart = std::function<std::vector<double>(std::span<const double> params)>;

  DiscreteVariables() = default;
  // `n_inputs` is the number of inputs of the model itself. `at_start` gives the values for the parameters of a run; it
  // may be empty if there are no variables.
  DiscreteVariables(std::vector<DiscreteVariable> list, std::uint32_t n_inputs, AtStart at_start)
      : list_(std::move(list)), first_(n_inputs), at_start_(std::move(at_start)) {}

  [[nodiscard]] std::size_t size() const { return list_.size(); }
  const DiscreteVariable& operator[](std::size_t variable) const { return list_[variable]; }
  [[nodiscard]] auto begin() const { return list_.begin(); }
  [[nodiscard]] auto end() const { return list_.end(); }

  // Returns the discrete state at the start of a run; empty if the model has no discrete variables.
  [[nodiscard]] std::vector<double> at_start(std::span<const double> params) const {
    return at_start_ ? at_start_(params) : std::vector<double>();
  }
  [[nodiscard]] std::uint32_t input_of(std::uint32_t variable) const { return first_ + variable; }
  // Returns the variable that an input of the kernel is, if it is one.
  [[nodiscard]] std::optional<std::uint32_t> variable_of(std::uint32_t input) const {
    if (input < first_ || input - first_ >= list_.size()) return {};
    return input - first_;
  }
  // Returns the inputs of the kernel: those of the model, then a discrete state.
  [[nodiscard]] std::vector<double> inputs(std::vector<double> of_model, const std::vector<double>& state) const {
    of_model.resize(first_);
    of_model.insert(of_model.end(), state.begin(), state.end());
    return of_model;
  }

 private:
  std::vector<DiscreteVariable> list_;
  std::uint32_t first_ = 0;  // input of the first
  AtStart at_start_;
};

}  // namespace mbc::problem
