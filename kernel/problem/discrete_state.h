// SPDX-License-Identifier: Apache-2.0
// The discrete state: the values of the discrete variables, accessed by their meaning.
#pragma once
#include <algorithm>
#include <cstdint>
#include <span>
#include <vector>

#include "kernel/problem/events.h"

namespace mbc::problem {

// The discrete state among the inputs of a kernel.
class DiscreteState {
 public:
  // Both arguments have to outlive the object.
  DiscreteState(const DiscreteVariables& variables, std::span<double> inputs)
      : values_(inputs.subspan(variables.input_of(0), variables.size())) {}

  double& operator[](std::uint32_t variable) const { return values_[variable]; }
  // Returns whether a variable that is 1 or 0 is 1.
  [[nodiscard]] bool is_on(std::uint32_t variable) const { return values_[variable] != 0; }

  // Returns all values; the vector is empty if the model has no discrete variables.
  [[nodiscard]] std::vector<double> values() const { return {values_.begin(), values_.end()}; }
  void assign(const std::vector<double>& state) const { std::copy(state.begin(), state.end(), values_.begin()); }

  // Returns whether the constraint or friction is switched on; without a switch it always is.
  template <class Contact>
  [[nodiscard]] bool is_enabled(const Contact& c) const {
    return !c.enabled || is_on(*c.enabled);
  }

  // ---- unilateral constraints
  [[nodiscard]] bool is_active(const Unilateral& u) const { return is_on(u.active); }
  void set_active(const Unilateral& u, bool active) const { values_[u.active] = active ? 1 : 0; }
  // The impulse of the last impact.
  [[nodiscard]] double& impulse(const Unilateral& u) const { return values_[u.impulse]; }

  // ---- frictions
  [[nodiscard]] bool sticks(const Friction& f) const { return is_on(f.sticks); }
  void set_sticks(const Friction& f, bool sticks) const { values_[f.sticks] = sticks ? 1 : 0; }
  [[nodiscard]] bool slides(const Friction& f) const {
    return std::any_of(f.direction.begin(), f.direction.end(), [this](std::uint32_t k) { return is_on(k); });
  }
  [[nodiscard]] double& direction(const Friction& f, std::uint32_t component) const {
    return values_[f.direction[component]];
  }
  // The slip that counts as zero.
  [[nodiscard]] double& negligible_slip(const Friction& f) const { return values_[f.rest]; }
  // Makes the friction neither stick nor slide, so that it has no force.
  void release(const Friction& f) const {
    set_sticks(f, false);
    for (const std::uint32_t d : f.direction) values_[d] = 0;
    if (f.size) values_[*f.size] = 0;
  }

  // ---- events and discontinuities
  void count(const Event& e, double t) const {
    values_[e.count] += 1;
    values_[e.time] = t;
  }
  [[nodiscard]] double& mode(const Discontinuity& d) const { return values_[d.mode]; }

 private:
  std::span<double> values_;
};

}  // namespace mbc::problem
