// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/partials.h"

#include <map>
#include <utility>

#include "compiler/ad/forward.h"

namespace mbc::lower {

namespace {

// Collects the terms of one part in each residual that the part adds to.
class ResidualsOfPart {
 public:
  explicit ResidualsOfPart(Family& family) : f_(family), g_(family.shape.graph) {}

  void add(const Contribution& c) {
    const graph::SpanScope scope(g_, g_.origin(c.value));
    switch (c.target) {
      case Target::rate:
        return plus({Residual::rate, 0}, c.value);
      case Target::state_rate:
        return plus({Residual::state_rate, 0}, c.value);
      case Target::mass:
        plus({Residual::motion, c.i}, g_.neg(g_.mul(c.value, acceleration(c.j))));
        if (c.i != c.j) plus({Residual::motion, c.j}, g_.neg(g_.mul(c.value, acceleration(c.i))));
        return;
      case Target::force:
        return plus({Residual::motion, c.i}, c.value);
      case Target::nonideal_force:
        return plus({Residual::nonideal, c.i}, c.value);
      case Target::jacobian:
        plus({Residual::motion, c.i}, g_.mul(c.value, multiplier()));
        return plus({Residual::constraint, 0}, g_.neg(g_.mul(c.value, acceleration(c.i))));
      case Target::right_side:
        return plus({Residual::constraint, 0}, c.value);
      case Target::position_residual:
      case Target::velocity_residual:
      case Target::kinetic_energy:
      case Target::potential_energy:
      case Target::load_power:
      case Target::support_power:
      case Target::constraint_rate:
      case Target::output:
      case Target::row_weight:
      case Target::rate_offset:
      case Target::quasi_row:
      case Target::quasi_offset:
      case Target::quasi_bias:
      case Target::momentum_offset:
      case Target::nonideal_power:
        return;  // not in the equations of motion
    }
  }

  [[nodiscard]] std::vector<Partial> differentiate() {
    std::vector<Partial> out;
    std::vector<NodeId> roots;
    for (const auto& [place, value] : sums_) roots.push_back(value);
    const std::size_t slots = f_.shape.slots.size();
    for (std::uint32_t slot = 0; slot < slots; ++slot) {
      const LeafKind kind = f_.shape.slots[slot].kind;
      if (kind != LeafKind::coordinate && kind != LeafKind::speed && kind != LeafKind::state && kind != LeafKind::ideal)
        continue;
      const std::vector<NodeId> d =
          ad::derivative(g_, roots, [&](const Node& n) { return n.leaf == kind && n.a == slot ? g_.one() : NodeId{}; });
      std::size_t k = 0;
      for (const auto& [place, value] : sums_) {
        if (!g_.is_zero(d[k])) out.push_back({place.first, place.second, slot, d[k]});
        ++k;
      }
    }
    return out;
  }

 private:
  using Place = std::pair<Residual, std::uint32_t>;

  void plus(const Place& place, NodeId value) {
    NodeId& sum = sums_.try_emplace(place, g_.zero()).first->second;
    sum = g_.add(sum, value);
  }

  NodeId acceleration(std::uint32_t speed) {
    const auto [it, fresh] = acceleration_.try_emplace(speed, 0);
    if (fresh) it->second = f_.add_slot(LeafKind::accel, speed);
    return g_.leaf(LeafKind::accel, it->second);
  }

  // Returns the multiplier of the row of an instance.
  NodeId multiplier() {
    if (!multiplier_) multiplier_ = f_.add_item_slot(LeafKind::multiplier);
    return g_.leaf(LeafKind::multiplier, *multiplier_);
  }

  Family& f_;
  Graph& g_;
  std::map<Place, NodeId> sums_;
  std::map<std::uint32_t, std::uint32_t> acceleration_;  // slot by that of the speed
  std::optional<std::uint32_t> multiplier_;
};

}  // namespace

std::vector<PartialsOfPart> partials(const System& system) {
  std::vector<PartialsOfPart> out;
  for (const Part& part : system.parts) {
    PartialsOfPart made{part.family, {}, part.what};
    ResidualsOfPart residuals(made.family);
    for (const Contribution& c : part.contributions) residuals.add(c);
    made.partials = residuals.differentiate();
    if (!made.partials.empty()) out.push_back(std::move(made));
  }
  return out;
}

}  // namespace mbc::lower
