// SPDX-License-Identifier: Apache-2.0
// Compares the restitution of impacts by each law (`impact = newton | poisson | moreau`) with closed forms.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/physics/run.h"

using namespace mbc;
using namespace mbc::test;

namespace {

const char* kLaws[] = {"newton", "poisson", "moreau"};

std::string cradle(const std::string& law) {
  std::string text = "mbd 1\nspace 1\nparam gap = 0, e1 = 1, e2 = 1, e3 = 1, e4 = 1\nparticle p0(1) at -1 moving 1\n";
  for (int k = 1; k <= 4; ++k) {
    const std::string n = std::to_string(k), before = std::to_string(k - 1);
    text += "particle p" + n + "(1) at " + std::to_string(k - 1) + "*gap\n";
    text += "constraint c" + n + ": p" + n + ".x - p" + before + ".x >= 0 restitution e" + n + "\n";
  }
  return text + "output E = energy.total\nsimulate { time = 0 .. 1.08 step 0.01; impact = " + law + " }\n";
}

std::vector<std::string> same(double e) {
  std::vector<std::string> set;
  for (int k = 1; k <= 4; ++k) set.push_back("e" + std::to_string(k) + "=" + number(e));
  return set;
}

void check_speeds(const Run& r, const std::vector<double>& expected) {
  REQUIRE(r.result.status == Status::complete);
  for (std::size_t k = 0; k < expected.size(); ++k) {
    CAPTURE(k);
    CHECK(std::fabs(r.last("p" + std::to_string(k) + ".vx") - expected[k]) < 1e-12);
  }
}

// The model is a ball that falls with spin.
const std::string kBall = R"(mbd 1
space 2
gravity (0, -10)
param mu = 0.3, R = 0.5, e = 0.8, et = 0.6, w = 0
body ball(mass = 3, inertia = 0.4*3*R^2) at (0, 2*R) moving (2, -1) spinning w
constraint deck: ball.y >= R restitution e
friction rub on ball.vx + R*ball.omega: mu*deck.lambda restitution et
output P = deck.impulse, n = deck.count, E = energy.total, s = rub.slip
simulate { time = 0 .. 0.4 step 0.01; impact = newton }
)";

constexpr double kMobility = 1.0 / 3 + 0.25 / 0.3;  // mobility of the slip for an impulse along it

}  // namespace

TEST_CASE("a cradle of five that touch: with one restitution all laws agree") {
  for (const std::string law : kLaws)
    for (const double e : {1.0, 0.6, 0.0}) {
      CAPTURE(law);
      CAPTURE(e);
      const double rest = (1 + e) / 5;
      check_speeds(run_both(cradle(law), same(e)), {(1 - 4 * e) / 5, rest, rest, rest, rest});
    }
}

TEST_CASE("a cradle of five with gaps: one after the other, by all laws") {
  for (const std::string law : kLaws)
    for (const double e : {1.0, 0.6}) {
      CAPTURE(law);
      CAPTURE(e);
      const double on = (1 + e) / 2, off = (1 - e) / 2;
      std::vector<std::string> set = same(e);
      set.emplace_back("gap=0.01");
      check_speeds(run_both(cradle(law), set), {off, on * off, on * on * off, on * on * on * off, on * on * on * on});
    }
}

TEST_CASE("a cradle of five with different restitutions: Poisson gives back impulses, Newton speeds") {
  const std::vector<std::string> first = {"e1=0.5"};
  for (const std::string law : {"newton", "moreau"})
    check_speeds(run_both(cradle(law), first), {-0.2, 0.3, 0.3, 0.3, 0.3});
  check_speeds(run_both(cradle("poisson"), first), {-0.2, 0, 0.4, 0.4, 0.4});
  // The restitution would press the second ball into the third, so that these four continue together.
  const std::vector<std::string> others = {"e2=0.5", "e3=0.5", "e4=0.5"};
  check_speeds(run_both(cradle("poisson"), others), {-0.6, 0.4, 0.4, 0.4, 0.4});
}

TEST_CASE("a ball with spin and tangential restitution") {
  const double vn = std::sqrt(1 + 20 * 0.5);
  for (const std::string law : {"newton", "moreau"})
    for (const double w : {0.0, 10.0, -10.0, -4.0, -3.0, -5.0}) {
      CAPTURE(law);
      CAPTURE(w);
      const Run r = run_both(replaced(kBall, "impact = newton", "impact = " + law), {"w=" + std::to_string(w)});
      REQUIRE(r.result.status == Status::complete);
      REQUIRE(r.last("n") == 1);
      const double s = 2 + 0.5 * w, all = 1.6 * s / kMobility;
      const double taken = std::copysign(std::min(0.3 * 1.8 * 3 * vn, std::fabs(all)), s);
      CHECK(std::fabs(r.last("ball.vx") - (2 - taken / 3)) < 1e-11);
      CHECK(std::fabs(r.last("ball.omega") - (w - taken * 0.5 / 0.3)) < 1e-11);
      CHECK(r.last("E") < r.at(0, "E"));
    }
}

TEST_CASE("a ball with spin by Poisson's law: stopped, and what comes back within the impulse that is given back") {
  const double vn = std::sqrt(1 + 20 * 0.5);
  for (const double w : {0.0, 10.0, -10.0, -4.0, -3.0, -5.0}) {
    CAPTURE(w);
    const Run r = run_both(replaced(kBall, "impact = newton", "impact = poisson"), {"w=" + std::to_string(w)});
    REQUIRE(r.result.status == Status::complete);
    const double s = 2 + 0.5 * w, stop = std::fabs(s) / kMobility;
    const double first = std::min(0.3 * 3 * vn, stop);
    const double second = std::min(0.3 * 0.8 * 3 * vn, 1.6 * stop - first);
    const double taken = std::copysign(first + second, s);
    CHECK(r.last("P") == doctest::Approx(1.8 * 3 * vn).epsilon(1e-12));
    CHECK(std::fabs(r.last("ball.vx") - (2 - taken / 3)) < 1e-11);
    CHECK(std::fabs(r.last("ball.omega") - (w - taken * 0.5 / 0.3)) < 1e-11);
  }
}

TEST_CASE("a ball of rubber that grips and gives all back keeps its energy and turns its slip round") {
  for (const std::string law : kLaws) {
    CAPTURE(law);
    const Run r = run_both(replaced(kBall, "impact = newton", "impact = " + law), {"w=3", "e=1", "et=1", "mu=5"});
    REQUIRE(r.result.status == Status::complete);
    REQUIRE(r.last("n") == 1);
    CHECK(std::fabs(r.last("s") + 3.5) < 1e-11);
    CHECK(std::fabs(r.last("E") - r.at(0, "E")) < 1e-11);
  }
}

TEST_CASE("by Moreau's law slips come back as the sides do, unless their friction says otherwise") {
  const std::string plain = replaced(kBall, "restitution et", "");
  const Run moreau = run_both(replaced(plain, "impact = newton", "impact = moreau"), {"w=-5"});
  CHECK(std::fabs(moreau.last("s") - 0.8 * 0.5) < 1e-11);
  const Run newton = run_both(plain, {"w=-5"});
  CHECK(std::fabs(newton.last("s")) < 1e-12);
  const Run named = run_both(replaced(kBall, "impact = newton", "impact = moreau"), {"w=-5", "et=0"});
  CHECK(std::fabs(named.last("s")) < 1e-12);
}

TEST_CASE("sides that touch and part are no reason to stop where a restitution asks for more than there is room for") {
  const std::string text = R"(mbd 1
space 1
particle p(1) at 0 moving 1
constraint low: p.x >= 0 restitution 1
constraint high: p.x <= 0 restitution 1
output E = energy.total
simulate { time = 0 .. 1 step 0.1 }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  CHECK(std::fabs(r.last("p.x")) < 1e-12);
  CHECK(r.result.lowered_restitutions >= 1);
}

TEST_CASE("impulses that are not unique: Poisson's law stops where the motion depends on them") {
  const std::string text = R"(mbd 1
gravity (0, 0, -10)
param e = 0.5
body top(mass = 2, inertia = diag(1, 1, 2)) at (0, 0, 0.6)
constraint l1: dot(top.at(1, 1, -0.5).pos, ez) >= 0 restitution e
constraint l2: dot(top.at(-1, 1, -0.5).pos, ez) >= 0 restitution 0.5
constraint l3: dot(top.at(-1, -1, -0.5).pos, ez) >= 0 restitution 0.5
constraint l4: dot(top.at(1, -1, -0.5).pos, ez) >= 0 restitution 0.5
simulate { time = 0 .. 0.2 step 0.01; impact = poisson }
)";
  const Run r = run_both(text);
  REQUIRE(r.result.status == Status::complete);
  const double t = std::sqrt(0.02), v = 5 * t;  // half the landing speed
  CHECK(std::fabs(r.last("top.z") - (0.5 + v * (0.2 - t) - 5 * (0.2 - t) * (0.2 - t))) < 1e-11);
  CHECK(run_both(replaced(text, "impact", "reactions = unique; impact"), {"e=0.9"}).code() == "E0670");
  CHECK(run_both(replaced(text, "impact = poisson", "impact = newton"), {"e=0.9"}).result.status == Status::complete);
}
