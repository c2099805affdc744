// SPDX-License-Identifier: Apache-2.0
// Tests `stabilise = baumgarte` and `stabilise = partition`: the decay of a violation and the remaining drift.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string triple_pendulum(const std::string& settings) {
  const std::string text = example("seeds/004_bodies/triple_pendulum");
  return text.substr(0, text.find("simulate")) + "simulate { " + settings + " }\n";
}

// Returns the largest difference of a column of two runs.
double largest_difference(const Run& a, const Run& b, const std::string& name) {
  REQUIRE(a.rows() == b.rows());
  double worst = 0;
  for (std::size_t row = 0; row < a.rows(); ++row)
    worst = std::max(worst, std::fabs(a.at(row, name) - b.at(row, name)));
  return worst;
}

}  // namespace

TEST_CASE("partition keeps the seed's triple pendulum on its joints, 20 s by ab4 with 1 ms") {
  // The paper's figures for Euler parameters with Newton at 1e-9 are: position 1.5e-10, velocity 1.6e-14.
  const Run r =
      run(triple_pendulum("time = 0 [s] .. 20 [s] step 1 [ms]; integrator = ab4; stabilise = partition(tol = 1e-9)"),
          have_native() ? Engine::native : Engine::interpreter);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.steps == 20000);
  REQUIRE(r.result.violation.position);
  CHECK(*r.result.violation.position < 1e-13);
  CHECK(*r.result.violation.velocity < 1.6e-13);
  CHECK(r.result.renewals > 5);
  CHECK(r.result.renewals < 200);
  CHECK(r.result.stabilise == "partition(tol = 1e-09)");
  // This is the drift without stabilisation.
  const Run free = run(triple_pendulum("time = 0 [s] .. 20 [s] step 1 [ms]; integrator = ab4; stabilise = none"),
                       have_native() ? Engine::native : Engine::interpreter);
  CHECK(*free.result.violation.position > 1e-7);
}

TEST_CASE("the seed's triple pendulum reaches its reference positions under every stabilisation") {
  // In 80-bit arithmetic three formulations agree within 6e-14.
  const double times[] = {0.5, 1, 2, 3, 5};
  const double tip[][3] = {{8.026341705175743, 4.004789501054786, -1.253717579357208},
                           {7.981710735789898, 4.422554966411305, -4.804812096770519},
                           {-5.151936363921507, -1.205329624714145, -8.237451144073527},
                           {-5.97668621234632, -6.12407719054989, -2.69776916131823},
                           {2.51608792812760, -0.90330932230678, -9.69307257255384}};
  for (const char* stabilise : {"project", "partition", "partition(1e-12)"}) {
    CAPTURE(std::string(stabilise));
    const Run r =
        run(triple_pendulum(std::string("time = 0 [s] .. 5 [s] step 0.5 [s]; integrator = dopri5(rtol = 1e-12, atol = "
                                        "1e-13); stabilise = ") +
                            stabilise));
    REQUIRE(r.result.status == Status::complete);
    for (std::size_t k = 0; k < 5; ++k) {
      const auto row = static_cast<std::size_t>(std::lround(times[k] / 0.5));
      const char* names[] = {"tip.pos.x", "tip.pos.y", "tip.pos.z"};
      for (std::size_t c = 0; c < 3; ++c) CHECK(std::fabs(r.at(row, names[c]) - tip[k][c]) < 2e-11);
    }
  }
}

TEST_CASE("partition leaves the independent coordinates to the integration") {
  // The pendulum starts horizontal, so that x is dependent there. After the first step y and y' equal those without
  // stabilisation bit by bit, while x and x' are solved.
  const std::string text =
      "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(2) at (1, 0) moving (0, -1)\n"
      "constraint rod: dist(p, ground) == 1\n";
  for (const char* integrator : {"rk4", "ab4", "dopri5(fixed)"}) {
    CAPTURE(std::string(integrator));
    const auto with = [&](const char* stabilise) {
      return run_both(text + "simulate { time = 0 .. 0.05 step 0.05; integrator = " + integrator +
                      "; stabilise = " + stabilise + " }\n");
    };
    const Run solved = with("partition"), plain = with("none");
    CHECK(solved.last("p.y") == plain.last("p.y"));
    CHECK(solved.last("p.vy") == plain.last("p.vy"));
    CHECK(solved.last("p.x") != plain.last("p.x"));
    CHECK(std::fabs(std::hypot(solved.last("p.x"), solved.last("p.y")) - 1) < 1e-13);
  }
}

TEST_CASE("partition works on lengths, knife edges, rows left out, and prescribed motion") {
  const std::string head = "mbd 1\nspace 2\ngravity (0, -9.81)\n";
  const std::string models[] = {
      // The rows are redundant and in another order of the levels: the velocity-level row is certified, and the length
      // is not.
      head +
          "particle p(1) at (1, 0) moving (0, 2)\nconstraint v: p.x*p.vx + p.y*p.vy == 0\n"
          "constraint rod: dist(p, ground) == 1\n",
      head +
          "particle p(1) at (1, 0) moving (0, 2)\nconstraint a: dist(p, ground) == 1\n"
          "constraint b: 3*dist(p, ground)^2 == 3\n",
      head + "particle p(1) at (1, 0) moving (0, 2)\nconstraint crank: p.x*sin(2*t) - p.y*cos(2*t) == 0\n",
      head +
          "particle p(1) at (1, 0) moving (1, 0)\nparticle q(2) at (1, 1) moving (1, 0)\n"
          "constraint blade: q.vx*(q.y - p.y) - q.vy*(q.x - p.x) == p.vx*(q.y - p.y) - p.vy*(q.x - p.x)\n"
          "constraint rod: dist(p, q) == 1\n",
  };
  for (const std::string& model : models)
    for (const char* integrator : {"rk4", "ab4", "dopri5", "auto"}) {
      CAPTURE(model);
      CAPTURE(std::string(integrator));
      const auto with = [&](const char* stabilise) {
        return run_both(model + "simulate { time = 0 .. 1 step 0.002; integrator = " + integrator +
                        "; stabilise = " + stabilise + " }\n");
      };
      const Run solved = with("partition(1e-12)"), projected = with("project");
      REQUIRE(solved.result.status == Status::complete);
      CHECK(*solved.result.violation.position < 1e-12);
      CHECK(*solved.result.violation.velocity < 1e-12);
      for (const char* name : {"p.x", "p.y", "p.vx", "p.vy"}) CHECK(largest_difference(solved, projected, name) < 1e-5);
    }
}

TEST_CASE("partition turns bodies, and keeps their quaternions at length 1") {
  const std::string text =
      "mbd 1\ngravity (0, 0, -9.81)\nbody top(mass = 1, inertia = diag(0.01, 0.02, 0.03)) at (0.3, 0, 0) spinning (30, "
      "0, "
      "0)\npoint foot on top at (-0.3, 0, 0)\nconstraint joint: foot.pos == ground.pos\noutput energy.total\n";
  for (const char* integrator : {"rk4", "ab4", "dopri5", "auto"}) {
    CAPTURE(std::string(integrator));
    const auto with = [&](const char* stabilise) {
      return run_both(text + "simulate { time = 0 .. 1 step 0.0005; integrator = " + integrator +
                      "; stabilise = " + stabilise + " }\n");
    };
    const Run solved = with("partition(1e-12)"), projected = with("project");
    REQUIRE(solved.result.status == Status::complete);
    CHECK(*solved.result.violation.position < 1e-12);
    CHECK(*solved.result.violation.velocity < 1e-12);
    for (std::size_t row = 0; row < solved.rows(); ++row) {
      double p2 = 0;
      for (const char* name : {"top.p0", "top.p1", "top.p2", "top.p3"}) p2 += std::pow(solved.at(row, name), 2);
      CHECK(std::fabs(p2 - 1) < 1e-14);
    }
    CHECK(largest_difference(solved, projected, "top.z") < 1e-4);
    CHECK(solved.result.balance_error < 1e-3);
  }
}

TEST_CASE("baumgarte: a small violation of the initial state decays as it should") {
  // The row is linear: h'' + 2 alpha h' + beta^2 h = 0 holds exactly for h = p.y. The accepted violation of an initial
  // state is 1e-9 of the size, which loads and speed determine as 1/3.
  const double h0 = 3e-10;
  struct Case {
    double alpha, beta;
  };
  for (const Case c : {Case{5, 5}, Case{3, 5}, Case{6, 4}}) {
    CAPTURE(c.alpha);
    CAPTURE(c.beta);
    const Run r = run_both(
        "mbd 1\nspace 2\nparticle p(1) at (0, 3e-10) moving (1, 0)\nforce f on p: (0, -3)\n"
        "constraint line: p.y == 0\nsimulate { time = 0 .. 2 step 0.01; integrator = rk4; stabilise = baumgarte(alpha "
        "= " +
        number(c.alpha) + ", beta = " + number(c.beta) + ") }\n");
    REQUIRE(r.result.status == Status::complete);
    for (std::size_t row = 0; row < r.rows(); ++row) {
      const double t = r.time[row], d2 = c.beta * c.beta - c.alpha * c.alpha, d = std::sqrt(std::fabs(d2));
      const double wave = d2 > 0   ? std::cos(d * t) + c.alpha / d * std::sin(d * t)
                          : d2 < 0 ? std::cosh(d * t) + c.alpha / d * std::sinh(d * t)
                                   : 1 + c.alpha * t;
      CHECK(std::fabs(r.at(row, "p.y") - h0 * std::exp(-c.alpha * t) * wave) < 1e-5 * h0);
    }
  }
  // At velocity level e' = -alpha e.
  const Run r = run_both(
      "mbd 1\nspace 2\nparticle p(1) at (0, 0) moving (1, 3e-10)\n"
      "constraint blade: p.vy == 0\nsimulate { time = 0 .. 1 step 0.01; stabilise = baumgarte(alpha = 4) "
      "}\n");
  for (std::size_t row = 0; row < r.rows(); ++row)
    CHECK(std::fabs(r.at(row, "p.vy") - h0 * std::exp(-4 * r.time[row])) < 1e-5 * h0);
}

TEST_CASE("baumgarte keeps drift bounded, with rows left out too, and reports it") {
  const std::vector<std::string> longer{"time.end = 20", "time.step = 0.005"};
  const auto with = [&](const char* stabilise) {
    std::vector<std::string> set = longer;
    set.push_back(std::string("stabilise = ") + stabilise);
    return run_both(example("double_pendulum_redundant"), set);
  };
  const Run held = with("baumgarte(alpha = 20, beta = 20)"), drifting = with("none");
  REQUIRE(held.result.status == Status::complete);
  CHECK(held.result.stabilise == "baumgarte(alpha = 20, beta = 20)");
  CHECK(held.result.dependent_rows.size() == 2);
  REQUIRE(held.result.violation.position);
  CHECK(*held.result.violation.position < 1e-5);
  CHECK(*held.constraint("again").position < 1e-5);
  if (drifting.result.status == Status::complete)
    CHECK(*drifting.result.violation.position > 10 * *held.result.violation.position);
  // The row requires A u' = b - 2 alpha e' - beta^2 e, and the reported residual is that of A u' = b.
  CHECK(*held.constraint("upper").acceleration < 400 * 1e-5 + 40 * 1e-4);
  CHECK(*held.constraint("upper").acceleration > 1e-7);
}

TEST_CASE("the gains of baumgarte are data, and other blocks of the file do not see them") {
  const std::string model =
      "mbd 1\nspace 2\nparam alpha = 5\ngravity (0, -9.81)\nparticle p(2) at (0, -1) moving (4, 0)\n"
      "constraint rod: dist(p, ground) == 1\n";
  const std::string free = "simulate free { time = 0 .. 1 step 0.01; stabilise = none; integrator = rk4 }\n";
  const std::string held =
      "simulate held { time = 0 .. 1 step 0.01; stabilise = baumgarte(alpha = alpha, beta = 2*alpha); integrator = rk4 "
      "}\n";
  Simulation both = compile_text(model + held + free, Engine::native),
             alone = compile_text(model + free, Engine::native);
  RunOptions first, second;
  first.simulation = "held";
  second.simulation = "free";
  const Run a = run(both, first), b = run(both, second), c = run(both, first), d = run(alone, second);
  CHECK(a.values == c.values);
  CHECK(b.values == d.values);
  CHECK(a.values != b.values);
  CHECK(a.result.stabilise == "baumgarte(alpha = 5, beta = 10)");
  // The code is the same for all gains: one compilation of rhs for each of the two kinds of block.
  const auto compilations = [](const Simulation& p) {
    std::size_t count = 0;
    for (const StageTime& t : p.model().stage_times()) count += t.name == "emit LLVM IR (rhs)";
    return count;
  };
  // These are held and free; the second held block uses the code of the first.
  if (have_native()) CHECK(compilations(both) == 2);
  Simulation other = compile_text(model + held, Engine::native, {"alpha = 7"});
  const Run e = run(other);
  CHECK(e.result.stabilise == "baumgarte(alpha = 7, beta = 14)");
  CHECK(e.values != a.values);
}

TEST_CASE("a long chain, computed in lanes: both engines, every integrator; the same motion as by loops") {
  const std::string chain = R"(mbd 1
gravity (0, 0, -9.81)
particle p[i in 1..50](1) at (i, 0, 0)
constraint first: dist(ground, p[1]) == 1
constraint rod[i in 2..50]: dist(p[i-1], p[i]) == 1
)";
  // A rod that is written twice leaves out a row and therefore excludes lanes.
  const std::string again = chain + "constraint twice: dist(p[7], p[8])^2 == 1\n";
  for (const char* method : {"rk4", "ab4", "dopri5(rtol = 1e-9, atol = 1e-11)"}) {
    CAPTURE(std::string(method));
    const std::string run_text =
        std::string("simulate { time = 0 .. 0.05 step 0.0005; integrator = ") + method + " }\n";
    const Run lanes = run_both(chain + run_text), loops = run_both(again + run_text);
    REQUIRE(lanes.result.status == Status::complete);
    REQUIRE(loops.result.status == Status::complete);
    CHECK(loops.result.rank == 50);
    for (const char* column : {"p[50].x", "p[50].z", "p[25].vz", "p[1].vx"})
      CHECK(lanes.last(column) == doctest::Approx(loops.last(column)).epsilon(1e-8));
    for (const ConstraintReport& c : lanes.result.constraints) CHECK(c.position < 1e-12);
  }
}
