// SPDX-License-Identifier: Apache-2.0
// Springs and dampers that a file gives by a time constant and a damping ratio.
#include <Eigen/Dense>
#include <algorithm>

#include "tools/import/mjcf_sections.h"
#include "tools/import/robot_geometry.h"

namespace mbc::tools {
namespace {

using Eigen::Matrix3d;
using Eigen::MatrixXd;
using Eigen::Vector3d;
using Eigen::VectorXd;

// The inverse of a larger matrix takes minutes.
constexpr std::size_t kMostFreedoms = 2000;

// A speed of a joint: a point of what it carries moves with shift + turn x (point - centre).
struct Freedom {
  std::string joint;
  Vector3d shift = Vector3d::Zero(), turn = Vector3d::Zero(), centre = Vector3d::Zero();
};

// The mass matrix where all joints have their references, with the armatures of joints and tendons.
class ReferenceMass {
 public:
  explicit ReferenceMass(const Robot& robot) : robot_(robot), places_(places_of(robot, {})) {
    for (const Joint& j : robot.joints) add(j);
  }

  [[nodiscard]] const std::vector<Freedom>& freedoms() const { return freedoms_; }

  [[nodiscard]] MatrixXd matrix() const {
    const auto n = static_cast<Eigen::Index>(freedoms_.size());
    MatrixXd out = MatrixXd::Zero(n, n);
    for (const Link& l : robot_.links)
      if (l.mass > 0) add(l, out);
    std::map<std::string, double> armatures;
    for (const Joint& j : robot_.joints) armatures[j.name] = j.armature;
    for (Eigen::Index k = 0; k < n; ++k) out(k, k) += armatures[freedoms_[static_cast<std::size_t>(k)].joint];
    for (const Tendon& t : robot_.tendons) {
      if (t.armature == 0) continue;
      const VectorXd rate = rates(t);
      out += t.armature * rate * rate.transpose();
    }
    return out;
  }

 private:
  void add(const Joint& j) {
    const Placed& at = places_.at(j.child);
    const Vector3d point = at.at + at.axes * vector_of(j.anchor);
    std::vector<std::size_t>& chain = chains_[j.child];
    chain = chains_[j.parent];
    const auto freedom = [&](const Vector3d& shift, const Vector3d& turn) {
      chain.push_back(freedoms_.size());
      freedoms_.push_back({j.name, shift, turn, point});
    };
    const Vector3d none = Vector3d::Zero(), axis = at.axes * vector_of(j.axis).normalized();
    if (j.kind == Joint::Kind::prismatic) freedom(axis, none);
    if (j.kind == Joint::Kind::revolute) freedom(none, axis);
    if (j.kind == Joint::Kind::floating)
      for (int k = 0; k < 3; ++k) freedom(Vector3d::Unit(k), none);
    if (j.kind == Joint::Kind::floating || j.kind == Joint::Kind::ball)
      for (int k = 0; k < 3; ++k) freedom(none, at.axes * Vector3d::Unit(k));
  }

  void add(const Link& l, MatrixXd& out) const {
    const auto chain = chains_.find(l.name);
    if (chain == chains_.end()) return;
    const Placed own = placed_by(places_.at(l.name), l.inertial);
    const auto& [xx, xy, xz, yy, yz, zz] = l.inertia;
    Matrix3d tensor;
    tensor << xx, xy, xz, xy, yy, yz, xz, yz, zz;
    tensor = own.axes * tensor * own.axes.conjugate();
    for (const std::size_t i : chain->second)
      for (const std::size_t k : chain->second)
        out(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(k)) +=
            l.mass * speed(freedoms_[i], own.at).dot(speed(freedoms_[k], own.at)) +
            freedoms_[i].turn.dot(tensor * freedoms_[k].turn);
  }

  static Vector3d speed(const Freedom& f, const Vector3d& point) { return f.shift + f.turn.cross(point - f.centre); }

  // Derivatives of a tendon's length.
  [[nodiscard]] VectorXd rates(const Tendon& t) const {
    VectorXd out = VectorXd::Zero(static_cast<Eigen::Index>(freedoms_.size()));
    for (std::size_t k = 0; k < freedoms_.size(); ++k)
      for (const auto& [joint, factor] : t.joints)
        if (freedoms_[k].joint == joint) out[static_cast<Eigen::Index>(k)] += factor;
    for (const Tendon::Path& p : t.paths)
      for (std::size_t s = 1; s < p.sites.size(); ++s) {
        const Vector3d from = place(p.sites[s - 1]).second, to = place(p.sites[s]).second;
        if (!((to - from).norm() > 0)) continue;
        add_end(p.sites[s], (to - from).normalized() / p.divisor, out);
        add_end(p.sites[s - 1], (from - to).normalized() / p.divisor, out);
      }
    return out;
  }

  void add_end(const std::string& site, const Vector3d& along, VectorXd& out) const {
    const auto [link, at] = place(site);
    if (const auto chain = chains_.find(link); chain != chains_.end())
      for (const std::size_t k : chain->second) out[static_cast<Eigen::Index>(k)] += along.dot(speed(freedoms_[k], at));
  }

  [[nodiscard]] std::pair<std::string, Vector3d> place(const std::string& site) const {
    for (const Site& s : robot_.sites)
      if (s.name == site) return {s.link, placed_by(places_.at(s.link), s.pose).at};
    return {};
  }

  const Robot& robot_;
  std::map<std::string, Placed> places_;
  std::vector<Freedom> freedoms_;
  std::map<std::string, std::vector<std::size_t>> chains_;  // the freedoms that move a link
};

}  // namespace

// MuJoCo takes as the inertia of a joint the inverse of what M^-1 has on its diagonal for it, on average over its
// speeds. A mass I at a spring k = I/(T*z)^2 and a damper c = 2 I/T has the damping ratio z and decays with exp(-t/T).
void read_springdampers(MjcfFile& file, Robot& robot) {
  const auto given = [](const Joint& j) { return j.spring_damper[0] > 0; };
  const auto first = std::find_if(robot.joints.begin(), robot.joints.end(), given);
  if (first == robot.joints.end()) return;
  const ReferenceMass mass(robot);
  if (mass.freedoms().size() > kMostFreedoms)
    return file.xml().fail(first->place, "`springdamper` is taken over in models with at most " +
                                             std::to_string(kMostFreedoms) + " speeds: give stiffness and damping");
  const Eigen::LLT<MatrixXd> factors(mass.matrix());
  if (factors.info() != Eigen::Success)
    return file.xml().fail(first->place, "`springdamper` needs the inertia of all joints, and M is singular");
  const auto n = static_cast<Eigen::Index>(mass.freedoms().size());
  const VectorXd inverse = factors.solve(MatrixXd::Identity(n, n)).diagonal();
  std::map<std::string, std::pair<double, int>> sums;
  for (std::size_t k = 0; k < mass.freedoms().size(); ++k) {
    auto& [sum, count] = sums[mass.freedoms()[k].joint];
    sum += inverse[static_cast<Eigen::Index>(k)];
    ++count;
  }
  for (Joint& j : robot.joints) {
    if (!given(j)) continue;
    const auto& [sum, count] = sums.at(j.name);
    const double inertia = count / sum, time = j.spring_damper[0], way = time * j.spring_damper[1];
    j.stiffness = {inertia / (way * way), 0, 0};
    j.damping = {2 * inertia / time, 0, 0};
  }
}

}  // namespace mbc::tools
