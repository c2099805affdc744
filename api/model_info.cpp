// SPDX-License-Identifier: Apache-2.0
#include "api/model_info.h"

#include <algorithm>
#include <functional>
#include <memory>
#include <set>

#include "api/written_values.h"
#include "compiler/graph/evaluate.h"
#include "compiler/lower/failed_item.h"
#include "compiler/sema/watched/pressed_by.h"

namespace mbc::api {

namespace {

std::string unit_of(const sema::Model& m, const sema::Dimension& d) { return m.has_units ? sema::to_text(d) : ""; }

// The columns of a free body; which outputs are its quaternion, where that comes from a matrix. `names`: of outputs
// that are recorded here.
void describe_body(const sema::Model& m, const sema::Body& b, runtime::ModelInfo& info, std::set<std::string>& names) {
  using Recorded = runtime::ModelInfo::Recorded::Kind;
  using Column = sema::RecordedColumn::Kind;
  for (const sema::RecordedColumn& c : b.columns) {
    const Recorded kind = c.kind == Column::coordinate     ? Recorded::coordinate
                          : c.kind == Column::speed        ? Recorded::speed
                          : c.kind == Column::acceleration ? Recorded::acceleration
                                                           : Recorded::output;
    info.columns.push_back({kind, c.index});
    if (kind == Recorded::output) names.insert(m.outputs[c.index].name);
  }
  if (!b.first_coordinate || m.space != 3) return;
  using Turning = runtime::BodyInfo::Turning;
  const Turning turning = b.representation == sema::Representation::quaternion         ? Turning::omega
                          : b.representation == sema::Representation::euler_parameters ? Turning::euler_parameters
                                                                                       : Turning::direction_cosines;
  info.bodies.push_back({turning, b.name, *b.first_coordinate + 3, *b.first_speed + 3});
  if (turning != Turning::direction_cosines) return;
  for (std::uint32_t k = 0; k + 4 <= m.outputs.size(); ++k) {
    bool quaternion = true;
    for (std::uint32_t i = 0; i < 4; ++i) quaternion &= m.outputs[k + i].value == b.quaternion[i];
    if (quaternion) info.quaternion_outputs.push_back(k);
  }
}

std::vector<std::uint32_t> ideal_rows(const sema::Model& m) {
  std::vector<graph::NodeId> nodes = m.probes;
  const auto add = [&nodes](const std::vector<graph::NodeId>& value) {
    nodes.insert(nodes.end(), value.begin(), value.end());
  };
  for (const sema::Output& o : m.outputs) nodes.push_back(o.value);
  for (const sema::Force& f : m.forces) add(f.value);
  for (const sema::Torque& f : m.torques) add(f.value);
  for (const sema::GeneralisedLoad& f : m.loads) nodes.push_back(f.value);
  std::set<std::uint32_t> rows;
  for (graph::NodeId id : graph::leaves(m.graph, nodes))
    if (m.graph.node(id).leaf == graph::LeafKind::ideal) rows.insert(m.graph.node(id).a);
  return {rows.begin(), rows.end()};
}

using Size = runtime::ModelInfo::Size;

// By coordinate. A coordinate without a unit is an angle in a model with units, and may be anything in one without.
std::vector<Size> sizes_of(const sema::Model& m) {
  std::vector<Size> out(m.coordinates.size(), Size::own);
  const auto places = [&](std::uint32_t first) {
    for (std::uint32_t k = 0; k < m.space; ++k) out[first + k] = static_cast<Size>(k);
  };
  for (std::size_t k = 0; m.has_units && k < out.size(); ++k) {
    if (m.coordinates[k].dimension.dimensionless()) out[k] = Size::one;
    if (m.coordinates[k].dimension == sema::length_dimension()) out[k] = Size::length;
  }
  for (const sema::Particle& p : m.particles)
    if (p.first_coordinate) places(*p.first_coordinate);
  for (const sema::Body& b : m.bodies) {
    if (!b.first_coordinate) continue;
    places(*b.first_coordinate);
    const std::uint32_t turning = m.space == 2 ? 1 : b.representation == sema::Representation::natural ? 9 : 4;
    for (std::uint32_t k = 0; k < turning; ++k) out[*b.first_coordinate + m.space + k] = Size::one;
  }
  return out;
}

}  // namespace

namespace {

static_assert(static_cast<int>(runtime::HeldInfo::Use::branch) == static_cast<int>(sema::Held::Use::branch));
static_assert(static_cast<int>(runtime::Kink::Kind::steps) == static_cast<int>(sema::Kink::Kind::steps));
static_assert(static_cast<int>(runtime::EventAction::Kind::impulse) ==
              static_cast<int>(sema::EventAction::Kind::impulse));
static_assert(static_cast<int>(runtime::ConditionTerm::Kind::negation) ==
              static_cast<int>(sema::ConditionTerm::Kind::negation));
static_assert(static_cast<int>(runtime::EventInfo::Kind::samples) == static_cast<int>(sema::Event::Kind::samples));

runtime::EventInfo event_of(const sema::Event& e) {
  runtime::EventInfo out;
  out.kind = static_cast<runtime::EventInfo::Kind>(e.kind);
  out.name = e.name;
  out.value = e.value;
  out.from = e.from;
  out.of_rates = e.of_rates;
  out.of_angles = e.of_angles;
  for (const sema::EventAction& a : e.actions)
    out.actions.push_back({static_cast<runtime::EventAction::Kind>(a.kind), a.index, a.value, a.span});
  for (const sema::ConditionTerm& c : e.terms)
    out.terms.push_back({static_cast<runtime::ConditionTerm::Kind>(c.kind), c.value, c.at_limit, c.a, c.b, c.edges});
  out.stop = e.stop;
  out.count = e.count;
  out.time = e.time;
  out.span = e.span;
  out.samples = e.samples;
  return out;
}

runtime::EventInfo event_of(const sema::Kink& k) {
  runtime::EventInfo out;
  const auto kind = static_cast<runtime::Kink::Kind>(k.kind);
  out.kind = kind == runtime::Kink::Kind::steps ? runtime::EventInfo::Kind::rising : runtime::EventInfo::Kind::crossing;
  out.name = "kink";
  out.value = k.value;
  out.kink = runtime::Kink{kind, k.inside, k.branch, k.of_speeds, k.of_time, k.of};
  if (k.times) out.kind = runtime::EventInfo::Kind::samples;
  out.samples = k.times;
  out.span = k.span;
  return out;
}

bool holds_what_events_change(const sema::Model& m, const sema::Equation& row) {
  for (graph::NodeId id : graph::leaves(m.graph, {&row.residual, 1})) {
    const graph::Node& n = m.graph.node(id);
    if (n.leaf == graph::LeafKind::state) return true;
    if (n.leaf != graph::LeafKind::input || n.a < m.held_at) continue;
    using Use = sema::Held::Use;
    const Use use = m.held[n.a - m.held_at].use;
    // branches change where the function is the same on both sides
    if (use != Use::enabled && use != Use::active && use != Use::branch && use != Use::friction && use != Use::load)
      return true;
  }
  return false;
}

std::function<std::vector<double>(std::span<const double>)> held_at_start(const sema::Model& m) {
  auto values = std::make_shared<graph::Graph>();
  std::vector<graph::NodeId> nodes;
  for (const sema::Held& h : m.held) nodes.push_back(h.initial);
  nodes = copied(m.graph, nodes, *values);
  values->settle();
  return [values, nodes](std::span<const double> params) {
    return graph::evaluate(*values, nodes, [&](const graph::Node& n) { return params[n.a]; });
  };
}

void reserve_events(const sema::Model& m, runtime::ModelInfo& info) {
  info.held.reserve(m.held.size());
  info.events.held.reserve(m.held.size());
  info.events.list.reserve(m.events.size() + m.kinks.size());
  info.events.unilaterals.reserve(m.unilaterals.size());
  info.events.switched_rows.reserve(m.switched_rows.size());
}

void describe_followed(const sema::Model& m, runtime::EventsInfo& out) {
  for (const sema::Followed& f : m.followed) out.followed.push_back({f.name, f.value, f.places, f.speeds});
  for (const sema::Followed& f : m.momenta) out.momenta.push_back({f.name, f.value, f.places, f.speeds});
}

void describe_events(const sema::Model& m, runtime::ModelInfo& info) {
  using Kind = sema::EventAction::Kind;
  runtime::EventsInfo& out = info.events;
  reserve_events(m, info);
  for (const sema::Held& h : m.held) {
    const bool is_switch = h.use == sema::Held::Use::enabled;
    const auto labels = static_cast<std::uint32_t>(h.labels ? h.labels->size() : is_switch ? 2 : 0);
    out.held.push_back({static_cast<runtime::HeldInfo::Use>(h.use), h.name, h.span, labels});
    info.held.push_back({h.name, unit_of(m, h.dimension), h.doc.empty_text() ? SharedText("state") : h.doc});
  }
  out.held_at = m.held_at;
  out.first_value = static_cast<std::uint32_t>(m.outputs.size());
  out.n_values = static_cast<std::uint32_t>(m.event_values.size());
  for (const sema::CourseValue& c : m.course_values)
    info.courses.push_back({c.input, out.first_value + c.value, c.samples});
  bool positions = false;
  for (const sema::Event& e : m.events) {
    out.list.push_back(event_of(e));
    for (const sema::EventAction& a : e.actions) positions |= a.kind == Kind::coordinate;
  }
  for (const sema::Kink& k : m.kinks) out.list.push_back(event_of(k));
  out.n_kinks = static_cast<std::uint32_t>(m.kinks.size());
  out.unlocated_kink = m.unlocated_kink;
  describe_followed(m, out);
  const auto slopes = [](const std::vector<sema::Slope>& list) {
    std::vector<runtime::Slope> made;
    for (const sema::Slope& s : list) made.push_back({s.row, s.value});
    return made;
  };
  for (const sema::ImplicitLoad& l : m.implicit_loads)
    out.implicit_loads.push_back({l.name, l.span, l.held, l.value, slopes(l.slopes)});
  if (out.list.empty()) return;
  out.held_at_start = held_at_start(m);
  for (const sema::Unilateral& u : m.unilaterals)
    out.unilaterals.push_back({m.constraints[u.constraint].first_row, u.active, u.impulse, u.enabled, u.gap, u.bounce,
                               u.touches, u.leaves, u.steepness});
  for (const sema::Friction& f : m.frictions) {
    const sema::Constraint& c = m.constraints[f.constraint];
    out.frictions.push_back({c.name.text(), c.first_row, c.row_count, f.sticks, f.rest, f.direction, f.size, f.stays,
                             f.enabled, f.speed_value, f.limit_value, f.still_value, f.slips, f.rests, f.bounce,
                             slopes(f.limit_slopes), sema::limits_vary(m, f), sema::pressed_by(m, f)});
  }
  for (const sema::SwitchedRow& s : m.switched_rows) out.switched_rows.push_back({s.row, s.held});
  for (const sema::Equation& row : m.equations) out.held_in_rows |= holds_what_events_change(m, row);
  for (std::size_t i = 0; positions && i < m.coordinates.size(); ++i) {
    auto& speeds = out.speeds_in_rate.emplace_back();
    for (graph::NodeId id : graph::leaves(m.graph, {&m.coordinates[i].rate, 1}))
      if (m.graph.node(id).leaf == graph::LeafKind::speed) speeds.push_back(m.graph.node(id).a);
  }
}

// The column that says which event a row belongs to, where a block asks for such rows.
void record_rows_of_events(const sema::Model& m, runtime::ModelInfo& info) {
  const auto asks = [](const sema::Simulation& s) { return s.rows.method == settings::Rows::events; };
  if (std::none_of(m.simulations.begin(), m.simulations.end(), asks)) return;
  info.event.push_back({"event", "", "number of the event, negative before it"});
  info.columns.push_back({runtime::ModelInfo::Recorded::Kind::event, 0});
}

// Rows, coordinates, speeds and states.
void describe_motion(const sema::Model& m, runtime::ModelInfo& info) {
  for (const sema::Equation& e : m.equations) {
    const auto level = e.level == ad::Level::acceleration ? runtime::RowLevel::acceleration
                       : e.level == ad::Level::velocity   ? runtime::RowLevel::velocity
                                                          : runtime::RowLevel::position;
    info.rows.push_back({e.name, level, e.span, e.of_body.has_value(), unit_of(m, e.dimension)});
  }
  for (const sema::Instance& i : m.instances) info.instances.push_back({i.path, i.made});
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
    info.coordinate_of_speed.push_back(s.coordinate.value_or(runtime::ModelInfo::kNoCoordinate));
  }
  for (const sema::State& s : m.states) {
    info.states.push_back({s.name, unit_of(m, s.dimension), s.doc.empty() ? "state" : s.doc});
    info.state_spans.push_back(s.span);
  }
}

}  // namespace

runtime::ModelInfo describe(const sema::Model& m) {
  using Recorded = runtime::ModelInfo::Recorded;
  runtime::ModelInfo info;
  info.time_unit = m.has_units ? "s" : "";
  info.rows.reserve(m.equations.size());
  info.coordinates.reserve(m.coordinates.size());
  info.speeds.reserve(m.speeds.size());
  info.accelerations.reserve(m.speeds.size());
  info.coordinate_of_speed.reserve(m.speeds.size());
  info.columns.reserve(m.coordinates.size() + 2 * m.speeds.size() + m.states.size() + m.outputs.size());
  describe_motion(m, info);
  for (const sema::Input& i : m.inputs) info.inputs.push_back({i.name, unit_of(m, i.dimension), i.doc});
  describe_events(m, info);
  std::vector<graph::NodeId> recorded;
  for (const sema::Output& o : m.outputs) {
    info.outputs.push_back({o.name, o.unit.empty_text() ? SharedText(unit_of(m, o.dimension)) : o.unit, "output"});
    recorded.push_back(o.value);
  }
  for (graph::NodeId id : graph::leaves(m.graph, recorded))
    info.multipliers_recorded |= m.graph.node(id).leaf == graph::LeafKind::multiplier;
  info.ideal_rows = ideal_rows(m);
  for (const sema::EnergyTerm& e : m.energies) info.inertia_by_hand |= e.kind == sema::EnergyTerm::Kind::kinetic;
  // free particles, then coordinates: positions, velocities, accelerations; then states, followers and outputs
  info.quaternions = m.quaternions;
  // coordinates with q' = u; behind a quaternion, u stands at another index than q
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
    if (m.held[k].use == sema::Held::Use::state) info.columns.push_back({Recorded::Kind::held, k});
  record_rows_of_events(m, info);
  std::set<std::string> asked;
  for (const sema::Output& o : m.outputs) asked.insert(o.name);
  for (const auto* list : {&info.coordinates, &info.speeds, &info.accelerations, &info.states, &info.held})
    for (std::size_t k = 0; !asked.empty() && k < list->size(); ++k)
      if (std::string name = (*list)[k].name; asked.contains(name)) names.insert(std::move(name));
  for (std::uint32_t k = 0; k < m.outputs.size(); ++k)  // `output p.x` asks for a column that is there already
    if (names.insert(m.outputs[k].name).second) info.columns.push_back({Recorded::Kind::output, k});
  return info;
}

bool written_many_times(const sema::Model& m) {
  const auto element = [](const auto& list) {
    return std::any_of(list.begin(), list.end(),
                       [](const auto& of) { return std::string(of.name).find('[') != std::string::npos; });
  };
  return !m.instances.empty() || element(m.forces) || element(m.torques) || element(m.loads) || element(m.energies) ||
         element(m.constraints) || element(m.states) || element(m.outputs);
}

std::optional<runtime::FailedItem> failed_item(const Compilation& c, const runtime::FailedOperation& failed) {
  const std::optional<lower::ItemPlace> found =
      lower::failed_item(c.system, c.model, failed.origin, {failed.t, failed.y, failed.params, failed.inputs});
  if (!found) return {};
  return runtime::FailedItem{found->name, found->span};
}

}  // namespace mbc::api
