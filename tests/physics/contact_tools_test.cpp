// SPDX-License-Identifier: Apache-2.0
// Tests the tools around contact: the doctor, `assemble` and the second run of `--accuracy global` on models with
// unilateral constraints and friction, and contacts with more contact forces than necessary.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

DoctorReport examined(const std::string& text, const std::vector<std::string>& set = {}) {
  Simulation simulation = compile_text(text, Engine::interpreter, set);
  return simulation.doctor().value();
}

const DoctorRow& row_of(const DoctorReport& report, const std::string& name) {
  const auto found =
      std::find_if(report.rows.begin(), report.rows.end(), [&](const DoctorRow& row) { return row.name == name; });
  REQUIRE(found != report.rows.end());
  return *found;
}

// The model has a block that slides on two feet until it stops, and a bob on a rod under a roof that it does not reach.
const std::string kTwoFeet = R"(mbd 1
space 2
gravity (0, -10)
param high = 3
body block(mass = 2, inertia = 0.1) at (0, 0.1) moving (1, 0)
point l on block at (-0.2, -0.1)
point r on block at (0.2, -0.1)
particle bob(1) at (1, 2)
constraint left: l.y >= 0
constraint right: r.y >= 0
constraint roof: bob.y <= high
constraint rod: norm(bob.pos - (1, 3)) == 1
friction rub_l on l.vx: 0.3*left.lambda
friction rub_r on r.vx: 0.3*right.lambda
simulate { time = 0 .. 1 step 0.01 }
)";

const std::string kOffRod = R"(mbd 1
space 2
gravity (0, -10)
param x = 0.6, y = -0.79, vy = 0, low = -0.9, e = 0
particle p(1) at (x, y) moving (0, vy)
particle block(1) at (0, 2) moving (1, 0)
constraint rod: norm(p.pos) == 1
constraint deck: p.y >= low restitution e
constraint shelf: block.y >= 2
friction rub on block.vx: 0.1*shelf.lambda
output N = deck.lambda, T = rod.lambda, n = deck.count, held = if deck.active then 1 else 0
simulate { time = 0 .. 0.05 step 0.01; integrator = auto(tol = 1e-12); assemble }
)";

// The model is a bar on three posts with its middle `high` above them.
const std::string kThreePosts = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.25, at = 0.2, push = 6, more = 0, v = 0, high = 0.2
body bar(mass = 2, inertia = 2*2^2/12) at (0, high) moving (v, 0)
point p1 on bar at (-1, -high)
point p2 on bar at (0, -high)
point p3 on bar at (1, -high)
constraint a: p1.y >= 0
constraint b: p2.y >= 0
constraint c: p3.y >= 0
friction fa on p1.vx: mu*a.lambda
friction fb on p2.vx: mu*b.lambda
friction fc on p3.vx: mu*c.lambda
force press on bar.at(at, 0): (0, -push - more*t)
output N = a.lambda + b.lambda + c.lambda, M = c.lambda - a.lambda, F = fa.lambda + fb.lambda + fc.lambda
output least = min(a.lambda, min(b.lambda, c.lambda))
simulate { time = 0 .. 0.6 step 0.01; integrator = dop853(rtol = 1e-12, atol = 1e-12) }
)";

// Returns the motion of a smooth bar that turns about its right post. A load of 100 t presses it beyond this post from
// 0.4 s on. The middle keeps its place across, so that (m cos^2 + I) a'' - m cos sin a'^2 = (F/2 - m g) cos. The
// Runge-Kutta steps end at 0.6 s.
std::array<double, 2> tipped() {
  const auto rate = [](double t, const std::array<double, 2>& y) {
    const double c = std::cos(y[0]), s = std::sin(y[0]);
    return std::array{y[1], ((50 * t - 20) * c + 2 * c * s * y[1] * y[1]) / (2 * c * c + 2.0 / 3)};
  };
  const auto moved = [](const std::array<double, 2>& y, const std::array<double, 2>& d, double by) {
    return std::array{y[0] + by * d[0], y[1] + by * d[1]};
  };
  std::array<double, 2> y{};
  for (int k = 0; k < 1000; ++k) {
    const double h = 2e-4, t = 0.4 + k * h;
    const auto a = rate(t, y), b = rate(t + h / 2, moved(y, a, h / 2)), c = rate(t + h / 2, moved(y, b, h / 2)),
               d = rate(t + h, moved(y, c, h));
    for (std::size_t i = 0; i < 2; ++i) y[i] += h / 6 * (a[i] + 2 * b[i] + 2 * c[i] + d[i]);
  }
  return y;
}

Run run_with_second(const std::string& text) {
  Simulation simulation = compile_text(text, Engine::interpreter);
  RunOptions options;
  options.global_error = true;
  return run(simulation, options);
}

std::string by_steps(double step) {
  return "simulate { time = 0 .. 1.2 step " + number(step) + "; contact = timestep }\n";
}
std::string bouncing(double step) {
  return "mbd 1\nspace 1\ngravity -10\nparticle p(1) at 1\nconstraint deck: p.x >= 0 restitution 0.8\n" +
         by_steps(step);
}
std::string stopping(double step) {
  return R"(mbd 1
space 2
gravity (-10*sin(0.3), -10*cos(0.3))
particle block(2) at (0, 0) moving (1, 0)
constraint deck: block.y >= 0
friction rub on block.vx: 0.5*deck.lambda
)" + by_steps(step);
}

// Returns the largest distance of a column from a function of time.
template <class Motion>
double farthest_from(const Run& r, const std::string& column, Motion&& motion) {
  double worst = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) worst = std::max(worst, std::fabs(r.at(k, column) - motion(r.time[k])));
  return worst;
}

}  // namespace

TEST_CASE("doctor: inequalities and frictions take no freedoms, and are neither redundant nor changing") {
  const DoctorReport d = examined(kTwoFeet);
  CHECK(d.sound());
  CHECK(d.position_rows == 4);
  CHECK(d.velocity_rows == 2);
  CHECK(d.speeds == 5);
  CHECK(d.rank == 1);
  CHECK(d.usual_rank == 1);
  CHECK(d.position_rank == 1);
  CHECK(d.freedoms == 4);
  for (const RankSample& sample : d.samples) CHECK(sample.rank == 1);
  CHECK(d.changing.empty());
  CHECK(d.undetermined.empty());
  CHECK(d.rank_changes.empty());
  for (const DoctorRow& row : d.rows) {
    CAPTURE(row.name);
    CHECK(row.independent);
    CHECK(row.multiplier_unique);
    CHECK(row.depends_on.empty());
  }
  CHECK(row_of(d, "roof").off);  // The roof is not reached.
  CHECK_FALSE(row_of(d, "rod").off);
  CHECK(row_of(d, "rod").times_dependent == 0);
  REQUIRE(d.nearest);
  CHECK(d.nearest->row == "rod");
  CHECK_FALSE(d.nearest->singular());
}

TEST_CASE("doctor: friction takes the energy of what stops, along the motion") {
  const DoctorReport d = examined(kTwoFeet);
  REQUIRE(d.motion);
  CHECK(d.motion->end == doctest::Approx(1));
  CHECK(d.work_of_loads == doctest::Approx(-1).epsilon(1e-9));  // The work is m v^2/2.
  CHECK(std::fabs(d.balance_error) < 1e-9);
  for (const ConservedQuantity& q : d.conserved) {
    CAPTURE(q.name);
    CHECK_FALSE(q.conserved);
    if (q.name == "energy") CHECK(q.change == doctest::Approx(1).epsilon(1e-9));
  }
}

TEST_CASE("doctor: an equation told twice beside contacts, one that a touching side repeats, a roof that is too low") {
  const DoctorReport again = examined(
      replaced(kTwoFeet, "friction rub_l", "constraint again: (bob.x - 1)^2 + (bob.y - 3)^2 == 1\nfriction rub_l"));
  CHECK(again.sound());
  CHECK(again.rank == 1);
  CHECK(again.freedoms == 4);
  CHECK_FALSE(row_of(again, "again").independent);
  CHECK(row_of(again, "again").depends_on == std::vector<std::string>{"rod"});
  CHECK_FALSE(row_of(again, "rod").multiplier_unique);
  CHECK(row_of(again, "left").multiplier_unique);
  // The share of rail and side in the foot's load is not determined. A limit that depends on it stops the motion, and a
  // limit that does not depend on it has no effect.
  const std::string railed = replaced(replaced(kTwoFeet, "friction rub_l", "constraint rail: l.y == 0\nfriction rub_l"),
                                      "step 0.01 }", "step 0.01; reactions = unique }");
  const DoctorReport open = examined(railed);
  CHECK_FALSE(open.sound());
  REQUIRE(open.diagnostic);
  CHECK(open.diagnostic->code == "E0697");
  const DoctorReport rail = examined(replaced(railed, "0.3*left.lambda", "3"));
  CHECK(rail.sound());
  for (const DoctorReport& d : {open, rail}) {
    CHECK(d.consistent);
    CHECK(d.rank == 2);
    CHECK(d.freedoms == 3);
    CHECK(row_of(d, "rail").independent);
  }
  const DoctorReport low = examined(kTwoFeet, {"high=1.5"});
  CHECK_FALSE(low.consistent);
  CHECK_FALSE(low.sound());
  REQUIRE(low.diagnostic);
  CHECK(low.diagnostic->code == "E0690");
  CHECK(low.conflicting.empty());
  CHECK(low.rank == 1);
}

TEST_CASE("assemble: an inequality is asked for behind the correction, not before") {
  const double y = -0.79 / std::hypot(0.6, 0.79);  // This is the nearest place on the rod.
  CHECK(run(replaced(kOffRod, "; assemble", "")).code() == "E0601");
  const Run above = run_both(kOffRod);
  REQUIRE(above.result.status == Status::complete);
  CHECK(std::fabs(above.at(0, "p.y") - y) < 1e-12);
  CHECK(above.at(0, "block.vx") == 1);  // A sliding contact is not a violated equation.
  CHECK(std::fabs(above.last("block.vx") - 0.95) < 1e-12);
  // The contact holds at the written place, and it is violated by 1e-6 at the corrected place.
  const Run below = run(kOffRod, Engine::interpreter, {"low=" + number(y + 1e-6)});
  CHECK(below.result.status == Status::inconsistent);
  CHECK(below.code() == "E0690");
  CHECK(run_both(kOffRod, {"low=" + number(y - 1e-6)}).result.status == Status::complete);
  // In the opposite case the particle is written below the deck and moved above it.
  const std::vector<std::string> lifted = {"x=0.63", "y=-0.84", "low=-0.81"};
  CHECK(run(kOffRod, Engine::interpreter, lifted).result.status == Status::complete);
}

TEST_CASE("assemble: what is put onto a deck rests there, or meets it with the speed that is left") {
  // The place is 0.99 of (0.6, -0.8), so that the rod moves it there.
  const std::vector<std::string> place = {"x=0.594", "y=-0.792", "low=-0.8"};
  const Run rests = run_both(kOffRod, place);
  REQUIRE(rests.result.status == Status::complete);
  for (std::size_t k = 0; k < rests.rows(); ++k) {
    CHECK(rests.at(k, "held") == 1);
    CHECK(std::fabs(rests.at(k, "p.y") + 0.8) < 1e-12);
    CHECK(rests.at(k, "N") == doctest::Approx(10).epsilon(1e-10));
    CHECK(std::fabs(rests.at(k, "T")) < 1e-9);
  }
  CHECK(rests.last("n") == 0);
  // The rod keeps -0.6 along (0.8, 0.6) of the velocity (0, -1), and the deck reverses half of that.
  std::vector<std::string> falls = place;
  falls.insert(falls.end(), {"vy=-1", "e=0.5"});
  const Run meets = run_both(kOffRod, falls);
  REQUIRE(meets.result.status == Status::complete);
  CHECK(std::fabs(meets.at(0, "p.vx") - 0.24) < 1e-10);
  CHECK(std::fabs(meets.at(0, "p.vy") - 0.18) < 1e-10);
  CHECK(meets.at(0, "n") == 1);
}

TEST_CASE("a bar on three posts: it rests, slides and stops as one motion, however the posts share it") {
  // The moment about the middle is M = push at + high F.
  const Run still = run_both(kThreePosts);
  REQUIRE(still.result.status == Status::complete);
  CHECK(farthest_from(still, "bar.y", [](double) { return 0.2; }) < 1e-14);
  CHECK(farthest_from(still, "bar.angle", [](double) { return 0.0; }) < 1e-14);
  CHECK(farthest_from(still, "N", [](double) { return 26.0; }) < 1e-12);
  CHECK(farthest_from(still, "M", [](double) { return 1.2; }) < 1e-12);
  for (std::size_t k = 0; k < still.rows(); ++k) CHECK(still.at(k, "least") >= 0);
  const Run slides = run_both(kThreePosts, {"v=1"});
  REQUIRE(slides.result.status == Status::complete);
  const double a = 0.25 * 26 / 2, stop = 1 / a;
  CHECK(farthest_from(slides, "bar.vx", [&](double t) { return t < stop ? 1 - a * t : 0; }) < 1e-12);
  CHECK(farthest_from(slides, "N", [](double) { return 26.0; }) < 1e-11);
  CHECK(farthest_from(slides, "M", [&](double t) { return t < stop ? 1.2 + 0.2 * 0.25 * 26 : 1.2; }) < 1e-11);
  CHECK(farthest_from(slides, "F", [&](double t) { return t < stop ? -0.25 * 26 : 0; }) < 1e-11);
  CHECK(std::fabs(slides.last("bar.x") - stop / 2) < 1e-12);
  for (std::size_t k = 0; k < slides.rows(); ++k) CHECK(slides.at(k, "least") >= 0);
  const Run steps =
      run_both(replaced(kThreePosts, "integrator = dop853(rtol = 1e-12, atol = 1e-12)", "contact = timestep"));
  REQUIRE(steps.result.status == Status::complete);
  CHECK(std::fabs(steps.last("N") - 26) < 1e-10);
  CHECK(std::fabs(steps.last("M") - 1.2) < 1e-10);
  CHECK(std::fabs(steps.last("bar.y") - 0.2) < 1e-12);
}

TEST_CASE("a bar on three posts is turned over the last of them by a load beyond it") {
  const Run r = run_both(kThreePosts, {"at=1.5", "push=0", "more=100", "mu=0", "high=0"});
  REQUIRE(r.result.status == Status::complete);
  const std::array<double, 2> y = tipped();
  CHECK(std::fabs(r.last("bar.angle") + y[0]) < 1e-11);
  CHECK(std::fabs(r.last("bar.omega") + y[1]) < 1e-10);
  CHECK(std::fabs(r.last("bar.y") - std::sin(y[0])) < 1e-11);
  for (std::size_t k = 0; k < 40; ++k) {
    CHECK(std::fabs(r.at(k, "bar.angle")) < 1e-10);
    CHECK(r.at(k, "N") == doctest::Approx(20 + 100 * r.time[k]).epsilon(1e-9));
    CHECK(std::fabs(r.at(k, "M") - 150 * r.time[k]) < 1e-9);
  }
}

TEST_CASE("of equations that share a load the reactions are named as not unique, also beside what touches") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
body bar(mass = 2, inertia = 2*2^2/12) at (0, 0)
constraint a: bar.at(-1, 0).pos.y == 0
constraint b: bar.at(0, 0).pos.y == 0
constraint c: bar.at(1, 0).pos.y == 0
particle p(1) at (0, -3)
constraint deck: p.y >= -3
output a.lambda, b.lambda, c.lambda, deck.lambda, N = a.lambda + b.lambda + c.lambda
simulate { time = 0 .. 1 step 0.1 }
)");
  std::vector<std::string> open = r.result.reactions_not_unique;
  std::sort(open.begin(), open.end());
  CHECK(open == std::vector<std::string>{"a.lambda", "b.lambda", "c.lambda"});
  CHECK(r.last("N") == doctest::Approx(20).epsilon(1e-12));
  CHECK(r.last("deck.lambda") == doctest::Approx(10).epsilon(1e-12));
}

TEST_CASE("time steps: the second run tells the error of a ball that bounces, and of a block that stops") {
  const auto ball = [](double t) {  // v = sqrt 20 at the first impact, and 0.8 of it after each.
    double v = std::sqrt(20.0), fall = v / 10;
    if (t < fall) return 1 - 5 * t * t;
    for (t -= fall, v *= 0.8; t > v / 5; v *= 0.8) t -= v / 5;
    return v * t - 5 * t * t;
  };
  const double slows = 10 * (std::sin(0.3) + 0.5 * std::cos(0.3)), stop = 1 / slows;
  const auto block = [&](double t) { return t < stop ? t - slows * t * t / 2 : stop / 2; };
  // An error of order 1 leaves about half of itself to the second run, depending on the positions of impacts in their
  // steps.
  const auto near = [](const GlobalError& found, const std::string& name, double error) {
    CHECK_FALSE(found.diagnostic);
    CHECK(found.name == name);
    CHECK(found.absolute > error / 3);
    CHECK(found.absolute < 3 * error);
  };
  for (const double step : {0.01, 0.004, 0.001, 0.0003, 0.0001}) {
    CAPTURE(step);
    const Run bounces = run_with_second(bouncing(step));
    REQUIRE(bounces.result.global_error);
    near(*bounces.result.global_error, "p.x", farthest_from(bounces, "p.x", ball));
    const Run slides = run_with_second(stopping(step));
    REQUIRE(slides.result.global_error);
    near(*slides.result.global_error, "block.x", farthest_from(slides, "block.x", block));
  }
  CHECK(run_with_second(bouncing(0.001)).result.global_error->against == "steps of 0.0005");
}
