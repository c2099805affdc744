// SPDX-License-Identifier: Apache-2.0
#include "tools/import/mjcf.h"

#include <algorithm>

#include "tools/import/mjcf_sections.h"
#include "tools/import/mjcf_tree.h"

namespace mbc::tools {
namespace {

// Elements of the top level that are read elsewhere.
const std::set<std::string> kSections = {"compiler", "option",   "default", "worldbody", "equality",
                                         "tendon",   "actuator", "sensor",  "keyframe"};

void other_sections(MjcfFile& file) {
  for (const Node section : file.sections("contact"))
    file.xml().leave_out(section, "pairs and exclusions of <contact>");
  for (const Node section : file.sections("deformable"))
    for (const Node child : file.children(section))
      file.xml().fail(child, std::string("<") + printable(child.name()) + "> is not taken over: flexible bodies");
  for (const Node section : file.sections("extension"))
    file.xml().fail(section, "plugins are not taken over: they are code of MuJoCo");
  for (const Node section : file.sections("asset")) {
    for (const Node child : file.children(section)) {
      const std::string tag = child.name();
      if (tag == "hfield" || tag == "model")
        file.xml().fail(child, tag == "hfield" ? "height fields are not taken over"
                                               : "<model> is not taken over: save the model as one file");
    }
    file.xml().leave_out(section, "meshes, textures and materials of <asset>");
  }
}

void unknown_sections(MjcfFile& file, Node top) {
  static const std::map<std::string, const char*> kNoted = {
      {"visual", "<visual> and <statistic>: pictures have their own settings"},
      {"statistic", "<visual> and <statistic>: pictures have their own settings"},
      {"size", "<size>: memory is not limited"},
      {"custom", "<custom>: data of programs"},
  };
  for (const Node child : file.children(top)) {
    const std::string tag = child.name();
    if (const auto noted = kNoted.find(tag); noted != kNoted.end())
      file.xml().leave_out(child, noted->second);
    else if (!kSections.contains(tag) && tag != "contact" && tag != "deformable" && tag != "extension" &&
             tag != "asset")
      file.xml().leave_out(child, "<" + printable(tag) + ">");
  }
}

}  // namespace

std::optional<Robot> read_mjcf(const std::string& text, const MjcfOptions& options, Remark& problem) {
  MjcfFile file(options.folder, problem);
  Robot robot;
  robot.root_is_world = true;
  if (!file.read(text)) return {};
  robot.name = file.name();
  const MjcfFlags flags = read_options(file, robot);
  other_sections(file);
  unknown_sections(file, file.top());
  if (!file.xml().failed()) MjcfTree(file, robot).read();
  if (!file.xml().failed()) read_tendons(file, robot);
  if (!file.xml().failed()) read_springdampers(file, robot);
  if (!file.xml().failed()) read_equalities(file, robot);
  if (!file.xml().failed()) read_actuators(file, robot, flags);
  if (!file.xml().failed()) read_sensors(file, robot);
  if (!file.xml().failed()) read_keyframes(file, robot, options.keyframe);
  if (file.xml().failed()) return {};
  apply_flags(robot, flags);
  robot.left_out = file.xml().left_out();
  return robot;
}

}  // namespace mbc::tools
