// SPDX-License-Identifier: Apache-2.0
// The shape of a body from its inertia and the library function that computed it. The functions are formulas of mass
// and sizes that can be solved for the sizes, so the picture shows the declared body, in a component as well.
#pragma once
#include <array>
#include <string_view>

#include "mbc/scene.h"

namespace mbc::api {

using Quaternion = std::array<double, 4>;
// Returns the quaternion of a rotation matrix (row-major).
[[nodiscard]] Quaternion quaternion_of(const std::array<double, 9>& rotation);
[[nodiscard]] constexpr Quaternion conjugate(const Quaternion& q) { return {q[0], -q[1], -q[2], -q[3]}; }
// Returns the rotation b followed by a.
[[nodiscard]] constexpr Quaternion product(const Quaternion& a, const Quaternion& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

// `inertia` is (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) about the mass centre. `written` is the text of the argument, for example
// "cylinder_inertia(m, r, l)".
[[nodiscard]] SceneShape shape_of(std::string_view written, double mass, const std::array<double, 6>& inertia);
// Does the same in the plane, where the inertia is a number.
[[nodiscard]] SceneShape planar_shape_of(std::string_view written, double mass, double inertia);

}  // namespace mbc::api
