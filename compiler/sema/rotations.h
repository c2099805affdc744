// SPDX-License-Identifier: Apache-2.0
// Rotation matrices and Euler parameters as expressions. Matrices are 3 x 3, row-major, body components to space
// components; p = (p0, p1, p2, p3) with p0 = cos(angle/2).
#pragma once
#include <functional>
#include <span>
#include <vector>

#include "compiler/sema/names.h"

namespace mbc::sema {

// Returns the unit quaternion of a rotation matrix.
std::vector<NodeId> quaternion_of(graph::Graph& g, const std::vector<NodeId>& R);
// Homogeneous form divided by |p|^2: a rotation for any length of p.
std::vector<NodeId> rotation_of(graph::Graph& g, const std::vector<NodeId>& p);
// 004 eq. 3, quadratic in p: a rotation only if |p| = 1.
std::vector<NodeId> rotation_of_unit(graph::Graph& g, const std::vector<NodeId>& p);
// omega = Gbar p' in body axes, 004 eq. 6
std::vector<NodeId> angular_velocity(graph::Graph& g, const std::vector<NodeId>& p, const std::vector<NodeId>& rate);
// Returns omega in body axes of any rotation matrix, of the plane or of space. Turns are taken off one by one: R = turn
// R_2 has omega = omega_2 + R_2^T (angle' axis). A matrix that is no turn about a fixed axis has skew(omega) = R^T R'.
std::vector<NodeId> angular_velocity_of(graph::Graph& g, std::vector<NodeId> R,
                                        const std::function<std::vector<NodeId>(const std::vector<NodeId>&)>& rates_of,
                                        std::size_t space);
// p' = p o (0, omega)/2
std::vector<NodeId> quaternion_rate(graph::Graph& g, const std::vector<NodeId>& p, const std::vector<NodeId>& omega);
// The places of the six moments xx, yy, zz, xy, xz, yz of a body in its tensor.
inline constexpr std::size_t kInertiaAt[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};
// Returns I v in body axes; in the plane both are one number.
std::vector<NodeId> times_inertia(graph::Graph& g, const std::vector<NodeId>& inertia, const std::vector<NodeId>& v);
// Returns A B, row-major, with rows of A and columns of B of length n; a vector is one row or column.
std::vector<NodeId> matrix_product(graph::Graph& g, std::span<const NodeId> a, std::span<const NodeId> b,
                                   std::size_t n);
// a x b
std::vector<NodeId> cross(graph::Graph& g, const std::vector<NodeId>& a, const std::vector<NodeId>& b);

}  // namespace mbc::sema
