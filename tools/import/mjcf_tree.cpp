// SPDX-License-Identifier: Apache-2.0
#include "tools/import/mjcf_tree.h"

#include <cmath>

#include "tools/import/mjcf_geoms.h"
#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

const char* kWorld = "world";

// Elements that make other elements, or parts that no rigid body has.
const std::map<std::string, std::string> kRefusedElements = {
    {"composite", "write the bodies out, as MuJoCo saves them"},
    {"flexcomp", "flexible bodies are not taken over"},
    {"flex", "flexible bodies are not taken over"},
    {"plugin", "plugins are code of MuJoCo"},
    {"attach", "save the model as one file"},
};

bool turns(const Joint& j) { return j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::ball; }

}  // namespace

void MjcfTree::read() {
  Link world;
  world.name = kWorld;
  bodies_[kWorld] = {};
  robot_.links.push_back(world);
  for (const Node section : file_.sections("worldbody")) {
    Content content;
    collect(section, {}, section.attribute("childclass").value(), content);
    if (content.inertial) file_.xml().fail(content.inertial, "the world has no <inertial>");
    if (!content.joints.empty()) file_.xml().fail(content.joints[0].node, "the world has no joints");
    for (const Part& p : content.geoms) add_shape(file_, p.node, p.around, p.frame, robot_.links[0]);
    sites(content, kWorld);
    for (const Part& p : content.bodies) body(p, kWorld, false);
  }
  if (file_.xml().failed()) return;
  if (robot_.links.size() == 1) return file_.xml().fail(FilePlace{1, ""}, "the file has no body");
  scale_masses();
  find_carriers();
}

// Gathers what belongs to one body, through frames.
void MjcfTree::collect(Node node, const Pose& frame, const std::string& around, Content& content) {
  for (const Node child : file_.children(node)) {
    if (file_.xml().failed()) return;
    const std::string tag = child.name();
    const Part part{child, frame, around};
    if (tag == "body") {
      content.bodies.push_back(part);
    } else if (tag == "joint" || tag == "freejoint") {
      content.joints.push_back(part);
    } else if (tag == "geom") {
      content.geoms.push_back(part);
    } else if (tag == "site") {
      content.sites.push_back(part);
    } else if (tag == "inertial") {
      if (content.inertial) file_.xml().fail(child, "<body> has two <inertial>");
      content.inertial = child;
    } else if (tag == "frame") {
      file_.rest(child, tag);
      const pugi::xml_attribute given = child.attribute("childclass");
      collect(child, product(frame, file_.pose({child, {}})), given ? given.value() : around, content);
    } else {
      refuse(child, tag);
    }
  }
}

void MjcfTree::refuse(Node node, const std::string& tag) {
  if (const auto why = kRefusedElements.find(tag); why != kRefusedElements.end())
    return file_.xml().fail(node, "<" + tag + "> is not taken over: " + why->second);
  file_.xml().leave_out(
      node, tag == "camera" || tag == "light" ? std::string("cameras and lights") : "<" + printable(tag) + ">");
}

std::string MjcfTree::name_of(Node node, const std::string& stem, std::map<std::string, FilePlace>& taken,
                              const char* what) {
  const std::string given = node.attribute("name").value();
  const std::string name = given.empty() ? file_.fresh(stem) : given;
  const auto [at, fresh] = taken.try_emplace(name, file_.xml().place_of(node));
  if (!fresh)
    file_.xml().fail(node, std::string("there are two ") + what + " `" + printable(name) + "`, the other one in line " +
                               std::to_string(at->second.line));
  return name;
}

void MjcfTree::body(const Part& part, const std::string& parent, bool parent_moves) {
  if (file_.xml().failed()) return;
  const Node node = part.node;
  file_.rest(node, "body");
  const MjcfElement e{node, {}};
  Link link;
  link.place = file_.xml().place_of(node);
  link.name = name_of(node, parent == kWorld ? "body" : parent + "_body", bodies_, "bodies");
  link.gravity_compensation = file_.number(e, "gravcomp", 0);
  const std::string around = node.attribute("childclass") ? node.attribute("childclass").value() : part.around;
  Content content;
  collect(node, {}, around, content);
  const Pose pose = product(part.frame, file_.pose(e));
  mass(content, pose, link);
  for (const Part& p : content.geoms) add_shape(file_, p.node, p.around, p.frame, link);
  const bool moves = parent_moves || !content.joints.empty();
  if (!moves && link.mass > 0) file_.xml().leave_out(node, "the mass of a body that is part of the ground");
  if (file_.word(e, "mocap", {"false", "true"}, 0) == 1)
    file_.xml().leave_out(node, "`mocap`: the body stays where it is drawn");
  joints(content, link, parent, pose);
  robot_.links.push_back(link);
  sites(content, link.name);
  for (const Part& p : content.bodies) body(p, link.name, moves);
}

// ---- joints

// Several joints act one after the other, the first one nearest to the parent. Each but the last moves a carrier.
void MjcfTree::joints(const Content& content, const Link& link, const std::string& parent, const Pose& pose) {
  std::string from = parent;
  Pose at = pose;
  const std::size_t count = content.joints.size();
  bool free = false, ball = false, hinge = false;
  for (std::size_t k = 0; k < count; ++k) {
    Joint j = joint(content.joints[k], link.name);
    const Node node = content.joints[k].node;
    free = free || j.kind == Joint::Kind::floating;
    if ((ball && turns(j)) || (hinge && j.kind == Joint::Kind::ball))
      file_.xml().fail(node, "a body with a ball joint has no other joint that turns");
    ball = ball || j.kind == Joint::Kind::ball;
    hinge = hinge || j.kind == Joint::Kind::revolute;
    if (free && count > 1)
      return file_.xml().fail(content.joints[1].node, "a body with a free joint has no other joint");
    if (free && parent != kWorld) return file_.xml().fail(node, "only a body in the world has a free joint");
    j.parent = from;
    j.pose = at;
    j.child = link.name;
    if (k + 1 < count) {
      Link carrier;
      carrier.name = j.child = file_.fresh(link.name + "_carrier");
      carrier.place = j.place;
      carrier.carrier = true;
      robot_.links.push_back(carrier);
    }
    from = j.child;
    at = {};
    robot_.joints.push_back(std::move(j));
  }
  if (count > 0) return;
  Joint weld;
  weld.name = file_.fresh(link.name + "_fixed");
  weld.place = link.place;
  weld.parent = parent;
  weld.child = link.name;
  weld.pose = pose;
  robot_.joints.push_back(weld);
}

Joint MjcfTree::joint(const Part& part, const std::string& body) {
  static constexpr Joint::Kind kKinds[] = {Joint::Kind::floating, Joint::Kind::ball, Joint::Kind::prismatic,
                                           Joint::Kind::revolute};
  const bool free = std::strcmp(part.node.name(), "freejoint") == 0;
  file_.rest(part.node, free ? "freejoint" : "joint");
  const MjcfElement e = free ? MjcfElement{part.node, {}} : file_.element(part.node, "joint", part.around);
  Joint j;
  j.place = file_.xml().place_of(part.node);
  j.name = name_of(part.node, body + "_joint", joints_, "joints");
  j.kind = free ? Joint::Kind::floating : kKinds[file_.word(e, "type", {"free", "ball", "slide", "hinge"}, 3)];
  if (j.kind == Joint::Kind::floating) {
    const std::size_t align = file_.word(e, "align", {"false", "true", "auto"}, 2);
    if (align == 1 || (align == 2 && file_.compiler().align_free))
      file_.xml().leave_out(part.node,
                            "the free joint is not aligned with the inertia of its body: keyframes that were "
                            "saved with it so mean another place");
  }
  if (free) return j;
  const Pose seat = product(part.frame, {file_.numbers<3>(e, "pos", {}), {}});
  if (j.kind != Joint::Kind::floating) j.anchor = seat.xyz;
  if (j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::prismatic) {
    j.axis = file_.numbers<3>(e, "axis", {0, 0, 1});
    if (!(vector_of(j.axis).norm() > 1e-14))
      file_.xml().fail(part.node, "the axis of joint `" + printable(j.name) + "` is zero");
    if (!part.frame.turns.empty()) j.axis = triple_of(rotation_of(part.frame) * vector_of(j.axis));
  }
  const bool degrees = j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::ball;
  const auto value = [&](double written) { return degrees ? file_.angle(written) : written; };
  if (j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::prismatic) {
    j.reference = value(file_.number(e, "ref", 0));
    j.spring_at = value(file_.number(e, "springref", 0));
    j.drive_range = file_.range(e, "actuatorfrcrange", "actuatorfrclimited");
  }
  const bool limited = j.kind != Joint::Kind::floating;  // the defaults of other joints do not limit a free one
  if (const auto range = limited ? file_.range(e, "range", "limited") : std::nullopt) {
    if (j.kind != Joint::Kind::ball)
      j.lower = value(range->first);
    else if (range->first != 0)
      file_.xml().fail(e.holder("range"), "the range of a ball joint begins at 0");
    j.upper = value(range->second);
  }
  j.damping = file_.numbers<3>(e, "damping", {}, 1);
  j.stiffness = file_.numbers<3>(e, "stiffness", {}, 1);
  j.friction = file_.number(e, "frictionloss", 0);
  j.armature = file_.number(e, "armature", 0);
  j.spring_damper = file_.numbers<2>(e, "springdamper", {});
  const auto& [time, ratio] = j.spring_damper;
  if ((time != 0 || ratio != 0) && !(time > 0 && ratio > 0))
    file_.xml().fail(e.holder("springdamper"), "`springdamper` has a time constant and a damping ratio above 0");
  if (j.damping[0] < 0 || j.friction < 0 || j.armature < 0)
    file_.xml().fail(part.node,
                     "damping, frictionloss and armature of joint `" + printable(j.name) + "` are not negative");
  return j;
}

void MjcfTree::sites(const Content& content, const std::string& link) {
  for (const Part& p : content.sites) {
    file_.rest(p.node, "site");
    const MjcfElement e = file_.element(p.node, "site", p.around);
    Site s;
    s.place = file_.xml().place_of(p.node);
    s.name = name_of(p.node, link + "_site", sites_, "sites");
    s.link = link;
    s.pose = product(p.frame, e.has("fromto") ? between(file_, e) : file_.pose(e));
    robot_.sites.push_back(std::move(s));
  }
}

// ---- masses

void MjcfTree::mass(const Content& content, const Pose& pose, Link& link) {
  const MjcfCompiler& c = file_.compiler();
  using FromGeoms = MjcfCompiler::FromGeoms;
  if (content.inertial) file_.rest(content.inertial, "inertial");
  std::vector<GeomMass> masses;
  if (c.from_geoms == FromGeoms::always || (c.from_geoms == FromGeoms::where_missing && !content.inertial))
    for (const Part& p : content.geoms)
      if (const auto m = mass_of(file_, p.node, p.around, p.frame)) masses.push_back(*m);
  add_masses(masses, link);
  if (masses.empty() && content.inertial) explicit_mass(content.inertial, link);
  // MuJoCo puts the least mass of a body that has none at `pos`, read once more in the axes of the body.
  if (link.mass == 0 && !content.inertial) link.inertial = pose;
  if (!file_.xml().failed()) bound_mass(file_, link);
  if (link.mass == 0) link.inertial = {};
}

void MjcfTree::explicit_mass(Node node, Link& link) {
  const MjcfElement e{node, {}};
  for (const char* needed : {"pos", "mass"})
    if (!e.has(needed)) return file_.xml().fail(node, std::string("<inertial> has no `") + needed + "`");
  link.inertial = file_.pose(e);
  link.mass = file_.number(e, "mass", 0);
  if (link.mass < 0) file_.xml().fail(node, "the mass of `" + printable(link.name) + "` is negative");
  if (e.has("fullinertia")) {
    if (!link.inertial.turns.empty() || e.has("diaginertia"))
      file_.xml().fail(node, "`fullinertia` stands with `pos` and `mass` alone");
    const std::array<double, 6> f = file_.numbers<6>(e, "fullinertia", {});  // xx, yy, zz, xy, xz, yz
    link.inertia = {f[0], f[3], f[4], f[1], f[5], f[2]};
  } else {
    const Triple d = file_.numbers<3>(e, "diaginertia", {});
    if (!e.has("diaginertia")) file_.xml().fail(node, "<inertial> has neither `diaginertia` nor `fullinertia`");
    link.inertia = {d[0], 0, 0, d[1], 0, d[2]};
  }
}

// All masses become parts of the total, then those that never move stand still.
void MjcfTree::scale_masses() {
  double sum = 0;
  for (const Link& l : robot_.links) sum += l.mass;
  if (file_.compiler().total_mass > 0 && sum > 0)
    for (Link& l : robot_.links) {
      const double factor = file_.compiler().total_mass / sum;
      l.mass *= factor;
      for (double& entry : l.inertia) entry *= factor;
    }
  std::set<std::string> still{kWorld};
  for (const Joint& j : robot_.joints)
    if (j.kind == Joint::Kind::fixed && still.contains(j.parent)) still.insert(j.child);
  for (Link& l : robot_.links)
    if (still.contains(l.name)) l.mass = 0;
}

// A body without mass may move others.
void MjcfTree::find_carriers() {
  std::set<std::string> moving;  // those with mass, and those that carry them
  for (const Link& l : robot_.links)
    if (l.mass > 0) moving.insert(l.name);
  for (auto j = robot_.joints.rbegin(); j != robot_.joints.rend(); ++j)
    if (moving.contains(j->child)) moving.insert(j->parent);
  for (Link& l : robot_.links)
    if (l.mass == 0 && moving.contains(l.name)) l.carrier = true;
}

}  // namespace mbc::tools
