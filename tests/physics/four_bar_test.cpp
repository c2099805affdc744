// SPDX-License-Identifier: Apache-2.0
// Tests a parallelogram four-bar through its flat positions, where its rows become dependent and it could continue as
// an antiparallelogram. It must stay a parallelogram and keep its energy to 1e-6, or stop with a message. A complete
// run with a wrong result must not occur.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

struct FourBar {
  double base = 2, crank = 1, m1 = 1, m2 = 1, angle = 0, rate = 1, step = 1e-3;
  std::uint32_t steps = 4000;
  std::string load;  // additional statements
  bool squares = false, again = false;
  std::uint32_t order = 0;
  std::string formulation = "udwadia_kalaba";

  [[nodiscard]] std::string text() const {
    const double x = crank * std::cos(angle), y = crank * std::sin(angle);
    const std::string motion = " moving (" + number(-rate * y) + ", " + number(rate * x) + ")\n";
    std::string t = "mbd 1\nspace 2\n";
    t += "particle p1(" + number(m1) + ") at (" + number(x) + ", " + number(y) + ")" + motion;
    t += "particle p2(" + number(m2) + ") at (" + number(x + base) + ", " + number(y) + ")" + motion + load;
    std::vector<std::string> rows;
    if (squares)
      rows = {"c1: dot(p1.pos, p1.pos) == " + number(crank * crank),
              "c2: (p2.x - " + number(base) + ")^2 + p2.y^2 == " + number(crank * crank),
              "c3: dot(p2.pos - p1.pos, p2.pos - p1.pos) == " + number(base * base)};
    else
      rows = {"c1: dist(p1, ground) == " + number(crank), "c2: dist(p2, (" + number(base) + ", 0)) == " + number(crank),
              "c3: dist(p1, p2) == " + number(base)};
    for (std::uint32_t i = 0; i < 3; ++i) t += "constraint " + rows[(i + order) % 3] + "\n";
    if (again) t += "constraint c4: dist(p2, p1) == " + number(base) + "\n";
    return t + "simulate { time = 0 .. " + number(step * steps) + " step " + number(step) +
           "; integrator = rk4; formulation = " + formulation + "; stabilise = project }\n";
  }
};

struct Outcome {
  bool complete = false;
  std::string code;
  double apart = 0;    // largest |p2.y - p1.y| over the length of the crank
  double balance = 0;  // largest error of the energy balance over the largest kinetic energy
};

Outcome outcome(const FourBar& f, const Run& r) {
  Outcome o{r.result.status == Status::complete, r.code(), 0, 0};
  double kinetic = 0;
  for (std::size_t row = 0; row < r.rows(); ++row) {
    o.apart = std::max(o.apart, std::fabs(r.at(row, "p2.y") - r.at(row, "p1.y")) / f.crank);
    const auto square = [&](const std::string& p) {
      return std::pow(r.at(row, p + ".vx"), 2) + std::pow(r.at(row, p + ".vy"), 2);
    };
    kinetic = std::max(kinetic, f.m1 * square("p1") / 2 + f.m2 * square("p2") / 2);
  }
  o.balance = r.result.balance_error / kinetic;
  return o;
}

// `truncation` is the error of the steps themselves, without constraints.
void check_never_silently_wrong(const FourBar& f, const Outcome& o, double truncation) {
  INFO(f.text() << "code " << o.code << ", apart " << o.apart << ", energy " << o.balance);
  CHECK(o.apart < 1e-6);
  if (o.complete)
    CHECK(o.balance < 1e-6 + truncation);
  else
    CHECK((o.code == "E0605" || o.code == "E0604" || o.code == "E0602"));
}

double truncation(const FourBar& f, double frequency) { return 50 * std::pow(f.step * frequency, 4); }

FourBar random_four_bar(Rng& rng) {
  FourBar f;
  const double steps[] = {1e-2, 5e-3, 2e-3, 1e-3, 5e-4, 1e-4};
  f.step = steps[rng.below(6u)];
  f.steps = std::min<std::uint32_t>(2000, static_cast<std::uint32_t>(std::lround(3 / f.step)));
  f.crank = rng.chance(0.7) ? 1 : rng.log_between(1e-3, 1e3);
  f.base = f.crank * (rng.chance(0.5) ? rng.between(0.3, 3) : rng.chance(0.5) ? 1 : 2);
  const double unit = rng.chance(0.7) ? 1 : rng.log_between(1e-4, 1e4);
  f.m1 = unit * (rng.chance(0.5) ? 1 : rng.log_between(0.01, 100));
  f.m2 = unit * (rng.chance(0.5) ? 1 : rng.log_between(0.01, 100));
  f.rate = rng.chance(0.3) ? 1 : rng.between(0.3, 4);
  switch (rng.below(4u)) {
    case 0:
      f.angle = 0;
      break;  // It starts flat.
    case 1:
      f.angle = -f.rate * f.step * (1 + rng.below(50u));
      break;  // Without loads a step ends flat.
    case 2:
      f.angle = -f.rate * f.step * f.steps * rng.unit();
      break;  // It crosses 0.
    default:
      f.angle = std::acos(-1.0) - f.rate * f.step * f.steps * rng.unit();  // It crosses pi.
  }
  const double force = unit * f.crank;
  const auto vector = [&](double size, double most) {
    return number(size) + "*(" + number(rng.between(-most, most)) + ", " + number(rng.between(-most, most)) + ")";
  };
  switch (rng.below(6u)) {
    case 0:
      break;
    case 1:
      f.load = "gravity " + vector(f.crank, 10) + "\n";
      break;
    case 2:
      f.load = "force on p2: " + vector(force, 3) + "\n";
      break;
    case 3:
      f.load = "force on p1: " + number(-unit * rng.between(0.01, 1)) + "*p1.vel\n";
      break;
    case 4:
      f.load = "force on p2: (0, " + number(force * rng.between(1, 5)) + ")*sin(" + number(rng.between(1, 5)) + "*t)\n";
      break;
    default:
      f.load = "force on p1: " + number(-unit * rng.between(0.1, 5)) + "*(p1.pos - " + vector(f.crank, 1) + ")\n";
  }
  f.squares = rng.chance(0.5);
  f.order = rng.below(3u);
  f.again = rng.chance(0.2);
  return f;
}

// Returns the frequency of the loads above for the lightest mass that they have to move.
double frequency(const FourBar& f) { return 3 + f.rate + std::sqrt(30 * std::max({1.0, f.m1, f.m2}) / (f.m1 + f.m2)); }

}  // namespace

TEST_CASE("four-bar: flat positions are passed at every step size, load and starting angle") {
  const char* loads[] = {"", "gravity (0, -9.81)\n", "force on p2: (1, 0.5)\n", "force on p1: -0.3*p1.vel\n"};
  for (const double step : {1e-2, 2e-3, 1e-3, 1e-4})
    for (const char* load : loads)
      for (const double angle : {-std::acos(-1.0) / 2, -0.3, -0.01, 0.0, 2.6, -40 * 1.3 * step})
        for (const bool squares : {false, true}) {
          FourBar f;
          f.step = step;
          f.steps = std::min<std::uint32_t>(4000, static_cast<std::uint32_t>(std::lround(4 / step)));
          f.rate = 1.3;
          f.load = load;
          f.angle = angle;
          f.squares = squares;
          const Outcome o = outcome(f, run(f.text()));
          check_never_silently_wrong(f, o, truncation(f, 3));
          CHECK_MESSAGE(o.complete, f.text());
        }
}

TEST_CASE("four-bar: the turning without loads stays uniform, by both engines") {
  for (const double angle : {-0.3, 0.0, -0.013 * 7}) {
    FourBar f;
    f.rate = 1.3;
    f.step = 1e-2;
    f.steps = 1000;  // It crosses 0 and pi several times.
    f.angle = angle;
    const Run r = run_both(f.text());
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(std::fabs(r.last("p1.x") - std::cos(angle + 13)) < 1e-7);
    CHECK(std::fabs(r.last("p2.y") - std::sin(angle + 13)) < 1e-7);
    CHECK(outcome(f, r).balance < 1e-8);
  }
}

TEST_CASE("four-bar: a step that ends exactly flat is seen and told") {
  FourBar f;
  f.step = 0x1p-7;
  f.steps = 200;
  f.angle = 0;
  const Run r = run_both(f.text());
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.result.rank == 2);
  CHECK(r.result.dependent_rows == std::vector<std::string>{"c3"});
  REQUIRE(r.result.rank_changes.size() == 1);
  CHECK(r.result.rank_changes[0].before == 2);
  CHECK(r.result.rank_changes[0].after == 3);
  // This is the first state at which the rows are clearly independent.
  CHECK(r.result.rank_changes[0].time == 5 * f.step);
  CHECK(r.result.rank_changes[0].rows == std::vector<std::string>{"c3"});
}

TEST_CASE("four-bar: at a flat position loads do not kick") {
  // It starts flat with a load on only one particle. Both angles have the common acceleration F/(m1 + m2), also in the
  // first row.
  FourBar f;
  f.load = "force on p2: (0, 3)\n";
  f.m2 = 2;
  f.step = 1e-2;
  f.steps = 10;
  const Run r = run_both(f.text());
  REQUIRE(r.result.status == Status::complete);
  CHECK(r.at(0, "p1.ay") == doctest::Approx(1).epsilon(1e-6));
  CHECK(r.at(0, "p2.ay") == doctest::Approx(1).epsilon(1e-6));
}

TEST_CASE("four-bar: random mechanisms never go wrong silently") {
  const int count = random_models(500, 20);
  std::map<std::string, int> seen;
  for (int seed = 1; seed <= count; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed) * 7919);
    const FourBar f = random_four_bar(rng);
    const Outcome o = outcome(f, seed % 50 == 0 ? run_both(f.text()) : run(f.text()));
    INFO("seed " << seed);
    check_never_silently_wrong(f, o, truncation(f, frequency(f)));
    ++seen[o.code];
  }
  CHECK(seen[""] > count * 95 / 100);
  if (long_run_of_models())
    for (const auto& [code, n] : seen) std::printf("%s %d\n", code.empty() ? "complete" : code.c_str(), n);
}

TEST_CASE("four-bar: the literal formula at a rank change is told or harmless") {
  // By its definition it lets loads change the velocities abruptly at the flat position. The energy is therefore
  // required to only 1e-4, and the branch as always.
  for (int seed = 1; seed <= 60; ++seed) {
    Rng rng(static_cast<std::uint64_t>(seed) * 104729);
    FourBar f = random_four_bar(rng);
    f.formulation = "udwadia_kalaba(literal)";
    check_never_silently_wrong(f, outcome(f, run(f.text())), 1e-4 + truncation(f, frequency(f)));
  }
}

// After some turns the angles of the bodies of this parallelogram are large numbers, but the mechanism is the same. 20
// steps cross a flat position, which is at a state of the run, very close to one, or between two.
TEST_CASE("flat positions after many turns, with a wheel that has turned even further beside") {
  for (const int turns : {0, 10, 30, 64, 91, 1000})
    for (const double aside : {0.0, 1e-6, -4.4e-5, 0.00702}) {
      CAPTURE(turns);
      CAPTURE(aside);
      const std::string a = "(" + number(aside) + " - 0.14 + 2*pi*" + number(turns) + ")";
      const Run r = run(R"(mbd 1
space 2
let a = )" + a + R"(
body A(mass = 1, inertia = 0.1) at (0.5*cos(a), 0.5*sin(a)) rotated rot(a) spinning 7 moving 3.5*(-sin(a), cos(a))
body C(mass = 1, inertia = 0.4) at (1 + cos(a), sin(a)) moving 7*(-sin(a), cos(a))
body B(mass = 1, inertia = 0.1) at (2 + 0.5*cos(a), 0.5*sin(a)) rotated rot(a) spinning 7 moving 3.5*(-sin(a), cos(a))
body wheel(mass = 1, inertia = 0.1) at (9, 9) rotated rot(20*a) spinning 300
point a0 on A at (-0.5, 0)
point a1 on A at (0.5, 0)
point b0 on B at (-0.5, 0)
point b1 on B at (0.5, 0)
point c0 on C at (-1, 0)
point c1 on C at (1, 0)
constraint p1: a0.pos == (0, 0)
constraint p2: a1.pos == c0.pos
constraint p3: c1.pos == b1.pos
constraint p4: b0.pos == (2, 0)
init { A.angle = a
  B.angle = a
  wheel.angle = 20*a }
simulate { time = 0 .. 0.04 step 0.002; integrator = rk4 }
)");
      REQUIRE(r.result.status == Status::complete);
      CHECK(r.result.balance_error < 2e-8 * r.result.energy_begin);
      CHECK(std::fabs(r.at(r.rows() - 1, "A.omega") - 7) < 2e-8);
      CHECK(std::fabs(r.at(r.rows() - 1, "B.omega") - 7) < 2e-8);
    }
}
