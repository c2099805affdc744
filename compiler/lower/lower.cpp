// SPDX-License-Identifier: Apache-2.0
// Lowers the model to the system. Each kind of statement becomes a few roots, which are sorted into families; then
// every template is differentiated once and lists its contributions. Formulas: docs/numerics.md, "From statements to M,
// f, A, b".
#include <functional>
#include <map>
#include <set>
#include <type_traits>

#include "compiler/ad/linear.h"
#include "compiler/graph/reduce_sin_cos.h"
#include "compiler/lower/at_rest.h"
#include "compiler/lower/constraint_row.h"
#include "compiler/lower/does_work.h"
#include "compiler/lower/energy_terms.h"
#include "compiler/lower/gyroscopic.h"
#include "compiler/lower/kinetic_term.h"
#include "compiler/lower/rotating_frame_rows.h"
#include "compiler/lower/sized_system.h"
#include "compiler/lower/system.h"
#include "compiler/lower/trees.h"
#include "compiler/sema/rotations.h"

namespace mbc::lower {

namespace {

class Lowering {
 public:
  Lowering(const sema::Model& model, bool with_watched) : model_(model), with_watched_(with_watched) {}

  System run() {
    System s = sized_system(model_);
    values(s, "rate", Target::rate, 0, model_.coordinates, &sema::Coordinate::rate);  // q' = W u + X
    values(s, "state", Target::state_rate, 0, model_.states, &sema::State::rate);
    particles(s);
    bodies(s);
    forces(s);
    torques(s);
    loads(s);
    energies(s);
    equations(s);
    quasi_velocities(s);
    works(s);
    outputs(s);
    more_outputs(s, "event", model_.event_values);  // the event functions and the values that events assign
    if (!with_watched_) return s;
    more_outputs(s, "watched", model_.probes);
    s.n_inputs += static_cast<std::uint32_t>(model_.run_values.size());
    return s;
  }

 private:
  using Contributions = std::vector<Contribution>;
  using Nodes = std::vector<NodeId>;

  template <class Expand>
  void finish(System& s, FamilyBuilder& builder, const char* what, Expand&& expand) {
    for (Family& family : builder.finish()) {
      Part part{std::move(family), {}, what};
      expand(part.family, part.contributions);
      s.parts.push_back(std::move(part));
    }
  }

  // Adds a list of items with one value each; they are numbered from `item` on.
  template <class List, class ValueOf>
  void values(System& s, const char* what, Target target, std::uint32_t item, const List& list, ValueOf value_of) {
    FamilyBuilder builder(model_);
    for (const auto& one : list) builder.add(item++, {std::invoke(value_of, one)});
    finish(s, builder, what, [target](Family& f, Contributions& c) { c.push_back({target, 0, 0, f.shape.roots[0]}); });
  }

  // The outputs of the bodies of a tree share most of their expressions: they are one item, the first of them.
  void outputs(System& s) {
    std::map<std::uint32_t, FamilyBuilder> builders;  // by their number
    for (const auto& [first, count] : runs_of_outputs(model_)) {
      Nodes roots;
      for (std::uint32_t k = first; k < first + count; ++k) roots.push_back(model_.outputs[k].value);
      builders.try_emplace(count, model_).first->second.add(first, roots);
    }
    for (auto& [count, builder] : builders)
      finish(s, builder, "output", [n = count](Family& f, Contributions& c) {
        for (std::uint32_t k = 0; k < n; ++k) c.push_back({Target::output, k, 0, f.shape.roots[k]});
      });
  }

  // Adds outputs behind the existing ones.
  void more_outputs(System& s, const char* what, const Nodes& list) {
    values(s, what, Target::output, s.n_outputs, list, std::identity{});
    s.n_outputs += static_cast<std::uint32_t>(list.size());
  }

  // A particle of mass m whose position r(q,t) has the partial velocities J and the bias acceleration gamma adds
  //   M += m J^T J,  f += J^T m (g - gamma),  T = m r'.r'/2,  V = -m g.r
  // With r' = J u + c it also adds to the part of dT/du beside M u:  N += J^T m c. If r depends on t itself, the
  // support that moves it does work: (m r'' - m g - F).r_t, F the forces on it.
  void particles(System& s) {
    const std::size_t n = model_.space;
    FamilyBuilder builder(model_);
    for (std::uint32_t i = 0; i < model_.particles.size(); ++i) {
      const sema::Particle& p = model_.particles[i];
      std::vector<NodeId> roots{p.mass};
      roots.insert(roots.end(), p.position.begin(), p.position.end());
      roots.insert(roots.end(), model_.gravity.begin(), model_.gravity.end());
      builder.add(i, roots);
    }
    const bool heavy = !model_.gravity.empty();
    finish(s, builder, "particle", [n, heavy](Family& f, Contributions& out) {
      Totals t;
      translation(f, n, heavy, t);
      emit(f, t, out);
    });
  }

  // The contributions of a moving mass, summed over its directions.
  struct Totals {
    std::map<std::pair<std::uint32_t, std::uint32_t>, NodeId> mass;
    std::map<std::uint32_t, NodeId> force, momentum;  // momentum: dT/du at u = 0
    NodeId kinetic{0}, potential{0}, support{0};      // node 0 of every graph is the constant 0
  };

  static void add_to(Graph& g, NodeId& sum, NodeId term) { sum = g.add(sum, term); }
  template <class Key>
  static void add_to(Graph& g, std::map<Key, NodeId>& sums, std::type_identity_t<Key> key, NodeId term) {
    add_to(g, sums.try_emplace(key, g.zero()).first->second, term);
  }

  static void emit(Family& f, const Totals& t, Contributions& out) {
    const Graph& g = f.shape.graph;
    for (const auto& [ij, value] : t.mass)
      if (!g.is_zero(value)) out.push_back({Target::mass, ij.first, ij.second, value});
    for (const auto& [i, value] : t.force)
      if (!g.is_zero(value)) out.push_back({Target::force, i, 0, value});
    for (const auto& [i, value] : t.momentum)
      if (!g.is_zero(value)) out.push_back({Target::momentum_offset, i, 0, value});
    out.push_back({Target::kinetic_energy, 0, 0, t.kinetic});
    if (!g.is_zero(t.support)) out.push_back({Target::support_power, 0, 0, t.support});
    if (!g.is_zero(t.potential)) out.push_back({Target::potential_energy, 0, 0, t.potential});
  }

  // The roots are mass, position, and gravity if `heavy`. A velocity with an expression of its own begins at root
  // `velocity`: its partial velocities are de/du, its bias acceleration is its derivative at u' = 0.
  static void translation(Family& f, std::size_t n, bool heavy, Totals& t, std::size_t velocity = 0) {
    Graph& g = f.shape.graph;
    const NodeId mass = f.shape.roots[0];
    NodeId speed2 = g.zero();
    Nodes position, weights(n, g.zero());
    std::vector<ad::Row> rows;
    for (std::size_t k = 0; k < n; ++k) {
      position.push_back(f.shape.roots[1 + k]);
      if (heavy) weights[k] = f.shape.roots[1 + n + k];
      t.potential = g.sub(t.potential, g.mul(mass, g.mul(weights[k], position[k])));
      rows.push_back(ad::differentiate(g, velocity ? f.shape.roots[velocity + k] : position[k],
                                       velocity ? ad::Level::velocity : ad::Level::position, f.shape.motion()));
      if (velocity) rows[k].rate = f.shape.roots[velocity + k];
    }
    if (!velocity) use_turning_axes(g, position, f.shape.motion(), rows, weights);
    for (std::size_t k = 0; k < n; ++k) {
      const ad::Row& row = rows[k];
      const NodeId weight = weights[k], applied = g.mul(mass, g.sub(weight, row.bias)), c = at_rest(g, row.rate);
      for (const auto& [i, Ji] : row.jacobian) {
        if (!g.is_zero(c)) add_to(g, t.momentum, i, g.mul(mass, g.mul(Ji, c)));
        add_to(g, t.force, i, g.mul(Ji, applied));
        for (const auto& [j, Jj] : row.jacobian)
          if (j <= i) add_to(g, t.mass, {i, j}, g.mul(mass, g.mul(Ji, Jj)));
      }
      if (!g.is_zero(c)) add_to(g, t.support, g.mul(g.mul(mass, g.sub(with_accelerations(f, row), weight)), c));
      speed2 = g.add(speed2, g.mul(row.rate, row.rate));
    }
    add_to(g, t.kinetic, g.mul(g.constant(0.5), g.mul(mass, speed2)));
  }

  // J u' + g with u' as leaves
  static NodeId with_accelerations(Family& f, const ad::Row& row) {
    Graph& g = f.shape.graph;
    NodeId total = row.bias;
    for (const auto& [i, Ji] : row.jacobian)
      total = g.add(total, g.mul(Ji, g.leaf(LeafKind::accel, f.add_slot(LeafKind::accel, i))));
    return total;
  }

  // Returns `count` roots from `at` on and moves `at` behind them.
  static Nodes take(const Family& f, std::size_t& at, std::size_t count) {
    const auto first = f.shape.roots.begin() + static_cast<std::ptrdiff_t>(at);
    at += count;
    return {first, first + static_cast<std::ptrdiff_t>(count)};
  }

  // A body adds its mass as a particle does, and with omega = D u + .. in body axes, omega' = D u' + gamma (001 eq.
  // 36-39, 004 eq. 7-8):
  //   M += D^T I D,  f -= D^T (I gamma + omega x I omega),  T += omega.I omega/2,  N += D^T I omega(u = 0)
  // The velocity of an eccentric mass centre is used as given, v + A (omega x c). In natural coordinates the rotation
  // has another form, see direction_cosines().
  void bodies(System& s) {
    const std::size_t n = model_.space, turns = n == 3 ? 3 : 1, moments = n == 3 ? 6 : 1;
    const std::set<std::uint32_t> in_trees = add_trees(model_, s);
    FamilyBuilder plain(model_), eccentric(model_), natural(model_);
    for (std::uint32_t i = 0; i < model_.bodies.size(); ++i) {
      const sema::Body& b = model_.bodies[i];
      if (in_trees.contains(i)) continue;
      const bool free = b.first_coordinate && n == 3;
      const bool cosines = free && b.representation == sema::Representation::natural;
      const bool aside = free && !cosines && !b.com.empty();
      std::vector<NodeId> roots{b.mass};
      std::vector<const Nodes*> parts{&b.centre, &model_.gravity, &b.inertia, cosines ? &b.rotation : &b.omega};
      if (aside) parts.push_back(&b.centre_velocity);
      for (const Nodes* part : parts) roots.insert(roots.end(), part->begin(), part->end());
      (cosines ? natural : aside ? eccentric : plain).add(i, roots);
    }
    const bool heavy = !model_.gravity.empty();
    const std::size_t first = 1 + n + (heavy ? n : 0);
    for (FamilyBuilder* builder : {&plain, &eccentric})
      finish(s, *builder, "body", [=, &eccentric](Family& f, Contributions& out) {
        Totals t;
        translation(f, n, heavy, t, builder == &eccentric ? first + moments + turns : 0);
        std::size_t at = first;
        const Nodes inertia = take(f, at, moments), omega = graph::reduce_sin_cos(f.shape.graph, take(f, at, turns));
        rotation(f, inertia, omega, t);
        emit(f, t, out);
      });
    finish(s, natural, "body", [=](Family& f, Contributions& out) {
      Totals t;
      translation(f, n, heavy, t);
      std::size_t at = first;
      const Nodes inertia = take(f, at, moments), rotation = take(f, at, 9);
      direction_cosines(f, inertia, rotation, t);
      emit(f, t, out);
    });
  }

  // 004 eq. 20 with the second moments about the mass centre, J = tr(I)/2 E - I: a point x a + y b + z c of the body
  // moves with x a' + y b' + z c', so T = 1/2 sum_kl J_kl (k-th axis)'.(l-th axis)'. The axes are coordinates, q' = u.
  static void direction_cosines(Family& f, const Nodes& inertia, const Nodes& rotation, Totals& t) {
    Graph& g = f.shape.graph;
    const NodeId half_trace = g.mul(g.constant(0.5), g.add(inertia[0], g.add(inertia[1], inertia[2])));
    const auto moment = [&](std::size_t k, std::size_t l) {
      return g.sub(k == l ? half_trace : g.zero(), inertia[sema::kInertiaAt[k][l]]);
    };
    std::vector<ad::Row> rows;
    for (NodeId e : rotation) rows.push_back(ad::differentiate(g, e, ad::Level::position, f.shape.motion()));
    NodeId twice = g.zero();
    for (std::size_t k = 0; k < 3; ++k)
      for (std::size_t l = 0; l < 3; ++l)
        for (std::size_t axis = 0; axis < 3; ++axis) {
          const ad::Row &first = rows[3 * axis + k], &second = rows[3 * axis + l];
          add_to(g, twice, g.mul(moment(k, l), g.mul(first.rate, second.rate)));
          for (const auto& [i, d] : first.jacobian)
            for (const auto& [j, e] : second.jacobian)
              if (j <= i) add_to(g, t.mass, {i, j}, g.mul(moment(k, l), g.mul(d, e)));
        }
    add_to(g, t.kinetic, g.mul(g.constant(0.5), twice));
  }

  static void rotation(Family& f, const std::vector<NodeId>& inertia, const std::vector<NodeId>& omega, Totals& t) {
    Graph& g = f.shape.graph;
    const std::size_t n = omega.size();
    const auto times_inertia = [&](const std::vector<NodeId>& v) { return sema::times_inertia(g, inertia, v); };
    std::vector<ad::Row> rows;
    std::vector<NodeId> gamma;
    for (NodeId w : omega) {
      rows.push_back(ad::differentiate(g, w, ad::Level::velocity, f.shape.motion()));
      gamma.push_back(rows.back().bias);
    }
    const std::vector<NodeId> h = times_inertia(omega);
    std::vector<NodeId> moment = times_inertia(gamma);  // I gamma + omega x h
    if (n == 3)
      for (std::size_t i = 0; i < 3; ++i) {
        const std::size_t j = (i + 1) % 3, k = (i + 2) % 3;
        moment[i] = g.add(moment[i], gyroscopic(g, inertia, omega, j, k));
      }
    std::vector<NodeId> still;  // omega at u = 0
    for (NodeId w : omega) still.push_back(at_rest(g, w));
    const std::vector<NodeId> momentum = times_inertia(still);
    std::map<std::uint32_t, std::vector<NodeId>> D;  // speed -> column of D
    for (std::size_t k = 0; k < n; ++k)
      for (const auto& [i, d] : rows[k].jacobian)
        D.try_emplace(i, std::vector<NodeId>(n, g.zero())).first->second[k] = d;
    for (const auto& [i, column] : D) {
      const std::vector<NodeId> Ic = times_inertia(column);
      for (const auto& [j, other] : D)
        if (j <= i) add_to(g, t.mass, {i, j}, g.dot(other, Ic));
      NodeId& force = t.force.try_emplace(i, g.zero()).first->second;
      force = g.sub(force, g.dot(column, moment));
      add_to(g, t.momentum, i, g.dot(column, momentum));
    }
    for (std::size_t k = 0; k < n; ++k)
      if (const NodeId c = still[k]; !g.is_zero(c)) {
        std::vector<NodeId> turning;
        for (const ad::Row& row : rows) turning.push_back(with_accelerations(f, row));
        NodeId needed = times_inertia(turning)[k];
        if (n == 3)
          needed = g.add(needed,
                         g.sub(g.mul(omega[(k + 1) % 3], h[(k + 2) % 3]), g.mul(omega[(k + 2) % 3], h[(k + 1) % 3])));
        add_to(g, t.support, g.mul(needed, c));
      }
    add_to(g, t.kinetic, g.mul(g.constant(0.5), g.dot(omega, h)));
  }

  // The contribution of loads: to f, or for `nonideal` ones to C, the prescribed part of constraints. `of` is the list
  // of the model that the loads are from.
  struct Applied {
    std::map<std::uint32_t, NodeId> force;
    NodeId power{0}, support{0};
  };

  template <class Expand>
  void finish_loads(System& s, FamilyBuilder (&builders)[2], const char* of, Expand&& expand) {
    for (const bool nonideal : {false, true}) {
      const std::size_t first = s.parts.size();
      finish(s, builders[nonideal], nonideal ? "nonideal" : of, [&](Family& f, Contributions& out) {
        const Graph& g = f.shape.graph;
        const Applied made = expand(f);
        for (const auto& [i, value] : made.force)
          if (!g.is_zero(value)) out.push_back({nonideal ? Target::nonideal_force : Target::force, i, 0, value});
        if (!g.is_zero(made.power))
          out.push_back({nonideal ? Target::nonideal_power : Target::load_power, 0, 0, made.power});
        if (!g.is_zero(made.support)) out.push_back({Target::support_power, 0, 0, made.support});
      });
      for (std::size_t k = first; k < s.parts.size(); ++k) s.parts[k].of = of;
      s.nonideal |= nonideal && s.parts.size() > first;
    }
  }

  // A force F at the point r(q,t): f += J^T F, power F.r'
  void forces(System& s) { vectors(s, "force", model_.forces, &sema::Force::position, model_.space); }

  // A torque of n components in the axes of omega = D u + ..: f += D^T tau, power tau.omega. A friction is a torque
  // against its slip.
  void torques(System& s) {
    for (const std::size_t n : {1, 2, 3}) vectors(s, "torque", model_.torques, &sema::Torque::omega, n);
  }

  // Lowers the loads of a list that have n components; each acts along its `along`.
  template <class Load>
  void vectors(System& s, const char* of, const std::vector<Load>& list, Nodes Load::*along, std::size_t n) {
    FamilyBuilder builders[] = {FamilyBuilder(model_), FamilyBuilder(model_)};
    for (std::uint32_t i = 0; i < list.size(); ++i) {
      if (list[i].value.size() != n) continue;
      Nodes roots = list[i].value;
      roots.insert(roots.end(), (list[i].*along).begin(), (list[i].*along).end());
      builders[list[i].nonideal].add(i, roots);
    }
    finish_loads(s, builders, of, [n](Family& f) {
      constexpr bool turns = std::is_same_v<Load, sema::Torque>;
      Graph& g = f.shape.graph;
      Applied made;
      for (std::size_t k = 0; k < n; ++k) {
        const NodeId F = f.shape.roots[k], moved = f.shape.roots[n + k];
        graph::SpanScope scope(g, g.origin(F));
        const ad::Row row = ad::differentiate(g, moved, turns ? ad::Level::velocity : ad::Level::position,
                                              turns ? f.shape.motion_with_held_states() : f.shape.motion());
        const NodeId rate = turns ? moved : row.rate;
        for (const auto& [i, J] : row.jacobian) add_to(g, made.force, i, g.mul(J, F));
        add_to(g, made.power, g.mul(F, rate));
        made.support = g.sub(made.support, g.mul(F, at_rest(g, rate)));
      }
      return made;
    });
  }

  // A generalised force Q on a coordinate, paired with its rate q' = W u + X: f += W^T Q, power Q q'. W is 1 for all
  // but the quaternion of a body and the coordinates of joints that rows hold.
  void loads(System& s) {
    FamilyBuilder builders[] = {FamilyBuilder(model_), FamilyBuilder(model_)};
    for (std::uint32_t i = 0; i < model_.loads.size(); ++i) {
      const sema::GeneralisedLoad& load = model_.loads[i];
      builders[load.nonideal].add(i, {load.value, load.rate});
    }
    finish_loads(s, builders, "load", [](Family& f) {
      Graph& g = f.shape.graph;
      const NodeId Q = f.shape.roots[0], rate = f.shape.roots[1];
      graph::SpanScope scope(g, g.origin(Q));
      Applied made;
      const ad::Row row = ad::differentiate(g, rate, ad::Level::velocity, f.shape.motion_with_held_states());
      for (const auto& [i, W] : row.jacobian) made.force[i] = g.mul(W, Q);
      made.power = g.mul(Q, rate);
      made.support = g.neg(g.mul(Q, at_rest(g, rate)));
      return made;
    });
  }

  void energies(System& s) {
    using Kind = sema::EnergyTerm::Kind;
    for (const Kind kind : {Kind::potential, Kind::dissipation}) {
      FamilyBuilder builder(model_, 1);
      for (std::uint32_t i = 0; i < model_.energies.size(); ++i)
        if (model_.energies[i].kind == kind) builder.add(i, {model_.energies[i].value});
      finish(s, builder, "energy", [kind](Family& f, Contributions& out) {
        graph::SpanScope scope(f.shape.graph, f.shape.graph.origin(f.shape.roots[0]));
        kind == Kind::potential ? potential_term(f, out) : dissipation_term(f, out);
      });
    }
    kinetic_terms(s);
  }

  // The roots are T, then the angular velocities in T that are speeds: those of bodies described by quaternions.
  void kinetic_terms(System& s) {
    std::map<std::uint32_t, const sema::Body*> body_of;  // by speed
    const auto speed = [this](NodeId w) { return model_.graph.node(w).a; };
    for (const sema::Body& b : model_.bodies)
      if (!b.negated_rotation.empty())  // it turns with speeds of its own
        for (const NodeId w : b.omega) body_of[speed(w)] = &b;
    std::map<std::size_t, FamilyBuilder> builders;  // by the number of those bodies
    for (std::uint32_t i = 0; i < model_.energies.size(); ++i) {
      if (model_.energies[i].kind != sema::EnergyTerm::Kind::kinetic) continue;
      std::map<std::uint32_t, const sema::Body*> turning;  // by first speed
      for (const Node& n : graph::leaves(model_.graph, model_.energies[i].value))
        if (n.leaf == LeafKind::speed)
          if (const auto it = body_of.find(n.a); it != body_of.end()) turning[speed(it->second->omega[0])] = it->second;
      Nodes roots{model_.energies[i].value};
      for (const auto& [first, body] : turning) roots.insert(roots.end(), body->omega.begin(), body->omega.end());
      builders.try_emplace(turning.size(), model_, 1).first->second.add(i, roots);
    }
    for (auto& [count, builder] : builders)
      finish(s, builder, "energy", [&s, count = count](Family& f, Contributions& out) {
        graph::SpanScope scope(f.shape.graph, f.shape.graph.origin(f.shape.roots[0]));
        kinetic_term(f, count, out);
        s.kinetic_in_one_piece = s.kinetic_in_one_piece && in_one_piece(f);
      });
  }

  // A row e = 0 of any level: A = J, b = -g (compiler/ad/motion.h). Rows of a representation have a second root, D.
  void equations(System& s) {
    constexpr ad::Level kLevels[] = {ad::Level::position, ad::Level::velocity, ad::Level::acceleration};
    FamilyBuilder of_bodies(model_, 2);
    FamilyBuilder builders[] = {FamilyBuilder(model_, 2), FamilyBuilder(model_, 1), FamilyBuilder(model_)};
    for (std::uint32_t i = 0; i < model_.equations.size(); ++i) {
      const sema::Equation& e = model_.equations[i];
      if (e.of_body)
        of_bodies.add(i, {e.residual, e.weight});
      else
        builders[static_cast<int>(e.level) - 1].add(i, {e.residual});
    }
    finish(s, of_bodies, "constraint", [](Family& f, Contributions& out) {
      out.push_back({Target::row_weight, 0, 0, f.shape.roots[1]});
      constraint_row(f, ad::Level::position, out);
    });
    for (std::size_t k = 0; k < 3; ++k)
      finish(s, builders[k], "constraint", [&s, level = kLevels[k]](Family& f, Contributions& out) {
        s.linear_rows &= constraint_row(f, level, out);
      });
  }

  void works(System& s) const {
    s.row_work.assign(s.n_rows, System::kNoWork);
    std::map<std::uint32_t, std::vector<std::uint32_t>> rows;  // by constraint
    for (Part& part : s.parts)
      if (std::string_view(part.what) == "constraint" && does_work(part))
        for (std::uint32_t row : part.family.items) rows[model_.equations[row].constraint].push_back(row);
    for (const auto& [constraint, list] : rows) {
      if (constraint == sema::Equation::kNoConstraint) continue;
      for (std::uint32_t row : list) s.row_work[row] = static_cast<std::uint32_t>(s.works.size());
      s.works.push_back(constraint);
    }
    if (s.nonideal) s.works.push_back(System::kPrescribed);
  }

  // y = Y u + Z of a quasi-velocity; y' = Y u' + (Y' u + Z'), where one pass along the motion at u' = 0 gives the last
  // term.
  void quasi_velocities(System& s) {
    FamilyBuilder builder(model_, 1);
    for (std::uint32_t i = 0; i < model_.quasi_velocities.size(); ++i)
      builder.add(i, {model_.quasi_velocities[i].value});
    finish(s, builder, "speed", [](Family& f, Contributions& out) {
      Graph& g = f.shape.graph;
      const NodeId y = f.shape.roots[0];
      graph::SpanScope scope(g, g.origin(y));
      const ad::Row row = ad::differentiate(g, y, ad::Level::velocity, f.shape.motion());
      for (const auto& [i, Y] : row.jacobian) out.push_back({Target::quasi_row, i, 0, Y});
      if (const NodeId Z = at_rest(g, y); !g.is_zero(Z)) out.push_back({Target::quasi_offset, 0, 0, Z});
      if (!g.is_zero(row.bias)) out.push_back({Target::quasi_bias, 0, 0, row.bias});
    });
  }

  const sema::Model& model_;
  bool with_watched_;
};

}  // namespace

System lower(const sema::Model& model, bool with_watched) { return Lowering(model, with_watched).run(); }

}  // namespace mbc::lower
