// SPDX-License-Identifier: Apache-2.0
// Free bodies in the model: their rates, the coordinates of their rotations and their columns.
#pragma once
#include <array>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::sema {

// Returns the time derivative of each node.
std::vector<NodeId> rates_of(Model& model, const std::vector<NodeId>& nodes);
// Returns R r, for a vector that is fixed in the axes of R.
std::vector<NodeId> turned(graph::Graph& g, const std::vector<NodeId>& rotation, const std::vector<NodeId>& r);
// Adds Euler parameters, which begin as b.start_quaternion, and the angular velocity in body axes for the rotation of a
// free body in space, and sets the rotation, its rates and the quaternion of the body.
void turn_by_quaternion(Model& model, Body& b, const std::array<Speed, 3>& omega);
// Lists the columns recorded of a free body, whatever its representation: place and quaternion, velocities,
// accelerations. Those that are no coordinates or speeds are added to the outputs.
void record_body(const Model& model, Body& b, std::vector<Output>& outputs);

}  // namespace mbc::sema
