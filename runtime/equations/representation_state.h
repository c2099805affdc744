// SPDX-License-Identifier: Apache-2.0
// The state of one motion in two representations of its free bodies.
#pragma once
#include <vector>

#include "kernel/problem/problem.h"

namespace mbc::runtime {

// y = [q; u; s; w] of `from` with the rotations, and what turns them, written as `to` wants them
// (problem::Body::representation); everything else is taken over by its name. `from` and `to` describe the same model.
// Rotations have to be on their constraints (|p| = 1, orthonormal axes); the result is on them to round-off.
[[nodiscard]] std::vector<double> in_representation(const problem::Problem& from, const std::vector<double>& y,
                                                    const problem::Problem& to);

// Of bodies that were turned: the speeds of y by which they keep the angular velocities in body axes of the state
// `before`, in any representation. `chosen`, by speed: those that are left as they are, with all of their body's.
void keep_angular_velocities(const problem::Problem& info, const std::vector<double>& before,
                             const std::vector<char>& chosen, std::vector<double>& y);

// Whether a free body is described by anything else than a quaternion and its angular velocity.
[[nodiscard]] bool bodies_differ_from_quaternions(const problem::Problem& info);

}  // namespace mbc::runtime
