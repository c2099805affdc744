// SPDX-License-Identifier: Apache-2.0
#include "compiler/formulate/builder/kernel_builder.h"

#include "compiler/formulate/blocks/deduplicate_tables.h"
#include "compiler/formulate/builder/system_facts.h"
#include "compiler/formulate/solve/inertia_rows.h"

namespace mbc::formulate {

KernelBuilder::KernelBuilder(const System& system, const FormulateOptions& options)
    : system_(system),
      options_(options),
      pattern_(system),
      inertia_rows_(options.formulation->adds_inertia_rows
                        ? choose_inertia_rows(system, pattern_.row_columns, pattern_.mass, options.inertia_rows)
                        : std::vector<bool>(system.n_rows, false)),
      places_(out_.layout) {
  lay_out();
}

std::uint32_t KernelBuilder::field(const char* name, std::uint32_t size) {
  out_.kernel.fields.push_back({name, Space::work, work_, size});
  work_ += size;
  return work_ - size;
}

void KernelBuilder::lay_out() {
  lay_out_state();
  lay_out_work();
  const Solve solve = options_.formulation->solve;
  out_.layout.augmented = solve == Solve::augmented;
  if (solve == Solve::maggi || solve == Solve::projected) lay_out_quasi();
}

// Lays out sizes, the patterns of A and M, and the integrated state.
void KernelBuilder::lay_out_state() {
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
}

void KernelBuilder::lay_out_work() {
  SystemLayout& l = out_.layout;
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
}

void KernelBuilder::lay_out_quasi() {
  const std::uint32_t n = system_.n_speeds;
  const SystemFacts facts = facts_of(system_);
  QuasiLayout q;
  q.state = options_.formulation->quasi_state && facts.linear_rows && facts.quadratic_kinetic;
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

std::vector<double> KernelBuilder::plain_weights() const {
  std::vector<double> weights;
  for (const bool added : inertia_rows_) weights.push_back(added ? -no_inertia() : 0.0);
  return weights;
}

Block KernelBuilder::block_of(const char* name, const std::vector<Store>& stores, const Graph& g) const {
  return emit_block(g, name, stores, [this](const Node& n) { return places_.of_leaf(n); });
}

void KernelBuilder::add_function(const char* name, const std::vector<Store>& stores, const Graph& g) {
  kernel::Function f;
  f.name = name;
  push_block(f, block_of(name, stores, g));
  add_function(std::move(f));
}

Formulated KernelBuilder::take() {
  kernel::Kernel& k = out_.kernel;
  k.n_state = out_.layout.n_y();
  k.n_params = system_.n_params;
  k.n_inputs = system_.n_inputs;
  k.n_mask = system_.n_rows;
  k.n_work = work_;
  deduplicate_tables(k);
  for (kernel::Function& f : k.functions) {
    if (f.name == "rhs" || f.name == "rhs_quasi" || f.name == "fast_rhs") f.check_end = k.n_state;
    if (f.name == "rhs")
      for (const Block& b : f.blocks) out_.operations += static_cast<std::uint32_t>(b.code.size()) * b.count;
  }
  return std::move(out_);
}

}  // namespace mbc::formulate
