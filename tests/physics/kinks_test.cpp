// SPDX-License-Identifier: Apache-2.0
// Tests piecewise functions in the equations, whose modes stay constant inside steps (`kinks = locate`): closed forms,
// order, the same bits from both engines, from saved bytes and in sweeps, and motions that slide along a jump.
#include <doctest/doctest.h>

#include <cmath>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string pushed(const std::string& force, const std::string& settings, double end = 10) {
  return "mbd 1\nspace 1\nparam k = 1\nparticle p(1) at 1 moving 0\nforce f on p: " + force +
         "\nsimulate { time = 0 .. " + number(end) + " step 0.1" + settings + " }\n";
}

// x'' = -sign(x) from rest at 1 gives parabolas with the period 4 sqrt(2).
double between_walls(double t) {
  const double quarter = std::sqrt(2.0);
  const double s = std::fmod(t, 4 * quarter);
  if (s <= quarter) return 1 - 0.5 * s * s;
  if (s <= 3 * quarter) return -(1 - 0.5 * (s - 2 * quarter) * (s - 2 * quarter));
  return 1 - 0.5 * (s - 4 * quarter) * (s - 4 * quarter);
}

// x'' = -x - sign(x) gives cosines about -1 and 1, x + side = r cos(angle), from rest at 1.
double two_springs(double t) {
  double x = 1, v = 0, at = 0;
  for (double side = 1;; side = -side) {
    const double y = x + side, r = std::hypot(y, v), angle = std::atan2(-v, y);
    double s = (side > 0 ? std::acos(1 / r) : -std::acos(-1 / r)) - angle;  // time until x is zero, moving outwards
    while (s <= 1e-9) s += 2 * std::acos(-1.0);
    const double until = std::min(s, t - at);
    x = r * std::cos(angle + until) - side;
    v = -r * std::sin(angle + until);
    at += until;
    if (until < s) return x;
    x = 0;
  }
}

}  // namespace

TEST_CASE("a force that jumps with the position: parabolas, by every method") {
  for (const char* method :
       {"auto", "dop853(rtol = 1e-10, atol = 1e-12)", "dopri5(rtol = 1e-10, atol = 1e-12)", "rk4", "dopri5(fixed)"}) {
    CAPTURE(method);
    const Run r = run_both(pushed("-sign(p.x)", std::string("; kinks = locate; integrator = ") + method, 40));
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.kinks == 14);
    for (const std::size_t row : {50u, 141u, 400u})
      CHECK(std::fabs(r.at(row, "p.x") - between_walls(r.time[row])) < 1e-11);
  }
  const Run stiff = run(pushed("-sign(p.x)", "; integrator = bdf(rtol = 1e-9, atol = 1e-10)", 40));
  CHECK(stiff.result.kinks == 14);
  CHECK(std::fabs(stiff.last("p.x") - between_walls(40)) < 1e-5);
}

TEST_CASE("one force written in six ways moves the same") {
  const std::vector<std::string> ways = {
      "-(p.x + abs(p.x))/2*3",          "-3*max(p.x, 0)",          "3*min(-p.x, 0)", "if p.x > 0 then -3*p.x else 0",
      "if p.x <= 0 then 0 else -3*p.x", "-3*p.x*(sign(p.x) + 1)/2"};
  const double w = std::sqrt(3.0), quarter = std::acos(-1.0) / 2 / w;  // The motion then continues with the speed -w.
  for (const std::string& way : ways) {
    CAPTURE(way);
    const Run r = run_both(pushed(way, "", 2));
    REQUIRE(r.result.status == Status::complete);
    CHECK(r.result.kinks == 1);
    CHECK(std::fabs(r.last("p.x") + w * (2 - quarter)) < 1e-9);
  }
}

TEST_CASE("steps keep the order of their method across jumps") {
  struct Case {
    const char* method;
    double order, step;  // step from which on the order is visible
  };
  for (const auto& [method, order, step] : {Case{"rk4", 4, 0.025}, Case{"dopri5(fixed)", 5, 0.1}}) {
    CAPTURE(method);
    const auto error = [method = method](double h) {
      const Run r =
          run("mbd 1\nspace 1\nparticle p(1) at 1 moving 0\nforce f on p: -p.x - sign(p.x)\nsimulate { time = 0 .. 40 "
              "step " +
              number(h) + "; kinks = locate; integrator = " + method + " }\n");
      CHECK(r.result.kinks >= 10);
      double most = 0;
      for (std::size_t k = 0; k < r.rows(); k += r.rows() / 200)
        most = std::max(most, std::fabs(r.at(k, "p.x") - two_springs(r.time[k])));
      return most;
    };
    const double coarse = error(step), fine = error(step / 4);
    CAPTURE(coarse);
    CAPTURE(fine);
    CHECK(std::log(coarse / fine) / std::log(4.0) > order - 0.3);
  }
}

TEST_CASE("a force that is short against a step is met") {
  const std::string text = replaced(pushed("if p.x > 5 and p.x < 5.01 then 1 else 0", "", 40), "moving 0", "moving 1");
  const Run r = run_both(text);
  CHECK(r.result.kinks == 2);
  CHECK(std::fabs(r.last("p.vx") - std::sqrt(1.02)) < 1e-12);
}

TEST_CASE("a square wave in time, and a row at its edge is the one behind it") {
  const Run r = run_both(pushed("if floor(t) - 2*floor(t/2) < 0.5 then 1 else -1", "", 4));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x") - 3) < 1e-12);  // It rises by 1 in each period, from rest to rest.
  CHECK(r.at(5, "p.ax") == 1);
  CHECK(r.at(10, "p.ax") == -1);
  CHECK(r.at(20, "p.ax") == 1);
  CHECK(r.at(30, "p.ax") == -1);
}

TEST_CASE("a force by points bends at them: closed forms, located in the place and known in the time") {
  for (const char* method : {"auto", "dop853(rtol = 1e-11, atol = 1e-12)", "dopri5(rtol = 1e-11, atol = 1e-12)"}) {
    CAPTURE(method);
    // The motion is free until 0.5. A spring of 3 acts from there on: half an oscillation, and back.
    const std::string spring = "-table(p.x, (-9, 0.5, 9), (0, 0, 25.5))";
    const Run there = run_both(
        replaced(pushed(spring, std::string("; integrator = ") + method, 3), "at 1 moving 0", "at 0 moving 1"));
    REQUIRE(there.result.status == Status::complete);
    CHECK(there.result.kinks == 2);
    const double half = std::acos(-1.0) / std::sqrt(3.0);
    CHECK(std::fabs(there.last("p.x") - (0.5 - (3 - 0.5 - half))) < 1e-9);
    CHECK(std::fabs(there.last("p.vx") + 1) < 1e-9);
    // The force rises to 2 and falls to 0; the reference integrates it twice.
    const Run signal = run_both(
        pushed("table(t, (0, 0.7, 1.9), (0, 2, 0), beyond = hold)", std::string("; integrator = ") + method, 3));
    REQUIRE(signal.result.status == Status::complete);
    CHECK(signal.result.kinks == 2);
    CHECK(std::fabs(signal.last("p.vx") - 1.9) < 1e-12);
    // The force acts as if concentrated at the centre of its area, (0.7 + 1.9)/3.
    CHECK(std::fabs(signal.last("p.x") - (1 + 1.9 * (3 - 2.6 / 3))) < 1e-12);
  }
}

TEST_CASE("a table that ends says so at its end, located or not") {
  for (const char* kinks : {"locate", "ignore"}) {
    CAPTURE(kinks);
    const std::string settings = std::string("; kinks = ") + kinks;
    const Run r =
        run_both(replaced(pushed("table(p.x, (0, 0.2, 1.5), (0, 1, 1))", settings, 3), "moving 0", "moving 1"));
    CHECK(r.result.status == Status::stopped);
    CHECK(r.code() == "E0688");
    CHECK(r.last("p.x") < 1.5);
    const Run whole = run_both(pushed("table(t, (0, 0.2, 3), (0, 1, 1))", settings, 3));
    CHECK(whole.result.status == Status::complete);
  }
}

TEST_CASE("the slope of a table jumps at its points, and is located") {
  // T = -1 below 0 and 1 above: a bead on a roof of two slopes.
  const Run r = run_both(R"(mbd 1
space 1
particle p(1) at 1 moving 0
def roof(x) = table(x, (-9, 0, 9), (9, 0, 9))
potential V: roof(p.x)
simulate { time = 0 .. 40 step 0.1 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.kinks == 14);
  CHECK(std::fabs(r.last("p.x") - between_walls(40)) < 1e-10);
  CHECK(r.result.balance_error < 1e-10);
}

TEST_CASE("cubic tables are located where their second derivative jumps") {
  const std::string text =
      pushed("-table(p.x, (-2, -1, -0.2, 0.4, 1.1, 2), (-3, -1.2, -0.1, 0.5, 0.9, 3), method = cubic)",
             "; integrator = dop853(fixed); kinks = KINKS", 40);
  const auto error = [&](const char* kinks, double step) {
    const Run exact = run(replaced(replaced(text, "KINKS", "locate"), "step 0.1", "step 0.005"));
    const Run r = run(replaced(replaced(text, "KINKS", kinks), "step 0.1", "step " + number(step)));
    return std::fabs(r.last("p.x") - exact.last("p.x"));
  };
  CHECK(error("locate", 0.1) < 1e-12);
  CHECK(error("ignore", 0.1) > 1e-8);
}

TEST_CASE("kinks in constraints and kinetic energies are located") {
  // A bead moves on a track of two parabolas, y = x |x|/2, without gravity. Its speed is constant on any track.
  const std::string track = R"(mbd 1
space 2
particle p(1) at (-1, -0.5) moving (1, 1)
constraint guide: p.y == p.x*abs(p.x)/2
output v = norm(p.vel)
simulate { time = 0 .. 2 step 0.1; integrator = dop853(fixed); kinks = KINKS }
)";
  const Run held = run_both(replaced(track, "KINKS", "locate")), across = run_both(replaced(track, "KINKS", "ignore"));
  REQUIRE(held.result.status == Status::complete);
  CHECK(held.result.kinks == 1);
  // Returns the length of y = x^2/2 from 0 to x.
  const auto length = [](double x) { return 0.5 * (x * std::sqrt(1 + x * x) + std::asinh(x)); };
  const double v = std::sqrt(2.0);
  CHECK(std::fabs(length(held.last("p.x")) - (2 * v - length(1))) < 1e-10);
  CHECK(std::fabs(length(across.last("p.x")) - (2 * v - length(1))) > 1e-7);
  CHECK(std::fabs(held.last("v") - v) < 1e-11);
  // An inertia grows with the square beyond 1, so that q' sqrt(1 + max(q - 1, 0)^2) is constant.
  const Run wheel = run_both(R"(mbd 1
coord q = 0 rate 1
kinetic T: (1 + max(q - 1, 0)^2)*q'^2/2
simulate { time = 0 .. 3 step 0.1; integrator = dop853(fixed); kinks = locate }
)");
  REQUIRE(wheel.result.status == Status::complete);
  CHECK(wheel.result.kinks == 1);
  CHECK(std::fabs(length(wheel.last("q") - 1) - 2) < 1e-10);
}

TEST_CASE("a corner of a constraint is no motion, located or not") {
  for (const char* kinks : {"locate", "ignore"}) {
    CAPTURE(kinks);
    const Run r = run_both(replaced(R"(mbd 1
space 2
particle p(1) at (-1, 1) moving (1, -1)
constraint guide: p.y == abs(p.x)
simulate { time = 0 .. 2 step 0.03; integrator = rk4; kinks = KINKS }
)",
                                    "KINKS", kinks));
    CHECK(r.result.status == Status::stopped);
    CHECK(r.code() == "E0617");
  }
}

TEST_CASE("what is not defined behind the kink does not matter in front of it") {
  const Run r = run_both(pushed("if p.x > 0 then -sqrt(p.x) else sqrt(-p.x)", "", 20));
  REQUIRE(r.result.status == Status::complete);
  const Run fine = run(pushed("if p.x > 0 then -sqrt(p.x) else sqrt(-p.x)", "; integrator = rk4; kinks = ignore", 20));
  CHECK(std::fabs(r.last("p.x") - fine.last("p.x")) < 1e-2);
  // The energy is 2/3 |x|^1.5 + v^2/2.
  CHECK(std::fabs(std::pow(std::fabs(r.last("p.x")), 1.5) * 2 / 3 + r.last("p.vx") * r.last("p.vx") / 2 - 2.0 / 3) <
        1e-7);
  const Run undefined = run(pushed("if sqrt(p.x) < 0.5 then -1 else -2", ""));
  CHECK(undefined.result.status == Status::stopped);
  CHECK(undefined.code() == "E0603");
}

TEST_CASE("what slides along a jump says so where it begins") {
  // The cases are symmetric and asymmetric. v = 2 - 7 t until it is zero, where both sides lead back.
  for (const auto& [force, end] : {std::pair{"-3 - 4*sign(p.vx)", 2.0 / 7}, std::pair{"-4*sign(p.vx)", 0.5},
                                   std::pair{"if p.vx > 0 then -5 else 1", 0.4}}) {
    CAPTURE(force);
    const std::string text = replaced(pushed(force, "", 4), "moving 0", "moving 2");
    const Run r = run_both(text);
    CHECK(r.result.status == Status::stopped);
    CHECK(r.code() == "E0653");
    CHECK(std::fabs(r.result.reached - end) < 1e-9);
    CHECK(r.result.steps < 100);
  }
  // A block that is pulled further crosses the jump, because no side leads back.
  const Run through = run_both(replaced(pushed("-5 - 4*sign(p.vx)", "", 4), "moving 0", "moving 2"));
  CHECK(through.result.status == Status::complete);
  const double t = 2.0 / 9;
  CHECK(std::fabs(through.last("p.vx") + (4 - t)) < 1e-11);
}

TEST_CASE("a number that rests at its kink costs nothing and does not end the run") {
  const Run r = run_both(pushed("-(p.x - 1)*abs(p.x - 1) - 3*abs(p.vx)*p.vx", "", 100));
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.kinks == 0);
  CHECK(r.result.steps < 300);
}

TEST_CASE("kinks from saved bytes, and in a sweep, are those of one run") {
  const std::string text = pushed("-k*sign(p.x) - 0.1*abs(p.vx)*p.vx", "", 20);
  Simulation one = compile_text(text, Engine::interpreter);
  REQUIRE(one.run_until(7.3).ok());
  Simulation other = compile_text(text, Engine::interpreter);
  REQUIRE(other.restore(one.save()).ok());
  REQUIRE(one.run_until(20).ok());
  REQUIRE(other.run_until(20).ok());
  CHECK(one.state() == other.state());
  SweepOptions options;
  options.vary = {"k = 1 .. 2 count 3"};
  options.record = {"final(p.x)"};
  options.jobs = 2;
  const SweepResult swept = sweep_text(text, "kinks.mbd", options);
  REQUIRE(swept.rows.size() == 3);
  for (const std::size_t k : {0u, 1u, 2u}) {
    const Run alone = run(text, Engine::interpreter, {"k = " + number(1 + 0.5 * static_cast<double>(k))});
    REQUIRE(swept.rows[k].recorded.size() == 1);
    CHECK(swept.rows[k].recorded[0] == alone.last("p.x"));
  }
}

TEST_CASE("kinks beside events: counts are those of the statements") {
  const Run r = run_both(R"(mbd 1
space 1
state u = 0
particle p(1) at 1 moving 0
force f on p: -sign(p.x) + u
when through: p.x crossing { }
at later: 3 { u = 0.1 }
output n = through.count
simulate { time = 0 .. 20 step 0.1 }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.last("n") == static_cast<double>(r.result.kinks));
  CHECK(r.result.events == r.result.kinks + 1);
}

TEST_CASE("a motion that would slide along a jump and leave it again stops there, whatever the steps are") {
  // A PI law whose integral stands still beyond w = 1.2: from t = 0.7907 on the motion by each side leads to the other,
  // and at t = 0.82 that of one side would come back by itself, so that the end of a step shows the right side.
  for (const char* method : {"auto", "dopri5", "dop853", "taylor", "bdf"}) {
    CAPTURE(method);
    const Run r = run(std::string(R"(mbd 1
coord x = 0
kinetic T: 0.5*x'^2
let w = 2*(1 - x) - 0.1*x' + i
state i = 0 where i' = if w < 1.2 then 3*(1 - x) else 0
load L on x: min(w, 1.2) - 0.2*x'
output w
simulate { time = 0 .. 1 step 0.005; integrator = )") +
                      method + " }");
    CHECK(r.code() == "E0653");
    REQUIRE(r.result.diagnostic);
    CHECK(r.result.diagnostic->time == doctest::Approx(0.790712418).epsilon(1e-7));
  }
}
