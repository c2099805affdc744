// SPDX-License-Identifier: Apache-2.0
// Tests soft initial values: the assembled state satisfies the constraints, keeps every hard value, is on the branch
// that the soft values select, and is the nearest state there.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <csignal>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const double kPi = std::acos(-1.0);

std::size_t index_of(const Simulation& program, const std::string& name) {
  std::size_t k = 0;
  for (const auto& list : {program.model().coordinates(), program.model().speeds()})
    for (const Quantity& q : list) {
      if (q.name == name) return k;
      ++k;
    }
  FAIL("no coordinate " << name);
  return 0;
}

double initial(Simulation& program, const std::string& name) {
  return program.initial_state()[index_of(program, name)];
}

Simulation made(const std::string& text, const std::vector<std::string>& set = {}) {
  return compile_text(text, Engine::interpreter, set);
}

const char* kElbow = R"(mbd 1
param x = 1.2, y = 0.3
coord q1 = 0, q2 = 0
particle elbow(1) follows (cos(q1), sin(q1), 0)
particle hand(1) follows (cos(q1) + cos(q1 + q2), sin(q1) + sin(q1 + q2), 0)
init { q1 ~ 0; q2 ~ BEND; hand.x = x; hand.y = y }
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";

std::string elbow(const std::string& bend) { return replaced(kElbow, "BEND", bend); }

// Returns the angles that reach (x, y) with unit links, bent to the side of `sign`.
std::array<double, 2> reach(double x, double y, double sign) {
  const double bend = sign * std::acos((x * x + y * y - 2) / 2);
  return {std::atan2(y, x) - std::atan2(std::sin(bend), 1 + std::cos(bend)), bend};
}

}  // namespace

TEST_CASE("assembly: the sign of a soft angle chooses elbow up or down") {
  for (const double bend : {0.05, 0.2, 1.0, 2.0, 3.0, -0.05, -0.2, -1.0, -2.0, -3.0}) {
    Simulation p = made(elbow(number(bend)));
    const auto expected = reach(1.2, 0.3, bend > 0 ? 1 : -1);
    INFO("bend ", bend);
    CHECK(initial(p, "q1") == doctest::Approx(expected[0]).epsilon(1e-12));
    CHECK(initial(p, "q2") == doctest::Approx(expected[1]).epsilon(1e-12));
  }
}

TEST_CASE("assembly: a singular start is left, to one of the branches") {
  Simulation p = made(elbow("0"));
  const auto up = reach(1.2, 0.3, 1), down = reach(1.2, 0.3, -1);
  const double q2 = initial(p, "q2");
  CHECK((std::fabs(q2 - up[1]) < 1e-12 || std::fabs(q2 - down[1]) < 1e-12));
}

TEST_CASE("assembly: the same state from the interface, in the first row and in the session, by both engines") {
  const std::string text = elbow("0.7");
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  Simulation p = made(text);
  CHECK(r.at(0, "q1") == initial(p, "q1"));
  CHECK(r.at(0, "q2") == initial(p, "q2"));
  CHECK(p.initial(0).value().state == p.initial_state());
  REQUIRE(r.result.assembled.size() == 2);
  CHECK(r.result.assembled[1].name == "q2");
  CHECK(r.result.assembled[1].given == 0.7);
  CHECK(r.result.assembled[1].taken == r.at(0, "q2"));
  CHECK(summary_text(r.result).find("assembled: q1 0 -> ") != std::string::npos);
}

TEST_CASE("assembly: parameters move it, without compiling anew") {
  Simulation p = made(elbow("0.5"));
  REQUIRE(p.set_parameter("x", 0.9));
  CHECK(initial(p, "q2") == doctest::Approx(reach(0.9, 0.3, 1)[1]).epsilon(1e-12));
  Simulation other = made(elbow("0.5"), {"x = 0.9"});
  CHECK(other.initial_state() == p.initial_state());
}

TEST_CASE("assembly: reports in the unit that was written") {
  const Run r = run(R"(mbd 1
coord phi = 30 [deg], psi = 0 [deg]
particle a(1 [kg]) follows (1 [m])*(cos(phi), sin(phi), psi)
constraint tie: phi + psi == 100 [deg]
init { psi ~ 80 [deg] }
simulate { time = 0 [s] .. 1 [s] step 10 [ms]; integrator = rk4 }
)");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(summary_text(r.result).find("assembled: psi 80 deg -> 70 deg\n") != std::string::npos);
}

TEST_CASE("assembly: consistent soft values are not touched, hard values keep every bit") {
  const char* text = R"(mbd 1
particle a(1) at (0.6, -0.8, 0) moving (0.8, 0.6, 0)
particle b(1) at (2, 0.1, 0.3)
constraint rod: dist(a, ground) == 1
constraint link: dist(a, b) == D
init { b.pos ~ (2, 0.1, 0.3) }
simulate { time = 0 .. 1 step 0.01; integrator = rk4 }
)";
  const double D = std::hypot(1.4, 0.9, 0.3);
  Simulation p = made(replaced(replaced(text, "D\n", number(D) + "\n"), "moving (0.8, 0.6, 0)", "moving (0, 0, 0)"));
  const InitialState kept = p.initial(0).value();
  CHECK(kept.consistent);
  CHECK(kept.moved.empty());
  Simulation q = made(replaced(text, "D\n", "1.1\n"));
  const std::vector<double> y = q.initial_state();
  CHECK(y[0] == 0.6);
  CHECK(y[1] == -0.8);
  CHECK(std::hypot(y[3] - 0.6, y[4] + 0.8, y[5]) == doctest::Approx(1.1).epsilon(1e-14));
  // The particle b moved straight towards a or away from it.
  const double along = (y[3] - 0.6) / 1.4;
  CHECK(y[4] + 0.8 == doctest::Approx(along * 0.9).epsilon(1e-9));
  CHECK(y[5] == doctest::Approx(along * 0.3).epsilon(1e-9));
  const std::size_t u = q.model().coordinates().size();
  CHECK(y[u] == 0.8);
  CHECK(y[u + 1] == 0.6);
}

TEST_CASE("assembly: the heavy one moves less") {
  Simulation p = made(R"(mbd 1
space 1
particle a(1) at (0)
particle b(3) at (0)
constraint rod: b.x - a.x == 1
init { a.x ~ 0; b.x ~ 1.4; a.vx ~ 0; b.vx ~ 4 }
)");
  CHECK(initial(p, "a.x") == doctest::Approx(0.3).epsilon(1e-13));
  CHECK(initial(p, "b.x") == doctest::Approx(1.3).epsilon(1e-13));
  // This is the common velocity that keeps the momentum.
  CHECK(initial(p, "a.vx") == doctest::Approx(3).epsilon(1e-13));
  CHECK(initial(p, "b.vx") == doctest::Approx(3).epsilon(1e-13));
}

TEST_CASE("assembly: the nearest point of an ellipse, not just one near by") {
  const char* text = R"(mbd 1
space 2
particle p(2) at (0, 0)
constraint ring: p.x^2 + 4*p.y^2 == 4
init { p.pos ~ (X, Y) }
)";
  Rng rng(5);
  for (int trial = 0; trial < 40; ++trial) {
    const double x = rng.between(-4, 4), y = rng.between(-3, 3);
    Simulation p = made(replaced(replaced(text, "X", number(x)), "Y", number(y)));
    const double px = initial(p, "p.x"), py = initial(p, "p.y");
    INFO("from ", x, " ", y, " to ", px, " ", py);
    CHECK(px * px + 4 * py * py == doctest::Approx(4).epsilon(1e-13));
    // At a stationary distance, p - given is along the normal (x, 4 y).
    const double distance = std::hypot(px - x, py - y);
    CHECK(std::fabs((px - x) * 4 * py - (py - y) * px) < 1e-8 * (1 + distance) * std::hypot(px, 4 * py));
    double nearest = 1e9;
    for (int k = 0; k < 20000; ++k) {
      const double a = 2 * kPi * k / 20000;
      nearest = std::min(nearest, std::hypot(2 * std::cos(a) - x, std::sin(a) - y));
    }
    CHECK(distance < nearest + 1e-6);
  }
}

TEST_CASE("assembly: a four-bar closes on the side of its soft angles, with redundant rows") {
  const char* text = R"(mbd 1
param a = 1 [m], b = 2.5 [m], c = 2 [m], d = 3 [m]
coord phi = 30 [deg] rate 2 [rad/s], psi = 0 [deg], chi = 0 [deg]
particle P(1 [kg]) follows (a*cos(phi), a*sin(phi), 0 [m])
particle Q(1 [kg]) follows (a*cos(phi) + b*cos(psi), a*sin(phi) + b*sin(psi), 0 [m])
particle R(1 [kg]) follows (d + c*cos(chi), c*sin(chi), 0 [m])
constraint lx: Q.x == R.x
constraint ly: Q.y == R.y
constraint again: Q.pos == R.pos - (0, 0, 0) [m]
constraint both: Q.x + Q.y == R.x + R.y
init { psi ~ PSI; chi ~ CHI }
simulate { time = 0 [s] .. 1 [s] step 1 [ms]; integrator = rk4 }
)";
  // The closed form intersects the circles about P (radius b) and about D (radius c).
  const double phi = kPi / 6, px = std::cos(phi), py = std::sin(phi);
  const double dx = 3 - px, dy = -py, distance = std::hypot(dx, dy);
  const double along = (distance * distance + 2.5 * 2.5 - 4) / (2 * distance), aside = std::sqrt(6.25 - along * along);
  for (const double side : {1.0, -1.0}) {
    const double qx = px + (along * dx - side * aside * dy) / distance,
                 qy = py + (along * dy + side * aside * dx) / distance;
    std::string t = replaced(text, "PSI", side > 0 ? "60 [deg]" : "-60 [deg]");
    t = replaced(t, "CHI", side > 0 ? "80 [deg]" : "-80 [deg]");
    const Run r = run_both(t);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.at(0, "Q.x") == doctest::Approx(qx).epsilon(1e-12));
    CHECK(r.at(0, "Q.y") == doctest::Approx(qy).epsilon(1e-12));
    CHECK(r.at(0, "phi") == phi);
    CHECK(r.at(0, "phi'") == 2);
    // Two linear equations give the rates of psi and chi from the velocities of the loop.
    const double psi = r.at(0, "psi"), chi = r.at(0, "chi");
    const double s = std::sin(psi - chi);
    CHECK(r.at(0, "psi'") == doctest::Approx(2 * std::sin(chi - phi) / (2.5 * s)).epsilon(1e-10));
    CHECK(r.at(0, "chi'") == doctest::Approx(2 * std::sin(psi - phi) / (2 * s)).epsilon(1e-10));
    CHECK(r.result.rank == 2);
  }
}

TEST_CASE("assembly: velocities that are not written take the smallest kinetic energy") {
  // The particle p is on a line through the origin that turns with the given rate of phi. Its radial velocity stays
  // free and is 0.
  Simulation p = made(R"(mbd 1
space 2
coord phi = 0.3 rate 2
particle wheel(1) follows (cos(phi), sin(phi))
particle p(4) at (2*cos(0.3), 2*sin(0.3))
constraint line: p.x*sin(phi) == p.y*cos(phi)
init { p.pos ~ (2*cos(0.3), 2*sin(0.3)) }
)");
  CHECK(initial(p, "phi'") == 2);
  CHECK(initial(p, "p.vx") == doctest::Approx(-4 * std::sin(0.3)).epsilon(1e-12));
  CHECK(initial(p, "p.vy") == doctest::Approx(4 * std::cos(0.3)).epsilon(1e-12));
}

TEST_CASE("assembly: soft expressions are weighed with the mass they move") {
  // The mass-weighted distance to 2 x ~ 3 is sqrt(m) |x - 3/2|, and that to x ~ 0 is sqrt(m) |x|.
  Simulation p = made(R"(mbd 1
coord x = 0
particle a(5) follows (x, 0, 0)
init { x ~ 0; (2*x) ~ 3 }
)");
  CHECK(initial(p, "x") == doctest::Approx(0.75).epsilon(1e-9));
  Simulation q = made(R"(mbd 1
coord x = 0
particle a(5) follows (x, 0, 0)
init { x ~ 0; (2*x) = 3; (x'^2) = 4; x' ~ -1 }
)");
  CHECK(initial(q, "x") == doctest::Approx(1.5).epsilon(1e-13));
  CHECK(initial(q, "x'") == doctest::Approx(-2).epsilon(1e-12));
}

TEST_CASE("assembly: a body in space, orientation and place soft") {
  const char* text = R"(mbd 1
body door(mass = 20, inertia = diag(6, 7, 1.1)) at (0, 0, 0)
point hinge on door at (-0.4, 0, 0)
constraint place: hinge.pos == (0, 0, 0)
constraint axis1: dot(door.rot*ez, ex) == 0
constraint axis2: dot(door.rot*ez, ey) == 0
constraint across: cross(door.rot*ez, ez) == (0, 0, 0)
init { door.pos ~ (0.3, 0.3, 0.05); door.quat ~ (0.8, 0.36, 0, 0.48); door.omega = (0, 0, 1) }
simulate { time = 0 .. 0.1 step 0.001; integrator = rk4 }
)";
  const Run r = run_both(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.result.rank == 5);
  // The expected angle of the door minimises the sum of m |r - r0|^2 and of I times the squared components of twice the
  // vector part of q0* q.
  double best = 1e9, angle = 0;
  for (int k = 0; k < 2000000; ++k) {
    const double a = 2 * kPi * k / 2000000 - kPi, c = std::cos(a / 2), s = std::sin(a / 2);
    const double x = 0.4 * std::cos(a) - 0.3, y = 0.4 * std::sin(a) - 0.3;
    // The product is conj(0.8, 0.36, 0, 0.48) * (c, 0, 0, s).
    const double v1 = -0.36 * c, v2 = 0.36 * s, v3 = 0.8 * s - 0.48 * c;
    const double value = 20 * (x * x + y * y) + 4 * (6 * v1 * v1 + 7 * v2 * v2 + 1.1 * v3 * v3);
    if (value < best) {
      best = value;
      angle = a;
    }
  }
  CHECK(r.at(0, "door.x") == doctest::Approx(0.4 * std::cos(angle)).epsilon(1e-5));
  CHECK(r.at(0, "door.y") == doctest::Approx(0.4 * std::sin(angle)).epsilon(1e-5));
  CHECK(r.at(0, "door.vy") == doctest::Approx(r.at(0, "door.x")).epsilon(1e-12));  // The door turns with omega = 1.
}

TEST_CASE("assembly: chains of links to a fixed point, at random") {
  Rng rng(11);
  int moved = 0;
  for (int trial = 0; trial < 60; ++trial) {
    const int n = 3 + static_cast<int>(rng.below(3u));
    std::string text = "mbd 1\n", x = "0", y = "0", init;
    double reach_of_all = 0;
    for (int k = 1; k <= n; ++k) {
      const double length = rng.between(0.5, 1.5);
      reach_of_all += length;
      const std::string q = "q" + std::to_string(k);
      text += "coord " + q + " = 0\n";
      x += " + " + number(length) + "*cos(" + q + ")";
      y += " + " + number(length) + "*sin(" + q + ")";
      text += "particle p" + std::to_string(k) + "(" + number(rng.between(0.2, 3)) + ") follows (" + x + ", " + y +
              ", 0)\n";
      init += q + " ~ " + number(rng.between(-3, 3)) + "; ";
    }
    const double far = rng.between(0.3, 0.95) * (reach_of_all - 1.5), turn = rng.between(-3, 3);
    const std::string end = "p" + std::to_string(n);
    text += "constraint c: " + end + ".pos == (" + number(far * std::cos(turn)) + ", " + number(far * std::sin(turn)) +
            ", 0)\ninit { " + init + "}\n";
    INFO(text);
    Simulation p = made(text);
    const InitialState found = p.initial(0).value();
    REQUIRE_MESSAGE(found.consistent, found.rendered);
    moved += found.moved.empty() ? 0 : 1;
    const auto at = p.value(end + ".pos", 0, found.state);
    REQUIRE(at);
    CHECK(std::hypot((*at)[0] - far * std::cos(turn), (*at)[1] - far * std::sin(turn)) < 1e-12);
    CHECK(found.distance[0] < 2 * kPi * std::sqrt(3.0 * n) * reach_of_all);
  }
  CHECK(moved == 60);
}

TEST_CASE("assembly: what cannot be met is told, with names, and nothing is moved") {
  const char* text = R"(mbd 1
param d = 8
coord phi = 0.5 rate 2, psi = 0, chi = 0
particle q(1) follows (cos(phi) + 2.5*cos(psi), sin(phi) + 2.5*sin(psi), 0)
particle r(1) follows (d + 2*cos(chi), 2*sin(chi), 0)
constraint loop_x: q.x == r.x
constraint loop_y: q.y == r.y
init { psi ~ 0.3; chi ~ 1.4 }
simulate { time = 0 .. 1 step 0.25; integrator = rk4 }
)";
  const Run r = run_both(text);
  CHECK(r.result.status == Status::inconsistent);
  CHECK(r.code() == "E0641");
  REQUIRE(r.result.diagnostic);
  CHECK(r.result.diagnostic->message ==
        "the soft initial values cannot be moved onto the constraints: `loop_x`, `loop_y` contradict the hard value of "
        "`phi`, whatever the soft `psi`, `chi`");
  Simulation p = made(text);
  CHECK(initial(p, "psi") == 0.3);
  REQUIRE(p.set_parameter("d", 3));
  CHECK(p.initial(0).value().consistent);
  CHECK(initial(p, "psi") != 0.3);
}

TEST_CASE("assembly: `--assemble` may move hard values too, and says so") {
  const char* text = R"(mbd 1
coord phi = 0.5 rate 1, psi = 0
particle q(1) follows (cos(phi), sin(phi), psi)
constraint tie: psi == phi^2
constraint more: phi == 0.6
init { psi ~ 0.3 }
simulate { time = 0 .. 1 step 0.25; assemble; integrator = rk4 }
)";
  const Run r = run(text);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  CHECK(r.at(0, "phi") == doctest::Approx(0.6).epsilon(1e-12));
  CHECK(r.at(0, "psi") == doctest::Approx(0.36).epsilon(1e-12));
  CHECK(r.result.assembled.size() == 3);
  CHECK(run(replaced(text, "; assemble", "")).code() == "E0641");
}

// Returns a closed chain of five bars with ball joints and a fixed first end. `places` gives the start of bar i.
std::string loop_of_bars(const std::string& places) {
  return R"(mbd 1
use joints, bodies
gravity (0, 0, -9.81)
body link[i in 1..5](mass = 1, inertia = cylinder_inertia(1, 0.01, 1, axis = ex)) )" +
         places + R"(
for i in 1..4 { Spherical j[i](link[i].at(0.5, 0, 0), link[i+1].at(-0.5, 0, 0)) }
Spherical close(link[5].at(0.5, 0, 0), link[1].at(-0.5, 0, 0))
Spherical pin(ground, link[1].at(-0.5, 0, 0))
simulate { time = 0 .. 0.05 step 0.001; assemble; integrator = rk4 }
)";
}

TEST_CASE("assembly: a loop drawn stretched out in a row is closed, and one drawn roughly") {
  for (const char* places : {"at (i, 0, 0)",
                             "at (0.7*sin(2*pi*i/5), 0.1*i, -0.7*cos(2*pi*i/5)) rotated "
                             "roty(-2*pi*i/5)*rotz(0.3*i)"}) {
    const std::string text = loop_of_bars(places);
    const Run r = run_both(text);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.result.rank == 18);
    CHECK(r.result.violation.position < 1e-13);
    Simulation p = made(text);
    const InitialState once = p.initial(0, true).value(), again = p.initial(0, true).value();
    CHECK(once.state == again.state);
    const Run refused = run(replaced(text, "; assemble", ""));
    CHECK(refused.code() == "E0601");
    CHECK(refused.result.rendered.find("smallest correction") != std::string::npos);
  }
}

TEST_CASE("assembly: what cannot be closed is said after the search, with what is left and in which rows") {
  std::string text = replaced(loop_of_bars("at (i, 0, 0)"), "Spherical pin(ground, link[1].at(-0.5, 0, 0))",
                              "Spherical pin(ground, link[1].at(-0.5, 0, 0))\n"
                              "Spherical far(ground.at(3, 0, 0), link[3].at(-0.5, 0, 0))");
  const Run r = run(text);
  CHECK(r.result.status == Status::inconsistent);
  CHECK(r.code() == "E0602");
  REQUIRE(r.result.diagnostic);
  const std::vector<std::string>& notes = r.result.diagnostic->notes;
  REQUIRE(notes.size() > 2);
  CHECK(std::count(notes.begin(), notes.end(),
                   "no state near this one satisfies all constraints; the nearest one found leaves") == 1);
  CHECK(r.result.rendered.find("far.pos.x") != std::string::npos);
}

TEST_CASE("assembly: an interrupted search ends the run as interrupted") {
  for (const char* extra : {"", "init { link[1].pos ~ (1, 0, 0); link[2].pos ~ (2, 0, 0) }\n"}) {
    Simulation p = made(loop_of_bars("at (i, 0, 0)") + extra);
    const volatile std::sig_atomic_t stop = 1;
    RunOptions options;
    options.stop = &stop;
    const Run r = run(p, options);
    CHECK(r.result.status == Status::interrupted);
    CHECK(r.code() == "");
    CHECK(r.rows() == 0);
  }
}

TEST_CASE("assembly: `--assemble` keeps the conditions of `init` on expressions when it moves hard values") {
  const char* text = R"(mbd 1
coord phi = 0.5 rate 1, psi = 0
particle q(1) follows (cos(phi), sin(phi), psi)
constraint more: phi == 0.6
init { psi ~ 0.3; (psi + phi) = 2 }
simulate { time = 0 .. 1 step 0.25; assemble; integrator = rk4 }
)";
  Simulation p = made(text);
  const InitialState found = p.initial(0, true).value();
  REQUIRE_MESSAGE(found.consistent, found.rendered);
  CHECK(found.state[0] == doctest::Approx(0.6).epsilon(1e-12));
  CHECK(found.state[1] == doctest::Approx(1.4).epsilon(1e-12));
}
