// SPDX-License-Identifier: Apache-2.0
// Converts the state of a motion between two representations of its free bodies.
#pragma once
#include <vector>

#include "kernel/problem/problem.h"

namespace mbc::runtime {

// Returns y = [q; u; s; w] of `from` with rotations and angular velocities in the representation of `to`
// (problem::Body::representation). All other entries are copied by name. `from` and `to` must describe the same model.
// The rotations must satisfy their constraints (|p| = 1, orthonormal axes); those of the result do so to round-off.
[[nodiscard]] std::vector<double> in_representation(const problem::Problem& from, const std::vector<double>& y,
                                                    const problem::Problem& to);

// Changes the speeds in y of bodies whose rotations changed. The bodies keep the angular velocities in body axes that
// they have in the state `before`, in any representation. If `chosen` marks a speed of a body, none of the body's
// speeds changes.
void keep_angular_velocities(const problem::Problem& info, const std::vector<double>& before,
                             const std::vector<char>& chosen, std::vector<double>& y);

// Returns whether a free body is described by anything other than a quaternion and its angular velocity.
[[nodiscard]] bool bodies_differ_from_quaternions(const problem::Problem& info);

}  // namespace mbc::runtime
