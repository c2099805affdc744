// SPDX-License-Identifier: Apache-2.0
#include "tools/import/sdf_joints.h"

#include <cmath>
#include <numbers>

#include "tools/import/robot_geometry.h"
#include "tools/import/robot_words.h"

namespace mbc::tools {
namespace {

using Eigen::Vector3d;

// SDF writes "no limit" as a number of this size.
constexpr double kNoLimit = 1e16;

bool is_one_of(const std::string& type, std::initializer_list<const char*> types) {
  return std::any_of(types.begin(), types.end(), [&](const char* t) { return type == t; });
}

}  // namespace

// ---- the links

bool SdfJoints::ends(const SdfFrame& f, Ends& out) {
  const std::string parent = SdfFile::text(f.node.child("parent"));
  const std::string name = "joint `" + printable(f.path) + "`";
  if (parent != "world") {
    const auto found = frames_.find(f, parent);
    if (!found) {
      file_.xml().fail(f.node, name + " has the parent `" + printable(parent) + "`, which is no link or frame there");
      return false;
    }
    out.parent = frames_.link_of(*found);
  }
  out.child = frames_.link_of(*frames_.find(f, f.attached_to));
  if (out.parent == out.child)
    file_.xml().fail(f.node, name + " joins link `" + printable(frames_.at(out.child).path) + "` to itself");
  const auto stands = [&](std::size_t link) { return link == 0 || frames_.at(link).stands; };
  if (!stands(out.parent) || !stands(out.child)) return !file_.xml().failed();
  file_.xml().leave_out(f.node, "joints between parts that stand still");
  return false;
}

void SdfJoints::read(std::size_t frame, const std::string& name) {
  const SdfFrame& f = frames_.at(frame);
  const Node node = f.node;
  file_.rest(node,
             {"parent", "child", "pose", "axis", "axis2", "gearbox_ratio", "gearbox_reference_body", "thread_pitch",
              "screw_thread_pitch"},
             {}, {"name", "type"});
  static const std::map<std::string, Joint::Kind> kKinds = {{"fixed", Joint::Kind::fixed},
                                                            {"revolute", Joint::Kind::revolute},
                                                            {"continuous", Joint::Kind::continuous},
                                                            {"prismatic", Joint::Kind::prismatic},
                                                            {"ball", Joint::Kind::ball},
                                                            {"screw", Joint::Kind::screw},
                                                            {"universal", Joint::Kind::revolute},
                                                            {"revolute2", Joint::Kind::revolute}};
  const std::string type = node.attribute("type").value();
  if (!kKinds.contains(type) && type != "gearbox")
    return file_.xml().fail(node, "`" + printable(type) + "` of joint `" + printable(f.path) + "` is no type of SDF");
  Ends e;
  if (!ends(f, e)) return;
  for (const auto& [tag, of] : {std::pair{"thread_pitch", "screw"}, std::pair{"screw_thread_pitch", "screw"},
                                std::pair{"gearbox_ratio", "gearbox"}, std::pair{"gearbox_reference_body", "gearbox"}})
    if (const Node other = node.child(tag); other && type != of)
      file_.xml().leave_out(other, std::string("<") + tag + "> of a joint that is no " + of);
  if (type == "gearbox") {
    gearboxes_.emplace_back(frame, name);
    return;
  }
  Joint j;
  j.kind = kKinds.at(type);
  j.name = name;
  j.place = file_.xml().place_of(node);
  j.parent = names_.of.at(e.parent);
  j.child = names_.of.at(e.child);
  j.pose = frames_.between(e.parent, e.child);
  if (j.kind != Joint::Kind::fixed) j.anchor = frames_.between(e.child, frame).xyz;
  ends_[name] = e;
  axes_[frame] = {name, ""};
  const bool two = is_one_of(type, {"universal", "revolute2"}), one = has_one_coordinate(j);
  for (const auto& [tag, used] : {std::pair{"axis", one}, std::pair{"axis2", two}})
    if (const Node axis = node.child(tag); axis && !used)
      file_.xml().leave_out(axis, std::string("<") + tag + "> of a joint that has none");
  if (j.kind == Joint::Kind::screw) pitch(f, j);
  if (one) one_axis(frame, "axis", j);
  if (two) return two_axes(frame, std::move(j));
  robot_.joints.push_back(std::move(j));
}

// The first axis is fixed in the parent and the second one in the child; between them is a carrier.
void SdfJoints::two_axes(std::size_t frame, Joint first) {
  Joint second;
  second.kind = Joint::Kind::revolute;
  second.place = first.place;
  second.child = first.child;
  second.anchor = first.anchor;
  second.name = names_.fresh(first.name + "_axis2");
  Link carrier;
  carrier.name = names_.fresh(first.name + "_carrier");
  carrier.place = first.place;
  carrier.carrier = true;
  first.child = second.parent = carrier.name;
  axes_[frame] = {first.name, second.name};
  robot_.links.push_back(std::move(carrier));
  robot_.joints.push_back(std::move(first));
  one_axis(frame, "axis2", second);
  robot_.joints.push_back(std::move(second));
}

// ---- one axis

void SdfJoints::one_axis(std::size_t frame, const char* tag, Joint& j) {
  const SdfFrame& f = frames_.at(frame);
  const Node axis = f.node.child(tag);
  if (!axis) return file_.xml().fail(f.node, "joint `" + printable(f.path) + "` has no <" + tag + ">");
  file_.rest(axis, {"xyz", "initial_position", "use_parent_model_frame", "dynamics", "limit", "mimic"}, {}, {});
  const Vector3d in_space_axis = in_space(frame, axis);
  const std::size_t child = ends_.at(axes_.at(frame)[0]).child;
  const Pose to_child = frames_.between(child, frame);
  const bool own = axis.child("xyz").attribute("expressed_in").empty() &&
                   !file_.flag(axis, "use_parent_model_frame", false) && to_child.turns.empty();
  j.axis = file_.triple(axis, "xyz", {0, 0, 1});
  if (!(vector_of(j.axis).norm() > 1e-14))
    return file_.xml().fail(axis, "the axis of joint `" + printable(f.path) + "` is zero");
  if (!own) j.axis = tidy(triple_of(rotation_of(frames_.between(0, child)).conjugate() * in_space_axis));
  if (const Node start = axis.child("initial_position")) {
    file_.only_in(start, "initial_position", f.source, 5, 8);
    robot_.start.values[j.name] = file_.number(axis, "initial_position", 0);
  }
  motion(axis, j);
  limits(axis, j);
  if (const Node mimic = axis.child("mimic")) mimics_.push_back({frame, robot_.joints.size(), mimic});
}

// Returns an axis of a joint in the axes of space.
Vector3d SdfJoints::in_space(std::size_t frame, Node axis) {
  const SdfFrame& f = frames_.at(frame);
  std::size_t seen_from = frame;
  const Node xyz = axis.child("xyz"), model = axis.child("use_parent_model_frame");
  file_.xml().rest(xyz, {}, {"expressed_in"});
  if (model) file_.only_in(model, "use_parent_model_frame", f.source, 5, 6);
  if (file_.flag(axis, "use_parent_model_frame", false)) seen_from = f.model;
  const std::string in = xyz.attribute("expressed_in").value();
  if (!in.empty()) {
    file_.only_in(xyz, "expressed_in", f.source, 7, 9);
    const auto found = frames_.find(f, in);
    if (!found) file_.xml().fail(xyz, "`expressed_in` `" + printable(in) + "` is no frame there");
    seen_from = found.value_or(frame);
  }
  return rotation_of(frames_.between(0, seen_from)) * vector_of(file_.triple(axis, "xyz", {0, 0, 1}));
}

void SdfJoints::motion(Node axis, Joint& j) {
  const Node dynamics = axis.child("dynamics");
  file_.rest(dynamics, {"damping", "friction", "spring_reference", "spring_stiffness"}, {}, {});
  j.damping[0] = file_.number(dynamics, "damping", 0);
  j.friction = file_.number(dynamics, "friction", 0);
  j.stiffness[0] = file_.number(dynamics, "spring_stiffness", 0);
  j.spring_at = file_.number(dynamics, "spring_reference", 0);
  if (j.damping[0] < 0 || j.friction < 0 || j.stiffness[0] < 0)
    file_.xml().fail(dynamics, "damping, friction and spring_stiffness are not negative");
}

// Returns a number that limits something: not an infinite one, or one of the size that stands for it.
std::optional<double> SdfJoints::bound(Node limit, const char* name) {
  const Node node = limit.child(name);
  std::string word = SdfFile::text(node);
  for (char& c : word)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  if (!node || is_one_of(word, {"inf", "+inf", "-inf"})) return {};
  const double value = file_.number(limit, name, 0);
  return std::fabs(value) < kNoLimit ? std::optional(value) : std::nullopt;
}

void SdfJoints::limits(Node axis, Joint& j) {
  const Node limit = axis.child("limit");
  file_.rest(limit, {"lower", "upper", "effort", "velocity"}, {"stiffness", "dissipation"}, {});
  j.lower = bound(limit, "lower");
  j.upper = bound(limit, "upper");
  if (j.kind == Joint::Kind::continuous) {
    if (j.lower || j.upper) file_.xml().leave_out(limit, "the limits of a joint that turns freely");
    j.lower.reset();
    j.upper.reset();
  }
  if (j.lower && j.upper && *j.lower > *j.upper)
    file_.xml().fail(limit, "the lower limit of joint `" + printable(j.name) + "` is above the upper one");
  j.effort = std::fmax(bound(limit, "effort").value_or(0), 0);
  if (bound(limit, "velocity").value_or(-1) >= 0) file_.xml().leave_out(limit, "the limit of velocity");
  if (limit.child("stiffness") || limit.child("dissipation"))
    file_.xml().leave_out(limit, "softness of limits: they are exact");
}

// A right-handed thread has a positive lead. <thread_pitch>, in rad/m, is that of a left-handed one.
void SdfJoints::pitch(const SdfFrame& f, Joint& j) {
  const Node left = f.node.child("thread_pitch"), right = f.node.child("screw_thread_pitch");
  const double turn = file_.number(f.node, "thread_pitch", 1);
  if (turn == 0) return file_.xml().fail(left, "`thread_pitch` is 0: the screw would never turn");
  j.lead = -2 * std::numbers::pi / turn;
  if (!right) return;
  const double lead = file_.number(f.node, "screw_thread_pitch", 1);
  if (left && std::fabs(lead - j.lead) > 1e-6 * std::fabs(lead))
    file_.xml().fail(right, "`screw_thread_pitch` is not the lead of `thread_pitch`, -2*pi/thread_pitch");
  j.lead = lead;
}

// ---- joints that name others

void SdfJoints::connect() {
  for (const Mimic& m : mimics_)
    if (!file_.xml().failed()) mimic(m);
  if (file_.xml().failed()) return;
  if (const Joint* j = mimic_of_itself(robot_))
    return file_.xml().fail(j->place, "joint `" + printable(j->name) + "` mimics itself, over others or not");
  for (const auto& [frame, name] : gearboxes_)
    if (!file_.xml().failed()) gearbox(frame, name);
}

// follower = multiplier*(leader - reference) + offset
void SdfJoints::mimic(const Mimic& m) {
  file_.rest(m.node, {"multiplier", "offset", "reference"}, {}, {"joint", "axis"});
  const std::string joint = m.node.attribute("joint").value(), axis = m.node.attribute("axis").value();
  if (!axis.empty() && axis != "axis" && axis != "axis2")
    return file_.xml().fail(m.node, "`axis` of <mimic> is `" + printable(axis) + "`, not axis or axis2");
  const auto leader = frames_.find_joint(frames_.at(m.frame), joint);
  const auto names = leader ? axes_.find(*leader) : axes_.end();
  const std::string name = names == axes_.end() ? "" : names->second[axis == "axis2" ? 1 : 0];
  const auto at = std::find_if(robot_.joints.begin(), robot_.joints.end(),
                               [&](const Joint& j) { return !name.empty() && j.name == name; });
  if (at == robot_.joints.end() || !has_one_coordinate(*at))
    return file_.xml().fail(m.node, "<mimic> of joint `" + printable(robot_.joints[m.joint].name) + "` names `" +
                                        printable(joint) + "`, which is no joint with such an axis there");
  const double factor = file_.number(m.node, "multiplier", 1);
  robot_.joints[m.joint].mimic =
      Joint::Mimic{name, factor, file_.number(m.node, "offset", 0) - factor * file_.number(m.node, "reference", 0)};
}

const Joint* SdfJoints::between(std::size_t from, std::size_t to) const {
  for (const Joint& j : robot_.joints) {
    const auto at = ends_.find(j.name);
    const bool turns = j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::continuous;
    if (at == ends_.end() || !turns || j.child != names_.of.at(at->second.child)) continue;
    if ((at->second.parent == from && at->second.child == to) || (at->second.parent == to && at->second.child == from))
      return &j;
  }
  return nullptr;
}

// Returns 1 or -1: what turns `from` its other end about the axis is this times the angle of the joint. 0: no joint of
// this axis.
double SdfJoints::turns_along(const Joint& j, std::size_t from, const Vector3d& axis) {
  const Ends& e = ends_.at(j.name);
  const Vector3d own = rotation_of(frames_.between(0, e.child)) * vector_of(j.axis).normalized();
  if (own.cross(axis.normalized()).norm() > 1e-6) return 0;
  return (own.dot(axis) > 0 ? 1 : -1) * (e.parent == from ? 1 : -1);
}

// theta_2 = -ratio*theta_1, with the angle theta_1 of the parent and theta_2 of the child against the reference body.
void SdfJoints::gearbox(std::size_t frame, const std::string& name) {
  const SdfFrame& f = frames_.at(frame);
  const std::string body = SdfFile::text(f.node.child("gearbox_reference_body"));
  const auto found = frames_.find(f, body);
  if (!found)
    return file_.xml().fail(f.node, "`gearbox_reference_body` of joint `" + printable(f.path) + "` is `" +
                                        printable(body) + "`, which is no link there");
  const std::size_t reference = frames_.link_of(*found);
  Ends e;
  if (!ends(f, e)) return;
  Coupling c;
  c.kind = Coupling::Kind::joints;
  c.name = name;
  c.place = file_.xml().place_of(f.node);
  double sides[2] = {};
  for (int k = 0; k < 2; ++k) {
    const std::size_t link = k == 0 ? e.parent : e.child;
    const char* tag = k == 0 ? "axis" : "axis2";
    const Joint* j = between(reference, link);
    const Node axis = f.node.child(tag);
    file_.rest(axis, {"xyz", "use_parent_model_frame"}, {}, {});
    if (axis && j != nullptr) sides[k] = turns_along(*j, reference, in_space(frame, axis));
    if (sides[k] == 0)
      return file_.xml().fail(f.node, "gearbox `" + printable(f.path) + "`: no joint turns `" +
                                          printable(frames_.at(link).path) + "` against `" + printable(body) +
                                          "` about its <" + tag + ">");
    (k == 0 ? c.second : c.first) = j->name;
  }
  c.polynomial[1] = -file_.number(f.node, "gearbox_ratio", 1) * sides[0] * sides[1];
  robot_.couplings.push_back(std::move(c));
}

}  // namespace mbc::tools
