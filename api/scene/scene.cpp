// SPDX-License-Identifier: Apache-2.0
// The scene of a model, which is made once, and the poses of its parts at a state.
#include "mbc/scene.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "api/model/expression.h"
#include "api/model/guard.h"
#include "api/scene/arrows.h"
#include "api/scene/links.h"
#include "api/scene/program.h"
#include "api/scene/shapes.h"
#include "api/simulation/simulation_impl.h"
#include "runtime/constraints/doctor.h"

namespace mbc {

namespace {

constexpr double kDoctorTolerance = 1e-10;  // that of the doctor

using graph::NodeId;
using Nodes = std::vector<NodeId>;

std::array<double, 9> rotation_of(const double* r, unsigned space) {
  if (space == 2) return {r[0], r[1], 0, r[2], r[3], 0, 0, 0, 1};
  std::array<double, 9> m{};
  std::copy(r, r + 9, m.begin());
  return m;
}

std::array<double, 3> turned(const std::array<double, 4>& q, const std::array<double, 3>& v, double sense) {
  const double w = q[0], x = sense * q[1], y = sense * q[2], z = sense * q[3];
  const double a = 2 * (y * v[2] - z * v[1]), b = 2 * (z * v[0] - x * v[2]), c = 2 * (x * v[1] - y * v[0]);
  return {v[0] + w * a + y * c - z * b, v[1] + w * b + z * a - x * c, v[2] + w * c + x * b - y * a};
}

}  // namespace

// The scene is made in this order: places (of particles, bodies, points, frames), the links between them, the parts
// that need their own pose.
struct MBC_HIDDEN SceneView::Impl {
  Impl(Simulation& simulation, sema::Model elaborated, NodeId total, std::optional<api::Elaborated> kinetic);

  struct Place {
    std::string name;
    Nodes position;
    std::optional<std::uint32_t> part;  // the part with a pose that it is, or that it is fixed in
    bool own = false;                   // it is the origin of that part
    bool ground = false;
    bool shown = false;  // among the points
  };

  void particles();
  void bodies();
  void points();
  void place(std::string name, Nodes position, std::optional<std::uint32_t> part, bool own);
  void links();
  void connect(const std::vector<api::FoundLink>& found);
  void arrows();
  std::uint32_t place_of_reaction(const api::FoundArrow& arrow) const;
  std::uint32_t place_of(const api::FoundEnd& end);
  void give_parts_to_free_places();
  void gravity();
  void curves(NodeId total, std::optional<api::Elaborated> kinetic);
  void shapes();
  void hide_parts();
  void placed_shapes(double time, const std::vector<double>& y, const std::vector<double>& pose);
  [[nodiscard]] bool moves(const Nodes& position) const;
  [[nodiscard]] SceneEnd end_at(const Place& place, const std::vector<double>& at) const;
  [[nodiscard]] std::vector<double> constants(const Nodes& nodes) const;
  void write_pose(const double* values, bool body, double* out) const;

  Simulation& simulation;  // used while the scene is made
  sema::Model model;
  std::vector<double> params, inputs;
  std::vector<std::uint32_t> told;  // places in `inputs` of the inputs and of Simulation::held_names()
  Scene scene;
  std::vector<Place> places;
  Nodes pose_nodes;                  // pose nodes of all parts in order
  std::vector<bool> turns;           // by part: whether it has a rotation
  std::vector<std::uint32_t> found;  // places of the ends of links, two for each
  std::vector<std::uint32_t> arrow_places;
  api::Program arrow_values, poses, energy, kinetic, residuals;
  std::size_t state_size = 0, row_count = 0;
  std::unique_ptr<Simulation::Impl> aside;  // a separate simulation for the rows
  std::optional<runtime::Doctor> doctor;    // made for the first rank
};

SceneView::Impl::Impl(Simulation& s, sema::Model elaborated, NodeId total, std::optional<api::Elaborated> kinetic_)
    : simulation(s), model(std::move(elaborated)), params(s.impl().params), inputs(s.impl().inputs) {
  scene.space = model.space;
  scene.has_units = model.has_units;
  state_size = s.model().state_size();
  row_count = s.impl().facts().info.rows.size();
  if (row_count > 0 && row_count <= kMostRows) aside = s.impl().copy();
  const problem::DiscreteVariables& discrete = s.impl().facts().info.events.discrete;
  for (std::uint32_t k = 0; k < discrete.input_of(0); ++k) told.push_back(k);
  for (std::uint32_t k = 0; k < discrete.size(); ++k)
    if (discrete[k].is_told()) told.push_back(discrete.input_of(k));
  inputs = discrete.inputs(std::move(inputs), s.impl().held);
  gravity();
  particles();
  bodies();
  points();
  curves(total, std::move(kinetic_));
  links();
  arrows();
  give_parts_to_free_places();
  poses = api::Program(model, pose_nodes);
  shapes();
}

void SceneView::Impl::gravity() {
  const unsigned up = scene.space == 3 ? 2 : scene.space == 2 ? 1 : 0;
  scene.up = {0, 0, 0};
  scene.up[up] = 1;
  if (model.gravity.empty()) return;
  const std::vector<double> g = constants(model.gravity);
  double size = 0;
  for (const double e : g) size += e * e;
  if (!(size > 0)) return;
  scene.has_gravity = true;
  scene.up = {0, 0, 0};
  for (std::size_t k = 0; k < g.size(); ++k) scene.up[k] = 0 - g[k] / std::sqrt(size);
}

void SceneView::Impl::place(std::string name, Nodes position, std::optional<std::uint32_t> part, bool own) {
  const bool ground = !part && !moves(position);
  places.push_back({std::move(name), std::move(position), part, own, ground});
}

void SceneView::Impl::particles() {
  for (const sema::Particle& p : model.particles) {
    ScenePart part{ScenePart::Kind::particle, p.name.text(), p.doc.text(), constants({p.mass})[0], {}};
    place(part.name, p.position, static_cast<std::uint32_t>(scene.parts.size()), true);
    scene.parts.push_back(std::move(part));
    pose_nodes.insert(pose_nodes.end(), p.position.begin(), p.position.end());
    turns.push_back(false);
  }
}

void SceneView::Impl::bodies() {
  for (const sema::Body& b : model.bodies) {
    const auto index = static_cast<std::uint32_t>(scene.parts.size());
    place(b.name, b.position, index, true);
    if (b.centre != b.position) place(b.name, b.centre, index, false);
    scene.parts.push_back({ScenePart::Kind::body, b.name, b.doc, constants({b.mass})[0], {}});
    pose_nodes.insert(pose_nodes.end(), b.position.begin(), b.position.end());
    pose_nodes.insert(pose_nodes.end(), b.rotation.begin(), b.rotation.end());
    turns.push_back(scene.space > 1);
  }
}

void SceneView::Impl::points() {
  const auto first = static_cast<std::uint32_t>(model.particles.size());
  const auto add = [&](const std::string& name, const Nodes& position, const std::optional<std::uint32_t>& body) {
    place(name, position, body ? std::optional(first + *body) : std::nullopt, false);
    places.back().shown = model.visibility.shows(name);
  };
  for (const sema::Point& p : model.points) add(p.name, p.position, p.body);
  for (const sema::Frame& f : model.frames) add(f.named ? f.name : "", f.position, f.body);
  place("ground", Nodes(scene.space, model.graph.zero()), std::nullopt, false);
}

void SceneView::Impl::shapes() {
  const SourceSet& sources = simulation.impl().sources();
  for (std::size_t k = 0; k < model.bodies.size(); ++k) {
    const sema::Body& b = model.bodies[k];
    ScenePart& part = scene.parts[model.particles.size() + k];
    const std::vector<double> inertia = constants(b.inertia);
    const std::string_view written = b.inertia_span.known() ? sources.text(b.inertia_span) : std::string_view{};
    if (scene.space == 3 && inertia.size() == 6) {
      std::array<double, 6> j{};
      std::copy(inertia.begin(), inertia.end(), j.begin());
      part.shape = api::shape_of(written, part.mass, j);
    } else if (!inertia.empty()) {
      part.shape = api::planar_shape_of(written, part.mass, inertia[0]);
    }
    const std::vector<double> centre = constants(b.com);
    std::copy(centre.begin(), centre.end(), part.shape.centre.begin());
  }
}

void SceneView::Impl::links() {
  std::vector<Nodes> positions;
  for (const Place& p : places) positions.push_back(p.position);
  connect(api::find_links(model, positions));
}

void SceneView::Impl::connect(const std::vector<api::FoundLink>& all) {
  for (const api::FoundLink& l : all) {
    if (!model.visibility.shows(l.name)) continue;
    found.push_back(place_of(l.a));
    found.push_back(place_of(l.b));
    scene.links.push_back({l.kind, l.name, {}, {}});
  }
}

void SceneView::Impl::arrows() {
  Nodes values;
  for (const api::FoundArrow& a : api::arrows_of(model)) {
    if (!model.visibility.shows(a.name)) continue;
    const auto same = [&](const Place& p) { return p.position == a.position; };
    std::uint32_t at = 0;
    if (a.part) {
      at = place_of_reaction(a);
    } else {
      const auto known = std::find_if(places.begin(), places.end(), same);
      at = static_cast<std::uint32_t>(known - places.begin());
      if (known == places.end()) place("", a.position, std::nullopt, false);
    }
    arrow_places.push_back(at);
    scene.arrows.push_back({a.kind, a.name, {}});
    values.insert(values.end(), a.value.begin(), a.value.end());
  }
  arrow_values = api::Program(model, values);
}

// Returns a point of the part that the constraint refers to, or the part's own place.
std::uint32_t SceneView::Impl::place_of_reaction(const api::FoundArrow& arrow) const {
  std::uint32_t own = 0;
  for (std::uint32_t k = 0; k < places.size(); ++k) {
    if (places[k].part != arrow.part) continue;
    if (places[k].own) own = k;
    if (!places[k].own && api::holds_place(model, arrow, places[k].position)) return k;
  }
  return own;
}

std::uint32_t SceneView::Impl::place_of(const api::FoundEnd& end) {
  if (end.place) return *end.place;
  place("", end.position, std::nullopt, false);
  return static_cast<std::uint32_t>(places.size() - 1);
}

// Adds parts for places that move and are not fixed in a part, such as a frame that follows the road.
void SceneView::Impl::give_parts_to_free_places() {
  for (std::size_t k = 0; k < places.size(); ++k) {
    Place& p = places[k];
    if (p.part || p.ground) continue;
    p.part = static_cast<std::uint32_t>(scene.parts.size());
    p.own = true;
    scene.parts.push_back({ScenePart::Kind::place, p.name, "", 0, {}});
    pose_nodes.insert(pose_nodes.end(), p.position.begin(), p.position.end());
    turns.push_back(false);
  }
}

// The first `shape` on a part determines its picture; its position in the part is the same at every state.
void SceneView::Impl::placed_shapes(double time, const std::vector<double>& y, const std::vector<double>& pose) {
  std::vector<bool> drawn(scene.parts.size());
  for (const sema::PlacedShape& s : model.shapes) {
    const sema::Frame& frame = model.frames[s.frame];
    if (s.kind == "plane" || (!s.particle && !frame.body) || !model.visibility.shows(s.name)) continue;
    const std::size_t k = s.particle ? *s.particle : model.particles.size() + *frame.body;
    if (drawn[k]) continue;
    drawn[k] = true;
    Nodes nodes = frame.position;
    nodes.insert(nodes.end(), frame.rotation.begin(), frame.rotation.end());
    const std::vector<double> there = api::Program(model, nodes).run({time, y, params, inputs});
    const double* at = pose.data() + k * kPoseSize;
    SceneShape& made = scene.parts[k].shape = {};
    const std::array<double, 4> turn{at[3], at[4], at[5], at[6]};
    made.centre = turned(turn, {there[0] - at[0], there[1] - at[1], there[2] - at[2]}, -1);
    made.axes = api::product(api::conjugate(turn), api::quaternion_of(rotation_of(there.data() + 3, 3)));
    made.known = true;
    made.kind = s.kind == "box"        ? SceneShape::Kind::box
                : s.kind == "cylinder" ? SceneShape::Kind::cylinder
                : s.kind == "capsule"  ? SceneShape::Kind::capsule
                                       : SceneShape::Kind::ellipsoid;
    const std::vector<double> size = constants(s.size);
    made.size.fill(size[0]);
    if (s.kind != "sphere") std::copy(size.begin(), size.end(), made.size.begin());
    if (s.kind == "capsule" || s.kind == "cylinder") made.size[2] = 0;
  }
}

// Makes hidden particles and bodies places without a name, which links and points may still move with.
void SceneView::Impl::hide_parts() {
  for (ScenePart& part : scene.parts)
    if (part.kind != ScenePart::Kind::place && !model.visibility.shows(part.name))
      part = {ScenePart::Kind::place, "", "", 0, {}, false};
}

bool SceneView::Impl::moves(const Nodes& position) const {
  return std::ranges::any_of(graph::leaves(model.graph, position),
                             [](const graph::Node& n) { return n.leaf != graph::LeafKind::param; });
}

std::vector<double> SceneView::Impl::constants(const Nodes& nodes) const {
  if (nodes.empty()) return {};
  return api::Program(model, nodes).run({0, {}, params, inputs});
}

SceneEnd SceneView::Impl::end_at(const Place& p, const std::vector<double>& at) const {
  SceneEnd end;
  const std::vector<double> position = api::Program(model, p.position).run({simulation.time(), at, params, inputs});
  std::copy(position.begin(), position.end(), end.offset.begin());
  return end;
}

void SceneView::Impl::curves(NodeId total, std::optional<api::Elaborated> elaborated) {
  const auto unit = [this](const char* text) { return model.has_units ? text : ""; };
  if (total.valid() && elaborated) {
    energy = api::Program(model, {total});
    kinetic = api::Program(elaborated->model, elaborated->nodes);
    scene.curves.push_back({"energy.total", unit("J"), "energy"});
    scene.curves.push_back({"energy.kinetic", unit("J"), "energy"});
    scene.curves.push_back({"energy.potential", unit("J"), "energy"});
  }
  Nodes rows;
  for (const sema::Equation& e : model.equations)
    if (!e.of_body && e.level != ad::Level::acceleration) rows.push_back(e.residual);
  if (rows.empty()) return;
  residuals = api::Program(model, rows);
  scene.curves.push_back({"largest residual", "", "residual"});
}

void SceneView::Impl::write_pose(const double* values, bool body, double* out) const {
  std::fill(out, out + kPoseSize, 0.0);
  std::copy(values, values + scene.space, out);
  out[3] = 1;
  if (!body) return;
  const api::Quaternion q = api::quaternion_of(rotation_of(values + scene.space, scene.space));
  std::copy(q.begin(), q.end(), out + 3);
}

SceneView::SceneView(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
SceneView::SceneView(SceneView&&) noexcept = default;
SceneView& SceneView::operator=(SceneView&&) noexcept = default;
SceneView::~SceneView() = default;

const Scene& SceneView::scene() const { return impl_->scene; }
std::size_t SceneView::pose_size() const { return impl_->scene.parts.size() * kPoseSize; }

Result<SceneView> SceneView::of(Simulation& simulation) {
  return api::guarded([&]() -> Result<SceneView> {
    const api::EquationVariant& variant = simulation.impl().variant();
    if (variant.info().columns.size() > kMostColumns)
      return Error{ErrorCode::too_large, "a model of this size has no picture"};
    Result<api::Elaborated> total = api::elaborate(variant, "energy.total");
    std::optional<api::Elaborated> kinetic;
    if (Result<api::Elaborated> made = api::elaborate(variant, "energy.kinetic")) kinetic = *std::move(made);
    const bool energies = total.ok() && kinetic;
    if (!total) total = api::elaborate(variant, "0");
    if (!total) return total.error();
    const NodeId node = energies ? total->nodes[0] : NodeId{};
    SceneView view(std::make_unique<Impl>(simulation, std::move(total->model), node, std::move(kinetic)));
    view.settle(simulation);
    return view;
  });
}

// Computes the offsets of points in their parts from the initial state; they are constant.
void SceneView::settle(Simulation& simulation) {
  Impl& m = *impl_;
  const std::vector<double> y = simulation.initial_state();
  std::vector<double> pose(pose_size());
  if (!poses(simulation.time(), y, pose)) return;
  m.placed_shapes(simulation.time(), y, pose);
  m.hide_parts();
  const auto end = [&](const Impl::Place& p) {
    SceneEnd e = m.end_at(p, y);
    if (!p.part) return e;
    const double* at = pose.data() + *p.part * kPoseSize;
    const std::array<double, 3> d = {e.offset[0] - at[0], e.offset[1] - at[1], e.offset[2] - at[2]};
    e.part = *p.part;
    e.offset = p.own ? std::array<double, 3>{} : turned({at[3], at[4], at[5], at[6]}, d, -1);
    return e;
  };
  for (const Impl::Place& p : m.places)
    if (p.shown) m.scene.points.push_back({p.name, end(p)});
  for (std::size_t k = 0; k < m.scene.links.size(); ++k) {
    m.scene.links[k].a = end(m.places[m.found[2 * k]]);
    m.scene.links[k].b = end(m.places[m.found[2 * k + 1]]);
  }
  for (std::size_t k = 0; k < m.scene.arrows.size(); ++k) m.scene.arrows[k].at = end(m.places[m.arrow_places[k]]);
}

void SceneView::set_inputs(std::span<const double> inputs) {
  Impl& m = *impl_;
  if (inputs.size() == m.inputs.size()) {
    m.inputs.assign(inputs.begin(), inputs.end());
    return;
  }
  for (std::size_t k = 0; k < std::min(inputs.size(), m.told.size()); ++k) m.inputs[m.told[k]] = inputs[k];
}

bool SceneView::poses(double time, std::span<const double> y, std::span<double> out) {
  Impl& m = *impl_;
  if (y.size() < m.state_size || out.size() < pose_size()) return false;
  const std::vector<double>& values = m.poses.run({time, y, m.params, m.inputs});
  const double* at = values.data();
  const std::size_t space = m.scene.space;
  for (std::size_t k = 0; k < m.scene.parts.size(); ++k) {
    m.write_pose(at, m.turns[k], out.data() + k * kPoseSize);
    at += space + (m.turns[k] ? space * space : 0);
  }
  return true;
}

bool SceneView::arrows(double time, std::span<const double> y, std::span<const double> multipliers,
                       std::span<double> out) {
  Impl& m = *impl_;
  if (y.size() < m.state_size || out.size() < 3 * m.scene.arrows.size()) return false;
  const std::vector<double>& values = m.arrow_values.run({time, y, m.params, m.inputs, multipliers});
  const std::size_t space = m.scene.space;
  for (std::size_t k = 0; k < m.scene.arrows.size(); ++k)
    for (std::size_t i = 0; i < 3; ++i) out[3 * k + i] = i < space ? values[k * space + i] : 0;
  return true;
}

std::optional<SceneView::Rank> SceneView::rank(double time, std::span<const double> y) {
  Impl& m = *impl_;
  if (y.size() < m.state_size || m.row_count == 0 || m.row_count > kMostRows) return {};
  if (!m.doctor) m.doctor.emplace(m.aside->ready(), m.aside->facts().info, kDoctorTolerance);
  m.aside->ready().set_inputs(m.inputs);
  const runtime::RankReport report = m.doctor->rows_at(time, {y.begin(), y.end()});
  if (report.non_finite.found) return {};
  return Rank{report.rank, report.smallest_kept};
}

bool SceneView::curves(double time, std::span<const double> y, std::span<double> out) {
  Impl& m = *impl_;
  if (y.size() < m.state_size || out.size() < m.scene.curves.size()) return false;
  const api::LeafSpans given{time, y, m.params, m.inputs};
  std::size_t k = 0;
  if (m.scene.curves.size() >= 3) {
    const double total = m.energy.run(given)[0], kinetic = m.kinetic.run(given)[0];
    out[0] = total;
    out[1] = kinetic;
    out[2] = total - kinetic;
    k = 3;
  }
  if (k == m.scene.curves.size()) return true;
  out[k] = 0;
  for (const double r : m.residuals.run(given)) out[k] = std::isnan(r) ? r : std::max(out[k], std::fabs(r));
  return true;
}

}  // namespace mbc
