// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/drawn_joints.h"

#include <algorithm>
#include <map>
#include <set>

#include "base/disjoint_sets.h"
#include "compiler/ad/motion.h"
#include "compiler/graph/graph.h"
#include "compiler/sema/joint_angles.h"
#include "compiler/sema/rotations.h"

namespace mbc::sema {

namespace {

std::uint32_t count_of_coordinates(const Model& model, const Body& b) {
  if (model.space == 2) return 3;
  return b.representation == Representation::tree || b.representation == Representation::natural ? 12 : 7;
}

std::uint32_t count_of_speeds(const Model& model) { return model.space == 2 ? 3 : 6; }

// h^T J^-1 h by the cofactors of J = (Ixx, Iyy, Izz, Ixy, Ixz, Iyz), or h^2/J in the plane.
NodeId by_inverse(graph::Graph& g, const std::vector<NodeId>& J, const std::vector<NodeId>& h) {
  if (h.size() == 1) return g.div(g.mul(h[0], h[0]), J[0]);
  const auto minor = [&](std::size_t a, std::size_t b, std::size_t c, std::size_t d) {
    return g.sub(g.mul(J[a], J[b]), g.mul(J[c], J[d]));
  };
  const NodeId xx = minor(1, 2, 5, 5), yy = minor(0, 2, 4, 4), zz = minor(0, 1, 3, 3), xy = minor(4, 5, 3, 2),
               xz = minor(3, 5, 4, 1), yz = minor(3, 4, 0, 5);
  const std::vector<NodeId> cofactors{xx, yy, zz, xy, xz, yz};
  const NodeId determinant = g.add(g.add(g.mul(J[0], xx), g.mul(J[3], xy)), g.mul(J[4], xz));
  return g.div(g.dot(h, times_inertia(g, cofactors, h)), determinant);
}

// The inverse of the inertia of a body that moves by v and omega, with the slopes of a rate along these:
// |g_v|^2/m + h^T J^-1 h, h = g_omega - c x R^T g_v, since v = v_c - R (omega x c).
NodeId inverse_inertia(graph::Graph& g, const Body& b, const std::vector<NodeId>& slopes) {
  const std::size_t n = b.position.size();
  const std::vector<NodeId> along(slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(n));
  std::vector<NodeId> h(slopes.begin() + static_cast<std::ptrdiff_t>(n), slopes.end()), back(n, g.zero());
  for (std::size_t j = 0; j < n; ++j)
    for (std::size_t i = 0; i < n; ++i) back[j] = g.add(back[j], g.mul(b.rotation[i * n + j], along[i]));
  std::vector<NodeId> arm(h.size(), g.zero());
  if (!b.com.empty() && n == 2) arm[0] = g.sub(g.mul(b.com[0], back[1]), g.mul(b.com[1], back[0]));
  if (!b.com.empty() && n == 3) arm = cross(g, b.com, back);
  for (std::size_t k = 0; k < h.size(); ++k) h[k] = g.sub(h[k], arm[k]);
  return g.add(g.div(g.dot(along, along), b.mass), by_inverse(g, b.inertia, h));
}

std::vector<NodeId> transposed(const std::vector<NodeId>& R, std::size_t n) {
  std::vector<NodeId> out = R;
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = 0; j < n; ++j) out[i * n + j] = R[j * n + i];
  return out;
}

std::set<std::uint32_t> bodies_in(const Model& model, const std::vector<NodeId>& nodes) {
  std::set<std::uint32_t> out;
  for (const Node& n : graph::leaves(model.graph, nodes)) {
    if (n.leaf != LeafKind::coordinate) continue;
    for (std::uint32_t i = 0; i < model.bodies.size(); ++i)
      if (const Body& b = model.bodies[i]; b.first_coordinate && n.a >= *b.first_coordinate &&
                                           n.a < *b.first_coordinate + count_of_coordinates(model, b))
        out.insert(i);
  }
  return out;
}

}  // namespace

NodeId as_bodies_are_drawn(Model& model, NodeId e) {
  graph::Graph& g = model.graph;
  return graph::copy_into(g, {&e, 1}, g, [&](const Node& n) {
    return n.leaf == LeafKind::coordinate ? model.coordinate(n.a).initial
           : n.leaf == LeafKind::speed    ? model.speed(n.a).initial
           : n.leaf == LeafKind::time     ? g.zero()
                                          : g.leaf(n.leaf, n.a);
  })[0];
}

// The inertia that an expression of free bodies and particles moves where it changes, as they are drawn: half of it is
// the least energy of its unit rate.
class MovedInertia {
 public:
  explicit MovedInertia(Model& model) : model_(model) {
    for (const Body& b : model.bodies) {
      const bool own = b.representation == Representation::quaternion || b.representation == Representation::tree;
      for (std::uint32_t k = 0; b.first_speed && own && k < count_of_speeds(model); ++k)
        bodies_[*b.first_speed + k] = {&b, k};
    }
    for (const Particle& p : model.particles)
      for (const NodeId v : p.velocity)
        if (const Node& n = model.graph.node(v); p.first_coordinate && n.op == Op::leaf) particles_[n.a] = &p;
  }

  // Not valid if the expression depends on other speeds.
  [[nodiscard]] NodeId of(NodeId e, Level level) const {
    graph::Graph& g = model_.graph;
    std::map<const Body*, std::vector<NodeId>> slopes;
    NodeId inverse = g.zero();
    for (const auto& [speed, slope] : ad::differentiate(g, e, level, model_.motion()).jacobian) {
      if (const auto body = bodies_.find(speed); body != bodies_.end()) {
        const auto& [owner, component] = body->second;
        slopes.try_emplace(owner, count_of_speeds(model_), g.zero()).first->second[component] = slope;
      } else if (const auto particle = particles_.find(speed); particle != particles_.end()) {
        inverse = g.add(inverse, g.div(g.mul(slope, slope), particle->second->mass));
      } else {
        return {};
      }
    }
    for (const auto& [body, by_speed] : slopes) inverse = g.add(inverse, inverse_inertia(g, *body, by_speed));
    return as_bodies_are_drawn(model_, g.div(g.one(), inverse));
  }

 private:
  Model& model_;
  std::map<std::uint32_t, std::pair<const Body*, std::uint32_t>> bodies_;  // by speed, with the component
  std::map<std::uint32_t, const Particle*> particles_;
};

void weigh_wishes(Model& model) {
  const MovedInertia inertia(model);
  for (InitialTarget& t : model.initial_targets)
    if (t.start.soft && !t.weight.valid()) t.weight = inertia.of(without_turns(model, t.target), t.level);
}

void DrawnJoints::read(Model& model, const std::vector<DrawnJoint>& joints) {
  const auto placed = [](const InitialTarget& t) { return t.level == Level::position; };
  if (std::ranges::none_of(model.initial_targets, placed)) return;
  const MovedInertia inertia(model);
  for (const DrawnJoint& joint : joints) {
    for (std::size_t k = 0; k < joint.measures.size(); ++k) {
      const NodeId measure = joint.measures[k];
      kept_.push_back({joint.names[k], measure, as_bodies_are_drawn(model, measure),
                       inertia.of(measure, Level::position), joint.name, joint.dimensions[k], joint.span});
    }
    if (joint.point) keep_angles(model, joint, inertia);
  }
  find_roots(model, joints);
}

// A joint that places a point leaves a rotation free, which stays as drawn too: with K = A^T B and K_0 where it is
// drawn, the antisymmetric part of K_0^T K vanishes.
void DrawnJoints::keep_angles(Model& model, const DrawnJoint& joint, const MovedInertia& inertia) {
  graph::Graph& g = model.graph;
  const std::size_t n = model.space;
  const std::set<std::uint32_t> between = bodies_in(model, joint.holds);
  if (between.empty() || between.size() > 2) return;
  std::vector<NodeId> K = model.bodies[*between.rbegin()].rotation, drawn;
  if (between.size() == 2) K = matrix_product(g, transposed(model.bodies[*between.begin()].rotation, n), K, n);
  for (const NodeId e : K) drawn.push_back(as_bodies_are_drawn(model, e));
  const std::vector<NodeId> turned = matrix_product(g, transposed(drawn, n), K, n);
  for (std::size_t i = 0; i < n; ++i)
    for (std::size_t j = i + 1; j < n; ++j) {
      const NodeId angle = g.mul(g.constant(0.5), g.sub(turned[j * n + i], turned[i * n + j]));
      kept_.push_back({angle, angle, g.zero(), inertia.of(angle, Level::position), joint.name, {}, joint.span});
    }
}

// The first body of each mechanism of joints that does not hang on the ground.
void DrawnJoints::find_roots(const Model& model, const std::vector<DrawnJoint>& joints) {
  const auto ground = static_cast<std::uint32_t>(model.bodies.size());
  DisjointSets sets(ground + 1);
  std::vector<char> jointed(ground + 1, 0);
  for (const DrawnJoint& joint : joints) {
    const std::set<std::uint32_t> between = bodies_in(model, joint.holds);
    for (const std::uint32_t body : between) {
      sets.join(body, between.size() == 1 ? ground : *between.begin());
      jointed[body] = 1;
    }
  }
  for (std::uint32_t i = 0; i < ground; ++i)
    if (jointed[i] != 0 && sets.root(i) == i && sets.root(ground) != i) roots_.push_back(i);
}

std::vector<NodeId*> DrawnJoints::nodes() {
  std::vector<NodeId*> out;
  for (Kept& k : kept_) out.insert(out.end(), {&k.name, &k.measure});
  return out;
}

void DrawnJoints::keep(Model& model) const {
  std::set<std::uint32_t> given;  // by `init`
  for (const InitialTarget& t : model.initial_targets) given.insert(t.target.value);
  std::vector<InitialTarget> made;
  const auto follows = [&](NodeId e) {
    return std::ranges::any_of(graph::leaves(model.graph, e), [&](const Node& n) {
      return n.leaf == LeafKind::coordinate && model.coordinates[n.a].start.soft;
    });
  };
  for (const Kept& k : kept_) {
    const Node n = model.graph.node(k.name);
    const bool own = n.op == Op::leaf && n.leaf == LeafKind::coordinate;
    const NodeId target = own ? k.name : k.measure;
    if (given.contains(target.value) || !follows(target)) continue;
    made.push_back({k.text, target, own ? model.coordinates[n.a].initial : k.value, Level::position, k.dimension,
                    Start{false, true, false}, k.span, k.weight});
  }
  for (const std::uint32_t root : roots_) {
    const Body& b = model.bodies[root];
    for (std::uint32_t k = 0; b.first_coordinate && k < count_of_coordinates(model, b); ++k) {
      const std::uint32_t i = *b.first_coordinate + k;
      const Coordinate& q = model.coordinates[i];
      if (q.start.soft && !q.start.written)
        made.push_back({q.name,
                        model.graph.leaf(LeafKind::coordinate, i),
                        q.initial,
                        Level::position,
                        q.dimension,
                        Start{false, true, true},
                        q.span,
                        {}});
    }
  }
  model.initial_targets.insert(model.initial_targets.end(), made.begin(), made.end());
}

}  // namespace mbc::sema
