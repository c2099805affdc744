// SPDX-License-Identifier: Apache-2.0
// Actuators of an MJCF file. All are one general kind: shortcuts set its gain and bias.
#include <algorithm>
#include <cmath>

#include "tools/import/mjcf_sections.h"
#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

const std::map<std::string, const char*> kRefusedActuators = {
    {"muscle", "muscles are not taken over"},
    {"adhesion", "adhesion is not taken over"},
    {"plugin", "plugins are code of MuJoCo"},
};

class ActuatorReader {
 public:
  ActuatorReader(MjcfFile& file, Robot& robot, const MjcfFlags& flags)
      : file_(file), robot_(robot), flags_(flags), inertias_(inertias_of_joints(robot)) {}

  void read(Node node) {
    const std::string tag = node.name();
    if (const auto why = kRefusedActuators.find(tag); why != kRefusedActuators.end())
      return file_.xml().fail(node, why->second);
    static const std::set<std::string> kReadKinds = {"general",  "motor",       "position",
                                                     "velocity", "intvelocity", "damper"};
    if (!kReadKinds.contains(tag))
      return file_.xml().fail(node, "actuators <" + printable(tag) + "> are not taken over");
    file_.rest(node, tag);
    const MjcfElement e = file_.element(node, "general", "");
    made_ = {};
    ratio_ = 0;
    affine_gain_ = affine_bias_ = false;
    made_.idle = switched_off(e);
    made_.place = file_.xml().place_of(node);
    made_.name = node.attribute("name") ? node.attribute("name").value() : file_.fresh(tag);
    for (const Actuator& other : robot_.actuators)
      if (other.name == made_.name) file_.xml().fail(node, "there are two actuators `" + printable(made_.name) + "`");
    const std::vector<double> gear = file_.list(e, "gear", 1, 6);
    if (!gear.empty()) made_.gear = {};
    std::copy(gear.begin(), gear.end(), made_.gear.begin());
    if (!target(e)) return;
    for (auto d = e.defaults.rbegin(); d != e.defaults.rend(); ++d) law(*d);
    law(node);
    if (file_.xml().failed()) return;
    if (!affine_gain_) made_.gain = {made_.gain[0], 0, 0};
    if (!affine_bias_) made_.bias = {};
    // Damping that drives, in a law of position, is MuJoCo's damping ratio.
    if (ratio_ == 0 && made_.gain[0] == -made_.bias[1] && made_.bias[2] > 0) ratio_ = made_.bias[2];
    if (ratio_ > 0 && made_.target == Actuator::Target::tendon && !tendon_named(robot_, made_.on)->paths.empty())
      return file_.xml().fail(node, "`dampratio` of a spatial tendon is not taken over: give `kv`");
    if (ratio_ > 0) made_.bias[2] = -2 * ratio_ * std::sqrt(made_.gain[0] * moved_mass());
    made_.force = file_.range(e, "forcerange", "forcelimited");
    made_.control = control_range(e);
    if (made_.control && !flags_.clamp_controls) made_.control.reset();
    passive(e);
    if (!file_.xml().failed()) robot_.actuators.push_back(made_);
  }

 private:
  bool switched_off(const MjcfElement& e) {
    const auto group = static_cast<int>(file_.number(e, "group", 0));
    const bool off = !flags_.actuation ||
                     std::find(flags_.groups_off.begin(), flags_.groups_off.end(), group) != flags_.groups_off.end();
    if (off) file_.xml().leave_out(e.node, "actuators that <option> switches off");
    return off;
  }

  bool target(const MjcfElement& e) {
    for (const char* other : {"body", "cranksite", "slidersite", "refsite"})
      if (e.has(other)) {
        file_.xml().fail(e.node, std::string("an actuator with `") + other + "` is not taken over");
        return false;
      }
    if (e.has("tendon")) {
      made_.target = Actuator::Target::tendon;
      made_.on = e.text("tendon");
      if (tendon_named(robot_, made_.on) != nullptr) return true;
      file_.xml().fail(e.node, "there is no tendon `" + printable(made_.on) + "`");
    } else if (e.has("site")) {
      made_.target = Actuator::Target::site;
      made_.on = e.text("site");
      for (const Site& s : robot_.sites)
        if (s.name == made_.on) return true;
      file_.xml().fail(e.node, "there is no site `" + printable(made_.on) + "`");
    } else {
      made_.in_parent = e.has("jointinparent");
      made_.on = e.text(made_.in_parent ? "jointinparent" : "joint");
      if (made_.on.empty())
        file_.xml().fail(e.node, "the actuator acts on nothing: `joint`, `tendon` or `site` is wanted");
      else if (joint_named(robot_, made_.on) != nullptr)
        return true;
      else
        file_.xml().fail(e.node, "there is no joint `" + printable(made_.on) + "`");
    }
    return false;
  }

  // Sets what one element says of gain, bias and state; a shortcut sets all of them.
  void law(Node node) {
    const MjcfElement e{node, {}};
    const std::string tag = node.name();
    if (const auto why = kRefusedActuators.find(tag); why != kRefusedActuators.end())
      return file_.xml().fail(node, why->second);
    if (tag == "general") return general(e);
    const double kp = file_.number(e, "kp", made_.gain[0]);
    affine_gain_ = tag == "damper";
    affine_bias_ = tag != "motor" && tag != "damper";
    if (tag == "position" || tag == "intvelocity") return servo(e, kp, tag == "intvelocity");
    const double kv = file_.number(e, "kv", tag == "velocity" ? made_.gain[0] : 1);
    if (tag == "damper" && kv < 0) file_.xml().fail(node, "the `kv` of a damper is not negative");
    made_.gain = tag == "motor" ? Triple{1, 0, 0} : tag == "velocity" ? Triple{kv, 0, 0} : Triple{0, 0, -kv};
    made_.bias = tag == "velocity" ? Triple{0, 0, -kv} : Triple{};
    made_.state = Actuator::State::none;
  }

  void servo(const MjcfElement& e, double kp, bool integrates) {
    if (kp < 0) file_.xml().fail(e.node, "`kp` is negative");
    made_.gain = {kp, 0, 0};
    made_.bias = {made_.bias[0], -kp, made_.bias[2]};  // the rest is that of a default
    made_.state = integrates ? Actuator::State::integrator : Actuator::State::none;
    if (e.has("kv") && e.has("dampratio")) file_.xml().fail(e.node, "`kv` and `dampratio` exclude each other");
    if (e.has("kv")) {
      made_.bias[2] = -file_.number(e, "kv", 0);
      ratio_ = 0;
    }
    if (e.has("dampratio")) ratio_ = file_.number(e, "dampratio", 0);
    if (const double lag = file_.number(e, "timeconst", 0); lag > 0 && !integrates) {
      made_.state = Actuator::State::filter;
      made_.time_constant = lag;
    }
  }

  void general(const MjcfElement& e) {
    static constexpr Actuator::State kStates[] = {Actuator::State::none, Actuator::State::integrator,
                                                  Actuator::State::filter, Actuator::State::filter};
    if (e.has("dyntype"))
      made_.state = kStates[file_.word(e, "dyntype", {"none", "integrator", "filter", "filterexact"}, 0)];
    const std::vector<double> lag = file_.list(e, "dynprm", 1, 10);
    if (!lag.empty()) made_.time_constant = lag[0];
    if (e.has("gaintype")) affine_gain_ = file_.word(e, "gaintype", {"fixed", "affine"}, 0) == 1;
    if (e.has("biastype")) affine_bias_ = file_.word(e, "biastype", {"none", "affine"}, 0) == 1;
    const auto copy = [&](const char* attribute, std::array<double, 3>& to) {
      const std::vector<double> given = file_.list(e, attribute, 1, 10);
      for (std::size_t k = 0; k < std::min<std::size_t>(3, given.size()); ++k) to[k] = given[k];
    };
    copy("gainprm", made_.gain);
    copy("biasprm", made_.bias);
  }

  std::optional<Range> control_range(const MjcfElement& e) {
    if (std::strcmp(e.node.name(), "damper") == 0) {  // limited by its nature
      const std::array<double, 2> r = file_.numbers<2>(e, "ctrlrange", {});
      if (!(r[0] >= 0 && r[0] < r[1])) file_.xml().fail(e.node, "a damper needs a `ctrlrange` from 0 or more upwards");
      return Range{r[0], r[1]};
    }
    const double inherited = file_.number(e, "inheritrange", 0);
    if (inherited <= 0 || e.has("ctrlrange")) return file_.range(e, "ctrlrange", "ctrllimited");
    std::optional<double> lower, upper;
    if (made_.target == Actuator::Target::joint) {
      const Joint& j = *joint_named(robot_, made_.on);
      lower = j.lower, upper = j.upper;
    } else if (made_.target == Actuator::Target::tendon) {
      const Tendon& t = *tendon_named(robot_, made_.on);
      lower = t.lower, upper = t.upper;
    }
    if (!lower || !upper) {
      file_.xml().fail(e.node, "`inheritrange` needs a joint or tendon with a range");
      return {};
    }
    const double middle = (*lower + *upper) / 2, half = inherited * (*upper - *lower) / 2;
    return Range{middle - half, middle + half};
  }

  // The sum over the driven joints of their entry of M, divided by the square of what the actuator's length changes
  // with them.
  [[nodiscard]] double moved_mass() const {
    const double gear = made_.gear[0];
    if (made_.target == Actuator::Target::joint) {
      const auto mass = inertias_.find(made_.on);
      return mass == inertias_.end() || gear == 0 ? 0 : mass->second / (gear * gear);
    }
    double sum = 0;
    if (made_.target == Actuator::Target::tendon)
      for (const auto& [joint, factor] : tendon_named(robot_, made_.on)->joints)
        if (factor * gear != 0) sum += inertias_.at(joint) / (factor * gear * factor * gear);
    return sum;
  }

  // Damping and inertia of an actuator belong to what it drives.
  void passive(const MjcfElement& e) {
    const double gear = made_.gear[0] * made_.gear[0];
    const ForceLaw damping = file_.numbers<3>(e, "damping", {}, 1);
    const double armature = file_.number(e, "armature", 0);
    if (!acts(damping) && armature == 0) return;
    const auto add = [&](auto& part) {
      part.armature += gear * armature;
      for (std::size_t k = 0; k < 3; ++k)
        part.damping[k] += damping[k] * gear * std::pow(std::fabs(made_.gear[0]), static_cast<double>(k));
    };
    for (Joint& j : robot_.joints)
      if (made_.target == Actuator::Target::joint && j.name == made_.on) add(j);
    for (Tendon& t : robot_.tendons)
      if (made_.target == Actuator::Target::tendon && t.name == made_.on) add(t);
  }

  MjcfFile& file_;
  Robot& robot_;
  const MjcfFlags& flags_;
  std::map<std::string, double> inertias_;
  Actuator made_;
  double ratio_ = 0;  // of damping, in place of a number
  bool affine_gain_ = false, affine_bias_ = false;
};

}  // namespace

void read_actuators(MjcfFile& file, Robot& robot, const MjcfFlags& flags) {
  ActuatorReader reader(file, robot, flags);
  for (const Node section : file.sections("actuator"))
    for (const Node node : file.children(section)) {
      if (file.xml().failed()) return;
      reader.read(node);
    }
}

}  // namespace mbc::tools
