// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/tree/joint_multipliers.h"

#include <algorithm>
#include <map>

#include "compiler/ad/motion.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

namespace {

class InversePass {
 public:
  InversePass(Model& model, const std::vector<JointCandidate>& candidates, const std::vector<Branch>& forest)
      : model_(model), g_(model.graph), candidates_(candidates), forest_(forest) {}

  std::vector<RowMultiplier> run(const std::set<std::uint32_t>& asked) {
    choose(asked);
    if (need_.empty()) return {};
    masses();
    loads();
    energies();
    rows();
    for (std::size_t k = forest_.size(); k-- > 0;)
      if (chosen_[k] != 0) solve(forest_[k]);
    return std::move(out_);
  }

 private:
  using Nodes = std::vector<NodeId>;

  // The joints whose multipliers are wanted, and all that are carried by their bodies: the forest lists carriers first.
  void choose(const std::set<std::uint32_t>& asked) {
    std::map<std::uint32_t, bool> carried;  // by body, whether its joint is chosen
    for (const Branch& b : forest_) {
      const std::vector<std::uint32_t>& rows = candidates_[b.candidate].rows;
      bool chosen = std::ranges::any_of(rows, [&](std::uint32_t row) { return asked.contains(row); });
      if (b.carrier)
        if (const auto it = carried.find(*b.carrier); it != carried.end()) chosen = chosen || it->second;
      carried[b.body] = chosen;
      chosen_.push_back(chosen ? 1 : 0);
      if (!chosen) continue;
      for (const std::uint32_t row : rows) joint_of_[row] = b.body;
      for (std::uint32_t k = 0; k < speeds(); ++k) {
        need_[*model_.bodies[b.body].first_speed + k] = g_.zero();
        body_of_[*model_.bodies[b.body].first_speed + k] = b.body;
      }
    }
  }

  [[nodiscard]] std::uint32_t speeds() const { return model_.space == 2 ? 3 : 6; }

  [[nodiscard]] ad::Motion motion() const {
    return {[this](std::uint32_t i) { return model_.coordinate(i).rate; },
            [this](std::uint32_t k) { return model_.states[k].rate; }};
  }
  Nodes rates(const Nodes& nodes) {
    Nodes out;
    for (const NodeId n : nodes) out.push_back(ad::time_derivative(g_, n, motion()));
    return out;
  }

  void add(std::uint32_t speed, NodeId force) {
    if (const auto it = need_.find(speed); it != need_.end()) it->second = g_.add(it->second, force);
  }
  // Adds what a force, less the one that is applied, needs along a velocity.
  void along(const Nodes& velocity, const Nodes& force, bool applied) {
    for (std::size_t k = 0; k < velocity.size(); ++k)
      for (const auto& [speed, J] : ad::differentiate(g_, velocity[k], Level::velocity, motion()).jacobian) {
        const NodeId part = g_.mul(J, force[k]);
        add(speed, applied ? g_.neg(part) : part);
      }
  }

  void masses() {
    for (const Particle& p : model_.particles) mass(p.mass, p.velocity);
    for (const Body& b : model_.bodies) {
      mass(b.mass, b.centre_velocity);
      Nodes moment = times_inertia(g_, b.inertia, rates(b.omega));
      if (model_.space == 3) {
        const Nodes gyroscopic = cross(g_, b.omega, times_inertia(g_, b.inertia, b.omega));
        for (std::size_t k = 0; k < 3; ++k) moment[k] = g_.add(moment[k], gyroscopic[k]);
      }
      along(b.omega, moment, false);
    }
  }
  void mass(NodeId mass, const Nodes& velocity) {
    Nodes force = rates(velocity);
    for (std::size_t k = 0; k < force.size(); ++k) {
      if (!model_.gravity.empty()) force[k] = g_.sub(force[k], model_.gravity[k]);
      force[k] = g_.mul(mass, force[k]);
    }
    along(velocity, force, false);
  }

  void loads() {
    for (const Force& f : model_.forces) along(f.velocity, f.value, true);
    for (const Torque& f : model_.torques) along(f.omega, f.value, true);
    for (const GeneralisedLoad& f : model_.loads) along({f.rate}, {f.value}, true);
  }

  void energies() {
    const ad::Motion states_held{motion().rate, {}};
    for (const EnergyTerm& e : model_.energies) switch (e.kind) {
        case EnergyTerm::Kind::potential:
          for (const auto& [speed, slope] : ad::differentiate(g_, e.value, Level::position, states_held).jacobian)
            add(speed, slope);
          break;
        case EnergyTerm::Kind::dissipation:
          for (const auto& [speed, slope] : ad::differentiate(g_, e.value, Level::velocity, motion()).jacobian)
            add(speed, slope);
          break;
        case EnergyTerm::Kind::kinetic:
          kinetic(e.value);
          break;
      }
  }

  // Lagrange's equations of T in these speeds: p' - dT/dq W with p = dT/du, and omega x p of an angular velocity in
  // body axes (the equations of Boltzmann and Hamel of a rotation).
  void kinetic(NodeId T) {
    for (const auto& [speed, slope] : ad::coordinate_slopes(g_, T, motion())) add(speed, g_.neg(slope));
    std::map<std::uint32_t, NodeId> p;
    for (const auto& [speed, slope] : ad::differentiate(g_, T, Level::velocity, motion()).jacobian) p[speed] = slope;
    for (const auto& [speed, momentum] : p) add(speed, rates({momentum})[0]);
    if (model_.space == 2) return;
    std::set<std::uint32_t> turning;
    for (const auto& [speed, momentum] : p)
      if (const auto it = body_of_.find(speed); it != body_of_.end()) turning.insert(it->second);
    for (const std::uint32_t body : turning) {
      const Body& b = model_.bodies[body];
      Nodes h;
      for (std::uint32_t k = 3; k < 6; ++k) h.push_back(p.try_emplace(*b.first_speed + k, g_.zero()).first->second);
      const Nodes moment = cross(g_, b.omega, h);
      for (std::uint32_t k = 0; k < 3; ++k) add(*b.first_speed + 3 + k, moment[k]);
    }
  }

  // Forces of rows; those of its own joint on a body are what is looked for.
  void rows() {
    for (std::uint32_t row = 0; row < model_.equations.size(); ++row) {
      const Equation e = model_.equations[row];
      if (e.of_body) continue;
      const auto joint = joint_of_.find(row);
      for (const auto& [speed, A] : ad::differentiate(g_, e.residual, e.level, motion()).jacobian) {
        if (!need_.contains(speed)) continue;
        if (joint != joint_of_.end() && body_of_.at(speed) == joint->second)
          own_[{row, speed}] = A;
        else
          add(speed, g_.neg(g_.mul(A, g_.leaf(LeafKind::multiplier, row))));
      }
    }
  }

  // Virtual motions of a body are those of its point where the joint is: with v = v_P - R (omega x s), a force (F, M)
  // at the origin is (F, M - s x R^T F) there. So lengths of the body do not enter.
  void move_to(const Body& b, const Nodes& s, Nodes& force) {
    const std::uint32_t n = model_.space;
    Nodes back;  // R^T F
    for (std::uint32_t j = 0; j < n; ++j) {
      NodeId sum = g_.zero();
      for (std::uint32_t i = 0; i < n; ++i) sum = g_.add(sum, g_.mul(b.rotation[i * n + j], force[i]));
      back.push_back(sum);
    }
    if (n == 2) {
      force[2] = g_.sub(force[2], g_.sub(g_.mul(s[0], back[1]), g_.mul(s[1], back[0])));
      return;
    }
    const Nodes moment = cross(g_, s, back);
    for (std::uint32_t k = 0; k < 3; ++k) force[3 + k] = g_.sub(force[3 + k], moment[k]);
  }

  // A^T lambda = n with independent rows of A, and n in their span: A A^T lambda = A n.
  void solve(const Branch& branch) {
    const JointCandidate& c = candidates_[branch.candidate];
    const Body& b = model_.bodies[branch.body];
    const Nodes s = branch.inverted ? c.on_carrier : c.own;
    const std::size_t r = c.rows.size();
    Nodes n;
    std::vector<Nodes> A(r), G(r, Nodes(r));
    for (std::uint32_t k = 0; k < speeds(); ++k) n.push_back(need_.at(*b.first_speed + k));
    move_to(b, s, n);
    Nodes x(r);
    for (std::size_t i = 0; i < r; ++i) {
      for (std::uint32_t k = 0; k < speeds(); ++k) {
        const auto it = own_.find({c.rows[i], *b.first_speed + k});
        A[i].push_back(it == own_.end() ? g_.zero() : it->second);
      }
      move_to(b, s, A[i]);
      for (std::size_t j = 0; j <= i; ++j) G[i][j] = g_.dot(A[i], A[j]);
      x[i] = g_.dot(A[i], n);
    }
    solve_symmetric(G, x);
    for (std::size_t i = 0; i < r; ++i) out_.push_back({c.rows[i], x[i]});
  }

  // L D L^T x = b; the lower triangle of G becomes L with D on its diagonal.
  void solve_symmetric(std::vector<Nodes>& G, Nodes& x) {
    const std::size_t r = x.size();
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t j = 0; j <= i; ++j) {
        for (std::size_t k = 0; k < j; ++k) G[i][j] = g_.sub(G[i][j], g_.mul(g_.mul(G[i][k], G[j][k]), G[k][k]));
        if (j < i) G[i][j] = g_.div(G[i][j], G[j][j]);
      }
    for (std::size_t i = 0; i < r; ++i)
      for (std::size_t k = 0; k < i; ++k) x[i] = g_.sub(x[i], g_.mul(G[i][k], x[k]));
    for (std::size_t i = r; i-- > 0;) {
      x[i] = g_.div(x[i], G[i][i]);
      for (std::size_t k = i + 1; k < r; ++k) x[i] = g_.sub(x[i], g_.mul(G[k][i], x[k]));
    }
  }

  Model& model_;
  graph::Graph& g_;
  const std::vector<JointCandidate>& candidates_;
  const std::vector<Branch>& forest_;
  std::vector<char> chosen_;                                       // of the forest
  std::map<std::uint32_t, NodeId> need_;                           // by speed: the force that rows have to give
  std::map<std::uint32_t, std::uint32_t> body_of_, joint_of_;      // by speed; by row: the body that it carries
  std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> own_;  // A of a joint on its body, by row and speed
  std::vector<RowMultiplier> out_;
};

}  // namespace

std::vector<RowMultiplier> joint_multipliers(Model& model, const std::vector<JointCandidate>& candidates,
                                             const std::vector<Branch>& forest, const std::set<std::uint32_t>& asked) {
  return InversePass(model, candidates, forest).run(asked);
}

}  // namespace mbc::sema
