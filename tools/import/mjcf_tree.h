// SPDX-License-Identifier: Apache-2.0
// Bodies, joints, geoms and sites of an MJCF file as links and joints of a robot.
#pragma once
#include <map>
#include <string>

#include "tools/import/mjcf_file.h"

namespace mbc::tools {

class MjcfTree {
 public:
  // Both outlive the object.
  MjcfTree(MjcfFile& file, Robot& robot) : file_(file), robot_(robot) {}
  void read();

 private:
  struct Part {  // an element of a body, in frames of the body
    Node node;
    Pose frame;
    std::string around;
  };
  struct Content {
    Node inertial;
    std::vector<Part> joints, geoms, sites, bodies;
  };

  void collect(Node node, const Pose& frame, const std::string& around, Content& content);
  void refuse(Node node, const std::string& tag);
  void body(const Part& part, const std::string& parent, bool parent_moves);
  void joints(const Content& content, const Link& link, const std::string& parent, const Pose& pose);
  Joint joint(const Part& part, const std::string& body);
  void sites(const Content& content, const std::string& link);
  void mass(const Content& content, const Pose& pose, Link& link);
  void explicit_mass(Node node, Link& link);
  std::string name_of(Node node, const std::string& stem, std::map<std::string, FilePlace>& taken, const char* what);
  void scale_masses();
  void find_carriers();

  MjcfFile& file_;
  Robot& robot_;
  std::map<std::string, FilePlace> bodies_, joints_, sites_;
};

}  // namespace mbc::tools
