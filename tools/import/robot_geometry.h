// SPDX-License-Identifier: Apache-2.0
// Rotations and places of the links of a robot as numbers.
#pragma once
#include <Eigen/Dense>
#include <map>
#include <string>

#include "tools/import/robot.h"

namespace mbc::tools {

inline Eigen::Vector3d vector_of(const Triple& t) { return {t[0], t[1], t[2]}; }
inline Triple triple_of(const Eigen::Vector3d& v) { return {v[0], v[1], v[2]}; }
Eigen::Quaterniond rotation_of(const Pose& pose);
// rotz(yaw)*roty(pitch)*rotx(roll)
std::vector<AxisTurn> roll_pitch_yaw(const Triple& angles);
// One turn about an axis whose largest component is 1, or none.
std::vector<AxisTurn> turns_of(const Eigen::Quaterniond& rotation);
// The least turn that takes the z axis to a direction.
std::vector<AxisTurn> turn_to(const Eigen::Vector3d& z);
// The pose of what is seen from axes that have the first pose.
Pose product(const Pose& first, const Pose& second);
// The same with the turns of both, less those that undo each other.
Pose chained(const Pose& first, const Pose& second);
Pose inverse(const Pose& pose);
// Numbers that several poses made, without the rounding: zeros and decimals of 15 digits; at most three turns.
Pose tidy(const Pose& pose);
Triple tidy(const Triple& v);

struct Placed {
  Eigen::Vector3d at = Eigen::Vector3d::Zero();
  Eigen::Quaterniond axes = Eigen::Quaterniond::Identity();
};
Placed placed_by(const Placed& on, const Pose& pose);
// Values of joints with one coordinate; of ball joints the rotation against the parent, of free joints the place.
struct JointValues {
  std::map<std::string, double> values;
  std::map<std::string, Placed> placed;
};
// Returns where all links are in space. A joint that is not named has its reference, or is as it is drawn.
std::map<std::string, Placed> places_of(const Robot& robot, const JointValues& at);
// Returns the length of a tendon where all links are.
double length_of(const Robot& robot, const Tendon& tendon, const JointValues& at);
// Returns a joint that mimics itself, over others or not.
const Joint* mimic_of_itself(const Robot& robot);
// Returns the diagonal of M for each joint with one coordinate, where all joints have their references.
std::map<std::string, double> inertias_of_joints(const Robot& robot);

}  // namespace mbc::tools
