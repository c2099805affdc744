// SPDX-License-Identifier: Apache-2.0
#include "tools/import/urdf.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstring>
#include <initializer_list>
#include <map>
#include <pugixml.hpp>
#include <set>

#include "base/text.h"

namespace mbc::tools {
namespace {

using Node = pugi::xml_node;

// A deeper file is no robot; pugixml reads and frees any depth.
constexpr int kDeepest = 64;

const std::set<std::string> kRepeated = {"visual", "collision"};  // elements that a link may have several of

class UrdfReader {
 public:
  UrdfReader(const std::string& text, Remark& problem) : text_(text), problem_(problem) {}

  std::optional<Robot> read() {
    pugi::xml_document document;
    const pugi::xml_parse_result parsed =
        document.load_buffer(text_.data(), text_.size(), pugi::parse_default, pugi::encoding_utf8);
    if (!parsed) {
      fail(line_at(static_cast<std::size_t>(std::max<std::ptrdiff_t>(parsed.offset, 0))),
           std::string("this is no XML: ") + parsed.description());
      return {};
    }
    const Node root = document.document_element();
    if (std::strcmp(root.name(), "robot") != 0) {
      fail(line_of(root), std::string("a URDF begins with <robot>, this with <") + printable(root.name()) + ">");
      return {};
    }
    if (text_.find("<xacro:") != std::string::npos) {
      fail(line_at(text_.find("<xacro:")),
           "this is xacro, which makes URDF: expand it, `xacro FILE > robot.urdf`, and import that");
      return {};
    }
    robot_.name = name_of(root);
    for (const Node child : root.children()) element(child);
    if (!failed_) check();
    if (failed_) return {};
    return std::move(robot_);
  }

 private:
  // ---- places and problems

  std::uint32_t line_at(std::size_t offset) const {
    offset = std::min(offset, text_.size());
    return 1 + static_cast<std::uint32_t>(
                   std::count(text_.begin(), text_.begin() + static_cast<std::ptrdiff_t>(offset), '\n'));
  }
  std::uint32_t line_of(Node node) {
    const std::ptrdiff_t offset = node.offset_debug();
    if (offset < 0) return 0;
    const auto at = static_cast<std::size_t>(offset);
    if (at >= counted_to_) {  // nodes come in order
      line_ += static_cast<std::uint32_t>(std::count(text_.begin() + static_cast<std::ptrdiff_t>(counted_to_),
                                                     text_.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted_to_ = at;
      return line_;
    }
    return line_at(at);
  }
  void fail(std::uint32_t line, const std::string& text) {
    if (!failed_) problem_ = {line, text};
    failed_ = true;
  }
  void leave_out(Node node, const std::string& what) { robot_.left_out.push_back({line_of(node), what}); }

  // Refuses an element that is there twice: readers of URDF differ in which one they take.
  void once(Node node, std::initializer_list<const char*> elements) {
    for (const char* name : elements)
      if (const Node second = node.child(name).next_sibling(name); second && !kRepeated.contains(name))
        fail(line_of(second), std::string("<") + node.name() + "> has two <" + name + ">");
  }

  // Remarks on what an element holds besides the names given.
  void rest(Node node, std::initializer_list<const char*> elements, std::initializer_list<const char*> attributes) {
    const auto has = [](std::initializer_list<const char*> list, const char* name) {
      return std::any_of(list.begin(), list.end(), [name](const char* known) { return std::strcmp(known, name) == 0; });
    };
    once(node, elements);
    std::set<std::string> seen;
    for (const pugi::xml_attribute a : node.attributes()) {
      if (!seen.insert(a.name()).second)
        fail(line_of(node), std::string("<") + node.name() + "> has `" + printable(a.name()) + "` twice");
      if (!has(attributes, a.name()) && std::strncmp(a.name(), "xmlns", 5) != 0)
        leave_out(node, std::string("the attribute `") + printable(a.name()) + "` of <" + node.name() + ">");
    }
    for (const Node child : node.children())
      if (child.type() == pugi::node_element && !has(elements, child.name()))
        leave_out(child, std::string("<") + printable(child.name()) + "> in <" + node.name() + ">");
  }

  // ---- attributes

  std::string name_of(Node node) {
    std::string name = node.attribute("name").value();
    if (name.empty()) fail(line_of(node), std::string("<") + node.name() + "> has no name");
    return name;
  }
  // Numbers are separated by blanks. `fallback`: for an attribute that is not there.
  template <std::size_t N>
  std::array<double, N> numbers(Node node, const char* attribute, const std::array<double, N>& fallback) {
    const pugi::xml_attribute a = node.attribute(attribute);
    if (!a) return fallback;
    std::array<double, N> out{};
    const char *at = a.value(), *end = at + std::strlen(at);
    const auto skip = [&] {
      while (at < end && std::strchr(" \t\r\n", *at) != nullptr) ++at;
      if (at < end && *at == '+') ++at;
    };
    for (double& number : out) {
      skip();
      const auto [stop, problem] = std::from_chars(at, end, number);
      if (problem != std::errc{} || !std::isfinite(number)) return wrong_numbers<N>(node, attribute);
      at = stop;
    }
    skip();
    return at == end ? out : wrong_numbers<N>(node, attribute);
  }
  template <std::size_t N>
  std::array<double, N> wrong_numbers(Node node, const char* attribute) {
    const std::string wanted = N == 1 ? "a finite number is" : std::to_string(N) + " finite numbers are";
    fail(line_of(node), std::string("`") + attribute + "` of <" + node.name() + "> is `" +
                            printable(node.attribute(attribute).value()) + "`: " + wanted + " wanted");
    return {};
  }
  double number(Node node, const char* attribute, double fallback) {
    return numbers<1>(node, attribute, {fallback})[0];
  }
  Pose pose_in(Node node) {
    const Node origin = node.child("origin");
    if (!origin) return {};
    rest(origin, {}, {"xyz", "rpy"});
    return {numbers<3>(origin, "xyz", {}), numbers<3>(origin, "rpy", {})};
  }

  // ---- elements

  void element(Node node) {
    if (node.type() != pugi::node_element) return;
    if (deeper_than(node, kDeepest)) return fail(line_of(node), "elements are nested too deeply for a robot");
    const std::string what = node.name();
    if (what == "link") return link(node);
    if (what == "joint") return joint(node);
    if (what != "material") leave_out(node, "<" + printable(what) + ">");
  }

  static bool deeper_than(Node node, int levels) {
    const Node top = node;
    int depth = 0;
    for (Node at = node; at;) {  // walks without recursion
      if (at.first_child()) {
        at = at.first_child();
        if (++depth > levels) return true;
        continue;
      }
      while (at != top && !at.next_sibling()) at = at.parent(), --depth;
      if (at == top) return false;
      at = at.next_sibling();
    }
    return false;
  }

  void link(Node node) {
    Link made;
    made.line = line_of(node);
    made.name = name_of(node);
    rest(node, {"inertial", "visual", "collision"}, {"name"});
    if (const Node inertial = node.child("inertial")) inertia(inertial, made);
    for (const Node visual : node.children("visual")) shape(visual, made);
    if (const Node collision = node.child("collision"))
      leave_out(collision, "<collision>: contacts are chosen by hand, with `shape` and `Contact`");
    if (!links_.try_emplace(made.name, robot_.links.size()).second)
      fail(made.line, "there are two links `" + printable(made.name) + "`");
    robot_.links.push_back(std::move(made));
  }

  void inertia(Node inertial, Link& made) {
    rest(inertial, {"origin", "mass", "inertia"}, {});
    made.inertial = pose_in(inertial);
    const Node mass = inertial.child("mass"), tensor = inertial.child("inertia");
    rest(mass, {}, {"value"});
    rest(tensor, {}, {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"});
    made.mass = number(mass, "value", 0);
    const char* names[] = {"ixx", "ixy", "ixz", "iyy", "iyz", "izz"};
    for (std::size_t k = 0; k < 6; ++k) made.inertia[k] = number(tensor, names[k], 0);
    if (made.mass < 0) fail(line_of(mass), "the mass of `" + printable(made.name) + "` is negative");
    if (made.mass == 0 && std::any_of(made.inertia.begin(), made.inertia.end(), [](double x) { return x != 0; }))
      fail(line_of(tensor), "`" + printable(made.name) + "` has a tensor of inertia and no mass");
  }

  void shape(Node visual, Link& made) {
    rest(visual, {"origin", "geometry", "material"}, {"name"});
    const Node geometry = visual.child("geometry");
    rest(geometry, {"box", "cylinder", "sphere", "mesh"}, {});
    Shape shape;
    shape.pose = pose_in(visual);
    if (const Node box = geometry.child("box")) {
      shape.kind = Shape::Kind::box;
      shape.sizes = numbers<3>(box, "size", {});
    } else if (const Node cylinder = geometry.child("cylinder")) {
      shape.kind = Shape::Kind::cylinder;
      shape.sizes = {number(cylinder, "radius", 0), number(cylinder, "length", 0), 1};
    } else if (const Node sphere = geometry.child("sphere")) {
      shape.kind = Shape::Kind::sphere;
      shape.sizes = {number(sphere, "radius", 0), 1, 1};
    } else {
      return leave_out(geometry ? geometry : visual, "<mesh>");
    }
    if (*std::min_element(shape.sizes.begin(), shape.sizes.end()) <= 0)
      return fail(line_of(geometry), "a size of the shape is not positive");
    made.shapes.push_back(shape);
  }

  void joint(Node node) {
    static const std::map<std::string, Joint::Kind> kKinds = {
        {"fixed", Joint::Kind::fixed},           {"revolute", Joint::Kind::revolute},
        {"continuous", Joint::Kind::continuous}, {"prismatic", Joint::Kind::prismatic},
        {"planar", Joint::Kind::planar},         {"floating", Joint::Kind::floating}};
    Joint made;
    made.line = line_of(node);
    made.name = name_of(node);
    const std::string type = node.attribute("type").value();
    const auto kind = kKinds.find(type);
    if (kind == kKinds.end())
      return fail(made.line, "`" + printable(type) + "` of joint `" + printable(made.name) + "` is no type of URDF");
    made.kind = kind->second;
    rest(node, {"origin", "parent", "child", "axis", "limit", "dynamics", "mimic", "safety_controller", "calibration"},
         {"name", "type"});
    for (const char* what : {"safety_controller", "calibration"})
      if (const Node there = node.child(what)) leave_out(there, std::string("<") + what + ">");
    made.parent = node.child("parent").attribute("link").value();
    made.child = node.child("child").attribute("link").value();
    made.pose = pose_in(node);
    axis(node, made);
    motion(node, made);
    if (!joints_.try_emplace(made.name, robot_.joints.size()).second)
      fail(made.line, "there are two joints `" + printable(made.name) + "`");
    robot_.joints.push_back(std::move(made));
  }

  void axis(Node node, Joint& made) {
    made.axis = numbers<3>(node.child("axis"), "xyz", {1, 0, 0});
    const double length = std::hypot(made.axis[0], made.axis[1], made.axis[2]);
    const bool needed = made.kind != Joint::Kind::fixed && made.kind != Joint::Kind::floating;
    if (needed && !(length > 0))
      fail(line_of(node.child("axis")), "the axis of joint `" + printable(made.name) + "` is zero");
  }

  void motion(Node node, Joint& made) {
    const bool one = made.kind == Joint::Kind::revolute || made.kind == Joint::Kind::continuous ||
                     made.kind == Joint::Kind::prismatic;
    if (const Node limit = node.child("limit")) {
      rest(limit, {}, {"lower", "upper", "effort", "velocity"});
      made.effort = number(limit, "effort", 0);
      if (limit.attribute("velocity")) leave_out(limit, "the limit of velocity");
      if (made.kind == Joint::Kind::revolute || made.kind == Joint::Kind::prismatic) {
        made.lower = number(limit, "lower", 0);
        made.upper = number(limit, "upper", 0);
        if (*made.lower > *made.upper)
          fail(line_of(limit), "the lower limit of joint `" + printable(made.name) + "` is above the upper one");
      }
    } else if (made.kind == Joint::Kind::revolute || made.kind == Joint::Kind::prismatic) {
      fail(made.line, "joint `" + printable(made.name) + "` has no <limit>; a joint that turns freely is `continuous`");
    }
    if (const Node dynamics = node.child("dynamics")) {
      rest(dynamics, {}, {"damping", "friction"});
      made.damping = number(dynamics, "damping", 0);
      made.friction = number(dynamics, "friction", 0);
      if (made.damping < 0 || made.friction < 0) fail(line_of(dynamics), "damping and friction are not negative");
      if (!one && (made.damping > 0 || made.friction > 0))
        leave_out(dynamics, "<dynamics> of a joint without one axis");
    }
    if (const Node mimic = node.child("mimic")) {
      rest(mimic, {}, {"joint", "multiplier", "offset"});
      if (!one)
        return fail(line_of(mimic),
                    "joint `" + printable(made.name) + "` has no single coordinate that could mimic another");
      made.mimic =
          Joint::Mimic{mimic.attribute("joint").value(), number(mimic, "multiplier", 1), number(mimic, "offset", 0)};
    }
  }

  // ---- the tree

  void check() {
    std::map<std::string, const Joint*> carried_by;
    for (const Joint& j : robot_.joints) {
      const std::string name = "joint `" + printable(j.name) + "`";
      for (const auto& [end, link] : {std::pair{"parent", &j.parent}, std::pair{"child", &j.child}})
        if (!links_.contains(*link))
          return fail(j.line, name + " has the " + end + " `" + printable(*link) + "`, which is no link");
      if (const auto [at, fresh] = carried_by.try_emplace(j.child, &j); !fresh)
        return fail(j.line, name + ": link `" + printable(j.child) + "` has a parent already, by joint `" +
                                printable(at->second->name) + "` in line " + std::to_string(at->second->line));
      if (j.mimic && !joints_.contains(j.mimic->joint))
        return fail(j.line, name + " mimics `" + printable(j.mimic->joint) + "`, which is no joint");
    }
    for (const Joint& j : robot_.joints) {  // who mimics whom is no cycle
      const Joint* at = &j;
      for (std::size_t k = 0; at->mimic && k <= robot_.joints.size(); ++k)
        at = &robot_.joints[joints_.at(at->mimic->joint)];
      if (at->mimic) return fail(j.line, "joint `" + printable(j.name) + "` mimics itself, over others or not");
    }
    if (robot_.links.empty()) return fail(1, "the robot has no link");
    std::vector<const Link*> roots;
    for (const Link& l : robot_.links)
      if (!carried_by.contains(l.name)) roots.push_back(&l);
    if (roots.empty()) return fail(robot_.joints[0].line, "the joints are a cycle: no link is without a parent");
    if (roots.size() > 1)
      return fail(roots[1]->line, "link `" + printable(roots[1]->name) + "` hangs on nothing, and `" +
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
        if (!reached.contains(j.name)) return fail(j.line, "joint `" + printable(j.name) + "` is part of a cycle");
    }
    robot_.links = std::move(links);
    robot_.joints = std::move(joints);
  }

  const std::string& text_;
  Remark& problem_;
  bool failed_ = false;
  std::size_t counted_to_ = 0;
  std::uint32_t line_ = 1;
  Robot robot_;
  std::map<std::string, std::size_t> links_, joints_;
};

}  // namespace

std::optional<Robot> read_urdf(const std::string& text, Remark& problem) { return UrdfReader(text, problem).read(); }

}  // namespace mbc::tools
