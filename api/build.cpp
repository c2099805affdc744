// SPDX-License-Identifier: Apache-2.0
#include "api/build.h"

#include <chrono>

#include "runtime/equations/equations.h"

namespace mbc::api {

using formulate::InertiaRows;

void Build::compile(const std::string& name, const std::string& text, const std::vector<std::string>& set,
                    const sema::Library& library) {
  library_ = library;
  set_ = set;
  compile_for_block(name, text);
}

PipelineOptions Build::pipeline_options() const {
  PipelineOptions options;
  options.set = set_;
  options.library = library_;
  options.structure.simulation = simulation_;
  options.sweep = sweep;
  return options;
}

void Build::compile_for_block(const std::string& name, const std::string& text) {
  c_ = mbc::analyse(name, text, pipeline_options());
  dropped_ = system_dropped_ = false;
  simulations_ = c_.model.simulations;
  bodies_default_ = c_.model.bodies_default;
  has_bodies_ = !c_.model.bodies.empty();
  if (!c_.ok()) return;
  const sema::Simulation* block = shaping_block(simulations_, simulation_);
  options_.formulation = &formulate::kUdwadiaKalaba;
  options_.momenta.clear();
  if (block) choose_equations(c_, *block, options_);
  if (analysed) analysed();
  mbc::add_kernel(c_, options_);
  if (!c_.ok()) return;
  if (dropped_) drop_system();
}

void Build::drop_model() {
  c_.file = {};
  c_.model = {};
  dropped_ = true;
}

void Build::drop_system() {
  const std::uint32_t rows = c_.system.n_rows;
  c_.system = {};
  c_.system.n_rows = rows;
  system_dropped_ = true;
}

void Build::restore_model() {
  if (!dropped_) return;
  const auto begin = std::chrono::steady_clock::now();
  Compilation again = mbc::analyse(c_.sources[0].name(), std::string(c_.sources[0].text()), pipeline_options());
  c_.file = std::move(again.file);
  c_.modules = std::move(again.modules);
  c_.override_files = std::move(again.override_files);
  c_.overrides = std::move(again.overrides);
  c_.sweep_files = std::move(again.sweep_files);
  c_.model = std::move(again.model);
  c_.system = std::move(again.system);
  dropped_ = system_dropped_ = false;
  c_.times.push_back(
      {"analyse again", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
}

void Build::formulate_again() {
  const bool again = system_dropped_;
  if (again) restore_model();
  std::string name = c_.formulated.kernel.name;
  c_.formulated = formulate::formulate(c_.system, options_);
  c_.formulated.kernel.name = std::move(name);
  if (!again) return;
  drop_model();
  drop_system();
}

bool Build::formulate_for(const sema::Simulation& s) {
  const formulate::Formulation* wanted = formulate::find_formulation(s.formulation.name());
  const bool baumgarte = s.stabilise.method == settings::Stabilisation::baumgarte;
  if (options_.formulation == wanted && options_.baumgarte == baumgarte) return false;
  if (wanted->momenta != formulate::Momenta::none && !c_.momenta) restore_model();
  choose_equations(c_, s, options_);
  formulate_again();
  mbc::check_size(c_);
  return true;
}

Changed Build::shape_for(const sema::Simulation& s) {
  if (s.bodies.method == bodies_default_) return formulate_for(s) ? Changed::kernel : Changed::nothing;
  simulation_ = s.name;
  compile_for_block(c_.sources[0].name(), std::string(c_.sources[0].text()));
  return Changed::model;
}

bool Build::complete_inertia(double t, const std::vector<double>& y, const std::vector<double>& params) {
  bool changed = false;
  while (options_.inertia_rows != InertiaRows::all && options_.formulation->adds_inertia_rows) {
    const kernel::SystemLayout& l = c_.formulated.layout;
    if (!has_bodies_ && l.diagonal_mass() && l.mass.size() == l.n_speeds) break;
    runtime::Equations probe(c_.formulated.kernel, l, {});
    probe.set_params(params);
    runtime::Assembled s;
    if (probe.has_inertia(t, y.data(), s)) break;
    const InertiaRows before = options_.inertia_rows;
    options_.inertia_rows = before == InertiaRows::structure ? InertiaRows::representations : InertiaRows::all;
    formulate_again();
    changed = true;
    if (c_.formulated.too_large.empty()) continue;
    options_.inertia_rows = before;  // the run says that there is no inertia
    formulate_again();
    break;
  }
  return changed;
}

}  // namespace mbc::api
