#include "runtime/api/describe.h"

#include <set>

namespace mbc::api {

namespace {

std::string unit_of(const sema::Model& m, const sema::Dimension& d) { return m.has_units ? sema::to_text(d) : ""; }

Place place_of(Span span, const SourceSet& sources) {
  if (!span.known()) return {};
  const SourceFile& file = sources[span.file];
  const Position a = file.position(span.begin), b = file.position(span.end);
  return {file.name(), a.line, a.column, b.line, b.column};
}

}  // namespace

runtime::ModelInfo describe(const sema::Model& m) {
  using Recorded = runtime::ModelInfo::Recorded;
  runtime::ModelInfo info;
  info.time_unit = m.has_units ? "s" : "";
  for (const sema::Equation& e : m.equations) {
    const auto level = e.level == ad::Level::acceleration ? runtime::RowLevel::acceleration
                       : e.level == ad::Level::velocity   ? runtime::RowLevel::velocity
                                                          : runtime::RowLevel::position;
    info.rows.push_back({e.name, level, e.span});
  }
  for (const sema::Coordinate& c : m.coordinates) {
    info.coordinates.push_back({c.name, unit_of(m, c.dimension), "coordinate"});
    info.coordinate_spans.push_back(c.span);
  }
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
  for (const sema::Input& i : m.inputs) info.inputs.push_back({i.name, unit_of(m, i.dimension), i.doc});
  std::vector<graph::NodeId> recorded;
  for (const sema::Output& o : m.outputs) {
    info.outputs.push_back({o.name, unit_of(m, o.dimension), "output"});
    recorded.push_back(o.value);
  }
  for (graph::NodeId id : graph::leaves(m.graph, recorded))
    info.multipliers_recorded |= m.graph.node(id).leaf == graph::LeafKind::multiplier;
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
  for (const sema::Body& b : m.bodies) {
    if (!b.first_coordinate) continue;
    const std::uint32_t turns = m.space == 3 ? 3 : 1, n_q = m.space + (m.space == 3 ? 4 : 1);
    for (std::uint32_t k = 0; k < n_q; ++k)
      info.columns.push_back({Recorded::Kind::coordinate, *b.first_coordinate + k});
    for (auto kind : {Recorded::Kind::speed, Recorded::Kind::acceleration})
      for (std::uint32_t k = 0; k < m.space + turns; ++k) info.columns.push_back({kind, *b.first_speed + k});
  }
  for (std::uint32_t k = 0; k < m.coordinates.size(); ++k)
    if (!m.coordinates[k].of_particle) record(k, 1);
  for (std::uint32_t k = 0; k < m.states.size(); ++k) info.columns.push_back({Recorded::Kind::state, k});
  std::set<std::string> names;
  for (const auto* list : {&info.coordinates, &info.speeds, &info.accelerations, &info.states})
    for (const runtime::ColumnInfo& c : *list) names.insert(c.name);
  for (std::uint32_t k = 0; k < m.outputs.size(); ++k)  // `output p.x` asks for a column that is there already
    if (names.insert(m.outputs[k].name).second) info.columns.push_back({Recorded::Kind::output, k});
  return info;
}

DiagnosticInfo to_info(const Diagnostic& d, const SourceSet& sources) {
  const KindInfo& kind = info(d.kind);
  DiagnosticInfo out;
  out.severity = kind.severity == Severity::error ? "error" : kind.severity == Severity::warning ? "warning" : "note";
  out.code = kind.code;
  out.kind = kind.name;
  out.message = d.message();
  out.place = place_of(d.span, sources);
  for (const Label& label : d.labels) out.labels.emplace_back(place_of(label.span, sources), label.text);
  out.notes = d.notes;
  out.help = d.help;
  out.time = d.time;
  return out;
}

}  // namespace mbc::api
