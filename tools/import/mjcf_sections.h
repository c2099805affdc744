// SPDX-License-Identifier: Apache-2.0
// The sections of an MJCF file outside of the tree of bodies.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/import/mjcf_file.h"

namespace mbc::tools {

// The parts that <option> switches off.
struct MjcfFlags {
  bool equality = true, limits = true, friction = true, springs = true, dampers = true, gravity = true,
       actuation = true, clamp_controls = true;
  std::vector<int> groups_off;  // of actuators
};

MjcfFlags read_options(MjcfFile& file, Robot& robot);
void read_tendons(MjcfFile& file, Robot& robot);
// Gives joints the springs and dampers that their time constants say; tendons are known.
void read_springdampers(MjcfFile& file, Robot& robot);
void read_equalities(MjcfFile& file, Robot& robot);
void read_actuators(MjcfFile& file, Robot& robot, const MjcfFlags& flags);
void read_sensors(MjcfFile& file, Robot& robot);
// Starts at the keyframe of this name, or at the first one.
void read_keyframes(MjcfFile& file, Robot& robot, const std::string& wanted);
// Takes out what the options switch off.
void apply_flags(Robot& robot, const MjcfFlags& flags);

const Joint* joint_named(const Robot& robot, const std::string& name);
const Tendon* tendon_named(const Robot& robot, const std::string& name);

}  // namespace mbc::tools
