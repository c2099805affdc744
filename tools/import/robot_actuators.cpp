// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_actuators.h"

#include <algorithm>
#include <cmath>

#include "base/numbers.h"

namespace mbc::tools {
namespace {

// The factor of a joint in a tendon, with its unit.
std::string factor_text(const ModelParts& p, const Tendon& t, const Joint& j, double factor) {
  const bool lever = units_of_tendon(p, t).length && !units_of(j).length;
  return factor == 1 && !lever ? "" : text::number(factor) + (lever ? " [m]" : "") + "*";
}

class ActuatorWriter {
 public:
  explicit ActuatorWriter(ModelParts& parts) : p_(parts) {}

  void write() {
    for (const Actuator& a : p_.robot.actuators)
      if (!a.idle) actuator(a);
    for (const Tendon& t : p_.robot.tendons)
      if (t.drive_range) drive(t, *t.drive_range);
    for (const Joint& j : p_.robot.joints)
      if (j.drive_range) drive(j, *j.drive_range);
  }

 private:
  struct Driven {  // what an actuator acts on: its length and rate, without the gear, and whether it is one value
    std::string length, rate;
    ValueUnits units;
    bool is_value = false;
  };

  Driven driven_by(const Actuator& a) const {
    if (a.target == Actuator::Target::tendon) {
      const Tendon& t = tendon(a.on);
      return {p_.tendons.at(a.on), p_.tendons.at(a.on) + "'", units_of_tendon(p_, t), true};
    }
    if (a.target == Actuator::Target::joint && has_one_coordinate(*p_.joint_named.at(a.on))) {
      const Joint& j = *p_.joint_named.at(a.on);
      return {p_.value_of(j), p_.joints.at(j.name) + ".rate", units_of(j), true};
    }
    return {};
  }
  const Tendon& tendon(const std::string& name) const {
    return *std::find_if(p_.robot.tendons.begin(), p_.robot.tendons.end(),
                         [&](const Tendon& t) { return t.name == name; });
  }

  // The unit of the control: that of what it sets.
  static std::string unit_of_control(const Actuator& a, const Driven& d) {
    if (a.state == Actuator::State::integrator) return "";
    const bool fixed = a.gain[1] == 0 && a.gain[2] == 0;
    if (!d.is_value || !fixed) return "";
    if (a.bias[1] != 0 && a.bias[1] == -a.gain[0]) return d.units.value();
    if (a.bias[1] == 0 && a.bias[2] != 0 && a.bias[2] == -a.gain[0]) return d.units.rate();
    if (a.bias[0] == 0 && a.bias[1] == 0 && a.bias[2] == 0 && a.gain[0] == 1) return d.units.load();
    return "";
  }

  static std::string geared(double gear, const std::string& what) {
    return gear == 1 ? what : text::number(gear) + "*" + what;
  }

  void actuator(const Actuator& a) {
    const std::string& name = p_.actuators.at(a.name);
    const Driven d = driven_by(a);
    const std::string unit = unit_of_control(a, d);
    const auto initial = [&](const std::map<std::string, double>& list) {
      const auto given = list.find(a.name);
      return given == list.end() ? 0.0 : given->second;
    };
    p_.acting += ModelParts::doc(a.name, name);
    if (a.control)
      p_.acting +=
          "/// from " + text::number(a.control->first) + " to " + text::number(a.control->second) + unit + "\n";
    p_.acting += "input " + name + unit + " = " + text::number(initial(p_.robot.start.controls)) + "\n";
    std::string u = a.control ? clamped(name, *a.control, unit) : name;
    if (a.state != Actuator::State::none) {
      const std::string state = p_.names.take(name + "_state", "_value");
      const std::string value = text::number(initial(p_.robot.start.states)) + unit;
      const std::string rate = a.state == Actuator::State::integrator
                                   ? u + "/(1 [s])"
                                   : "(" + u + " - " + state + ")/(" + text::number(a.time_constant) + " [s])";
      p_.acting += "state " + state + " = " + value + " where " + state + "' = " + rate + "\n";
      u = state;
    }
    std::string force = force_text(a, d, u, unit);
    if (a.force) force = clamped(force, *a.force, d.is_value ? d.units.load() : "");
    const std::string value = p_.names.take(name + "_force", "_value");
    p_.acting += "let " + value + " = " + force + "\n";
    p_.forces[a.name] = value;
    act(a, name, value);
  }

  std::string clamped(const std::string& what, const Range& range, const std::string& unit) {
    p_.math = true;
    return "saturate(" + what + ", " + text::number(range.first) + unit + ", " + text::number(range.second) + unit +
           ")";
  }

  // The gain term and the bias. The control is a pure number, or has the unit that makes the gain a stiffness, a
  // damping or 1.
  std::string force_text(const Actuator& a, const Driven& d, const std::string& u, const std::string& unit) const {
    const std::string load = d.is_value ? d.units.load() : "";
    const std::string per_length = d.units.load_by(1, 0), per_rate = d.units.load_by(0, 1);
    const std::string length = geared(a.gear[0], d.length), rate = geared(a.gear[0], d.rate);
    std::string sum;
    const auto add = [&](double factor, const std::string& of, const std::string& factors) {
      if (factor == 0) return;
      const std::string times = factor == 1 && of.empty() ? "" : text::number(std::fabs(factor)) + of + "*";
      sum += (sum.empty() ? (factor < 0 ? "-" : "") : (factor < 0 ? " - " : " + ")) + times + factors;
    };
    if (!unit.empty() && unit == d.units.value())
      add(a.gain[0], per_length, u);
    else if (!unit.empty() && unit == d.units.rate())
      add(a.gain[0], per_rate, u);
    else if (unit.empty() || unit != d.units.load())
      add(a.gain[0], load, u);
    else
      sum = u;
    if (d.is_value) {
      add(a.gain[1], per_length, length + "*" + u);
      add(a.gain[2], per_rate, rate + "*" + u);
      add(a.bias[1], per_length, length);
      add(a.bias[2], per_rate, rate);
    }
    if (a.bias[0] != 0)
      sum += (sum.empty() ? (a.bias[0] < 0 ? "-" : "") : (a.bias[0] < 0 ? " - " : " + ")) +
             text::number(std::fabs(a.bias[0])) + load;
    return sum.empty() ? "0" + load : sum;
  }

  void act(const Actuator& a, const std::string& name, const std::string& force) {
    if (a.target == Actuator::Target::site) return at_site(a, name, force);
    if (a.target == Actuator::Target::tendon) {
      const Tendon& t = tendon(a.on);
      if (t.drive_range) return add_to(tendon_sums_[t.name], geared(a.gear[0], force));
      return pull(t, geared(a.gear[0], force));
    }
    const Joint& j = *p_.joint_named.at(a.on);
    if (!has_one_coordinate(j)) return turn(a, j, name, force);
    if (j.drive_range) return add_to(joint_sums_[j.name], geared(a.gear[0], force));
    p_.acting += "load " + p_.names.take(name + "_load", "_load") + " on " + p_.value_of(j) + ": " +
                 geared(a.gear[0], force) + "\n";
  }

  static void add_to(std::string& sum, const std::string& load) { sum += (sum.empty() ? "" : " + ") + load; }

  // Loads along a tendon. The range of a joint holds for all that its actuators do, over tendons too.
  void pull(const Tendon& t, const std::string& force) {
    Tendon rest = t;
    std::erase_if(rest.joints, [&](const auto& term) {
      const Joint& j = *p_.joint_named.at(term.first);
      if (!j.drive_range) return false;
      const std::string times = factor_text(p_, t, j, std::fabs(term.second)) + force;
      add_to(joint_sums_[j.name], term.second < 0 ? "(-" + times + ")" : times);
      return true;
    });
    if (!t.paths.empty()) note_ranges("tendons");
    p_.acting += tendon_loads(p_, rest, force);
  }
  void note_ranges(const std::string& what) {
    for (const Joint& j : p_.robot.joints)
      if (j.drive_range)
        p_.remark(j.place, "`actuatorfrcrange` of a joint for what actuators of " + what + " do to it");
  }

  // The sum of what acts on one joint or tendon, within its range.
  void drive(const Joint& j, const Range& range) {
    const auto sum = joint_sums_.find(j.name);
    if (sum == joint_sums_.end()) return;
    p_.acting += "load " + p_.names.take(p_.joints.at(j.name) + "_drive", "_load") + " on " + p_.value_of(j) + ": " +
                 clamped(sum->second, range, units_of(j).load()) + "\n";
  }
  void drive(const Tendon& t, const Range& range) {
    const auto sum = tendon_sums_.find(t.name);
    if (sum == tendon_sums_.end()) return;
    const std::string value = p_.names.take(p_.tendons.at(t.name) + "_drive", "_value");
    p_.acting += "let " + value + " = " + clamped(sum->second, range, units_of_tendon(p_, t).load()) + "\n";
    pull(t, value);
  }

  static Triple part(const Actuator& a, std::size_t from) { return {a.gear[from], a.gear[from + 1], a.gear[from + 2]}; }

  // Force and moment in the axes of a site.
  void at_site(const Actuator& a, const std::string& name, const std::string& force) {
    note_ranges("sites");
    const std::string& site = p_.sites.at(a.on);
    if (const Triple axis = part(a, 0); !is_zero(axis))
      p_.acting += "force " + p_.names.take(name + "_push", "_load") + " on " + site + ": " + force + "*(" + site +
                   ".rot*" + triple_text(axis) + ") [N]\n";
    if (const Triple axis = part(a, 3); !is_zero(axis))
      p_.acting += "torque " + p_.names.take(name + "_turn", "_load") + " on " + site + ": " + force + "*(" + site +
                   ".rot*" + triple_text(axis) + ") [N*m]\n";
  }

  // A ball joint turns about an axis of the child or of its parent; a free joint is also pushed along one of space.
  void turn(const Actuator& a, const Joint& j, const std::string& name, const std::string& force) {
    const std::string &child = p_.links.at(j.child), &parent = p_.links.at(j.parent);
    const bool free = j.kind == Joint::Kind::floating;
    const Triple axis = part(a, free ? 3 : 0);
    if (free && !is_zero(part(a, 0))) {
      const std::string frame = p_.names.take(child + "_origin", "_frame");
      p_.acting += "frame " + frame + " on " + child + "\nforce " + p_.names.take(name + "_push", "_load") + " on " +
                   frame + ": " + force + "*" + triple_text(part(a, 0)) + " [N]\n";
    }
    if (is_zero(axis)) return;
    const std::string axes =
        a.in_parent ? parent + seat_text({{}, free ? std::vector<AxisTurn>{} : j.pose.turns}) : child;
    p_.acting += "torque " + p_.names.take(name + "_turn", "_load") + " on " + child + (free ? "" : " from " + parent) +
                 ": " + force + "*(" + axes + ".rot*" + triple_text(axis) + ") [N*m]\n";
  }

  ModelParts& p_;
  std::map<std::string, std::string> joint_sums_, tendon_sums_;  // of loads, where the sum has a range
};

}  // namespace

ValueUnits units_of_tendon(const ModelParts& p, const Tendon& t) {
  return {!t.paths.empty() || std::any_of(t.joints.begin(), t.joints.end(), [&](const auto& term) {
    return units_of(*p.joint_named.at(term.first)).length;
  })};
}

std::string tendon_length(const ModelParts& p, const Tendon& t) {
  std::string sum;
  for (const auto& [name, factor] : t.joints) {
    const Joint& j = *p.joint_named.at(name);
    sum += (sum.empty()  ? (factor < 0 ? "-" : "")
            : factor < 0 ? " - "
                         : " + ") +
           factor_text(p, t, j, std::fabs(factor)) + p.value_of(j);
  }
  for (const Tendon::Path& path : t.paths)
    for (std::size_t k = 1; k < path.sites.size(); ++k)
      sum += (sum.empty() ? "" : " + ") + ("dist(" + p.sites.at(path.sites[k - 1])) + ", " + p.sites.at(path.sites[k]) +
             ")" + (path.divisor == 1 ? "" : "/" + text::number(path.divisor));
  return sum.empty() ? "0" : sum;
}

std::string tendon_loads(ModelParts& p, const Tendon& t, const std::string& force) {
  std::string out;
  for (const auto& [name, factor] : t.joints) {
    const Joint& j = *p.joint_named.at(name);
    out += "load " + p.names.take(p.tendons.at(t.name) + "_" + p.joints.at(name), "_load") + " on " + p.value_of(j) +
           ": " + (factor < 0 ? "-" : "") + factor_text(p, t, j, std::fabs(factor)) + force + "\n";
  }
  const auto on_ground = [&](const std::string& site) {
    return std::any_of(p.robot.sites.begin(), p.robot.sites.end(),
                       [&](const Site& s) { return s.name == site && p.links.at(s.link) == "ground"; });
  };
  for (const Tendon::Path& path : t.paths)
    for (std::size_t k = 1; k < path.sites.size(); ++k) {
      const std::string &a = p.sites.at(path.sites[k - 1]), &b = p.sites.at(path.sites[k]);
      const bool a_stays = on_ground(path.sites[k - 1]), b_stays = on_ground(path.sites[k]);
      if (a_stays && b_stays) continue;
      const std::string along = "unit(" + (b_stays ? a + ".pos - " + b : b + ".pos - " + a) + ".pos)";
      out += "force " + p.names.take(p.tendons.at(t.name) + "_pull", "_load") + " on " + (b_stays ? a : b) +
             (a_stays || b_stays ? "" : " from " + a) + ": " + force +
             (path.divisor == 1 ? "" : "/" + text::number(path.divisor)) + "*" + along + "\n";
    }
  return out;
}

void write_actuators(ModelParts& p) { ActuatorWriter(p).write(); }

}  // namespace mbc::tools
