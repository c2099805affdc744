// SPDX-License-Identifier: Apache-2.0
// Compares forces, tracks and input signals given by points with closed forms and with the same mechanics written in
// another way. The bits must be the same for both engines, in sweeps and after saving.
#include <doctest/doctest.h>

#include <cmath>
#include <fstream>
#include <numbers>
#include <sstream>

#include "tests/physics/run.h"
#include "tests/support/scratch.h"

using namespace mbc;
using namespace mbc::test;

namespace {

void write(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

Run run_file(const std::string& path, const std::vector<std::string>& set = {}, bool native = false) {
  CompileOptions options;
  options.set = set;
  options.interpret = !native;
  options.native_at_once = native;
  const Model model = Model::from_file(path, options);
  REQUIRE_MESSAGE(model.ok(), model.render_diagnostics());
  Result<Simulation> s = Simulation::create(model);
  REQUIRE(s.ok());
  return run(*s);
}

}  // namespace

TEST_CASE("a spring with a kink in its law: half periods of two oscillators") {
  // F = -x for x > 0 and -4x below. From rest at 1 the period is pi + pi/2.
  const std::string text = R"(mbd 1
space 1
particle p(1) at 1
force spring on p: table(p.x, (-2, 0, 2), (8, 0, -2))
simulate { time = 0 .. END step END/400; integrator = dopri5(rtol = 1e-12, atol = 1e-13) }
)";
  const std::string end = number(1.5 * std::numbers::pi);
  const Run r = run_both(replaced(replaced(text, "END", end), "END", end));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") - 1) < 1e-9);
  CHECK(std::fabs(r.last("p.vx")) < 1e-9);
  double lowest = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) lowest = std::min(lowest, r.at(k, "p.x"));
  CHECK(std::fabs(lowest + 0.5) < 1e-4);  // The energy is the same on the stiff side.
}

TEST_CASE("a force that is linear between its points in time: cubics, to 1e-9") {
  const Run r = run_both(R"(mbd 1
space 1
particle p(2) at 0
force f on p: table(t, (0, 1, 2, 5), (0, 1, -1, 0.5))
simulate { time = 0 .. 5 step 0.5; integrator = dopri5(rtol = 1e-11, atol = 1e-12) }
)");
  double x = 0, v = 0, at = 0;
  const double times[] = {0, 1, 2, 5}, force[] = {0, 1, -1, 0.5};
  const auto go = [&](double to) {
    while (at < to) {
      int i = 0;
      while (i < 2 && times[i + 1] <= at) ++i;
      const double slope = (force[i + 1] - force[i]) / (times[i + 1] - times[i]),
                   f = force[i] + slope * (at - times[i]);
      const double h = std::min(to, times[i + 1]) - at;
      x += h * (v + h * (f / 4 + h * slope / 12));
      v += h * (f / 2 + h * slope / 4);
      at += h;
    }
  };
  for (std::size_t k = 0; k < r.rows(); ++k) {
    go(r.time[k]);
    CHECK(std::fabs(r.at(k, "p.x") - x) < 1e-9);
    CHECK(std::fabs(r.at(k, "p.vx") - v) < 1e-9);
  }
}

TEST_CASE("a bead on a track of points, as a constraint and as a coordinate") {
  const std::string track = "def track(x) = table(x, (-3, -1, 0, 1.5, 3), (4, 1, 0.2, 1, 4), method = cubic)\n";
  const std::string run_block =
      "simulate { time = 0 .. 3 step 0.01; integrator = dopri5(rtol = 1e-11, atol = 1e-12) }\n";
  const Run row =
      run_both("mbd 1\nspace 2\ngravity (0, -9.81)\n" + track +
               "particle p(2) at (1, track(1))\nconstraint on: p.y == track(p.x)\noutput energy.total\n" + run_block);
  const Run own = run_both("mbd 1\nspace 2\ngravity (0, -9.81)\n" + track +
                           "coord x = 1\nparticle p(2) follows (x, track(x))\noutput energy.total\n" + run_block);
  REQUIRE(row.result.status == Status::complete);
  REQUIRE(own.result.status == Status::complete);
  for (std::size_t k = 0; k < row.rows(); k += 10) {
    CHECK(std::fabs(row.at(k, "p.x") - own.at(k, "x")) < 1e-7);
    CHECK(std::fabs(row.at(k, "energy.total") - row.at(0, "energy.total")) < 1e-7);
  }
  CHECK(row.constraint("on").position < 1e-10);
}

TEST_CASE("every formulation and every form of kernel agrees on a model with tables") {
  const std::string text = R"(mbd 1
def law(x) = table(x, (-40, -1, 0, 2, 40), (9, 1, 0, -3, -8), method = cubic)
gravity (0, 0, -9.81)
particle p(1) at (1, 0, 0)
constraint rod: dist(ground, p) == 1
force bent on p: (law(p.x), law(2*p.y) + table(t, (0, 1, 2), (0, 1, 0), beyond = hold), 0)
STAR
simulate { time = 0 .. 2 step 0.002; integrator = rk4 }
)";
  const std::string small = replaced(text, "STAR", ""), large = replaced(text, "STAR", star(40));
  const Run reference = run_both(small);
  REQUIRE(reference.result.status == Status::complete);
  for (const char* f : {"augmented", "projection", "lagrange", "maggi", "kane", "boltzmann_hamel"}) {
    CAPTURE(f);
    CHECK(std::fabs(run(small, Engine::interpreter, {std::string("formulation=") + f}).last("p.x") -
                    reference.last("p.x")) < 1e-8);
  }
  CHECK(std::fabs(run_both(large).last("p.x") - reference.last("p.x")) < 1e-9);
}

TEST_CASE("thousands of springs with tables are one loop of the kernel, and each has its own") {
  const auto springs = [](const std::string& law) {
    return "mbd 1\nspace 1\ndef soft(x) = table(x, (-9, 0, 9), (18, 0, -9))\n"
           "def stiff(x) = table(x, (-9, 0, 9), (36, 0, -27), method = cubic)\n"
           "for i in 1..300 {\n  particle p[i](1) at 1 + i/300\n  force f[i] on p[i]: " +
           law + "\n}\nsimulate { time = 0 .. 1 step 0.01; integrator = rk4 }\n";
  };
  const Run mixed = run_both(springs("(if p[i].x > 1.5 then soft(p[i].x) else stiff(p[i].x))"));
  const Run soft = run(springs("soft(p[i].x)")), stiff = run(springs("stiff(p[i].x)"));
  CHECK(mixed.at(1, "p[300].x") == soft.at(1, "p[300].x"));
  CHECK(mixed.at(1, "p[1].x") == stiff.at(1, "p[1].x"));
  CHECK(soft.last("p[1].x") != stiff.last("p[1].x"));
}

TEST_CASE("tables from files have their units, and are found beside the file that names them") {
  const Folder folder;
  std::filesystem::create_directory(folder / "parts");
  write(folder / "wind.csv", "# measured\nt [ms],\"v [km/h]\",n\n0,0,1\n500,36,2\n2000,18,3\n");
  write(folder / "parts/law.csv", "x [mm],F [N]\n-1000,2\n1000,-2\n");
  write(folder / "parts/law.mbd", "mbd 1\ndef law(x) = table(x, \"law.csv\")\n");
  write(folder / "m.mbd", R"(mbd 1
use "parts/law.mbd"
space 1
particle p(1 [kg]) at 0.5 [m]
force f on p: law(p.x)
output w = table(t, "wind.csv", column = "v"), n = table(t, "wind.csv", column = "n")
output back = table((5 [m/s])*t/(1 [s]), "wind.csv", column = "t", argument = "v")
simulate { time = 0 [s] .. 1 [s] step 0.25 [s]; integrator = rk4 }
)");
  // `v` in the file rises and falls, so it cannot be an argument.
  CompileOptions options;
  CHECK(Model::from_file(folder / "m.mbd", options).diagnostics().at(0).code == "E0543");
  write(folder / "wind.csv", "# measured\nt [ms],\"v [km/h]\",n\n0,0,1\n500,36,2\n2000,54,3\n");
  const Run r = run_file(folder / "m.mbd");
  CHECK(r.at(1, "w") == 5);
  CHECK(r.at(2, "w") == 10);
  CHECK(r.at(4, "n") == doctest::Approx(2 + 1.0 / 3).epsilon(1e-15));
  CHECK(r.at(4, "back") == doctest::Approx(0.25).epsilon(1e-15));
  CHECK(r.at(0, "p.ax") == doctest::Approx(-1).epsilon(1e-15));
  if (have_native()) CHECK(run_file(folder / "m.mbd", {}, true).values == r.values);
}

TEST_CASE("a simulation is not gone on with when a file has changed") {
  const Folder folder;
  write(folder / "u.csv", "t,u\n0,1\n4,2\n");
  write(folder / "m.mbd", R"(mbd 1
space 1
particle p(1) at 0
force f on p: table(t, "u.csv")
simulate { time = 0 .. 4 step 0.1; integrator = rk4 }
)");
  const auto made = [&] { return *Simulation::create(Model::from_file(folder / "m.mbd")); };
  Simulation one = made();
  REQUIRE(one.run_until(1).ok());
  const std::string bytes = one.save();
  Simulation same = made();
  CHECK(same.restore(bytes).ok());
  write(folder / "u.csv", "t,u\n0,1\n4,3\n");
  Simulation other = made();
  CHECK(!other.restore(bytes).ok());
}

TEST_CASE("members of a sweep over a model with tables are single runs") {
  const std::string text = R"(mbd 1
space 1
param k = 3
particle p(2) at 1
force f on p: table(p.x, (-1, -0.2, 0.3, 2), (3, 1, -0.3, -4), method = cubic, beyond = line) - k*p.x
simulate { time = 0 .. 9 step 0.01; integrator = rk4 }
)";
  for (const bool native : {false, true}) {
    if (native && !have_native()) continue;
    SweepOptions options;
    options.compile.interpret = !native;
    options.compile.native_at_once = native;
    options.vary = {"k = 1 .. 4 step 0.2"};
    options.record = {"p.x", "p.vx"};
    int members = 0;
    const SweepResult swept = sweep_text(text, "tables.mbd", options, [&](const SweepMember& m) {
      const Run single = run(text, native ? Engine::native : Engine::interpreter, {"k=" + number(m.varied[0])});
      CHECK(m.recorded.at(0) == single.last("p.x"));
      CHECK(m.recorded.at(1) == single.last("p.vx"));
      ++members;
      return true;
    });
    CHECK(swept.status == Status::complete);
    CHECK(members == 16);
  }
}

TEST_CASE("emitted code holds the points") {
  const Model model = Model::from_string(R"(mbd 1
space 1
particle p(2) at 1
force f on p: table(p.x, (-1, -0.2, 0.3, 2), (3, 1, -0.3, -4), method = cubic)
simulate { time = 0 .. 9 step 0.01; integrator = rk4 }
)",
                                         "t.mbd");
  REQUIRE(model.ok());
  const Result<std::string> kernel = model.emit(Stage::kernel);
  REQUIRE(kernel.ok());
  CHECK(kernel->find("table 0: cubic, beyond error, 4 points from -1 to 2") != std::string::npos);
  const Result<std::string> text = model.emit(Stage::model);
  CHECK(text->find("table0(p.x)") != std::string::npos);
  if (!have_native()) return;
  const Result<std::string> object = model.emit(Stage::object);
  REQUIRE(object.ok());
  CHECK(object->find("mbc_table") != std::string::npos);
}

TEST_CASE("a run goes on to the end of a table that is watched, and ends there by every method") {
  const std::string text = R"(mbd 1
space 1
particle p(1) at 0.5
force f on p: -p.x
when w: table(t, (0, 0.3, 1), (0, 0.5, 0.9)) - LIMIT rising { p.vx = 0 }
simulate { time = 0 .. END step 0.137; integrator = METHOD }
)";
  for (const std::string method : {"auto", "rk4", "ab4", "dopri5", "dop853", "bdf", "taylor"}) {
    CAPTURE(method);
    const auto go = [&](const std::string& limit, const std::string& end) {
      return run_both(replaced(replaced(replaced(text, "LIMIT", limit), "END", end), "METHOD", method));
    };
    for (const std::string end : {"1", "0.959"}) CHECK(go("0.95", end).result.status == Status::complete);
    CHECK(go("0.9", "1").result.status == Status::complete);
    const Run beyond = go("0.95", "1.37");
    CHECK(beyond.code() == "E0684");
    REQUIRE(beyond.result.diagnostic->time);
    CHECK(std::fabs(*beyond.result.diagnostic->time - 1) < 1e-11);
    CHECK(beyond.time.back() == doctest::Approx(0.959));
    // The step must not be too long shortly before its end.
    const Run fires = go("0.899", "1.37");
    CHECK(fires.result.events == 1);
    CHECK(std::fabs(*fires.result.diagnostic->time - 1) < 1e-11);
  }
}

TEST_CASE("what happens at the end of a table and of the run is met") {
  for (const std::string method : {"auto", "rk4", "dopri5", "dop853", "bdf"}) {
    CAPTURE(method);
    const Run r = run_both(
        "mbd 1\nspace 1\nparticle p(1) at -0.5 moving 1\nforce f on p: table(t, (0, 0.2, 0.5), (0, 0, 0))\n"
        "when there: p.x rising { p.vx = 0 }\nsimulate { time = 0 .. 0.5 step 0.1; integrator = " +
        method + " }\n");
    CHECK(r.result.status == Status::complete);
  }
}

TEST_CASE("tables in what is evaluated before a run: parameters, inputs, initial values, times of events") {
  // Each value is that of its points, with both engines, and again with another parameter, which compiles nothing.
  const std::string text = R"(mbd 1
space 1
param a = 0.5
def f(x) = table(x, (0, 1, 2), (0, 1, 3))
def slope(x) = table(x, (0, 1, 2), (0, 2, 2), method = cubic)
param b = f(a), c = f(b + 1)
input u = f(c)
model part(k) {
  particle p(1) at f(k)
}
part left(k = a)
particle right(f(1 + a)) at f(2*a) moving slope(a)
coord phi = f(a + 1)
kinetic T: phi'^2/2
state s = f(a) where s' = 0
state held = f(1.5)
at first: f(a) { held = f(held/2) }
every later: f(a)/2 from f(1) { held = held + 1 }
output u
output b
output right.mass
simulate { time = 0 .. f(1.5) step f(a)/5 }
)";
  const auto check = [](const Run& r, double a) {
    const auto f = [](double x) { return x < 1 ? x : 1 + 2 * (x - 1); };
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.at(0, "left.p.x") == doctest::Approx(f(a)).epsilon(1e-15));
    CHECK(r.at(0, "right.x") == doctest::Approx(f(2 * a)).epsilon(1e-15));
    CHECK(r.at(0, "phi") == doctest::Approx(f(a + 1)).epsilon(1e-15));
    CHECK(r.at(0, "s") == doctest::Approx(f(a)).epsilon(1e-15));
    CHECK(r.at(0, "b") == doctest::Approx(f(a)).epsilon(1e-15));
    CHECK(r.at(0, "u") == doctest::Approx(f(f(f(a) + 1))).epsilon(1e-15));
    CHECK(r.at(0, "right.mass") == doctest::Approx(f(1 + a)).epsilon(1e-15));
    CHECK(r.at(0, "right.vx") > 0);
    CHECK(r.at(0, "held") == 2);
    CHECK(r.last("held") > 2);
  };
  check(run_both(text), 0.5);
  check(run_both(text, {"a=0.25"}), 0.25);
  for (const Engine engine : {Engine::interpreter, Engine::native}) {
    if (engine == Engine::native && !have_native()) continue;
    Simulation s = compile_text(text, engine);
    REQUIRE(s.set_parameter("a", 0.25).ok());
    s.reset();
    CHECK(s.state()[0] == doctest::Approx(0.25).epsilon(1e-15));
    CHECK(*s.input("u") == doctest::Approx(2).epsilon(1e-15));
  }
}

TEST_CASE("the model whose initial value by a table was an internal error") {
  std::ifstream in(MBC_SOURCE_DIR "/tests/physics/findings/table_at_start.mbd");
  std::stringstream text;
  text << in.rdbuf();
  const Run r = run_both(text.str());
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(0, "p.x") == 0.5);
  CHECK(r.last("p.x") == 0.5);
}
