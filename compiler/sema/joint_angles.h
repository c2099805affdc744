// SPDX-License-Identifier: Apache-2.0
// The angle of a joint counts turns, whether a coordinate is the angle (`bodies = tree`) or rows hold the joint. In the
// second case atan2(y, x) gives the angle up to whole turns, and the name of the joint's coordinate stands for
//   n + atan2(y cos n - x sin n, x cos n + y sin n)
// with a discrete variable n, of which the angle is within half a turn. A run moves n along with the angle, between
// steps (runtime/equations/joint_angles.h), so that the angle does not jump within one.
#pragma once
#include "compiler/sema/model.h"

namespace mbc::sema {

// Returns a measure with its angles counting turns, and notes it in Model::measures.
NodeId with_turns(Model& model, NodeId measure, const Name& name, Span span);
// Returns the measure that the name of a joint's coordinate stands for, without turns; it has the same rate. Any other
// expression is returned as it is.
NodeId without_turns(const Model& model, NodeId e);
// Returns an angle from -pi to pi that bodies are drawn at. Half a turn is +pi, and rounding does not decide.
NodeId as_drawn(graph::Graph& g, NodeId angle);
// Lets angles begin at the values of `init` and forgets those that the model does not hold. Runs when the tree of the
// joints is decided.
void finish_joint_angles(Model& model);

}  // namespace mbc::sema
