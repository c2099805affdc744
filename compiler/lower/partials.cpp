// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/partials.h"

#include <algorithm>
#include <map>
#include <set>
#include <string_view>
#include <utility>

#include "compiler/ad/forward.h"

namespace mbc::lower {

namespace {

// Collects the terms of one part in each residual that the part adds to.
class ResidualsOfPart {
 public:
  ResidualsOfPart(Family& family, kernel::PartialsScope scope)
      : f_(family),
        g_(family.shape.graph),
        manifold_(scope == kernel::PartialsScope::manifold),
        loads_(scope == kernel::PartialsScope::loads) {}

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
        return plus({loads_ ? Residual::motion : Residual::nonideal, c.i}, c.value);
      case Target::jacobian:
        plus({Residual::motion, c.i}, g_.mul(c.value, multiplier()));
        return plus({Residual::constraint, 0}, g_.neg(g_.mul(c.value, acceleration(c.i))));
      case Target::right_side:
        return plus({Residual::constraint, 0}, c.value);
      case Target::position_residual:
        return of_manifold(Residual::position, c.value);
      case Target::velocity_residual:
        return of_manifold(Residual::velocity, c.value);
      case Target::output:
        return of_manifold(Residual::output, c.value);
      case Target::kinetic_energy:
      case Target::potential_energy:
      case Target::load_power:
      case Target::support_power:
      case Target::constraint_rate:
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
    const std::size_t slots = f_.shape.slots.size();
    for (std::uint32_t slot = 0; slot < slots; ++slot) differentiate_by(f_.shape.slots[slot].kind, slot);
    if (manifold_) differentiate_by(LeafKind::time, Partial::kTime);
    return std::move(out_);
  }

 private:
  using Place = std::pair<Residual, std::uint32_t>;

  void of_manifold(Residual residual, NodeId value) {
    if (manifold_) plus({residual, 0}, value);
  }

  // Returns whether a residual is differentiated by leaves of a kind.
  [[nodiscard]] bool wanted(Residual residual, LeafKind by) const {
    switch (by) {
      case LeafKind::coordinate:
        return !loads_ || residual == Residual::motion;
      case LeafKind::speed:
        return true;
      case LeafKind::state:
      case LeafKind::ideal:
        return !loads_;
      case LeafKind::time:
      case LeafKind::input:
        return manifold_;
      case LeafKind::accel:
      case LeafKind::multiplier:
      case LeafKind::state_rate:
        return residual == Residual::output;
      case LeafKind::param:
      case LeafKind::slot_constant:
      case LeafKind::mask:
        return false;
    }
    return false;
  }

  void differentiate_by(LeafKind kind, std::uint32_t slot) {
    std::vector<Place> places;
    std::vector<NodeId> roots;
    for (const auto& [place, value] : sums_)
      if (wanted(place.first, kind)) {
        places.push_back(place);
        roots.push_back(value);
      }
    if (roots.empty()) return;
    const bool by_time = kind == LeafKind::time;
    const std::vector<NodeId> d = ad::derivative(
        g_, roots, [&](const Node& n) { return n.leaf == kind && (by_time || n.a == slot) ? g_.one() : NodeId{}; });
    for (std::size_t k = 0; k < places.size(); ++k)
      if (!g_.is_zero(d[k])) out_.push_back({places[k].first, places[k].second, slot, d[k]});
  }

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
  bool manifold_, loads_;
  std::vector<Partial> out_;
  std::map<Place, NodeId> sums_;
  std::map<std::uint32_t, std::uint32_t> acceleration_;  // slot by that of the speed
  std::optional<std::uint32_t> multiplier_;
};

// Returns whether a part has loads: forces, torques, generalised forces, and the forces of potentials and dissipations.
bool has_loads(const Part& part) {
  if (*part.of) return true;
  const auto adds = [&](Target target) {
    return std::any_of(part.contributions.begin(), part.contributions.end(),
                       [target](const Contribution& c) { return c.target == target; });
  };
  return std::string_view(part.what) == "energy" && adds(Target::force) && !adds(Target::kinetic_energy);
}

// Leaves the frictions of contacts out of a part.
void leave_frictions_out(const System& system, const Part& part, Family& family) {
  if (std::string_view(part.of) != "torque" || system.friction_torques.empty()) return;
  const std::set<std::uint32_t> frictions(system.friction_torques.begin(), system.friction_torques.end());
  const std::size_t slots = family.shape.slots.size();
  std::uint32_t kept = 0;
  for (std::uint32_t k = 0; k < family.count; ++k) {
    if (frictions.contains(family.items[k])) continue;
    family.items[kept] = family.items[k];
    std::copy_n(family.rows.begin() + static_cast<std::ptrdiff_t>(k * slots), slots,
                family.rows.begin() + static_cast<std::ptrdiff_t>(kept * slots));
    ++kept;
  }
  family.count = kept;
  family.items.resize(kept);
  family.rows.resize(kept * slots);
  family.places.clear();
}

}  // namespace

std::vector<PartialsOfPart> partials(const System& system, kernel::PartialsScope scope) {
  std::vector<PartialsOfPart> out;
  const bool loads = scope == kernel::PartialsScope::loads;
  for (std::uint32_t p = 0; p < system.parts.size(); ++p) {
    const Part& part = system.parts[p];
    const bool load = loads && has_loads(part);
    if (loads && !load && std::string_view(part.what) != "rate") continue;
    PartialsOfPart made{part.family, {}, part.what, p, load};
    if (load) leave_frictions_out(system, part, made.family);
    if (made.family.count == 0) continue;
    ResidualsOfPart residuals(made.family, scope);
    for (const Contribution& c : part.contributions) residuals.add(c);
    made.partials = residuals.differentiate();
    if (!made.partials.empty()) out.push_back(std::move(made));
  }
  return out;
}

}  // namespace mbc::lower
