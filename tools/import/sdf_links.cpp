// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf_links.h"

#include <algorithm>

#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

// SDF gives a link this mass and these moments where it says nothing.
constexpr double kAssumedMass = 1, kAssumedMoment = 1;

class LinkReader {
 public:
  LinkReader(SdfFile& file, SdfFrames& frames, std::size_t frame)
      : file_(file), frames_(frames), frame_(frame), node_(frames.at(frame).node) {}

  Link read(const std::string& name) {
    link_.name = name;
    link_.place = file_.xml().place_of(node_);
    file_.rest(node_,
               {"inertial", "pose", "gravity", "velocity_decay", "kinematic", "enable_wind", "self_collide",
                "must_be_base_link"},
               {"visual", "collision"}, {"name"});
    if (!frames_.at(frame_).stands) mass();
    settings();
    for (const Node visual : node_.children("visual")) shape(visual, "visual");
    const bool drawn = !link_.shapes.empty();
    for (const Node collision : node_.children("collision")) {
      file_.xml().leave_out(collision, "<collision>: contacts are chosen by hand, with `shape` and `Contact`");
      if (!drawn) shape(collision, "collision");
    }
    return std::move(link_);
  }

 private:
  void mass() {
    const Node inertial = node_.child("inertial");
    if (!inertial)
      file_.xml().leave_out(node_, "assumed: a mass of 1 kg and moments of 1 kg*m^2 for links without <inertial>");
    const SdfPose pose = file_.pose(inertial, frames_.at(frame_).source);
    file_.rest(inertial, {"mass", "pose", "inertia"}, {}, {});
    if (!pose.relative_to.empty()) file_.xml().fail(inertial, "the <pose> of <inertial> is relative to its link alone");
    link_.inertial = pose.pose;
    link_.mass = file_.number(inertial, "mass", kAssumedMass);
    const Node tensor = inertial.child("inertia");
    file_.rest(tensor, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"}, {}, {});
    static constexpr const char* kNames[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    for (std::size_t k = 0; k < 6; ++k)
      link_.inertia[k] = file_.number(tensor, kNames[k], kNames[k][1] == kNames[k][2] ? kAssumedMoment : 0);
    if (link_.mass < 0) file_.xml().fail(inertial, "the mass of `" + printable(link_.name) + "` is negative");
    if (link_.mass == 0)
      file_.xml().fail(inertial, "the mass of `" + printable(link_.name) + "` is 0: in SDF each link has one");
  }

  void settings() {
    if (!file_.flag(node_, "gravity", true)) link_.gravity_compensation = 1;
    for (const char* name : {"kinematic", "enable_wind", "self_collide", "must_be_base_link"})
      if (file_.flag(node_, name, false)) file_.xml().leave_out(node_.child(name), std::string("<") + name + ">");
    const Node decay = node_.child("velocity_decay");
    file_.rest(decay, {"linear", "angular"}, {}, {});
    if (file_.number(decay, "linear", 0) != 0 || file_.number(decay, "angular", 0) != 0)
      file_.xml().leave_out(decay, "<velocity_decay>");
  }

  Pose in_link(const SdfPose& pose, Node node) {
    if (pose.relative_to.empty()) return pose.pose;
    const auto from = frames_.find(frames_.at(frame_), pose.relative_to);
    if (from) return tidy(chained(frames_.between(frame_, *from), pose.pose));
    file_.xml().fail(node, "`relative_to` `" + printable(pose.relative_to) + "` is no frame there");
    return {};
  }

  void shape(Node node, const char* tag) {
    if (tag[0] == 'v')
      file_.rest(node, {"pose", "geometry"},
                 {"material", "cast_shadows", "laser_retro", "transparency", "meta", "layer", "visibility_flags"},
                 {"name"});
    else
      file_.rest(node, {"pose", "geometry"}, {"surface", "laser_retro", "max_contacts"}, {"name"});
    for (const Node child : node.children())
      if (tag[0] == 'v' && std::strcmp(child.name(), "pose") != 0 && std::strcmp(child.name(), "geometry") != 0) {
        file_.xml().leave_out(node, "colours and other looks of <visual>");
        break;
      }
    const Node geometry = node.child("geometry");
    Shape s;
    s.pose = in_link(file_.pose(node, frames_.at(frame_).source), node);
    for (const Node child : geometry.children()) {
      if (child.type() != pugi::node_element) continue;
      if (!read_geometry(child, s)) continue;
      if (*std::min_element(s.sizes.begin(), s.sizes.end()) <= 0)
        return file_.xml().fail(child, "a size of the shape is not positive");
      link_.shapes.push_back(s);
    }
  }

  // Returns whether there is a shape to draw.
  bool read_geometry(Node node, Shape& s) {
    const std::string tag = node.name();
    const auto round = [&](Shape::Kind kind, bool has_length) {
      file_.rest(node, {"radius", has_length ? "length" : "radius"}, {}, {});
      s.kind = kind;
      s.sizes = {file_.number(node, "radius", 0), has_length ? file_.number(node, "length", 0) : 1, 1};
      return true;
    };
    if (tag == "empty") return false;
    if (tag == "sphere") return round(Shape::Kind::sphere, false);
    if (tag == "cylinder") return round(Shape::Kind::cylinder, true);
    if (tag == "capsule") return round(Shape::Kind::capsule, true);
    if (tag == "box") {
      file_.rest(node, {"size"}, {}, {});
      s.kind = Shape::Kind::box;
      s.sizes = file_.triple(node, "size", {});
      return true;
    }
    if (tag == "plane") {
      file_.rest(node, {"normal", "size"}, {}, {});
      const Triple normal = file_.triple(node, "normal", {0, 0, 1});
      if (!(vector_of(normal).norm() > 1e-14)) {
        file_.xml().fail(node, "the normal of <plane> is zero");
        return false;
      }
      s.kind = Shape::Kind::plane;
      s.sizes = {1, 1, 1};
      s.pose = chained(s.pose, {{}, turn_to(vector_of(normal))});
      return true;
    }
    file_.xml().leave_out(node, "<" + printable(tag) + "> in <geometry>");
    return false;
  }

  SdfFile& file_;
  SdfFrames& frames_;
  std::size_t frame_;
  Node node_;
  Link link_;
};

}  // namespace

Link read_link(SdfFile& file, SdfFrames& frames, std::size_t frame, const std::string& name) {
  return LinkReader(file, frames, frame).read(name);
}

}  // namespace mbc::tools
