// SPDX-License-Identifier: Apache-2.0
// The rows of all contacts of a model, on while they are looked at and off otherwise: as in a model without contacts.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/equations/equations.h"
#include "runtime/equations/model_info.h"

namespace mbc::runtime {

class ContactSwitches {
 public:
  // Both outlive the object.
  ContactSwitches(Equations& equations, const ModelInfo& info) : equations_(equations), info_(info) {}

  // Those that are not disabled, on; all, off.
  void turn(bool on) {
    for (const UnilateralInfo& u : info_.events.unilaterals) held(u.active) = on && enabled(u.enabled) ? 1 : 0;
    for (const FrictionInfo& f : info_.events.frictions) {
      held(f.sticks) = on && enabled(f.enabled) ? 1 : 0;
      for (const std::uint32_t d : f.direction) held(d) = 0;
      if (f.size) held(*f.size) = 0;
    }
  }
  [[nodiscard]] bool enabled(const std::optional<std::uint32_t>& by) const { return !by || held(*by) != 0; }
  [[nodiscard]] bool of_position(const UnilateralInfo& u) const {
    return info_.rows[u.row].level == RowLevel::position;
  }
  // Whether it has a gap that positions keep.
  [[nodiscard]] bool has_gap(const UnilateralInfo& u) const { return of_position(u) && enabled(u.enabled); }

 private:
  [[nodiscard]] double& held(std::uint32_t k) const { return equations_.inputs()[info_.events.held_at + k]; }

  Equations& equations_;
  const ModelInfo& info_;
};

}  // namespace mbc::runtime
