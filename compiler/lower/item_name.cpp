// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/item_name.h"

#include <string_view>

namespace mbc::lower {

namespace {

// Returns the event that watches or assigns a value.
ItemPlace place_of_value(const sema::Model& m, std::uint32_t value) {
  for (const problem::Event& e : m.events) {
    if (e.value == value) return {e.name, e.span};
    for (const problem::EventAction& a : e.actions)
      if (a.value == value) return {e.name, a.span};
  }
  return {};
}

}  // namespace

ItemPlace item_of(const Part& part, std::uint32_t item, const sema::Model& m) {
  const std::string_view what = *part.of ? part.of : part.what;
  const auto place = [](const auto& of) { return ItemPlace{of.name, of.span}; };
  if (what == "rate") return place(m.coordinates[item]);
  if (what == "state") return place(m.states[item]);
  if (what == "particle") return place(m.particles[item]);
  if (what == "body") return place(m.bodies[item]);
  if (what == "torque") return place(m.torques[item]);
  if (what == "force") return place(m.forces[item]);
  if (what == "load") return place(m.loads[item]);
  if (what == "energy") return place(m.energies[item]);
  if (what == "speed") return place(m.quasi_velocities[item]);
  if (what == "constraint") return place(m.equations[item]);
  if (what == "event") return place_of_value(m, item - static_cast<std::uint32_t>(m.outputs.size()));
  return place(m.outputs[item]);
}

}  // namespace mbc::lower
