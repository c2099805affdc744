// SPDX-License-Identifier: Apache-2.0
// Pieces of SDF, for tests.
#pragma once
#include <Eigen/Dense>
#include <cmath>
#include <sstream>
#include <string>

#include "tests/tools/robot_texts.h"

namespace mbc::test {

inline std::string shown(double x) {
  std::ostringstream text;
  text.precision(17);
  text << x;
  return text.str();
}
// Roll, pitch and yaw of a rotation.
inline Eigen::Vector3d angles_of(const Eigen::Matrix3d& r) {
  return {std::atan2(r(2, 1), r(2, 2)), std::asin(std::fmax(-1, std::fmin(1, -r(2, 0)))), std::atan2(r(1, 0), r(0, 0))};
}
inline std::string in_sdf(const std::string& inside, const std::string& version = "1.9") {
  return "<sdf version=\"" + version + "\">\n" + inside + "\n</sdf>\n";
}
inline std::string in_model(const std::string& inside, const std::string& version = "1.9") {
  return in_sdf("<model name=\"m\">\n" + inside + "\n</model>", version);
}
inline std::string inertial(double mass, double moment) {
  const std::string j = shown(moment);
  return "<inertial><mass>" + shown(mass) + "</mass><inertia><ixx>" + j + "</ixx><iyy>" + j + "</iyy><izz>" + j +
         "</izz></inertia></inertial>";
}
inline std::string link(const std::string& name, const std::string& inside = "", double mass = 2, double moment = 0.5) {
  return "<link name=\"" + name + "\">" + inside + inertial(mass, moment) + "</link>\n";
}
inline std::string joint(const std::string& name, const std::string& type, const std::string& parent,
                         const std::string& child, const std::string& inside = "") {
  return "<joint name=\"" + name + "\" type=\"" + type + "\"><parent>" + parent + "</parent><child>" + child +
         "</child>" + inside + "</joint>\n";
}
inline std::string axis(const std::string& xyz, const std::string& inside = "", const std::string& tag = "axis") {
  return "<" + tag + "><xyz>" + xyz + "</xyz>" + inside + "</" + tag + ">";
}

}  // namespace mbc::test
