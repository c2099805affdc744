// SPDX-License-Identifier: Apache-2.0
// The rows of contacts within reach, on while they are looked at and off otherwise: as in a model without contacts.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/contact/timestep/reach.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

class ContactSwitches {
 public:
  // Both outlive the object.
  ContactSwitches(Equations& equations, const problem::Problem& info) : equations_(equations), info_(info) {}

  // Those within reach that are not disabled, on; all of them, off.
  void turn(bool on, const Reach& reach) {
    for (const std::uint32_t k : reach.inequalities()) turn(on, info_.events.unilaterals[k]);
    for (const std::uint32_t k : reach.frictions()) turn(on, info_.events.frictions[k]);
  }
  void turn_all_off() {
    for (const problem::Unilateral& u : info_.events.unilaterals) turn(false, u);
    for (const problem::Friction& f : info_.events.frictions) turn(false, f);
  }
  [[nodiscard]] bool enabled(const std::optional<std::uint32_t>& by) const { return !by || held(*by) != 0; }
  [[nodiscard]] bool of_position(const problem::Unilateral& u) const {
    return info_.rows[u.row].level == problem::Level::position;
  }
  // Whether it has a gap that positions keep.
  [[nodiscard]] bool has_gap(const problem::Unilateral& u) const { return of_position(u) && enabled(u.enabled); }

 private:
  void turn(bool on, const problem::Unilateral& u) { held(u.active) = on && enabled(u.enabled) ? 1 : 0; }
  void turn(bool on, const problem::Friction& f) {
    held(f.sticks) = on && enabled(f.enabled) ? 1 : 0;
    for (const std::uint32_t d : f.direction) held(d) = 0;
    if (f.size) held(*f.size) = 0;
  }
  [[nodiscard]] double& held(std::uint32_t k) const { return equations_.inputs()[info_.events.held_at + k]; }

  Equations& equations_;
  const problem::Problem& info_;
};

}  // namespace mbc::runtime
