#include "runtime/api/build.h"

#include "runtime/equations.h"

namespace mbc::api {

using formulate::InertiaRows;

void Build::compile(const std::string& name, const std::string& text, const std::vector<std::string>& set,
                    const sema::Library& library) {
  library_ = library;
  name_ = name;
  text_ = text;
  set_ = set;
  compile_for_block();
}

void Build::compile_for_block() {
  PipelineOptions options;
  options.set = set_;
  options.library = library_;
  options.structure.simulation = simulation_;
  options_.method = &formulate::kUdwadiaKalaba;
  options_.momenta.clear();
  options.formulate = options_;
  options.sweep = sweep;
  c_ = mbc::compile(name_, text_, options);
  if (!c_.ok()) return;
  const sema::Simulation* block = nullptr;
  for (const sema::Simulation& s : c_.model.simulations)
    if (!block || (block->name != simulation_ && s.name == simulation_)) block = &s;
  if (block) formulate_for(*block);
}

void Build::formulate_again() {
  std::string name = c_.formulated.kernel.name;
  c_.formulated = formulate::formulate(c_.system, options_);
  c_.formulated.kernel.name = std::move(name);
}

bool Build::formulate_for(const sema::Simulation& s) {
  const formulate::Method* wanted = formulate::find_method(s.formulation.name);
  const bool baumgarte = s.stabilise.name == "baumgarte";
  if (options_.method == wanted && options_.baumgarte == baumgarte) return false;
  options_.method = wanted;
  options_.momenta.clear();
  for (const lower::MomentumDirection& d : mbc::momenta_for(c_, *wanted)) options_.momenta.push_back(d.speeds);
  options_.baumgarte = baumgarte;
  formulate_again();
  mbc::check_size(c_);
  return true;
}

Changed Build::shape_for(const sema::Simulation& s) {
  if (s.bodies.name == sema::to_text(c_.model.bodies_default))
    return formulate_for(s) ? Changed::kernel : Changed::nothing;
  simulation_ = s.name;
  compile_for_block();
  return Changed::model;
}

bool Build::complete_inertia(double t, const std::vector<double>& y, const std::vector<double>& params) {
  bool changed = false;
  while (options_.inertia_rows != InertiaRows::all && options_.method->adds_inertia_rows) {
    const formulate::SystemLayout& l = c_.formulated.layout;
    if (c_.model.bodies.empty() && l.diagonal_mass() && l.mass.size() == l.n_speeds) break;
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
