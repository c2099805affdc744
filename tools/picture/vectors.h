// SPDX-License-Identifier: Apache-2.0
// Vectors and unit quaternions (w, x, y, z) of pictures.
#pragma once
#include <array>
#include <cmath>

namespace mbc::tools {

using Vector3 = std::array<double, 3>;
using Turn = std::array<double, 4>;

inline Vector3 operator+(const Vector3& a, const Vector3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vector3 operator-(const Vector3& a, const Vector3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vector3 operator*(double s, const Vector3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline double dot(const Vector3& a, const Vector3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline double norm(const Vector3& a) { return std::sqrt(dot(a, a)); }
inline Vector3 cross(const Vector3& a, const Vector3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}

// Returns v + 2w (r x v) + 2 r x (r x v), with the quaternion (w, r).
inline Vector3 turned(const Turn& q, const Vector3& v) {
  const Vector3 r{q[1], q[2], q[3]}, once = cross(r, v);
  return v + 2 * q[0] * once + 2 * cross(r, once);
}

// Returns the rotation b followed by a.
inline Turn product(const Turn& a, const Turn& b) {
  return {a[0] * b[0] - a[1] * b[1] - a[2] * b[2] - a[3] * b[3], a[0] * b[1] + a[1] * b[0] + a[2] * b[3] - a[3] * b[2],
          a[0] * b[2] - a[1] * b[3] + a[2] * b[0] + a[3] * b[1], a[0] * b[3] + a[1] * b[2] - a[2] * b[1] + a[3] * b[0]};
}

}  // namespace mbc::tools
