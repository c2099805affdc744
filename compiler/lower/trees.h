// SPDX-License-Identifier: Apache-2.0
// The inertia and the loads of inertia of bodies that joints carry, by recursion over their tree. Each tree is one
// item: its cost grows with the number of bodies and of entries of M, not with the length of the expressions of its
// poses.
#pragma once
#include <cstdint>
#include <set>
#include <utility>
#include <vector>

#include "compiler/lower/system.h"

namespace mbc::lower {

// Adds M, f, T and V of the bodies of trees. Returns these bodies: a body that floats and carries nothing is none.
std::set<std::uint32_t> add_trees(const sema::Model& model, System& system);
// Returns the outputs, in order, as runs of those of the bodies of one tree, whose poses share their expressions, and
// single ones: the first and their number.
std::vector<std::pair<std::uint32_t, std::uint32_t>> runs_of_outputs(const sema::Model& model);

}  // namespace mbc::lower
