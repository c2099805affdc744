// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_model.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <map>
#include <numbers>

#include "base/numbers.h"
#include "base/text.h"
#include "tools/import/robot_names.h"

namespace mbc::tools {
namespace {

bool is_zero(const Triple& v) { return v[0] == 0 && v[1] == 0 && v[2] == 0; }

std::string vector_text(const Triple& v) {
  return "(" + text::number(v[0]) + ", " + text::number(v[1]) + ", " + text::number(v[2]) + ")";
}

// Right angles are written as such: `pi/2` has the bits of the file's 1.5707963267948966.
std::string angle_text(double angle) {
  for (const int n : {1, 2, 3, 4, 6})
    for (const int sign : {1, -1})
      if (angle == sign * std::numbers::pi / n)
        return (sign < 0 ? "-pi" : "pi") + (n == 1 ? std::string() : "/" + std::to_string(n));
  return text::number(angle);
}

// "" for no rotation.
std::string rotation_text(const Triple& rpy) {
  static constexpr const char* kAbout[] = {"rotx", "roty", "rotz"};
  std::string out;
  for (std::size_t k = 3; k-- > 0;)
    if (rpy[k] != 0) out += (out.empty() ? "" : "*") + std::string(kAbout[k]) + "(" + angle_text(rpy[k]) + ")";
  return out;
}

// How a link is referred to, and where it is drawn.
struct Drawn {
  std::string name;         // "ground", a body or a frame
  std::string at, rotated;  // names of its origin and rotation in space, or short expressions; "": none
  std::string at_name, rotated_name;
};

struct JointWords {
  const char *coordinate, *unit, *load_unit, *damping_unit;  // ".angle", ""
};
JointWords words_of(const Joint& j) {
  if (j.kind == Joint::Kind::prismatic) return {"displacement", " [m]", " [N]", " [N*s/m]"};
  return {"angle", "", " [N*m]", " [N*m*s]"};
}

class ModelWriter {
 public:
  ModelWriter(const Robot& robot, const std::string& file, const ImportOptions& options, Remark& problem)
      : robot_(robot), file_(file), options_(options), problem_(problem) {}

  std::optional<ImportedModel> write() {
    out_.remarks = robot_.left_out;
    for (const Joint& j : robot_.joints) {
      joint_to_[j.child] = &j;
      ++children_[j.parent];
    }
    take_names();
    for (const Link& l : robot_.links)
      if (!link(l)) return {};
    for (const Joint& j : robot_.joints) after(j);
    finish();
    return std::move(out_);
  }

 private:
  bool fail(std::uint32_t line, const std::string& text) {
    problem_ = {line, text};
    return false;
  }

  void take_names() {
    const auto take = [&](const std::string& name, const char* suffix) {
      std::string made = names_.take(name, suffix);
      if (made != name) out_.names.emplace_back(name, made);
      return made;
    };
    for (const Link& l : robot_.links) link_names_[l.name] = take(l.name, "_link");
    for (const Joint& j : robot_.joints) joint_names_[j.name] = take(j.name, "_joint");
  }

  // ---- links and what holds them

  bool link(const Link& l) {
    const auto held = joint_to_.find(l.name);
    if (held == joint_to_.end()) return root(l);
    const Joint& j = *held->second;
    const Drawn& parent = drawn_.at(j.parent);
    const bool moves = j.kind != Joint::Kind::fixed;
    if (l.mass == 0 && moves)
      return fail(l.line, "link `" + printable(l.name) + "` has no mass and moves by joint `" + printable(j.name) +
                              "`: give it an <inertial>");
    Drawn here = place(l, j, parent);
    here.name = link_names_.at(l.name);
    doc(l.name, here.name);
    if (l.mass == 0) {
      body_ += "frame " + here.name + " on " + parent.name + at_text(j.pose.xyz) +
               rotated_text(rotation_text(j.pose.rpy)) + "\n";
    } else {
      if (!body(l, here)) return false;
      joint(j, parent, here);
    }
    shapes(l, here.name);
    drawn_.emplace(l.name, std::move(here));
    return true;
  }

  bool root(const Link& l) {
    Drawn here;
    here.name = "ground";
    if (options_.free_base) {
      if (l.mass == 0)
        return fail(l.line, "the root `" + printable(l.name) +
                                "` has no mass and cannot move freely: import it without `--base free`");
      here.name = link_names_.at(l.name);
      doc(l.name, here.name);
      if (!body(l, here)) return false;
    } else if (l.mass > 0) {
      out_.remarks.push_back({l.line, "the mass of the root `" + printable(l.name) +
                                          "`, which is part of the ground: `--base free` lets it move"});
    }
    shapes(l, here.name);
    drawn_.emplace(l.name, std::move(here));
    return true;
  }

  // A comment with the name of the file where it is another one.
  void doc(const std::string& original, const std::string& made) {
    if (original != made) body_ += "/// `" + printable(original) + "`\n";
  }

  // Origin and rotation of a link as it is drawn, by those of its parent. They have names if other links need them.
  Drawn place(const Link& l, const Joint& j, const Drawn& parent) {
    Drawn here;
    const std::string turn = rotation_text(j.pose.rpy);
    here.rotated = turn.empty() ? parent.rotated : (parent.rotated.empty() ? "" : parent.rotated + "*") + turn;
    here.at = parent.at;
    if (!is_zero(j.pose.xyz)) {
      const std::string arm = (parent.rotated.empty() ? "" : parent.rotated + "*") + vector_text(j.pose.xyz) + " [m]";
      here.at = (parent.at.empty() ? "" : parent.at + " + ") + arm;
    }
    if (children_[l.name] == 0 && l.mass == 0) return here;  // a frame that carries nothing
    const std::string name = link_names_.at(l.name);
    std::string lets;
    const auto named = [&](std::string& expression, const char* ending, const std::string& of_parent) {
      if (expression.empty() || expression == of_parent) return;
      const std::string made = names_.take(name + ending, "_here");
      lets += (lets.empty() ? "let " : ", ") + made + " = " + expression;
      expression = made;
    };
    named(here.rotated, "_axes", parent.rotated);
    named(here.at, "_at", parent.at);
    if (!lets.empty()) body_ += lets + "\n";
    return here;
  }

  static std::string at_text(const Triple& xyz) { return " at " + vector_text(xyz) + " [m]"; }
  static std::string rotated_text(const std::string& rotation) {
    return rotation.empty() ? "" : " rotated " + rotation;
  }

  bool body(const Link& l, const Drawn& here) {
    std::string inertia;
    if (!inertia_text(l, inertia)) return false;
    body_ += "body " + here.name + "(mass = " + text::number(l.mass) + " [kg], inertia = " + inertia + " [kg*m^2]";
    if (!is_zero(l.inertial.xyz)) body_ += ", com = " + vector_text(l.inertial.xyz) + " [m]";
    if (const std::string axes = rotation_text(l.inertial.rpy); !axes.empty()) body_ += ", axes = " + axes;
    body_ += ") at " + (here.at.empty() ? "(0, 0, 0) [m]" : here.at) + rotated_text(here.rotated) + "\n";
    ++bodies_;
    return true;
  }

  // The principal moments of a body are not negative, and none is larger than the sum of the others.
  bool inertia_text(const Link& l, std::string& out) {
    const auto& [xx, xy, xz, yy, yz, zz] = l.inertia;
    Eigen::Matrix3d tensor;
    tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    const Eigen::SelfAdjointEigenSolver<Eigen::Matrix3d> principal(tensor);
    const Eigen::Vector3d& moments = principal.eigenvalues();  // the largest is the last
    const double rounding = 1e-9 * std::fabs(moments[2]);
    if (moments[0] < -rounding || moments[2] > moments[0] + moments[1] + rounding) {
      const std::string found = "principal moments " + text::short_number(moments[0]) + ", " +
                                text::short_number(moments[1]) + " and " + text::short_number(moments[2]) + " kg*m^2";
      if (!options_.repair) {
        return fail(l.line, "no body has the inertia of link `" + printable(l.name) + "`, " + found +
                                ": mend the file, or `--repair` lowers the largest to the sum of the others");
      }
      Eigen::Vector3d mended = moments.cwiseMax(0.0);
      mended[2] = std::fmin(mended[2], mended[0] + mended[1]);
      tensor = principal.eigenvectors() * mended.asDiagonal() * principal.eigenvectors().transpose();
      out_.remarks.push_back({l.line, "repaired: the inertia of `" + printable(l.name) + "`, " + found +
                                          "; the largest is now " + text::short_number(mended[2])});
    }
    const auto n = [&](int i, int k) { return text::number(tensor(i, k)); };
    if (tensor(0, 1) == 0 && tensor(0, 2) == 0 && tensor(1, 2) == 0)
      out = "diag(" + n(0, 0) + ", " + n(1, 1) + ", " + n(2, 2) + ")";
    else
      out = "((" + n(0, 0) + ", " + n(0, 1) + ", " + n(0, 2) + "), (" + n(0, 1) + ", " + n(1, 1) + ", " + n(1, 2) +
            "), (" + n(0, 2) + ", " + n(1, 2) + ", " + n(2, 2) + "))";
    return true;
  }

  void joint(const Joint& j, const Drawn& parent, const Drawn& child) {
    if (j.kind == Joint::Kind::floating) return;  // a free body
    static constexpr const char* kParts[] = {"Fixed", "Revolute", "Revolute", "Prismatic", "Planar"};
    const std::string name = joint_names_.at(j.name), turn = rotation_text(j.pose.rpy);
    doc(j.name, name);
    std::string seat = parent.name;
    if (!is_zero(j.pose.xyz) || !turn.empty())
      seat += ".at(" + vector_text(j.pose.xyz) + " [m]" + (turn.empty() ? "" : ", " + turn) + ")";
    seats_[j.name] = seat;
    body_ += std::string(kParts[static_cast<std::size_t>(j.kind)]) + " " + name + "(" + seat + ", " + child.name;
    if (j.kind == Joint::Kind::planar)
      body_ += ", normal = " + axis_text(j.axis);
    else if (j.kind != Joint::Kind::fixed)
      body_ += ", axis = " + axis_text(j.axis);
    body_ += ")\n";
    ++joints_;
  }

  static std::string axis_text(const Triple& axis) {
    static constexpr const char* kNames[] = {"ex", "ey", "ez"};
    for (std::size_t k = 0; k < 3; ++k)
      if (axis[k] == 1 && axis[(k + 1) % 3] == 0 && axis[(k + 2) % 3] == 0) return kNames[k];
    return vector_text(axis);
  }

  void shapes(const Link& l, const std::string& on) {
    for (const Shape& s : l.shapes) {
      const std::string name = names_.take(link_names_.at(l.name) + "_shape", "_");
      body_ += "shape " + name + " on " + on;
      if (!is_zero(s.pose.xyz)) body_ += at_text(s.pose.xyz);
      body_ += rotated_text(rotation_text(s.pose.rpy)) + ": ";
      const auto size = [&](std::size_t k) { return text::number(s.sizes[k]) + " [m]"; };
      if (s.kind == Shape::Kind::box) body_ += "box(" + size(0) + ", " + size(1) + ", " + size(2) + ")\n";
      if (s.kind == Shape::Kind::cylinder) body_ += "cylinder(" + size(0) + ", " + size(1) + ")\n";
      if (s.kind == Shape::Kind::sphere) body_ += "sphere(" + size(0) + ")\n";
    }
  }

  // ---- what acts in the joints

  static bool has_one_coordinate(const Joint& j) {
    return j.kind == Joint::Kind::revolute || j.kind == Joint::Kind::continuous || j.kind == Joint::Kind::prismatic;
  }

  const Joint& named(const std::string& joint) const {
    return *std::find_if(robot_.joints.begin(), robot_.joints.end(), [&](const Joint& k) { return k.name == joint; });
  }

  // Zero, the middle of limits that do not hold zero, or what the joint that this one mimics makes of it.
  double start_of(const Joint& j) const {
    if (j.mimic && has_one_coordinate(named(j.mimic->joint)))
      return j.mimic->factor * start_of(named(j.mimic->joint)) + j.mimic->offset;
    return j.lower && (*j.lower > 0 || *j.upper < 0) ? (*j.lower + *j.upper) / 2 : 0;
  }

  void after(const Joint& j) {
    if (!has_one_coordinate(j)) return;
    const JointWords words = words_of(j);
    const std::string name = joint_names_.at(j.name), value = name + "." + words.coordinate;
    if (j.mimic) mimic(j, value);
    if (const double start = start_of(j); start != 0)
      start_ += "  " + value + " = " + text::number(start) + words.unit + "\n";
    if (j.effort > 0 && !j.mimic) {
      const std::string input = names_.take(name + "_drive", "_input");
      acting_ += "/// at most " + text::number(j.effort) + (j.kind == Joint::Kind::prismatic ? " N" : " N*m") + "\n";
      acting_ += "input " + input + words.load_unit + " = 0\n";
      acting_ += "load " + names_.take(name + "_motor", "_load") + " on " + value + ": " + input + "\n";
      out_.remarks.push_back({j.line, "the limit of effort, which the text only names"});
    }
    if (j.damping > 0)
      acting_ += "load " + names_.take(name + "_damping", "_load") + " on " + value + ": -" + text::number(j.damping) +
                 words.damping_unit + "*" + name + ".rate\n";
    if (j.friction > 0) {
      acting_ += "JointFriction " + names_.take(name + "_friction", "_part") + "(" + name +
                 ".rate, torque = " + text::number(j.friction) + words.load_unit + ")\n";
      contact_ = true;
    }
    if (j.lower && j.mimic) {
      out_.remarks.push_back({j.line, "the limits of a joint that follows another"});
    } else if (j.lower) {
      limits(j, value);
    }
  }

  // The angle of a joint is one from -pi to pi. Limits beyond that are measured from the middle of their range; those
  // that are a whole turn apart or more are left out.
  void limits(const Joint& j, std::string value) {
    const JointWords words = words_of(j);
    const std::string name = joint_names_.at(j.name);
    const auto bound = [&](double x) { return (*words.unit == '\0' ? angle_text(x) : text::number(x)) + words.unit; };
    const double middle = (*j.lower + *j.upper) / 2;
    double shift = 0;
    if (j.kind == Joint::Kind::revolute && std::fmax(-*j.lower, *j.upper) >= std::numbers::pi) {
      if (*j.upper - *j.lower >= 2 * std::numbers::pi) {
        out_.remarks.push_back({j.line, "limits that are a whole turn apart or more"});
        return;
      }
      shift = middle;
      math_ = true;
      const std::string axis = axis_text(j.axis);
      value = "angle_about(" + axis + ", " + seats_.at(j.name) + ".at((0, 0, 0) [m], rot(" + axis + ", " +
              angle_text(shift) + ")), " + link_names_.at(j.child) + ")";
    }
    acting_ += "Limits " + names_.take(name + "_limits", "_part") + "(" + value + ", low = " + bound(*j.lower - shift) +
               ", high = " + bound(*j.upper - shift) + ")\n";
    contact_ = true;
  }

  // The row of a joint that mimics another: value == factor*other + offset.
  void mimic(const Joint& j, const std::string& value) {
    const Joint* other = &named(j.mimic->joint);
    if (!has_one_coordinate(*other)) {
      out_.remarks.push_back(
          {j.line, "<mimic> of joint `" + printable(j.name) + "`: the other joint has no single coordinate"});
      return;
    }
    const bool slides = j.kind == Joint::Kind::prismatic, other_slides = other->kind == Joint::Kind::prismatic;
    const std::string unit = slides == other_slides ? "" : slides ? " [m]" : " [1/m]";
    std::string right = joint_names_.at(other->name) + "." + words_of(*other).coordinate;
    if (j.mimic->factor != 1 || !unit.empty()) right = text::number(j.mimic->factor) + unit + "*" + right;
    if (j.mimic->offset != 0) right += " + " + text::number(j.mimic->offset) + (slides ? " [m]" : "");
    acting_ +=
        "constraint " + names_.take(joint_names_.at(j.name) + "_mimic", "_row") + ": " + value + " == " + right + "\n";
  }

  // ---- the whole

  void finish() {
    std::string head = "mbd 1\n/// " + printable(robot_.name) + ", from " + printable(file_) + "\n";
    head += options_.free_base ? "/// Its root moves freely.\n" : "/// Its root is part of the ground.\n";
    std::string modules;
    for (const auto& [needed, module] :
         {std::pair{joints_ > 0, "joints"}, std::pair{contact_, "contact"}, std::pair{math_, "math"}})
      if (needed) modules += (modules.empty() ? "use " : ", ") + std::string(module);
    if (!modules.empty()) head += modules + "\n";
    const std::string g = names_.take("g", "_gravity");
    head += "param " + g + " = 9.81 [m/s^2]\ngravity (0, 0, -" + g + ")\n\n";
    out_.text = head + body_;
    if (!acting_.empty()) out_.text += "\n" + acting_;
    if (!start_.empty())
      out_.text +=
          "\n// not at zero: the middle of limits that do not hold it, and couplings\ninit {\n" + start_ + "}\n";
    const bool tree = joints_ > 0;
    out_.text +=
        "\nsimulate motion { " + std::string(tree ? "bodies = tree; " : "") + "time = 0 [s] .. 1 [s] step 1 [ms] }\n";
  }

  const Robot& robot_;
  const std::string& file_;
  const ImportOptions& options_;
  Remark& problem_;
  ImportedModel out_;
  RobotNames names_;
  std::map<std::string, std::string> link_names_, joint_names_;
  std::map<std::string, std::string> seats_;      // by joint: the frame of the parent that the child moves against
  std::map<std::string, const Joint*> joint_to_;  // by link
  std::map<std::string, int> children_;
  std::map<std::string, Drawn> drawn_;
  std::string body_, acting_, start_;
  int bodies_ = 0, joints_ = 0;
  bool contact_ = false, math_ = false;
};

}  // namespace

std::optional<ImportedModel> write_model(const Robot& robot, const std::string& file, const ImportOptions& options,
                                         Remark& problem) {
  return ModelWriter(robot, file, options, problem).write();
}

}  // namespace mbc::tools
