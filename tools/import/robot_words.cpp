// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_words.h"

#include <numbers>

#include "base/numbers.h"

namespace mbc::tools {

bool is_zero(const Triple& v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

std::string triple_text(const Triple& v) {
  return "(" + text::number(v[0]) + ", " + text::number(v[1]) + ", " + text::number(v[2]) + ")";
}

std::string angle_text(double angle) {
  for (const int n : {1, 2, 3, 4, 6})
    for (const int sign : {1, -1})
      if (angle == sign * std::numbers::pi / n)
        return (sign < 0 ? "-pi" : "pi") + (n == 1 ? std::string() : "/" + std::to_string(n));
  return text::number(angle);
}

std::string axis_text(const Triple& axis) {
  static constexpr const char* kNames[] = {"ex", "ey", "ez"};
  for (std::size_t k = 0; k < 3; ++k)
    if (axis[k] == 1 && axis[(k + 1) % 3] == 0 && axis[(k + 2) % 3] == 0) return kNames[k];
  return triple_text(axis);
}

std::string rotation_text(const std::vector<AxisTurn>& turns) {
  std::string out;
  for (const AxisTurn& t : turns) {
    const std::string axis = axis_text(t.axis), angle = angle_text(t.angle);
    out += (out.empty() ? "" : "*") +
           (axis.size() == 2 ? "rot" + axis.substr(1) + "(" + angle + ")" : "rot(" + axis + ", " + angle + ")");
  }
  return out;
}

std::string pose_text(const Pose& pose) {
  const std::string turn = rotation_text(pose.turns);
  return (is_zero(pose.xyz) ? "" : " at " + triple_text(pose.xyz) + " [m]") + (turn.empty() ? "" : " rotated " + turn);
}

std::string seat_text(const Pose& pose) {
  const std::string turn = rotation_text(pose.turns);
  if (is_zero(pose.xyz) && turn.empty()) return "";
  return ".at(" + triple_text(pose.xyz) + " [m]" + (turn.empty() ? "" : ", " + turn) + ")";
}

std::string ValueUnits::load_by(int values, int rates) const {
  const auto power = [](const char* unit, int n) {
    return n == 0 ? std::string() : n == 1 ? unit : unit + ("^" + std::to_string(n));
  };
  const std::string times = power("s", rates), by = length ? power("m", values + rates) : "";
  return std::string(length ? " [N" : " [N*m") + (times.empty() ? "" : "*" + times) + (by.empty() ? "" : "/" + by) +
         "]";
}

bool has_one_coordinate(const Joint& j) {
  return j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::continuous || j.kind == Joint::Kind::prismatic ||
         j.kind == Joint::Kind::screw;
}

std::string coordinate_of(const Joint& j) { return j.kind == Joint::Kind::prismatic ? ".displacement" : ".angle"; }

}  // namespace mbc::tools
