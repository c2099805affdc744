// SPDX-License-Identifier: Apache-2.0
// Parts of a robot in the words of the language.
#pragma once
#include <string>

#include "tools/import/robot.h"

namespace mbc::tools {

bool is_zero(const Triple& v);
std::string triple_text(const Triple& v);
// Right angles are written as such: `pi/2` has the bits of the file's 1.5707963267948966.
std::string angle_text(double angle);
std::string axis_text(const Triple& axis);
// Returns "" for no rotation.
std::string rotation_text(const std::vector<AxisTurn>& turns);
// " at (1, 0, 0) [m] rotated rotx(pi/2)", of what differs from nothing.
std::string pose_text(const Pose& pose);
// ".at((1, 0, 0) [m], rotx(pi/2))", or "".
std::string seat_text(const Pose& pose);

// The units of a value that is an angle or a length, and of the load on it.
struct ValueUnits {
  bool length = false;
  [[nodiscard]] std::string value() const { return length ? " [m]" : ""; }
  [[nodiscard]] std::string rate() const { return length ? " [m/s]" : " [1/s]"; }
  [[nodiscard]] std::string load() const { return length ? " [N]" : " [N*m]"; }
  [[nodiscard]] std::string inertia() const { return length ? " [kg]" : " [kg*m^2]"; }
  // Returns the unit of a load divided by powers of the value and of its rate: " [N*s/m]".
  [[nodiscard]] std::string load_by(int values, int rates) const;
};

bool has_one_coordinate(const Joint& j);
inline ValueUnits units_of(const Joint& j) { return {j.kind == Joint::Kind::prismatic}; }
// ".angle" or ".displacement"
std::string coordinate_of(const Joint& j);

}  // namespace mbc::tools
