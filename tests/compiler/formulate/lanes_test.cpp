// SPDX-License-Identifier: Apache-2.0
// Compares right-hand sides in lanes with `rhs` for long and thin systems of many kinds at random states with both
// engines. A system that cannot be divided into equal parts has no such function. Uncertain pivots and numbers that are
// not finite make the function give up.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <random>
#include <set>

#include "compiler/formulate/lanes/lane_kernel.h"
#include "compiler/formulate/lanes/lane_solve.h"
#include "compiler/formulate/lanes/partition.h"
#include "compiler/pipeline.h"
#include "mbc/mbc.h"
#include "tests/compiler/formulate/model_kernel.h"
#ifdef MBC_HAVE_JIT
#include "jit/engine.h"
#endif

using namespace mbc;
using namespace mbc::test;

namespace {

struct LaneModel {
  Compilation compilation;
  std::vector<double> params, inputs;

  explicit LaneModel(const std::string& text) : compilation(compile("model.mbd", "mbd 1\n" + text, {})) {
    REQUIRE(compilation.ok());
    params = sema::parameter_values(compilation.model);
    params.resize(kernel().n_params);
    inputs.resize(kernel().n_inputs);
    REQUIRE(kernel::verify(kernel()) == "");
  }
  [[nodiscard]] const kernel::Kernel& kernel() const { return compilation.formulated.kernel; }
  [[nodiscard]] const kernel::SystemLayout& layout() const { return compilation.formulated.layout; }
  [[nodiscard]] bool laned() const { return layout().laned; }
  [[nodiscard]] std::vector<double> mask() const {  // the rows that the lanes solve for
    std::vector<double> rows(kernel().n_mask, 1.0);
    for (std::uint32_t row : layout().lanes_without) rows[row] = 0;
    return rows;
  }
};

Outcome interpreted(const LaneModel& m, const char* function, double t, const std::vector<double>& y) {
  return test::interpreted(m.kernel(), function, {t, y, m.params, m.inputs, m.mask()});
}

std::vector<double> random_state(const LaneModel& m, std::mt19937& random) {
  std::uniform_real_distribution<double> uniform(-1, 1);
  std::vector<double> y(m.kernel().n_state);
  for (double& v : y) v = uniform(random);
  return y;
}

// Returns |difference| / |largest| of the stage function and rhs, at a state where the stage function gives a result.
double difference(const LaneModel& m, double t, const std::vector<double>& y) {
  const Outcome full = interpreted(m, "rhs", t, y), lean = interpreted(m, "fast_rhs", t, y);
  REQUIRE(full.status == 0);
  REQUIRE(lean.status == 0);
  double largest = 0, apart = 0;
  for (std::size_t k = 0; k < y.size(); ++k) {
    largest = std::max(largest, std::fabs(full.deriv[k]));
    apart = std::max(apart, std::fabs(full.deriv[k] - lean.deriv[k]));
  }
  return apart / largest;
}

std::string text_of(int n, const std::string& before, const std::string& after) {
  std::string text = before;
  for (std::size_t at = text.find("$n"); at != std::string::npos; at = text.find("$n"))
    text.replace(at, 2, std::to_string(n));
  return text + "\n" + after + "\nsimulate { time = 0 .. 1 step 0.1 }\n";
}

constexpr const char* kChain = R"(gravity (0, 0, -9.81)
particle p[i in 1..$n](1) at (i, 0, 0)
constraint first: dist(ground, p[1]) == 1
constraint rod[i in 2..$n]: dist(p[i-1], p[i]) == 1
)";

struct Case {
  const char* name;
  std::string text;
};

const char* const kParallelograms = R"(space 2
use planar_joints, bodies
body c[i in 0..$n](mass = 1, inertia = planar_rod_inertia(1, 1)) at (i, 0.5) moving (0.5, 0) spinning -1
body k[i in 1..$n](mass = 1, inertia = planar_rod_inertia(1, 1)) at (i - 0.5, 1) moving (1, 0)
Pin foot[i in 0..$n](ground.at(i, 0), c[i].at(0, -0.5))
Pin left[i in 1..$n](c[i-1].at(0, 0.5), k[i].at(-0.5, 0))
Pin right[i in 1..$n](c[i].at(0, 0.5), k[i].at(0.5, 0))
)";

std::vector<Case> cases() {
  return {
      {"chain of 42", text_of(42, kChain, "")},
      {"chain of 100", text_of(100, kChain, "")},
      {"chain of 107", text_of(107, kChain, "")},
      {"from the free end to the wall", text_of(60, R"(gravity (0, -9.81, 0)
particle p[i in 1..$n](0.1*i) at ($n - i, 0, 0)
constraint rod[i in 2..$n]: dist(p[i], p[i-1]) == 1
constraint last: dist(ground, p[$n]) == 1
)",
                                                "")},
      {"squares, one of them with a factor, in the plane", text_of(64, R"(space 2
gravity (0, -9.81)
particle p[i in 1..$n](2) at (i, 0)
constraint first: 3*dist(ground, p[1])^2 == 3
constraint rod[i in 2..$n]: dist(p[i-1], p[i])^2 == 1
)",
                                                                   "")},
      {"springs and drag with parameters, a first-order state",
       text_of(70, kChain,
               "param k = 3, c = 0.2\nstate s = 1 where s' = -s\n"
               "force drag[i in 1..70] on p[i]: -c*p[i].vel - k*t*p[i].pos\n"
               "force bend[i in 3..70] on p[i]: -k*(p[i].pos - p[i-2].pos)\n")},
      {"bodies on ball joints", text_of(40, R"(gravity (0, 0, -9.81)
body b[i in 1..$n](mass = 2, inertia = diag(0.1, 0.6, 0.7)) at (i, 0, 0)
point s[i in 1..$n] on b[i] at (-0.5, 0, 0)
point e[i in 1..$n] on b[i] at (0.5, 0.1, 0)
constraint first: s[1].pos == ground.pos
constraint joint[i in 2..$n]: s[i].pos == e[i-1].pos
)",
                                        "")},
      {"bodies with products of inertia",
       text_of(
           36,
           R"(body b[i in 1..$n](mass = 2, inertia = ((0.5, 0.1, 0.02), (0.1, 0.6, 0.03), (0.02, 0.03, 0.7))) at (i, 0, 0)
point s[i in 1..$n] on b[i] at (-0.5, 0, 0)
point e[i in 1..$n] on b[i] at (0.5, 0, 0)
constraint joint[i in 2..$n]: s[i].pos == e[i-1].pos
)",
           "")},
      // Each row has numbers of its own, which are in the workspace like the values of lanes.
      {"17 parallelograms in pins, on feet of their own", text_of(17, kParallelograms, "")},
      {"18 of them", text_of(18, kParallelograms, "")},
      {"25 of them", text_of(25, kParallelograms, "")},
      {"a chain of rods with factors of their own", text_of(60, R"(space 2
gravity (0, -9.81)
particle p[i in 1..$n](1 + 0.01*i) at (i, 0)
constraint first: dist(ground, p[1]) == 1
constraint rod[i in 2..$n]: (1 + 0.1*sin(i))*dist(p[i-1], p[i])^2 + 0.01*i*p[i].x^2 == 1.1*cos(i)
)",
                                                            "")},
      {"a ladder", text_of(50, R"(gravity (0, 0, -9.81)
particle a[i in 1..$n](1) at (i, 0, 0)
particle b[i in 1..$n](2) at (i, 1, 0)
constraint rung[i in 1..$n]: dist(a[i], b[i]) == 1
constraint top[i in 2..$n]: dist(a[i-1], a[i]) == 1
constraint low[i in 2..$n]: dist(b[i-1], b[i]) == 1
)",
                           "")},
      {"a ring", text_of(80, R"(particle p[i in 1..$n](1) at (cos(i), sin(i), 0)
constraint rod[i in 2..$n]: dist(p[i-1], p[i]) == 1
constraint last: dist(p[$n], p[1]) == 1
)",
                         "")},
      {"rods said twice",
       text_of(64, kChain, "constraint again: dist(p[7], p[8])^2 == 1\nconstraint still: 2*dist(ground, p[1]) == 2\n")},
      {"velocity rows", text_of(60, R"(particle p[i in 1..$n](1) at (i, 0, 0)
constraint first: p[1].vx == 0.3*p[1].vy
constraint follow[i in 2..$n]: p[i].vx*(1 + p[i-1].y^2) == p[i-1].vx + p[i].vy
)",
                                "")},
      {"beads moved in time", text_of(60, R"(particle p[i in 1..$n](1) at (i, 0, 0)
constraint rod[i in 2..$n]: dist(p[i-1], p[i]) == 1
particle q(1) at (0, 0, 0)
constraint free: q.z == 0
force pull on q: (sin(t), 0, 0)
)",
                                      "constraint tie: dist(q, p[1]) == 2\n")},
  };
}

}  // namespace

TEST_CASE("a stage in lanes gives the derivatives of rhs") {
  std::mt19937 random(7);
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    const LaneModel m(c.text);
    CHECK(m.laned());
    if (!m.laned()) continue;
    double worst = 0;
    for (int k = 0; k < 40; ++k) {
      const std::vector<double> y = random_state(m, random);
      if (interpreted(m, "fast_rhs", 0.3, y).status != 0) continue;  // Random states may be near a singular position.
      worst = std::max(worst, difference(m, 0.3, y));
    }
    CHECK(worst > 0);
    CHECK(worst < 1e-9);
  }
}

TEST_CASE("the full function in lanes leaves the multipliers and scales of rhs") {
  std::mt19937 random(10);
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    const LaneModel m(c.text);
    const kernel::SystemLayout& l = m.layout();
    double worst = 0;
    int seen = 0;
    for (int k = 0; k < 20; ++k) {
      const std::vector<double> y = random_state(m, random);
      const Outcome mine = interpreted(m, "fast_full", 0.3, y);
      if (mine.status != 0) continue;
      ++seen;
      const Outcome expected = interpreted(m, "rhs", 0.3, y);
      double size = 0, apart = 0;
      for (std::uint32_t r = 0; r < l.n_rows; ++r) {
        size = std::max(size, std::fabs(expected.work[l.lambda + r]));
        apart = std::max(apart, std::fabs(expected.work[l.lambda + r] - mine.work[l.lambda + r]));
        const double scale = mine.work[l.pivot_scale + r], ratio = mine.work[l.pivot + r] / scale;
        if (m.mask()[r] == 0) {
          CHECK(mine.work[l.lambda + r] == 0);
          CHECK(ratio == 0);
          continue;
        }
        CHECK(scale == doctest::Approx(expected.work[l.pivot_scale + r]).epsilon(1e-12));
        CHECK(ratio > formulate::kSurePivot);
        CHECK(ratio <= 1 + 1e-12);
      }
      worst = std::max(worst, apart / size);
      for (std::size_t i = 0; i < y.size(); ++i)
        CHECK(mine.deriv[i] == doctest::Approx(expected.deriv[i]).epsilon(1e-7));
    }
    CHECK(seen > 0);
    CHECK(worst < 1e-9);
  }
}

TEST_CASE("corrections in lanes are those of the full functions") {
  std::mt19937 random(9);
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    const LaneModel m(c.text);
    const kernel::SystemLayout& l = m.layout();
    for (const bool position : {true, false}) {
      const char* lean = position ? "fast_position" : "fast_velocity";
      const char* full = position ? "correct_position" : "correct_velocity";
      if (m.kernel().function(lean) == nullptr) continue;
      double worst = 0;
      int seen = 0;
      for (int k = 0; k < 20; ++k) {
        const std::vector<double> y = random_state(m, random);
        const Outcome mine = interpreted(m, lean, 0.3, y);
        if (mine.status != 0) continue;
        ++seen;
        const Outcome expected = interpreted(m, full, 0.3, y);
        double size = 0, apart = 0;
        for (std::uint32_t i = 0; i < l.n_speeds; ++i) {
          size = std::max(size, std::fabs(expected.work[l.correction + i]));
          apart = std::max(apart, std::fabs(expected.work[l.correction + i] - mine.deriv[l.speeds_at() + i]));
        }
        worst = std::max(worst, apart / size);
        const std::uint32_t residual = position ? l.position_residual : l.velocity_residual;
        for (std::uint32_t r = 0; r < l.n_rows; ++r) {
          CHECK(mine.work[residual + r] == doctest::Approx(expected.work[residual + r]).epsilon(1e-12));
          CHECK(mine.work[l.pivot_scale + r] == doctest::Approx(expected.work[l.pivot_scale + r]).epsilon(1e-12));
        }
      }
      CHECK(seen > 0);
      CHECK(worst < 1e-9);
    }
  }
}

TEST_CASE("runs with a stage in lanes keep their constraints") {
  const std::string text =
      "mbd 1\n" + text_of(60, kChain, "") + "simulate fine { time = 0 .. 0.1 step 0.001; integrator = rk4 }\n";
  Simulation program = Simulation::create(Model::from_string(text, "model.mbd", {})).value();
  REQUIRE_MESSAGE(program.model().ok(), program.model().render_diagnostics());
  RunOptions options;
  options.simulation = "fine";
  const RunResult result = program.run(options, [](const Row&) { return true; });
  REQUIRE(!result.diagnostic);
  CHECK(result.balance_error < 1e-3);
  for (const ConstraintReport& c : result.constraints) CHECK(c.position < 1e-12);
}

#ifdef MBC_HAVE_JIT
TEST_CASE("a stage in lanes: native code equals the interpreter bit for bit") {
  std::string error;
  const std::unique_ptr<jit::Engine> engine = jit::load_engine(error);
  REQUIRE_MESSAGE(engine != nullptr, error);
  std::mt19937 random(8);
  for (const Case& c : cases()) {
    CAPTURE(std::string(c.name));
    const LaneModel m(c.text);
    if (!m.laned()) continue;
    kernel::Kernel only = m.kernel();
    only.functions = {*m.kernel().function("fast_rhs")};
    for (const char* cpu : {"", "baseline"}) {
      jit::CompileOptions options;
      options.cpu = cpu;
      const std::unique_ptr<jit::CompiledKernel> compiled = engine->compile(only, options, error);
      REQUIRE_MESSAGE(compiled != nullptr, error);
      for (int k = 0; k < 10; ++k) {
        const std::vector<double> y = random_state(m, random);
        const Outcome expected = interpreted(m, "fast_rhs", 0.3, y);
        const Outcome o = executed(m.kernel(), compiled->function("fast_rhs"), {0.3, y, m.params, m.inputs, m.mask()});
        REQUIRE(o.status == expected.status);
        if (o.status != 0) continue;  // The stored values have no meaning in this case.
        CHECK(same_bits(o.deriv, expected.deriv));
        CHECK(same_bits(o.work, expected.work));
      }
    }
  }
}
#endif

TEST_CASE("a stage in lanes gives up at rows that nearly depend on others, and at what is not finite") {
  const LaneModel m(text_of(100, kChain, ""));
  REQUIRE(m.laned());
  std::vector<double> y(m.kernel().n_state, 0.0);
  for (std::uint32_t i = 0; i < 100; ++i) y[3 * i] = i + 1.0;
  CHECK(interpreted(m, "fast_rhs", 0, y).status == 0);
  for (const std::uint32_t particle : {0u, 5u, 13u, 50u, 98u}) {  // The particles are in lanes and at separators.
    std::vector<double> folded = y;
    folded[3 * particle + 3] = folded[3 * particle];  // A rod without length makes its row vanish.
    CHECK(interpreted(m, "fast_rhs", 0, folded).status == kernel::kGaveUp);
    std::vector<double> undefined = y;
    undefined[3 * particle + 1] = std::numeric_limits<double>::quiet_NaN();
    CHECK(interpreted(m, "fast_rhs", 0, undefined).status == kernel::kGaveUp);
    undefined[3 * particle + 1] = 1e200;
    CHECK(interpreted(m, "fast_rhs", 0, undefined).status == kernel::kGaveUp);
  }
}

TEST_CASE("systems that do not suit lanes have none") {
  const std::string parameters =
      "param m = 1\nparticle p[i in 1..60](m) at (i, 0, 0)\n"
      "constraint rod[i in 2..60]: dist(p[i-1], p[i]) == 1\n";
  const std::string distinct =
      "particle p[i in 1..100](i) at (i, 0, 0)\n"  // Each particle has a template of its own.
      "constraint rod[i in 2..100]: dist(p[i-1], p[i]) == 1\n";
  for (const std::string& text :
       {text_of(24, kChain, ""),                                                          // This chain is too short.
        text_of(60, kChain, "particle q(1) at (0, 5, 0)\nconstraint apart: q.z == 0\n"),  // This system has two parts.
        text_of(0, distinct, ""), text_of(0, parameters, "")}) {
    const LaneModel m(text);
    CHECK(!m.laned());
    CHECK(m.kernel().function("fast_full") == nullptr);
  }
  // Systems that cannot run in lanes have no loops either.
  CHECK(LaneModel(text_of(0, parameters, "")).compilation.formulated.unrolled);
  CHECK(LaneModel(text_of(0, distinct, "")).compilation.formulated.unrolled);
}

TEST_CASE("a partition: each row and speed once, lanes apart from each other") {
  const LaneModel m(text_of(100, kChain, ""));
  const lower::System& system = m.compilation.system;
  const formulate::Pattern pattern(system);
  const formulate::InertiaBlocks blocks(pattern, system.n_speeds);
  const auto p = formulate::partition_in_lanes(system, pattern, blocks);
  REQUIRE(p.has_value());
  CHECK(p->rows.size() == 11);
  CHECK(p->separator_rows.size() == 12);
  CHECK(p->interface_rows.size() == 2);
  std::set<std::uint32_t> rows(p->separator_rows.begin(), p->separator_rows.end()), speeds;
  for (const formulate::Across& across : p->rows) rows.insert(across.begin(), across.end());
  CHECK(rows.size() == 100);
  for (const formulate::Across& across : p->speeds) speeds.insert(across.begin(), across.end());
  CHECK(speeds.size() == 8 * p->speeds.size());
  for (const formulate::Across& across : p->rows)
    for (std::uint32_t lane = 0; lane < formulate::kLanes; ++lane)
      for (std::uint32_t c : pattern.row_columns[across[lane]])
        for (std::uint32_t other : blocks.rows[blocks.of_speed[c]]) {
          const formulate::LaneSlot member = p->row_at[other];
          CHECK((!p->in_lane(member) || member.lane == lane));
        }
}
