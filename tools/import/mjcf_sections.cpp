// SPDX-License-Identifier: Apache-2.0
// Options, tendons, equalities, sensors and keyframes of an MJCF file.
#include "tools/import/mjcf_sections.h"

#include <algorithm>
#include <cmath>

#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

template <class T>
const T* find_named(const std::vector<T>& list, const std::string& name) {
  const auto at = std::find_if(list.begin(), list.end(), [&](const T& t) { return t.name == name; });
  return at == list.end() ? nullptr : &*at;
}

const Joint* scalar_joint(MjcfFile& file, const Robot& robot, Node node, const std::string& name) {
  const Joint* j = joint_named(robot, name);
  if (j == nullptr) {
    file.xml().fail(node, "there is no joint `" + printable(name) + "`");
  } else if (j->kind != Joint::Kind::revolute && j->kind != Joint::Kind::prismatic) {
    file.xml().fail(node, "joint `" + printable(name) + "` has no single coordinate");
    return nullptr;
  }
  return j;
}

}  // namespace

const Joint* joint_named(const Robot& robot, const std::string& name) { return find_named(robot.joints, name); }
const Tendon* tendon_named(const Robot& robot, const std::string& name) { return find_named(robot.tendons, name); }

// ---- options

MjcfFlags read_options(MjcfFile& file, Robot& robot) {
  MjcfFlags out;
  robot.step = 2e-3;
  const auto flag = [&](const MjcfElement& e, const char* name, bool& value) {
    if (e.has(name)) value = file.word(e, name, {"disable", "enable"}, 1) == 1;
  };
  for (const Node node : file.sections("option")) {
    const MjcfElement e{node, {}};
    robot.gravity = file.numbers<3>(e, "gravity", robot.gravity);
    robot.step = file.number(e, "timestep", robot.step);
    if (!(robot.step > 0)) file.xml().fail(node, "`timestep` is not positive");
    if (file.number(e, "density", 0) != 0 || file.number(e, "viscosity", 0) != 0)
      file.xml().fail(node, "the forces of a fluid are not taken over: leave `density` and `viscosity` out");
    for (const double group : file.list(e, "actuatorgroupdisable", 0, 31))
      out.groups_off.push_back(static_cast<int>(group));
    for (const pugi::xml_attribute a : node.attributes())
      if (static const std::set<std::string> kReadOptions = {"gravity", "timestep", "density", "viscosity",
                                                             "actuatorgroupdisable"};
          !kReadOptions.contains(a.name()))
        file.xml().leave_out(
            node, "the solver's settings in <option>: rows are exact, and the method is chosen in `simulate`");
    for (const Node child : file.children(node)) {
      if (std::strcmp(child.name(), "flag") != 0) {
        file.xml().leave_out(child, std::string("<") + printable(child.name()) + "> in <option>");
        continue;
      }
      const MjcfElement f{child, {}};
      bool all = true;
      flag(f, "constraint", all);
      flag(f, "equality", out.equality);
      flag(f, "limit", out.limits);
      flag(f, "frictionloss", out.friction);
      flag(f, "spring", out.springs);
      flag(f, "damper", out.dampers);
      flag(f, "gravity", out.gravity);
      flag(f, "actuation", out.actuation);
      flag(f, "clampctrl", out.clamp_controls);
      if (!all) out.equality = out.limits = out.friction = false;
      for (const pugi::xml_attribute a : child.attributes())
        if (static const std::set<std::string> kReadOptions = {"constraint", "equality", "limit", "frictionloss",
                                                               "spring", "damper", "gravity", "actuation", "clampctrl",
                                                               "contact"};
            !kReadOptions.contains(a.name()))
          file.xml().leave_out(
              child, "the solver's settings in <option>: rows are exact, and the method is chosen in `simulate`");
    }
  }
  if (!out.gravity) robot.gravity = {};
  return out;
}

void apply_flags(Robot& robot, const MjcfFlags& flags) {
  const auto passive = [&](auto& part) {
    if (!flags.limits) part.lower.reset(), part.upper.reset();
    if (!flags.friction) part.friction = 0;
    if (!flags.springs) part.stiffness = {};
    if (!flags.dampers) part.damping = {};
  };
  for (Joint& j : robot.joints) passive(j);
  for (Tendon& t : robot.tendons) passive(t);
  if (!flags.equality) robot.couplings.clear();
}

// ---- tendons

namespace {

void fixed_terms(MjcfFile& file, const Robot& robot, Node node, Tendon& t) {
  for (const Node term : file.children(node)) {
    file.rest(term, "fixed joint");
    const Joint* j = scalar_joint(file, robot, term, term.attribute("joint").value());
    if (j == nullptr) return;
    if (!term.attribute("coef")) file.xml().fail(term, "<joint> of a tendon has no `coef`");
    t.joints.emplace_back(j->name, file.number({term, {}}, "coef", 0));
  }
  if (t.joints.empty()) file.xml().fail(node, "tendon `" + printable(t.name) + "` has no joints");
}

// A pulley begins a path that counts by its divisor.
void spatial_path(MjcfFile& file, const Robot& robot, Node node, Tendon& t) {
  t.paths.emplace_back();
  for (const Node part : file.children(node)) {
    const std::string tag = part.name();
    if (tag == "pulley") {
      if (!t.paths.back().sites.empty()) t.paths.emplace_back();
      t.paths.back().divisor = file.number({part, {}}, "divisor", 0);
      if (!(t.paths.back().divisor > 0)) file.xml().fail(part, "the divisor of a pulley is not positive");
    } else if (tag == "site") {
      t.paths.back().sites.emplace_back(part.attribute("site").value());
      if (find_named(robot.sites, t.paths.back().sites.back()) == nullptr)
        file.xml().fail(part, "there is no site `" + printable(t.paths.back().sites.back()) + "`");
    } else {
      file.xml().fail(part, "tendons that wrap around geoms are not taken over");
    }
  }
  for (const Tendon::Path& p : t.paths)
    if (p.sites.size() < 2)
      file.xml().fail(node, "a path of tendon `" + printable(t.name) + "` has less than two sites");
}

void read_tendon(MjcfFile& file, Robot& robot, Node node) {
  const bool fixed = std::strcmp(node.name(), "fixed") == 0;
  file.rest(node, "fixed");
  const MjcfElement e = file.element(node, "tendon", "");
  Tendon t;
  t.place = file.xml().place_of(node);
  t.name = node.attribute("name") ? node.attribute("name").value() : file.fresh("tendon");
  if (tendon_named(robot, t.name) != nullptr)
    file.xml().fail(node, "there are two tendons `" + printable(t.name) + "`");
  if (fixed)
    fixed_terms(file, robot, node, t);
  else
    spatial_path(file, robot, node, t);
  if (file.xml().failed()) return;
  t.damping = file.numbers<3>(e, "damping", {}, 1);
  t.stiffness = file.numbers<3>(e, "stiffness", {}, 1);
  t.friction = file.number(e, "frictionloss", 0);
  t.armature = file.number(e, "armature", 0);
  t.drive_range = file.range(e, "actuatorfrcrange", "actuatorfrclimited");
  if (const auto range = file.range(e, "range", "limited")) t.lower = range->first, t.upper = range->second;
  const std::vector<double> length = file.list(e, "springlength", 1, 2);
  if (length.empty() || length[0] == -1) {  // where all springs of the joints are at rest
    JointValues at;
    for (const Joint& j : robot.joints) at.values[j.name] = j.spring_at;
    const double rest = length_of(robot, t, at);
    t.rest = {rest, rest};
  } else {
    t.rest = {length.front(), length.back()};
  }
  robot.tendons.push_back(std::move(t));
}

}  // namespace

void read_tendons(MjcfFile& file, Robot& robot) {
  for (const Node section : file.sections("tendon"))
    for (const Node node : file.children(section)) {
      if (file.xml().failed()) return;
      const std::string tag = node.name();
      if (tag == "fixed" || tag == "spatial")
        read_tendon(file, robot, node);
      else
        file.xml().leave_out(node, "<" + printable(tag) + "> in <tendon>");
    }
}

// ---- equalities

namespace {

class EqualityReader {
 public:
  EqualityReader(MjcfFile& file, Robot& robot) : file_(file), robot_(robot), places_(places_of(robot, {})) {}

  void read(Node node) {
    const std::string tag = node.name();
    const bool bodies = tag == "connect" || tag == "weld";
    if (!bodies && tag != "joint" && tag != "tendon") {
      if (tag.starts_with("flex")) return file_.xml().fail(node, "flexible bodies are not taken over");
      return file_.xml().leave_out(node, "<" + printable(tag) + "> in <equality>");
    }
    file_.rest(node, bodies ? tag : "equality " + tag);
    const MjcfElement e = file_.element(node, "equality", "");
    Coupling c;
    c.place = file_.xml().place_of(node);
    c.active = file_.word(e, "active", {"false", "true"}, 1) == 1;
    c.name = node.attribute("name") ? node.attribute("name").value() : "";
    if (bodies)
      of_bodies(e, c, tag == "weld");
    else
      of_values(e, c, tag == "joint");
    if (file_.xml().failed()) return;
    if (c.name.empty()) c.name = c.first + "_" + tag;
    robot_.couplings.push_back(std::move(c));
  }

 private:
  void of_values(const MjcfElement& e, Coupling& c, bool joints) {
    c.kind = joints ? Coupling::Kind::joints : Coupling::Kind::tendons;
    c.polynomial = file_.numbers<5>(e, "polycoef", {0, 1, 0, 0, 0}, 1);
    const char* names[] = {joints ? "joint1" : "tendon1", joints ? "joint2" : "tendon2"};
    std::string* ends[] = {&c.first, &c.second};
    double* references[] = {&c.reference_first, &c.reference_second};
    for (std::size_t k = 0; k < 2; ++k) {
      const std::string name = e.text(names[k]);
      if (k == 1 && name.empty()) return;
      *ends[k] = name;
      if (joints) {
        const Joint* j = scalar_joint(file_, robot_, e.node, name);
        if (j == nullptr) return;
        *references[k] = j->reference;
      } else {
        const Tendon* t = tendon_named(robot_, name);
        if (t == nullptr) return file_.xml().fail(e.node, "there is no tendon `" + printable(name) + "`");
        *references[k] = length_of(robot_, *t, {});
      }
    }
  }

  void of_bodies(const MjcfElement& e, Coupling& c, bool weld) {
    c.kind = weld && file_.number(e, "torquescale", 1) != 0 ? Coupling::Kind::weld : Coupling::Kind::connect;
    if (e.has("site1") || e.has("site2")) return of_sites(e, c);
    c.first = body(e, "body1");
    c.second = e.has("body2") ? body(e, "body2") : robot_.links[0].name;
    if (file_.xml().failed()) return;
    const Placed &one = places_.at(c.first), &two = places_.at(c.second);
    const Triple anchor = file_.numbers<3>(e, "anchor", {});
    if (!weld) {
      if (!e.has("anchor")) return file_.xml().fail(e.node, "<connect> has no `anchor`");
      c.at_first.xyz = anchor;
      c.at_second = seen_from(two, placed_by(one, c.at_first).at, nullptr);
      return;
    }
    c.at_second.xyz = anchor;
    const std::array<double, 7> r = file_.numbers<7>(e, "relpose", {0, 1, 0, 0, 0, 0, 0});
    const Eigen::Quaterniond turn(r[3], r[4], r[5], r[6]);
    if (turn.norm() > 0)
      c.at_first = {{r[0], r[1], r[2]}, turns_of(turn.normalized())};
    else
      c.at_first = seen_from(one, placed_by(two, c.at_second).at, &two.axes);
  }

  std::string body(const MjcfElement& e, const char* attribute) {
    const std::string name = e.text(attribute);
    if (name.empty())
      file_.xml().fail(e.node, std::string("<") + e.node.name() + "> has neither `" + attribute + "` nor sites");
    else if (!places_.contains(name))
      file_.xml().fail(e.node, "there is no body `" + printable(name) + "`");
    return name;
  }

  void of_sites(const MjcfElement& e, Coupling& c) {
    const std::pair<const char*, int> ends[] = {{"site1", 0}, {"site2", 1}};
    for (const auto& [attribute, k] : ends) {
      const Site* s = find_named(robot_.sites, e.text(attribute));
      if (s == nullptr)
        return file_.xml().fail(
            e.node, std::string("`") + attribute + "` is `" + printable(e.text(attribute)) + "`, which is no site");
      (k == 0 ? c.first : c.second) = s->link;
      (k == 0 ? c.at_first : c.at_second) = s->pose;
    }
  }

  // A point of space, and axes, as they are seen from a link.
  static Pose seen_from(const Placed& link, const Eigen::Vector3d& point, const Eigen::Quaterniond* axes) {
    const Eigen::Quaterniond back = link.axes.conjugate();
    Pose out{triple_of(back * (point - link.at)), {}};
    if (axes != nullptr) out.turns = turns_of(back * *axes);
    return out;
  }

  MjcfFile& file_;
  Robot& robot_;
  std::map<std::string, Placed> places_;
};

}  // namespace

void read_equalities(MjcfFile& file, Robot& robot) {
  EqualityReader reader(file, robot);
  for (const Node section : file.sections("equality"))
    for (const Node node : file.children(section)) {
      if (file.xml().failed()) return;
      reader.read(node);
    }
}

// ---- sensors

void read_sensors(MjcfFile& file, Robot& robot) {
  std::set<std::string> names;
  for (const Node section : file.sections("sensor"))
    for (const Node node : file.children(section)) {
      const std::string tag = node.name();
      if (tag == "plugin" || tag == "user") return file.xml().fail(node, "sensors <" + tag + "> are not taken over");
      file.rest(node, "sensor");
      Sensor s;
      s.place = file.xml().place_of(node);
      s.what = tag;
      s.kind = node.attribute("objtype").value();
      s.object = node.attribute("objname").value();
      for (const char* kind : {"site", "joint", "tendon", "actuator", "body"})
        if (node.attribute(kind)) s.kind = kind, s.object = node.attribute(kind).value();
      s.reference_kind = node.attribute("reftype").value();
      s.reference = node.attribute("refname").value();
      s.name = node.attribute("name") ? node.attribute("name").value() : tag + "_" + s.object;
      if (!names.insert(s.name).second && node.attribute("name"))
        file.xml().fail(node, "there are two sensors `" + printable(s.name) + "`");
      const auto known = [&](const std::string& kind, const std::string& object) {
        if (kind == "site") return find_named(robot.sites, object) != nullptr;
        if (kind == "joint") return joint_named(robot, object) != nullptr;
        if (kind == "tendon") return tendon_named(robot, object) != nullptr || !section.empty();
        if (kind == "body" || kind == "xbody") return find_named(robot.links, object) != nullptr;
        return true;
      };
      if (!known(s.kind, s.object) || !known(s.reference_kind, s.reference))
        return file.xml().fail(node, "the sensor <" + printable(tag) + "> is of a " + printable(s.kind) + " `" +
                                         printable(s.object) + "`, which there is not");
      robot.sensors.push_back(std::move(s));
    }
}

// ---- keyframes

namespace {

class KeyframeReader {
 public:
  KeyframeReader(MjcfFile& file, Robot& robot) : file_(file), robot_(robot) {}

  void read(Node node, const std::string& name) {
    const std::vector<double> q = file_.list({node, {}}, "qpos", 0, kMost),
                              v = file_.list({node, {}}, "qvel", 0, kMost);
    const std::vector<double> u = file_.list({node, {}}, "ctrl", 0, kMost), w = file_.list({node, {}}, "act", 0, kMost);
    if (file_.xml().failed()) return;
    robot_.start.keyframe = name;
    if (!sizes(node, q.size(), v.size(), u.size(), w.size())) return;
    JointValues at;
    std::map<std::string, Eigen::Vector3d> spins;
    std::size_t i = 0, k = 0;
    for (const Joint& j : robot_.joints) {
      if (j.kind == Joint::Kind::fixed) continue;
      const bool free = j.kind == Joint::Kind::floating, ball = j.kind == Joint::Kind::ball;
      if (!free && !ball) {
        robot_.start.values[j.name] = q.empty() ? j.reference : q[i];
        if (!v.empty()) robot_.start.rates[j.name] = v[k];
        ++i, ++k;
        continue;
      }
      Placed p;
      if (free && !q.empty()) p.at = {q[i], q[i + 1], q[i + 2]};
      i += free ? 3 : 0;
      if (!q.empty()) p.axes = Eigen::Quaterniond(q[i], q[i + 1], q[i + 2], q[i + 3]).normalized();
      i += 4;
      if (!q.empty()) at.placed[j.name] = p;
      if (free && !v.empty()) robot_.start.velocities[j.child] = {v[k], v[k + 1], v[k + 2]};
      k += free ? 3 : 0;
      if (!v.empty()) spins[j.name] = {v[k], v[k + 1], v[k + 2]};
      k += 3;
    }
    at.values = robot_.start.values;
    in_space(at, spins);
    controls(u, w);
  }

 private:
  static constexpr std::size_t kMost = 1'000'000;

  bool sizes(Node node, std::size_t q, std::size_t v, std::size_t u, std::size_t w) {
    std::size_t coordinates = 0, speeds = 0, states = 0;
    for (const Joint& j : robot_.joints) {
      if (j.kind == Joint::Kind::fixed) continue;
      const bool free = j.kind == Joint::Kind::floating, ball = j.kind == Joint::Kind::ball;
      coordinates += free ? 7 : ball ? 4 : 1;
      speeds += free ? 6 : ball ? 3 : 1;
    }
    for (const Actuator& a : robot_.actuators) states += a.state == Actuator::State::none ? 0 : 1;
    const std::tuple<const char*, std::size_t, std::size_t> lists[] = {
        {"qpos", q, coordinates}, {"qvel", v, speeds}, {"ctrl", u, robot_.actuators.size()}, {"act", w, states}};
    for (const auto& [name, given, wanted] : lists)
      if (given != 0 && given != wanted) {
        file_.xml().fail(node, std::string("`") + name + "` of the keyframe has " + std::to_string(given) +
                                   " numbers, and the model " + std::to_string(wanted));
        return false;
      }
    return true;
  }

  // Links that turn by themselves have rotations and angular velocities in space.
  void in_space(const JointValues& at, const std::map<std::string, Eigen::Vector3d>& spins) {
    const std::map<std::string, Placed> places = places_of(robot_, at);
    std::map<std::string, Eigen::Vector3d> omega;  // in space
    for (const Joint& j : robot_.joints) {
      const Placed& here = places.at(j.child);
      Eigen::Vector3d w = omega.try_emplace(j.parent, Eigen::Vector3d::Zero()).first->second;
      if (const auto rate = robot_.start.rates.find(j.name);
          rate != robot_.start.rates.end() && j.kind == Joint::Kind::revolute)
        w += here.axes * (rate->second * vector_of(j.axis).normalized());
      if (const auto spin = spins.find(j.name); spin != spins.end()) w += here.axes * spin->second;
      omega[j.child] = w;
      if (j.kind != Joint::Kind::floating && j.kind != Joint::Kind::ball) continue;
      const Eigen::Quaterniond& r = here.axes;
      if (at.placed.contains(j.name)) {
        robot_.start.rotations[j.child] = {r.w(), r.x(), r.y(), r.z()};
        if (j.kind == Joint::Kind::floating) robot_.start.places[j.child] = triple_of(here.at);
      }
      if (spins.contains(j.name)) robot_.start.spins[j.child] = triple_of(r.conjugate() * w);
    }
  }

  void controls(const std::vector<double>& u, const std::vector<double>& w) {
    std::size_t state = 0;
    for (std::size_t k = 0; k < robot_.actuators.size(); ++k) {
      const Actuator& a = robot_.actuators[k];
      if (!u.empty()) robot_.start.controls[a.name] = u[k];
      if (a.state != Actuator::State::none && !w.empty()) robot_.start.states[a.name] = w[state++];
    }
  }

  MjcfFile& file_;
  Robot& robot_;
};

}  // namespace

void read_keyframes(MjcfFile& file, Robot& robot, const std::string& wanted) {
  bool found = false;
  for (const Node section : file.sections("keyframe"))
    for (const Node node : file.children(section)) {
      if (file.xml().failed()) return;
      const std::string name = node.attribute("name") ? node.attribute("name").value() : "unnamed";
      if (found || (!wanted.empty() && name != wanted)) {
        file.xml().leave_out(node, "other keyframes: `--keyframe NAME` begins there");
        continue;
      }
      found = true;
      file.rest(node, "key");
      KeyframeReader(file, robot).read(node, name);
    }
  if (!found && !wanted.empty()) file.xml().fail(FilePlace{1, ""}, "there is no keyframe `" + printable(wanted) + "`");
}

}  // namespace mbc::tools
