// SPDX-License-Identifier: Apache-2.0
// Tests the angles of joints beyond half a turn: they count turns alike in all representations of bodies, wherever
// loads, events, initial values and outputs read them. Closed forms tell the motion.
#include <doctest/doctest.h>

#include <cmath>
#include <numbers>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kPi = std::numbers::pi;

// A wheel on a hinge; the second inertia is about the axis.
const std::string kWheel =
    "mbd 1\nuse joints\nbody A(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\nRevolute j(ground, A)\n";

// Runs a text in every representation, and calls check(run) for each.
template <class Check>
void in_all(const std::string& text, Check&& check) {
  for (const char* bodies : {"quaternion", "natural", "euler_parameters", "tree"}) {
    INFO(std::string(bodies));
    const Run r = run(text, Engine::interpreter, {std::string("bodies=") + bodies});
    CHECK(r.result.status == Status::complete);
    if (r.result.status == Status::complete) check(r);
  }
}

}  // namespace

TEST_CASE("a spring on the angle of a joint winds up over whole turns") {
  // 0.1 phi'' = -0.4 phi: phi = 8 cos(2 t)
  in_all(kWheel +
             "load spring on j.angle: -0.4*j.angle\ninit { j.angle = 8 }\n"
             "simulate { time = 0 .. 3 step 0.1; integrator = auto(tol = 1e-10) }\n",
         [](const Run& r) {
           for (std::size_t row = 0; row < r.rows(); ++row)
             CHECK(r.at(row, "j.angle") == doctest::Approx(8 * std::cos(2 * r.time[row])).epsilon(1e-8));
         });
}

TEST_CASE("a potential of the angle of a joint is that of all its turns") {
  // the same spring as a potential, with the energy of the release
  in_all(kWheel +
             "potential V: 0.2*j.angle^2\ninit { j.angle = 8 }\noutput energy.total\n"
             "simulate { time = 0 .. 3 step 0.1; integrator = auto(tol = 1e-10) }\n",
         [](const Run& r) {
           CHECK(r.last("j.angle") == doctest::Approx(8 * std::cos(6.0)).epsilon(1e-8));
           CHECK(r.last("energy.total") == doctest::Approx(12.8).epsilon(1e-8));
         });
}

TEST_CASE("both angles of a universal joint are led over half a turn") {
  // about a pin alone the inertia is 0.1: each angle oscillates by itself as long as the other rests
  const std::string text =
      "mbd 1\nuse joints\nbody A(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\nUniversal u(ground, A)\n"
      "load spring on u.angle_b: -0.4*u.angle_b\ninit { u.angle_a = 4; u.angle_b = 5 }\n"
      "output a = u.angle_a, b = u.angle_b\n"
      "simulate { time = 0 .. 3 step 0.1; integrator = auto(tol = 1e-10) }\n";
  in_all(text, [](const Run& r) {
    for (std::size_t row = 0; row < r.rows(); ++row) {
      CHECK(r.at(row, "a") == doctest::Approx(4).epsilon(1e-8));
      CHECK(r.at(row, "b") == doctest::Approx(5 * std::cos(2 * r.time[row])).epsilon(1e-8));
    }
  });
}

TEST_CASE("an event on the angle of a joint fires at its turn alone") {
  in_all(kWheel +
             "when start: j.angle rising { }\nwhen second: j.angle - 4*pi rising { }\n"
             "init { j.angle = -0.5; j.rate = 5 }\noutput n = start.count, m = second.count, at = second.time\n"
             "simulate { time = 0 .. 10 step 0.1 }\n",
         [](const Run& r) {
           CHECK(r.last("n") == 1);
           CHECK(r.last("m") == 1);
           CHECK(r.last("at") == doctest::Approx((4 * kPi + 0.5) / 5).epsilon(1e-8));
           CHECK(r.last("j.angle") == doctest::Approx(49.5).epsilon(1e-8));
         });
}

TEST_CASE("a value named in `init` keeps its turns, also where it is a wish") {
  for (const char* sign : {"=", "~"})
    for (const char* value : {"200 [deg]", "-1000 [deg]", "pi"})
      in_all(kWheel + "load l on j.angle: -0.1*j.angle\ninit { j.angle " + sign + " " + value +
                 "; j.rate = 1 }\noutput given = " + value + "\nsimulate { time = 0 .. 1 step 0.1 }\n",
             [](const Run& r) {
               const double given = r.at(0, "given"), phi = r.last("j.angle");
               CHECK(r.at(0, "j.angle") == doctest::Approx(given).epsilon(1e-12));
               CHECK(phi == doctest::Approx(given * std::cos(1.0) + std::sin(1.0)).epsilon(1e-7));
             });
}

TEST_CASE("half a turn that bodies are drawn at is positive, and rounding does not decide") {
  for (const char* turn : {"rotz(pi)", "rotz(-pi)", "rotz(3*pi)"})
    in_all("mbd 1\nuse joints\nbody A(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0) rotated " +
               std::string(turn) +
               "\nRevolute j(ground, A)\nload l on j.angle: -0.1*j.angle\n"
               "simulate { time = 0 .. 0.1 step 0.1 }\n",
           [](const Run& r) { CHECK(r.at(0, "j.angle") == doctest::Approx(kPi).epsilon(1e-12)); });
}

TEST_CASE("rows that lie many turns apart, and steps of several turns, keep the count") {
  // spins freely at 20 rad/s: an eighth of these rows would show the same angle
  for (const char* method : {"taylor(tol = 1e-10)", "dop853(rtol = 1e-9)", "dopri5(rtol = 1e-6)", "rk4", "gauss4"}) {
    INFO(std::string(method));
    const bool fixed = std::string(method) == "rk4" || std::string(method) == "gauss4";
    in_all(kWheel + "init { j.rate = 20 }\nsimulate { time = 0 .. 10 step " + (fixed ? "0.002" : "2.5") +
               "; integrator = " + method + " }\n",
           [](const Run& r) { CHECK(r.last("j.angle") == doctest::Approx(200).epsilon(1e-4)); });
  }
}

TEST_CASE("members of a sweep step their angles side by side as single runs do") {
  const std::string text = kWheel +
                           "param w = 3\nload spring on j.angle: -0.02*j.angle\ninit { j.rate = w }\n"
                           "simulate m { time = 0 .. 6 step 0.01; integrator = rk4 }\n"
                           "sweep s over m { w = (1, 3, 5, 7, 9, 11); record j.angle }\n";
  const SweepResult swept = sweep_text(text, "turns.mbd");
  REQUIRE(swept.rows.size() == 6);
  CHECK(swept.steps_together > 0);
  for (const SweepMember& m : swept.rows) {
    REQUIRE(m.status == Status::complete);
    const Run alone = run(text, Engine::interpreter, {"w=" + number(m.varied[0])});
    CHECK(m.recorded.at(0) == alone.last("j.angle"));
    const double k = std::sqrt(0.2);
    CHECK(m.recorded.at(0) == doctest::Approx(m.varied[0] / k * std::sin(6 * k)).epsilon(1e-7));
  }
}

TEST_CASE("the turns belong to the discrete state: a question at a state of a run gives the value of its row") {
  const std::string text = kWheel +
                           "load l on j.angle: -0.1*j.angle\ninit { j.angle = 9; j.rate = 4 }\n"
                           "simulate { time = 0 .. 2 step 0.1 }\n";
  Simulation stepped = compile_text(text, Engine::interpreter);
  REQUIRE(stepped.run_until(1.5).ok());
  const double angle = stepped.value("j.angle").value()[0], alpha = stepped.value("j.angle''").value()[0];
  CHECK(angle == doctest::Approx(9 * std::cos(1.5) + 4 * std::sin(1.5)).epsilon(1e-7));
  CHECK(alpha == doctest::Approx(-angle).epsilon(1e-9));
  Simulation other = compile_text(text, Engine::interpreter);
  REQUIRE(other.set_state(stepped.time(), stepped.state()).ok());
  REQUIRE(other.set_discrete_state(stepped.discrete_state().value()).ok());
  CHECK(other.value("j.angle").value()[0] == angle);
  CHECK(other.value("j.angle''").value()[0] == alpha);
  Simulation again = compile_text(text, Engine::interpreter);
  REQUIRE(again.restore(stepped.save()).ok());
  REQUIRE(again.run_until(2).ok());
  REQUIRE(stepped.run_until(2).ok());
  CHECK(again.value("j.angle").value()[0] == stepped.value("j.angle").value()[0]);
}

TEST_CASE("a row on the angles of two joints holds beyond half a turn") {
  in_all(
      "mbd 1\nuse joints\nbody A(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (0, 0, 0)\nRevolute j(ground, A)\n"
      "body B(mass = 1, inertia = diag(0.1, 0.1, 0.1)) at (1, 0, 0)\nRevolute k(ground.at(1, 0, 0), B)\n"
      "constraint belt: k.angle == 2*j.angle + 0.5\ninit { j.angle = 0; j.rate = 1 }\n"
      "load drive on j.angle: 0.5\nsimulate { time = 0 .. 3 step 0.1; integrator = auto(tol = 1e-10) }\n",
      [](const Run& r) {  // (0.1 + 4*0.1) phi'' = 0.5
        CHECK(r.last("j.angle") == doctest::Approx(3 + 4.5).epsilon(1e-8));
        CHECK(r.last("k.angle") == doctest::Approx(15.5).epsilon(1e-8));
      });
}
