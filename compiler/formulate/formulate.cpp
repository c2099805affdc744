// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/formulate.h"

#include <algorithm>

#include "compiler/formulate/deduplicate_tables.h"
#include "compiler/formulate/kernel_builder.h"
#include "compiler/lower/baumgarte.h"

namespace mbc::formulate {

Formulation::Formulation(const System& system, const FormulateOptions& options)
    : system_(system),
      options_(options),
      pattern_(system),
      inertia_rows_(options.method->adds_inertia_rows
                        ? choose_inertia_rows(system, pattern_.row_columns, pattern_.mass, options.inertia_rows)
                        : std::vector<bool>(system.n_rows, false)) {
  lay_out();
  find_lanes();
  out_.straight =
      !lanes_ && straight_cost(system.n_rows, pattern_.row_columns,
                               with_rows(pattern_.mass, pattern_.row_columns, inertia_rows_), options.straight_limit) +
                         unrolled_size() <=
                     options.straight_limit;
  if (out_.straight)
    straight();
  else
    looped();
  kernel::Kernel& k = out_.kernel;
  k.n_state = out_.layout.n_y();
  k.n_params = system.n_params;
  k.n_inputs = system.n_inputs;
  k.n_mask = system.n_rows;
  k.n_work = work_;
  share_words(k);
  for (kernel::Function& f : k.functions) {
    if (f.name == "rhs" || f.name == "rhs_quasi" || f.name == "stage") f.check_end = k.n_state;
    if (f.name == "rhs")
      for (const kernel::Block& b : f.blocks) out_.operations += static_cast<std::uint32_t>(b.code.size()) * b.count;
  }
}

std::uint32_t Formulation::field(const char* name, std::uint32_t size) {
  out_.kernel.fields.push_back({name, Space::work, work_, size});
  work_ += size;
  return work_ - size;
}

void Formulation::lay_out() {
  SystemLayout& l = out_.layout;
  l.n_coordinates = system_.n_coordinates;
  l.n_speeds = system_.n_speeds;
  l.n_works = 2 + static_cast<std::uint32_t>(system_.works.size());
  l.n_states = system_.n_states + l.n_works;
  l.n_rows = system_.n_rows;
  l.n_outputs = system_.n_outputs;
  l.gains = system_.gains;
  for (const auto& columns : pattern_.row_columns) {
    l.column.insert(l.column.end(), columns.begin(), columns.end());
    l.row_ptr.push_back(static_cast<std::uint32_t>(l.column.size()));
  }
  l.mass = pattern_.mass;
  l.column.shrink_to_fit();
  l.row_ptr.shrink_to_fit();
  auto& fields = out_.kernel.fields;
  fields.push_back({"q", Space::state, 0, l.n_coordinates});
  fields.push_back({"u", Space::state, l.speeds_at(), l.n_speeds});
  fields.push_back({"s", Space::state, l.states_at(), l.n_states});
  fields.push_back({"q'", Space::deriv, 0, l.n_coordinates});
  fields.push_back({"u'", Space::deriv, l.speeds_at(), l.n_speeds});
  fields.push_back({"s'", Space::deriv, l.states_at(), l.n_states});
  l.A = field("A", static_cast<std::uint32_t>(l.column.size()));
  l.b = field("b", l.n_rows);
  l.M = field("M", static_cast<std::uint32_t>(l.mass.size()));
  l.f = field("f", l.n_speeds);
  l.lambda = field("lambda", l.n_rows);
  l.pivot = field("pivot", l.n_rows);
  l.pivot_scale = field("pivot_scale", l.n_rows);
  l.position_residual = field("residual.position", l.n_rows);
  l.velocity_residual = field("residual.velocity", l.n_rows);
  l.kinetic = field("energy.kinetic", 1);
  l.potential = field("energy.potential", 1);
  l.correction = field("correction", l.n_speeds);
  l.outputs = field("output", l.n_outputs);
  for (std::uint32_t r = 0; r < l.n_rows; ++r)
    if (inertia_rows_[r]) l.inertia_rows.push_back(r);
  if (!l.inertia_rows.empty()) l.weight = field("weight", l.n_rows);
  if (system_.nonideal) l.ideal = field("ideal", l.n_rows);
  const Solve solve = options_.method->solve;
  l.augmented = solve == Solve::augmented;
  if (solve == Solve::maggi || solve == Solve::projected) lay_out_quasi();
}

void Formulation::lay_out_quasi() {
  const std::uint32_t n = system_.n_speeds;
  const SystemFacts facts = facts_of(system_);
  QuasiLayout q;
  q.state = options_.method->quasi_state && facts.linear_rows && facts.quadratic_kinetic;
  q.n_user = system_.n_quasi;
  q.n_momenta = q.state ? static_cast<std::uint32_t>(options_.momenta.size()) : 0;
  for (const auto& columns : pattern_.quasi_columns) {
    q.column.insert(q.column.end(), columns.begin(), columns.end());
    q.row_ptr.push_back(static_cast<std::uint32_t>(q.column.size()));
  }
  q.Y = field("Y", static_cast<std::uint32_t>(q.column.size()));
  q.Z = field("Z", q.n_user);
  q.bias = field("z", q.n_user);
  q.offset = field("c", system_.n_rows);
  q.momentum_offset = field("N", q.n_momenta > 0 ? n : 0);
  q.direction = field("momentum.direction", q.n_momenta * n);
  q.momentum = field("momentum.value", q.n_momenta);
  q.choice = field("choice", n);
  q.y = field("y", n);
  q.u = field("speeds", n);
  q.y_rate = field("y'", n);
  q.mass = field("mass.projected", n * n);
  q.force = field("force.projected", n);
  q.quality = field("quality", 1);
  out_.layout.quasi = std::move(q);
}

std::vector<double> Formulation::plain_weights() const {
  std::vector<double> weights;
  for (const bool added : inertia_rows_) weights.push_back(added ? -1.0 : 0.0);
  return weights;
}

std::uint64_t Formulation::unrolled_size() const {
  std::uint64_t size = 0;
  for (const Part& p : system_.parts)  // tests do not change how a motion is computed
    if (std::string_view(p.what) != "watched")
      size += static_cast<std::uint64_t>(p.family.shape.graph.size()) * p.family.count;
  return size / 4;  // shared subexpressions and small nodes
}

std::uint32_t Formulation::a_place(std::uint32_t row, std::uint32_t column) const {
  const SystemLayout& l = out_.layout;
  const auto begin = l.column.begin() + l.row_ptr[row], end = l.column.begin() + l.row_ptr[row + 1];
  return l.A + static_cast<std::uint32_t>(std::lower_bound(begin, end, column) - l.column.begin());
}
std::uint32_t Formulation::y_place(std::uint32_t row, std::uint32_t column) const {
  const QuasiLayout& q = *out_.layout.quasi;
  const auto begin = q.column.begin() + q.row_ptr[row], end = q.column.begin() + q.row_ptr[row + 1];
  return q.Y + static_cast<std::uint32_t>(std::lower_bound(begin, end, column) - q.column.begin());
}
std::uint32_t Formulation::m_place(std::uint32_t i, std::uint32_t j) const {
  const auto& mass = out_.layout.mass;
  return out_.layout.M +
         static_cast<std::uint32_t>(std::lower_bound(mass.begin(), mass.end(), ordered(i, j)) - mass.begin());
}

Place Formulation::target_place(const Part& part, const Contribution& c, std::uint32_t instance) const {
  const SystemLayout& l = out_.layout;
  const std::uint32_t item = part.family.items[instance];
  const auto speed = [&](std::uint32_t slot) { return part.family.index(instance, slot); };
  switch (c.target) {
    case Target::rate:
    case Target::state_rate:
      return {Space::deriv, false, c.target == Target::rate ? item : l.states_at() + item};
    case Target::mass:
      return {Space::work, false, m_place(speed(c.i), speed(c.j))};
    case Target::force:
      return {Space::work, false, l.f + speed(c.i)};
    case Target::jacobian:
      return {Space::work, false, a_place(item, speed(c.i))};
    case Target::right_side:
      return {Space::work, false, l.b + item};
    case Target::position_residual:
      return {Space::work, false, l.position_residual + item};
    case Target::velocity_residual:
      return {Space::work, false, l.velocity_residual + item};
    case Target::kinetic_energy:
      return {Space::work, false, l.kinetic};
    case Target::potential_energy:
      return {Space::work, false, l.potential};
    case Target::load_power:
      return {Space::deriv, false, l.work_at()};
    case Target::support_power:
    case Target::constraint_rate:
      return {Space::deriv, false, l.work_at() + 1};
    case Target::output:
      return {Space::work, false, l.outputs + item};
    case Target::row_weight:
      return {Space::work, false, l.weight + item};
    case Target::rate_offset:
      return {Space::work, false, l.quasi->offset + item};
    case Target::quasi_row:
      return {Space::work, false, y_place(item, speed(c.i))};
    case Target::quasi_offset:
      return {Space::work, false, l.quasi->Z + item};
    case Target::quasi_bias:
      return {Space::work, false, l.quasi->bias + item};
    case Target::momentum_offset:
      return {Space::work, false, l.quasi->momentum_offset + speed(c.i)};
    case Target::nonideal_force:
      return {Space::work, false, l.f + speed(c.i)};
    case Target::nonideal_power:
      return {Space::deriv, false, l.work_at() + 1};
  }
  return {};
}

Place Formulation::leaf_place(const Node& n) const {
  const SystemLayout& l = out_.layout;
  switch (n.leaf) {
    case LeafKind::time:
      return {Space::time, false, 0};
    case LeafKind::coordinate:
      return {Space::state, false, n.a};
    case LeafKind::speed:
      if (speeds_in_work_) return {Space::work, false, l.quasi->u + n.a};
      return {Space::state, false, l.speeds_at() + n.a};
    case LeafKind::state:
    case LeafKind::state_rate:
      return {n.leaf == LeafKind::state ? Space::state : Space::deriv, false, l.states_at() + n.a};
    case LeafKind::accel:
      if (speeds_in_work_) return {Space::work, false, acceleration_ + n.a};
      return {Space::deriv, false, l.speeds_at() + n.a};
    case LeafKind::param:
      return {Space::params, false, n.a};
    case LeafKind::input:
      return {Space::inputs, false, n.a};
    case LeafKind::mask:
      return {Space::mask, false, n.a};
    case LeafKind::multiplier:
      return {Space::work, false, l.lambda + n.a};
    case LeafKind::ideal:
      return {Space::work, false, l.ideal.value_or(l.lambda) + n.a};
    case LeafKind::slot_constant:
      break;
  }
  return {};
}

kernel::Block Formulation::block_of(const char* name, const std::vector<Store>& stores, const Graph& g) const {
  return emit_block(g, name, stores, [this](const Node& n) { return leaf_place(n); });
}

void Formulation::add_function(const char* name, const std::vector<Store>& stores, const Graph& g) {
  kernel::Function f;
  f.name = name;
  push_block(f, block_of(name, stores, g));
  out_.kernel.functions.push_back(std::move(f));
}

namespace {

bool holds(const graph::Graph& g, NodeId value, std::initializer_list<LeafKind> kinds) {
  for (NodeId id : graph::leaves(g, {&value, 1}))
    for (LeafKind kind : kinds)
      if (g.node(id).leaf == kind) return true;
  return false;
}

}  // namespace

SystemFacts facts_of(const System& system) {
  SystemFacts facts;
  facts.linear_rows = system.linear_rows;
  for (lower::RowUse use : system.row_use) facts.has_rows |= use == lower::RowUse::user;
  for (const Part& part : system.parts)
    for (const Contribution& c : part.contributions)
      if (c.target == Target::mass && holds(part.family.shape.graph, c.value, {LeafKind::speed, LeafKind::accel}))
        facts.quadratic_kinetic = false;
  const Pattern pattern(system);
  const std::vector<bool> rows = choose_inertia_rows(system, pattern.row_columns, pattern.mass, InertiaRows::structure);
  facts.needs_rows_for_inertia = std::find(rows.begin(), rows.end(), true) != rows.end();
  std::vector<bool> inertia(system.n_speeds, false);
  for (const auto& [i, j] : pattern.mass)
    if (i == j) inertia[i] = true;
  facts.needs_rows_for_inertia |= std::find(inertia.begin(), inertia.end(), false) != inertia.end();
  return facts;
}

Formulated formulate(const System& system, const FormulateOptions& options) {
  if (options.baumgarte && !system.gains) return formulate(lower::with_baumgarte(system), options);
  Formulation made(system, options);
  if (!made.lanes_failed()) return made.take();
  FormulateOptions plain = options;  // too many templates, a mass that is not positive: what was given up for lanes
  plain.lanes = false;
  return Formulation(system, plain).take();
}

}  // namespace mbc::formulate
