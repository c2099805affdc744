// SPDX-License-Identifier: Apache-2.0
// Tests first-order states and inputs: closed forms, an eliminated state, energy balances, rows that contain states,
// and inputs that are driven from outside.
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/oracles/closed_forms.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;
using oracle::Real;

TEST_CASE("a first-order lag follows its closed form, and the work integral of a force is the work in the summary") {
  const Run r = run_both(R"(mbd 1
param T = 0.3 [s], F0 = 2 [N]
particle p(1.5 [kg]) at (0, 0, 0) [m] moving (1, 0, 0) [m/s]
state F = 0 [N] where F' = (F0 - F)/T
state W = 0 [J] where W' = F*p.vx
force push on p: (F, 0 [N], 0 [N])
output F'
simulate { time = 0 [s] .. 2 [s] step 1 [ms]; integrator = rk4 }
)");
  REQUIRE(r.result.status == Status::complete);
  const double lag = 2 * (1 - std::exp(-2 / 0.3));
  CHECK(r.last("F") == doctest::Approx(lag).epsilon(1e-12));
  CHECK(r.last("F'") == doctest::Approx((2 - lag) / 0.3).epsilon(1e-9));
  // v = v0 + (F0/m) (t - T (1 - exp(-t/T)))
  CHECK(r.last("p.vx") == doctest::Approx(1 + 2 / 1.5 * (2 - 0.3 * (1 - std::exp(-2 / 0.3)))).epsilon(1e-12));
  CHECK(r.last("W") == doctest::Approx(r.result.work_of_loads).epsilon(1e-14));
  CHECK(r.result.balance_error < 1e-11);
}

TEST_CASE("states in an order of their own: rates that hold rates, initial values by init and --set") {
  const std::string text = R"(mbd 1
param a = 2
particle p(1) at (0, 0, 0)
state y = 0 where y' = 3*x' + x - y
state x = a where x' = z
state z = 0 where z' = -4*x
init { z = 1 + a }
output y', prime = (x*y)'
simulate { time = 0 .. 1 step 0.0005; integrator = rk4 }
)";
  for (const double a : {2.0, 0.5}) {
    const Run r = run_both(text, {"a = " + number(a)});
    const double x = a * std::cos(2.0) + (1 + a) / 2 * std::sin(2.0);
    const double z = -2 * a * std::sin(2.0) + (1 + a) * std::cos(2.0);
    CHECK(r.last("x") == doctest::Approx(x).epsilon(1e-11));
    CHECK(r.last("z") == doctest::Approx(z).epsilon(1e-11));
    CHECK(r.last("y'") == doctest::Approx(3 * z + x - r.last("y")).epsilon(1e-12));
    CHECK(r.last("prime") == doctest::Approx(z * r.last("y") + x * r.last("y'")).epsilon(1e-12));
  }
}

// These energies depend on a state whose rate depends on speeds. The effect of the state on them is recorded as work,
// in straight code and in loops.
TEST_CASE("the books close with states in loads, potential, kinetic energy and dissipation") {
  const std::string head = R"(mbd 1
coord x = 0.4 rate 0.3
coord y = 0.1 rate -0.2
state s = 0.4 where s' = x' + 2*t
kinetic T: 0.5*(2 + 0.3*sin(s))*x'^2 + 0.5*y'^2 + 0.1*s*x'*y'
potential V: 1.5*s^2*(1 + y^2)
dissipation R: 0.1*(1 + s^2)*y'^2
load f on y: -0.4*s
)";
  double straight = 0;
  for (const int more : {0, 32}) {
    std::string text = head;
    text += star(more);
    Simulation program = compile_text(text, Engine::interpreter);
    const bool looped = program.model().emit(Stage::kernel, "").value().find("_solve ") != std::string::npos;
    CHECK(looped == (more > 0));
    const Run r = run_both(text + "simulate { time = 0 .. 0.5 step 0.001; integrator = rk4 }\n");
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.last("s") == doctest::Approx(r.last("x") + 0.25).epsilon(1e-12));  // s - x - t^2 is constant.
    CHECK(r.result.balance_error < 1e-10);
    CHECK(std::fabs(r.result.work_of_loads) > 0.01);
    if (more > 0) CHECK(r.last("y") == doctest::Approx(straight).epsilon(1e-12));
    straight = r.last("y");
  }
}

TEST_CASE("rows with states agree with rows in which the state was solved for") {
  // s = exp(-t) + t sin(t) has a rate without speeds, and the rows are those of a prescribed motion.
  const std::string state = "state s = 1 where s' = -exp(-t) + sin(t) + t*cos(t)\n";
  const std::string solved = "let s = exp(-t) + t*sin(t)\n";
  const auto model = [](const std::string& s, const std::string& rows) {
    return "mbd 1\ngravity (0, 0, -9.81)\n" + s + "particle p(2) at (1, 0.5, 0) moving (-1, 0, 0)\n" + rows +
           "output lambda = c.lambda, force = c.reaction\nsimulate { time = 0 .. 1 step 0.0005 }\n";
  };
  for (const std::string rows : {"constraint c: p.x == s\n", "constraint c: p.x*p.y == 0.5*s + p.z\n",
                                 "constraint c: p.vx == s - 2\n", "constraint c: p.vx*s == -1 + p.z*s\n"}) {
    std::string start = model(state, rows), other = model(solved, rows);
    if (rows.find("p.z\n") != std::string::npos) {
      start = replaced(start, "moving (-1, 0, 0)", "moving (-1, 0, 0)");
      other = replaced(other, "moving (-1, 0, 0)", "moving (-1, 0, 0)");
    }
    const Run a = run_both(start), b = run_both(other);
    INFO(rows << a.result.rendered << b.result.rendered);
    REQUIRE(a.result.status == Status::complete);
    REQUIRE(b.result.status == Status::complete);
    for (const char* name : {"p.x", "p.y", "p.z", "p.vx", "p.vy", "p.ax", "lambda", "force.x", "force.y"}) {
      CAPTURE(name);
      CHECK(a.last(name) == doctest::Approx(b.last(name)).epsilon(1e-9));
    }
    CHECK(a.result.work_of_constraints == doctest::Approx(b.result.work_of_constraints).epsilon(1e-9));
    CHECK(a.result.balance_error < 1e-8);
  }
}

TEST_CASE("a velocity row with a rate that depends on speeds: its derivative is that of differences along the motion") {
  Simulation program = compile_text(R"(mbd 1
gravity (0.3, -1, 0.2)
particle p(2) at (1, 0.5, 0) moving (0.4, 0.1, 0)
particle q(1) at (0, 0, 1)
state s = 0.7 where s' = -0.5*s + p.vx*q.x + sin(p.y)
state w = 0.2 where w' = s*w - q.vz^2
constraint c: p.vx*s + q.vy == s' + w*t + 0.38
force f on q: (s, w, s*w')
simulate { time = 0 .. 1 step 0.001; integrator = rk4 }
)",
                                    Engine::interpreter);
  // Along y' = rhs(y) the residual is constant: dr/dt = 0 at any distance from the constraint.
  const auto residual = [&](double t, const std::vector<double>& y) {
    const auto v = program.value("c.residual", t, y);
    REQUIRE_MESSAGE(v.ok(), v.error().message);
    return v->at(0);
  };
  std::vector<double> y = program.initial_state();
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += 0.1 * std::sin(1.7 * static_cast<double>(k) + 0.3);
  std::vector<double> dy(y.size());
  REQUIRE(program.rhs(0.3, y, dy).ok());
  const double h = 1e-4;
  const auto beside = [&](double e) {
    std::vector<double> z = y;
    for (std::size_t k = 0; k < z.size(); ++k) z[k] += e * dy[k];
    return residual(0.3 + e, z);
  };
  const double slope = (8 * (beside(h) - beside(-h)) - (beside(2 * h) - beside(-2 * h))) / (12 * h);
  CHECK(std::fabs(slope) < 1e-9);
  // The row has an effect, because without it the residual changes.
  CHECK(std::fabs(dy[6]) > 1e-3);
}

TEST_CASE("a position row with states: both derivatives by differences") {
  Simulation program = compile_text(R"(mbd 1
gravity (0.3, -1, 0.2)
particle p(2) at (1, 0.5, 0) moving (0.4, 0.1, 0)
state s = 0.7 where s' = -0.5*s*p.y + sin(t)*w
state w = 0.2 where w' = s*w - p.z^2
constraint c: p.x*s + p.y*w == t*s + p.z*w^2
simulate { time = 0 .. 1 step 0.001; stabilise = none; assemble; integrator = rk4 }
)",
                                    Engine::interpreter);
  std::vector<double> y = program.initial_state();
  for (std::size_t k = 0; k < y.size(); ++k) y[k] += 0.2 * std::sin(1.3 * static_cast<double>(k) + 0.9);
  std::vector<double> dy(y.size());
  REQUIRE(program.rhs(0.3, y, dy).ok());
  // The residual e is evaluated along the flow by a Taylor step of y of order 2, whose second derivative comes from the
  // rates nearby.
  const double h = 1e-3;
  const auto flow = [&](double e) {  // This is a classical rk4 step.
    std::vector<double> k1(y.size()), k2(y.size()), k3(y.size()), k4(y.size()), z(y.size());
    const auto at = [&](const std::vector<double>& k, double c) {
      for (std::size_t i = 0; i < y.size(); ++i) z[i] = y[i] + c * k[i];
    };
    program.rhs(0.3, y, k1).value();
    at(k1, e / 2);
    program.rhs(0.3 + e / 2, z, k2).value();
    at(k2, e / 2);
    program.rhs(0.3 + e / 2, z, k3).value();
    at(k3, e);
    program.rhs(0.3 + e, z, k4).value();
    for (std::size_t i = 0; i < y.size(); ++i) z[i] = y[i] + e / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
    return program.value("c.residual", 0.3 + e, z).value().at(0);
  };
  const double second = (-flow(2 * h) + 16 * flow(h) - 30 * flow(0) + 16 * flow(-h) - flow(-2 * h)) / (12 * h * h);
  CHECK(std::fabs(second) < 1e-6);
}

TEST_CASE("inputs: declared values follow parameters, set ones stay, none recompiles") {
  const std::string text = R"(mbd 1
param a = 2 [N]
input u = 3*a
input gain [kN/m] = 0.5
particle p(1 [kg]) at (0.1, 0, 0) [m]
force f on p: (u - gain*p.x, 0 [N], 0 [N])
output u, gain
simulate { time = 0 [s] .. 0.1 [s] step 1 [ms]; integrator = rk4 }
)";
  CHECK(run_both(text).last("p.ax") == doctest::Approx(6 - 500 * run_both(text).last("p.x")).epsilon(1e-12));
  CHECK(run_both(text, {"u = 7"}).last("u") == 7);
  CHECK(run_both(text, {"u = 2 [kN]", "gain = 3"}).last("u") == 2000);
  CHECK(run_both(text, {"a = 1"}).last("u") == 3);
  Simulation program = compile_text(text, Engine::interpreter);
  REQUIRE(program.model().inputs().size() == 2);
  CHECK(program.model().inputs()[1].name == "gain");
  CHECK(program.model().inputs()[1].unit == "N/m");
  CHECK(program.input(0).value() == 6);
  CHECK(program.input(1).value() == 500);
  CHECK(program.set_parameter("a", 5));
  CHECK(program.input(0).value() == 15);
  CHECK(program.set_input("u", -1));
  CHECK(program.set_parameter("a", 4));
  CHECK(program.input(0).value() == -1);
  CHECK_FALSE(program.set_input("a", 1));
  std::vector<double> y = program.initial_state(), dy(y.size());
  REQUIRE(program.rhs(0, y, dy).ok());
  CHECK(dy[3] == doctest::Approx(-1 - 500 * 0.1).epsilon(1e-15));
  CHECK(program.value("2*u", 0, y).value() == std::vector<double>{-2});
}

TEST_CASE("an input driven at every step is constant within it: a discrete controller") {
  const std::string text = R"(mbd 1
input u = 0
coord x = 1
kinetic T: 0.5*x'^2
load f on x: u
state n = 0 where n' = u
output u
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";
  Simulation program = compile_text(text, Engine::native);
  RunOptions options;
  std::vector<double> times;
  options.drive = [&](double t, std::span<const double> y, std::span<double> inputs) {
    REQUIRE(inputs.size() == 1);
    times.push_back(t);
    inputs[0] = -4 * y[0] - 2 * y[1];
  };
  const Run r = run(program, options);
  REQUIRE(r.result.status == Status::complete);
  CHECK(times.size() == 101);  // Every accepted state occurs once.
  // This is the exact map of a double integrator under a step-wise constant input.
  double x = 1, v = 0, n = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    const double u = -4 * x - 2 * v;
    CHECK(r.at(k, "x") == doctest::Approx(x).epsilon(1e-12));
    CHECK(r.at(k, "u") == doctest::Approx(u).epsilon(1e-11));
    CHECK(std::fabs(r.at(k, "n") - n) < 1e-12);
    x += 0.01 * v + 0.00005 * u;
    v += 0.01 * u;
    n += 0.01 * u;
  }
  CHECK(r.result.balance_error < 1e-13);
  CHECK(program.input(0).value() == 0);  // A value that was set during a run does not persist.
  std::vector<double> y = program.initial_state(), dy(y.size());
  REQUIRE(program.rhs(0, y, dy).ok());
  CHECK(dy[1] == 0);
}

TEST_CASE("the literal formula and stabilisation move the same states") {
  const std::string text = R"(mbd 1
gravity (0, 0, -9.81)
particle p(1) at (0.6, 0, -0.8) moving (0, 0.5, 0)
state s = 0.1 where s' = p.vy - 2*s + w
state w = 0 where w' = p.x*rate
let rate = 1 + t
force f on p: (s, 0, w)
constraint rod: dist(ground, p) == 1
constraint again: dot(p.pos, p.pos) == 1
simulate fast { time = 0 .. 1 step 0.001; stabilise = none; integrator = rk4 }
simulate literal { time = 0 .. 1 step 0.001; stabilise = none; formulation = udwadia_kalaba(literal); integrator = rk4 }
simulate kept { time = 0 .. 1 step 0.001; integrator = rk4 }
)";
  Simulation program = compile_text(text, Engine::interpreter);
  const auto with = [&](const char* name) {
    RunOptions options;
    options.simulation = name;
    return run(program, options);
  };
  const Run fast = with("fast"), literal = with("literal"), kept = with("kept");
  for (const Run* r : {&fast, &literal, &kept}) REQUIRE(r->result.status == Status::complete);
  for (const char* name : {"s", "w", "p.x", "p.y", "p.az"}) {
    CAPTURE(name);
    CHECK(literal.last(name) == doctest::Approx(fast.last(name)).epsilon(1e-10));
    CHECK(kept.last(name) == doctest::Approx(fast.last(name)).epsilon(1e-8));
  }
}

TEST_CASE("an input that is no number stops the run and is named") {
  Simulation program = compile_text(
      "mbd 1\ninput u = 0\nparticle p(1) at (0, 0, 0)\nforce f on p: (u, 0, 0)\n"
      "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n",
      Engine::interpreter);
  CHECK(program.set_input("u", std::nan("")).error().code == ErrorCode::not_finite);
  RunOptions options;
  options.drive = [](double, std::span<const double>, std::span<double> inputs) { inputs[0] = std::nan(""); };
  const RunResult r = program.run(options);
  CHECK(r.status == Status::stopped);
  REQUIRE(r.diagnostic);
  CHECK(r.diagnostic->message == "the input `u` is nan");
}

TEST_CASE("example: a pole on a cart with a controller and a lagging actuator") {
  const Run r = run_both(example("cart_pole"));
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  const Real M = 1, m = 0.2L, L = 0.5L, g = 9.81L, ref = 0.2L;
  // The state is x, phi, x', phi', i, F with phi from the upright position: (M + m) x'' + m L (phi'' cos - phi'^2 sin)
  // = F, x'' cos + L phi'' = g sin.
  const auto rates = [&](const std::array<Real, 6>& s) -> std::array<Real, 6> {
    const Real sine = std::sin(s[1]), cosine = std::cos(s[1]), error = ref - s[0];
    const Real a = (s[5] + m * sine * (L * s[3] * s[3] - g * cosine)) / (M + m * sine * sine);
    const Real command = 78 * s[1] + 17 * s[3] + 15.5L * s[2] - 23 * error - 15.5L * s[4];
    return {s[2], s[3], a, (g * sine - a * cosine) / L, error, (command - s[5]) / 0.05L};
  };
  const auto at2 = oracle::integrate<6>(rates, {0, 0.1L, 0, 0, 0, 0}, 2, 20000);
  const std::size_t row = 2000;
  const auto near = [&](const std::string& column, Real oracle, double printed) {
    INFO(column << " by the oracle: " << number(static_cast<double>(oracle)));
    CHECK(std::fabs(static_cast<Real>(r.at(row, column)) - oracle) < 1e-9L);
    CHECK(std::fabs(static_cast<Real>(printed) - oracle) < 1e-9L);
  };
  near("x", at2[0], 0.2427206887);
  near("phi", at2[1], -0.0027332754);
  near("F", at2[5], -0.0129114449);
  CHECK(std::fabs(r.last("x") - 0.2) < 1e-4);
  CHECK(std::fabs(r.last("phi")) < 1e-4);
  CHECK(r.result.balance_error < 1e-9);
  const Run further = run(example("cart_pole"), Engine::interpreter, {"ref = 50 [cm]"});
  CHECK(std::fabs(further.last("x") - 0.5) < 1e-3);
}

TEST_CASE("rows recorded between the steps of dopri5 show states where they are") {
  const Run r = run_both(R"(mbd 1
particle p(1) at (1, 0, 0) moving (0, 1, 0)
force pull on p: -p.pos
state s = 0 where s' = 1
output copy = s
simulate { time = 0 .. 2 step 0.01; integrator = dopri5(rtol = 1e-3, max_step = 0.5) }
)");
  REQUIRE(r.result.status == Status::complete);
  REQUIRE(r.rows() == 201);
  CHECK(r.result.steps < 100);
  for (std::size_t row = 0; row < r.rows(); ++row) {
    CHECK(r.at(row, "s") == doctest::Approx(r.time[row]).epsilon(1e-13));
    CHECK(r.at(row, "s") == r.at(row, "copy"));
  }
}
