// SPDX-License-Identifier: Apache-2.0
// Compares unilateral constraints with closed forms: impacts, persistent contact, and contact that ends.
#include <doctest/doctest.h>

#include <cmath>
#include <map>
#include <numbers>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct Watched {
  RunResult result;
  std::map<std::string, std::vector<double>> times;  // for each event
};

Watched watch(const std::string& text, const std::string& until = "") {
  Simulation simulation = compile_text(text, Engine::interpreter);
  Watched out;
  RunOptions options;
  options.until_event = until;
  options.on_event = [&](double t, const std::string& event) { out.times[event].push_back(t); };
  out.result = simulation.run(options);
  return out;
}

const std::string kBall = R"(mbd 1
space 1
param e = 0.8
gravity -10
particle p(1) at 1
constraint deck: p.x >= 0 restitution e
output n = deck.count, N = deck.lambda, kick = deck.impulse, held = if deck.active then 1 else 0, E = energy.total
simulate { time = 0 .. 5 step 0.01 }
)";

}  // namespace

TEST_CASE("a bouncing ball: every impact, and where they accumulate") {
  const Watched w = watch(kBall);
  REQUIRE(w.result.status == Status::complete);
  const double first = std::sqrt(0.2), speed = 10 * first;
  const std::vector<double>& times = w.times.at("deck");
  REQUIRE(times.size() > 50);
  double t = first, flight = 2 * speed / 10;
  double worst = 0;
  for (const double found : times) {
    worst = std::max(worst, std::fabs(found - t));
    flight *= 0.8;
    t += flight;
  }
  CHECK(worst < 1e-9);
  REQUIRE(w.result.accumulations.size() == 1);
  CHECK(w.result.accumulations[0].name == "deck");
  CHECK(std::fabs(w.result.accumulations[0].time - (first + 2 * speed / 10 * 0.8 / 0.2)) < 1e-9);
  const Run r = run_both(kBall);
  CHECK(r.last("p.x") == 0);
  CHECK(r.last("N") == doctest::Approx(10).epsilon(1e-14));
  CHECK(r.last("held") == 1);
  CHECK(r.at(100, "held") == 0);
  CHECK(r.last("n") == static_cast<double>(times.size()));
}

TEST_CASE("a thousand elastic impacts keep the energy") {
  const Run r = run_both(replaced(kBall, "0 .. 5 step 0.01", "0 .. 900 step 0.5"), {"e=1"});
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == std::floor((900 + std::sqrt(0.2)) / (2 * std::sqrt(0.2))));
  CHECK(std::fabs(r.last("E") - 10) < 1e-9);
  CHECK(r.result.accumulations.empty());
}

TEST_CASE("a rope goes taut, and takes the velocity along it") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0.6, 0) moving (0, 3)
constraint rope: norm(p.pos) <= 1
output kick = rope.impulse, E = energy.total
simulate { time = 0 .. 1.5 step 0.01 }
)";
  const Watched w = watch(text);
  double a = 0.5, b = 0.8;  // On the way down 0.36 + (3 t - 5 t^2)^2 = 1.
  for (int k = 0; k < 200; ++k) {
    const double t = 0.5 * (a + b), y = 3 * t - 5 * t * t;
    (0.36 + y * y < 1 ? a : b) = t;
  }
  REQUIRE(w.times.at("rope").size() == 1);
  CHECK(std::fabs(w.times.at("rope")[0] - a) < 1e-9);
  const double y = 3 * a - 5 * a * a, v = 3 - 10 * a, along = v * y;  // r = (0.6, y) with |r| = 1
  const Run r = run_both(text);
  CHECK(r.last("kick") == doctest::Approx(along).epsilon(1e-9));
  CHECK(r.last("E") == doctest::Approx(4.5 - 0.5 * along * along).epsilon(1e-8));
}

TEST_CASE("a particle leaves a sphere where its closed form says") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0, 1) moving (0.5, 0)
constraint shell: norm(p.pos) >= 1
output N = shell.lambda
simulate { time = 0 .. 2 step 0.01; integrator = auto(tol = 1e-11) }
)";
  const Watched w = watch(text, "shell.leaves");
  REQUIRE(w.result.ended_by == "shell.leaves");
  CHECK(std::fabs(w.result.state[1] - (2.0 / 3 + 0.25 / 30)) < 1e-9);  // cos = 2/3 + v^2/(3 g R)
  const Run r = run_both(text);
  CHECK(r.at(0, "N") == doctest::Approx(10 - 0.25).epsilon(1e-12));
  CHECK(r.last("N") == 0);
}

TEST_CASE("a pendulum against a stop loses 1 - e^2 of what it arrives with") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0.6, -0.8)
constraint rod: norm(p.pos) == 1
constraint wall: p.x >= 0 restitution 0.5
output n = wall.count, E = energy.total
simulate { time = 0 .. 6 step 0.01; integrator = auto(tol = 1e-11) }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  const double n = r.last("n");
  CHECK(n >= 4);
  // The bead arrives with an energy of 2 at the bottom.
  CHECK(std::fabs(r.last("E") - (-10 + 2 * std::pow(0.25, n))) < 1e-9);
}

TEST_CASE("balls in a row: simultaneous impacts where they touch, one after the other where they do not") {
  const std::string text = R"(mbd 1
space 1
param gap = 0
particle a(1) at -1 moving 1
particle b(1) at 0
particle c(1) at gap
particle d(1) at 2*gap
constraint ab: b.x - a.x >= 0 restitution 1
constraint bc: c.x - b.x >= 0 restitution 1
constraint cd: d.x - c.x >= 0 restitution 1
output E = energy.total
simulate { time = 0 .. 2 step 0.01 }
)";
  const Run together = run_both(text);  // By Newton's law the three continue as one body of mass 3.
  CHECK(std::fabs(together.last("a.vx") + 0.5) < 1e-14);
  for (const char* v : {"b.vx", "c.vx", "d.vx"}) CHECK(std::fabs(together.last(v) - 0.5) < 1e-14);
  const Run apart = run_both(text, {"gap=0.01"});
  CHECK(std::fabs(apart.last("d.vx") - 1) < 1e-14);
  for (const char* v : {"a.vx", "b.vx", "c.vx"}) CHECK(std::fabs(apart.last(v)) < 1e-14);
}

TEST_CASE("a table on four legs: the motion is unique, the pushes add up") {
  const std::string text = R"(mbd 1
gravity (0, 0, -10)
body top(mass = 2, inertia = diag(1, 1, 2)) at (0, 0, 0.5)
constraint l1: dot(top.at(1, 1, -0.5).pos, ez) >= 0
constraint l2: dot(top.at(-1, 1, -0.5).pos, ez) >= 0
constraint l3: dot(top.at(-1, -1, -0.5).pos, ez) >= 0
constraint l4: dot(top.at(1, -1, -0.5).pos, ez) >= 0
force push on top: (0, 0, 5*sin(3*t))
output N = l1.lambda + l2.lambda + l3.lambda + l4.lambda
simulate { time = 0 .. 4 step 0.01 }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  double worst = 0, moved = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    worst = std::max(worst, std::fabs(r.at(k, "N") - (20 - 5 * std::sin(3 * r.time[k]))));
    moved = std::max(moved, std::fabs(r.at(k, "top.z") - 0.5));
  }
  CHECK(worst < 1e-12);
  CHECK(moved < 1e-14);
  const Run lifted = run_both(replaced(text, "5*sin(3*t)", "30*sin(3*t)"));
  REQUIRE(lifted.result.status == Status::complete);
  CHECK(lifted.result.events > 0);
  double below = 0;
  for (std::size_t k = 0; k < lifted.rows(); ++k) below = std::min(below, lifted.at(k, "top.z") - 0.5);
  CHECK(below > -1e-12);
}

TEST_CASE("a rod that falls on one end turns by the closed form of its impact") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
param e = 0.4
body rod(mass = 2, inertia = 2/12) at (0, 1) rotated rot(30 [deg])
constraint l: rod.at(-0.5, 0).pos.y >= 0 restitution e
output kick = l.impulse, w = rod.omega, n = l.count
simulate { time = 0 .. 0.43 step 0.01; integrator = auto(tol = 1e-11) }
)");
  REQUIRE(r.result.status == Status::complete);
  REQUIRE(r.last("n") == 1);
  const double drop = 1 - 0.25, v = std::sqrt(20 * drop), arm = 0.5 * std::cos(std::numbers::pi / 6);
  const double impulse = 1.4 * v / (0.5 + arm * arm * 6);
  CHECK(r.last("kick") == doctest::Approx(impulse).epsilon(1e-10));
  CHECK(r.last("w") == doctest::Approx(-arm * impulse * 6).epsilon(1e-10));
}

TEST_CASE("a block on a plate that shakes parts where the plate falls faster") {
  const std::string text = R"(mbd 1
space 1
gravity -10
param a = 0.1, w = 20
particle p(1) at 0 moving a*w
constraint plate: p.x >= a*sin(w*t)
output N = plate.lambda
simulate { time = 0 .. 0.2 step 0.001; integrator = auto(tol = 1e-11) }
)";
  const Watched left = watch(text, "plate.leaves");
  REQUIRE(left.result.ended_by == "plate.leaves");
  CHECK(std::fabs(left.times.at("plate.leaves")[0] - std::asin(10 / (0.1 * 400)) / 20) < 1e-9);
  const double t0 = std::asin(0.25) / 20, v0 = 2 * std::cos(20 * t0);
  double a = t0 + 0.02, b = 0.2 + t0;  // The flight starts there and ends when the block meets the plate again.
  const auto gap = [&](double t) {
    return 0.1 * 0.25 + v0 * (t - t0) - 5 * (t - t0) * (t - t0) - 0.1 * std::sin(20 * t);
  };
  REQUIRE(gap(a) > 0);
  while (gap(b) > 0) b += 0.02;
  for (int k = 0; k < 200; ++k) (gap(0.5 * (a + b)) > 0 ? a : b) = 0.5 * (a + b);
  const Watched again = watch(replaced(text, "0 .. 0.2", "0 .. 2"), "plate");
  CHECK(std::fabs(again.times.at("plate")[0] - a) < 1e-8);
}

TEST_CASE("a ratchet holds one direction of turning") {
  const Run r = run_both(R"(mbd 1
space 1
coord phi = 0
kinetic T: 0.5*phi'^2
load drive on phi: cos(t)
constraint pawl: phi' >= 0
output l = pawl.lambda
simulate { time = 0 .. 6 step 0.01; integrator = auto(tol = 1e-11) }
)");
  REQUIRE(r.result.status == Status::complete);
  // phi' = sin t until pi, then 0 until the load changes sign at 3 pi/2, then 1 + sin t.
  const double pi = std::numbers::pi;
  CHECK(std::fabs(r.at(400, "phi") - 2) < 1e-9);
  CHECK(r.at(400, "l") == doctest::Approx(-std::cos(4.0)).epsilon(1e-9));
  CHECK(std::fabs(r.last("phi'") - (1 + std::sin(6.0))) < 1e-9);
  CHECK(std::fabs(r.last("phi") - (2 + (6 - 1.5 * pi) - (std::cos(6.0) - std::cos(1.5 * pi)))) < 1e-9);
}

TEST_CASE("restitutions that differ add no energy, and are lowered where they would") {
  const std::string text = R"(mbd 1
space 1
particle a(1) at 0 moving 1
particle b(1) at 0
particle c(10) at 0 moving -1
constraint ab: b.x - a.x >= 0 restitution 0
constraint bc: c.x - b.x >= 0 restitution 1
output E = energy.total
simulate { time = 0 .. 1 step 0.1 }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("E") <= 5.5 * (1 + 1e-12));
}

TEST_CASE("contact by all formulations, methods and stabilisations") {
  const std::string text = R"(mbd 1
space 2
gravity (0, -10)
body rod(mass = 1, inertia = 1/12) at (0, 1) rotated rot(0.3)
constraint l: rod.at(-0.5, 0).pos.y >= 0 restitution 0.5
constraint r: rod.at(0.5, 0).pos.y >= 0 restitution 0.5
simulate { time = 0 .. 1.5 step 0.001; integrator = dopri5(rtol = 1e-11, atol = 1e-12) }
)";
  const Run reference = run(text);
  REQUIRE(reference.result.status == Status::complete);
  CHECK(reference.result.events > 10);
  const auto close = [&](const std::string& changed, double allowed) {
    CAPTURE(changed);
    const Run r = run(changed);
    REQUIRE(r.result.status == Status::complete);
    CHECK(std::fabs(r.last("rod.angle") - reference.last("rod.angle")) < allowed);
    CHECK(std::fabs(r.last("rod.y") - reference.last("rod.y")) < allowed);
  };
  for (const char* f : {"augmented", "projection", "lagrange", "maggi", "kane", "volterra", "boltzmann_hamel"})
    close(replaced(text, "integrator =", std::string("formulation = ") + f + "; integrator ="), 1e-8);
  for (const char* s : {"none", "baumgarte", "partition"})
    close(replaced(text, "integrator =", std::string("stabilise = ") + s + "; integrator ="), 1e-7);
  for (const char* m : {"rk4", "ab4", "dop853(rtol = 1e-11, atol = 1e-12)", "auto"})
    close(replaced(text, "dopri5(rtol = 1e-11, atol = 1e-12)", m), 1e-6);
}

TEST_CASE("contact goes on bit for bit where a run was saved, and in a sweep") {
  const std::string text = replaced(kBall, "0 .. 5 step 0.01", "0 .. 4.5 step 0.05");
  Simulation whole = compile_text(text, Engine::interpreter), first = compile_text(text, Engine::interpreter),
             second = compile_text(text, Engine::interpreter);
  for (const double t : {1.3, 2.9, 4.5}) REQUIRE(whole.run_until(t));
  REQUIRE(first.run_until(1.3));
  REQUIRE(second.restore(first.save()));
  for (const double t : {2.9, 4.5}) REQUIRE(second.run_until(t));
  CHECK(whole.state() == second.state());
}
