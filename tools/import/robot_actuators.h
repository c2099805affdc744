// SPDX-License-Identifier: Apache-2.0
// Tendons as sums of joint values, and actuators as inputs and loads.
#pragma once
#include <string>

#include "tools/import/robot_parts.h"

namespace mbc::tools {

// A tendon is a length if it has a path or one of its joints slides, else an angle.
ValueUnits units_of_tendon(const ModelParts& p, const Tendon& t);
std::string tendon_length(const ModelParts& p, const Tendon& t);
// Loads on the joints of a tendon, or forces on its sites, by a force along it, the name of a value.
std::string tendon_loads(ModelParts& p, const Tendon& t, const std::string& force);
void write_actuators(ModelParts& p);

}  // namespace mbc::tools
