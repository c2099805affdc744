// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline.h"

#include <malloc.h>

#include <chrono>

#include "base/check.h"
#include "compiler/check_methods.h"
#include "compiler/lower/velocity_jumps.h"
#include "compiler/parse/parse.h"
#include "kernel/limits.h"

namespace mbc {

namespace {

constexpr std::size_t kLongText = 1 << 20;  // bytes

template <class Pass>
auto timed(Compilation& c, const char* name, Pass&& pass) {
  const auto begin = std::chrono::steady_clock::now();
  auto result = pass();
  c.times.push_back({name, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
  return result;
}

}  // namespace

Compilation analyse(std::string name, std::string text, const PipelineOptions& options) {
  Compilation c;
  const std::uint32_t file = c.sources.add(std::move(name), std::move(text));
  c.file = timed(c, "parse", [&] { return parse(c.sources, file, ParseMode::file, c.sink); });
  c.large = c.sources[file].text().size() > kLongText;
  trim(c);
  if (!c.sink.has_errors()) c.modules.load(c.file, options.library, c.sources, c.sink);
  c.overrides = parse_overrides(options.set, c.sources, c.sink, c.override_files);
  sema::Structure structure = options.structure;
  std::optional<sema::SweepRequest> sweep;
  if (options.sweep) {
    sweep = parse_sweep(*options.sweep, c.sources, c.sink, c.sweep_files);
    structure.sweep = &*sweep;
  }
  // A file with syntax errors is not elaborated, because its missing parts would be reported as unknown names.
  if (!c.ok()) return c;
  c.model = timed(c, "elaborate", [&] {
    return sema::elaborate(c.file, c.sources, c.modules, c.overrides, c.sink, nullptr, structure, options.observed);
  });
  if (!c.ok()) return c;
  c.large = c.large || c.model.coordinates.size() > kManyCoordinates;
  trim(c);  // elaboration takes twice the memory of its result
  c.system = timed(c, "lower", [&] { return lower::lower(c.model); });
  check_methods(
      c.model, c.system, [&](const formulate::Formulation& f) { return momenta_for(c, f).size(); }, c.sink);
  lower::check_velocity_jumps(c.model, c.system, c.sink);
  graph::forget_marks();  // the graphs of templates are small
  const std::vector<sema::Equation>& rows = c.model.equations;
  if (!rows.empty()) c.too_many_at = rows[std::min<std::size_t>(rows.size() - 1, kernel::kMaxDenseRows)].span;
  return c;
}

void choose_equations(Compilation& c, const sema::Simulation& run, formulate::FormulateOptions& options) {
  options.formulation = formulate::find_formulation(run.formulation.name());
  CHECK(options.formulation != nullptr, "every formulation that can be chosen has equations");
  options.momenta.clear();
  for (const lower::MomentumDirection& d : momenta_for(c, *options.formulation)) options.momenta.push_back(d.speeds);
  options.baumgarte = run.stabilise.method == settings::Stabilisation::baumgarte;
  options.contacts_apart = run.contact.method == settings::Contact::timestep;
}

void add_kernel(Compilation& c, const formulate::FormulateOptions& options) {
  c.formulated = timed(c, "formulate", [&] { return formulate::formulate(c.system, options); });
  c.formulated.kernel.name = c.sources[0].name();
  check_size(c);
}

Compilation compile(std::string name, std::string text, const PipelineOptions& options) {
  Compilation c = analyse(std::move(name), std::move(text), options);
  if (c.ok()) add_kernel(c, options.formulate);
  return c;
}

const sema::Simulation* shaping_block(const std::vector<sema::Simulation>& runs, const std::string& name) {
  const sema::Simulation* block = nullptr;
  for (const sema::Simulation& s : runs)
    if (!block || (block->name != name && s.name == name)) block = &s;
  return block;
}

void trim(const Compilation& c) {
  if (c.large) malloc_trim(0);
}

void check_size(Compilation& c) {
  if (c.formulated.too_large.empty()) return;
  c.sink.report(Kind::too_many_rows, c.too_many_at, std::to_string(c.system.n_rows), c.formulated.too_large);
}

const lower::Momenta& momenta_of(Compilation& c) {
  if (!c.momenta) c.momenta = lower::find_momenta(c.model, sema::parameter_values(c.model, {}));
  return *c.momenta;
}

std::vector<lower::MomentumDirection> momenta_for(Compilation& c, const formulate::Formulation& method) {
  std::vector<lower::MomentumDirection> out;
  if (method.momenta == formulate::Momenta::none) return out;
  for (const lower::MomentumDirection& d : momenta_of(c).found)
    if (d.single || method.momenta == formulate::Momenta::directions) out.push_back(d);
  return out;
}

}  // namespace mbc
