// SPDX-License-Identifier: Apache-2.0
#include "compiler/lower/describe.h"

#include <algorithm>
#include <memory>
#include <set>
#include <utility>

#include "compiler/graph/evaluate.h"
#include "compiler/lower/names.h"
#include "compiler/sema/watched/pressed_by.h"

namespace mbc::lower {

namespace {

std::string unit_of(const sema::Model& m, const sema::Dimension& d) { return m.has_units ? sema::to_text(d) : ""; }

// Describes the columns of a free body, and marks the outputs that are its quaternion if that comes from a matrix.
// `names` are those of the outputs recorded here.
void describe_body(const sema::Model& m, const sema::Body& b, problem::Problem& out, std::set<std::string>& names) {
  for (const problem::Recorded& c : b.columns) {
    out.columns.push_back(c);
    if (c.kind == problem::Recorded::Kind::output) names.insert(m.outputs[c.index].name);
  }
  if (m.space != 3) return;
  if (b.first_coordinate) out.bodies.push_back({b.representation, b.name, *b.first_coordinate + 3, *b.first_speed + 3});
  if (b.representation != settings::Representation::natural && b.representation != settings::Representation::tree)
    return;
  for (std::uint32_t k = 0; k + 4 <= m.outputs.size(); ++k) {
    bool quaternion = true;
    for (std::uint32_t i = 0; i < 4; ++i) quaternion &= m.outputs[k + i].value == b.quaternion[i];
    if (quaternion) out.quaternion_outputs.push_back(k);
  }
}

std::vector<std::uint32_t> ideal_rows(const sema::Model& m) {
  std::vector<NodeId> nodes = m.probes;
  const auto add = [&nodes](const std::vector<NodeId>& value) {
    nodes.insert(nodes.end(), value.begin(), value.end());
  };
  for (const sema::Output& o : m.outputs) nodes.push_back(o.value);
  for (const sema::Force& f : m.forces) add(f.value);
  for (const sema::Torque& f : m.torques) add(f.value);
  for (const sema::GeneralisedLoad& f : m.loads) nodes.push_back(f.value);
  std::set<std::uint32_t> rows;
  for (const Node& n : graph::leaves(m.graph, nodes))
    if (n.leaf == LeafKind::ideal) rows.insert(n.a);
  return {rows.begin(), rows.end()};
}

using Size = problem::Problem::Size;

// Returns the kinds by coordinate. A coordinate without a unit is an angle in a model with units; in a model without
// units it may be anything.
std::vector<Size> sizes_of(const sema::Model& m) {
  std::vector<Size> out(m.coordinates.size(), Size::own);
  const auto places = [&](std::uint32_t first) {
    for (std::uint32_t k = 0; k < m.space; ++k) out[first + k] = static_cast<Size>(k);
  };
  for (std::size_t k = 0; m.has_units && k < out.size(); ++k) {
    if (m.coordinates[k].dimension.dimensionless()) out[k] = Size::one;
    if (m.coordinates[k].dimension == sema::length_dimension()) out[k] = Size::length;
  }
  for (std::size_t k = 0; k < out.size(); ++k) {
    if (m.coordinates[k].of_joint == sema::Coordinate::OfJoint::turns) out[k] = Size::one;
    if (m.coordinates[k].of_joint == sema::Coordinate::OfJoint::slides) out[k] = Size::length;
  }
  for (const std::uint32_t first : m.quaternions)
    for (std::uint32_t k = 0; k < 4; ++k) out[first + k] = Size::one;
  for (const sema::Particle& p : m.particles)
    if (p.first_coordinate) places(*p.first_coordinate);
  for (const sema::Body& b : m.bodies) {
    for (const problem::Recorded& c : b.columns)  // a body that hangs on a point in the plane has an angle of its own
      if (!b.first_coordinate && m.space == 2 && c.kind == problem::Recorded::Kind::coordinate)
        out[c.index] = Size::one;
    if (!b.first_coordinate) continue;
    places(*b.first_coordinate);
    const std::uint32_t turning = m.space == 2 ? 1 : b.representation == settings::Representation::natural ? 9 : 4;
    for (std::uint32_t k = 0; k < turning; ++k) out[*b.first_coordinate + m.space + k] = Size::one;
  }
  return out;
}

bool holds_what_events_change(const sema::Model& m, const sema::Equation& row) {
  for (const Node& n : graph::leaves(m.graph, row.residual)) {
    if (n.leaf == LeafKind::state) return true;
    const std::optional<std::uint32_t> k = m.discrete_index(n);
    if (!k) continue;
    using Use = problem::DiscreteVariable::Use;
    const Use use = m.held[*k].variable.use;
    // modes and turns change where the function is the same on both sides
    if (use != Use::enabled && use != Use::active && use != Use::mode && use != Use::friction && use != Use::load &&
        use != Use::turns)
      return true;
  }
  return false;
}

problem::DiscreteVariables::AtStart discrete_state_at_start(const sema::Model& m) {
  if (m.held.empty()) return {};
  auto values = std::make_shared<Graph>();
  std::vector<NodeId> nodes;
  for (const sema::Held& h : m.held) nodes.push_back(h.initial);
  nodes = graph::copied_as_they_are(m.graph, nodes, *values);
  values->settle();
  return [values, nodes](std::span<const double> params) {
    return graph::evaluate(*values, nodes, [&](const Node& n) { return params[n.a]; });
  };
}

void describe_discrete_variables(const sema::Model& m, problem::Problem& out) {
  std::vector<problem::DiscreteVariable> list;
  list.reserve(m.held.size());
  out.held.reserve(m.held.size());
  for (const sema::Held& h : m.held) {
    list.push_back(h.variable);
    out.held.push_back({h.variable.name, unit_of(m, h.dimension), h.doc.empty_text() ? SharedText("state") : h.doc});
  }
  out.events.discrete = {std::move(list), m.held_at, discrete_state_at_start(m)};
}

void describe_contacts(const sema::Model& m, problem::Events& out) {
  out.unilaterals.reserve(m.unilaterals.size());
  for (const sema::Unilateral& u : m.unilaterals) out.unilaterals.push_back(u.contact);
  for (const sema::Friction& f : m.frictions) {
    problem::Friction& made = out.frictions.emplace_back(f.contact);
    made.varies = sema::limits_vary(m, f);
    made.pressed_by = sema::pressed_by(m, f);
    const sema::NodeId limits[] = {f.limit, f.still};
    for (const sema::Node& n : graph::leaves(m.graph, limits))
      if (n.leaf == sema::LeafKind::multiplier) made.limit_rows.push_back(n.a);
  }
}

void describe_events(const sema::Model& m, problem::Problem& info) {
  problem::Events& out = info.events;
  out.list = m.events;
  out.list.insert(out.list.end(), m.kinks.begin(), m.kinks.end());
  out.n_kinks = static_cast<std::uint32_t>(m.kinks.size());
  out.unlocated_kink = m.unlocated_kink;
  out.followed = m.followed;
  out.momenta = m.momenta;
  out.first_value = static_cast<std::uint32_t>(m.outputs.size());
  out.n_values = static_cast<std::uint32_t>(m.event_values.size());
  info.input_signals = m.input_signals;
  for (const sema::ReactionDependentForce& l : m.reaction_dependent) out.reaction_dependent.push_back(l.force);
  for (const sema::JointAngle& a : m.joint_angles) out.angles.push_back(a.angle);
  if (out.list.empty()) return;
  describe_contacts(m, out);
  out.switched_rows = m.switched_rows;
  for (const sema::Equation& row : m.equations) out.held_in_rows |= holds_what_events_change(m, row);
  bool positions = false;
  for (const problem::Event& e : m.events)
    for (const problem::EventAction& a : e.actions) positions |= a.kind == problem::EventAction::Kind::coordinate;
  for (std::size_t i = 0; positions && i < m.coordinates.size(); ++i) {
    auto& speeds = out.speeds_in_rate.emplace_back();
    for (const Node& n : graph::leaves(m.graph, m.coordinates[i].rate))
      if (n.leaf == LeafKind::speed) speeds.push_back(n.a);
  }
}

// Adds the column with the number of the event that a row belongs to, if a block asks for such rows.
void record_rows_of_events(const sema::Model& m, problem::Problem& info) {
  const auto asks = [](const sema::Simulation& s) { return s.rows.method == settings::Rows::events; };
  if (std::none_of(m.simulations.begin(), m.simulations.end(), asks)) return;
  info.event.push_back({"event", "", "number of the event, negative before it"});
  info.columns.push_back({problem::Recorded::Kind::event, 0});
}

// Describes rows, coordinates, speeds and states.
void describe_motion(const sema::Model& m, problem::Problem& info) {
  for (const sema::Equation& e : m.equations)
    info.rows.push_back({e.name, e.level, e.span, e.of_body.has_value(), unit_of(m, e.dimension)});
  info.instances = m.instances;
  for (const sema::Coordinate& c : m.coordinates) {
    info.coordinates.push_back({c.name, unit_of(m, c.dimension), "coordinate"});
    info.coordinate_spans.push_back(c.span);
  }
  for (const Size size : sizes_of(m)) info.sizes.push_back(size);
  for (const sema::Speed& s : m.speeds) {
    info.speeds.push_back({s.name, unit_of(m, s.dimension), "speed"});
    info.accelerations.push_back(
        {s.acceleration, m.has_units ? sema::to_text(s.dimension / sema::time_dimension()) : "", "acceleration"});
    info.speed_spans.push_back(s.span);
    info.coordinate_of_speed.push_back(s.coordinate.value_or(problem::Problem::kNoCoordinate));
  }
  for (const sema::State& s : m.states) {
    info.states.push_back({s.name, unit_of(m, s.dimension), s.doc.empty() ? "state" : s.doc});
    info.state_spans.push_back(s.span);
  }
}

// Lists the columns: free particles, then coordinates, each with positions, velocities and accelerations; then states,
// prescribed bodies and outputs.
void describe_columns(const sema::Model& m, problem::Problem& info) {
  using Recorded = problem::Recorded;
  // adds coordinates with q' = u; behind a quaternion, u has another index than q
  const auto record = [&](std::uint32_t first, std::uint32_t count) {
    for (std::uint32_t k = 0; k < count; ++k) info.columns.push_back({Recorded::Kind::coordinate, first + k});
    for (auto kind : {Recorded::Kind::speed, Recorded::Kind::acceleration})
      for (std::uint32_t k = 0; k < count; ++k)
        info.columns.push_back({kind, m.graph.node(m.coordinates[first + k].rate).a});
  };
  for (const sema::Particle& p : m.particles)
    if (p.first_coordinate) record(*p.first_coordinate, m.space);
  std::set<std::string> names;  // of outputs recorded here, and of columns that outputs ask for
  for (const sema::Body& b : m.bodies) describe_body(m, b, info, names);
  for (std::uint32_t k = 0; k < m.coordinates.size(); ++k)
    if (!m.coordinates[k].of_particle) record(k, 1);
  for (std::uint32_t k = 0; k < m.states.size(); ++k) info.columns.push_back({Recorded::Kind::state, k});
  for (std::uint32_t k = 0; k < m.held.size(); ++k)
    if (m.held[k].variable.use == problem::DiscreteVariable::Use::state)
      info.columns.push_back({Recorded::Kind::held, k});
  record_rows_of_events(m, info);
  std::set<std::string> asked;
  for (const sema::Output& o : m.outputs) asked.insert(o.name);
  for (const auto* list : {&info.coordinates, &info.speeds, &info.accelerations, &info.states, &info.held})
    for (std::size_t k = 0; !asked.empty() && k < list->size(); ++k)
      if (std::string name = (*list)[k].name; asked.contains(name)) names.insert(std::move(name));
  for (const sema::Coordinate& c : m.coordinates)  // joints have the columns that are asked for
    if (c.of_joint != sema::Coordinate::OfJoint::none) {
      const sema::Speed& u = m.speeds[m.graph.node(c.rate).a];
      for (const std::string& name : {c.name.text(), u.name.text(), u.acceleration.text()}) names.erase(name);
    }
  for (std::uint32_t k = 0; k < m.outputs.size(); ++k)  // `output p.x` asks for an existing column
    if (names.insert(m.outputs[k].name).second) info.columns.push_back({Recorded::Kind::output, k});
}

}  // namespace

problem::Problem describe(const sema::Model& m) {
  problem::Problem info;
  info.time_unit = m.has_units ? "s" : "";
  info.rows.reserve(m.equations.size());
  info.coordinates.reserve(m.coordinates.size());
  info.speeds.reserve(m.speeds.size());
  info.accelerations.reserve(m.speeds.size());
  info.coordinate_of_speed.reserve(m.speeds.size());
  info.columns.reserve(m.coordinates.size() + 2 * m.speeds.size() + m.states.size() + m.outputs.size());
  describe_motion(m, info);
  for (const sema::Input& i : m.inputs) info.inputs.push_back({i.name, unit_of(m, i.dimension), i.doc});
  describe_discrete_variables(m, info);
  describe_events(m, info);
  std::vector<NodeId> recorded;
  for (const sema::Output& o : m.outputs) {
    info.outputs.push_back({o.name, o.unit.empty_text() ? SharedText(unit_of(m, o.dimension)) : o.unit, "output"});
    recorded.push_back(o.value);
  }
  info.multipliers_recorded = graph::holds(m.graph, recorded, {LeafKind::multiplier});
  info.ideal_rows = ideal_rows(m);
  for (const sema::EnergyTerm& e : m.energies) info.inertia_by_hand |= e.kind == sema::EnergyTerm::Kind::kinetic;
  info.quaternions = m.quaternions;
  describe_columns(m, info);
  return info;
}

}  // namespace mbc::lower
