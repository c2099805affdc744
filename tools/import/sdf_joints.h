// SPDX-License-Identifier: Apache-2.0
// Joints of an SDF file: axes, limits, springs, joints with two axes, screws, gearboxes.
#pragma once
#include <array>
#include <map>
#include <set>
#include <string>

#include "tools/import/robot_geometry.h"
#include "tools/import/sdf_frames.h"

namespace mbc::tools {

// Names in the robot of all that has a frame.
struct SdfNames {
  std::map<std::size_t, std::string> of;  // by frames
  std::set<std::string> taken;
  // Returns a name that nothing has, for parts that the file does not name.
  std::string fresh(std::string name) {
    while (!taken.insert(name).second) name += "_";
    return name;
  }
};

class SdfJoints {
 public:
  // All outlive the object.
  SdfJoints(SdfFile& file, SdfFrames& frames, SdfNames& names, Robot& robot)
      : file_(file), frames_(frames), names_(names), robot_(robot) {}

  // `name`: of the joint in the robot.
  void read(std::size_t frame, const std::string& name);
  // Connects joints to others that they name; after all were read.
  void connect();

 private:
  struct Ends {
    std::size_t parent = 0, child = 0;  // frames of links
  };
  struct Mimic {
    std::size_t frame = 0, joint = 0;  // `joint`: its place in the robot
    Node node;
  };

  bool ends(const SdfFrame& f, Ends& out);
  void one_axis(std::size_t frame, const char* axis, Joint& j);
  void motion(Node axis, Joint& j);
  void limits(Node axis, Joint& j);
  void two_axes(std::size_t frame, Joint first);
  void pitch(const SdfFrame& f, Joint& j);
  void gearbox(std::size_t frame, const std::string& name);
  const Joint* between(std::size_t from, std::size_t to) const;
  double turns_along(const Joint& j, std::size_t from, const Eigen::Vector3d& axis);
  Eigen::Vector3d in_space(std::size_t frame, Node axis);
  std::optional<double> bound(Node limit, const char* name);
  void mimic(const Mimic& m);

  SdfFile& file_;
  SdfFrames& frames_;
  SdfNames& names_;
  Robot& robot_;
  std::map<std::size_t, std::array<std::string, 2>> axes_;  // names of the joints of each axis, by frame
  std::map<std::string, Ends> ends_;                        // of joints in the robot
  std::vector<Mimic> mimics_;
  std::vector<std::pair<std::size_t, std::string>> gearboxes_;
};

}  // namespace mbc::tools
