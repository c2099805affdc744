// SPDX-License-Identifier: Apache-2.0
// Tests linkages with more than one mode of motion through the positions where these modes meet: a linkage whose modes
// have different numbers of freedoms, in the plane and in space, sliders that are driven to, through and past their
// dead centres, and a parallelogram that comes to rest in line.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Method {
  const char *formulation, *integrator, *step;
};
constexpr Method kMethods[] = {
    {"udwadia_kalaba", "rk4", "0.01"}, {"udwadia_kalaba", "rk4", "0.003"}, {"udwadia_kalaba", "auto", "0.01"},
    {"augmented", "rk4", "0.01"},      {"kane", "rk4", "0.003"},           {"kane", "auto", "0.01"},
    {"maggi", "rk4", "0.01"},          {"maggi", "dopri5", "0.01"},
};

Run with(const std::string& text, const Method& m, std::vector<std::string> set = {}) {
  set.insert(set.end(), {std::string("formulation=") + m.formulation, std::string("integrator=") + m.integrator,
                         std::string("time.step=") + m.step});
  return run(text, Engine::interpreter, set);
}

std::string told(const Method& m, const Run& r) {
  return std::string(m.formulation) + " " + m.integrator + " " + m.step + "\n" + r.result.rendered;
}

std::string turning(const char* name, double angle, double rate) {
  return std::string("particle ") + name + "(1) at (" + number(std::cos(angle)) + ", " + number(std::sin(angle)) +
         ") moving (" + number(-rate * std::sin(angle)) + ", " + number(rate * std::cos(angle)) + ")\n";
}

// The linkage has two kites on one rocker with the end q. If q is on the pivot of the cranks, both cranks turn freely.
// Away from the pivot, one crank moves the other and the rocker.
constexpr const char* kKites = R"(constraint crank: dist(ground, p) == 1
constraint second: dist(ground, r) == 1
constraint rocker: (q.x - 2)^2 + q.y^2 == 4
constraint coupler: dist(p, q) == 1
constraint other: dist(r, q) == 1
output E = energy.total
simulate { time = 0 .. 6 step 0.01 }
)";

std::string free_kites(double second_angle, double second_rate) {
  return "mbd 1\nspace 2\n" + turning("p", 0.5, 1) + turning("r", second_angle, second_rate) +
         "particle q(1) at (0, 0)\n" + kKites;
}

// Returns the linkage with the rocker at an angle a from its position on the pivot, turning back to it, and the second
// crank on the given side.
std::string coupled_kites(double side) {
  const double a = 0.3, rate = -0.6, middle = (std::acos(-1.0) - a) / 2, half = std::sin(a / 2);
  const double opening = std::acos(2 * half), opens = -rate * std::cos(a / 2) / std::sqrt(1 - 4 * half * half);
  return "mbd 1\nspace 2\n" + turning("p", middle + opening, -rate / 2 + opens) +
         turning("r", middle + side * opening, -rate / 2 + side * opens) + "particle q(1) at (" +
         number(2 - 2 * std::cos(a)) + ", " + number(2 * std::sin(a)) + ") moving (" + number(2 * rate * std::sin(a)) +
         ", " + number(2 * rate * std::cos(a)) + ")\n" + replaced(kKites, "step 0.01", "step 0.01; assemble");
}

// Returns a crank of length 1 with a rod of length 2 whose slider follows x(t). The crank starts at an angle above the
// axis.
std::string driven(const std::string& x, double angle) {
  const double q = std::cos(angle) + std::sqrt(4 - std::sin(angle) * std::sin(angle));
  return "mbd 1\nspace 2\nparticle p(1) at (" + number(std::cos(angle)) + ", " + number(std::sin(angle)) +
         ")\nparticle q(1) at (" + number(q) +
         ", 0)\nconstraint crank: dist(ground, p) == 1\nconstraint rod: dist(p, q) == 2\nconstraint guide: q.y == 0\n"
         "constraint drive: q.x == " +
         x + "\ninit { p.x ~ " + number(std::cos(angle)) + "; p.y ~ " + number(std::sin(angle)) +
         "; p.vx ~ 0; p.vy ~ 0; q.x ~ " + number(q) + "; q.vx ~ 0 }\n" +
         "simulate { time = 0 .. 3 step 0.01; assemble }\n";
}

// Returns Wren's platform (K. Wohlhart, Kinematotropic linkages, 1996): two equal hexagons and six equal rods. It
// either turns with its rods on a hyperboloid, or swings with all rods parallel. The two modes meet where the rods are
// upright. The first mode is flat after a turn by pi. In both modes three rows depend on the others.
std::string platform(const std::string& pose, const std::string& gravity, const std::string& force = "") {
  return "mbd 1\nlet r = 1\nlet L = 2\nbody top(mass = 1, inertia = ((0.3, 0, 0), (0, 0.4, 0), (0, 0, 0.5))) " + pose +
         "\nfor i in 1..6 { constraint rod[i]: norm(top.at(r*cos(i*pi/3), r*sin(i*pi/3), 0).pos - "
         "(r*cos(i*pi/3), r*sin(i*pi/3), 0)) == L }\ngravity (0, 0, " +
         gravity + ")\n" + force +
         "output E = energy.total, x = top.x, y = top.y, z = top.z, c = dot(top.rot*ex, ex), up = dot(top.rot*ez, ez)\n"
         "simulate { time = 0 .. 6 step 0.01 }\n";
}

const std::string kTurning =
    "at (0, 0, sqrt(L^2 - 2*r^2*(1 - cos(0.6)))) rotated rotz(0.6) "
    "moving (0, 0, r^2*sin(0.6)/sqrt(L^2 - 2*r^2*(1 - cos(0.6)))) spinning (0, 0, -1)";

}  // namespace

TEST_CASE("a linkage keeps its number of freedoms where its ways meet") {
  for (const Method& m : kMethods) {
    const double allowed = m.integrator == std::string("dopri5") ? 2e-5 : 1e-8;
    // Both cranks cross the position at once, or one after the other.
    for (const std::pair<double, double>& second : {std::pair{0.5, 1.0}, {1.1, 1.3}}) {
      const Run r = with(free_kites(second.first, second.second), m);
      INFO(told(m, r));
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.result.rank == 4);
      CHECK(r.result.freedoms == 2);
      CHECK(r.last("E") == doctest::Approx(r.at(0, "E")).epsilon(allowed));
      CHECK(r.last("p.x") == doctest::Approx(std::cos(6.5)).epsilon(10 * allowed));
      CHECK(r.last("r.x") == doctest::Approx(std::cos(second.first + 6 * second.second)).epsilon(10 * allowed));
      CHECK(std::hypot(r.last("q.x"), r.last("q.y")) < 1e-7);
    }
    for (const double side : {1.0, -1.0}) {
      const Run r = with(coupled_kites(side), m);
      INFO(told(m, r));
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.result.rank == 5);
      CHECK(r.result.freedoms == 1);
      CHECK(r.last("E") == doctest::Approx(r.at(0, "E")).epsilon(2 * allowed));
      double lowest = 0;
      for (std::size_t i = 0; i < r.rows(); ++i) lowest = std::min(lowest, r.at(i, "q.y"));
      CHECK(lowest < -0.5);  // The rocker crosses the pivot.
    }
  }
}

TEST_CASE("Wren's platform turns, or swings, through the position where both meet") {
  for (const Method& m : kMethods) {
    const Run turns = with(platform(kTurning, "0"), m);
    REQUIRE_MESSAGE(turns.result.status == Status::complete, told(m, turns));
    CHECK(turns.result.singular_positions == 1);  // This position is the turn by pi.
    const Run swings = with(platform("at (L*sin(0.8), 0, L*cos(0.8)) moving (-L*cos(0.8), 0, L*sin(0.8))", "9.81"), m);
    REQUIRE_MESSAGE(swings.result.status == Status::complete, told(m, swings));
    const double allowed = std::string(m.integrator) == "dopri5" ? 1e-5 : 1e-7;  // Its rtol is 1e-6.
    const double largest = std::fabs(swings.at(0, "E"));
    for (std::size_t row = 0; row < turns.rows(); ++row) {
      CHECK(std::fabs(turns.at(row, "E") - turns.at(0, "E")) < allowed);
      const double z = turns.at(row, "z");
      CHECK(std::fabs(z * z + 2 * (1 - turns.at(row, "c")) - 4) < 1e-9);  // The platform is on the hyperboloid.
      CHECK(std::fabs(turns.at(row, "up") - 1) < 1e-12);
      CHECK(std::fabs(swings.at(row, "E") - swings.at(0, "E")) < allowed * largest);
      CHECK(std::fabs(swings.at(row, "up") - 1) < 1e-12);
      CHECK(std::fabs(swings.at(row, "c") - 1) < 1e-12);
    }
    CHECK(turns.last("c") < 1);
  }
}

TEST_CASE("Wren's platform under a load that tilts it: what no motion satisfies stops the run") {
  const std::string tilting = "force side on top.at(0.3, 0.2, 0.1): (0, 0, 1)\n";
  for (const Method& m : kMethods) {
    const Run moves = with(platform(kTurning, "0", tilting), m);
    CHECK_MESSAGE(moves.result.status != Status::complete, told(m, moves));
    const Run rests = with(platform("at (0, 0, sqrt(L^2 - 2*r^2*(1 - cos(0.6)))) rotated rotz(0.6)", "0", tilting), m);
    REQUIRE_MESSAGE(rests.result.status == Status::inconsistent, told(m, rests));
    CHECK_MESSAGE(rests.result.rendered.find("error[E0619]") != std::string::npos, told(m, rests));
  }
}

TEST_CASE("a slider that is driven to its dead centre and back takes the crank across") {
  for (const Method& m : kMethods) {
    const Run r = with(driven("3 - 0.1*(t - 1)^2", std::acos((1 + 2.9 * 2.9 - 4) / 5.8)), m);
    INFO(told(m, r));
    REQUIRE(r.result.status == Status::complete);
    const double x = 3 - 0.1 * 4, angle = std::acos((1 + x * x - 4) / (2 * x));
    CHECK(r.last("q.x") == doctest::Approx(x).epsilon(1e-12));
    CHECK(r.last("p.y") == doctest::Approx(-std::sin(angle)).epsilon(1e-9));
    CHECK(r.last("p.x") == doctest::Approx(std::cos(angle)).epsilon(1e-9));
  }
}

TEST_CASE("a slider that is driven as a crank at constant speed asks for turns that crank") {
  for (const Method& m : kMethods) {
    const Run r = with(driven("cos(t + 0.3) + sqrt(4 - sin(t + 0.3)^2)", 0.3), m, {"time.end=10"});
    INFO(told(m, r));
    // The run has three dead centres, at which the work of the drive is dominated by noise.
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.freedoms == 0);
    CHECK(r.last("p.x") == doctest::Approx(std::cos(10.3)).epsilon(1e-9));
    CHECK(r.last("p.y") == doctest::Approx(std::sin(10.3)).epsilon(1e-9));
    CHECK(r.last("p.vx") == doctest::Approx(-std::sin(10.3)).epsilon(1e-9));
  }
}

TEST_CASE("a slider that is driven past its dead centre stops the run there") {
  for (const Method& m : kMethods) {
    const Run r = with(driven("2.9 + 0.1*t", std::acos((1 + 2.9 * 2.9 - 4) / 5.8)), m);
    INFO(told(m, r));
    CHECK(r.result.status == Status::stopped);
    REQUIRE(r.result.diagnostic);
    REQUIRE(r.result.diagnostic->time);
    CHECK(*r.result.diagnostic->time < 1.0 + 1e-9);
    CHECK(*r.result.diagnostic->time > 0.9);
    for (std::size_t i = 0; i < r.rows(); ++i) CHECK(std::hypot(r.at(i, "p.x"), r.at(i, "p.y")) < 1 + 1e-9);
  }
}

TEST_CASE("a damped parallelogram comes to rest in line, with a word about it") {
  const std::string text = R"(mbd 1
space 2
gravity (9.81, 0)
particle a(1) at (0, 1) moving (1, 0)
particle b(1) at (2, 1) moving (1, 0)
constraint left: dist(ground, a) == 1
constraint right: (b.x - 2)^2 + b.y^2 == 1
constraint coupler: dist(a, b) == 2
force da on a: -4*a.vel
force db on b: -4*b.vel
simulate { time = 0 .. 10 step 0.01 }
)";
  for (const Method& m : kMethods) {
    const Run r = with(text, m);
    INFO(told(m, r));
    CHECK(r.result.status == Status::complete);
    CHECK(std::fabs(r.last("a.x") - 1) < 1e-5);
    CHECK(std::fabs(r.last("a.y") - r.last("b.y")) < 1e-5);
    CHECK(std::hypot(r.last("a.vx"), r.last("a.vy")) < 1e-4);
  }
}

TEST_CASE("singular positions are passed, or turned off from, alike in all units") {
  // The model is a parallelogram under gravity, either exact or with a coupler that is slightly too long.
  const std::string text = R"(mbd 1
space 2
param L = 1, m = 1, k = 1, e = 0
gravity (0, -3*L)
particle a(m) at (0, L) moving (L, 0)
particle b(m) at (2*L, L) moving (L, 0)
constraint left: k*dist(ground, a) == k*L
constraint right: k*((b.x - 2*L)^2 + b.y^2) == k*L^2
constraint coupler: k*dist(a, b) == k*(2 + e)*L
output E = energy.total/(m*L^2)
simulate { time = 0 .. 6 step 0.01; assemble }
)";
  for (const char* e : {"0", "1e-9", "1e-5"})
    for (const char* integrator : {"rk4", "auto"}) {
      const std::vector<std::string> usual = {std::string("e=") + e, std::string("integrator=") + integrator};
      const Run metres = run(text, Engine::interpreter, usual);
      INFO(e << " " << integrator << "\n" << metres.result.rendered);
      REQUIRE(metres.result.status == Status::complete);
      CHECK(metres.last("E") == doctest::Approx(metres.at(0, "E")).epsilon(2e-6));
      for (const char* scale : {"L=1e-6", "L=1e6", "m=1e-6", "m=1e6", "k=1e-6", "k=1e6"}) {
        std::vector<std::string> set = usual;
        set.emplace_back(scale);
        const Run r = run(text, Engine::interpreter, set);
        INFO(scale << "\n" << r.result.rendered);
        REQUIRE(r.result.status == Status::complete);
        CHECK(r.rows() == metres.rows());
        CHECK(r.result.singular_positions == metres.result.singular_positions);
        CHECK(r.last("E") == doctest::Approx(r.at(0, "E")).epsilon(2e-6));
        const double unit = r.at(0, "a.y") / metres.at(0, "a.y");
        for (const char* column : {"a.x", "a.y", "b.x", "b.y"})
          CHECK(std::fabs(r.last(column) / unit - metres.last(column)) < 1e-6);
      }
    }
}
