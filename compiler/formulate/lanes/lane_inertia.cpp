// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/lanes/lane_inertia.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace mbc::formulate {

namespace {

bool of_literals(const Graph& g, NodeId value) {
  return std::ranges::all_of(graph::leaves(g, value), [](const Node& n) { return n.leaf == LeafKind::slot_constant; });
}

// Returns the number of a value of an instance, if it depends on literals only.
std::optional<double> literal(const lower::Family& family, std::uint32_t instance, NodeId value) {
  const Graph& g = family.shape.graph;
  if (g.is_constant(value)) return g.constant_value(value);
  if (!of_literals(g, value)) return {};
  Graph folded;
  const NodeId result = graph::copy_into(g, {&value, 1}, folded, [&](const Node& n) {
    return folded.constant(family.constants[family.index(instance, n.a)]);
  })[0];
  if (!folded.is_constant(result)) return {};
  return folded.constant_value(result);
}

// Inverts a symmetric positive definite n x n matrix in place, by Gauss-Jordan; returns false if it is not positive
// definite.
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

bool suits_lanes(const System& system, const InertiaBlocks& blocks) {
  if (!system.works.empty() || system.nonideal) return false;
  for (std::size_t b = 0; b < blocks.speeds.size(); ++b)
    if (blocks.speeds[b].size() > kLargestBlock) return false;
  for (const Part& part : system.parts) {
    const Graph& g = part.family.shape.graph;
    for (const Contribution& c : part.contributions) {
      if (refused(c.target) || (c.target == Target::mass && !of_literals(g, c.value))) return false;
    }
  }
  return true;
}

LaneInertia::LaneInertia(const System& system, const InertiaBlocks& blocks) : blocks_(blocks) {
  place_in_block_.resize(system.n_speeds);
  std::size_t size = 0;
  for (std::size_t b = 0; b < blocks.speeds.size(); ++b) {
    const auto speeds = blocks.speeds[b];
    for (std::uint32_t k = 0; k < speeds.size(); ++k) place_in_block_[speeds[k]] = k;
    inverse_begin_.push_back(size);
    size += speeds.size() * speeds.size();
  }
  inverse_.assign(size, 0.0);
  free_.assign(system.n_speeds, 0.0);
  literal_force_.assign(system.n_speeds, true);
  for (const Part& part : system.parts)
    for (std::uint32_t k = 0; k < part.family.count && positive_; ++k) add_contributions(part, k);
  for (std::size_t b = 0; b < blocks.speeds.size() && positive_; ++b) invert_block(b);
}

// Adds the contributions to M and f; a mass that is not a number leaves M without an inverse.
void LaneInertia::add_contributions(const Part& part, std::uint32_t instance) {
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
      positive_ = false;
      return;
    }
    const std::uint32_t j = part.family.index(instance, c.j), block = blocks_.of_speed[i];
    const std::size_t n = blocks_.speeds[block].size();
    const std::uint32_t a = place_in_block_[i], b = place_in_block_[j];
    double* of_block = inverse_.data() + inverse_begin_[block];
    of_block[a * n + b] += *value;
    if (a != b) of_block[b * n + a] += *value;
  }
}

void LaneInertia::invert_block(std::size_t block) {
  const auto speeds = blocks_.speeds[block];
  const std::size_t n = speeds.size();
  double* of_block = inverse_.data() + inverse_begin_[block];
  std::vector<double> matrix(of_block, of_block + n * n);
  positive_ = invert(matrix, n);
  std::copy(matrix.begin(), matrix.end(), of_block);
  std::vector<double> force(n);
  bool known = true;
  for (std::size_t i = 0; i < n; ++i) {
    force[i] = free_[speeds[i]];
    known = known && literal_force_[speeds[i]];
  }
  for (std::size_t i = 0; i < n && positive_; ++i) {
    free_[speeds[i]] = 0;
    for (std::size_t j = 0; j < n; ++j) free_[speeds[i]] += of_block[i * n + j] * force[j];
    literal_force_[speeds[i]] = known;
  }
  all_literal_ = all_literal_ && known;
}

double LaneInertia::inverse(std::uint32_t i, std::uint32_t j) const {
  const std::uint32_t block = blocks_.of_speed[i];
  if (blocks_.of_speed[j] != block) return 0.0;
  return inverse_[inverse_begin_[block] + place_in_block_[i] * blocks_.speeds[block].size() + place_in_block_[j]];
}

}  // namespace mbc::formulate
