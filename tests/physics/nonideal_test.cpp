// SPDX-License-Identifier: Apache-2.0
// Tests non-ideal constraints: dry friction on wires, floors and in bearings is compared with closed forms and with a
// solution in the minimal coordinate, under every formulation that supports them. The prescribed part, the ideal and
// the true reaction, and work are tested separately.
#include <array>
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kGravity = 9.81, kFriction = 0.2, kCurve = 0.8, kSlow = 0.05;

const char* const kFormulations[] = {"udwadia_kalaba", "augmented", "projection", "lagrange",
                                     "maggi",          "kane",      "volterra"};

// Returns a bead on the wire y = a x^2/2 in the plane.
std::string bead(const std::string& formulation, double y_of_start, double vy_of_start) {
  return "mbd 1\nspace 2\ngravity (0, -9.81)\nparticle p(1.7) at (1, " + number(y_of_start) + ") moving (-0.5, " +
         number(vy_of_start) + ")\nlet v2 = dot(p.vel, p.vel)\nconstraint wire: p.y == " + number(kCurve / 2) +
         "*p.x^2 nonideal { force rub on p: " + number(-kFriction) + "*norm(wire.ideal)*p.vel/sqrt(v2 + " +
         number(kSlow * kSlow) +
         ") }\noutput N = norm(wire.ideal), R = norm(wire.reaction)\nsimulate { time = 0 .. 2 step 0.0005; formulation "
         "= " +
         formulation + " }\n";
}

// Returns the rates of x and of the speed along the wire, with y' = a x x': x' = w cos(th), w' = -g sin(th) - mu n
// w/sqrt(w^2 + slow^2), where tan(th) = a x, n = |g cos(th) + k w^2| and k = a/(1 + a^2 x^2)^(3/2) is the curvature.
std::array<double, 2> along_wire(const std::array<double, 2>& s) {
  const double slope = kCurve * s[0], root = std::sqrt(1 + slope * slope), w = s[1];
  const double normal = std::fabs(kGravity / root + kCurve / (root * root * root) * w * w);
  return {w / root, -kGravity * slope / root - kFriction * normal * w / std::sqrt(w * w + kSlow * kSlow)};
}

std::array<double, 2> integrated(std::array<double, 2> s, double time, int steps) {
  const double h = time / steps;
  const auto moved = [](const std::array<double, 2>& a, const std::array<double, 2>& d, double by) {
    return std::array<double, 2>{a[0] + by * d[0], a[1] + by * d[1]};
  };
  for (int k = 0; k < steps; ++k) {
    const auto k1 = along_wire(s), k2 = along_wire(moved(s, k1, h / 2)), k3 = along_wire(moved(s, k2, h / 2)),
               k4 = along_wire(moved(s, k3, h));
    for (std::size_t i = 0; i < 2; ++i) s[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return s;
}

}  // namespace

TEST_CASE("a bead on a wire with sliding friction moves as in its minimal coordinate") {
  const double slope = kCurve, w0 = -0.5 * std::sqrt(1 + slope * slope);
  for (const double time : {0.5, 2.0}) {
    const auto coarse = integrated({1, w0}, time, 20000), fine = integrated({1, w0}, time, 40000);
    CHECK(std::fabs(coarse[0] - fine[0]) < 1e-11);
    for (const char* formulation : kFormulations) {
      CAPTURE(formulation);
      const Run r = run_both(bead(formulation, kCurve / 2, -0.5 * slope));
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      const auto row = static_cast<std::size_t>(std::lround(time / 0.0005));
      CHECK(std::fabs(r.at(row, "p.x") - fine[0]) < 1e-8);
      CHECK(std::fabs(std::hypot(r.at(row, "p.vx"), r.at(row, "p.vy")) - std::fabs(fine[1])) < 1e-8);
      for (std::size_t k = 0; k < r.rows(); k += 200) {
        // Friction along the wire does not change the reaction; n follows from the curvature.
        const double s = kCurve * r.at(k, "p.x"), root = std::sqrt(1 + s * s);
        const double v2 = std::pow(r.at(k, "p.vx"), 2) + std::pow(r.at(k, "p.vy"), 2);
        const double n = 1.7 * (kGravity / root + kCurve / (root * root * root) * v2);
        CHECK(std::fabs(r.at(k, "N") - n) < 1e-9 * n);
        CHECK(std::fabs(r.at(k, "R") - n) < 1e-9 * n);
      }
      CHECK(std::fabs(r.result.balance_error) < 1e-6);
    }
  }
}

TEST_CASE("dry friction in a large model, and asked for at any state") {
  for (const char* formulation : {"udwadia_kalaba", "augmented", "projection"})
    for (const int arms : {0, 40}) {
      CAPTURE(formulation);
      CAPTURE(arms);
      const std::string text =
          "mbd 1\nparam mu = 0.3, R = 2, v0 = 1.5\nparticle bead(3) at (R, 0, 0) moving (0, v0, 0)\n"
          "constraint plane: bead.z == 0\n"
          "constraint ring: dist(bead, ground) == R nonideal { force on bead: -mu*norm(ring.ideal)*unit(bead.vel) }\n" +
          star(arms) +
          "output v = norm(bead.vel), N = norm(ring.ideal)\nsimulate { time = 0 .. 0.2 step 0.005; formulation = " +
          formulation + " }\n";
      const Run r = run_both(text);
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      for (std::size_t k = 0; k < r.rows(); k += 10) {
        const double v = 1.5 / (1 + 0.3 * 1.5 * r.time[k] / 2);
        CHECK(r.at(k, "v") == doctest::Approx(v).epsilon(1e-10));
        CHECK(r.at(k, "N") == doctest::Approx(3 * v * v / 2).epsilon(1e-10));
      }
      Simulation p = compile_text(text, Engine::interpreter);
      const auto N = p.value("ring.ideal", 0, p.initial_state()), a = p.value("bead.acc", 0, p.initial_state());
      REQUIRE(N);
      REQUIRE(a);
      CHECK(N->at(0) == doctest::Approx(-3 * 1.5 * 1.5 / 2).epsilon(1e-12));
      CHECK(a->at(1) == doctest::Approx(-0.3 * 1.5 * 1.5 / 2).epsilon(1e-12));
    }
}

// On a ring the centre also pulls with a given force K. The motion does not change, and the true reaction is reduced by
// K.
TEST_CASE("a prescribed force that the rows take is in the true reaction only") {
  for (const char* formulation : {"udwadia_kalaba", "augmented", "projection", "kane"}) {
    CAPTURE(formulation);
    const Run r =
        run_both(std::string("mbd 1\nspace 2\nparam R = 2, K = 3\nparticle p(1.5) at (R, 0) moving (0, 4)\n"
                             "constraint ring: dist(p, ground) == R nonideal { force pull on p: -K*unit(p.pos) }\n"
                             "output inward = -dot(ring.ideal, p.pos)/R, true = -dot(ring.reaction, p.pos)/R\n"
                             "simulate { time = 0 .. 1 step 0.001; integrator = rk4; formulation = ") +
                 formulation + " }\n");
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    for (std::size_t k = 0; k < r.rows(); k += 100) {
      CHECK(r.at(k, "inward") == doctest::Approx(1.5 * 16 / 2.0).epsilon(1e-9));
      CHECK(r.at(k, "true") == doctest::Approx(1.5 * 16 / 2.0 - 3).epsilon(1e-9));
    }
    CHECK(r.last("p.x") == doctest::Approx(2 * std::cos(2.0)).epsilon(1e-9));
  }
}

TEST_CASE("loads on coordinates and torques: a sliding block, a disc in a dry bearing") {
  const Run r = run_both(
      "mbd 1\nspace 2\ngravity (0, -9.81)\nparam mu = 0.3, w0 = 20\n"
      "coord x = 0 rate 4, y = 0\nparticle block(2) follows (x, y)\n"
      "constraint desk: y == 0 nonideal { load rub on x: -mu*abs(desk.ideal(y))*sign(x') }\n"
      "body disc(mass = 3, inertia = 0.5) at (1, 1) spinning w0\n"
      "constraint pin: disc.pos == (1, 1) nonideal {\n"
      "  torque dry on disc from ground: -mu*0.1*norm(pin.ideal)*sign(disc.omega)\n}\n"
      "output N = desk.ideal(y), load = norm(pin.ideal(disc)), power = energy.kinetic'\n"
      "simulate { time = 0 .. 1 step 0.001; integrator = rk4 }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  const double g = kGravity, mu = 0.3;
  for (std::size_t k = 0; k < r.rows(); k += 50) {
    const double t = r.time[k];
    CHECK(r.at(k, "N") == doctest::Approx(2 * g).epsilon(1e-12));
    CHECK(r.at(k, "load") == doctest::Approx(3 * g).epsilon(1e-12));
    CHECK(std::fabs(r.at(k, "x") - (4 * t - mu * g * t * t / 2)) < 1e-11);
    CHECK(std::fabs(r.at(k, "disc.omega") - (20 - mu * 0.1 * 3 * g / 0.5 * t)) < 1e-10);
    CHECK(r.at(k, "power") == doctest::Approx(-mu * 2 * g * r.at(k, "x'") - mu * 0.1 * 3 * g * r.at(k, "disc.omega")));
  }
}

// A wire turns with w about the vertical z. Friction follows the velocity relative to it, and the sideways force of the
// wire is part of the normal force. r'' = w^2 r - mu N/m r'/|r'| with N/m = 2 w |r'| (no gravity).
TEST_CASE("friction on a moving wire") {
  const Run r = run_both(
      "mbd 1\nspace 2\nparam w = 1.5, mu = 0.25\nparticle p(0.8) at (0.5, 0) moving (0.3, 0.75)\n"
      "let e = (cos(w*t), sin(w*t))\nlet along = dot(p.vel, e)\n"
      "constraint wire: p.x*sin(w*t) - p.y*cos(w*t) == 0 nonideal {\n"
      "  force rub on p: -mu*norm(wire.ideal)*sign(along)*e\n}\n"
      "output r = dot(p.pos, e), along, N = norm(wire.ideal)\nsimulate { time = 0 .. 1 step 0.001 }\n");
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  // r'' + 2 mu w r' - w^2 r = 0 while r' > 0.
  const double w = 1.5, mu = 0.25, root = w * std::sqrt(1 + mu * mu), a = -mu * w + root, b = -mu * w - root;
  const double A = (0.3 - b * 0.5) / (a - b), B = 0.5 - A;
  for (std::size_t k = 0; k < r.rows(); k += 50) {
    const double t = r.time[k], rate = a * A * std::exp(a * t) + b * B * std::exp(b * t);
    CHECK(std::fabs(r.at(k, "r") - (A * std::exp(a * t) + B * std::exp(b * t))) < 1e-9);
    CHECK(std::fabs(r.at(k, "along") - rate) < 1e-9);
    CHECK(std::fabs(r.at(k, "N") - 0.8 * 2 * w * rate) < 1e-9);
  }
  CHECK(std::fabs(r.result.balance_error) < 1e-8);
}
