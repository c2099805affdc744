// SPDX-License-Identifier: Apache-2.0
#include "tools/import/urdf.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <set>

#include "base/text.h"
#include "tools/import/robot_geometry.h"
#include "tools/import/robot_xml.h"

namespace mbc::tools {
namespace {

// A deeper file is no robot.
constexpr int kDeepestUrdf = 64;

class UrdfReader {
 public:
  UrdfReader(const std::string& text, Remark& problem) : text_(text), xml_(problem) {}

  std::optional<Robot> read() {
    const Node root = xml_.parse(text_, "", kDeepestUrdf);
    if (xml_.failed()) return {};
    if (std::strcmp(root.name(), "robot") != 0) {
      xml_.fail(root, std::string("a URDF begins with <robot>, this with <") + printable(root.name()) + ">");
      return {};
    }
    if (text_.find("<xacro:") != std::string::npos) {
      const auto end = text_.begin() + static_cast<std::ptrdiff_t>(text_.find("<xacro:"));
      xml_.fail({1 + static_cast<std::uint32_t>(std::count(text_.begin(), end, '\n')), ""},
                "this is xacro, which makes URDF: expand it, `xacro FILE > robot.urdf`, and import that");
      return {};
    }
    robot_.name = name_of(root);
    for (const Node child : root.children()) element(child);
    if (!xml_.failed()) check();
    if (xml_.failed()) return {};
    robot_.left_out = xml_.left_out();
    return std::move(robot_);
  }

 private:
  void rest(Node node, std::initializer_list<const char*> elements, std::initializer_list<const char*> attributes) {
    xml_.once(node, elements);
    xml_.rest(node, elements, attributes);
  }

  // ---- attributes

  std::string name_of(Node node) {
    std::string name = node.attribute("name").value();
    if (name.empty()) xml_.fail(node, std::string("<") + node.name() + "> has no name");
    return name;
  }
  Pose pose_in(Node node) {
    const Node origin = node.child("origin");
    if (!origin) return {};
    rest(origin, {}, {"xyz", "rpy"});
    return {xml_.numbers<3>(origin, "xyz", {}), roll_pitch_yaw(xml_.numbers<3>(origin, "rpy", {}))};
  }

  // ---- elements

  void element(Node node) {
    if (node.type() != pugi::node_element) return;
    const std::string what = node.name();
    if (what == "link") return link(node);
    if (what == "joint") return joint(node);
    if (what != "material") xml_.leave_out(node, "<" + printable(what) + ">");
  }

  void link(Node node) {
    Link made;
    made.place = xml_.place_of(node);
    made.name = name_of(node);
    xml_.once(node, {"inertial"});
    xml_.rest(node, {"inertial", "visual", "collision"}, {"name"});
    if (const Node inertial = node.child("inertial")) inertia(inertial, made);
    for (const Node visual : node.children("visual")) shape(visual, made);
    if (const Node collision = node.child("collision"))
      xml_.leave_out(collision, "<collision>: contacts are chosen by hand, with `shape` and `Contact`");
    if (!links_.try_emplace(made.name, robot_.links.size()).second)
      xml_.fail(made.place, "there are two links `" + printable(made.name) + "`");
    robot_.links.push_back(std::move(made));
  }

  void inertia(Node inertial, Link& made) {
    rest(inertial, {"origin", "mass", "inertia"}, {});
    made.inertial = pose_in(inertial);
    const Node mass = inertial.child("mass"), tensor = inertial.child("inertia");
    rest(mass, {}, {"value"});
    rest(tensor, {}, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    made.mass = xml_.number(mass, "value", 0);
    const char* names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    for (std::size_t k = 0; k < 6; ++k) made.inertia[k] = xml_.number(tensor, names[k], 0);
    if (made.mass < 0) xml_.fail(mass, "the mass of `" + printable(made.name) + "` is negative");
    if (made.mass == 0 && std::any_of(made.inertia.begin(), made.inertia.end(), [](double x) { return x != 0; }))
      xml_.fail(tensor, "`" + printable(made.name) + "` has a tensor of inertia and no mass");
  }

  void shape(Node visual, Link& made) {
    rest(visual, {"origin", "geometry", "material"}, {"name"});
    const Node geometry = visual.child("geometry");
    rest(geometry, {"box", "cylinder", "sphere", "mesh"}, {});
    Shape shape;
    shape.pose = pose_in(visual);
    if (const Node box = geometry.child("box")) {
      shape.kind = Shape::Kind::box;
      shape.sizes = xml_.numbers<3>(box, "size", {});
    } else if (const Node cylinder = geometry.child("cylinder")) {
      shape.kind = Shape::Kind::cylinder;
      shape.sizes = {xml_.number(cylinder, "radius", 0), xml_.number(cylinder, "length", 0), 1};
    } else if (const Node sphere = geometry.child("sphere")) {
      shape.kind = Shape::Kind::sphere;
      shape.sizes = {xml_.number(sphere, "radius", 0), 1, 1};
    } else {
      return xml_.leave_out(geometry ? geometry : visual, "<mesh>");
    }
    if (*std::min_element(shape.sizes.begin(), shape.sizes.end()) <= 0)
      return xml_.fail(geometry, "a size of the shape is not positive");
    made.shapes.push_back(shape);
  }

  void joint(Node node) {
    static const std::map<std::string, Joint::Kind> kKinds = {
        {"fixed", Joint::Kind::fixed},           {"revolute", Joint::Kind::revolute},
        {"continuous", Joint::Kind::continuous}, {"prismatic", Joint::Kind::prismatic},
        {"planar", Joint::Kind::planar},         {"floating", Joint::Kind::floating}};
    Joint made;
    made.place = xml_.place_of(node);
    made.name = name_of(node);
    const std::string type = node.attribute("type").value();
    const auto kind = kKinds.find(type);
    if (kind == kKinds.end())
      return xml_.fail(made.place,
                       "`" + printable(type) + "` of joint `" + printable(made.name) + "` is no type of URDF");
    made.kind = kind->second;
    rest(node, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"},
         {"name", "type"});
    for (const char* what : {"safety_controller", "calibration"})
      if (const Node there = node.child(what)) xml_.leave_out(there, std::string("<") + what + ">");
    made.parent = node.child("parent").attribute("link").value();
    made.child = node.child("child").attribute("link").value();
    made.pose = pose_in(node);
    axis(node, made);
    motion(node, made);
    if (!joints_.try_emplace(made.name, robot_.joints.size()).second)
      xml_.fail(made.place, "there are two joints `" + printable(made.name) + "`");
    robot_.joints.push_back(std::move(made));
  }

  void axis(Node node, Joint& made) {
    made.axis = xml_.numbers<3>(node.child("axis"), "xyz", {1, 0, 0});
    const double length = std::hypot(made.axis[0], made.axis[1], made.axis[2]);
    const bool needed = made.kind != Joint::Kind::fixed && made.kind != Joint::Kind::floating;
    if (needed && !(length > 0))
      xml_.fail(node.child("axis"), "the axis of joint `" + printable(made.name) + "` is zero");
  }

  void motion(Node node, Joint& made) {
    const bool one = made.kind == Joint::Kind::revolute || made.kind == Joint::Kind::continuous ||
                     made.kind == Joint::Kind::prismatic;
    if (const Node limit = node.child("limit")) {
      rest(limit, {}, {"lower", "upper", "effort", "velocity"});
      made.effort = xml_.number(limit, "effort", 0);
      if (limit.attribute("velocity")) xml_.leave_out(limit, "the limit of velocity");
      if (made.kind == Joint::Kind::revolute || made.kind == Joint::Kind::prismatic) {
        made.lower = xml_.number(limit, "lower", 0);
        made.upper = xml_.number(limit, "upper", 0);
        if (*made.lower > *made.upper)
          xml_.fail(limit, "the lower limit of joint `" + printable(made.name) + "` is above the upper one");
      }
    } else if (made.kind == Joint::Kind::revolute || made.kind == Joint::Kind::prismatic) {
      xml_.fail(made.place,
                "joint `" + printable(made.name) + "` has no <limit>; a joint that turns freely is `continuous`");
    }
    if (const Node dynamics = node.child("dynamics")) {
      rest(dynamics, {}, {"damping", "friction"});
      made.damping[0] = xml_.number(dynamics, "damping", 0);
      made.friction = xml_.number(dynamics, "friction", 0);
      if (made.damping[0] < 0 || made.friction < 0) xml_.fail(dynamics, "damping and friction are not negative");
      if (!one && (made.damping[0] > 0 || made.friction > 0))
        xml_.leave_out(dynamics, "<dynamics> of a joint without one axis");
    }
    if (const Node mimic = node.child("mimic")) {
      rest(mimic, {}, {"joint", "multiplier", "offset"});
      if (!one)
        return xml_.fail(mimic,
                         "joint `" + printable(made.name) + "` has no single coordinate that could mimic another");
      made.mimic = Joint::Mimic{mimic.attribute("joint").value(), xml_.number(mimic, "multiplier", 1),
                                xml_.number(mimic, "offset", 0)};
    }
  }

  // ---- the tree

  void check() {
    std::map<std::string, const Joint*> carried_by;
    for (const Joint& j : robot_.joints) {
      const std::string name = "joint `" + printable(j.name) + "`";
      for (const auto& [end, link] : {std::pair{"parent", &j.parent}, std::pair{"child", &j.child}})
        if (!links_.contains(*link))
          return xml_.fail(j.place, name + " has the " + end + " `" + printable(*link) + "`, which is no link");
      if (const auto [at, fresh] = carried_by.try_emplace(j.child, &j); !fresh)
        return xml_.fail(j.place, name + ": link `" + printable(j.child) + "` has a parent already, by joint `" +
                                      printable(at->second->name) + "` in line " +
                                      std::to_string(at->second->place.line));
      if (j.mimic && !joints_.contains(j.mimic->joint))
        return xml_.fail(j.place, name + " mimics `" + printable(j.mimic->joint) + "`, which is no joint");
    }
    if (const Joint* j = mimic_of_itself(robot_))
      return xml_.fail(j->place, "joint `" + printable(j->name) + "` mimics itself, over others or not");
    if (robot_.links.empty()) return xml_.fail(FilePlace{1, ""}, "the robot has no link");
    std::vector<const Link*> roots;
    for (const Link& l : robot_.links)
      if (!carried_by.contains(l.name)) roots.push_back(&l);
    if (roots.empty()) return xml_.fail(robot_.joints[0].place, "the joints are a cycle: no link is without a parent");
    if (roots.size() > 1)
      return xml_.fail(roots[1]->place, "link `" + printable(roots[1]->name) + "` hangs on nothing, and `" +
                                            printable(roots[0]->name) + "` is the root");
    sort(carried_by.size());
  }

  // Puts the links in an order in which a parent comes before its children. What is left over is a cycle.
  void sort(std::size_t carried) {
    std::multimap<std::string, std::size_t> below;
    std::set<std::string> children;
    for (std::size_t k = 0; k < robot_.joints.size(); ++k) {
      below.emplace(robot_.joints[k].parent, k);
      children.insert(robot_.joints[k].child);
    }
    std::vector<Link> links;
    std::vector<Joint> joints;
    for (Link& l : robot_.links)
      if (!children.contains(l.name)) links.push_back(std::move(l));
    for (std::size_t k = 0; k < links.size(); ++k) {
      const auto [begin, end] = below.equal_range(links[k].name);
      for (auto at = begin; at != end; ++at) {
        joints.push_back(robot_.joints[at->second]);
        links.push_back(std::move(robot_.links[links_.at(joints.back().child)]));
      }
    }
    if (joints.size() != carried) {
      std::set<std::string> reached;
      for (const Joint& j : joints) reached.insert(j.name);
      for (const Joint& j : robot_.joints)
        if (!reached.contains(j.name))
          return xml_.fail(j.place, "joint `" + printable(j.name) + "` is part of a cycle");
    }
    robot_.links = std::move(links);
    robot_.joints = std::move(joints);
  }

  const std::string& text_;
  RobotXml xml_;
  Robot robot_;
  std::map<std::string, std::size_t> links_, joints_;
};

}  // namespace

std::optional<Robot> read_urdf(const std::string& text, Remark& problem) { return UrdfReader(text, problem).read(); }

}  // namespace mbc::tools
