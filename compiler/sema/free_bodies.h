// SPDX-License-Identifier: Apache-2.0
// Free bodies in the model: their rates, the coordinates of their rotations and their columns.
#pragma once
#include <array>
#include <vector>

#include "compiler/sema/model.h"

namespace mbc::sema {

// Returns the time derivatives, one by one.
std::vector<NodeId> rates_of(Model& model, const std::vector<NodeId>& nodes);
// Returns R r, for a vector fixed in what R turns.
std::vector<NodeId> turned(graph::Graph& g, const std::vector<NodeId>& rotation, const std::vector<NodeId>& r);
// Coordinates and speeds of the rotation of a free body in space, with b.start_quaternion; fills what is made of them.
void turn_by_quaternion(Model& model, Body& b, const std::array<Speed, 3>& omega);

// The columns recorded of a free body, whatever its representation: place and quaternion, velocities, accelerations.
// What is no coordinate or speed is added to the outputs.
void record_body(const Model& model, Body& b, std::vector<Output>& outputs);

}  // namespace mbc::sema
