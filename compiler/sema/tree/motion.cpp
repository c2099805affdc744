// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/motion.h"

#include "compiler/graph/planar_rotation.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

namespace {

std::vector<NodeId> sum(graph::Graph& g, std::initializer_list<std::vector<NodeId>> terms) {
  std::vector<NodeId> out(terms.begin()->size(), g.zero());
  for (const std::vector<NodeId>& t : terms)
    for (std::size_t k = 0; k < out.size(); ++k) out[k] = g.add(out[k], t[k]);
  return out;
}

std::vector<NodeId> transposed(const std::vector<NodeId>& R) {
  return {R[0], R[3], R[6], R[1], R[4], R[7], R[2], R[5], R[8]};
}

}  // namespace

std::vector<NodeId> Kinematics::rates(const std::vector<NodeId>& nodes) { return rates_of(model_, nodes); }

BodyMotion Kinematics::ground() {
  const Pose unit = identity_pose(g_, model_.space);
  const std::vector<NodeId> none(model_.space == 2 ? 1 : 3, g_.zero());
  return {unit.r, unit.R, unit.r, none, unit.r, none, {}, g_.zero()};
}

// omega x r; in the plane omega is one number and r is turned by a quarter.
std::vector<NodeId> Kinematics::crossed(const std::vector<NodeId>& omega, const std::vector<NodeId>& r) {
  if (model_.space == 3) return cross(g_, omega, r);
  return {g_.mul(omega[0], g_.neg(r[1])), g_.mul(omega[0], r[0])};
}

// Returns the motion of the point r of a body.
Kinematics::PointMotion Kinematics::point(const BodyMotion& of, const std::vector<NodeId>& r) {
  const std::vector<NodeId> r1 = rates(r), r2 = rates(r1), &R = of.R;
  const std::vector<NodeId> moved = crossed(of.omega, r);
  std::vector<NodeId> coriolis = crossed(of.omega, r1);
  for (NodeId& x : coriolis) x = g_.mul(g_.constant(2), x);
  return {sum(g_, {of.x, turned(g_, R, r)}), sum(g_, {of.v, turned(g_, R, sum(g_, {moved, r1}))}),
          sum(g_, {of.a, turned(g_, R, sum(g_, {crossed(of.alpha, r), crossed(of.omega, moved), coriolis, r2}))})};
}

std::vector<NodeId> Kinematics::turning(const Pose& p) {
  if (model_.space == 3)
    return angular_velocity_of(
        g_, p.R, [this](const std::vector<NodeId>& e) { return rates(e); }, 3);
  NodeId angle;
  turn_in_plane(p, angle);
  return rates({angle});
}

BodyMotion Kinematics::carried(const BodyMotion& carrier, const Pose& p) {
  const PointMotion at = point(carrier, p.r);
  BodyMotion m{at.x, {}, at.v, {}, at.a, {}, {}, {}};
  if (model_.space == 2) {
    NodeId turned_by;
    turn_in_plane(p, turned_by);
    const std::vector<NodeId> turn_rate = turning(p), turn_acceleration = rates(turn_rate);
    m.angle = g_.add(carrier.angle, turned_by);
    const NodeId c = g_.unary(Op::cos, m.angle), s = g_.unary(Op::sin, m.angle);
    m.R = {c, g_.neg(s), s, c};
    m.omega = sum(g_, {carrier.omega, turn_rate});
    m.alpha = sum(g_, {carrier.alpha, turn_acceleration});
    return m;
  }
  const std::vector<NodeId> omega_joint = turning(p), alpha_joint = rates(omega_joint), back = transposed(p.R),
                            brought = turned(g_, back, carrier.omega);
  m.R = matrix_product(g_, carrier.R, p.R, 3);
  m.omega = sum(g_, {brought, omega_joint});
  m.alpha = sum(g_, {turned(g_, back, carrier.alpha), cross(g_, brought, omega_joint), alpha_joint});
  return m;
}

void Kinematics::hang(const BodyMotion& carrier, const std::vector<NodeId>& r, const std::vector<NodeId>& own,
                      BodyMotion& m) {
  const PointMotion at = point(carrier, r);
  m.x = m.v = m.a = std::vector<NodeId>(model_.space, g_.zero());
  const PointMotion arm = point(m, own);
  for (std::size_t k = 0; k < model_.space; ++k) {
    m.x[k] = g_.sub(at.x[k], arm.x[k]);
    m.v[k] = g_.sub(at.v[k], arm.v[k]);
    m.a[k] = g_.sub(at.a[k], arm.a[k]);
  }
}

// The rest behind the turns may be a constant.
bool Kinematics::turn_in_plane(const Pose& p, NodeId& angle) {
  std::vector<NodeId> R = p.R;
  angle = g_.zero();
  while (const std::optional<graph::PlanarRotation> turn = graph::outer_rotation(g_, R, 2)) {
    angle = turn->j == 1 ? g_.add(angle, turn->angle) : g_.sub(angle, turn->angle);
    R = turn->inside;
  }
  const Pose unit = identity_pose(g_, 2);
  if (R == unit.R) return true;
  if (!graph::leaves(g_, R).empty()) return false;
  angle = g_.add(angle, g_.binary(Op::atan2, R[2], R[0]));
  return true;
}

}  // namespace mbc::sema
