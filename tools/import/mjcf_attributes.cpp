// SPDX-License-Identifier: Apache-2.0
// The attributes of MJCF that are read, and notes on those that are not.
#include "tools/import/mjcf_file.h"

namespace mbc::tools {
namespace {

using Words = std::set<std::string>;

const Words kPlace = {"pos", "quat", "axisangle", "xyaxes", "zaxis", "euler"};
const Words kDriver = {"name",      "class",       "joint",      "jointinparent", "tendon",  "site",     "gear",
                       "ctrlrange", "ctrllimited", "forcerange", "forcelimited",  "damping", "armature", "group"};

Words joined(Words a, const Words& b) {
  a.insert(b.begin(), b.end());
  return a;
}

const std::map<std::string, Words> kReadAttributes = {
    {"compiler",
     {"angle", "eulerseq", "autolimits", "coordinate", "inertiafromgeom", "inertiagrouprange", "balanceinertia",
      "boundmass", "boundinertia", "settotalmass", "alignfree"}},
    {"body", joined(kPlace, {"name", "childclass", "mocap", "gravcomp"})},
    {"replicate", {"count", "offset", "euler", "sep"}},
    {"frame", joined(kPlace, {"name", "childclass"})},
    {"inertial", joined(kPlace, {"mass", "diaginertia", "fullinertia"})},
    {"joint",
     {"name", "class", "type", "pos", "axis", "ref", "range", "limited", "damping", "stiffness", "springref",
      "springdamper", "frictionloss", "armature", "actuatorfrcrange", "actuatorfrclimited"}},
    {"freejoint", {"name", "align"}},
    {"geom", joined(kPlace, {"name", "class", "type", "size", "fromto", "mass", "density", "group", "shellinertia"})},
    {"site", joined(kPlace, {"name", "class", "fromto"})},
    {"general", joined(kDriver, {"dyntype", "gaintype", "biastype", "dynprm", "gainprm", "biasprm"})},
    {"motor", kDriver},
    {"position", joined(kDriver, {"kp", "kv", "dampratio", "timeconst", "inheritrange"})},
    {"intvelocity", joined(kDriver, {"kp", "kv", "dampratio"})},
    {"velocity", joined(kDriver, {"kv"})},
    {"damper", joined(kDriver, {"kv"})},
    {"connect", {"name", "class", "active", "body1", "body2", "anchor", "site1", "site2"}},
    {"weld", {"name", "class", "active", "body1", "body2", "anchor", "relpose", "site1", "site2", "torquescale"}},
    {"equality joint", {"name", "class", "active", "joint1", "joint2", "polycoef"}},
    {"equality tendon", {"name", "class", "active", "tendon1", "tendon2", "polycoef"}},
    {"fixed",
     {"name", "class", "range", "limited", "frictionloss", "springlength", "stiffness", "damping", "armature",
      "actuatorfrcrange", "actuatorfrclimited"}},
    {"fixed joint", {"joint", "coef"}},
    {"key", {"name", "qpos", "qvel", "act", "ctrl"}},
    {"sensor", {"name", "objtype", "objname", "reftype", "refname", "body", "site", "joint", "tendon", "actuator"}},
};

struct Note {
  const char* text;
  Words attributes;
};

const Note kNotes[] = {
    {"solref, solimp, margin and the like: rows are exact and have no softness",
     {"solref", "solimp", "solreflimit", "solimplimit", "solreffriction", "solimpfriction", "solreffix", "solimpfix",
      "margin"}},
    {"contacts of geoms: they are chosen by hand, with `shape` and `Contact`",
     {"contype", "conaffinity", "condim", "friction", "priority", "solmix", "gap"}},
    {"colours, materials, groups and user data",
     {"rgba", "material", "group", "user", "width", "nuser_body", "nuser_jnt", "nuser_geom", "nuser_site", "nuser_cam",
      "nuser_tendon", "nuser_actuator", "nuser_sensor"}},
    {"what the compiler of MuJoCo does to files and data",
     {"meshdir", "texturedir", "assetdir", "strippath", "discardvisual", "fusestatic", "usethread", "saveinertial",
      "exactmeshinertia", "convexhull", "fitaabb", "conflict", "simple", "sleep"}},
    {"noise, delay and cut-off of signals", {"noise", "cutoff", "nsample", "interp", "delay", "interval", "actearly"}},
};

}  // namespace

void MjcfFile::rest(Node node, const std::string& tag) {
  static const Words kUnread = {"camera", "light", "mesh", "material", "pair", "texture"};
  const auto shared = [&]() -> std::string {  // an element of defaults stands for those of several kinds
    if (tag == "tendon") return "fixed";
    if (tag == "equality") return "weld";
    return tag;
  }();
  const auto read = kReadAttributes.find(shared);
  if (kUnread.contains(tag)) return;
  Words seen;
  for (const pugi::xml_attribute a : node.attributes()) {
    const std::string name = a.name();
    if (!seen.insert(name).second)
      xml_.fail(node, std::string("<") + node.name() + "> has `" + printable(name) + "` twice");
    if (read != kReadAttributes.end() && read->second.contains(name)) continue;
    const char* text = nullptr;
    for (const Note& n : kNotes)
      if (n.attributes.contains(name)) text = n.text;
    xml_.leave_out(
        node, text != nullptr ? std::string(text) : "the attribute `" + printable(name) + "` of <" + node.name() + ">");
  }
}

}  // namespace mbc::tools
