// SPDX-License-Identifier: Apache-2.0
// The shape of a body from its inertia and the function of the library that gave it. The functions are formulas of
// mass and sizes that can be solved for the sizes, so the body looks as it was written, in a component as well.
#pragma once
#include <array>
#include <string_view>

#include "mbc/scene.h"

namespace mbc::api {

using Quaternion = std::array<double, 4>;
// Of a rotation matrix (row-major).
[[nodiscard]] Quaternion quaternion_of(const std::array<double, 9>& rotation);

// `inertia`: (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the mass centre. `written`: the text of the argument, for example
// "cylinder_inertia(m, r, l)".
[[nodiscard]] SceneShape shape_of(std::string_view written, double mass, const std::array<double, 6>& inertia);
// In the plane, where the inertia is a number.
[[nodiscard]] SceneShape planar_shape_of(std::string_view written, double mass, double inertia);

}  // namespace mbc::api
