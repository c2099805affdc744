// SPDX-License-Identifier: Apache-2.0
// Prints the system (mbc compile --emit=system): each template once, with its contributions, then its instance rows.
#include <string>

#include "base/numbers.h"
#include "compiler/lower/item_name.h"

namespace mbc::lower {

namespace {

std::string slot_name(const Node& n, const void*) {
  return n.leaf == LeafKind::time ? "t" : std::string(graph::leaf_text(n.leaf)) + "#" + std::to_string(n.a);
}

std::string target_text(const Contribution& c) {
  const TargetColumns& columns = columns_of(c.target);
  const std::string text(columns.text), i = "#" + std::to_string(c.i);
  switch (columns.index) {
    case TargetColumns::Index::whole:
      return text;
    case TargetColumns::Index::item:
      return c.i == 0 ? text : text + " + " + std::to_string(c.i);
    case TargetColumns::Index::speed:
    case TargetColumns::Index::entry:
      return text + i + ")";
    case TargetColumns::Index::pair:
      return text + i + ", #" + std::to_string(c.j) + ")";
  }
  return text;
}

std::string global_name(const Family& f, std::uint32_t instance, std::uint32_t slot, const sema::Model& m) {
  const std::uint32_t index = f.index(instance, slot);
  const LeafKind kind = f.shape.slots[slot].kind;
  return kind == LeafKind::slot_constant ? text::number(f.constants[index]) : sema::leaf_name(m, kind, index);
}

}  // namespace

const TargetColumns& columns_of(Target target) {
  static constexpr TargetColumns kTargets[] = {
#define MBC_TARGET(name, index, kind, serves, text) \
  {TargetColumns::Index::index, TargetColumns::Kind::kind, TargetColumns::For::serves, text},
#include "compiler/lower/targets.def"
  };
  return kTargets[static_cast<std::size_t>(target)];
}

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
      out += "  " + target_text(c) + (is_added(c.target) ? " += " : " = ") +
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
