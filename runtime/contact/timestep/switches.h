// SPDX-License-Identifier: Apache-2.0
// The rows of contacts within reach, on while they are looked at and off otherwise: as in a model without contacts.
#pragma once
#include <cstdint>

#include "kernel/problem/problem.h"
#include "runtime/contact/timestep/reach.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class ContactSwitches {
 public:
  // Both outlive the object.
  ContactSwitches(Equations& equations, const problem::Problem& info) : equations_(equations), info_(info) {}

  // Switches on the constraints and frictions within reach that are not disabled, or switches all within reach off.
  void turn(bool on, const Reach& reach) {
    for (const std::uint32_t k : reach.inequalities()) turn(on, info_.events.unilaterals[k]);
    for (const std::uint32_t k : reach.frictions()) turn(on, info_.events.frictions[k]);
  }
  void turn_all_off() {
    for (const problem::Unilateral& u : info_.events.unilaterals) turn(false, u);
    for (const problem::Friction& f : info_.events.frictions) turn(false, f);
  }
  template <class ContactOfModel>
  [[nodiscard]] bool enabled(const ContactOfModel& c) const {
    return discrete().is_enabled(c);
  }
  [[nodiscard]] bool of_position(const problem::Unilateral& u) const {
    return info_.rows[u.row].level == problem::Level::position;
  }
  // Returns whether it has a gap that positions keep.
  [[nodiscard]] bool has_gap(const problem::Unilateral& u) const { return of_position(u) && enabled(u); }

 private:
  void turn(bool on, const problem::Unilateral& u) { discrete().set_active(u, on && enabled(u)); }
  void turn(bool on, const problem::Friction& f) {
    discrete().release(f);
    discrete().set_sticks(f, on && enabled(f));
  }
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(info_.events); }

  Equations& equations_;
  const problem::Problem& info_;
};

}  // namespace mbc::runtime
