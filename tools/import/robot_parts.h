// SPDX-License-Identifier: Apache-2.0
// The data that the writers of one model share: the robot, the names of its parts in the model, and the text so far.
#pragma once
#include <map>
#include <string>

#include "base/text.h"
#include "tools/import/robot_model.h"
#include "tools/import/robot_names.h"
#include "tools/import/robot_words.h"

namespace mbc::tools {

struct ModelParts {
  const Robot& robot;
  const ImportOptions& options;
  Remark& problem;
  ImportedModel out{};
  RobotNames names{};
  std::map<std::string, std::string> links{}, joints{}, sites{}, tendons{}, actuators{};  // by the names of the file
  std::map<std::string, const Joint*> joint_named{}, joint_to{};                          // by the name, by the child
  std::string g{};                                                                        // the parameter of gravity
  std::string body{}, acting{}, start{}, outputs{};                                       // statements
  std::string disabled{};                                                                 // lines of `init`
  bool contact = false, math = false, uses_joints = false;
  std::map<std::string, std::string> forces{};  // values of actuators, by their names in the file
  int bodies = 0, joint_count = 0;

  bool fail(const FilePlace& place, const std::string& text) {
    problem = {place, text};
    return false;
  }
  void remark(const FilePlace& place, const std::string& text) { out.remarks.push_back({place, text}); }
  // A comment with the name of the file where it is another one.
  static std::string doc(const std::string& original, const std::string& made) {
    return original == made || original.empty() ? "" : "/// `" + printable(original) + "`\n";
  }
  [[nodiscard]] std::string value_of(const Joint& j) const { return joints.at(j.name) + coordinate_of(j); }
};

// Adds what acts: drives, springs, damping, friction, limits, tendons, couplings, actuators.
void write_acting(ModelParts& parts);
// Returns whether joints that close loops are moved before the motion begins.
[[nodiscard]] bool moves_loops(const ModelParts& parts);
// Adds where the motion begins.
void write_start(ModelParts& parts);
// Adds outputs for the sensors.
void write_sensors(ModelParts& parts);

}  // namespace mbc::tools
