// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/lane_places.h"

#include <algorithm>

#include "base/check.h"

namespace mbc::formulate {

LanePlaces::LanePlaces(const LaneSystem& system, const LaneRowTable& rows, const LaneElimination& elimination,
                       bool forces_are_literal)
    : s_(system), elimination_(elimination) {
  order_bases(rows);
  order_speeds();
  make_room(forces_are_literal);
}

// Each local row has as many bases as its largest instance. The bases of other rows follow row by row.
void LanePlaces::order_bases(const LaneRowTable& rows) {
  const LanePartition& p = s_.partition;
  for (const Across& across : p.rows) {
    std::uint32_t most = 0;
    for (std::uint32_t row : across) most = std::max(most, rows.n_bases(row));
    base_begin_.push_back(lane_bases_);
    lane_bases_ += most;
  }
  for (const auto* list : {&p.separator_rows, &p.extra})
    for (std::uint32_t row : *list) {
      base_begin_.push_back(separator_bases_);
      separator_bases_ += rows.n_bases(row);
    }
}

void LanePlaces::order_speeds() {
  const LanePartition& p = s_.partition;
  speed_order_.resize(s_.system.n_speeds);
  auto others = static_cast<std::uint32_t>(p.speeds.size()) * kLanes;
  for (std::uint32_t c = 0; c < s_.system.n_speeds; ++c)
    speed_order_[c] = p.in_lane(p.speed_at[c]) ? in_lane(0, p.speed_at[c]) : others++;
}

void LanePlaces::make_room(bool forces_are_literal) {
  const LanePartition& p = s_.partition;
  const std::size_t n = p.rows.size(), faces = p.interface_rows.size();
  const auto outside = static_cast<std::uint32_t>(p.separator_rows.size() + p.extra.size());
  const auto across = [&](const char* name, std::size_t size) {
    return s_.room(name, static_cast<std::uint32_t>(size) * kLanes);
  };
  lanes.q = across("lanes.q", p.coordinates.size());
  lanes.u = across("lanes.u", p.speeds.size());
  lanes.A = across("lanes.A", lane_bases_);
  lanes.r = across("lanes.r", n);
  lanes.S = across("lanes.S", n);
  lanes.scale = across("lanes.scale", n);
  lanes.pivot_inverse = across("lanes.inverse", n);
  lanes.coupling = across("lanes.coupling", elimination_.n_entries());
  lanes.lambda = across("lanes.lambda", n);
  interface.coupling = across("lanes.tail.S", faces * (faces + 1) / 2);
  interface.r = across("lanes.tail.r", faces);
  interface.lambda = across("lanes.tail.lambda", faces);
  lanes.acceleration = across("lanes.u'", p.speeds.size());
  separators.A = s_.room("tail.A", separator_bases_);
  separators.r = s_.room("tail.r", outside);
  separators.S = s_.room("tail.S", outside);
  separators.scale = s_.room("tail.scale", outside);
  separators.coupling = s_.room("tail.coupling", static_cast<std::uint32_t>(elimination_.separator_pair.size()));
  separators.lambda = s_.room("tail.lambda", outside);
  lanes.row_inverse = across("lanes.factor", n);
  separators.row_inverse = s_.room("tail.factor", outside);
  separators.guard = s_.room("lanes.guard", outside);
  if (forces_are_literal) return;
  speeds.force = s_.room("lanes.f", s_.system.n_speeds);
  speeds.free = s_.room("lanes.free", s_.system.n_speeds);
}

std::uint32_t LanePlaces::of_row(std::uint32_t lanes_at, std::uint32_t separators_at, std::uint32_t row) const {
  const LaneSlot m = s_.partition.row_at[row];
  return s_.partition.in_lane(m) ? in_lane(lanes_at, m) : separators_at + m.local;
}

std::uint32_t LanePlaces::of_base(std::uint32_t row, std::uint32_t base) const {
  const LaneSlot m = s_.partition.row_at[row];
  if (!s_.partition.in_lane(m)) return separators.A + base_begin_[s_.partition.rows.size() + m.local] + base;
  return lanes.A + (base_begin_[m.local] + base) * kLanes + m.lane;
}

std::uint32_t LanePlaces::of_coupling(std::uint32_t row, std::uint32_t other) const {
  const LanePartition& p = s_.partition;
  if (!p.in_lane(p.row_at[row])) std::swap(row, other);
  const LaneSlot a = p.row_at[row];
  if (!p.in_lane(a)) {
    const std::uint32_t i = a.local, j = p.row_at[other].local;
    return separators.coupling + elimination_.separator_pair.at({std::min(i, j), std::max(i, j)});
  }
  std::uint32_t first = a.local, second = p.name_of(other, a.lane);
  if (second < first) std::swap(first, second);
  return lanes.coupling + elimination_.entry(first, second) * kLanes + a.lane;
}

std::uint32_t LanePlaces::of_multiplier(std::uint32_t row, std::uint32_t lane) const {
  const LanePartition& p = s_.partition;
  const LaneSlot m = p.row_at[row];
  if (p.in_lane(m)) return in_lane(lanes.lambda, m);
  if (lane == kNoLane) return separators.lambda + m.local;
  const std::uint32_t name = p.name_of(row, lane);
  CHECK(name != kNoLane && name >= p.rows.size(), "a speed of a lane is moved by its own rows and its two separators");
  return in_lane(interface.lambda, {lane, name - static_cast<std::uint32_t>(p.rows.size())});
}

Place LanePlaces::of_slot(const Part& part, std::uint32_t instance, std::uint32_t slot) const {
  const LeafKind kind = part.family.shape.slots[slot].kind;
  const std::uint32_t index = part.family.index(instance, slot);
  const LanePartition& p = s_.partition;
  if (kind == LeafKind::coordinate && p.in_lane(p.coordinate_at[index]))
    return {Space::work, false, in_lane(lanes.q, p.coordinate_at[index])};
  if (kind == LeafKind::speed && p.in_lane(p.speed_at[index]))
    return {Space::work, false, in_lane(lanes.u, p.speed_at[index])};
  return of_slot_outside(part, instance, slot);
}

Place LanePlaces::of_slot_outside(const Part& part, std::uint32_t instance, std::uint32_t slot) const {
  const LeafKind kind = part.family.shape.slots[slot].kind;
  const std::uint32_t index = part.family.index(instance, slot);
  if (kind == LeafKind::slot_constant) return {Space::work, false, s_.constants_of(part) + index};
  return s_.leaf_place({Op::leaf, kind, index, 0, 0});
}

}  // namespace mbc::formulate
