// SPDX-License-Identifier: Apache-2.0
// Tests loads that switch with the time, or with a position whose motion is known, up to many times within a step. No
// method that chooses its steps may miss a switch. The velocity is the integral of the load, piece by piece between the
// switches, which are roots of sines.
// MBC_RANDOM_MODELS=n tests n/3 of each kind.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kEnd = 3;

// A Switch is one comparison sin(w s + p) > c of a place s that moves from 0 to `length`. It also gives the places of
// its changes.
struct Switch {
  double w, p, c;
  [[nodiscard]] bool on(double s) const { return std::sin(w * s + p) > c; }
  [[nodiscard]] std::string text(const std::string& s) const {
    return "sin(" + number(w) + "*" + s + " + " + number(p) + ") > " + number(c);
  }
  void append_changes(double length, std::vector<double>& to) const {
    const double turn = 2 * std::numbers::pi;
    for (const double root : {std::asin(c), std::numbers::pi - std::asin(c)})
      for (double k = std::floor(-root / turn) - 1;; ++k) {
        const double s = (root + turn * k - p) / w;
        if (s > length) break;
        if (s > 0) to.push_back(s);
      }
  }
};

struct Load {
  std::string text;  // in terms of the place `s`
  std::function<double(double)> value;
  std::vector<double> changes;  // changes of its comparisons
};

Switch drawn_switch(Rng& rng, double fastest) {
  return {2 * std::pow(fastest / 2, rng.unit()), rng.between(-3, 3), rng.between(-0.95, 0.95)};
}

// Draws `if`, `sign`, `and`, `or` of one or two comparisons.
Load drawn_load(Rng& rng, const std::string& s, double fastest, double length) {
  const Switch a = drawn_switch(rng, fastest), b = drawn_switch(rng, fastest);
  const double on = rng.between(-2, 2), off = rng.between(-2, 2);
  const std::string branches = " then " + number(on) + " else " + number(off) + ")";
  Load load;
  a.append_changes(length, load.changes);
  switch (rng.below(4U)) {
    case 0:
      load.text = "(if " + a.text(s) + branches;
      load.value = [=](double x) { return a.on(x) ? on : off; };
      return load;
    case 1:
      load.text = number(on) + "*sign(sin(" + number(a.w) + "*" + s + " + " + number(a.p) + ") - " + number(a.c) + ")";
      load.value = [=](double x) { return a.on(x) ? on : -on; };
      return load;
    case 2:
      load.text = "(if " + a.text(s) + " and " + b.text(s) + branches;
      load.value = [=](double x) { return a.on(x) && b.on(x) ? on : off; };
      break;
    default:
      load.text = "(if " + a.text(s) + " or not (" + b.text(s) + ")" + branches;
      load.value = [=](double x) { return a.on(x) || !b.on(x) ? on : off; };
      break;
  }
  b.append_changes(length, load.changes);
  return load;
}

struct Sum {
  std::string text;
  std::vector<Load> loads;
  std::vector<double> changes;
};

Sum drawn_sum(Rng& rng, const std::string& s, double fastest, double length) {
  Sum sum;
  for (int left = 1 + static_cast<int>(rng.below(3U)); left > 0; --left) {
    sum.loads.push_back(drawn_load(rng, s, fastest, length));
    sum.text += (sum.text.empty() ? "" : " + ") + sum.loads.back().text;
    sum.changes.insert(sum.changes.end(), sum.loads.back().changes.begin(), sum.loads.back().changes.end());
  }
  std::sort(sum.changes.begin(), sum.changes.end());
  return sum;
}

// Returns velocity and place at the end of a mass of 1 that starts at rest at zero under this load. `rate` is that of
// the place s.
std::pair<double, double> motion(const Sum& sum, double rate) {
  double v = 0, x = 0, t = 0;
  const auto go = [&](double to) {
    double force = 0;
    for (const Load& load : sum.loads) force += load.value(rate * 0.5 * (t + to));
    x += (to - t) * (v + 0.5 * force * (to - t));
    v += force * (to - t);
    t = to;
  };
  for (const double change : sum.changes) go(change / rate);
  go(kEnd);
  return {v, x};
}

// Two changes that are equal up to rounding may be reported as one.
bool is_close(const std::vector<double>& changes) {
  for (std::size_t k = 1; k < changes.size(); ++k)
    if (changes[k] - changes[k - 1] < 1e-9) return true;
  return false;
}

const char* const kMethods[] = {"auto", "dop853(rtol = 1e-9, atol = 1e-12)", "dopri5(rtol = 1e-9, atol = 1e-12)",
                                "taylor", "bdf(rtol = 1e-9, atol = 1e-12)"};

}  // namespace

TEST_CASE("random loads that switch with the time: every switch is found") {
  const int count = random_models(30, 3);
  for (int k = 0; k < count; ++k) {
    Rng rng(static_cast<std::uint64_t>(k) + 4100);
    const char* method = kMethods[k % 5];
    const Sum sum = drawn_sum(rng, "t", k % 5 == 4 ? 50 : 2000, kEnd);
    const std::string text = "mbd 1\nspace 1\nparticle p(1) at 0\nforce f on p: " + sum.text +
                             "\nsimulate { time = 0 .. 3 step 0.1; integrator = " + method + " }\n";
    INFO("seed " << k + 4100 << "\n" << text);
    const Run r = run(text);
    REQUIRE(r.result.status == Status::complete);
    const auto [v, x] = motion(sum, 1);
    const double tolerance = k % 5 == 4 ? 1e-6 : 1e-8;
    CHECK(std::fabs(r.last("p.vx") - v) < tolerance);
    CHECK(std::fabs(r.last("p.x") - x) < tolerance);
    if (!is_close(sum.changes)) CHECK(r.result.kinks == sum.changes.size());
    if (k % 5 != 4) CHECK(r.result.evaluations < 40 * sum.changes.size() + 1000);
  }
}

TEST_CASE("random loads that switch with a position: every switch is found") {
  const int count = random_models(30, 3);
  for (int k = 0; k < count; ++k) {
    Rng rng(static_cast<std::uint64_t>(k) + 8200);
    const char* method = kMethods[k % 5];
    const double speed = rng.between(0.5, 2);
    const Sum sum = drawn_sum(rng, "q.x", k % 5 == 4 ? 30 : 300, speed * kEnd);
    const std::string text = "mbd 1\nspace 1\nparticle p(1) at 0\nparticle q(1) at 0 moving " + number(speed) +
                             "\nforce f on p: " + sum.text +
                             "\nsimulate { time = 0 .. 3 step 0.1; integrator = " + method + " }\n";
    INFO("seed " << k + 8200 << "\n" << text);
    const Run r = run(text);
    REQUIRE(r.result.status == Status::complete);
    const auto [v, x] = motion(sum, speed);
    const double tolerance = k % 5 == 4 ? 1e-6 : 1e-8;
    CHECK(std::fabs(r.last("p.vx") - v) < tolerance);
    CHECK(std::fabs(r.last("p.x") - x) < tolerance);
    if (!is_close(sum.changes)) CHECK(r.result.kinks == sum.changes.size());
  }
}

TEST_CASE("random conditions of time and an oscillation: counts as by roots") {
  const int count = random_models(30, 3);
  for (int k = 0; k < count; ++k) {
    Rng rng(static_cast<std::uint64_t>(k) + 12300);
    const Switch a = drawn_switch(rng, 500);
    const double w = rng.between(1, 40), level = rng.between(-0.95, 0.95), whole = std::floor(rng.between(2, 60));
    const char* method = k % 6 == 5 ? "rk4" : kMethods[k % 5];
    const std::string text =
        "mbd 1\nspace 1\nparticle p(1) at 1\nforce f on p: -" + number(w * w) + "*p.x\n" + "when both: " + a.text("t") +
        " and p.x < " + number(level) + " { }\n" + "when down: p.x - " + number(level) + " falling { }\n" +
        "when stepped: floor(" + number(whole) + "*p.x) < " + number(std::floor(whole * level)) + " { }\n" +
        "output nb = both.count, nd = down.count, ns = stepped.count\n" + "simulate { time = 0 .. 3 step " +
        number(0.02 + 0.2 * rng.unit()) + "; integrator = " + (k % 6 == 5 ? "rk4" : method) + " }\n";
    INFO("seed " << k + 12300 << "\n" << text);
    const Run r = run(text, Engine::interpreter,
                      k % 6 == 5 ? std::vector<std::string>{"time.step=0.002"} : std::vector<std::string>{});
    REQUIRE(r.result.status == Status::complete);
    std::vector<double> changes{0};
    a.append_changes(kEnd, changes);
    const auto append_roots = [&](double c) {
      for (double turn = 0; turn < w * kEnd + 7; turn += 2 * std::numbers::pi)
        for (const double root : {turn + std::acos(c), turn - std::acos(c)})
          if (root > 0 && root < w * kEnd) changes.push_back(root / w);
    };
    append_roots(level);
    append_roots(std::floor(whole * level) / whole);
    changes.push_back(kEnd);
    std::sort(changes.begin(), changes.end());
    if (is_close(changes) || std::fabs(std::floor(whole * level)) >= whole) continue;
    double both = 0, down = 0, stepped = 0;
    bool was_both = true, was_down = true, was_stepped = true;
    for (std::size_t i = 1; i < changes.size(); ++i) {
      const double t = 0.5 * (changes[i - 1] + changes[i]), x = std::cos(w * t);
      const bool is_both = a.on(t) && x < level, is_down = x < level,
                 is_stepped = std::floor(whole * x) < std::floor(whole * level);
      both += i > 1 && is_both && !was_both;
      down += i > 1 && is_down && !was_down;
      stepped += i > 1 && is_stepped && !was_stepped;
      was_both = is_both;
      was_down = is_down;
      was_stepped = is_stepped;
    }
    CHECK(r.last("nb") == both);
    CHECK(r.last("nd") == down);
    CHECK(r.last("ns") == stepped);
  }
}
