// SPDX-License-Identifier: Apache-2.0
#include "tools/import/robot_model.h"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

#include "base/numbers.h"
#include "tools/import/robot_geometry.h"
#include "tools/import/robot_parts.h"

namespace mbc::tools {
namespace {

class ModelWriter {
 public:
  ModelWriter(ModelParts& parts, const std::string& file) : p_(parts), file_(file) {}

  bool write() {
    p_.out.remarks = p_.robot.left_out;
    for (const Joint& j : p_.robot.joints) {
      if (j.role == Joint::Role::carries) p_.joint_to[j.child] = &j;
      p_.joint_named[j.name] = &j;
    }
    take_names();
    for (const Link& l : p_.robot.links)
      if (!link(l)) return false;
    for (const Joint& j : p_.robot.joints)
      if (j.role != Joint::Role::carries) joint(j, p_.links.at(j.parent), p_.links.at(j.child));
    for (const Site& s : p_.robot.sites)
      p_.body += ModelParts::doc(s.name, p_.sites.at(s.name)) + "frame " + p_.sites.at(s.name) + " on " +
                 p_.links.at(s.link) + pose_text(s.pose) + "\n";
    write_acting(p_);
    write_start(p_);
    write_sensors(p_);
    finish();
    return true;
  }

 private:
  void take_names() {
    const auto take = [&](std::map<std::string, std::string>& list, const std::string& name, const char* suffix) {
      const std::string made = p_.names.take(name, suffix);
      if (made != name) p_.out.names.emplace_back(name, made);
      list[name] = made;
    };
    const auto& links = p_.robot.links;
    for (std::size_t k = 0; k < links.size(); ++k)
      if (k > 0 || !p_.robot.root_is_world) take(p_.links, links[k].name, "_link");
    for (const Joint& j : p_.robot.joints)
      if (j.kind != Joint::Kind::floating || !p_.robot.root_is_world) take(p_.joints, j.name, "_joint");
    for (const Site& s : p_.robot.sites) take(p_.sites, s.name, "_site");
    for (const Tendon& t : p_.robot.tendons) take(p_.tendons, t.name, "_tendon");
    for (const Actuator& a : p_.robot.actuators) take(p_.actuators, a.name, "_motor");
    p_.g = p_.names.take("g", "_gravity");
  }

  // ---- links and what holds them

  bool link(const Link& l) {
    const auto held = p_.joint_to.find(l.name);
    if (held == p_.joint_to.end()) return root(l);
    const Joint& j = *held->second;
    const std::string& here = p_.links.at(l.name);
    const bool moves = j.kind != Joint::Kind::fixed;
    if (l.mass == 0 && moves && !l.carrier)
      return p_.fail(l.place, "link `" + printable(l.name) + "` has no mass and moves by joint `" + printable(j.name) +
                                  "`: give it an <inertial>");
    p_.body += ModelParts::doc(l.name, here);
    const std::string& parent = p_.links.at(j.parent);
    if (l.mass == 0 && !moves) {
      p_.body += "frame " + here + " on " + parent + at_text(j.pose.xyz) + pose_text({{}, j.pose.turns}) + "\n";
    } else {
      if (!body(l, parent, j.pose)) return false;
      joint(j, parent, here);
    }
    shapes(l, here);
    return true;
  }

  bool root(const Link& l) {
    std::string here = "ground";
    if (p_.options.free_base) {
      if (l.mass == 0)
        return p_.fail(l.place, "the root `" + printable(l.name) +
                                    "` has no mass and cannot move freely: import it without `--base free`");
      here = p_.links.at(l.name);
      p_.body += ModelParts::doc(l.name, here);
      if (!body(l, "ground", {})) return false;
    } else if (l.mass > 0) {
      p_.remark(l.place, "the mass of the root `" + printable(l.name) +
                             "`, which is part of the ground: `--base free` lets it move");
    }
    shape_stem_ = p_.robot.root_is_world ? "ground" : p_.links.at(l.name);
    p_.links[l.name] = here;
    shapes(l, here);
    return true;
  }

  static std::string at_text(const Triple& xyz) { return " at " + triple_text(xyz) + " [m]"; }

  bool body(const Link& l, const std::string& parent, const Pose& pose) {
    std::string inertia;
    if (!inertia_text(l, inertia)) return false;
    p_.body +=
        "body " + p_.links.at(l.name) + "(mass = " + text::number(l.mass) + " [kg], inertia = " + inertia + " [kg*m^2]";
    if (!is_zero(l.inertial.xyz)) p_.body += ", com = " + triple_text(l.inertial.xyz) + " [m]";
    if (const std::string axes = rotation_text(l.inertial.turns); !axes.empty()) p_.body += ", axes = " + axes;
    p_.body +=
        ")" + (parent == "ground" ? "" : " on " + parent) + at_text(pose.xyz) + pose_text({{}, pose.turns}) + "\n";
    ++p_.bodies;
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
      if (!p_.options.repair) {
        return p_.fail(l.place, "no body has the inertia of link `" + printable(l.name) + "`, " + found +
                                    ": mend the file, or `--repair` lowers the largest to the sum of the others");
      }
      Eigen::Vector3d mended = moments.cwiseMax(0.0);
      mended[2] = std::fmin(mended[2], mended[0] + mended[1]);
      tensor = principal.eigenvectors() * mended.asDiagonal() * principal.eigenvectors().transpose();
      p_.remark(l.place, "repaired: the inertia of `" + printable(l.name) + "`, " + found + "; the largest is now " +
                             text::short_number(mended[2]));
    }
    const auto n = [&](int i, int k) { return text::number(tensor(i, k)); };
    if (tensor(0, 1) == 0 && tensor(0, 2) == 0 && tensor(1, 2) == 0)
      out = "diag(" + n(0, 0) + ", " + n(1, 1) + ", " + n(2, 2) + ")";
    else
      out = "((" + n(0, 0) + ", " + n(0, 1) + ", " + n(0, 2) + "), (" + n(0, 1) + ", " + n(1, 1) + ", " + n(1, 2) +
            "), (" + n(0, 2) + ", " + n(1, 2) + ", " + n(2, 2) + "))";
    return true;
  }

  // The frame of the parent that the joint moves against: at the anchor, moved back so that the joint has its reference
  // where the child is drawn.
  static Pose seat_of(const Joint& j) {
    Pose seat = product(j.pose, {j.anchor, {}});
    if (j.reference == 0) return seat;
    const Eigen::Vector3d axis = vector_of(j.axis).normalized();
    if (j.kind == Joint::Kind::prismatic) return product(seat, {triple_of(-j.reference * axis), {}});
    seat.turns.push_back({j.axis, -j.reference});
    return seat;
  }

  void joint(const Joint& j, const std::string& parent, const std::string& child) {
    if (j.kind == Joint::Kind::floating) return;  // a free body
    static constexpr const char* kParts[] = {"Fixed",  "Revolute", "Revolute",  "Prismatic",
                                             "Planar", "",         "Spherical", "Screw"};
    const std::string& name = p_.joints.at(j.name);
    Pose seat = seat_of(j);
    if (j.kind == Joint::Kind::ball) seat.turns.clear();  // it holds points
    p_.body += ModelParts::doc(j.name, name) + kParts[static_cast<std::size_t>(j.kind)] + " " + name + "(" + parent +
               seat_text(seat) + ", " + child + seat_text({j.anchor, {}});
    if (j.kind == Joint::Kind::planar) p_.body += ", normal = " + axis_text(j.axis);
    if (j.kind == Joint::Kind::screw) p_.body += ", lead = " + text::number(j.lead) + " [m]";
    if (has_one_coordinate(j)) p_.body += ", axis = " + axis_text(j.axis);
    p_.body += ")\n";
    ++p_.joint_count;
  }

  void shapes(const Link& l, const std::string& on) {
    for (const Shape& s : l.shapes) {
      const std::string name = p_.names.take((on == "ground" ? shape_stem_ : on) + "_shape", "_");
      p_.body += "shape " + name + " on " + on + pose_text(s.pose) + ": ";
      const auto size = [&](std::size_t k) { return text::number(s.sizes[k]) + " [m]"; };
      switch (s.kind) {
        case Shape::Kind::box:
          p_.body += "box(" + size(0) + ", " + size(1) + ", " + size(2) + ")\n";
          break;
        case Shape::Kind::cylinder:
          p_.body += "cylinder(" + size(0) + ", " + size(1) + ")\n";
          break;
        case Shape::Kind::sphere:
          p_.body += "sphere(" + size(0) + ")\n";
          break;
        case Shape::Kind::capsule:
          p_.body += "capsule(" + size(0) + ", " + size(1) + ")\n";
          break;
        case Shape::Kind::plane:
          p_.body += "plane(ez)\n";
          break;
      }
    }
  }

  // ---- the whole

  [[nodiscard]] std::string gravity_text() const {
    const Triple& g = p_.robot.gravity;
    if (is_zero(g)) return "";
    if (g[0] == 0 && g[1] == 0 && g[2] < 0)
      return "param " + p_.g + " = " + text::number(-g[2]) + " [m/s^2]\ngravity (0, 0, -" + p_.g + ")\n";
    return "gravity " + triple_text(g) + " [m/s^2]\n";
  }

  void finish() {
    std::string head = "mbd 1\n/// " + printable(p_.robot.name) + ", from " + printable(file_) + "\n";
    if (!p_.robot.root_is_world)
      head += p_.options.free_base ? "/// Its root moves freely.\n" : "/// Its root is part of the ground.\n";
    std::string modules;
    for (const auto& [needed, module] : {std::pair{p_.joint_count > 0 || p_.uses_joints, "joints"},
                                         std::pair{p_.contact, "contact"}, std::pair{p_.math, "math"}})
      if (needed) modules += (modules.empty() ? "use " : ", ") + std::string(module);
    if (!modules.empty()) head += modules + "\n";
    p_.out.text = head + gravity_text() + "\n" + p_.body;
    if (!p_.acting.empty()) p_.out.text += "\n" + p_.acting;
    if (!p_.start.empty()) p_.out.text += "\n" + p_.start;
    if (!p_.outputs.empty()) p_.out.text += "\n" + p_.outputs;
    const bool tree = p_.joint_count > 0;
    // Rows that may not hold where the motion begins.
    const bool rows =
        std::any_of(p_.robot.couplings.begin(), p_.robot.couplings.end(), [](const Coupling& c) { return c.active; }) ||
        moves_loops(p_);
    p_.out.text += "\nsimulate motion { " + std::string(tree ? "bodies = tree; " : "") + (rows ? "assemble; " : "") +
                   "time = 0 [s] .. 1 [s] step " + text::number(p_.robot.step * 1000) + " [ms] }\n";
  }

  ModelParts& p_;
  const std::string& file_;
  std::string shape_stem_;  // of shapes of the root
};

}  // namespace

std::optional<ImportedModel> write_model(const Robot& robot, const std::string& file, const ImportOptions& options,
                                         Remark& problem) {
  ModelParts parts{.robot = robot, .options = options, .problem = problem};
  if (!ModelWriter(parts, file).write()) return {};
  return std::move(parts.out);
}

}  // namespace mbc::tools
