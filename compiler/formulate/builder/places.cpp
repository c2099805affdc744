// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/builder/places.h"

#include <algorithm>

#include "base/check.h"
#include "compiler/formulate/solve/pattern.h"

namespace mbc::formulate {

namespace {

// Returns the index of an entry in an ascending pattern.
template <class Iterator, class Value>
std::uint32_t entry_in(Iterator begin, Iterator end, const Value& value) {
  const Iterator at = std::lower_bound(begin, end, value);
  CHECK(at != end && *at == value, "an entry that is stored is in the pattern");
  return static_cast<std::uint32_t>(at - begin);
}

}  // namespace

std::uint32_t KernelPlaces::of_A(std::uint32_t row, std::uint32_t column) const {
  const SystemLayout& l = layout_;
  const auto begin = l.column.begin();
  return l.A + l.row_ptr[row] + entry_in(begin + l.row_ptr[row], begin + l.row_ptr[row + 1], column);
}

std::uint32_t KernelPlaces::of_Y(std::uint32_t row, std::uint32_t column) const {
  const QuasiLayout& q = *layout_.quasi;
  const auto begin = q.column.begin();
  return q.Y + q.row_ptr[row] + entry_in(begin + q.row_ptr[row], begin + q.row_ptr[row + 1], column);
}

std::uint32_t KernelPlaces::of_M(std::uint32_t i, std::uint32_t j) const {
  return layout_.M + entry_in(layout_.mass.begin(), layout_.mass.end(), ordered(i, j));
}

Place KernelPlaces::of_target(const Part& part, const Contribution& c, std::uint32_t instance) const {
  const SystemLayout& l = layout_;
  const std::uint32_t item = part.family.items[instance];
  const auto speed = [&](std::uint32_t slot) { return part.family.index(instance, slot); };
  switch (c.target) {
    case Target::rate:
    case Target::state_rate:
      return {Space::deriv, false, c.target == Target::rate ? item : l.states_at() + item};
    case Target::mass:
      return {Space::work, false, of_M(speed(c.i), speed(c.j))};
    case Target::force:
    case Target::nonideal_force:
      return {Space::work, false, l.f + speed(c.i)};
    case Target::jacobian:
      return {Space::work, false, of_A(item, speed(c.i))};
    case Target::right_side:
      return {Space::work, false, l.b + item};
    case Target::position_residual:
      return {Space::work, false, l.position_residual + item};
    case Target::velocity_residual:
      return {Space::work, false, l.velocity_residual + item};
    case Target::kinetic_energy:
      return {Space::work, false, l.kinetic};
    case Target::potential_energy:
      return {Space::work, false, l.potential};
    case Target::load_power:
      return {Space::deriv, false, l.work_at()};
    case Target::support_power:
    case Target::nonideal_power:
    case Target::constraint_rate:
      return {Space::deriv, false, l.work_at() + 1};
    case Target::output:
      return {Space::work, false, l.outputs + item + c.i};
    case Target::row_weight:
      return {Space::work, false, l.weight + item};
    case Target::rate_offset:
      return {Space::work, false, l.quasi->offset + item};
    case Target::quasi_row:
      return {Space::work, false, of_Y(item, speed(c.i))};
    case Target::quasi_offset:
      return {Space::work, false, l.quasi->Z + item};
    case Target::quasi_bias:
      return {Space::work, false, l.quasi->bias + item};
    case Target::momentum_offset:
      return {Space::work, false, l.quasi->momentum_offset + speed(c.i)};
  }
  return {};
}

Place KernelPlaces::of_leaf(const Node& n) const {
  const SystemLayout& l = layout_;
  switch (n.leaf) {
    case LeafKind::time:
      return {Space::time, false, 0};
    case LeafKind::coordinate:
      return {Space::state, false, n.a};
    case LeafKind::speed:
      if (speeds_in_work_) return {Space::work, false, l.quasi->u + n.a};
      return {Space::state, false, l.speeds_at() + n.a};
    case LeafKind::state:
    case LeafKind::state_rate:
      return {n.leaf == LeafKind::state ? Space::state : Space::deriv, false, l.states_at() + n.a};
    case LeafKind::accel:
      if (speeds_in_work_) return {Space::work, false, acceleration_ + n.a};
      return {Space::deriv, false, l.speeds_at() + n.a};
    case LeafKind::param:
      return {Space::params, false, n.a};
    case LeafKind::input:
      return {Space::inputs, false, n.a};
    case LeafKind::mask:
      return {Space::mask, false, n.a};
    case LeafKind::multiplier:
      return {Space::work, false, l.lambda + n.a};
    case LeafKind::ideal:
      return {Space::work, false, l.ideal.value_or(l.lambda) + n.a};
    case LeafKind::slot_constant:
      break;
  }
  return {};
}

}  // namespace mbc::formulate
