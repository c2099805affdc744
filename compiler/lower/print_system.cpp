// SPDX-License-Identifier: Apache-2.0
// The system as text (mbc compile --emit=system): each template once, with what it adds where, then its instance rows.
#include <string>

#include "base/numbers.h"
#include "compiler/lower/item_name.h"

namespace mbc::lower {

namespace {

std::string slot_name(const graph::Node& n, const void*) {
  return n.leaf == LeafKind::time ? "t" : std::string(graph::leaf_text(n.leaf)) + "#" + std::to_string(n.a);
}

std::string target_text(const Contribution& c) {
  const auto slot = [](std::uint32_t i) { return "#" + std::to_string(i); };
  switch (c.target) {
    case Target::rate:
      return "q'(item)";
    case Target::state_rate:
      return "s'(item)";
    case Target::mass:
      return "M(" + slot(c.i) + ", " + slot(c.j) + ")";
    case Target::force:
      return "f(" + slot(c.i) + ")";
    case Target::jacobian:
      return "A(row, " + slot(c.i) + ")";
    case Target::right_side:
      return "b(row)";
    case Target::position_residual:
      return "e(row)";
    case Target::velocity_residual:
      return "e'(row)";
    case Target::kinetic_energy:
      return "T";
    case Target::potential_energy:
      return "V";
    case Target::load_power:
      return "power of loads";
    case Target::support_power:
      return "power of supports";
    case Target::constraint_rate:
      return "work rate c(row)";
    case Target::output:
      return "output(item)";
    case Target::row_weight:
      return "D(row)";
    case Target::rate_offset:
      return "c(row)";
    case Target::quasi_row:
      return "Y(item, " + slot(c.i) + ")";
    case Target::quasi_offset:
      return "Z(item)";
    case Target::quasi_bias:
      return "Y' u + Z'(item)";
    case Target::momentum_offset:
      return "N(" + slot(c.i) + ")";
    case Target::nonideal_force:
      return "C(" + slot(c.i) + ")";
    case Target::nonideal_power:
      return "power of C";
  }
  return "?";
}

bool adds(Target t) {
  return t == Target::mass || t == Target::force || t == Target::kinetic_energy || t == Target::potential_energy ||
         t == Target::load_power || t == Target::support_power || t == Target::momentum_offset ||
         t == Target::nonideal_force || t == Target::nonideal_power;
}

std::string global_name(const Family& f, std::uint32_t instance, std::uint32_t slot, const sema::Model& m) {
  const std::uint32_t index = f.index(instance, slot);
  switch (f.shape.slots[slot].kind) {
    case LeafKind::coordinate:
      return m.coordinates[index].name;
    case LeafKind::speed:
      return m.speeds[index].name;
    case LeafKind::accel:
      return m.speeds[index].name + "'";
    case LeafKind::state:
      return m.states[index].name;
    case LeafKind::state_rate:
      return m.states[index].name + "'";
    case LeafKind::input:
      return m.input_name(index);
    case LeafKind::param:
      return m.params[index].name;
    case LeafKind::slot_constant:
      return text::number(f.constants[index]);
    case LeafKind::multiplier:
      return "lambda(" + m.equations[index].name + ")";
    case LeafKind::ideal:
      return "ideal(" + m.equations[index].name + ")";
    case LeafKind::time:
    case LeafKind::mask:
      break;
  }
  return std::string(graph::leaf_text(f.shape.slots[slot].kind)) + std::to_string(index);
}

}  // namespace

std::string print(const System& system, const sema::Model& model) {
  constexpr std::uint32_t kShown = 12;  // instances of a template; the rest is counted
  std::string out = "system: " + std::to_string(system.n_coordinates) + " coordinates, " +
                    std::to_string(system.n_speeds) + " speeds, " + std::to_string(system.n_rows) + " rows, " +
                    std::to_string(system.parts.size()) + " templates\n";
  for (std::size_t p = 0; p < system.parts.size(); ++p) {
    const Part& part = system.parts[p];
    const Family& f = part.family;
    out += "template " + std::to_string(p) + ": " + part.what + ", " + std::to_string(f.count) +
           (f.count == 1 ? " instance\n" : " instances\n");
    for (const Contribution& c : part.contributions)
      out += "  " + target_text(c) + (adds(c.target) ? " += " : " = ") +
             graph::to_text(f.shape.graph, c.value, slot_name, nullptr) + "\n";
    for (std::uint32_t k = 0; k < f.count && k < kShown; ++k) {
      out += "  " + item_name(part, f.items[k], model) + ":";
      for (std::uint32_t s = 0; s < f.shape.slots.size(); ++s)
        out += " #" + std::to_string(s) + "=" + global_name(f, k, s, model);
      out += "\n";
    }
    if (f.count > kShown) out += "  ... " + std::to_string(f.count - kShown) + " more\n";
  }
  return out;
}

}  // namespace mbc::lower
