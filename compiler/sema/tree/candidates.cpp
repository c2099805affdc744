// SPDX-License-Identifier: Apache-2.0
// Joints whose coordinates may carry a body, by their texts: the placement is solved for the body, and tried in drawn
// states against the rows and the measures of its joint.
#include <algorithm>
#include <cmath>
#include <set>

#include "base/text.h"
#include "compiler/graph/drawn_numbers.h"
#include "compiler/graph/evaluate.h"
#include "compiler/sema/each_node.h"
#include "compiler/sema/elaborate.h"
#include "compiler/sema/free_bodies.h"
#include "compiler/sema/tree/drawn_values.h"
#include "compiler/sema/tree/forest.h"
#include "compiler/sema/tree/shared_loads.h"

namespace mbc::sema {

namespace {

constexpr int kDrawn = 16;                   // states
constexpr double kVanishes = 1e-9;           // of the terms of an expression
constexpr double kTermsAreRounding = 1e-13;  // of the terms of a row where no joint holds its bodies
constexpr double kSetAnew = 0.1;  // of a parameter, and of 1: a row must vanish whatever parameters are set to

// Every second state is drawn with other parameters.
bool sets_anew(int state) { return state % 2 == 1; }
double drawn_parameter(double value, std::uint32_t which, int state) {
  return sets_anew(state) ? value + kSetAnew * (1 + std::fabs(value)) * graph::drawn_number(which, state) : value;
}

// Values of what stands for a body: its place, and its angle or the columns of its rotation.
std::vector<double> standing_values(std::vector<double> r, const std::vector<double>& R) {
  if (R.size() == 4) {
    r.push_back(std::atan2(R[2], R[0]));
    return r;
  }
  for (std::size_t k = 0; k < 9; ++k) r.push_back(R[3 * (k % 3) + k / 3]);
  return r;
}

std::vector<double> product(const std::vector<double>& a, const std::vector<double>& b, std::size_t n) {
  std::vector<double> out(a.size() / n * (b.size() / n), 0.0);
  const std::size_t columns = b.size() / n;
  for (std::size_t i = 0; i < a.size() / n; ++i)
    for (std::size_t j = 0; j < columns; ++j)
      for (std::size_t k = 0; k < n; ++k) out[i * columns + j] += a[i * n + k] * b[k * columns + j];
  return out;
}

bool is_beyond_draws(const graph::Graph& g, NodeId e) {
  return beyond_draws(g, graph::reachable(g, {&e, 1}), Beyond::of_motion).back() != 0;
}

class Candidates {
 public:
  Candidates(Model& model, Sink& sink) : model_(model), g_(model.graph), sink_(sink), params_(parameter_values(model)) {
    for (std::uint32_t i = 0; i < model.bodies.size(); ++i)
      if (const Body& b = model.bodies[i]; b.representation == Representation::tree)
        for (std::uint32_t k = 0; k < coordinates_of_body(); ++k) body_of_[*b.first_coordinate - kPlaced + k] = i;
    each_cause(model, [this](const NodeId& n) { note_rows(g_, n, acts_); });
    const bool nonideal = model.any_nonideal();
    each_result(model, [this, nonideal](const NodeId& n) {
      note_rows(g_, n, recorded_);
      if (nonideal) note_rows(g_, n, acts_, {LeafKind::ideal});
    });
    note_quaternions();
    for (const problem::SwitchedRow& s : model.switched_rows) switched_.insert(s.row);
    for (const Event& e : model.events)
      for (const EventAction& a : e.actions) note_assigned(a);
  }

  // The rows whose reactions the motion depends on, and those that events switch.
  [[nodiscard]] const std::set<std::uint32_t>& acting() const { return acts_; }
  [[nodiscard]] const std::set<std::uint32_t>& switched() const { return switched_; }

  JointCandidate made(const Placement& p) {
    JointCandidate c;
    c.joint = &p;
    c.why_rows = solve(p, c);
    if (c.why_rows.empty()) c.why_rows = judge(p, c);
    return c;
  }

 private:
  [[nodiscard]] std::uint32_t coordinates_of_body() const { return model_.space == 2 ? 3 : 12; }

  // A quaternion made of the rotation of a carried body jumps to its negative, which nothing must see that is computed
  // from it.
  void note_quaternions() {
    std::map<std::uint32_t, std::uint32_t> body_of;  // by node
    std::set<std::uint32_t> own;
    for (std::uint32_t i = 0; i < model_.bodies.size(); ++i) {
      const Body& b = model_.bodies[i];
      if (b.representation != Representation::tree) continue;
      for (const NodeId n : b.quaternion) own.insert(n.value);
      for (const std::vector<NodeId>& nodes : {b.quaternion, rates_of(model_, b.quaternion)})
        for (const NodeId n : nodes) body_of[n.value] = i;
    }
    std::vector<NodeId> users;
    each_node(model_, [&](const NodeId& n) {  // those of the bodies themselves come once
      if (n.valid() && own.erase(n.value) == 0) users.push_back(n);
    });
    for (const NodeId n : graph::reachable(g_, users))
      if (const auto body = body_of.find(n.value); body != body_of.end()) turned_by_.insert(body->second);
  }

  void note_assigned(const EventAction& a) {
    if (a.kind == EventAction::Kind::coordinate) note_free(a.index);
    if (a.kind == EventAction::Kind::speed && a.index >= kPlaced)
      for (std::uint32_t i = 0; i < model_.bodies.size(); ++i)
        if (const Body& b = model_.bodies[i];
            b.first_speed && a.index >= *b.first_speed && a.index < *b.first_speed + (model_.space == 2 ? 3 : 6))
          free_.insert(i);
  }
  void note_free(std::uint32_t coordinate) {
    if (coordinate < kPlaced) return;
    if (const auto body = body_of_.find(coordinate - kPlaced); body != body_of_.end()) free_.insert(body->second);
  }

  // The bodies whose motion some expressions hold.
  [[nodiscard]] std::set<std::uint32_t> bodies_in(const std::vector<NodeId>& nodes) const {
    std::set<std::uint32_t> out;
    for (const Node& n : graph::leaves(g_, nodes))
      if (n.leaf == LeafKind::coordinate && n.a >= kPlaced)
        if (const auto body = body_of_.find(n.a - kPlaced); body != body_of_.end()) out.insert(body->second);
    return out;
  }

  [[nodiscard]] std::string unfit(std::uint32_t body) const {
    const Body& b = model_.bodies[body];
    const std::string name = quoted(b.name);
    if (b.representation != Representation::tree) return name + " has coordinates of its own";
    if (b.start_moves && init_moves(b)) return name + " begins with a velocity of its own from `init`";
    if (b.quaternion_given) return "`init` gives the rotation of " + name;
    if (turned_by_.contains(body)) return quoted(b.name + ".quat") + " is used, whose sign it would not keep";
    if (free_.contains(body)) return "an event acts on a coordinate of " + name;
    return "";
  }

  // Returns whether `init` gives a velocity of a body, beside those of its declaration.
  [[nodiscard]] bool init_moves(const Body& b) const {
    for (std::uint32_t k = 0; k < (model_.space == 2 ? 3 : 6); ++k) {
      const Start& start = model_.speed(*b.first_speed + k).start;
      if (start.written && !start.declared) return true;
    }
    return false;
  }

  // The pose of the body seen from its carrier, or why there is none. Where the ground is placed, it carries the body.
  std::string solve(const Placement& p, JointCandidate& c) {
    if (!p.body && !p.ground) return "what it places is not fixed in a body";
    std::vector<NodeId> place = p.place.r;
    place.insert(place.end(), p.place.R.begin(), p.place.R.end());
    for (const Node& n : graph::leaves(g_, place))
      if (!may_hold(p, n)) return "its place depends on more than coordinates and the time";
    if (graph::holds(g_, p.measures, {LeafKind::time})) return "what measures it depends on the time";
    const std::set<std::uint32_t> carriers = bodies_in(place);
    if (carriers.size() > 1 || (p.body && carriers.contains(*p.body))) return "its place depends on more than one body";
    if (!p.body && carriers.empty()) return "it holds no body";
    for (const std::uint32_t carrier : carriers)
      if (std::string why = unfit(carrier); !why.empty()) return why;
    if (p.body)
      if (std::string why = unfit(*p.body); !why.empty()) return why;
    if (!carriers.empty()) c.carrier = *carriers.begin();
    Pose offset = p.body ? at_identity(p.frame, *p.body) : p.frame;
    Pose seen = c.carrier ? at_identity(p.place, *c.carrier) : p.place;
    c.body = p.body.value_or(c.carrier.value_or(0));
    if (!p.body) {
      std::swap(offset, seen);
      c.carrier.reset();
    }
    c.pose = p.point() ? seen : sema::product(g_, seen, inverse(g_, offset));
    c.own = std::move(offset.r);
    c.on_carrier = std::move(seen.r);
    return "";
  }

  [[nodiscard]] bool may_hold(const Placement& p, const Node& n) const {
    if (n.leaf != LeafKind::coordinate) return n.leaf == LeafKind::param || n.leaf == LeafKind::time;
    if (n.a < kPlaced) return !model_.coordinates[n.a].of_particle;
    return body_of_.contains(n.a - kPlaced) || std::ranges::count(p.coordinates, n.a) > 0;
  }

  // A pose where the axes of a body are those of space.
  Pose at_identity(const Pose& p, std::uint32_t body) {
    const Pose unit = identity_pose(g_, model_.space);
    const std::uint32_t first = *model_.bodies[body].first_coordinate;
    const auto leaf = [&](const Node& n) {
      if (n.leaf != LeafKind::coordinate || n.a < first || n.a >= first + coordinates_of_body())
        return g_.leaf(n.leaf, n.a);
      const std::uint32_t k = n.a - first, r = static_cast<std::uint32_t>(model_.space);
      return k < r || r == 2 ? g_.zero() : unit.R[3 * ((k - r) % 3) + (k - r) / 3];
    };
    return {graph::copy_into(g_, p.r, g_, leaf), graph::copy_into(g_, p.R, g_, leaf)};
  }

  // The rows of the joint itself, not of joints inside it.
  [[nodiscard]] std::vector<std::uint32_t> rows_of(const Placement& p) const {
    std::vector<std::uint32_t> rows;
    for (const Constraint& c : model_.constraints) {
      const std::string name = c.name.text();
      if (!name.starts_with(p.joint) || name.find('.', p.joint.size()) != std::string::npos) continue;
      for (std::uint32_t k = 0; k < c.row_count; ++k)
        if (!model_.equations[c.first_row + k].of_body) rows.push_back(c.first_row + k);
    }
    return rows;
  }

  // Returns what keeps a joint with a pose from being used, and notes its rows that vanish. Reports.
  std::string judge(const Placement& p, JointCandidate& c) {
    std::vector<NodeId> nodes = c.pose.r;
    const std::vector<NodeId>& rest = p.point() ? c.own : c.pose.R;
    nodes.insert(nodes.end(), rest.begin(), rest.end());
    const std::vector<std::uint32_t> rows = rows_of(p);
    for (const std::uint32_t row : rows) {
      if (switched_.contains(row)) return "an event or `init` switches a row of it";
      if (acts_.contains(row)) return "its reaction acts in the model, or is asked for without `nonideal` loads";
    }
    std::vector<char> vanishes(rows.size(), 1);
    std::vector<NodeId> residuals, all = nodes;
    for (std::size_t k = 0; k < rows.size(); ++k) {
      const Equation& e = model_.equations[rows[k]];
      residuals.push_back(e.residual);
      vanishes[k] = e.level == Level::position && !is_beyond_draws(g_, e.residual) ? 1 : 0;
    }
    all.insert(all.end(), residuals.begin(), residuals.end());
    all.insert(all.end(), p.measures.begin(), p.measures.end());
    std::set<std::uint32_t> bodies = bodies_in(all);
    bodies.insert(c.body);
    if (c.carrier) bodies.insert(*c.carrier);
    for (int state = 0; state < kDrawn; ++state)
      if (!try_state(p, c, nodes, residuals, drawn_standing(bodies, state), state, vanishes))
        return "its place is no rotation, or not measured by the names";
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (vanishes[k] != 0) c.rows.push_back(rows[k]);
    const std::size_t freedom = p.point() ? model_.space : model_.space == 2 ? 3 : 6;
    if (c.rows.size() + p.coordinates.size() < freedom) {
      sink_.report(Kind::placement_rows, p.span, quoted(p.joint.empty() ? "coordinates" : stem(p)),
                   std::to_string(c.rows.size()), std::to_string(freedom - p.coordinates.size()));
      return "its place does not fulfil its rows";
    }
    if (c.rows.size() + p.coordinates.size() > freedom &&
        std::ranges::any_of(c.rows, [this](std::uint32_t row) { return recorded_.contains(row); }))
      return "its reaction is asked for, and its rows depend on each other";
    if (drawn_apart(c)) return "its bodies are not drawn where its rows hold";
    return begin_apart(c) ? "its bodies do not begin with velocities that its rows allow" : "";
  }

  static std::string stem(const Placement& p) { return p.joint.substr(0, p.joint.size() - 1); }

  using Values = std::map<std::uint32_t, double>;  // by coordinate that stands, less kPlaced

  [[nodiscard]] double value(const Node& n, const Values& standing, int state) const {
    if (n.leaf == LeafKind::param) return drawn_parameter(params_[n.a], n.a, state);
    if (n.leaf == LeafKind::coordinate && n.a >= kPlaced) return standing_value(standing, n.a - kPlaced, state);
    return drawn_leaf(n, state);
  }

  // Coordinates of joints are drawn.
  [[nodiscard]] static double standing_value(const Values& standing, std::uint32_t k, int state) {
    const auto known = standing.find(k);
    return known == standing.end() ? graph::drawn_number(k, state) : known->second;
  }

  [[nodiscard]] Values drawn_standing(const std::set<std::uint32_t>& bodies, int state) const {
    Values standing;
    for (const std::uint32_t i : bodies) {
      if (model_.bodies[i].representation != Representation::tree) continue;
      std::vector<double> r;
      for (std::uint32_t k = 0; k < model_.space; ++k) r.push_back(graph::drawn_number(7 * i + k, state));
      put(i, r, graph::drawn_rotation(7 * i + 3, state, model_.space), standing);
    }
    return standing;
  }

  void put(std::uint32_t body, const std::vector<double>& r, const std::vector<double>& R, Values& standing) const {
    const std::vector<double> q = standing_values(r, R);
    for (std::uint32_t k = 0; k < q.size(); ++k) standing[*model_.bodies[body].first_coordinate - kPlaced + k] = q[k];
  }

  // In one drawn state: rows that do not vanish are struck. False where a name is not measured. Other parameters than
  // the given ones may make no rotation: such a state says nothing.
  bool try_state(const Placement& p, const JointCandidate& c, const std::vector<NodeId>& pose,
                 const std::vector<NodeId>& rows, Values standing, int state, std::vector<char>& vanishes) {
    const std::size_t n = model_.space;
    const graph::LeafValue value_of = [&](const Node& leaf) { return value(leaf, standing, state); };
    const auto values_of = [&](const std::vector<NodeId>& nodes) { return graph::evaluate(g_, nodes, value_of); };
    const std::vector<double> all = values_of(pose);
    std::vector<double> r(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(n)),
        rest(all.begin() + static_cast<std::ptrdiff_t>(n), all.end());
    const bool undefined = std::ranges::any_of(all, [](double x) { return !std::isfinite(x); });
    if (undefined || (!p.point() && !not_a_rotation_because(rest).empty())) return sets_anew(state);
    std::vector<double> R = p.point() ? values_of(model_.bodies[c.body].rotation) : rest;
    if (c.carrier) {
      const Body& carrier = model_.bodies[*c.carrier];
      const std::vector<double> x = values_of(carrier.position), A = values_of(carrier.rotation);
      r = product(A, r, n);
      for (std::size_t k = 0; k < n; ++k) r[k] += x[k];
      if (!p.point()) R = product(A, R, n);
    }
    if (p.point()) {
      const std::vector<double> arm = product(R, rest, n);
      for (std::size_t k = 0; k < n; ++k) r[k] -= arm[k];
    }
    put(c.body, r, R, standing);
    const std::vector<double> measured = values_of(p.measures);
    for (std::size_t k = 0; k < measured.size(); ++k) {
      const double q = standing_value(standing, p.coordinates[k] - kPlaced, state);
      if (!(std::fabs(measured[k] - q) <= kVanishes * (1 + std::fabs(q)))) return false;
    }
    const std::vector<graph::SizedValue> left = graph::evaluate_with_size(g_, rows, value_of);
    for (std::size_t k = 0; k < rows.size(); ++k)
      if (!(std::fabs(left[k].value) <= std::max(kVanishes * left[k].size, kTermsAreRounding * size_apart(rows[k]))))
        vanishes[k] = 0;
    return true;
  }

  // Returns whether the rows that go are not met where the bodies are drawn: nobody would say so.
  [[nodiscard]] bool drawn_apart(const JointCandidate& c) const {
    return std::ranges::any_of(c.rows,
                               [this](std::uint32_t row) { return !met_as_drawn(model_.equations[row].residual); });
  }
  // As drawn_apart, of the velocities of `moving` and `spinning`.
  [[nodiscard]] bool begin_apart(const JointCandidate& c) {
    if (!model_.bodies[c.body].start_moves && !(c.carrier && model_.bodies[*c.carrier].start_moves)) return false;
    return std::ranges::any_of(c.rows, [this](std::uint32_t row) {
      return !met_as_drawn(ad::time_derivative(g_, model_.equations[row].residual, model_.motion()));
    });
  }
  [[nodiscard]] bool met_as_drawn(NodeId row) const {
    const auto as_drawn = [&](const Node& n) {
      if (n.leaf == LeafKind::param) return params_[n.a];
      if (n.leaf == LeafKind::speed) return constant_values(model_, {model_.speed(n.a).initial}, params_)[0];
      if (n.leaf != LeafKind::coordinate) return 0.0;
      return constant_values(model_, {model_.coordinate(n.a).initial}, params_)[0];
    };
    const graph::SizedValue drawn = graph::evaluate_with_size(g_, {&row, 1}, as_drawn)[0];
    return std::fabs(drawn.value) <= std::max(kDrawnApart * drawn.size, kTermsAreRounding * size_apart(row));
  }

  // Returns the size of the terms of a row where its bodies are anywhere. All terms that are left of it can be rounding
  // where they are placed: entries of a rotation by a third of a turn that are 1e-17.
  [[nodiscard]] double size_apart(NodeId row) const {
    return graph::evaluate_with_size(g_, {&row, 1}, [this](const Node& n) { return value(n, {}, 0); })[0].size;
  }

  Model& model_;
  graph::Graph& g_;
  Sink& sink_;
  std::vector<double> params_;
  std::map<std::uint32_t, std::uint32_t> body_of_;      // by coordinate that stands, less kPlaced
  std::set<std::uint32_t> acts_, recorded_, switched_;  // rows, by what reads their multipliers
  std::set<std::uint32_t> free_;                        // bodies
  std::set<std::uint32_t> turned_by_;                   // bodies whose quaternion is used
};

}  // namespace

std::vector<char> vanishing(const Model& model, const std::vector<NodeId>& expressions) {
  const std::vector<double> params = parameter_values(model);
  const std::vector<NodeId> below = graph::reachable(model.graph, expressions);
  const std::vector<std::size_t> at = places(below);
  const std::vector<char> beyond = beyond_draws(model.graph, below, Beyond::of_motion);
  std::vector<char> out;
  for (const NodeId e : expressions) out.push_back(beyond[at[e.value]] == 0 ? 1 : 0);
  for (int state = 0; state < kDrawn; ++state) {
    const auto value = [&](const Node& n) {
      return n.leaf == LeafKind::param ? drawn_parameter(params[n.a], n.a, state) : drawn_leaf(n, state);
    };
    const std::vector<double> values = graph::evaluate(model.graph, below, value),
                              sizes = sizes_of_last_sums(model.graph, below, values);
    for (std::size_t k = 0; k < expressions.size(); ++k) {
      const std::size_t node = at[expressions[k].value];
      if (!(std::fabs(values[node]) <= kVanishes * sizes[node])) out[k] = 0;
    }
  }
  return out;
}

std::vector<JointCandidate> joint_candidates(Model& model, const std::vector<Placement>& placements, Sink& sink) {
  Candidates candidates(model, sink);
  std::vector<JointCandidate> out;
  out.reserve(placements.size());
  for (const Placement& p : placements) out.push_back(candidates.made(p));
  keep_rows_that_share(model, candidates.acting(), candidates.switched(), out);
  keep_rows_that_contacts_share(model, candidates.acting(), candidates.switched(), out);
  return out;
}

}  // namespace mbc::sema
