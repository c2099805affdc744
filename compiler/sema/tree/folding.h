// SPDX-License-Identifier: Apache-2.0
// Expressions of a tree that are coordinates of its joints by another way. Between the frames of one joint the motion
// of the carrier cancels: `rate_about(axis, a, b)` is the speed of the joint, and the moments of a torque on b from a
// have the power of one generalised force. Such nodes are found by their values in drawn states and parameters.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// Replaces nodes that are a coordinate, speed or acceleration of a joint, 0 or 1, up to the sign.
void fold_nodes(Model& model);
// Replaces angular velocities of links by constant axes times speeds where that is what they are.
void fold_axes(Model& model);
// Replaces torques, alone or with their reaction, that have power along the speed of a single joint by loads on it.
void fold_torques(Model& model);

}  // namespace mbc::sema
