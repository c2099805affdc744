// SPDX-License-Identifier: Apache-2.0
#include "compiler/pipeline.h"

#include <malloc.h>

#include <chrono>
#include <optional>

#include "base/check.h"
#include "base/text.h"
#include "compiler/lower/conservative.h"
#include "compiler/lower/leaps.h"
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

// Whether the model is that of a block: inputs have the courses that it gives them. Another one is judged when it is
// run.
bool is_model_of(const sema::Simulation& s, const sema::Model& model) {
  if (s.inputs.empty()) return model.courses.inputs.empty();
  return model.courses.block == s.name || model.courses.block.empty();
}

// A quasi-velocity that jumps with the motion (an `if`, `sign` or `floor` in it): where it is the state, the motion
// jumps in its place.
const sema::QuasiVelocity* speed_that_jumps(const sema::Model& model) {
  using graph::LeafKind;
  const graph::Graph& g = model.graph;
  for (const sema::QuasiVelocity& q : model.quasi_velocities)
    for (const graph::NodeId id : graph::reachable(g, {&q.value, 1})) {
      const kernel::Op op = g.node(id).op;
      if (!kernel::jumps(op) && op != kernel::Op::select) continue;
      for (const graph::NodeId leaf : graph::leaves(g, {&id, 1}))
        if (g.node(leaf).leaf != LeafKind::param && g.node(leaf).leaf != LeafKind::input) return &q;
    }
  return nullptr;
}

// A formulation that has no equations for this model is refused where it is chosen.
void check_formulations(Compilation& c) {
  const sema::QuasiVelocity* jumps = speed_that_jumps(c.model);
  std::optional<formulate::SystemFacts> facts;
  for (const sema::Simulation& s : c.model.simulations) {
    if (!is_model_of(s, c.model)) continue;
    const formulate::Formulation* method = formulate::find_formulation(s.formulation.name());
    CHECK(method != nullptr, "every formulation that can be chosen has equations");
    if (jumps != nullptr && method->quasi_state) {
      const std::string why = "the quasi-velocity " + quoted(jumps->name) + " jumps, and would be part of its state";
      Diagnostic& d = c.sink.report(Kind::formulation_unfit, s.formulation.span, std::string(method->name), why);
      d.label(jumps->span, "this one");
      d.hint("`udwadia_kalaba`, `augmented` and `maggi` integrate all speeds; else let it be smooth");
      continue;
    }
    if (method->refuses == formulate::always_applies) continue;
    if (!facts) facts = formulate::facts_of(c.system);
    facts->momenta = static_cast<std::uint32_t>(momenta_for(c, *method).size());
    if (const char* reason = method->refuses(*facts))
      c.sink.report(Kind::formulation_unfit, s.formulation.span, std::string(method->name), std::string(reason))
          .hint("`udwadia_kalaba`, `augmented`, `projection` and `maggi` apply to every model");
  }
}

// Why the method for stiff problems cannot be used for a block; "" when it can.
std::string why_not_stiff(const lower::System& system, const sema::Simulation& s, const formulate::SystemFacts& facts) {
  const formulate::Formulation* method = formulate::find_formulation(s.formulation.name());
  const std::string name = s.formulation.name();
  if (s.formulation.find(settings::Argument::literal)) return "`" + name + "(literal)` has no derivatives";
  if (method->quasi_state && facts.linear_rows && facts.quadratic_kinetic)
    return "`" + name + "` integrates independent speeds";
  const std::uint32_t states = system.n_coordinates + system.n_speeds + system.n_states;
  if (states > kernel::kMostStiffStates)
    return "it has " + std::to_string(states) + " states, and at most " + std::to_string(kernel::kMostStiffStates) +
           " are solved as a full matrix";
  return {};
}

// Of the method that develops the equations in series, which have to be written out.
const char* why_no_series(const sema::Simulation& s) {
  if (s.formulation.find(settings::Argument::literal)) return "a generalised inverse has no series";
  const formulate::Formulation* method = formulate::find_formulation(s.formulation.name());
  return method->solve == formulate::Solve::schur ? nullptr
                                                  : "this formulation is solved by calls, which have no series";
}

// What the equations of motion are made of.
std::vector<graph::NodeId> terms_of(const sema::Model& model) {
  std::vector<graph::NodeId> all;
  const auto add = [&](const std::vector<graph::NodeId>& nodes) { all.insert(all.end(), nodes.begin(), nodes.end()); };
  for (const sema::Force& f : model.forces) add(f.value), add(f.position);
  for (const sema::Torque& f : model.torques) add(f.value);
  for (const sema::GeneralisedLoad& f : model.loads) all.push_back(f.value);
  for (const sema::EnergyTerm& e : model.energies) all.push_back(e.value);
  for (const sema::Equation& row : model.equations) all.push_back(row.residual);
  for (const sema::State& s : model.states) all.push_back(s.rate);
  for (const sema::Particle& p : model.particles) all.insert(all.end(), p.position.begin(), p.position.end());
  for (const sema::Body& b : model.bodies) add(b.position), add(b.rotation);
  return all;
}

// A table in them that is looked up along the motion: it has no series either, and a run would say so at its start.
std::optional<Span> table_on_the_way(const sema::Model& model) {
  const graph::Graph& g = model.graph;
  for (const graph::NodeId id : graph::reachable(g, terms_of(model))) {
    const graph::Node& n = g.node(id);
    if (n.op != kernel::Op::table) continue;
    const graph::NodeId argument{n.a};
    for (const graph::NodeId leaf : graph::leaves(g, {&argument, 1}))
      if (g.node(leaf).leaf != graph::LeafKind::param && g.node(leaf).leaf != graph::LeafKind::input)
        return g.origin(id);
  }
  return {};
}

void check_series(Compilation& c, const sema::Simulation& s) {
  if (const char* reason = why_no_series(s)) {
    c.sink.report(Kind::integrator_unfit, s.integrator.span, std::string(s.integrator.name()), std::string(reason))
        .label(s.formulation.span, "chosen here")
        .hint("it goes with `udwadia_kalaba` and `lagrange`; `dop853` goes with all");
    return;
  }
  const std::optional<Span> table = table_on_the_way(c.model);
  if (!table) return;
  Diagnostic& d = c.sink.report(Kind::integrator_unfit, s.integrator.span, std::string(s.integrator.name()),
                                std::string("a table is looked up along the motion, and has no series"));
  if (table->known()) d.label(*table, "here");
  d.hint("use `integrator = dop853`, which asks for values of the right-hand side only");
}

// The same of the methods for long conservative runs: what is in the way, and where.
std::optional<lower::InTheWay> why_not_symmetric(const Compilation& c, const sema::Simulation& s,
                                                 const formulate::SystemFacts& facts) {
  const formulate::Formulation* method = formulate::find_formulation(s.formulation.name());
  const std::string formulation = std::string("`") + s.formulation.name() + "`";
  if (s.stabilise.method == settings::Stabilisation::baumgarte ||
      s.stabilise.method == settings::Stabilisation::partition)
    return lower::InTheWay{std::string("`") + s.stabilise.name() + "` is not the same backwards in time",
                           s.stabilise.span, "the method projects symmetrically by itself: `stabilise = project`"};
  if (s.kinks.written && s.kinks.method == settings::Kinks::locate)
    return lower::InTheWay{"its steps are of one size and end nowhere else", s.kinks.span, "`kinks = ignore`"};
  if (method->quasi_state && facts.linear_rows && facts.quadratic_kinetic)
    return lower::InTheWay{formulation + " integrates independent speeds", s.formulation.span,
                           "it goes with `udwadia_kalaba`, `augmented`, `lagrange` and `maggi`"};
  if (c.system.n_rows > kernel::kMaxDenseRows)
    return lower::InTheWay{"it has " + std::to_string(c.system.n_rows) + " rows, and at most " +
                               std::to_string(kernel::kMaxDenseRows) + " are projected as a full matrix",
                           s.integrator.span,
                           {}};
  return lower::not_conservative(c.model, c.system);
}

bool is_symmetric(const sema::Simulation& s) {
  return s.integrator.method == settings::Integrator::gauss4 || s.integrator.method == settings::Integrator::gauss6;
}

void check_symmetric(Compilation& c, const sema::Simulation& s, const formulate::SystemFacts& facts) {
  const std::optional<lower::InTheWay> found = why_not_symmetric(c, s, facts);
  if (!found) return;
  Diagnostic& d = c.sink.report(Kind::integrator_unfit, found->span, std::string(s.integrator.name()), found->why);
  if (!found->help.empty()) d.hint(found->help);
  if (found->span.begin != s.integrator.span.begin) d.label(s.integrator.span, "the method is chosen here");
}

void check_integrators(Compilation& c) {
  std::optional<formulate::SystemFacts> facts;
  for (const sema::Simulation& s : c.model.simulations) {
    if (!is_model_of(s, c.model)) continue;
    if (s.integrator.method == settings::Integrator::taylor) check_series(c, s);
    if (is_symmetric(s)) {
      if (!facts) facts = formulate::facts_of(c.system);
      check_symmetric(c, s, *facts);
      continue;
    }
    if (s.integrator.method != settings::Integrator::bdf) continue;
    if (!facts) facts = formulate::facts_of(c.system);
    if (const std::string reason = why_not_stiff(c.system, s, *facts); !reason.empty())
      c.sink.report(Kind::integrator_unfit, s.integrator.span, std::string(s.integrator.name()), reason)
          .hint("it goes with `udwadia_kalaba`, `augmented`, `lagrange` and `maggi`");
  }
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
  // A file with syntax errors is not elaborated: what is missing from it would be reported as unknown.
  if (!c.ok()) return c;
  c.model = timed(c, "elaborate", [&] {
    return sema::elaborate(c.file, c.sources, c.modules, c.overrides, c.sink, nullptr, structure, options.observed);
  });
  if (!c.ok()) return c;
  c.large = c.large || c.model.coordinates.size() > kManyCoordinates;
  trim(c);  // elaborating takes twice what it leaves
  c.system = timed(c, "lower", [&] { return lower::lower(c.model); });
  check_formulations(c);
  check_integrators(c);
  lower::check_leaps(c.model, c.system, c.sink);
  graph::forget_marks();  // templates are small
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
