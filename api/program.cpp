// SPDX-License-Identifier: Apache-2.0
// The embedding interface, on top of the compiler's pipeline and the runtime.
#include <algorithm>
#include <chrono>
#include <cmath>
#include <filesystem>

#include "api/impl.h"
#include "api/initial.h"
#include "api/model_info.h"
#include "api/parts.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/read_file.h"
#include "compiler/ast/print_ast.h"
#include "compiler/graph/evaluate.h"
#include "compiler/parse/parse.h"
#include "kernel/floating_point.h"
#include "mbc/mbc.h"
#include "mbc_version.h"
#include "runtime/constraints/certification.h"
#include "runtime/constraints/reactions.h"
#include "runtime/simulation/simulate.h"

namespace mbc {

namespace {

Quantity quantity(const runtime::ColumnInfo& c) { return {c.name, c.unit, c.description}; }

std::vector<Quantity> quantities(const runtime::Quantities& columns) {
  std::vector<Quantity> out;
  out.reserve(columns.size());
  for (std::size_t k = 0; k < columns.size(); ++k) out.push_back(quantity(columns[k]));
  return out;
}

}  // namespace

Program::Program(std::unique_ptr<Impl> impl) : impl_(std::move(impl)) {}
Program::Program(Program&&) noexcept = default;
Program& Program::operator=(Program&&) noexcept = default;
Program::~Program() = default;

std::string version() { return MBC_VERSION; }

std::string back_end_version() {
#ifdef MBC_HAVE_JIT
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  return engine ? engine->version() : "";
#else
  return "";
#endif
}

std::string explain(const std::string& code) {
  for (const KindInfo& k : all_kinds())
    if (k.code == code) return std::string(k.explanation);
  return "";
}

std::vector<CodeInfo> all_codes() {
  std::vector<CodeInfo> out;
  for (const KindInfo& k : all_kinds())
    out.push_back({std::string(k.code), std::string(k.name),
                   k.severity == Severity::error     ? "error"
                   : k.severity == Severity::warning ? "warning"
                                                     : "note",
                   std::string(k.message)});
  return out;
}

Program Program::from_file(const std::string& path, const CompileOptions& options) {
  std::string text, error;
  const auto begin = std::chrono::steady_clock::now();
  if (read_file(path, text, error)) {
    const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    CompileOptions located = options;
    const std::string folder = std::filesystem::path(path).parent_path().string();
    if (located.folder.empty()) located.folder = folder.empty() ? "." : folder;
    Program program = from_string(text, path, located);
    std::vector<PassTime>& times = program.impl_->compilation.times;
    times.insert(times.begin(), {"read", seconds});
    return program;
  }
  auto impl = std::make_unique<Impl>();
  impl->compilation.sink.report(Kind::cannot_read, Span{}, printable(path), error);
  return Program(std::move(impl));
}

Program Program::from_string(const std::string& text, const std::string& name, const CompileOptions& options) {
  const kernel::StrictFloatingPoint strict;
  auto impl = std::make_unique<Impl>();
  impl->optimise = options.optimise;
  impl->choose_engine(options);
  impl->build.compile(name, text, options.set, {options.folder, options.stdlib});
  impl->compiled();
  return Program(std::move(impl));
}

bool Program::ok() const { return impl_->compilation.ok(); }

std::vector<DiagnosticInfo> Program::diagnostics() const {
  std::vector<DiagnosticInfo> out;
  for (const Diagnostic& d : impl_->compilation.sink.sorted())
    out.push_back(api::to_info(d, impl_->compilation.sources));
  return out;
}

std::string Program::render_diagnostics(bool colour) const {
  return render_text(impl_->compilation.sink, impl_->compilation.sources, {colour});
}

std::string Program::render_diagnostics_json() const {
  std::string out;
  for (const Diagnostic& d : impl_->compilation.sink.sorted()) out += render_json(d, impl_->compilation.sources) + "\n";
  return out;
}

std::vector<Quantity> Program::parameters() const { return impl_->parameters; }
std::vector<Quantity> Program::coordinates() const { return quantities(impl_->info.coordinates); }
std::vector<Quantity> Program::speeds() const { return quantities(impl_->info.speeds); }
std::vector<Quantity> Program::states() const { return quantities(impl_->info.states); }
std::vector<Quantity> Program::inputs() const { return quantities(impl_->info.inputs); }
std::vector<Quantity> Program::outputs() const { return quantities(impl_->info.outputs); }

std::vector<std::string> Program::simulations() const {
  std::vector<std::string> out;
  for (const sema::Simulation& s : impl_->build.simulations()) out.push_back(s.name);
  return out;
}

std::string Program::save_path(const std::string& simulation) const {
  const sema::Simulation* s = impl_->block(simulation);
  return s ? s->save : "";
}

std::optional<TimeSpan> Program::time_span(const std::string& simulation) const {
  const sema::Simulation* s = impl_->block(simulation);
  if (!s) return {};
  return TimeSpan{s->begin, s->end, s->step};
}

std::string Program::source_text() const {
  return impl_->compilation.sources.size() > 0 ? std::string(impl_->compilation.sources[0].text()) : "";
}

std::string Program::emit(Stage stage, const std::string& prefix, std::string& error, const std::string& processor) {
  Compilation& c = impl_->compilation;
  if (stage <= Stage::system) impl_->build.restore_model();
  switch (stage) {
    case Stage::ast:
      return ast::print(c.file);
    case Stage::model:
      return sema::print(c.model);
    case Stage::system:
      return lower::print(c.system, c.model);
    case Stage::kernel:
      return kernel::print(c.formulated.kernel);
    case Stage::llvm_ir:
    case Stage::assembly:
    case Stage::object:
      break;
  }
  jit::Engine* engine = impl_->native ? impl_->native->engine(error) : nullptr;
  if (!engine) return "";
  const jit::Artifact what = stage == Stage::llvm_ir    ? jit::Artifact::optimised_ir
                             : stage == Stage::assembly ? jit::Artifact::assembly
                                                        : jit::Artifact::object;
  jit::CompileOptions options;
  options.optimise = impl_->optimise;
  options.cpu = processor;
  return engine->emit(c.formulated.kernel, what, prefix, options, error);
}

bool Program::knows_processor(const std::string& processor) const {
  std::string error;
  const jit::Engine* engine = impl_->native ? impl_->native->engine(error) : nullptr;
  return !engine || engine->knows_processor(processor);
}

std::vector<StageTime> Program::stage_times() const {
  std::vector<StageTime> out;
  for (const PassTime& t : impl_->compilation.times) out.push_back({t.name, t.seconds, t.background});
  if (!impl_->native) return out;
  for (const PassTime& t : impl_->native->times()) out.push_back({t.name, t.seconds, t.background});
  return out;
}

bool Program::compiling() const { return impl_->native && impl_->native->busy(); }

Program::Parts Program::parts() const {
  impl_->build.restore_model();
  return {impl_->ready(),
          impl_->info,
          impl_->compilation.model,
          impl_->compilation.sources,
          impl_->params,
          impl_->initial(),
          impl_->compilation.file.statements.empty() ? "" : impl_->compilation.file.statements.front()->doc};
}

std::vector<double> Program::initial_state() const {
  return impl_->soft_values ? api::assembled(parts()) : impl_->initial();
}

double Program::parameter(std::size_t index) const { return impl_->params.at(index); }

bool Program::set_parameter(const std::string& name, double value) {
  for (std::uint32_t i = 0; i < impl_->parameters.size(); ++i)
    if (impl_->parameters[i].name == name) {
      std::erase_if(impl_->set_params, [i](const auto& p) { return p.first == i; });
      impl_->set_params.emplace_back(i, value);
      impl_->update_params();
      return true;
    }
  return false;
}

double Program::input(std::size_t index) const { return impl_->inputs.at(index); }

bool Program::set_input(const std::string& name, double value) {
  for (std::uint32_t i = 0; i < impl_->info.inputs.size(); ++i)
    if (impl_->info.inputs[i].name == name) {
      std::erase_if(impl_->set_inputs, [i](const auto& p) { return p.first == i; });
      impl_->set_inputs.emplace_back(i, value);
      impl_->update_inputs();
      return true;
    }
  return false;
}

int Program::rhs(double t, std::span<const double> y, std::span<double> dy) {
  const kernel::StrictFloatingPoint strict;
  runtime::Equations& equations = impl_->ready();
  if (y.size() != equations.layout().n_y() || dy.size() != y.size()) return -1;
  return equations.fast_rhs(t, y.data(), dy.data()) ? 0 : equations.rhs(t, y.data(), dy.data());
}

RowSet Program::rows(double t, std::span<const double> y) {
  const kernel::StrictFloatingPoint strict;
  runtime::Equations& equations = impl_->ready();
  const kernel::SystemLayout& l = equations.layout();
  if (equations.beyond_dense()) return {};
  runtime::Assembled s;
  equations.assemble(t, y.data(), s, false);
  std::vector<double> dy(l.n_y());
  runtime::ConstraintProjector projector(equations, impl_->info);
  runtime::Certification certification(equations, impl_->info, projector, 1e-10);
  const runtime::Verdict verdict = certification.begin(t, y.data());
  equations.rhs(t, y.data(), dy.data());
  RowSet out;
  if (const double* ideal = equations.ideal()) out.ideal.assign(ideal, ideal + l.n_rows);
  out.n = l.n_speeds;
  out.m = l.n_rows;
  for (std::size_t i = 0; i < out.n; ++i)
    for (std::size_t j = 0; j < out.n; ++j)
      out.M.push_back(s.M(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  for (std::size_t i = 0; i < out.m; ++i)
    for (std::size_t j = 0; j < out.n; ++j)
      out.A.push_back(s.A(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)));
  out.f.assign(s.f.begin(), s.f.end());
  out.b.assign(s.b.begin(), s.b.end());
  runtime::smallest_multipliers(equations, t, y.data());
  out.acceleration.assign(dy.begin() + l.speeds_at(), dy.begin() + l.states_at());
  out.multiplier.assign(equations.lambda(), equations.lambda() + l.n_rows);
  out.rank = verdict.report.rank;
  for (std::size_t k = 0; k < out.m; ++k) {
    out.row_names.push_back(impl_->info.rows[k].name);
    if (k < verdict.report.rows.size() && verdict.report.rows[k].state != runtime::RowState::independent)
      out.dependent_rows.push_back(impl_->info.rows[k].name);
  }
  return out;
}

std::optional<std::vector<double>> Program::value(const std::string& expression, double t, std::span<const double> y,
                                                  std::string& error) {
  const kernel::StrictFloatingPoint strict;
  impl_->build.restore_model();
  Compilation& c = impl_->compilation;
  SourceSet sources = c.sources;
  const std::uint32_t file = sources.add("<input>", expression);
  Sink sink;
  const ast::File parsed = parse(sources, file, ParseMode::repl, sink);
  std::vector<sema::Query> queries;
  for (const ast::StmtPtr& s : parsed.statements)
    if (const auto* e = std::get_if<ast::ExprStmt>(&s->node)) queries.push_back({e->value.get(), {}});
  sema::Model model;
  if (!sink.has_errors() && queries.size() == 1)
    model = sema::elaborate(c.file, sources, c.modules, c.overrides, sink, &queries, {{}, c.model.bodies_default});
  if (!sink.has_errors() && queries.size() == 1 && queries[0].answer.nodes.empty())
    sink.report(Kind::not_a_value, queries[0].expression->span, sema::describe_shape(queries[0].answer.type.shape));
  if (sink.has_errors() || queries.size() != 1) {
    error = sink.has_errors() ? render_text(sink, sources) : "not an expression\n";
    return {};
  }
  const std::vector<double> params = ok() ? impl_->params : sema::parameter_values(model, impl_->set_params);
  std::vector<double> acceleration, multiplier, ideal, dy;
  if (ok()) {
    const RowSet set = rows(t, y);
    dy.resize(y.size());
    rhs(t, y, dy);
    acceleration = set.acceleration;
    multiplier = set.multiplier;
    ideal = set.ideal;
  }
  const std::size_t n_q = model.coordinates.size(), states_at = n_q + model.speeds.size();
  const std::vector<double> values = graph::evaluate(model.graph, queries[0].answer.nodes, [&](const graph::Node& n) {
    switch (n.leaf) {
      case graph::LeafKind::time:
        return t;
      case graph::LeafKind::coordinate:
        return n.a < y.size() ? y[n.a] : NAN;
      case graph::LeafKind::speed:
        return n_q + n.a < y.size() ? y[n_q + n.a] : NAN;
      case graph::LeafKind::accel:
        return n.a < acceleration.size() ? acceleration[n.a] : NAN;
      case graph::LeafKind::multiplier:
        return n.a < multiplier.size() ? multiplier[n.a] : NAN;
      case graph::LeafKind::ideal:
        return n.a < ideal.size() ? ideal[n.a] : NAN;
      case graph::LeafKind::state:
        return states_at + n.a < y.size() ? y[states_at + n.a] : NAN;
      case graph::LeafKind::state_rate:
        return states_at + n.a < dy.size() ? dy[states_at + n.a] : NAN;
      case graph::LeafKind::input:
        return n.a < impl_->inputs.size() ? impl_->inputs[n.a] : NAN;
      case graph::LeafKind::param:
        return n.a < params.size() ? params[n.a] : NAN;
      default:
        return static_cast<double>(NAN);
    }
  });
  return values;
}

std::size_t Program::coordinate_count() const { return impl_->info.coordinates.size(); }
std::size_t Program::constraint_row_count() const {
  const auto& rows = impl_->info.rows;
  return static_cast<std::size_t>(
      std::count_if(rows.begin(), rows.end(), [](const runtime::RowInfo& row) { return !row.of_body; }));
}

std::vector<Quantity> Program::columns() const {
  std::vector<Quantity> out;
  out.reserve(column_count());
  for (std::size_t k = 0; k < column_count(); ++k) out.push_back(column(k));
  return out;
}
std::size_t Program::column_count() const { return impl_->info.columns.size(); }
Quantity Program::column(std::size_t index) const { return quantity(impl_->info.column(index)); }

std::string Program::time_unit() const { return impl_->info.time_unit; }

}  // namespace mbc
