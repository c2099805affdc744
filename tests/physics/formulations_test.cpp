// SPDX-License-Identifier: Apache-2.0
// Tests formulations in independent speeds: the projected mass matrix and right side of seed 001, eqs. 68 and 69, as
// the kernel computes them; rows and momenta at round-off; the counts of the seeds' table 1; renewals; refusals.
// compare_examples_test.cpp tests that all formulations give the same accelerations.
#include <array>
#include <random>

#include "compiler/pipeline.h"
#include "runtime/equations/equations.h"
#include "tests/physics/example_checks.h"

using namespace mbc;
using namespace mbc::test;

namespace {

Compilation compiled(const std::string& text, const std::string& formulation) {
  PipelineOptions options;
  options.set = {"formulation=" + formulation};
  Compilation c = compile("model.mbd", text, options);
  REQUIRE(c.ok());
  return c;
}

formulate::Formulated kernel_of(Compilation& c, const char* method, bool straight) {
  formulate::FormulateOptions options;
  options.formulation = formulate::find_formulation(method);
  for (const lower::MomentumDirection& d : momenta_for(c, *options.formulation)) options.momenta.push_back(d.speeds);
  if (!straight) options.unrolled_limit = 0;
  return formulate::formulate(c.system, options);
}

// Runs a text under a formulation.
RunResult run_of(const std::string& text, const std::string& formulation, const std::string& more = "") {
  CompileOptions options;
  options.set = {"formulation=" + formulation};
  if (!more.empty()) options.set.push_back(more);
  Simulation program = Simulation::create(Model::from_string(text, "model.mbd", options)).value();
  REQUIRE_MESSAGE(program.model().ok(), program.model().render_diagnostics());
  return program.run({}, [](const Row&) { return true; });
}

constexpr const char* kFalling = R"(mbd 1
/// Two bars on ball joints beside a free particle; started with a turn about the joints.
gravity (0, 0, -9.81)
body b1(mass = 2, inertia = diag(0.05, 0.6, 0.6)) at (1, 0, 0) spinning (0.3, 0.2, 0.5)
body b2(mass = 3, inertia = diag(0.4, 0.08, 0.4)) at (2, 1, 0)
particle p(1.5) at (3, 0, 1) moving (0.1, 0.2, 0.3)
point s1 on b1 at (-1, 0, 0)
point e1 on b1 at (1, 0, 0)
point s2 on b2 at (0, -1, 0)
constraint A: s1.pos == ground.pos
constraint B: s2.pos == e1.pos
simulate fall { time = 0 .. 1 step 0.001; assemble; integrator = rk4 }
)";

}  // namespace

TEST_CASE("seed 001, eqs. 68 and 69: what `projection` computes of the sleigh at 1,000 random states") {
  Compilation c = compiled(example("seeds/001_projection/sleigh"), "projection");
  const double mc = 2, Jc = 0.5, mr = 1, Jr = 0.1, a = 0.4, b = 0.3, k1 = 1, k2 = 0.5;
  std::mt19937_64 engine(68);
  std::uniform_real_distribution<double> dice(-2, 2);
  for (const bool straight : {true, false}) {
    const formulate::Formulated made = kernel_of(c, "projection", straight);
    REQUIRE(made.unrolled == straight);
    const kernel::QuasiLayout& q = *made.layout.quasi;
    runtime::Equations equations(made.kernel, made.layout, {});
    equations.set_params(sema::parameter_values(c.model, {}));
    double worst_mass = 0, worst_force = 0;
    for (int n = 0; n < 1000; ++n) {
      const double th = dice(engine), d = dice(engine), u = dice(engine), w = dice(engine), v = dice(engine);
      // By eq. 60 the sideways velocity of C is b th'.
      std::vector<double> y{dice(engine),
                            dice(engine),
                            th,
                            d,
                            u * std::cos(th) - b * w * std::sin(th),
                            u * std::sin(th) + b * w * std::cos(th),
                            w,
                            v};
      y.resize(made.layout.n_y(), 0.0);
      std::vector<double> dy(y.size());
      REQUIRE(equations.rhs(0, y.data(), dy.data()) == 0);
      const runtime::SpeedChoice& choice = equations.quasi().choice();
      REQUIRE(choice.count == 3);
      // The choice is u, turn and swing.
      for (std::uint32_t k = 0; k < 3; ++k) REQUIRE(choice.y[k] == made.layout.n_speeds + k);
      const double m = mc + mr, s = std::sin(d), cd = std::cos(d), cross = Jr + a * a * mr + a * b * mr * cd;
      const double M[9] = {
          m,     -a * mr * s, -a * mr * s, -a * mr * s,    Jc + Jr + a * a * mr + 2 * a * b * mr * cd + b * b * m,
          cross, -a * mr * s, cross,       Jr + a * a * mr};
      const double r[3] = {a * mr * cd * (v + w) * (v + w) + b * m * w * w,
                           a * b * mr * s * v * (v + 2 * w) - a * mr * u * cd * w - b * m * u * w,
                           -a * b * mr * s * w * w - a * mr * u * cd * w - 2 * k1 * d - 4 * k2 * d * d * d};
      for (std::size_t k = 0; k < 9; ++k)
        worst_mass = std::max(worst_mass, std::fabs(equations.work()[q.mass + k] - M[k]));
      for (std::size_t k = 0; k < 3; ++k)
        worst_force = std::max(worst_force, std::fabs(equations.work()[q.force + k] - r[k]) / (1 + std::fabs(r[k])));
    }
    CHECK(worst_mass < 1e-14);
    CHECK(worst_force < 1e-13);
  }
}

TEST_CASE(
    "rows that are linear in the velocities hold to round-off at the level of velocities, without stabilisation") {
  for (const char* formulation : {"projection", "kane", "volterra", "efficient_volterra", "boltzmann_hamel"}) {
    CAPTURE(formulation);
    const RunResult r = run_of(kFalling, formulation, "stabilise=none");
    REQUIRE(r.status == Status::complete);
    CHECK(*r.violation.velocity < 1e-13);
    CHECK(*r.violation.position < 1e-8);
    // The model has 15 speeds and 6 rows. p.x and p.y have conserved momenta.
    const std::size_t p = std::string(formulation) == "efficient_volterra" ? 7 : 9;
    CHECK(r.equations == p);
    CHECK(r.states == 17 + p);
  }
  CHECK(*run_of(kFalling, "maggi", "stabilise=none").violation.velocity > 1e-12);
}

TEST_CASE("equations and states as table 1 of seed 000 counts them, its tables 2, 3 and 6") {
  struct Line {
    const char *model, *formulation;
    std::size_t equations, states;
  };
  // The satellite has the work of its force as a state of the model.
  const Line lines[] = {{"cart_double_pendulum", "lagrange", 3, 6},
                        {"cart_double_pendulum", "maggi", 3, 6},
                        {"cart_double_pendulum", "kane", 2, 5},
                        {"cart_double_pendulum", "volterra", 2, 5},
                        {"cart_double_pendulum", "efficient_volterra", 1, 4},
                        {"three_bodies", "lagrange", 8, 16},
                        {"three_bodies", "maggi", 8, 16},
                        {"three_bodies", "kane", 8, 16},
                        {"three_bodies", "efficient_volterra", 5, 13},
                        {"satellite", "lagrange", 7, 15},
                        {"satellite", "maggi", 7, 15},
                        {"satellite", "kane", 7, 15},
                        {"satellite", "efficient_volterra", 4, 12},
                        {"satellite", "routh", 4, 12}};
  for (const Line& line : lines) {
    CAPTURE(line.model);
    CAPTURE(line.formulation);
    CompileOptions options;
    options.set = {std::string("formulation=") + line.formulation, "time.end = 1 [s]"};
    Simulation program = Simulation::create(Model::from_string(example(std::string("seeds/000_volterra/") + line.model),
                                                               "m.mbd", options))
                             .value();
    REQUIRE_MESSAGE(program.model().ok(), program.model().render_diagnostics());
    RunOptions run;
    run.simulation = program.model().simulations().front();
    const RunResult r = program.run(run, [](const Row&) { return true; });
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    CHECK(r.equations == line.equations);
    CHECK(r.states == line.states);
  }
}

TEST_CASE("independent speeds are renewed on the way without a trace in the motion") {
  const std::string text = example("seeds/004_bodies/triple_pendulum");
  std::array<double, 3> tip[2];
  std::uint64_t renewals = 0;
  for (const bool kane : {false, true}) {
    CompileOptions options;
    options.set = {kane ? "formulation=kane" : "formulation=udwadia_kalaba", "time.end = 3 [s]"};
    Simulation program = Simulation::create(Model::from_string(text, "m.mbd", options)).value();
    REQUIRE_MESSAGE(program.model().ok(), program.model().render_diagnostics());
    const std::vector<Quantity> columns = program.model().columns();
    RunOptions run;
    run.simulation = "fall";
    const RunResult r = program.run(run, [&](const Row& row) {
      for (std::size_t k = 0; k < columns.size(); ++k)
        for (std::size_t axis = 0; axis < 3; ++axis)
          if (columns[k].name == std::string("tip.pos.") + "xyz"[axis]) tip[kane][axis] = row.values[k];
      return true;
    });
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    if (kane) renewals = r.speed_renewals;
  }
  CHECK(renewals > 1);
  for (std::size_t axis = 0; axis < 3; ++axis) CHECK(std::fabs(tip[0][axis] - tip[1][axis]) < 1e-8);
}

TEST_CASE("multipliers are the same under every formulation, the smallest ones where rows repeat others") {
  const std::string doubled = std::string(kFalling) + "constraint again: s2.pos == e1.pos\n";
  for (const std::string& text : {std::string(kFalling), doubled}) {
    std::vector<double> wanted;
    for (const char* formulation : {"udwadia_kalaba", "augmented", "lagrange", "maggi", "kane", "efficient_volterra"}) {
      CAPTURE(formulation);
      CompileOptions options;
      options.set = {std::string("formulation=") + formulation};
      Simulation program = Simulation::create(Model::from_string(text, "m.mbd", options)).value();
      REQUIRE_MESSAGE(program.model().ok(), program.model().render_diagnostics());
      const InitialState start = program.initial(0, true).value();
      const RowSet rows = program.rows(0, start.state).value();
      CHECK(rows.rank == 6);
      if (wanted.empty()) wanted = rows.multiplier;
      for (std::size_t k = 0; k < wanted.size(); ++k)
        CHECK(std::fabs(rows.multiplier[k] - wanted[k]) < 1e-10 * (1 + std::fabs(wanted[k])));
    }
  }
}

TEST_CASE("a mass matrix that the rows complete: all but `lagrange`, which says why") {
  const std::string text = R"(mbd 1
// a wheel of no inertia of its own: the rack it rolls on gives it one
coord x = 0 rate 0.5
coord phi = 0 rate 1
kinetic T: 0.5*2*x'^2
load f on x: -3*x
constraint roll: x' == 0.5*phi'
simulate run { time = 0 .. 1 step 0.001; integrator = rk4 }
)";
  const double at_1 = 0.5 / std::sqrt(1.5) * std::sin(std::sqrt(1.5));
  for (const char* formulation : {"udwadia_kalaba", "augmented", "maggi", "projection", "kane", "boltzmann_hamel"}) {
    CAPTURE(formulation);
    const RunResult r = run_of(text, formulation);
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    CHECK(std::fabs(r.state[0] - at_1) < 1e-12);
    CHECK(std::fabs(r.state[1] - 2 * at_1) < 1e-12);
  }
  CompileOptions options;
  options.set = {"formulation=lagrange"};
  const Model refused = Model::from_string(text, "m.mbd", options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.diagnostics().front().code == "E0502");
}
