// SPDX-License-Identifier: Apache-2.0
// Kernels of loops: one block for each family adds values into arrays, with calls of the support library between the
// loops. Long and thin systems have functions in lanes as well.
#pragma once
#include <optional>

#include "compiler/formulate/builder/kernel_builder.h"
#include "compiler/formulate/lanes/partition.h"

namespace mbc::formulate {

// The division of a system into lanes.
struct LaneChoice {
  InertiaBlocks blocks;  // ignores the extra rows of the partition
  LanePartition partition;
};
// Returns nothing if lanes do not help, or if the formulation does not solve S lambda = r alone.
std::optional<LaneChoice> choose_lanes(const KernelBuilder& builder);

// Adds all functions to the builder's kernel, or sets there why the system is too large. Functions in lanes exist if
// the layout says `laned`.
void build_looped(KernelBuilder& builder, const std::optional<LaneChoice>& lanes);

}  // namespace mbc::formulate
