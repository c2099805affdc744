// SPDX-License-Identifier: Apache-2.0
// Compares `contact = timestep` with closed forms and with located impacts, by both engines.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

std::string steps(double end, int count) {
  return "simulate { time = 0 .. " + number(end) + " count " + std::to_string(count) + "; contact = timestep }\n";
}

// Returns the height of a bouncing ball at a time before it comes to rest.
double bounced(double z, double g, double e, double t) {
  double speed = std::sqrt(2 * g * z), fall = speed / g;
  if (t < fall) return z - 0.5 * g * t * t;
  t -= fall;
  for (speed *= e; t > 2 * speed / g; speed *= e) t -= 2 * speed / g;
  return speed * t - 0.5 * g * t * t;
}

double bouncing_error(int count) {
  const Run r = run(R"(mbd 1
space 1
gravity -10
particle p(1) at 1
constraint deck: p.x >= 0 restitution 0.8
)" + steps(2, count));
  REQUIRE(r.result.status == Status::complete);
  double sum = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) sum += std::fabs(r.at(k, "p.x") - bounced(1, 10, 0.8, r.time[k]));
  return sum / static_cast<double>(r.rows());
}

}  // namespace

TEST_CASE("a ball that bounces: order 1") {
  // The position of impacts within their steps is random, so that the slope is that of a line through many points.
  double n = 0, x = 0, y = 0, xx = 0, xy = 0;
  for (int count = 1000; count <= 64000; count *= 2, ++n) {
    const double h = std::log(1.0 / count), error = std::log(bouncing_error(count));
    x += h, y += error, xx += h * h, xy += h * error;
  }
  const double order = (n * xy - x * y) / (n * xx - x * x);
  CHECK(order > 0.8);
  CHECK(order < 1.2);
}

TEST_CASE("a ball comes to rest, its force is its weight, the summary says what ran") {
  const Run r = run_both(R"(mbd 1
space 1
gravity -10
particle p(2) at 1
constraint deck: p.x >= 0 restitution 0.5
output push = deck.lambda, hits = deck.count
)" + steps(3, 3000));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x")) < 1e-12);
  CHECK(std::fabs(r.last("p.vx")) < 1e-12);
  CHECK(std::fabs(r.last("push") - 20) < 1e-9);
  CHECK(r.last("hits") > 5);
  CHECK(r.result.time_stepping);
  CHECK(r.result.penetration < 1e-12);
  CHECK(std::fabs(r.result.balance_error) < 1e-9);
}

TEST_CASE("a block on an incline slides, stops and stays: order 1 in when it stops") {
  const auto at_end = [](int count) {
    return run_both(R"(mbd 1
param mu = 0.5, tilt = 0.3, g = 10
space 2
gravity (-g*sin(tilt), -g*cos(tilt))
particle block(2) at (0, 0) moving (1, 0)
constraint deck: block.y >= 0
friction rub on block.vx: mu*deck.lambda
output pull = rub.lambda, push = deck.lambda
)" + steps(1, count));
  };
  const double a = 10 * (std::sin(0.3) + 0.5 * std::cos(0.3)), where = 0.5 / a;
  const Run coarse = at_end(100), fine = at_end(1600);
  REQUIRE(fine.result.status == Status::complete);
  CHECK(std::fabs(coarse.last("block.x") - where) < 1e-3);
  CHECK(std::fabs(fine.last("block.x") - where) < 1e-5);
  CHECK(std::fabs(fine.last("block.vx")) < 1e-14);
  CHECK(std::fabs(fine.last("pull") - 20 * std::sin(0.3)) < 1e-9);
  CHECK(std::fabs(fine.last("push") - 20 * std::cos(0.3)) < 1e-9);
  CHECK(std::fabs(fine.at(80, "block.vx") - (1 - a * fine.time[80])) < 1e-10);  // These are the values while it slides.
}

TEST_CASE("dry friction of a given force, a clutch, a pendulum against a stop") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
coord a = 0 rate 5
coord b = 0 rate 0
kinetic K: 0.5*a'^2 + 0.5*2*b'^2
friction plates on a' - b': 1
particle bob(1) at (1, 0)
constraint rod: bob.x^2 + bob.y^2 == 1
constraint stop: bob.x >= 0 restitution 0.5
output wa = a', wb = b'
)" + steps(5, 20000));
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("wa") - 5.0 / 3) < 1e-9);
  CHECK(std::fabs(r.last("wb") - 5.0 / 3) < 1e-9);
  CHECK(r.constraint("rod").position < 1e-12);
  CHECK(r.constraint("rod").velocity < 1e-10);
  for (std::size_t k = 0; k < r.rows(); ++k) CHECK(r.at(k, "bob.x") > -1e-11);
}

TEST_CASE("a ball slides and rolls, and an impact gives it spin: as by located impacts") {
  const auto text = [](const std::string& block) {
    return R"(mbd 1
gravity (0, 0, -10)
param J = 0.004
body b(mass = 1, inertia = diag(J, J, J)) at (0, 0, 0.3) moving (2, 1, 0) spinning (3, 0, 1)
shape ball on b: sphere(0.1)
shape soil on ground: plane(ez)
Contact c(ball, soil, restitution = 0.3, mu = 0.2)
)" + block;
  };
  const Run exact = run(text("simulate { time = 0 .. 1 step 0.1; integrator = dop853(rtol = 1e-12, atol = 1e-12) }\n"));
  const Run made = run_both(text(steps(1, 8000)));
  REQUIRE(exact.result.status == Status::complete);
  REQUIRE(made.result.status == Status::complete);
  for (const char* name : {"b.x", "b.y", "b.z", "b.vx", "b.vy", "b.omegax", "b.omegay", "b.omegaz"})
    CHECK(std::fabs(made.last(name) - exact.last(name)) < 2e-3);
}

TEST_CASE("Moreau's law adds no energy: drawn balls, smooth and rough, without other forces") {
  std::mt19937 draw(7);
  std::uniform_real_distribution<double> speed(-1, 1), part(0, 1);
  for (int k = 0; k < 40; ++k) {
    const int n = 3 + k % 5;
    std::string text = "mbd 1\n";
    for (int i = 1; i <= n; ++i) {
      const std::string at = std::to_string(0.25 * (i % 2)) + ", " + std::to_string(0.25 * (i / 2 % 2)) + ", " +
                             std::to_string(0.25 * (i / 4));
      text += "body b" + std::to_string(i) + "(mass = " + std::to_string(0.5 + part(draw)) +
              ", inertia = diag(0.004, 0.004, 0.004)) at (" + at + ") moving (" + std::to_string(speed(draw)) + ", " +
              std::to_string(speed(draw)) + ", " + std::to_string(speed(draw)) + ")\n";
      text += "shape s" + std::to_string(i) + " on b" + std::to_string(i) + ": sphere(0.1)\n";
    }
    const std::string e = number(part(draw)), mu = k % 2 ? ", mu = " + number(part(draw)) : "";
    for (int i = 1; i <= n; ++i)
      for (int j = 1; j < i; ++j)
        text += "Contact c" + std::to_string(i) + "_" + std::to_string(j) + "(s" + std::to_string(i) + ", s" +
                std::to_string(j) + ", restitution = " + e + mu + ")\n";
    text += "output E = energy.total\nsimulate { time = 0 .. 1 step 0.01; contact = timestep; impact = moreau }\n";
    CAPTURE(text);
    const Run r = run_both(text);
    REQUIRE(r.result.status == Status::complete);
    for (std::size_t row = 1; row < r.rows(); ++row) CHECK(r.at(row, "E") <= r.at(row - 1, "E") + 1e-12 * r.at(0, "E"));
  }
}

TEST_CASE("balls in a box of planes settle: forces carry the weight, gaps are kept") {
  const Run r = run_both(R"(mbd 1
gravity (0, 0, -10)
let n = 12
particle p[i in 1..n](1) at (0.11*(i - 3*floor((i - 1)/3)) - 0.2, 0.06*i - 0.4, 0.3 + 0.21*i) moving (0.3, 0.1*i, 0)
shape ball[i in 1..n] on p[i]: sphere(0.1)
shape floor1 on ground: plane(ez)
shape west on ground at (-0.5, 0, 0): plane(ex)
shape east on ground at (0.5, 0, 0): plane(-ex)
shape south on ground at (0, -0.5, 0): plane(ey)
shape north on ground at (0, 0.5, 0): plane(-ey)
Contact f[i in 1..n](ball[i], floor1, restitution = 0.3)
Contact w[i in 1..n](ball[i], west, restitution = 0.3)
Contact e[i in 1..n](ball[i], east, restitution = 0.3)
Contact s[i in 1..n](ball[i], south, restitution = 0.3)
Contact h[i in 1..n](ball[i], north, restitution = 0.3)
for i in 2..n { for j in 1..i-1 { Contact c[i, j](ball[i], ball[j], restitution = 0.3) } }
output weight = sum(f[i].lambda for i in 1..n)
simulate { time = 0 .. 3 step 0.002; contact = timestep }
)");
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.penetration < 1e-10);
  double mean = 0;
  for (std::size_t k = r.rows() - 200; k < r.rows(); ++k) mean += r.at(k, "weight") / 200;
  CHECK(mean == doctest::Approx(120).epsilon(0.05));
}

TEST_CASE("a block on an incline: held below the angle of friction, with g (sin - mu cos) above it") {
  const auto at_tilt = [](double tilt) {
    return run_both(R"(mbd 1
param mu = 0.5, tilt = )" +
                    number(tilt) + R"(, g = 10
space 2
gravity (-g*sin(tilt), -g*cos(tilt))
particle block(2) at (0, 0)
constraint deck: block.y >= 0
friction rub on block.vx: mu*deck.lambda
output holds = if rub.sticks then 1 else 0
)" + steps(1, 100));
  };
  const Run held = at_tilt(0.46), slides = at_tilt(0.47);  // atan 0.5 = 0.4636
  REQUIRE(held.result.status == Status::complete);
  CHECK(std::fabs(held.last("block.x")) < 1e-14);
  CHECK(held.last("holds") == 1);
  CHECK(slides.last("holds") == 0);
  const double a = 10 * (std::sin(0.47) - 0.5 * std::cos(0.47));
  CHECK(std::fabs(slides.last("block.vx") + a) < 1e-12);
  CHECK(std::fabs(slides.last("block.x") + 0.5 * a) < 1e-12);
}

TEST_CASE("a stack of blocks: each carries those above it; a table with four legs: what they carry adds up") {
  const Run stack = run_both(R"(mbd 1
space 1
gravity -10
particle a(1) at 0.3
particle b(2) at 1.4
particle c(3) at 2.6
constraint low: a.x >= 0 restitution 0.2
constraint middle: b.x - a.x >= 1 restitution 0.2
constraint high: c.x - b.x >= 1 restitution 0.2
output p = low.lambda, q = middle.lambda, r = high.lambda
)" + steps(4, 2000));
  REQUIRE(stack.result.status == Status::complete);
  for (const auto& [name, force] : {std::pair{"p", 60.0}, std::pair{"q", 50.0}, std::pair{"r", 30.0}})
    CHECK(std::fabs(stack.last(name) - force) < 1e-8);
  for (const auto& [name, x] : {std::pair{"a.x", 0.0}, std::pair{"b.x", 1.0}, std::pair{"c.x", 2.0}})
    CHECK(std::fabs(stack.last(name) - x) < 1e-9);
  const Run table = run_both(R"(mbd 1
gravity (0, 0, -10)
body top(mass = 6, inertia = diag(0.3, 0.4, 0.6)) at (0, 0, 0.55) rotated rotx(0.1)
shape hull on top: box(0.8, 0.6, 0.2)
shape soil on ground: plane(ez)
Contact c(hull, soil, restitution = 0.1, mu = 0.4)
output height = top.z
)" + steps(2, 4000));
  REQUIRE(table.result.status == Status::complete);
  CHECK(std::fabs(table.last("height") - 0.1) < 1e-8);
  CHECK(std::fabs(table.last("top.omegax")) < 1e-8);
  CHECK(std::fabs(table.last("top.vz")) < 1e-8);
}

// The model is a parallelogram with a redundant third bar, and a pendulum of a rigid bar, between stops.
TEST_CASE("equations that stay, redundant ones among them, between stops") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
particle a(1) at (0.8, 0.6)
particle b(1) at (1.8, 0.6)
constraint left: a.x^2 + a.y^2 == 1
constraint right: (b.x - 1)^2 + b.y^2 == 1
constraint bar: (b.x - a.x)^2 + (b.y - a.y)^2 == 1
constraint level: b.y - a.y == 0
constraint stop: a.x >= 0 restitution 0.5
output E = energy.total
)" + steps(3, 6000));
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.rank == 3);
  for (const char* name : {"left", "right", "bar", "level"}) CHECK(r.constraint(name).position < 1e-11);
  double least = 1, grown = 0;
  for (std::size_t k = 0; k < r.rows(); ++k) {
    least = std::min(least, r.at(k, "a.x"));
    if (k > 0) grown = std::max(grown, r.at(k, "E") - r.at(k - 1, "E"));
  }
  CHECK(least > -1e-11);
  CHECK(grown < 1e-4);  // The error of the midpoint rule is of order 3 in one step.
  // It hits the stop from one side: the speed comes from the fall, and half of it remains after the impact.
  const Run exact = run(R"(mbd 1
space 2
gravity (0, -10)
particle a(2) at (0.8, 0.6)
constraint left: a.x^2 + a.y^2 == 1
constraint stop: a.x >= 0 restitution 0.5
simulate { time = 0 .. 1 step 0.1; integrator = dop853(rtol = 1e-12, atol = 1e-12) }
)");
  REQUIRE(exact.result.status == Status::complete);
  CHECK(std::fabs(r.at(2000, "a.x") - exact.last("a.x")) < 5e-3);
  CHECK(std::fabs(r.at(2000, "a.vx") - exact.last("a.vx")) < 2e-2);
}

TEST_CASE("with e = 1 the energy between constant forces stays, over 1,000 impacts") {
  const Run r = run_both(R"(mbd 1
space 1
gravity -10
particle p(1) at 0.05
constraint deck: p.x >= 0 restitution 1
output E = energy.total
)" + steps(200, 20000));
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.events >= 900);
  CHECK(std::fabs(r.last("E") - r.at(0, "E")) < 1e-12 * static_cast<double>(r.result.steps));
}

TEST_CASE("steps that a host asks for, saved and restored, and members of a sweep: the bits of one run") {
  const std::string text = R"(mbd 1
param k = 1
gravity (0, 0, -10)
particle p(1) at (0, 0, 0.4) moving (k, 0.3, 0)
particle q(2) at (0.1, 0.05, 0.9)
shape ball on p: sphere(0.1)
shape other on q: sphere(0.15)
shape soil on ground: plane(ez)
Contact a(ball, soil, restitution = 0.4, mu = 0.2)
Contact b(other, soil, restitution = 0.4, mu = 0.2)
Contact c(ball, other, restitution = 0.6, mu = 0.1)
)" + steps(1, 500);
  const Run whole = run_both(text);
  REQUIRE(whole.result.status == Status::complete);
  Simulation one = compile_text(text, Engine::interpreter);
  for (int k = 0; k < 200; ++k) REQUIRE(one.step(0.002).ok());
  Simulation other = compile_text(text, Engine::interpreter);
  REQUIRE(other.restore(one.save()).ok());
  for (int k = 200; k < 500; ++k) {
    REQUIRE(one.step(0.002).ok());
    REQUIRE(other.step(0.002).ok());
  }
  CHECK(one.state() == other.state());
  CHECK(one.state() == whole.result.state);
  SweepOptions options;
  options.vary = {"k = 1 .. 2 count 3"};
  options.record = {"final(p.x)", "final(q.y)"};
  options.jobs = 2;
  const SweepResult swept = sweep_text(text, "steps.mbd", options);
  REQUIRE(swept.rows.size() == 3);
  for (const std::size_t k : {0, 2}) {
    const Run alone = run(text, Engine::interpreter, {k == 0 ? "k = 1" : "k = 2"});
    REQUIRE(swept.rows[k].recorded.size() == 2);
    CHECK(swept.rows[k].recorded[0] == alone.last("p.x"));
    CHECK(swept.rows[k].recorded[1] == alone.last("q.y"));
  }
}

TEST_CASE("states and works follow the motion with its contacts") {
  const Run r = run_both(R"(mbd 1
space 2
gravity (0, -10)
particle p(1) at (0, 0.5) moving (1, 0)
constraint deck: p.y >= 0 restitution 0.5
constraint wall: p.x <= 0.3 restitution 0.4
force push on p: (2, 0)
state s = 0 where s' = p.vx
)" + steps(3, 3000));
  REQUIRE(r.result.status == Status::complete);
  // The mean speeds do not contain the correction of closed gaps.
  CHECK(std::fabs(r.last("s") - r.last("p.x")) <= 2 * r.result.penetration_before);
  CHECK(std::fabs(r.last("p.x") - 0.3) < 1e-9);
  CHECK(std::fabs(r.result.work_of_loads - 2 * r.last("s")) < 1e-12);
  CHECK(std::fabs(r.result.balance_error) < 1e-12);
  // All of the initial energy is lost: m v^2/2 + m g h + F x.
  CHECK(std::fabs(r.result.work_of_events + 0.5 + 5 + 2 * r.last("s")) < 1e-9);
}

TEST_CASE("the summary says which one ran, and what it has missed") {
  const Run r = run("mbd 1\nspace 1\ngravity -10\nparticle p(1) at 1\nconstraint deck: p.x >= 0\n" + steps(1, 100));
  CHECK(r.result.time_stepping);
  CHECK(r.result.contact_error <= 1e-12);
  const std::string told = summary_text(r.result), json = summary_json(r.result);
  CHECK(told.find("time steps of Moreau's kind") != std::string::npos);
  CHECK(r.result.penetration < 1e-15);
  CHECK(told.find("penetration at most ") != std::string::npos);
  CHECK(json.find("\"contact\": \"timestep\"") != std::string::npos);
  CHECK(json.find("\"penetration\"") != std::string::npos);
}

TEST_CASE("what does not go with time steps is refused by name") {
  const auto code = [](const std::string& more, const std::string& setting) {
    const std::string text = "mbd 1\nspace 1\ngravity -10\nparticle p(1) at 1\nconstraint deck: p.x >= 0\n" + more +
                             "\nsimulate { time = 0 .. 1 step 0.1; contact = timestep" + setting + " }\n";
    const Model model = Model::from_string(text, "model.mbd", {.interpret = true, .cache = false});
    return model.ok() ? run(text).code() : model.diagnostics().front().code;
  };
  CHECK(code("", "").empty());
  CHECK(code("state n = 0\nwhen high: p.x falling { n = 1 }", "") == "E0672");
  CHECK(code("state n = 0\nevery 0.1 { n = n + 1 }", "") == "E0672");
  CHECK(code("", "; impact = poisson") == "E0672");
  CHECK(code("", "; kinks = locate") == "E0672");
  CHECK(code("", "; rows = events") == "E0672");
  CHECK(code("", "; formulation = kane") == "E0672");
  CHECK(code("constraint wall: p.x <= 3\nforce drag on p: -0.1*deck.lambda", "") == "E0672");
  CHECK(code("constraint lid: p.x <= 0.5", "") == "E0690");
}

TEST_CASE("a larger limit at rest in a plane: what slides stops, by every step") {
  // By the closed form the block moves with (1, 0.5) m/s until 0.4559 s and stops at 0.227938, 0.113969.
  const std::string text = R"(mbd 1
use contact
gravity (0, 0, -9.81)
particle p(1) at (0, 0, 0) moving (1, 0.5, 0)
RoughFloor f(p, mu = 0.25, static_mu = 0.4)
simulate { time = 0 .. 1 step 0.001; contact = timestep }
)";
  for (const char* step : {"0.0005", "0.001", "0.002", "0.003", "0.005", "0.01"}) {
    CAPTURE(std::string(step));
    const Run r = run_both(text, {std::string("time.step=") + step});
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.last("p.x") - 0.227938) < 5e-4);
    CHECK(std::fabs(r.last("p.y") - 0.113969) < 5e-4);
    CHECK(std::fabs(r.last("p.vx")) < 1e-12);
  }
}

TEST_CASE("a block that slides up an incline stops and is held, whether a step ends at its stop or not") {
  // Because mu < tan(tilt) < static, it stops at 1/(10 (sin + 0.3 cos)) s, at half of this value from its start.
  const std::string text = R"(mbd 1
space 2
param tilt = 0.35
gravity (-10*sin(tilt), -10*cos(tilt))
particle block(2) at (0, 0) moving (1, 0)
constraint deck: block.y >= 0
friction rub on block.vx: 0.3*deck.lambda static 0.4*deck.lambda
simulate { time = 0 .. 1 step 0.01; contact = timestep }
)";
  const double stop = 1 / (10 * (std::sin(0.35) + 0.3 * std::cos(0.35)));
  for (int k = 1; k <= 40; ++k) {
    const double h = 0.01 / k;
    CAPTURE(h);
    const Run r = run(text, Engine::interpreter, {"time.step=" + number(h)});
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.last("block.x") - 0.5 * stop) < h * h * 5);
    CHECK(std::fabs(r.last("block.vx")) < 1e-12);
  }
}

// If a factor is a parameter, the rate of a gap has no bound, so that all contacts are candidates. If frictions are not
// candidates and other contacts are, other methods find the impulses, to 1e-10.
TEST_CASE("what is out of reach of a step changes nothing") {
  const std::string balls = R"(mbd 1
gravity (0, 0, -9.81)
param one = 1
let n = 14, r = 0.05
particle p[i in 1..n](0.1) at (0.11*(i - 4*floor((i - 1)/4) - 2.5) + 0.002*sin(7*i), 0.11*floor((i - 1)/4) - 0.2, 0.06 + 0.02*i) moving (sin(3*i), cos(5*i), 2*sin(i))
constraint low[i in 1..n]: FACTOR*p[i].z >= r restitution 0.4
constraint lift[i in 1..n]: FACTOR*(p[i].z - 0.02*sin(40*t)) >= 0.9*r
constraint left[i in 1..n]: FACTOR*p[i].x >= -0.25 restitution 0.4
constraint right[i in 1..n]: FACTOR*p[i].x <= 0.25 restitution 0.4
constraint near[i in 1..n]: FACTOR*p[i].y >= -0.25 restitution 0.4
constraint away[i in 1..n]: FACTOR*p[i].y <= 0.25 restitution 0.4
for i in 2..n { for j in 1..i-1 { constraint apart[i, j]: FACTOR*dist(p[i], p[j]) >= 2*r restitution 0.4 } }
output E = energy.total, F = low[1].lambda
simulate { time = 0 .. 1.5 step 0.002; contact = timestep }
)";
  const auto with = [&](const std::string& factor, const std::string& more) {
    std::string text = balls + more;
    for (std::size_t at; (at = text.find("FACTOR*")) != std::string::npos;) text.replace(at, 7, factor);
    return run_both(text);
  };
  const std::string friction = "friction rub[i in 1..3] on (p[i].vx, p[i].vy): 0.2*low[i].lambda\n";
  for (const std::string& more : {std::string(), friction}) {
    const Run some = with("", more), all = with("one*", more);
    REQUIRE_MESSAGE(some.result.status == Status::complete, some.result.rendered);
    REQUIRE(all.rows() == some.rows());
    const std::size_t looked = more.empty() ? some.rows() : 100;  // Differences grow from collision to collision.
    for (std::size_t k = 0; k < looked; ++k)
      for (const char* name : {"E", "p[1].x", "p[3].y", "p[7].z", "p[14].vx"})
        REQUIRE(std::fabs(some.at(k, name) - all.at(k, name)) <= (more.empty() ? 0 : 1e-7));
  }
}

TEST_CASE("a block that rocks on two rough corners comes to rest upright, by every step") {
  const std::string text = R"(mbd 1
space 2
param b = 0.2, h = 0.6, m = 10, th0 = 0.1, mu = 1
let R = sqrt(b^2 + h^2), al = atan(b/h), J = m*(4*R^2)/12
gravity (0, -9.81)
body bl(mass = m, inertia = J) at (b - R*sin(al - th0), R*cos(al - th0)) rotated rot(-th0)
point cl on bl at (-b, -h)
point cr on bl at (b, -h)
constraint l: cl.y >= 0
constraint r: cr.y >= 0
friction fl on cl.vx: mu*l.lambda
friction fr on cr.vx: mu*r.lambda
output E = energy.total, angle = bl.angle
simulate { time = 0 .. 6 step 0.001; contact = timestep }
)";
  for (const char* step : {"0.001", "0.002", "0.005", "0.01"})
    for (const char* mu : {"0.5", "1"}) {
      CAPTURE(std::string(step));
      CAPTURE(std::string(mu));
      const Run r = run(text, Engine::interpreter, {std::string("time.step=") + step, std::string("mu=") + mu});
      REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
      CHECK(std::fabs(r.last("angle")) < 1e-6);
      CHECK(std::fabs(r.last("E") - 10 * 9.81 * 0.6) < 1e-6);
    }
}
