// SPDX-License-Identifier: Apache-2.0
// What of M and f is a number already when compiling, and where everything lies.
#include <algorithm>
#include <cmath>

#include "compiler/formulate/lanes/lane_kernel.h"

namespace mbc::formulate {

using graph::LeafKind;
using graph::Node;
using graph::NodeId;
using kernel::Space;
using lower::Contribution;
using lower::Target;

namespace {

// The number a value of an instance is, where it depends on literals only.
std::optional<double> literal(const lower::Family& family, std::uint32_t instance, NodeId value) {
  const graph::Graph& g = family.shape.graph;
  if (g.is_constant(value)) return g.constant_value(value);
  for (NodeId id : graph::leaves(g, {&value, 1}))
    if (g.node(id).leaf != LeafKind::slot_constant) return {};
  graph::Graph folded;
  const NodeId result = graph::copy_into(g, {&value, 1}, folded, [&](const Node& n) {
    return folded.constant(family.constants[family.index(instance, n.a)]);
  })[0];
  if (!folded.is_constant(result)) return {};
  return folded.constant_value(result);
}

// The inverse of a symmetric positive definite n x n matrix in place, by Gauss-Jordan; false when it is not.
bool invert(std::vector<double>& a, std::size_t n) {
  for (std::size_t k = 0; k < n; ++k) {
    const double pivot = a[k * n + k];
    if (!(pivot > 0) || !std::isfinite(pivot)) return false;
    a[k * n + k] = 1.0;
    for (std::size_t j = 0; j < n; ++j) a[k * n + j] /= pivot;
    for (std::size_t i = 0; i < n; ++i) {
      if (i == k) continue;
      const double factor = a[i * n + k];
      a[i * n + k] = 0.0;
      for (std::size_t j = 0; j < n; ++j) a[i * n + j] -= factor * a[k * n + j];
    }
  }
  return true;
}

constexpr std::size_t kLargestBlock = 6;  // speeds that M couples

bool refused(Target t) {
  return t == Target::row_weight || t == Target::nonideal_force || t == Target::nonideal_power ||
         t == Target::support_power;
}

}  // namespace

bool LaneStage::suits(const lower::System& system, const InertiaBlocks& blocks) {
  if (!system.works.empty() || system.nonideal) return false;
  for (std::size_t b = 0; b < blocks.speeds.size(); ++b)
    if (blocks.speeds[b].size() > kLargestBlock) return false;
  for (const lower::Part& part : system.parts) {
    const graph::Graph& g = part.family.shape.graph;
    for (const Contribution& c : part.contributions) {
      if (refused(c.target)) return false;
      if (c.target != Target::mass) continue;
      for (NodeId id : graph::leaves(g, {&c.value, 1}))
        if (g.node(id).leaf != LeafKind::slot_constant) return false;
    }
  }
  return true;
}

LaneStage::LaneStage(Context context) : c_(std::move(context)) {
  find_inertia();
  if (possible_) make_room();
}

void LaneStage::find_inertia() {
  const InertiaBlocks& blocks = c_.blocks;
  place_in_block_.resize(c_.system.n_speeds);
  std::size_t size = 0;
  for (std::size_t b = 0; b < blocks.speeds.size(); ++b) {
    const auto speeds = blocks.speeds[b];
    for (std::uint32_t k = 0; k < speeds.size(); ++k) place_in_block_[speeds[k]] = k;
    inverse_begin_.push_back(size);
    size += speeds.size() * speeds.size();
  }
  inverse_.assign(size, 0.0);
  free_.assign(c_.system.n_speeds, 0.0);
  literal_force_.assign(c_.system.n_speeds, true);
  for (const lower::Part& part : c_.system.parts) {
    for (std::uint32_t k = 0; k < part.family.count && possible_; ++k) take_mass(part, k);
  }
  for (std::size_t b = 0; b < blocks.speeds.size() && possible_; ++b) {
    const auto speeds = blocks.speeds[b];
    const std::size_t n = speeds.size();
    double* of_block = inverse_.data() + inverse_begin_[b];
    std::vector<double> matrix(of_block, of_block + n * n);
    possible_ = invert(matrix, n);
    std::copy(matrix.begin(), matrix.end(), of_block);
    std::vector<double> force(n);
    bool known = true;
    for (std::size_t i = 0; i < n; ++i) {
      force[i] = free_[speeds[i]];
      known = known && literal_force_[speeds[i]];
    }
    for (std::size_t i = 0; i < n && possible_; ++i) {
      free_[speeds[i]] = 0;
      for (std::size_t j = 0; j < n; ++j) free_[speeds[i]] += of_block[i * n + j] * force[j];
      literal_force_[speeds[i]] = known;
    }
    all_literal_ = all_literal_ && known;
  }
}

void LaneStage::take_mass(const lower::Part& part, std::uint32_t instance) {
  for (const Contribution& c : part.contributions) {
    if (c.target != Target::mass && c.target != Target::force) continue;
    const std::uint32_t i = part.family.index(instance, c.i);
    const std::optional<double> value = literal(part.family, instance, c.value);
    if (c.target == Target::force) {
      if (value)
        free_[i] += *value;
      else
        literal_force_[i] = false;
      continue;
    }
    if (!value) {
      possible_ = false;
      return;
    }
    const std::uint32_t j = part.family.index(instance, c.j), block = c_.blocks.of_speed[i];
    const std::size_t n = c_.blocks.speeds[block].size();
    const std::uint32_t a = place_in_block_[i], b = place_in_block_[j];
    double* of_block = inverse_.data() + inverse_begin_[block];
    of_block[a * n + b] += *value;
    if (a != b) of_block[b * n + a] += *value;
  }
}

double LaneStage::inverse(std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t block = c_.blocks.of_speed[i];
  if (c_.blocks.of_speed[j] != block) return 0.0;
  return inverse_[inverse_begin_[block] + place_in_block_[i] * c_.blocks.speeds[block].size() + place_in_block_[j]];
}

Place LaneStage::place_of(const lower::Part& part, std::uint32_t instance, std::uint32_t slot) const {
  const LeafKind kind = part.family.shape.slots[slot].kind;
  const std::uint32_t index = part.family.index(instance, slot);
  const LanePartition& p = c_.partition;
  if (kind == LeafKind::coordinate && p.in_lane(p.coordinate_at[index]))
    return {Space::work, false, in_lane(q_, p.coordinate_at[index])};
  if (kind == LeafKind::speed && p.in_lane(p.speed_at[index]))
    return {Space::work, false, in_lane(u_, p.speed_at[index])};
  if (kind == LeafKind::slot_constant) return {Space::work, false, c_.constants_of(part) + index};
  return c_.leaf_place({graph::Op::leaf, kind, index, 0, 0});
}

std::uint32_t LaneStage::row_place(std::uint32_t lanes_at, std::uint32_t tail_at, std::uint32_t row) const {
  const LaneMember m = c_.partition.row_at[row];
  return c_.partition.in_lane(m) ? in_lane(lanes_at, m) : tail_at + m.local;
}

std::uint32_t LaneStage::base_place(std::uint32_t row, std::uint32_t base) const {
  const LaneMember m = c_.partition.row_at[row];
  if (!c_.partition.in_lane(m)) return tail_A_ + base_begin_[c_.partition.rows.size() + m.local] + base;
  return A_ + (base_begin_[m.local] + base) * kLanes + m.lane;
}

std::uint32_t LaneStage::name_of(std::uint32_t row, std::uint32_t lane) const {
  const LaneMember m = c_.partition.row_at[row];
  if (c_.partition.in_lane(m)) return m.local;
  const auto& roles = c_.partition.roles;
  for (std::uint32_t k = 0; k < roles.size(); ++k)
    if (roles[k][lane] == m.local) return static_cast<std::uint32_t>(c_.partition.rows.size()) + k;
  return kNoLane;
}

std::uint32_t LaneStage::coupling_place(std::uint32_t row, std::uint32_t other) const {
  const LanePartition& p = c_.partition;
  if (!p.in_lane(p.row_at[row])) std::swap(row, other);
  const LaneMember a = p.row_at[row];
  if (!p.in_lane(a)) {
    const std::uint32_t i = a.local, j = p.row_at[other].local;
    return tail_coupling_ + tail_pair_.at({std::min(i, j), std::max(i, j)});
  }
  std::uint32_t first = a.local, second = name_of(other, a.lane);
  if (second < first) std::swap(first, second);
  const Names& reach = reach_[first];
  const auto at = static_cast<std::uint32_t>(std::lower_bound(reach.begin(), reach.end(), second) - reach.begin());
  return coupling_ + (reach_begin_[first] + at) * kLanes + a.lane;
}

}  // namespace mbc::formulate
