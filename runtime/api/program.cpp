// The embedding interface, on top of the compiler's pipeline and the runtime.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <cstring>
#include <future>

#include "compiler/ast/print_ast.h"
#include "compiler/diagnostics/render.h"
#include "compiler/graph/evaluate.h"
#include "compiler/parse/parse.h"
#include "jit/engine.h"
#include "mbc/mbc.h"
#include "mbc_version.h"
#include "runtime/api/describe.h"
#include "runtime/api/methods.h"
#include "runtime/floating_point.h"
#include "runtime/output/numbers.h"
#include "runtime/simulate.h"

namespace mbc {

namespace {

constexpr std::uint32_t kMaxRows = 2000;  // of the dense generalised inverse

Quantity quantity(const runtime::ColumnInfo& c) { return {c.name, c.unit, c.description}; }

std::vector<Quantity> quantities(const std::vector<runtime::ColumnInfo>& columns) {
  std::vector<Quantity> out;
  for (const runtime::ColumnInfo& c : columns) out.push_back(quantity(c));
  return out;
}

// The whole of a file, or why not.
bool read_file(const std::string& path, std::string& text, std::string& error) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = std::strerror(errno);
    return false;
  }
  struct stat status {};
  bool good = ::fstat(fd, &status) == 0;
  if (good && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    good = false;
  }
  constexpr std::size_t kLimit = 64u << 20;  // the parser refuses far less; this only bounds what is read
  char buffer[1 << 16];
  while (good && text.size() < kLimit) {
    const ssize_t n = ::read(fd, buffer, sizeof buffer);
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) good = false;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  if (!good) error = std::strerror(errno);
  ::close(fd);
  return good;
}

}  // namespace

struct Program::Impl {
  Compilation compilation;
  runtime::ModelInfo info;
  std::vector<double> params;
  std::vector<std::pair<std::uint32_t, double>> set_params;
  bool interpret = false, baumgarte = false;
  int optimise = 2;
  // destroyed in reverse order: equations, code, engine
  std::string load_error;
  std::future<std::unique_ptr<jit::Engine>> loading;
  std::unique_ptr<jit::Engine> engine;
  std::vector<std::unique_ptr<jit::CompiledKernel>> code;
  std::unique_ptr<runtime::Equations> equations;
  std::string engine_name, engine_note;

  [[nodiscard]] const sema::Model& model() const { return compilation.model; }

  // The back end's library takes as long to open as a model to compile, so that is begun while the text is read.
  void begin_loading() {
#ifdef MBC_HAVE_JIT
    loading = std::async(std::launch::async, [this] { return jit::load_engine(load_error); });
#endif
  }

  bool load_engine(std::string& error) {
#ifdef MBC_HAVE_JIT
    if (loading.valid())
      engine = loading.get();
    else if (!engine)
      engine = jit::load_engine(load_error);
    error = load_error;
#else
    error = "this build has no native back end";
#endif
    return engine != nullptr;
  }

  kernel::KernelFunction compile_function(const kernel::Function& function) {
    kernel::Kernel part = compilation.formulated.kernel;
    part.functions = {function};
    jit::CompileOptions options;
    options.optimise = optimise;
    std::unique_ptr<jit::CompiledKernel> made = engine->compile(part, options, engine_note);
    if (!made) return nullptr;
    code.push_back(std::move(made));
    const jit::CompileTimes& t = code.back()->times();
    const std::string of = " (" + function.name + ")";
    compilation.times.push_back({"emit LLVM IR" + of, t.emit});
    compilation.times.push_back({"optimise" + of, t.optimise});
    compilation.times.push_back({"code generation" + of, t.codegen});
    compilation.times.push_back({"link" + of, t.link});
    return code.back()->function(function.name);
  }

  // Native code when it can be had, on first use; otherwise the interpreter, and why.
  runtime::Equations& ready() {
    if (equations) return *equations;
    engine_name = "interpreter";
    runtime::Compiler compiler;
    if (!interpret) {
      const auto begin = std::chrono::steady_clock::now();
      if (load_engine(engine_note)) compiler = [this](const kernel::Function& f) { return compile_function(f); };
      compilation.times.push_back(
          {"wait for LLVM", std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count()});
    }
    equations =
        std::make_unique<runtime::Equations>(compilation.formulated.kernel, compilation.formulated.layout, compiler);
    if (!code.empty()) engine_name = "native code";
    equations->set_params(params);
    return *equations;
  }

  // The block of that name; "" means the only one.
  [[nodiscard]] const sema::Simulation* block(const std::string& name) const {
    for (const sema::Simulation& s : model().simulations)
      if (s.name == name || (name.empty() && model().simulations.size() == 1)) return &s;
    return nullptr;
  }

  // The kernel a block needs: with Baumgarte's terms in b, or without.
  void shape_for(const sema::Simulation& s) {
    const bool wanted = s.stabilise.name == "baumgarte";
    if (wanted == baumgarte) return;
    baumgarte = wanted;
    equations.reset();
    code.clear();
    formulate::FormulateOptions options;
    options.baumgarte = wanted;
    std::string name = compilation.formulated.kernel.name;
    compilation.formulated = formulate::formulate(compilation.system, options);
    compilation.formulated.kernel.name = std::move(name);
  }

  void update_params() {
    params = sema::parameter_values(model(), set_params);
    if (equations) equations->set_params(params);
  }

  std::vector<double> initial() const {
    std::vector<NodeId> nodes;
    for (const sema::Coordinate& c : model().coordinates) nodes.push_back(c.initial);
    for (const sema::Speed& s : model().speeds) nodes.push_back(s.initial);
    std::vector<double> y = sema::constant_values(model(), nodes, params);
    y.resize(compilation.formulated.layout.n_y(), 0.0);
    return y;
  }

  using NodeId = graph::NodeId;
};

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
  if (read_file(path, text, error)) return from_string(text, path, options);
  auto impl = std::make_unique<Impl>();
  impl->compilation.sink.report(Kind::cannot_read, Span{}, printable(path), error);
  return Program(std::move(impl));
}

Program Program::from_string(const std::string& text, const std::string& name, const CompileOptions& options) {
  const runtime::StrictFloatingPoint strict;
  auto impl = std::make_unique<Impl>();
  impl->interpret = options.interpret;
  impl->optimise = options.optimise;
  if (!options.interpret) impl->begin_loading();
  impl->compilation = compile(name, text, {options.set, {}});
  if (impl->compilation.ok()) {
    impl->info = api::describe(impl->model());
    impl->update_params();
    if (!impl->model().simulations.empty()) impl->shape_for(impl->model().simulations[0]);
    if (impl->info.rows.size() > kMaxRows)
      impl->compilation.sink.report(Kind::too_many_rows, impl->info.rows[kMaxRows].span,
                                    std::to_string(impl->info.rows.size()), std::to_string(kMaxRows));
  }
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

std::vector<Quantity> Program::parameters() const {
  std::vector<Quantity> out;
  for (const sema::Param& p : impl_->model().params)
    out.push_back({p.name, impl_->model().has_units ? sema::to_text(p.dimension) : "", p.doc});
  return out;
}
std::vector<Quantity> Program::coordinates() const { return quantities(impl_->info.coordinates); }
std::vector<Quantity> Program::speeds() const { return quantities(impl_->info.speeds); }
std::vector<Quantity> Program::outputs() const { return quantities(impl_->info.outputs); }

std::vector<std::string> Program::simulations() const {
  std::vector<std::string> out;
  for (const sema::Simulation& s : impl_->model().simulations) out.push_back(s.name);
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

std::string Program::emit(Stage stage, const std::string& prefix, std::string& error) {
  Compilation& c = impl_->compilation;
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
  if (!impl_->load_engine(error)) return "";
  const jit::Artifact what = stage == Stage::llvm_ir    ? jit::Artifact::optimised_ir
                             : stage == Stage::assembly ? jit::Artifact::assembly
                                                        : jit::Artifact::object;
  jit::CompileOptions options;
  options.optimise = impl_->optimise;
  return impl_->engine->emit(c.formulated.kernel, what, prefix, options, error);
}

std::vector<StageTime> Program::stage_times() const {
  std::vector<StageTime> out;
  for (const PassTime& t : impl_->compilation.times) out.push_back({t.name, t.seconds});
  return out;
}

std::vector<double> Program::initial_state() const { return impl_->initial(); }

double Program::parameter(std::size_t index) const { return impl_->params.at(index); }

bool Program::set_parameter(const std::string& name, double value) {
  for (std::uint32_t i = 0; i < impl_->model().params.size(); ++i)
    if (impl_->model().params[i].name == name) {
      std::erase_if(impl_->set_params, [i](const auto& p) { return p.first == i; });
      impl_->set_params.emplace_back(i, value);
      impl_->update_params();
      return true;
    }
  return false;
}

int Program::rhs(double t, std::span<const double> y, std::span<double> dy) {
  const runtime::StrictFloatingPoint strict;
  return impl_->ready().rhs(t, y.data(), dy.data());
}

RowSet Program::rows(double t, std::span<const double> y) {
  const runtime::StrictFloatingPoint strict;
  runtime::Equations& equations = impl_->ready();
  const formulate::SystemLayout& l = equations.layout();
  runtime::Assembled s;
  equations.assemble(t, y.data(), s, false);
  std::vector<double> dy(l.n_y());
  runtime::Projector projector(equations, impl_->info);
  runtime::Certification certification(equations, impl_->info, projector, 1e-10);
  const runtime::Verdict verdict = certification.begin(t, y.data());
  equations.rhs(t, y.data(), dy.data());
  RowSet out;
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
  const runtime::StrictFloatingPoint strict;
  Compilation& c = impl_->compilation;
  SourceSet sources = c.sources;
  const std::uint32_t file = sources.add("<input>", expression);
  Sink sink;
  const ast::File parsed = parse(sources, file, ParseMode::repl, sink);
  std::vector<sema::Query> queries;
  for (const ast::StmtPtr& s : parsed.statements)
    if (const auto* e = std::get_if<ast::ExprStmt>(&s->node)) queries.push_back({e->value.get(), {}});
  sema::Model model;
  if (!sink.has_errors() && queries.size() == 1) model = sema::elaborate(c.file, sources, {}, sink, &queries);
  if (!sink.has_errors() && queries.size() == 1 && queries[0].answer.nodes.empty())
    sink.report(Kind::not_a_value, queries[0].expression->span, sema::describe_shape(queries[0].answer.type.shape));
  if (sink.has_errors() || queries.size() != 1) {
    error = sink.has_errors() ? render_text(sink, sources) : "not an expression\n";
    return {};
  }
  const std::vector<double> params = ok() ? impl_->params : sema::parameter_values(model, impl_->set_params);
  std::vector<double> acceleration, multiplier;
  if (ok()) {
    const RowSet set = rows(t, y);
    acceleration = set.acceleration;
    multiplier = set.multiplier;
  }
  const std::size_t n_q = model.coordinates.size();
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
      case graph::LeafKind::param:
        return n.a < params.size() ? params[n.a] : NAN;
      default:
        return static_cast<double>(NAN);
    }
  });
  return values;
}

std::vector<Quantity> Program::columns() const {
  std::vector<Quantity> out;
  using Source = runtime::ModelInfo::Recorded::Kind;
  for (const auto& c : impl_->info.columns) {
    const auto& list = c.kind == Source::coordinate ? impl_->info.coordinates
                       : c.kind == Source::speed    ? impl_->info.speeds
                       : c.kind == Source::output   ? impl_->info.outputs
                                                    : impl_->info.accelerations;
    out.push_back(quantity(list[c.index]));
  }
  return out;
}

std::string Program::time_unit() const { return impl_->info.time_unit; }

namespace {

// The block to run, or the diagnostic why there is none.
const sema::Simulation* choose(const sema::Model& model, const std::string& name, Diagnostic& why) {
  const auto& list = model.simulations;
  if (list.empty()) {
    why.kind = Kind::no_simulation;
    why.help = "add for example `simulate { time = 0 .. 10 step 0.001 }`";
    return nullptr;
  }
  if (name.empty() && list.size() == 1) return &list[0];
  std::string names;
  for (const sema::Simulation& s : list) {
    if (!name.empty() && s.name == name) return &s;
    names += (names.empty() ? "" : ", ") + (s.name.empty() ? std::string("(unnamed)") : s.name);
  }
  why.kind = Kind::which_simulation;
  why.args = {name.empty() ? "the file has " + std::to_string(list.size()) + " `simulate` blocks: say which one to run"
                           : "there is no `simulate` block `" + printable(name) + "`"};
  why.help = "the blocks are " + names;
  return nullptr;
}

runtime::SimulateOptions settings_of(const sema::Simulation& s, const RunOptions& options) {
  runtime::SimulateOptions o;
  o.begin = options.span ? options.span->first : s.begin;
  const double end = options.span ? options.span->second : s.end;
  o.steps = static_cast<std::uint64_t>(std::llround(std::max(1.0, (end - o.begin) / s.step)));
  o.step = options.span ? (end - o.begin) / static_cast<double>(o.steps) : s.step;
  api::choose_methods(s, o);
  o.literal = api::argument(s.formulation, "literal").has_value();
  o.rank_tolerance = api::argument(s.formulation, "rank_tol").value_or(1e-10);
  o.assemble = s.assemble || options.assemble;
  o.output_every = std::max<std::uint32_t>(1, options.output_every);
  o.stop = options.stop;
  o.progress = options.progress;
  return o;
}

}  // namespace

RunResult Program::simulate(const RunOptions& options, const Observer& observer) {
  const runtime::StrictFloatingPoint strict;
  RunResult result;
  Diagnostic why;
  const SourceSet& sources = impl_->compilation.sources;
  const sema::Simulation fallback{
      "", 0,     1,  1e-3, {"rk4", {}, {}, false}, {"udwadia_kalaba", {}, {}, false}, {"project", {}, {}, false},
      "", false, {}, {}};
  const sema::Simulation* simulation = ok() ? choose(impl_->model(), options.simulation, why) : nullptr;
  if (ok() && !simulation && options.span && impl_->model().simulations.empty()) simulation = &fallback;
  if (!simulation) {
    result.status = Status::model_error;
    if (ok()) {
      result.diagnostic = api::to_info(why, sources);
      result.rendered = render_text(why, sources);
    }
    return result;
  }
  impl_->shape_for(*simulation);
  runtime::Equations& equations = impl_->ready();
  const runtime::SimulateOptions settings = settings_of(*simulation, options);
  result.simulation = simulation->name;
  result.integrator = api::integrator_text(*simulation, settings);
  result.formulation = api::choice_text(simulation->formulation);
  result.stabilise = api::stabilise_text(*simulation, settings);
  result.engine =
      impl_->engine_name + (impl_->engine_note.empty() ? "" : " (no native code: " + impl_->engine_note + ")");
  if (!simulation->integrator.written) result.chosen_for_user.push_back("integrator = " + result.integrator);
  if (!simulation->formulation.written) result.chosen_for_user.push_back("formulation = " + result.formulation);
  if (!simulation->stabilise.written) result.chosen_for_user.push_back("stabilise = " + result.stabilise);
  result.begin = settings.begin;
  result.step = settings.step;
  result.end = settings.begin + static_cast<double>(settings.steps) * settings.step;

  std::vector<double> y = options.state.empty() ? impl_->initial() : options.state;
  const auto begin = std::chrono::steady_clock::now();
  const runtime::RunData data =
      runtime::simulate(equations, impl_->info, settings, y, [&](double t, std::span<const double> values) {
        return !observer || observer({t, values});
      });
  result.wall_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();

  switch (data.status) {
    case runtime::RunStatus::complete:
      result.status = Status::complete;
      break;
    case runtime::RunStatus::inconsistent:
      result.status = Status::inconsistent;
      break;
    case runtime::RunStatus::stopped:
      result.status = Status::stopped;
      break;
    case runtime::RunStatus::output_failed:
      result.status = Status::output_failed;
      break;
    case runtime::RunStatus::interrupted:
      result.status = Status::interrupted;
      break;
  }
  for (const Diagnostic& w : data.warnings) {
    result.warnings.push_back(api::to_info(w, sources));
    result.rendered += render_text(w, sources);
  }
  if (data.diagnostic) {
    result.diagnostic = api::to_info(*data.diagnostic, sources);
    result.rendered += render_text(*data.diagnostic, sources);
  }
  result.steps = data.steps;
  result.adaptive = settings.integrator == runtime::Integrator::dopri5;
  result.rejected = data.rejected;
  result.smallest_step = data.smallest_step;
  result.largest_step = data.largest_step;
  result.violation = {"", data.violation.position, data.violation.velocity, data.violation.acceleration};
  result.renewals = data.renewals;
  result.rows = data.rows;
  result.evaluations = data.evaluations;
  result.reached = data.reached;
  result.rank = data.start.rank;
  for (std::size_t k = 0; k < data.start.rows.size(); ++k)
    if (data.start.rows[k].state != runtime::RowState::independent)
      result.dependent_rows.push_back(impl_->info.rows[k].name);
  for (const runtime::RankEvent& e : data.rank_events)
    result.rank_changes.push_back({e.t, e.rank_before, e.rank_after, e.rows});
  result.smallest_distance = data.smallest_distance;
  for (std::size_t k = 0; k < data.residuals.size(); ++k) {
    ConstraintReport c{impl_->info.rows[k].name, {}, {}, data.residuals[k].acceleration};
    if (impl_->info.rows[k].level == runtime::RowLevel::position) c.position = data.residuals[k].position;
    if (impl_->info.rows[k].level != runtime::RowLevel::acceleration) c.velocity = data.residuals[k].velocity;
    result.constraints.push_back(std::move(c));
  }
  result.energy_begin = data.energy_begin;
  result.energy_end = data.energy_end;
  result.work_of_loads = data.work_of_loads;
  result.work_of_constraints = data.work_of_constraints;
  result.balance_error = data.balance_error;
  result.largest_correction = data.largest_correction;
  if (data.assembled)
    result.chosen_for_user.push_back("initial state assembled: moved by " +
                                     output::short_number(data.assembly_moved[0], 3) + " (positions) and " +
                                     output::short_number(data.assembly_moved[1], 3) + " (velocities), mass-weighted");
  result.state = std::move(y);
  return result;
}

}  // namespace mbc
