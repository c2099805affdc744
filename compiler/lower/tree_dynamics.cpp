// SPDX-License-Identifier: Apache-2.0
// The inverse dynamics at u' = 0 gives f (recursive Newton-Euler), composite inertias give M column by column.
#include "compiler/lower/tree_dynamics.h"

#include <algorithm>

namespace mbc::lower {

namespace {

// At P, in the axes of a link.
struct Motion3 {
  Vector3 omega, v, alpha, a;  // alpha, a: at u' = 0
};
struct Wrench {
  Vector3 moment, force;
};

class Recursion {
 public:
  Recursion(Graph& g, const std::vector<TreeLink>& links, const Vector3& gravity)
      : g_(g), algebra_(g), links_(links), gravity_(gravity) {}

  TreeSums run() {
    sums_.kinetic = sums_.potential = g_.zero();
    for (const TreeLink& l : links_) motions_.push_back(moved(l));
    forces();
    masses();
    energies();
    return std::move(sums_);
  }

 private:
  Motion3 carrier_of(const TreeLink& l) {
    if (l.carrier) return motions_[*l.carrier];
    Vector3 up;
    for (std::size_t k = 0; k < 3; ++k) up[k] = g_.neg(gravity_[k]);
    return {algebra_.zero(), algebra_.zero(), algebra_.zero(), up};
  }

  Motion3 moved(const TreeLink& l) {
    const Motion3 c = carrier_of(l);
    const auto back = [&](const Vector3& v) { return algebra_.transposed_times(l.R, v); };
    const auto sum = [&](const Vector3& a, const Vector3& b) { return algebra_.sum(a, b); };
    const auto cross = [&](const Vector3& a, const Vector3& b) { return algebra_.cross(a, b); };
    Motion3 m{l.omega, {}, l.omega_bias, {}};
    if (!l.turns_alone) {
      const Vector3 brought = back(c.omega);
      m.omega = sum(brought, l.omega);
      m.alpha = sum(back(c.alpha), algebra_.difference(l.omega_bias, cross(l.omega, brought)));
    }
    const Vector3 arm = cross(c.omega, l.r);
    m.v = back(sum(c.v, sum(arm, l.r_rate)));
    const Vector3 coriolis = algebra_.scaled(g_.constant(2), cross(c.omega, l.r_rate));
    m.a = back(sum(sum(c.a, cross(c.alpha, l.r)), sum(cross(c.omega, arm), sum(coriolis, l.r_bias))));
    return m;
  }

  // The force and the moment about P that give an inertia the accelerations at P, without terms of velocities.
  Wrench needed(const PointInertia& of, const Vector3& alpha, const Vector3& a) {
    return {algebra_.sum(algebra_.times(of.I, alpha), algebra_.cross(of.h, a)),
            algebra_.sum(algebra_.scaled(of.mass, a), algebra_.cross(alpha, of.h))};
  }

  // Takes a wrench at P in axes of a link to the point and the axes of its carrier.
  Wrench on_carrier(const TreeLink& l, const Wrench& w) {
    const Vector3 force = algebra_.times(l.R, w.force), arm = algebra_.cross(l.r, force);
    return {l.turns_alone ? arm : algebra_.sum(algebra_.times(l.R, w.moment), arm), force};
  }

  // The power of a wrench at P, given there and on the carrier, per unit of a speed.
  NodeId along(const JointColumn& c, const Wrench& w, const Wrench& passed) {
    return g_.add(algebra_.dot(c.turns, w.moment), algebra_.dot(c.slides, passed.force));
  }

  void forces() {
    std::vector<Wrench> need;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const PointInertia& of = links_[i].inertia;
      const Motion3& m = motions_[i];
      Wrench w = needed(of, m.alpha, m.a);
      w.moment = algebra_.sum(w.moment, algebra_.cross(m.omega, algebra_.times(of.I, m.omega)));
      w.force = algebra_.sum(w.force, algebra_.cross(m.omega, algebra_.cross(m.omega, of.h)));
      need.push_back(w);
    }
    for (std::size_t i = links_.size(); i-- > 0;) {
      const TreeLink& l = links_[i];
      const Wrench passed = on_carrier(l, need[i]);
      for (const JointColumn& c : l.columns) {
        NodeId& force = sums_.force.try_emplace(c.speed, g_.zero()).first->second;
        force = g_.sub(force, along(c, need[i], passed));
      }
      if (l.carrier) add(need[*l.carrier], passed);
    }
  }

  void add(Wrench& to, const Wrench& w) {
    to.moment = algebra_.sum(to.moment, w.moment);
    to.force = algebra_.sum(to.force, w.force);
  }

  // Adds the inertia of a link to that of its carrier while no joint moves. One that turns alone is a mass at its
  // point.
  void add_composite(const TreeLink& l, const PointInertia& of, PointInertia& to) {
    const Vector3 mr = algebra_.scaled(of.mass, l.r);
    Vector3 moments = mr;
    to.mass = g_.add(to.mass, of.mass);
    to.h = algebra_.sum(to.h, mr);
    if (!l.turns_alone) {
      const Vector3 h = algebra_.times(l.R, of.h);
      to.h = algebra_.sum(to.h, h);
      to.I = algebra_.sum(to.I, algebra_.turned(l.R, of.I));
      moments = algebra_.sum(mr, algebra_.scaled(g_.constant(2), h));
    }
    to.I = algebra_.sum(to.I, algebra_.moments(l.r, moments));
  }

  void masses() {
    std::vector<PointInertia> composite;
    for (const TreeLink& l : links_) composite.push_back(l.inertia);
    for (std::size_t i = links_.size(); i-- > 0;)
      if (links_[i].carrier) add_composite(links_[i], composite[i], composite[*links_[i].carrier]);
    for (std::size_t i = 0; i < links_.size(); ++i)
      for (std::size_t k = 0; k < links_[i].columns.size(); ++k) mass_column(i, k, composite[i]);
  }

  // The wrench that one speed asks for, along all speeds between it and the root. A speed of two links meets itself.
  void mass_column(std::size_t link, std::size_t column, const PointInertia& of) {
    const JointColumn& moving = links_[link].columns[column];
    Wrench w = needed(of, moving.turns, algebra_.transposed_times(links_[link].R, moving.slides));
    for (std::optional<std::uint32_t> at = static_cast<std::uint32_t>(link); at; at = links_[*at].carrier) {
      const TreeLink& l = links_[*at];
      const Wrench passed = on_carrier(l, w);
      const std::size_t count = *at == link ? column + 1 : l.columns.size();
      for (std::size_t k = 0; k < count; ++k) {
        const NodeId value = along(l.columns[k], w, passed);
        const auto [j, i] = std::minmax(l.columns[k].speed, moving.speed);
        NodeId& entry = sums_.mass.try_emplace({i, j}, g_.zero()).first->second;
        entry = g_.add(entry, i == j && *at != link ? g_.mul(g_.constant(2), value) : value);
      }
      w = passed;
    }
  }

  // T = sum of (m v.v + omega.I omega)/2 + v.(omega x h); V = -g.(sum of m x), by first moments from the leaves on.
  void energies() {
    NodeId twice = g_.zero();
    std::vector<PointInertia> moments;
    for (std::size_t i = 0; i < links_.size(); ++i) {
      const PointInertia& of = links_[i].inertia;
      const Motion3& m = motions_[i];
      const Vector3 h = algebra_.cross(m.omega, of.h);
      twice = g_.add(twice, g_.mul(of.mass, algebra_.dot(m.v, m.v)));
      twice = g_.add(twice, algebra_.dot(m.omega, algebra_.times(of.I, m.omega)));
      twice = g_.add(twice, g_.mul(g_.constant(2), algebra_.dot(m.v, h)));
      moments.push_back(of);
    }
    sums_.kinetic = g_.mul(g_.constant(0.5), twice);
    for (std::size_t i = links_.size(); i-- > 0;) {
      const TreeLink& l = links_[i];
      const Vector3 h = algebra_.sum(algebra_.times(l.R, moments[i].h), algebra_.scaled(moments[i].mass, l.r));
      if (!l.carrier) {
        sums_.potential = g_.sub(sums_.potential, algebra_.dot(gravity_, h));
        continue;
      }
      PointInertia& to = moments[*l.carrier];
      to.h = algebra_.sum(to.h, h);
      to.mass = g_.add(to.mass, moments[i].mass);
    }
  }

  Graph& g_;
  Algebra3 algebra_;
  const std::vector<TreeLink>& links_;
  Vector3 gravity_;
  std::vector<Motion3> motions_;
  TreeSums sums_;
};

}  // namespace

TreeSums tree_dynamics(Graph& g, const std::vector<TreeLink>& links, const Vector3& gravity) {
  return Recursion(g, links, gravity).run();
}

}  // namespace mbc::lower
