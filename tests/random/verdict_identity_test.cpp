// SPDX-License-Identifier: Apache-2.0
// Tests that the verdicts on constraint rows do not depend on the form of the equations of motion: straight-line code,
// loops with the dense routine, loops with the sparse plan, each interpreted and native. It compares the rank, rows
// left out, contradicting rows, warnings and messages of short runs, for random networks of particles and for all
// examples. MBC_RANDOM_MODELS=1000 means 1000 networks.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "base/diagnostics/render.h"
#include "compiler/lower/describe.h"
#include "compiler/pipeline.h"
#include "jit/engine.h"
#include "runtime/run/simulate.h"
#include "runtime/singular/certification.h"
#include "runtime/singular/sparse_certification.h"
#include "tests/compiler/formulate/model_kernel.h"
#include "tests/random/how_many.h"
#include "tests/random/redundant_network.h"

using namespace mbc;
using namespace mbc::test;
using formulate::LinearSolve;
using runtime::Equations;

namespace {

int networks(int usual) { return random_models(usual, 100.0 / usual); }

// Returns null without a back end.
std::unique_ptr<jit::Engine> native_engine() {
#ifdef MBC_HAVE_JIT
  std::string error;
  return jit::load_engine(error);
#else
  return nullptr;
#endif
}

struct Form {
  const char* name;
  std::uint64_t unrolled_limit;
  LinearSolve linear;
};
constexpr Form kForms[] = {{"straight-line", 1u << 30, LinearSolve::automatic},
                           {"dense", 0, LinearSolve::dense},
                           {"sparse", 0, LinearSolve::sparse}};

// Verdicts holds everything that is reported about the rows of a model.
struct Verdicts {
  std::string start;     // the certification at the start: rank, state of every row, conflicting rows, mask
  std::string run;       // status, messages, rank events and mask of a run of some steps
  std::string run_near;  // warnings: rows in the grey zone
  bool near = false;     // Some row is between independent and dependent.
  int rank = 0;
  bool conflict = false;
  std::vector<runtime::RowState> states;
};

class Subject {
 public:
  // The formulation and representation are those of the file's first `simulate` block.
  explicit Subject(const std::string& text) : compilation_(analyse("model.mbd", text, {})) {
    if (!ok()) return;
    info_ = lower::describe(compilation_.model);
    if (compilation_.model.simulations.empty()) return;
    choose_equations(compilation_, compilation_.model.simulations.front(), options_);
  }
  [[nodiscard]] bool ok() const { return compilation_.ok(); }
  [[nodiscard]] const Compilation& compilation() const { return compilation_; }
  [[nodiscard]] std::string said() {
    std::string out;
    for (const Diagnostic& d : compilation_.sink.sorted()) out += d.message() + "\n";
    return out;
  }

  [[nodiscard]] formulate::Formulated make(const Form& form) {
    formulate::FormulateOptions options = options_;
    options.unrolled_limit = form.unrolled_limit;
    options.linear = form.linear;
    return formulate::formulate(compilation_.system, options);
  }

  [[nodiscard]] std::vector<double> initial(const formulate::Formulated& made) const {
    return initial_state(compilation_, made.layout.n_y());
  }

  // If `steps` is 0, only the certification at the start is made.
  Verdicts verdicts(const formulate::Formulated& made, jit::Engine* engine, std::uint64_t steps = 3) {
    std::vector<std::unique_ptr<jit::CompiledKernel>> code;
    runtime::Compiler compiler;
    if (engine)
      compiler = [&](const kernel::Function& f) -> kernel::KernelFunction {
        kernel::Kernel part = made.kernel;
        part.functions = {f};
        std::string error;
        jit::CompileOptions options;
        options.optimise = 0;
        code.push_back(engine->compile(part, options, error));
        REQUIRE_MESSAGE(code.back() != nullptr, error);
        return code.back()->function(f.name);
      };
    Equations e(made.kernel, made.layout, compiler);
    e.set_params(sema::parameter_values(compilation_.model));
    Verdicts out;
    std::vector<double> y = initial(made);
    runtime::Assembled s;
    if (e.has_inertia(0, y.data(), s)) certify(e, y, out);
    e.forget();
    if (steps > 0) run(e, y, steps, out);
    return out;
  }

  // Certifies by the pivots of the sparse plan alone, as for sizes beyond full matrices.
  [[nodiscard]] runtime::SparseVerdict sparse_verdict(const formulate::Formulated& made) {
    Equations e(made.kernel, made.layout, {});
    e.set_params(sema::parameter_values(compilation_.model));
    std::vector<double> y = initial(made);
    runtime::ConstraintProjector(e, info_).project(0, y.data(), 1e-14, false);
    return runtime::certify_sparse(e, 0, y.data());
  }

 private:
  void certify(Equations& e, const std::vector<double>& y, Verdicts& out) const {
    runtime::ConstraintProjector projector(e, info_);
    runtime::Certification certification(e, info_, projector, 1e-10);
    const runtime::Verdict v = certification.begin(0, y.data());
    out.rank = v.report.rank;
    out.conflict = v.conflict;
    out.near = v.report.near();
    std::ostringstream text;
    text << "rank " << v.report.rank << " failed " << (v.failed != 0) << " agree " << v.report.methods_agree;
    for (std::size_t k = 0; k < v.report.rows.size(); ++k) {
      const runtime::RowReport& row = v.report.rows[k];
      out.states.push_back(row.state);
      text << "\n"
           << info_.rows[k].name.text() << " " << static_cast<int>(row.state) << " " << static_cast<int>(row.grade)
           << (row.consistent ? "" : " inconsistent") << (row.multiplier_unique ? "" : " shared") << " mask "
           << e.mask[k];
    }
    for (const int k : v.conflicting) text << "\nconflict " << info_.rows[static_cast<std::size_t>(k)].name.text();
    out.start = text.str();
  }

  void run(Equations& e, std::vector<double> y, std::uint64_t steps, Verdicts& out) const {
    runtime::SimulateOptions options;
    options.step = 1e-3;
    options.steps = steps;
    const runtime::RunData data =
        runtime::simulate(e, info_, options, y, [](double, std::span<const double>) { return true; });
    std::ostringstream text;
    text << "status " << static_cast<int>(data.status) << " rank " << data.start.rank << " steps " << data.steps;
    if (data.diagnostic) text << "\n" << render_text(*data.diagnostic, compilation_.sources);
    for (const runtime::RankEvent& event : data.rank_events) {
      text << "\nevent " << event.t << " " << event.rank_before << " to " << event.rank_after;
      for (const std::string& row : event.rows) text << " " << row;
    }
    text << "\nmask";
    for (const double m : e.mask) text << " " << m;
    out.run = text.str();
    for (const Diagnostic& w : data.warnings)  // The balance error of an unbounded motion depends on rounding.
      out.run_near += w.kind == Kind::unbalanced ? "unbalanced\n" : render_text(w, compilation_.sources);
  }

  Compilation compilation_;
  formulate::FormulateOptions options_;
  problem::Problem info_;
};

struct Tally {
  int compared = 0, by_pivots = 0, redundant = 0, conflicts = 0, near = 0;
};

std::string states_of(const std::vector<runtime::RowState>& states) {
  std::string out;
  for (const runtime::RowState s : states) out += " " + std::to_string(static_cast<int>(s));
  return out;
}

// Compares all forms of one model with both engines; native code is used for all forms or only for the first.
void compare(Subject& subject, const std::string& what, jit::Engine* engine, Tally& tally) {
  Verdicts reference;
  for (const Form& form : kForms) {
    const formulate::Formulated made = subject.make(form);
    const std::string where = what + "\n" + form.name;
    if (!made.too_large.empty()) continue;
    if (form.linear == LinearSolve::sparse && !made.layout.sparse) continue;  // There is no plan for these equations.
    const Verdicts interpreted = subject.verdicts(made, nullptr);
    if (&form == kForms) reference = interpreted;
    CHECK_MESSAGE(interpreted.start == reference.start, where);
    CHECK_MESSAGE(interpreted.run == reference.run, where);
    CHECK_MESSAGE(interpreted.run_near == reference.run_near, where);
    if (engine) {
      const Verdicts native = subject.verdicts(made, engine);
      CHECK_MESSAGE(native.start == interpreted.start, where);
      CHECK_MESSAGE(native.run == interpreted.run, where);
      CHECK_MESSAGE(native.run_near == interpreted.run_near, where);
    }
    if (form.linear != LinearSolve::sparse || reference.states.empty()) continue;
    const runtime::SparseVerdict alone = subject.sparse_verdict(made);
    if (alone.report.near() || reference.near) continue;
    ++tally.by_pivots;
    CHECK_MESSAGE(alone.report.rank == reference.rank, where);
    std::vector<runtime::RowState> states;
    for (const runtime::RowReport& row : alone.report.rows) states.push_back(row.state);
    CHECK_MESSAGE(states_of(states) == states_of(reference.states), where);
    CHECK_MESSAGE(!alone.conflicting.empty() == reference.conflict, where);
  }
  ++tally.compared;
  tally.redundant += reference.rank < static_cast<int>(reference.states.size());
  tally.conflicts += reference.conflict;
  tally.near += reference.near;
}

void print(const char* what, const Tally& t) {
  if (long_run_of_models())
    std::printf("%s: %d compared, %d by pivots alone; %d redundant, %d contradicting, %d with rows in the grey zone\n",
                what, t.compared, t.by_pivots, t.redundant, t.conflicts, t.near);
}

std::string read(const std::filesystem::path& path) {
  std::ostringstream text;
  text << std::ifstream(path, std::ios::binary).rdbuf();
  return text.str();
}

}  // namespace

TEST_CASE("random redundant networks: the same verdicts in every form and by both engines") {
  const std::unique_ptr<jit::Engine> engine = native_engine();
  Tally tally;
  const int count = networks(100);
  for (int seed = 1; seed <= count; ++seed) {
    const Network n = redundant_network(static_cast<std::uint64_t>(seed));
    const std::string what = "seed " + std::to_string(seed) + "\n" + n.text;
    Subject subject(n.text);
    REQUIRE_MESSAGE(subject.ok(), what << subject.said());
    compare(subject, what, engine.get(), tally);
  }
  CHECK(tally.redundant >= count / 2);
  CHECK(tally.conflicts >= count / 20);
  CHECK(tally.by_pivots >= count / 2);
  print("networks", tally);
}

TEST_CASE("random networks of more than 400 rows, whose rank is decided by the pivots of the sparse plan") {
  Tally tally;
  const int count = networks(3);
  for (int seed = 1; seed <= count; ++seed) {
    const Network n = redundant_network(static_cast<std::uint64_t>(50000 + seed), 402);
    const std::string what = "seed " + std::to_string(50000 + seed) + "\n" + n.text;
    Subject subject(n.text);
    REQUIRE_MESSAGE(subject.ok(), what << subject.said());
    std::vector<Verdicts> found;
    for (const Form& form : {kForms[1], kForms[2]}) found.push_back(subject.verdicts(subject.make(form), nullptr, 0));
    ++tally.compared;
    tally.redundant += found[0].rank < static_cast<int>(found[0].states.size());
    tally.conflicts += found[0].conflict;
    tally.near += found[0].near;
    CHECK_MESSAGE(found[1].rank == found[0].rank, what);
    CHECK_MESSAGE(states_of(found[1].states) == states_of(found[0].states), what);
    CHECK_MESSAGE(found[1].conflict == found[0].conflict, what);
  }
  CHECK(tally.redundant >= count / 2);
  print("large networks", tally);
}

TEST_CASE("all examples: the same verdicts in every form and by both engines") {
  const std::unique_ptr<jit::Engine> engine = native_engine();
  Tally tally;
  for (const auto& file : std::filesystem::recursive_directory_iterator(MBC_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".mbd") continue;
    Subject subject(read(file.path()));
    if (!subject.ok()) continue;  // These files are parts of others or are refused on purpose.
    compare(subject, file.path().string(), engine.get(), tally);
  }
  CHECK(tally.compared >= 40);
  print("examples", tally);
}
