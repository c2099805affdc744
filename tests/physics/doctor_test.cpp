// SPDX-License-Identifier: Apache-2.0
// Tests Simulation::doctor() on mechanisms with known rank, freedoms and contradictions.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

DoctorReport look(const std::string& text, const DoctorOptions& options = {}) {
  Simulation p = compile_text(text, Engine::interpreter);
  return p.doctor(options).value();
}

// Returns a planar four-bar of three bodies and four hinges in space. It has 18 speeds and one freedom, so that its
// rank is 17 for all ways of writing it.
std::string four_bar(bool crosses) {
  std::string t = R"(mbd 1
gravity (0, -9.81, 0)
let a = 0.7
let c = cos(a)
let s = sin(a)
body crank(mass = 1, inertia = diag(0.01, 0.1, 0.1)) at (0.5*c, 0.5*s, 0) rotated rotz(a)
body coupler(mass = 2, inertia = diag(0.01, 0.7, 0.7)) at (c + 1, s, 0)
body rocker(mass = 1, inertia = diag(0.01, 0.1, 0.1)) at (2 + 0.5*c, 0.5*s, 0) rotated rotz(a)
point c0 on crank at (-0.5, 0, 0)
point c1 on crank at (0.5, 0, 0)
point k1 on coupler at (-1, 0, 0)
point k2 on coupler at (1, 0, 0)
point r2 on rocker at (0.5, 0, 0)
point r3 on rocker at (-0.5, 0, 0)
)";
  const auto hinge = [&](const std::string& name, const std::string& place, const std::string& one,
                         const std::string& two) {
    t += "constraint " + name + "_pos: " + place + "\n";
    if (crosses) {
      t += "constraint " + name + "_axis: cross(" + one + ", " + two + ") == (0, 0, 0)\n";
      return;
    }
    const std::string body = one.substr(0, one.find('*'));
    t += "constraint " + name + "_ax1: dot(" + body + "*ex, " + two + ") == 0\n";
    t += "constraint " + name + "_ax2: dot(" + body + "*ey, " + two + ") == 0\n";
  };
  hinge("a", "c0.pos == (0, 0, 0)", "crank.rot*ez", "ez");
  hinge("b", "c1.pos == k1.pos", "crank.rot*ez", "coupler.rot*ez");
  hinge("c", "k2.pos == r2.pos", "coupler.rot*ez", "rocker.rot*ez");
  hinge("d", "r3.pos == (2, 0, 0)", "rocker.rot*ez", "ez");
  return t + "simulate { time = 0 .. 0.2 step 0.001; integrator = rk4 }\n";
}

std::vector<std::string> redundant(const DoctorReport& d) {
  std::vector<std::string> names;
  for (const DoctorRow& row : d.rows)
    if (!row.independent) names.push_back(row.name);
  return names;
}

int of_kind(const DoctorReport& d, RankSample::Kind kind) {
  return static_cast<int>(
      std::count_if(d.samples.begin(), d.samples.end(), [&](const auto& s) { return s.kind == kind; }));
}

}  // namespace

TEST_CASE("doctor: four hinges of five rows close a loop with three too many") {
  const DoctorReport d = look(four_bar(false));
  CHECK(d.sound());
  CHECK(d.position_rows == 20);
  CHECK(d.speeds == 18);
  CHECK(d.coordinates == 21);
  CHECK(d.rank == 17);
  CHECK(d.usual_rank == 17);
  CHECK(d.freedoms == 1);
  CHECK(of_kind(d, RankSample::Kind::random) == 20);
  CHECK(of_kind(d, RankSample::Kind::motion) >= 16);
  for (const RankSample& s : d.samples) CHECK(s.rank == 17);
  CHECK(d.changing.empty());
  // The later rows in the file are redundant: the last hinge repeats that the loop is planar.
  CHECK(redundant(d) == std::vector<std::string>{"d_pos.z", "d_ax1", "d_ax2"});
  for (const DoctorRow& row : d.rows)
    if (!row.independent) {
      CHECK(!row.depends_on.empty());
      CHECK_FALSE(row.multiplier_unique);
    }
  CHECK(d.conserved.front().name == "energy");
  CHECK(d.conserved.front().conserved);
}

TEST_CASE("doctor: cross products of axes, 24 rows of rank 17") {
  const DoctorReport d = look(four_bar(true));
  CHECK(d.sound());
  CHECK(d.position_rows == 24);
  CHECK(d.rank == 17);
  CHECK(d.usual_rank == 17);
  CHECK(d.freedoms == 1);
  CHECK(redundant(d).size() == 7);
  // The components along the axis vanish.
  CHECK(std::any_of(d.rows.begin(), d.rows.end(), [](const auto& row) {
    return row.name == "a_axis.z" && !row.independent && row.depends_on.empty();
  }));
}

TEST_CASE("doctor: rows that contradict each other, at the level of positions and of accelerations") {
  const DoctorReport d = look(R"(mbd 1
particle p(1) at (1, 0, 0)
particle q(1) at (5, 0, 0)
constraint other: dist(q, ground) == 5
constraint rod: dist(p, ground) == 1
constraint longer: dist(p, ground) == 2
)");
  CHECK_FALSE(d.consistent);
  CHECK(d.conflicting == std::vector<std::string>{"rod", "longer"});
  REQUIRE(d.diagnostic);
  CHECK(d.diagnostic->code == "E0602");
  const DoctorReport a = look(R"(mbd 1
particle p(1) at (1, 0, 0)
constraint one: p.acc.x == 1
constraint two: 2*p.acc.x == 3
constraint plane: p.y == 0
)");
  CHECK(a.consistent);
  CHECK(a.conflicting == std::vector<std::string>{"one", "two"});
  CHECK_FALSE(a.sound());
}

TEST_CASE("doctor: coordinates that nothing determines, and those that rows determine") {
  const DoctorReport d = look(R"(mbd 1
coord x = 0, y = 0, z = 1
particle p(1) follows (x, 0, 0)
constraint c: z == 1 + 0.1*x
)");
  CHECK(d.undetermined == std::vector<std::string>{"y"});
  CHECK(d.without_inertia == std::vector<std::string>{"y", "z"});
  CHECK_FALSE(d.sound());
  const DoctorReport sum = look(R"(mbd 1
coord x = 0, y = 0, z = 0
particle p(1) follows (x + y, z, 0)
)");
  CHECK(sum.undetermined == std::vector<std::string>{"x", "y"});
  CHECK(sum.without_inertia == std::vector<std::string>{"y"});
}

TEST_CASE("doctor: a singular initial state is told from a redundant row") {
  const DoctorReport d = look(R"(mbd 1
space 2
particle p1(1) at (1, 0) moving (0, 1)
particle p2(1) at (3, 0) moving (0, 1)
constraint c1: dist(p1, ground) == 1
constraint c2: dist(p2, (2, 0)) == 1
constraint c3: dist(p1, p2) == 2
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)");
  CHECK(d.consistent);
  CHECK(d.rank == 2);
  CHECK(d.usual_rank == 3);
  CHECK(d.freedoms == 1);
  CHECK(d.changing == std::vector<std::string>{"c3"});
  CHECK(!d.rank_changes.empty());
  const DoctorReport twice = look(R"(mbd 1
particle p(1) at (1, 0, 0)
constraint rod: dist(p, ground) == 1
constraint again: dot(p.pos, p.pos) == 1
)");
  CHECK(twice.rank == 1);
  CHECK(twice.usual_rank == 1);
  CHECK(twice.changing.empty());
  CHECK(redundant(twice) == std::vector<std::string>{"again"});
  CHECK(twice.rows[1].depends_on == std::vector<std::string>{"rod"});
}

TEST_CASE("doctor: nonholonomic rows leave places that velocities cannot go to at once") {
  const DoctorReport d = look(R"(mbd 1
space 2
particle p(1) at (0, 0) moving (1, 0)
coord a = 0 rate 1
kinetic T: 0.5*a'^2
constraint skate: p.vy*cos(a) == p.vx*sin(a)
)");
  CHECK(d.velocity_rows == 1);
  CHECK(d.freedoms == 2);
  CHECK(d.position_rank == 0);
}

TEST_CASE("doctor: momenta and energy along the motion") {
  const DoctorReport d = look(R"(mbd 1
particle a(1) at (0, 0, 0) moving (1, 0, 2)
particle b(2) at (1, 0, 0) moving (0, 1, 0)
potential spring: 5*(dist(a, b) - 0.8)^2
force drag on a: (0, 0, -0.3*a.vz)
simulate { time = 0 .. 2 step 0.001; integrator = rk4 }
)");
  REQUIRE(d.motion);
  CHECK(d.motion->end == doctest::Approx(2));
  const auto conserved = [&](const std::string& name) {
    for (const ConservedQuantity& q : d.conserved)
      if (q.name == name) return q.conserved;
    FAIL("not looked at: " << name);
    return false;
  };
  CHECK_FALSE(conserved("energy"));
  CHECK(conserved("linear momentum x"));
  CHECK(conserved("linear momentum y"));
  CHECK_FALSE(conserved("linear momentum z"));
  CHECK(conserved("angular momentum z"));
  CHECK(d.work_of_loads < -0.1);
}

TEST_CASE("doctor: the samples are the same every time and follow the seed") {
  const std::string text = four_bar(false);
  const DoctorReport a = look(text), b = look(text);
  DoctorOptions options;
  options.seed = 2;
  options.motion = false;
  const DoctorReport c = look(text, options);
  REQUIRE(a.samples.size() == b.samples.size());
  bool differ = false;
  for (std::size_t k = 0; k < a.samples.size(); ++k) CHECK(a.samples[k].smallest == b.samples[k].smallest);
  for (std::size_t k = 1; k < c.samples.size(); ++k) differ |= a.samples[k].smallest != c.samples[k].smallest;
  CHECK(differ);
  CHECK_FALSE(c.motion);
}

TEST_CASE("overview: what a model consists of") {
  Simulation p = compile_text(R"(mbd 1
/// A thing.
param m = 2 [kg]
/// the length
param L = 1 [m]
gravity (0, 0, -9.81) [m/s^2]
coord q = 0.1
particle a(m) at (0, 0, L)
particle b(1 [kg]) follows (L*q, 0 [m], 0 [m])
constraint rod: dist(a, ground) == L
constraint line: a.vel == (0, 0, 0) [m/s]
force f on a: (0, 0, 1) [N]
output h = a.z
init { a.x ~ 0 [m] }
simulate s { time = 0 [s] .. 1 [s] step 1 [ms]; integrator = rk4 }
)",
                              Engine::interpreter, {"m = 3"});
  const ModelInfo o = p.model().info().value();
  CHECK(o.description == "A thing.");
  CHECK(o.has_units);
  REQUIRE(o.parameters.size() == 2);
  CHECK(o.parameters[0].value == 3);
  CHECK(o.parameters[0].from_outside);
  CHECK(o.parameters[1].quantity.description == "the length");
  REQUIRE(o.entities.size() == 3);
  CHECK(o.entities[0].detail == "mass 3 kg");
  CHECK(o.entities[1].detail == "mass 1 kg, follows");
  CHECK(o.entities[2].kind == "coord");
  CHECK(o.coordinates.size() == 4);
  const auto soft = std::find_if(o.coordinates.begin(), o.coordinates.end(), [](const auto& c) { return c.soft; });
  REQUIRE(soft != o.coordinates.end());
  CHECK(soft->quantity.name == "a.x");
  REQUIRE(o.constraints.size() == 2);
  CHECK(o.constraints[0].level == Level::position);
  CHECK(o.constraints[1].rows == 3);
  CHECK(o.constraints[1].level == Level::velocity);
  CHECK(o.loads.size() == 2);
  REQUIRE(o.outputs.size() == 1);
  REQUIRE(o.simulations.size() == 1);
  CHECK(o.simulations[0].defaults == std::vector<std::string>{"formulation", "stabilise"});
}

TEST_CASE("doctor: of a block that has equations of its own, after runs of others") {
  Simulation program = Simulation::create(Model::from_string(R"(mbd 1
particle a(1) at (0, 0, 0)
particle b(1) at (1, 0, 0) moving (0, 1, 0)
constraint rod: dist(a, b) == 1
body q(mass = 1, inertia = diag(1, 2, 3)) at (0, 0, 0) spinning (1, 2, 3)
simulate p { time = 0 .. 0.1 step 0.01; integrator = rk4 }
simulate x { time = 0 .. 0.1 step 0.01; formulation = augmented; integrator = rk4 }
simulate y { time = 0 .. 0.1 step 0.01; stabilise = baumgarte; integrator = rk4 }
simulate n { time = 0 .. 0.1 step 0.01; bodies = natural; integrator = rk4 }
)",
                                                             "a.mbd"))
                           .value();
  REQUIRE(program.model().ok());
  for (const char* block : {"x", "p", "y", "n", "p"}) {
    CAPTURE(block);
    RunOptions run;
    run.simulation = block;
    CHECK(program.run(run, {}).status == Status::complete);
    for (const char* looked_at : {"n", "x", block}) {
      DoctorOptions options;
      options.simulation = looked_at;
      const DoctorReport d = program.doctor(options).value();
      CHECK(d.consistent);
      CHECK(!d.diagnostic);
      CHECK(d.rendered.find("entries") == std::string::npos);
    }
  }
}

TEST_CASE("doctor: the energy of a kinetic term that is not quadratic is u T_u - T") {
  const DoctorReport d = look(R"(mbd 1
coord y = 1
particle b(2) follows (0, y, 0)
kinetic hard: 0.2*y'^4
potential spring: 3*y^2
simulate { time = 0 .. 2 step 0.001; integrator = rk4 }
)");
  REQUIRE_FALSE(d.conserved.empty());
  CHECK(d.conserved[0].name == "energy");
  CHECK(d.conserved[0].conserved);
  CHECK(d.conserved[0].value == doctest::Approx(3));
}

TEST_CASE("doctor: the block's `assemble` is honoured") {
  const std::string text = R"(mbd 1
particle p(1) at (1, 0.01, 0) moving (0, 1, 0)
constraint rod: norm(p.pos) == 1
)";
  CHECK_FALSE(look(text + "simulate { time = 0 .. 1 step 0.01; integrator = rk4 }\n").consistent);
  const DoctorReport d = look(text + "simulate { time = 0 .. 1 step 0.03; assemble; integrator = rk4 }\n");
  CHECK(d.consistent);
  CHECK(d.sound());
  REQUIRE(d.motion);
  CHECK(d.motion->end == doctest::Approx(1));
}

TEST_CASE("the nearest singular position is found, with its coordinates") {
  const DoctorReport flat = look(R"(mbd 1
space 2
particle a(1) at (0, 1)
particle b(1) at (2, 1)
constraint left: dist(ground, a) == 1
constraint right: (b.x - 2)^2 + b.y^2 == 1
constraint coupler: dist(a, b) == 2
simulate { time = 0 .. 1 step 0.01 }
)");
  REQUIRE(flat.nearest);
  CHECK(flat.nearest->singular());
  CHECK(flat.nearest->starts > 20);
  REQUIRE(flat.nearest->places.size() == 4);
  CHECK(flat.nearest->places[1].name == "a.y");
  CHECK(flat.nearest->places[1].given == 1);
  CHECK(std::fabs(flat.nearest->places[1].taken) < 1e-6);
  CHECK(std::fabs(std::fabs(flat.nearest->places[0].taken) - 1) < 1e-6);
  // A single rod is at no state singular.
  const DoctorReport rod = look("mbd 1\nspace 2\nparticle p(1) at (0, -1)\nconstraint rod: dist(ground, p) == 1\n");
  REQUIRE(rod.nearest);
  CHECK(!rod.nearest->singular());
  CHECK(rod.nearest->smallest == doctest::Approx(1));
}

TEST_CASE("what a block says of contact is listed") {
  const Simulation p = compile_text(
      "mbd 1\nspace 1\nparticle p(1) at 1\nconstraint deck: p.x >= 0\n"
      "simulate { time = 0 .. 1 step 0.1; impact = poisson; reactions = smallest; kinks = ignore }\n",
      Engine::interpreter);
  const ModelInfo o = p.model().info().value();
  const auto& choices = o.simulations.at(0).choices;
  using Choice = std::pair<std::string, std::string>;
  for (const Choice& written :
       {Choice{"impact", "poisson"}, Choice{"reactions", "smallest"}, Choice{"kinks", "ignore"}})
    CHECK(std::find(choices.begin(), choices.end(), written) != choices.end());
  for (const auto& [key, value] : choices) CHECK(key != "contact");
}
