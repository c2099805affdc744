// SPDX-License-Identifier: Apache-2.0
// Compares sparse plans in kernels of models with dense ones, on all examples and on chains and nets: accelerations,
// corrections and verdicts of rank. It also runs large systems, for which nothing dense is made.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <filesystem>

#include "base/split_mix64.h"
#include "compiler/lower/describe.h"
#include "compiler/pipeline.h"
#include "runtime/equations/equations.h"
#include "runtime/run/simulate.h"
#include "runtime/singular/certification.h"
#include "runtime/singular/sparse_certification.h"
#include "tests/compiler/formulate/formulated_model.h"
#include "tests/support/scratch.h"

using namespace mbc;
using formulate::LinearSolve;
using mbc::test::read_file;
using runtime::Equations;

namespace {

formulate::FormulateOptions looped(LinearSolve linear) {
  formulate::FormulateOptions options;
  options.unrolled_limit = 0;
  options.linear = linear;
  return options;
}

struct TestModel : test::FormulatedModel {
  TestModel(const std::string& text, LinearSolve linear) : FormulatedModel(text, looped(linear)) {}
};

std::string chain(int n, const std::string& more) {
  return "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1.." + std::to_string(n) + "](1/" + std::to_string(n) +
         ") at (i, 0.3*(i - 2*floor(i/2)), 0)\n"
         "constraint first: dist(ground, p[1]) == sqrt(1.09)\n"
         "constraint rod[i in 2.." +
         std::to_string(n) + "]: dist(p[i-1], p[i]) == sqrt(1.09)\n" + more;
}

double difference(const double* x, const double* y, std::size_t n) {
  double size = 0, most = 0;
  for (std::size_t k = 0; k < n; ++k) {
    size = std::max(size, std::fabs(x[k]));
    most = std::max(most, std::fabs(x[k] - y[k]));
  }
  return most / (1 + size);
}

double difference(const std::vector<double>& x, const std::vector<double>& y) {
  return difference(x.data(), y.data(), x.size());
}

// Compares both kernels at the initial state, and their corrections from a slightly displaced state.
void compare(const std::string& text, double tolerance) {
  const TestModel dense(text, LinearSolve::dense), sparse(text, LinearSolve::sparse);
  REQUIRE(dense.compilation.ok());
  REQUIRE(!dense.made.layout.sparse);
  REQUIRE(sparse.made.layout.sparse);
  CHECK(kernel::verify(sparse.made.kernel) == "");
  Equations a = dense.equations(), b = sparse.equations();
  std::vector<double> y = dense.initial(), da(y.size()), db(y.size());
  REQUIRE(a.rhs(0, y.data(), da.data()) == 0);
  REQUIRE(b.rhs(0, y.data(), db.data()) == 0);
  const std::size_t m = dense.made.layout.n_rows;
  CHECK(difference(da, db) < tolerance);
  CHECK(difference(a.lambda(), b.lambda(), m) < tolerance);
  CHECK(difference(a.pivot_scale(), b.pivot_scale(), m) < 1e-13);
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += 1e-3 * std::sin(static_cast<double>(k));
  for (const bool position : {true, false}) {
    a.correct(position, 0, y.data(), a.mask);
    b.correct(position, 0, y.data(), b.mask);
    CHECK(difference(a.correction(), b.correction(), dense.made.layout.n_speeds) < tolerance);
  }
}

runtime::RunData run(const TestModel& model, std::uint64_t steps, double step, std::vector<double>& y,
                     const runtime::SimulateOptions& base = {}) {
  Equations e = model.equations();
  runtime::SimulateOptions options = base;
  options.step = step;
  options.steps = steps;
  y = model.initial();
  const problem::Problem info = lower::describe(model.compilation.model);
  return runtime::simulate(e, info, options, y, [](double, std::span<const double>) { return true; });
}

}  // namespace

TEST_CASE("chains of 2, 10, 100 and 300, a net: the dense accelerations and corrections") {
  compare(chain(2, ""), 1e-13);
  compare(chain(10, ""), 1e-12);
  compare(chain(100, ""), 1e-11);
  compare(chain(300, ""), 1e-10);
  compare(read_file(MBC_SOURCE_DIR "/examples/net.mbd"), 1e-9);
}

// Rows of contacts are not evaluated while they are off. The bits are the same with and without gates, for all sets of
// active contacts.
TEST_CASE("gates of contacts: the pairs have them, equations do not; the bits are those without them") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -9.81)
particle p[i in 1..9](1) at (i, 1)
constraint low[i in 1..9]: p[i].y + 0.1*p[i].x^2 >= 0 restitution 0.5
friction rub[i in 1..9] on p[i].vx: 0.3*low[i].lambda
constraint link[i in 2..5]: dist(p[i], p[i-1]) == 1
for i in 2..9 { for j in 1..i-1 { constraint apart[i, j]: dist(p[i], p[j]) >= 0.1 } }
)";
  const TestModel model(text, LinearSolve::sparse);
  REQUIRE(model.compilation.ok());
  const kernel::Kernel& gated = model.made.kernel;
  kernel::Kernel plain = gated;
  for (kernel::Function& f : plain.functions)
    for (kernel::Block& b : f.blocks) {
      b.gate.reset();
      b.off.clear();
    }
  for (const char* name : {"rhs", "assemble", "correct_position", "correct_velocity", "residuals"}) {
    CAPTURE(name);
    int pairs = 0;
    for (const kernel::Block& b : gated.function(name)->blocks)
      if (b.name == "constraint") {
        CHECK(
            b.gate.has_value() ==
            (b.count == 36));  // The other rows are multiplied by their input, which keeps values that are not finite.
        pairs += b.count == 36 ? 1 : 0;
      }
    CHECK(pairs > 0);
    SplitMix64 random(1);
    for (int k = 0; k < 20; ++k) {
      std::vector<double> y = model.initial(), mask(gated.n_mask, 1.0), inputs(gated.n_inputs);
      for (double& v : y) v += 0.3 * random.next();
      for (double& v : inputs) v = random.next() > 0.3 ? 1 : 0;
      const std::vector<double> params(gated.n_params, 1.0);
      const test::KernelArguments arguments{0, y, params, inputs, mask};
      const test::Outcome a = test::interpreted(gated, name, arguments), b = test::interpreted(plain, name, arguments);
      CHECK(a.status == b.status);
      CHECK(test::same_bits(a.work, b.work));
      CHECK(test::same_bits(a.deriv, b.deriv));
    }
  }
}

TEST_CASE("all examples: the same accelerations and the same rank, sparse and dense") {
  int compared = 0;
  for (const auto& file : std::filesystem::directory_iterator(MBC_SOURCE_DIR "/examples")) {
    if (file.path().extension() != ".mbd") continue;
    CAPTURE(file.path().filename().string());
    const std::string text = read_file(file.path());
    const TestModel dense(text, LinearSolve::dense), sparse(text, LinearSolve::sparse);
    if (!dense.compilation.ok() || !sparse.made.layout.sparse || dense.made.layout.n_rows == 0) continue;
    Equations a = dense.equations(), b = sparse.equations();
    const std::vector<double> y = dense.initial();
    const problem::Problem info = lower::describe(dense.compilation.model);
    runtime::Assembled s;
    if (!a.has_inertia(0, y.data(), s)) continue;
    ++compared;
    CHECK(b.sparse().without_inertia(0, y.data()).empty());
    runtime::ConstraintProjector pa(a, info), pb(b, info);
    runtime::Certification ca(a, info, pa, 1e-10), cb(b, info, pb, 1e-10);
    const runtime::Verdict va = ca.begin(0, y.data()), vb = cb.begin(0, y.data());
    CHECK(va.report.rank == vb.report.rank);
    CHECK(a.mask == b.mask);
    std::vector<double> da(y.size()), db(y.size());
    for (runtime::Equations* e : {&a, &b}) e->solve_by(runtime::SolveMode::fast);
    CHECK(a.rhs(0, y.data(), da.data()) == b.rhs(0, y.data(), db.data()));
    CHECK(difference(da, db) < 1e-9);
    const bool met = pa.worst(true, 0, y.data()) < 1e-9;  // If this is false, the file leaves the start to `assemble`.
    const runtime::SparseVerdict alone = runtime::certify_sparse(b, 0, y.data());
    CHECK(alone.failed == 0);
    if (!alone.report.near()) CHECK(alone.report.rank == va.report.rank);
    if (met && alone.clear()) {
      for (std::size_t k = 0; k < a.mask.size(); ++k) {
        CAPTURE(info.rows[k].name);
        CHECK(alone.report.rows[k].scale == doctest::Approx(va.report.rows[k].scale).epsilon(1e-9));
      }
    }
  }
  CHECK(compared >= 25);
}

TEST_CASE("rows that repeat others are found with their combinations, and the last are left out") {
  const TestModel model(
      chain(500,
            "constraint again[i in 1..5]: dist(p[100*i-1], p[100*i])^2 == 1.09\n"
            "constraint far: (p[7].pos - p[6].pos).x == 1\nconstraint none: (p[3].y - p[1].y)^2 == 0\n"
            "constraint farther: 2*(p[7].pos - p[6].pos).x == 2\n"),
      LinearSolve::automatic);
  REQUIRE(model.compilation.ok());
  Equations e = model.equations();
  REQUIRE(e.large());
  const runtime::SparseVerdict verdict = runtime::certify_sparse(e, 0, model.initial().data());
  CHECK(verdict.clear());
  CHECK(verdict.report.rank == 501);
  for (int i = 0; i < 5; ++i) {
    const runtime::RowReport& row = verdict.report.rows[static_cast<std::size_t>(500 + i)];
    CHECK(row.state == runtime::RowState::dependent);
    CHECK(row.distance < 1e-13);
    REQUIRE(row.combination.size() == 1);
    CHECK(row.combination[0].row == 100 * i + 99);
    CHECK(row.combination[0].coefficient == doctest::Approx(1.0));
  }
  CHECK(verdict.report.rows[505].state == runtime::RowState::independent);
  CHECK(verdict.report.rows[506].state == runtime::RowState::zero);
  CHECK(verdict.report.rows[507].state == runtime::RowState::dependent);
}

TEST_CASE("rows that contradict each other are named") {
  const TestModel model(chain(500,
                              "constraint again: (p[40].pos - p[39].pos).z == 0\n"
                              "constraint against: (p[40].vel - p[39].vel).z == 0\n"
                              "constraint third: (p[40].acc - p[39].acc).z == 1e-3\n"),
                        LinearSolve::automatic);
  REQUIRE(model.compilation.ok());
  Equations e = model.equations();
  const runtime::SparseVerdict verdict = runtime::certify_sparse(e, 0, model.initial().data());
  REQUIRE(verdict.conflicting.size() == 2);
  CHECK(verdict.conflicting[0] >= 500);
  CHECK(verdict.conflicting[1] == 502);
}

TEST_CASE("runs of a large chain with redundant rows: the motion is that without them") {
  const std::string again = "constraint again[i in 1..6]: dist(p[100*i-1], p[100*i])^2 == 1.09\n";
  const TestModel plain(chain(600, ""), LinearSolve::automatic), redundant(chain(600, again), LinearSolve::automatic);
  std::vector<double> x, y;
  const runtime::RunData a = run(plain, 20, 1e-3, x), b = run(redundant, 20, 1e-3, y);
  REQUIRE(a.status == runtime::RunStatus::complete);
  REQUIRE(b.status == runtime::RunStatus::complete);
  CHECK(a.start.rank == 600);
  CHECK(b.start.rank == 600);
  CHECK(b.rank_events.empty());
  CHECK(difference(x, y) < 1e-9);
  CHECK(std::fabs(a.energy_balance.end - a.energy_balance.begin) < 1e-9);
}

TEST_CASE("beyond 2000 rows nothing dense is made: runs, refusals") {
  const TestModel model(chain(3000, ""), LinearSolve::automatic);
  Equations e = model.equations();
  REQUIRE(e.beyond_dense());
  std::vector<double> y;
  const runtime::RunData data = run(model, 5, 1e-3, y);
  CHECK(data.status == runtime::RunStatus::complete);
  CHECK(data.start.rank == 3000);
  runtime::SimulateOptions options;
  options.stabilisation = settings::Stabilisation::partition;
  const runtime::RunData refused = run(model, 5, 1e-3, y, options);
  CHECK(refused.status == runtime::RunStatus::stopped);
  REQUIRE(refused.diagnostic);
  CHECK(refused.diagnostic->kind == Kind::too_many_rows);
  // A state that violates the rows is moved onto them if this is allowed.
  std::vector<double> off = model.initial();
  for (std::size_t k = 0; k < off.size(); ++k) off[k] += 1e-2 * std::sin(static_cast<double>(k));
  const problem::Problem info = lower::describe(model.compilation.model);
  options = {};
  options.step = 1e-3;
  options.steps = 2;
  const auto record = [](double, std::span<const double>) { return true; };
  std::vector<double> start = off;
  CHECK(runtime::simulate(e, info, options, start, record).status == runtime::RunStatus::inconsistent);
  options.assemble = true;
  start = off;
  const runtime::RunData moved = runtime::simulate(e, info, options, start, record);
  CHECK(moved.status == runtime::RunStatus::complete);
  CHECK(moved.assembly.made);
}
