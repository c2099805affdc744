// SPDX-License-Identifier: Apache-2.0
// Statements for the joints of a robot: springs, damping, friction, limits, tendons, couplings, actuators.
#include <algorithm>
#include <cmath>
#include <numbers>

#include "base/numbers.h"
#include "tools/import/robot_actuators.h"
#include "tools/import/robot_parts.h"

namespace mbc::tools {
namespace {

// The value of a joint or tendon, for statements that are the same for both.
struct Value {
  std::string name, text, rate;
  ValueUnits units;
};

class ActingWriter {
 public:
  explicit ActingWriter(ModelParts& parts) : p_(parts) {}

  void write() {
    for (const Joint& j : p_.robot.joints) joint(j);
    for (const Link& l : p_.robot.links) lift(l);
    for (const Tendon& t : p_.robot.tendons) tendon(t);
    for (const Coupling& c : p_.robot.couplings) coupling(c);
    write_actuators(p_);
  }

 private:
  static std::string number(double x, const std::string& unit) { return text::number(x) + unit; }
  std::string taken(const std::string& stem, const std::string& what, const char* suffix) {
    return p_.names.take(stem + what, suffix);
  }

  // ---- joints

  void joint(const Joint& j) {
    if (j.kind == Joint::Kind::ball) return ball(j);
    if (j.kind == Joint::Kind::floating) return floating(j);
    if (!has_one_coordinate(j)) return;
    const Value v{p_.joints.at(j.name), p_.value_of(j), p_.joints.at(j.name) + ".rate", units_of(j)};
    if (j.mimic) mimic(j, v);
    if (j.effort > 0 && !j.mimic) {
      const std::string input = taken(v.name, "_drive", "_input");
      p_.acting += "/// at most " + number(j.effort, v.units.length ? " N" : " N*m") + "\ninput " + input +
                   v.units.load() + " = 0\nload " + taken(v.name, "_motor", "_load") + " on " + v.text + ": " + input +
                   "\n";
      p_.remark(j.place, "the limit of effort, which the text only names");
    }
    damping(v, j.damping);
    spring(v, j.stiffness, v.text + less(j.spring_at, v.units.value()), j.place);
    if (j.armature > 0)
      p_.acting += "kinetic " + taken(v.name, "_armature", "_energy") + ": 0.5*" +
                   number(j.armature, v.units.inertia()) + "*" + v.text + "'^2\n";
    friction(v, j.friction);
    if (j.mimic && j.lower)
      p_.remark(j.place, "the limits of a joint that follows another");
    else
      limits(v, j.lower, j.upper);
  }

  // " - 2 [m]"
  static std::string less(double x, const std::string& unit) {
    if (x == 0) return "";
    return (x > 0 ? " - " : " + ") + number(std::fabs(x), unit);
  }

  void damping(const Value& v, const ForceLaw& law) {
    if (!acts(law)) return;
    std::string sum = law[0] == 0 ? "" : number(law[0], v.units.load_by(0, 1)) + "*" + v.rate;
    if (law[1] != 0 || law[2] != 0) {
      const auto add = [&](double c, int power, const std::string& factors) {
        if (c != 0) sum += (sum.empty() ? "" : " + ") + number(c, v.units.load_by(0, power)) + "*" + factors;
      };
      add(law[1], 2, v.rate + "*abs(" + v.rate + ")");
      add(law[2], 3, v.rate + "^3");
      sum = "(" + sum + ")";
    }
    load(v, "_damping", "-" + sum);
  }

  // The potential of the force -(a x + b x^2 + c x^3).
  void spring(const Value& v, const ForceLaw& law, const std::string& stretch, const FilePlace&) {
    if (!acts(law)) return;
    const std::string x = stretch == v.text ? stretch : "(" + stretch + ")";
    std::string sum;
    for (int k = 0; k < 3; ++k)
      if (const double c = law[static_cast<std::size_t>(k)]; c != 0)
        sum += (sum.empty() ? "" : " + ") + number(c / (k + 2), v.units.load_by(k + 1, 0)) + "*" + x + "^" +
               std::to_string(k + 2);
    p_.acting += "potential " + taken(v.name, "_spring", "_energy") + ": " + sum + "\n";
  }

  void friction(const Value& v, double most) {
    if (most <= 0) return;
    p_.acting += "JointFriction " + taken(v.name, "_friction", "_part") + "(" + v.rate +
                 ", torque = " + number(most, v.units.load()) + ")\n";
    p_.contact = true;
  }

  void limits(const Value& v, const std::optional<double>& lower, const std::optional<double>& upper) {
    const auto tendon = tendons_.find(v.name);
    if (lower && *lower <= 0 && tendon != tendons_.end() && tendon->second->joints.empty())
      return limits(v, std::nullopt, upper);  // no length is below zero
    const auto bound = [&](double x) { return v.units.length ? number(x, " [m]") : angle_text(x); };
    if (lower.has_value() != upper.has_value())
      p_.acting += "constraint " + taken(v.name, "_limit", "_row") + ": " + v.text + (lower ? " >= " : " <= ") +
                   bound(lower ? *lower : *upper) + "\n";
    if (!lower || !upper) return;
    p_.acting += "Limits " + taken(v.name, "_limits", "_part") + "(" + v.text + ", low = " + bound(*lower) +
                 ", high = " + bound(*upper) + ")\n";
    p_.contact = true;
  }

  // A load on the value of a joint, or on all joints of a tendon.
  void load(const Value& v, const std::string& what, const std::string& size) {
    const auto tendon = tendons_.find(v.name);
    if (tendon == tendons_.end()) {
      p_.acting += "load " + taken(v.name, what, "_load") + " on " + v.text + ": " + size + "\n";
      return;
    }
    const std::string force = taken(v.name, what, "_force");
    p_.acting += "let " + force + " = " + size + "\n";
    p_.acting += tendon_loads(p_, *tendon->second, force);
  }

  // The row of a joint that mimics another: value == factor*other + offset.
  void mimic(const Joint& j, const Value& v) {
    const Joint& other = *p_.joint_named.at(j.mimic->joint);
    if (!has_one_coordinate(other))
      return p_.remark(j.place,
                       "<mimic> of joint `" + printable(j.name) + "`: the other joint has no single coordinate");
    const bool other_slides = units_of(other).length;
    const std::string unit = v.units.length == other_slides ? "" : v.units.length ? " [m]" : " [1/m]";
    std::string right = p_.value_of(other);
    if (j.mimic->factor != 1 || !unit.empty()) right = number(j.mimic->factor, unit) + "*" + right;
    if (j.mimic->offset != 0) right += " + " + number(j.mimic->offset, v.units.value());
    p_.acting += "constraint " + taken(v.name, "_mimic", "_row") + ": " + v.text + " == " + right + "\n";
  }

  // ---- joints without one coordinate

  // The angular velocity of the child against the parent, in space axes.
  std::string turning(const Joint& j) const {
    const std::string &child = p_.links.at(j.child), &parent = p_.links.at(j.parent);
    return parent == "ground" ? child + ".omega_space" : "(" + child + ".omega_space - " + parent + ".omega_space)";
  }

  void ball(const Joint& j) {
    const std::string &name = p_.joints.at(j.name), &child = p_.links.at(j.child), &parent = p_.links.at(j.parent);
    if (acts(j.damping)) {
      if (j.damping[1] != 0 || j.damping[2] != 0) p_.remark(j.place, "damping of a ball joint beyond its linear part");
      if (j.damping[0] != 0)
        p_.acting += "torque " + taken(name, "_damping", "_load") + " on " + child + " from " + parent + ": -" +
                     number(j.damping[0], " [N*m*s]") + "*" + turning(j) + "\n";
    }
    if (acts(j.stiffness)) p_.remark(j.place, "the spring of a ball joint");
    if (j.friction > 0) p_.remark(j.place, "the friction of a ball joint");
    if (j.armature > 0)
      p_.acting += "kinetic " + taken(name, "_armature", "_energy") + ": 0.5*" + number(j.armature, " [kg*m^2]") +
                   "*dot(" + turning(j) + ", " + turning(j) + ")\n";
    if (!j.upper) return;
    // The trace of a rotation is 1 + 2 cos(angle).
    const std::string seat = parent + seat_text({{}, j.pose.turns});
    std::string trace;
    for (const char* axis : {"ex", "ey", "ez"})
      trace += std::string(trace.empty() ? "" : " + ") + "dot(" + seat + ".rot*" + axis + ", " + child + ".rot*" +
               axis + ")";
    p_.acting += "/// The angle of the joint is at most " + text::short_number(*j.upper) + ".\nconstraint " +
                 taken(name, "_limit", "_row") + ": " + trace + " >= 1 + 2*cos(" + angle_text(*j.upper) + ")\n";
  }

  void floating(const Joint& j) {
    const std::string& child = p_.links.at(j.child);
    if (j.armature > 0) {
      p_.acting += "kinetic " + taken(child, "_armature", "_energy") + ": 0.5*" + number(j.armature, " [kg]") +
                   "*dot(" + child + ".vel, " + child + ".vel) + 0.5*" + number(j.armature, " [kg*m^2]") + "*dot(" +
                   child + ".omega, " + child + ".omega)\n";
    }
    if (acts(j.damping)) p_.remark(j.place, "the damping of a free joint");
    if (acts(j.stiffness)) p_.remark(j.place, "the spring of a free joint");
    if (j.friction > 0) p_.remark(j.place, "the friction of a free joint");
  }

  void lift(const Link& l) {
    if (l.gravity_compensation == 0 || l.mass == 0 || is_zero(p_.robot.gravity)) return;
    const std::string& name = p_.links.at(l.name);
    if (name == "ground") return;
    const Triple& g = p_.robot.gravity;
    const bool down = g[0] == 0 && g[1] == 0 && g[2] < 0;
    p_.acting += "force " + taken(name, "_gravcomp", "_force") + " on " + name + ": " + (down ? "" : "-") +
                 text::number(l.gravity_compensation) + "*" + name + ".mass*" +
                 (down ? "(0, 0, " + p_.g + ")" : triple_text(g) + " [m/s^2]") + "\n";
  }

  // ---- tendons and couplings

  void tendon(const Tendon& t) {
    const std::string& name = p_.tendons.at(t.name);
    tendons_[name] = &t;
    const ValueUnits units = units_of_tendon(p_, t);
    p_.acting += ModelParts::doc(t.name, name) + "let " + name + " = " + tendon_length(p_, t) + "\n";
    const Value v{name, name, name + "'", units};
    if (never_changes(t)) {
      if (acts(t.damping) || acts(t.stiffness) || t.friction > 0 || t.lower)
        p_.remark(t.place, "what a tendon does whose length never changes");
      return;
    }
    damping(v, t.damping);
    if (acts(t.stiffness)) {
      if (t.rest.first == t.rest.second) {
        spring(v, t.stiffness, name + less(t.rest.first, units.value()), t.place);
      } else {
        const std::string stretch = taken(name, "_stretch", "_value");
        p_.acting += "let " + stretch + " = max(" + name + less(t.rest.second, units.value()) + ", 0) + min(" + name +
                     less(t.rest.first, units.value()) + ", 0)\n";
        spring({name, stretch, "", units}, t.stiffness, stretch, t.place);
      }
    }
    if (t.armature > 0)
      p_.acting += "kinetic " + taken(name, "_armature", "_energy") + ": 0.5*" + number(t.armature, units.inertia()) +
                   "*" + name + "'^2\n";
    friction(v, t.friction);
    limits(v, t.lower, t.upper);
  }

  [[nodiscard]] bool never_changes(const Tendon& t) const {
    const auto stays = [this](const std::string& name) {
      const auto at =
          std::find_if(p_.robot.sites.begin(), p_.robot.sites.end(), [&](const Site& s) { return s.name == name; });
      return at != p_.robot.sites.end() && never_moves(at->link);
    };
    return std::all_of(t.joints.begin(), t.joints.end(), [](const auto& joint) { return joint.second == 0; }) &&
           std::all_of(t.paths.begin(), t.paths.end(), [&](const Tendon::Path& path) {
             return std::all_of(path.sites.begin(), path.sites.end(), stays);
           });
  }

  // Returns whether fixed joints alone lead from a link to the ground.
  [[nodiscard]] bool never_moves(const std::string& link) const {
    if (p_.links.at(link) == "ground") return true;
    const auto at =
        std::find_if(p_.robot.joints.begin(), p_.robot.joints.end(), [&](const Joint& j) { return j.child == link; });
    return at != p_.robot.joints.end() && at->kind == Joint::Kind::fixed && never_moves(at->parent);
  }

  void coupling(const Coupling& c) {
    const bool bodies = c.kind == Coupling::Kind::connect || c.kind == Coupling::Kind::weld;
    if (bodies && never_moves(c.first) && never_moves(c.second))
      return p_.remark(c.place, "the row `" + printable(c.name) + "` between bodies that never move");
    const std::string name = p_.names.take(c.name, "_row");
    p_.acting += ModelParts::doc(c.name, name);
    if (c.kind == Coupling::Kind::joints || c.kind == Coupling::Kind::tendons) {
      polynomial(c, name);
    } else {
      const std::string a = p_.links.at(c.first) + seat_text(c.at_first),
                        b = p_.links.at(c.second) + seat_text(c.at_second);
      p_.acting += "constraint " + name + ": " + a + ".pos == " + b + ".pos\n";
      if (c.kind == Coupling::Kind::weld) {
        const std::string turn = taken(name, "_turn", "_row");
        p_.acting += "Orientation " + turn + "(" + a + ", " + b + ")\n";
        p_.uses_joints = true;
        if (!c.active) p_.disabled += "  disable " + turn + "\n";
      }
    }
    if (!c.active) p_.disabled += "  disable " + name + "\n";
  }

  void polynomial(const Coupling& c, const std::string& name) {
    const bool joints = c.kind == Coupling::Kind::joints;
    const auto value = [&](const std::string& of) {
      return joints ? p_.value_of(*p_.joint_named.at(of)) : p_.tendons.at(of);
    };
    const auto units = [&](const std::string& of) {
      return joints ? units_of(*p_.joint_named.at(of)) : units_of_tendon(p_, *tendons_.at(p_.tendons.at(of)));
    };
    const bool y_length = units(c.first).length;
    std::string right;
    double constant = c.polynomial[0] + c.reference_first;
    if (!c.second.empty()) {
      const bool x_length = units(c.second).length;
      std::string x = value(c.second);
      if (c.reference_second != 0) x = "(" + x + less(c.reference_second, units(c.second).value()) + ")";
      for (int k = 1; k < 5; ++k) {
        const double factor = c.polynomial[static_cast<std::size_t>(k)];
        if (factor == 0) continue;
        const int metres = (y_length ? 1 : 0) - (x_length ? k : 0);
        const std::string unit = metres == 0    ? ""
                                 : metres == 1  ? " [m]"
                                 : metres == -1 ? " [1/m]"
                                                : " [1/m^" + std::to_string(-metres) + "]";
        const std::string times = factor == 1 && unit.empty() ? "" : number(factor, unit) + "*";
        right += (right.empty() ? "" : " + ") + times + x + (k == 1 ? "" : "^" + std::to_string(k));
      }
    }
    if (right.empty())
      right = number(constant, y_length ? " [m]" : "");
    else if (constant != 0)
      right += " + " + number(constant, y_length ? " [m]" : "");
    p_.acting += "constraint " + name + ": " + value(c.first) + " == " + right + "\n";
  }

  ModelParts& p_;
  std::map<std::string, const Tendon*> tendons_;  // by their names in the model
};

// Zero, the middle of limits that do not hold it, or what the joint that this one mimics makes of it.
double start_of(const ModelParts& p, const Joint& j) {
  if (const auto given = p.robot.start.values.find(j.name); given != p.robot.start.values.end()) return given->second;
  if (j.mimic && has_one_coordinate(*p.joint_named.at(j.mimic->joint)))
    return j.mimic->factor * start_of(p, *p.joint_named.at(j.mimic->joint)) + j.mimic->offset;
  const double low = j.lower.value_or(-HUGE_VAL), high = j.upper.value_or(HUGE_VAL);
  if (low <= j.reference && high >= j.reference) return j.reference;
  return !j.upper ? low : !j.lower ? high : (low + high) / 2;
}

bool moved(const ModelParts& p) {
  return std::any_of(p.robot.joints.begin(), p.robot.joints.end(),
                     [&](const Joint& j) { return has_one_coordinate(j) && start_of(p, j) != j.reference; });
}

}  // namespace

void write_acting(ModelParts& parts) { ActingWriter(parts).write(); }

bool moves_loops(const ModelParts& p) {
  return moved(p) && std::any_of(p.robot.joints.begin(), p.robot.joints.end(),
                                 [](const Joint& j) { return j.role == Joint::Role::closes; });
}

// Values that rows may not allow are wishes.
void write_start(ModelParts& p) {
  const Start& start = p.robot.start;
  const bool rows = !p.robot.couplings.empty() || moves_loops(p);
  const std::string is = rows ? " ~ " : " = ";
  std::string lines;
  bool carriers = false;
  for (const Link& l : p.robot.links) carriers = carriers || l.carrier;
  const bool any_moved = moved(p);
  for (const Joint& j : p.robot.joints) {
    if (!has_one_coordinate(j)) continue;
    const double value = start_of(p, j);
    const bool drawn = value == j.reference && (units_of(j).length || std::fabs(value) <= 3.14159);
    if (!drawn || (any_moved && carriers))
      lines += "  " + p.value_of(j) + is + text::number(value) + units_of(j).value() + "\n";
    if (!drawn && j.kind == Joint::Kind::screw)  // the thread is a row of velocities
      lines += "  " + p.joints.at(j.name) + ".displacement" + is +
               text::number(j.lead / (2 * std::numbers::pi) * (value - j.reference)) + " [m]\n";
    if (const auto rate = start.rates.find(j.name); rate != start.rates.end() && rate->second != 0)
      lines += "  " + p.joints.at(j.name) + ".rate" + is + text::number(rate->second) + units_of(j).rate() + "\n";
  }
  const auto triples = [&](const std::map<std::string, Triple>& list, const char* member, const char* unit) {
    for (const auto& [link, v] : list) lines += "  " + p.links.at(link) + member + is + triple_text(v) + unit + "\n";
  };
  triples(start.places, ".pos", " [m]");
  for (const auto& [link, q] : start.rotations)
    lines += "  " + p.links.at(link) + ".quat" + is + "(" + text::number(q[0]) + ", " + text::number(q[1]) + ", " +
             text::number(q[2]) + ", " + text::number(q[3]) + ")\n";
  triples(start.velocities, ".vel", " [m/s]");
  triples(start.spins, ".omega", " [rad/s]");
  lines += p.disabled;
  if (lines.empty()) return;
  p.start = start.keyframe.empty() ? "// not at zero: the middle of limits that do not hold it, and couplings\n"
                                   : "// the keyframe `" + printable(start.keyframe) + "`\n";
  p.start += "init {\n" + lines + "}\n";
}

}  // namespace mbc::tools
