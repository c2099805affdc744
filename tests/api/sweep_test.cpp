// SPDX-License-Identifier: Apache-2.0
// Tests sweep(): the set of members, equality of each member with a separate run, independence of threads and earlier
// members, and failures that stay confined to their member.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "tests/api/small_sweep.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// A negative k drives the particle away, rods of L < 1 cannot be closed, and m <= 0 is not a mass.
const char* kModel = R"(mbd 1
param k = 4, m = 1, start = 0.5
input push = 0
particle p(m) at (start, 0, 0)
force spring on p: -k*p.pos + (push, 0, 0)
output E = energy.total, root = sqrt(2 + p.x)
simulate demo { time = 0 .. 1 step 0.01; integrator = rk4 }
sweep tune over demo {
  k = 1 .. 4 count 4
  start = (0.5, 0.25)
  record max_over(p.x), final(p.x), p.vel, initial(E)
}
sweep plain over demo { m = (1, 2) }
)";

SweepResult look(const SweepOptions& options) { return mbc::test::look(options, kModel); }

bool same(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(double)) == 0);
}

bool same(const SweepResult& a, const SweepResult& b) {
  if (a.rows.size() != b.rows.size()) return false;
  for (std::size_t k = 0; k < a.rows.size(); ++k)
    if (a.rows[k].number != b.rows[k].number || a.rows[k].reason != b.rows[k].reason ||
        !same(a.rows[k].varied, b.rows[k].varied) || !same(a.rows[k].recorded, b.rows[k].recorded))
      return false;
  return true;
}

}  // namespace

TEST_CASE("files are those of the loader, each asked for once") {
  SweepOptions o = of("");
  int asked = 0;
  o.compile.loader = [&asked](const std::string& file) -> std::optional<std::string> {
    ++asked;
    return file == "mass.mbd" ? std::optional<std::string>("mbd 1\ndef doubled(x) = 2*x\n") : std::nullopt;
  };
  // The number of forces changes the structure of the model, so that the sweep has two parts, each compiled from the
  // text.
  const SweepResult r = look(o, R"(mbd 1
use "mass.mbd"
model Weight(n = 1) {
  particle p(doubled(n)) at (0, 0, 1)
  for i in 1..n { force on p: (0, 0, -1) }
}
Weight w(n = 2)
output v = w.p.vz
simulate demo { time = 0 .. 1 step 0.1; integrator = rk4 }
sweep s over demo { w.n = (1, 2); record final(v) }
)");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.rows.size() == 2);
  for (const SweepMember& m : r.rows) CHECK(m.recorded[0] == doctest::Approx(-0.5));
  CHECK(r.compilations == 2);
  CHECK(asked == 1);
}

TEST_CASE("members: all combinations, the last name fastest; names and columns") {
  const SweepResult r = look(of("tune"));
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.sweep.members == 8);
  CHECK(r.failed == 0);
  CHECK(varied(r, 0) == std::vector<double>{1, 1, 2, 2, 3, 3, 4, 4});
  CHECK(varied(r, 1) == std::vector<double>{0.5, 0.25, 0.5, 0.25, 0.5, 0.25, 0.5, 0.25});
  std::vector<std::string> names;
  for (const Quantity& q : r.sweep.records) names.push_back(q.name);
  CHECK(names ==
        std::vector<std::string>{"max_over(p.x)", "final(p.x)", "p.vel.x", "p.vel.y", "p.vel.z", "initial(E)"});
  for (std::size_t k = 0; k < r.rows.size(); ++k) {
    const SweepMember& m = r.rows[k];
    CHECK(m.number == k + 1);
    // k x'' = -x from rest has the solution start cos(w t) with w = sqrt(k/m).
    const double w = std::sqrt(m.varied[0]), start = m.varied[1];
    CHECK(m.recorded[0] == start);
    CHECK(m.recorded[1] == doctest::Approx(start * std::cos(w)).epsilon(1e-8));
    CHECK(m.recorded[2] == doctest::Approx(-start * w * std::sin(w)).epsilon(1e-8));
    CHECK(m.recorded[5] == 0);  // The spring declares no potential.
  }
}

TEST_CASE("ranges: steps, downwards, lists, several names of --vary") {
  SweepOptions o = of("demo");
  o.vary = {"k = 1 .. 2 step 0.25"};
  CHECK(varied(look(o), 0) == std::vector<double>{1, 1.25, 1.5, 1.75, 2});
  o.vary = {"k = 3 .. 1 step -1"};
  CHECK(varied(look(o), 0) == std::vector<double>{3, 2, 1});
  o.vary = {"k = 0.1 .. 0.7 step 0.1"};
  const std::vector<double> tenths = varied(look(o), 0);
  REQUIRE(tenths.size() == 7);
  CHECK(tenths.front() == 0.1);
  CHECK(tenths.back() == 0.7);
  o.vary = {"k = (7, 5, 6); push = 2", "m = 1 .. 2 count 2"};
  const SweepResult r = look(o);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(varied(r, 0) == std::vector<double>{7, 7, 5, 5, 6, 6});
  CHECK(varied(r, 1) == std::vector<double>{2, 2, 2, 2, 2, 2});
  CHECK(varied(r, 2) == std::vector<double>{1, 2, 1, 2, 1, 2});
}

TEST_CASE("values of an input are in the unit written after its name, as everywhere in the file") {
  const std::string text = R"(mbd 1
input a [deg] = 10
coord x = 0
kinetic T: x'^2/2
load f on x: a
simulate demo { time = 0 .. 1 step 0.5 }
sweep bare over demo { a = (90, 45); record x }
sweep range over demo { a = 45 .. 90 count 2; record x }
sweep written over demo { a = (90 [deg], pi/4); record x }
)";
  const double right = std::acos(0.0);
  for (const char* name : {"bare", "range"}) {
    const SweepResult r = look(of(name), text);
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    const bool falling = std::string(name) == "bare";
    CHECK(varied(r, 0)[falling ? 0 : 1] == doctest::Approx(right).epsilon(1e-15));
    CHECK(varied(r, 0)[falling ? 1 : 0] == doctest::Approx(right / 2).epsilon(1e-15));
    CHECK(r.rows[falling ? 0 : 1].recorded[0] == doctest::Approx(right / 2).epsilon(1e-12));
  }
  const SweepResult r = look(of("written"), text);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(varied(r, 0)[0] == doctest::Approx(right).epsilon(1e-15));
  const std::string force = R"(mbd 1
input F [kN] = 1
coord x = 0 [m]
kinetic T: (1 [kg])*x'^2/2
load f on x: F
simulate demo { time = 0 [s] .. 1 [s] step 0.5 [s] }
sweep bare over demo { F = (2, 3); record x }
)";
  const SweepResult forces = look(of("bare"), force);
  REQUIRE_MESSAGE(forces.status == Status::complete, forces.rendered);
  CHECK(varied(forces, 0) == std::vector<double>{2000, 3000});
}

TEST_CASE("what a sweep varies and records is in the units behind `in`, and the members are the same") {
  const std::string text = R"(mbd 1
param a = 10 [deg], L = 1 [m]
coord x = 0 [m]
kinetic T: (1 [kg])*x'^2/2
load f on x: a*L*(1 [N/m])
simulate demo { time = 0 [s] .. 1 [s] step 0.5 [s] }
sweep degrees over demo { a = 0 .. 90 step 30 in [deg]; L = (0.5, 1) [m] in [cm]; record x in [mm], final(x) }
sweep plain over demo { a = 0 .. 90 [deg] step 30 [deg]; L = (0.5, 1) [m]; record x, final(x) }
)";
  const SweepResult shown = look(of("degrees"), text), plain = look(of("plain"), text);
  REQUIRE_MESSAGE(shown.status == Status::complete, shown.rendered);
  CHECK(varied(shown, 0) == std::vector<double>{0, 0, 30, 30, 60, 60, 90, 90});
  CHECK(varied(shown, 1) == std::vector<double>{50, 100, 50, 100, 50, 100, 50, 100});
  CHECK(shown.sweep.varied[0].quantity.unit == "deg");
  CHECK(shown.sweep.varied[1].last == 100);
  CHECK(shown.sweep.records[0].name == "x [mm]");
  CHECK(shown.sweep.records[0].unit == "mm");
  CHECK(shown.sweep.records[1].unit == "m");
  for (std::size_t k = 0; k < shown.rows.size(); ++k) {
    CHECK(shown.rows[k].recorded[0] == doctest::Approx(1000 * plain.rows[k].recorded[0]).epsilon(1e-14));
    CHECK(shown.rows[k].recorded[1] == doctest::Approx(plain.rows[k].recorded[1]).epsilon(1e-14));
  }
  SweepOptions outside = of("demo");
  outside.vary = {"a = 0 .. 90 step 30 in [deg]", "L = (50, 100) in [cm]"};
  outside.record = {"x in [mm]", "final(x)"};
  CHECK(same(look(outside, text), shown));
}

TEST_CASE("--vary and --record say what a block says, replace its values and add to it") {
  SweepOptions o = of("demo");
  o.vary = {"k = 1 .. 4 count 4", "start = (0.5, 0.25)"};
  o.record = {"max_over(p.x)", "final(p.x)", "p.vel", "initial(E)"};
  CHECK(same(look(o), look(of("tune"))));
  SweepOptions replaced = of("tune");
  replaced.vary = {"k = (9, 8)", "m = (1, 2)"};
  replaced.record = {"min_over(p.x)"};
  const SweepResult r = look(replaced);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(varied(r, 0) == std::vector<double>{9, 9, 9, 9, 8, 8, 8, 8});
  CHECK(varied(r, 2) == std::vector<double>{1, 2, 1, 2, 1, 2, 1, 2});
  CHECK(r.sweep.records.back().name == "min_over(p.x)");
}

TEST_CASE("without `record`: the last values of the outputs, or of all columns") {
  const SweepResult r = look(of("plain"));
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.sweep.records.size() == 2);
  CHECK(r.sweep.records[1].name == "root");
  SweepOptions o = of("");
  o.vary = {"v = (1, 2)"};
  const SweepResult all = look(o,
                               "mbd 1\nparam v = 1\nparticle p(1) at (0, 0, 0) moving (v, 0, 0)\n"
                               "simulate { time = 0 .. 1 step 0.5; integrator = rk4 }\n");
  REQUIRE_MESSAGE(all.status == Status::complete, all.rendered);
  CHECK(all.sweep.records.size() == 9);
  CHECK(all.rows[1].recorded[0] == 2);
}

TEST_CASE("every member is what a run by itself gives, bit for bit, by both engines and any number of threads") {
  // The model contains everything that keeps a memory: soft values, a dependent row, a body, and a formulation that
  // chooses its speeds.
  const std::string text = R"(mbd 1
use joints
param L = 1, m = 2, tilt = 0.3
gravity (0, 0, -9.81)
body b(mass = m, inertia = diag(1, 2, 3)) at (0, 0, -L)
Revolute hinge(ground, b.at(0, 0, L), axis = ex)
particle p(1) at (0, 0, 0)
constraint rod: dist(p, ground) == L
constraint same: 2*dist(p, ground) == 2*L
init { p.x = L*sin(tilt); p.z ~ -1; b.omega.x = tilt }
output E = energy.total, load = norm(hinge.force)
simulate a { time = 0 .. 0.5 step 0.01; integrator = rk4 }
simulate b { time = 0 .. 0.5 step 0.01; formulation = maggi; integrator = rk4 }
simulate c { time = 0 .. 0.5 step 0.05; integrator = dopri5; bodies = euler_parameters }
)";
  for (const std::string block : {"a", "b", "c"}) {
    CAPTURE(block);
    SweepOptions o = of(block);
    o.vary = {"L = 0.5 .. 1.5 count 3", "tilt = (0.3, -0.4, 0)"};
    const SweepResult one = look(o, text);
    REQUIRE_MESSAGE(one.status == Status::complete, one.rendered);
    REQUIRE(one.rows.size() == 9);
    for (const unsigned jobs : {2u, 4u}) {
      o.jobs = jobs;
      CHECK(same(look(o, text), one));
    }
    o.compile.interpret = false;
    CHECK(same(look(o, text), one));
    for (const SweepMember& m : one.rows) {
      CAPTURE(m.number);
      CAPTURE(m.reason);
      CHECK(m.reason.empty());
      const Run single =
          run(text, Engine::interpreter, {"L = " + number(m.varied[0]), "tilt = " + number(m.varied[1])}, block);
      REQUIRE_MESSAGE(single.result.status == Status::complete, single.result.rendered);
      for (std::size_t k = 0; k < m.recorded.size(); ++k) {
        CAPTURE(one.sweep.records[k].name);
        CHECK(m.recorded[k] == single.last(one.sweep.records[k].name));
      }
    }
  }
}

TEST_CASE("a failure stays in its member and says why") {
  SweepOptions o = of("demo");
  o.vary = {"m = (1, 0, 2, -1)", "start = (0.5, -3)"};
  const SweepResult r = look(o);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.members == 8);
  CHECK(r.failed == 6);
  CHECK(r.rows[0].reason.empty());
  CHECK(r.rows[1].status == Status::stopped);  // The square root of 2 - 3 is undefined.
  CHECK(r.rows[1].diagnostic->code == "E0603");
  CHECK(r.rows[1].recorded.empty());
  CHECK(r.rows[2].status == Status::model_error);
  CHECK(r.rows[2].diagnostic->kind == "mass_not_positive");
  CHECK(r.rows[4].reason.empty());
  REQUIRE(r.failures.size() == 2);
  CHECK(r.failures[0].first == 2);
  CHECK(r.failures[0].members == 2);
  CHECK(r.failures[1].first == 3);
  CHECK(r.failures[1].members == 4);
  // The other members do not depend on the failed ones.
  o.vary = {"m = (1, 2)", "start = 0.5"};
  const SweepResult alone = look(o);
  CHECK(same(alone.rows[0].recorded, r.rows[0].recorded));
  CHECK(same(alone.rows[1].recorded, r.rows[4].recorded));
}

TEST_CASE("what elaboration checks of values is checked of every member") {
  SweepOptions o = of("");
  o.vary = {"c = (1, 0.9)", "J = (1, 4)"};
  const SweepResult r = look(o,
                             "mbd 1\nparam c = 1, J = 1\n"
                             "body b(mass = 1, inertia = diag(1, 1, J)) at (0, 0, 0) "
                             "rotated ((c, 0, 0), (0, 1, 0), (0, 0, 1))\n"
                             "simulate { time = 0 .. 0.1 step 0.1; integrator = rk4 }\n");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.rows[0].reason.empty());
  CHECK(r.rows[1].diagnostic->kind == "inertia_not_physical");
  CHECK(r.rows[2].diagnostic->kind == "not_a_rotation");
  CHECK(r.failures.size() == 2);
}

TEST_CASE("a recorded value that is undefined stands in its member's row") {
  SweepOptions o = of("demo");
  o.vary = {"start = (0.5, -0.5, 0.5)"};
  o.record = {"max_over(sqrt(p.x + 0.4))", "final(p.x)"};
  const SweepResult r = look(o);
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.failed == 1);  // 0.5 cos(2t) stays above -0.4.
  const SweepMember& m = r.rows[1];
  CHECK(m.status == Status::complete);
  CHECK(m.diagnostic->kind == "record_undefined");
  CHECK(m.reason == "E0664: the recorded value `max_over(sqrt(p.x + 0.4))` is nan");
  CHECK(std::isnan(m.recorded[0]));
  CHECK(m.recorded[1] == doctest::Approx(-0.5 * std::cos(2)).epsilon(1e-8));
  CHECK(same(r.rows[0].recorded, r.rows[2].recorded));
}

TEST_CASE("constraints that cannot be met: inconsistent") {
  SweepOptions o = of("");
  o.vary = {"L = (1, 2)"};
  const SweepResult r = look(o,
                             "mbd 1\nparam L = 1\nparticle p(1) at (1, 0, 0)\nconstraint rod: norm(p.pos) == L\n"
                             "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n");
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  CHECK(r.rows[0].reason.empty());
  CHECK(r.rows[1].status == Status::inconsistent);
  o.assemble = true;
  CHECK(look(o,
             "mbd 1\nparam L = 1\nparticle p(1) at (1, 0, 0)\nconstraint rod: norm(p.pos) == L\n"
             "simulate { time = 0 .. 1 step 0.1; integrator = rk4 }\n")
            .failed == 0);
}

TEST_CASE("the observer gets the members in order and can end it; a stop keeps what is complete") {
  SweepOptions o = of("demo");
  o.jobs = 4;
  o.vary = {"k = 1 .. 1000 step 1"};
  std::vector<std::uint64_t> numbers;
  bool begun = false;
  o.begin = [&](const SweepInfo& info) { begun = info.members == 1000 && numbers.empty(); };
  const SweepResult r = sweep_text(kModel, "a.mbd", o, [&](const SweepMember& m) {
    numbers.push_back(m.number);
    return true;
  });
  CHECK(begun);
  CHECK(r.rows.empty());
  CHECK(r.members == 1000);
  CHECK(numbers.size() == 1000);
  CHECK(std::is_sorted(numbers.begin(), numbers.end()));
  CHECK(sweep_text(kModel, "a.mbd", o, [&](const SweepMember& m) { return m.number < 20; }).status ==
        Status::output_failed);
  volatile std::sig_atomic_t stop = 0;
  o.stop = &stop;
  std::uint64_t kept = 0;
  const SweepResult stopped = sweep_text(kModel, "a.mbd", o, [&](const SweepMember& m) {
    CHECK(m.number == ++kept);
    CHECK_FALSE(m.recorded.empty());
    if (kept == 30) __atomic_store_n(&stop, 1, __ATOMIC_RELAXED);
    return true;
  });
  CHECK(stopped.status == Status::interrupted);
  CHECK(stopped.members >= 30);
  CHECK(stopped.members < 1000);
}

TEST_CASE("what the model does not allow") {
  SweepOptions o = of("nothing");
  o.vary = {"k = (1, 2)"};
  SweepResult r = look(o);
  CHECK(r.status == Status::model_error);
  REQUIRE_FALSE(r.diagnostics.empty());
  CHECK(r.diagnostics[0].kind == "which_sweep");
  o = of("tune");
  o.vary = {"q = (1, 2)"};
  r = look(o);
  CHECK(r.status == Status::model_error);
  CHECK(r.diagnostics[0].kind == "vary_unknown");
  CHECK(r.diagnostics[0].place.file == "--vary");
  CHECK(r.diagnostics[0].place.line == 1);
  CHECK(r.diagnostics[0].place.column == 1);
  CHECK(sweep("no such file.mbd", of("")).status == Status::model_error);
}

TEST_CASE("example: vibration absorber") {
  SweepOptions o = of("tune", false);
  o.jobs = 0;
  const SweepResult r = look(o, example("vibration_absorber"));
  REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
  REQUIRE(r.rows.size() == 13);
  CHECK(r.failed == 1);
  CHECK(r.rows[4].status == Status::model_error);  // This is the resonance at 24 N/m.
  for (const SweepMember& m : r.rows) {
    if (!m.reason.empty()) continue;
    const double k2 = m.varied[0], D = (340 + k2 - 400) * (k2 - 40) - k2 * k2;
    CHECK(std::fabs(m.recorded[0] - std::fabs(2 * (k2 - 40) / D)) < 1e-7);
    CHECK(std::fabs(m.recorded[1] - std::fabs(2 * k2 / D)) < 1e-7);
    CHECK(std::fabs(m.recorded[2] - 2 * (k2 - 40) / D * std::sin(40.0)) < 1e-8);
  }
}

TEST_CASE("info lists the sweeps") {
  const ModelInfo o = Model::from_string(kModel, "a.mbd", {{}, true}).info().value();
  REQUIRE(o.sweeps.size() == 2);
  CHECK(o.sweeps[0].name == "tune");
  CHECK(o.sweeps[0].simulation == "demo");
  CHECK(o.sweeps[0].members == 8);
  CHECK(o.sweeps[0].varied[0].quantity.name == "k");
  CHECK(o.sweeps[0].varied[0].last == 4);
}

TEST_CASE("a sweep block does not keep a run from setting what it varies") {
  const Run single = run(kModel, Engine::interpreter, {"k = 2"}, "demo");
  CHECK_MESSAGE(single.result.status == Status::complete, single.result.rendered);
}

TEST_CASE("spans that the step does not divide: the members are the single runs, in lanes as well") {
  const std::string text = R"(mbd 1
param k = 1
particle p(1) at (1, 0, 0)
constraint plane: p.z == 0
force spring on p: -k*p.pos
output x = p.x
simulate swing { time = 0 .. 1 step 0.03; integrator = rk4 }
)";
  SweepOptions o = of("swing");
  o.vary = {"k = 1 .. 2 count 11"};
  for (const std::vector<std::string>& record : {std::vector<std::string>{}, {"x", "max_over(x)"}}) {
    o.record = record;
    const SweepResult r = look(o, text);
    REQUIRE_MESSAGE(r.status == Status::complete, r.rendered);
    for (const SweepMember& m : r.rows)
      CHECK(m.recorded[0] == run(text, Engine::interpreter, {"k = " + number(m.varied[0])}, "swing").last("x"));
  }
}
