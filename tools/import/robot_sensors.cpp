// SPDX-License-Identifier: Apache-2.0
// Sensors of a robot as outputs.
#include <algorithm>
#include <optional>

#include "base/numbers.h"
#include "tools/import/robot_parts.h"

namespace mbc::tools {
namespace {

class SensorWriter {
 public:
  explicit SensorWriter(ModelParts& parts) : p_(parts) {}

  void write() {
    for (const Sensor& s : p_.robot.sensors) {
      const std::optional<std::string> value = value_of(s);
      if (!value) {
        p_.remark(s.place, "the sensor <" + printable(s.what) + ">" +
                               (s.kind.empty() ? "" : " of a " + printable(s.kind)) +
                               (s.reference.empty() ? "" : " seen from another frame"));
        continue;
      }
      const std::string name = p_.names.take(s.name, "_sensor");
      p_.outputs += ModelParts::doc(s.name, name) + "output " + name + " = " + *value + "\n";
    }
  }

 private:
  std::optional<std::string> value_of(const Sensor& s) const {
    const std::string& what = s.what;
    if (what == "clock") return "t";
    if (what == "e_potential") return "energy.potential";
    if (what == "e_kinetic") return "energy.kinetic";
    if (const auto j = p_.joint_named.find(s.object); j != p_.joint_named.end()) {
      if (what == "jointpos" && has_one_coordinate(*j->second)) return p_.value_of(*j->second);
      if (what == "jointvel" && has_one_coordinate(*j->second)) return p_.joints.at(s.object) + ".rate";
      if (what == "ballangvel" && j->second->kind == Joint::Kind::ball) return turning(*j->second);
    }
    if (what == "tendonpos") return p_.tendons.at(s.object);
    if (what == "tendonvel") return p_.tendons.at(s.object) + "'";
    if (what == "actuatorfrc") return p_.forces.at(s.object);
    if (what == "actuatorpos" || what == "actuatorvel") return of_actuator(s);
    return of_frame(s);
  }

  // The angular velocity of a ball joint in the axes of the child.
  [[nodiscard]] std::string turning(const Joint& j) const {
    const std::string &child = p_.links.at(j.child), &parent = p_.links.at(j.parent);
    return parent == "ground" ? child + ".omega"
                              : "transpose(" + child + ".rot)*(" + child + ".omega_space - " + parent + ".omega_space)";
  }

  [[nodiscard]] std::optional<std::string> of_actuator(const Sensor& s) const {
    const auto a = std::find_if(p_.robot.actuators.begin(), p_.robot.actuators.end(),
                                [&](const Actuator& k) { return k.name == s.object; });
    if (a == p_.robot.actuators.end() || a->target == Actuator::Target::site) return {};
    const bool rate = s.what == "actuatorvel";
    const std::string gear = a->gear[0] == 1 ? "" : text::number(a->gear[0]) + "*";
    if (a->target == Actuator::Target::tendon) return gear + p_.tendons.at(a->on) + (rate ? "'" : "");
    const Joint& j = *p_.joint_named.at(a->on);
    if (!has_one_coordinate(j)) return {};
    return gear + (rate ? p_.joints.at(j.name) + ".rate" : p_.value_of(j));
  }

  // The frame of a body is that of its mass centre, with axes of its own; `xbody` is the frame of the file.
  [[nodiscard]] std::string frame(const std::string& kind, const std::string& object) const {
    if (kind == "site") return p_.sites.at(object);
    if (kind == "xbody") return p_.links.at(object);
    return "";
  }

  [[nodiscard]] std::optional<std::string> of_frame(const Sensor& s) const {
    const std::string& what = s.what;
    if (s.kind == "body" && what == "framepos" && s.reference.empty()) {
      const auto link =
          std::find_if(p_.robot.links.begin(), p_.robot.links.end(), [&](const Link& l) { return l.name == s.object; });
      if (link->mass > 0 && p_.links.at(s.object) != "ground") return p_.links.at(s.object) + ".com";
      return {};
    }
    const std::string f = frame(s.kind, s.object);
    if (f.empty()) return {};
    if (!s.reference.empty()) {
      const std::string from = frame(s.reference_kind, s.reference);
      if (what != "framepos" || from.empty()) return {};
      return "transpose(" + from + ".rot)*(" + f + ".pos - " + from + ".pos)";
    }
    if (what == "framepos") return f + ".pos";
    if (what == "framexaxis") return f + ".rot*ex";
    if (what == "frameyaxis") return f + ".rot*ey";
    if (what == "framezaxis") return f + ".rot*ez";
    if (what == "framelinvel") return f + ".vel";
    if (what == "frameangvel") return f + ".omega_space";
    if (what == "framelinacc") return f + ".acc" + less_gravity();
    if (what == "frameangacc") return f + ".rot*" + f + ".alpha";
    if (what == "gyro") return f + ".omega";
    if (what == "velocimeter") return "transpose(" + f + ".rot)*" + f + ".vel";
    if (what == "accelerometer") return "transpose(" + f + ".rot)*(" + f + ".acc" + less_gravity() + ")";
    return {};
  }

  [[nodiscard]] std::string less_gravity() const {
    const Triple& g = p_.robot.gravity;
    if (is_zero(g)) return "";
    if (g[0] == 0 && g[1] == 0 && g[2] < 0) return " + (0, 0, " + p_.g + ")";
    return " - " + triple_text(g) + " [m/s^2]";
  }

  ModelParts& p_;
};

}  // namespace

void write_sensors(ModelParts& parts) { SensorWriter(parts).write(); }

}  // namespace mbc::tools
