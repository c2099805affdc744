// SPDX-License-Identifier: Apache-2.0
// Tests random sets of 2 to 6 events whose zeros have closed forms: shared numbers, numbers that touch zero, products,
// conditions; rising, falling and crossing. The rows are from a hundredth of to ten times as far apart as the zeros.
// Numbers that a row holds at zero are among them, from the beginning or from an event on, and must not fire.
// MBC_RANDOM_MODELS=n tests n sets.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <string>
#include <utility>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

constexpr double kEnd = 3;
constexpr double kApart = 1e-6;  // Zeros that are closer have an order that rounding decides.

// A Place is a number of the model that moves as `value` says and passes a level at times in closed form.
struct Place {
  std::string name;
  double low, high;
  std::function<double(double t)> value, rate;
  std::function<std::vector<double>(double level)> times;
};

Place parabola(double x, double v, double a) {
  const auto times = [=](double level) {
    std::vector<double> out;
    const double d = v * v + 2 * a * (level - x);
    if (d > 0)
      for (const double root : {(-v - std::sqrt(d)) / a, (-v + std::sqrt(d)) / a}) out.push_back(root);
    return out;
  };
  const auto value = [=](double t) { return x + v * t + 0.5 * a * t * t; };
  const double ends[] = {x, value(kEnd), value(std::clamp(-v / a, 0.0, kEnd))};
  return {"p.x", *std::min_element(ends, ends + 3),   *std::max_element(ends, ends + 3),
          value, [=](double t) { return v + a * t; }, times};
}

Place oscillation(double w) {
  return {"q.x",
          -1,
          1,
          [=](double t) { return std::cos(w * t); },
          [=](double t) { return -w * std::sin(w * t); },
          [=](double level) {
            std::vector<double> out;
            for (double turn = 0; turn < w * kEnd + 7; turn += 2 * std::numbers::pi)
              for (const double root : {turn + std::acos(level), turn - std::acos(level)}) out.push_back(root / w);
            return out;
          }};
}

Place wave_of_time(double w) {
  return {"sin(" + number(w) + "*t)",
          -1,
          1,
          [=](double t) { return std::sin(w * t); },
          [=](double t) { return w * std::cos(w * t); },
          [=](double level) {
            std::vector<double> out;
            for (double turn = -2 * std::numbers::pi; turn < w * kEnd + 7; turn += 2 * std::numbers::pi)
              for (const double root : {turn + std::asin(level), turn + std::numbers::pi - std::asin(level)})
                out.push_back(root / w);
            return out;
          }};
}

struct Number {
  std::string text;
  std::function<double(double t)> value;
};

struct Zero {
  double t, rate;
};

struct Fired {
  double t;
  std::string event;
};

// A Set is a model, and the events that fire in it.
struct Set {
  std::string text;
  std::vector<Zero> zeros;
  std::vector<Fired> fired;
  bool clear = true;  // The zeros are apart, are passed at a speed, and are not at the start.

  void sort() {
    std::sort(zeros.begin(), zeros.end(), [](const Zero& a, const Zero& b) { return a.t < b.t; });
    for (std::size_t k = 0; k < zeros.size(); ++k) {
      clear = clear && zeros[k].t > 1e-3 && zeros[k].t < kEnd - 1e-6 && std::fabs(zeros[k].rate) > 0.05;
      clear = clear && (k == 0 || zeros[k].t - zeros[k - 1].t > kApart || zeros[k].t == zeros[k - 1].t);
    }
  }
};

class Draw {
 public:
  Draw(std::uint64_t seed, bool exact_only) : rng_(seed), long_steps_(exact_only) {
    const double x = rng_.between(-1, 1), v = rng_.between(-2, 2), a = rng_.sign() * rng_.between(0.5, 3);
    const double w = rng_.between(1, exact_only ? 3 : 25);
    places_ = {parabola(x, v, a)};
    set_.text = "mbd 1\nspace 2\nparticle p(1) at (" + number(x) + ", 0) moving (" + number(v) +
                ", 0)\nforce f on p: (" + number(a) + ", 0)\n";
    if (!exact_only) {
      places_.push_back(oscillation(w));
      set_.text += "particle q(1) at (1, 0)\nforce g on q: (-" + number(w * w) + "*q.x, 0)\n";
    }
    places_.push_back(wave_of_time(rng_.between(1, 20)));
  }

  Set set() {
    std::vector<Number> pool;
    for (int k = 2 + static_cast<int>(rng_.below(3U)); k > 0; --k) pool.push_back(drawn());
    const int events = 2 + static_cast<int>(rng_.below(5U));
    std::vector<std::function<bool(double, double)>> fires;
    for (int k = 0; k < events; ++k) {
      const Number& a = pool[rng_.below(pool.size())];
      const Number& b = pool[rng_.below(pool.size())];
      fires.push_back(event("e" + std::to_string(k), a, b));
    }
    held();
    set_.sort();
    double before = 0;
    for (std::size_t i = 0; i < set_.zeros.size(); ++i) {
      const double t = set_.zeros[i].t;
      if (i + 1 < set_.zeros.size() && set_.zeros[i + 1].t == t) continue;
      const double next = i + 1 < set_.zeros.size() ? set_.zeros[i + 1].t : kEnd;
      for (int k = 0; k < events; ++k)
        if (fires[static_cast<std::size_t>(k)](0.5 * (before + t), 0.5 * (t + next)))
          set_.fired.push_back({t, "e" + std::to_string(k)});
      before = t;
    }
    return std::move(set_);
  }

  // The distance between rows: from a hundredth of to ten times that between zeros.
  double step(double most) {
    const double apart = kEnd / static_cast<double>(set_.zeros.size() + 1);
    return std::clamp(apart * rng_.log_between(0.01, 10), 1e-3, std::min(most, kEnd));
  }

 private:
  void add_zeros(const Place& place, double level) {
    for (const double t : place.times(level))
      if (t > -1e-3 && t < kEnd + 1e-3) set_.zeros.push_back({t, place.rate(t)});
  }

  Number drawn() {
    const Place& a = places_[rng_.below(places_.size())];
    const Place& b = places_[rng_.below(places_.size())];
    const double at = rng_.between(a.low, a.high), other = rng_.between(b.low, b.high);
    const std::string ta = "(" + a.name + " - " + number(at) + ")", tb = "(" + b.name + " - " + number(other) + ")";
    const auto fa = a.value, fb = b.value;
    add_zeros(a, at);
    switch (rng_.below(4U)) {
      case 0:
        add_zeros(b, other);
        return {ta + "*" + tb, [=](double t) { return (fa(t) - at) * (fb(t) - other); }};
      case 1:  // It touches zero, and is positive on both sides.
        return {ta + "^2", [=](double t) { return (fa(t) - at) * (fa(t) - at); }};
      default:
        return {ta, [=](double t) { return fa(t) - at; }};
    }
  }

  // Adds an event, and returns whether it fires between two times on both sides of one zero.
  std::function<bool(double, double)> event(const std::string& name, const Number& a, const Number& b) {
    const bool counts = rng_.chance(0.5);
    const std::string body = counts ? " { n" + name + " = n" + name + " + 1 }\n" : " { }\n";
    if (counts) set_.text += "state n" + name + " = 0\n";
    const auto add = [&](const std::string& what) { set_.text += "when " + name + ": " + what + body; };
    const auto fa = a.value, fb = b.value;
    switch (rng_.below(6U)) {
      case 0:
        add(a.text + " rising");
        return [=](double t, double u) { return fa(t) < 0 && fa(u) > 0; };
      case 1:
        add(a.text + " falling");
        return [=](double t, double u) { return fa(t) > 0 && fa(u) < 0; };
      case 2:
        add(a.text + " crossing");
        return [=](double t, double u) { return (fa(t) > 0) != (fa(u) > 0); };
      case 3:
        add(a.text + " < 0 and " + b.text + " < 0");
        return [=](double t, double u) { return !(fa(t) < 0 && fb(t) < 0) && fa(u) < 0 && fb(u) < 0; };
      case 4:
        add(a.text + " < 0 or " + b.text + " >= 0");
        return [=](double t, double u) { return !(fa(t) < 0 || fb(t) >= 0) && (fa(u) < 0 || fb(u) >= 0); };
      default:
        add("not (" + a.text + " > 0)");
        return [=](double t, double u) { return fa(t) > 0 && !(fa(u) > 0); };
    }
  }

  // Adds a particle whose row holds numbers at zero, from the start or from a time on until which it lies still.
  void held() {
    const bool later = rng_.chance(0.5);
    const std::string tied = later ? "0" : "1";
    set_.text += (later ? "state tied = " : "param tied = ") + tied + "\nparticle r(1) at (1, 0)\n";
    set_.text += std::string("force h on r: ") + (long_steps_ ? "(0.03*tied, -0.2*tied)\n" : "(0.3*tied, -2*tied)\n");
    set_.text += "constraint rod: norm(r.pos) == 1\n";
    if (later)
      set_.text += "init { disable rod }\nat tie: " + number(rng_.between(0.2, 2)) + " { tied = 1; enable rod }\n";
    set_.text += "when h0: norm(r.pos) - 1 crossing { }\nwhen h1: r.x^2 + r.y^2 > 1 { }\n";
    set_.text += "when h2: r.x*r.vx + r.y*r.vy rising { }\n";
  }

  Rng rng_;
  bool long_steps_;
  std::vector<Place> places_;
  Set set_;
};

struct Tried {
  const char* integrator;
  bool exact_only;  // fixed steps, which may be long: only motions that they integrate exactly
  double tolerance;
};

const Tried kTried[] = {{"auto(tol = 1e-10)", false, 1e-7},
                        {"rk4", true, 1e-9},
                        {"dop853(rtol = 1e-10, atol = 1e-12)", false, 1e-7},
                        {"ab4", true, 1e-9},
                        {"dopri5(rtol = 1e-10, atol = 1e-12)", false, 1e-7},
                        {"bdf(rtol = 1e-9, atol = 1e-11)", false, 1e-4},
                        {"taylor", false, 1e-7},
                        {"dop853(fixed)", true, 1e-9}};

}  // namespace

TEST_CASE("random sets of events: counts, order and times as by their zeros") {
  const int count = random_models(60, 1);
  int tried = 0, fired = 0;
  for (std::uint64_t seed = first_random_seed(); tried < count; ++seed) {
    const Tried& method = kTried[seed % std::size(kTried)];
    Draw draw(seed, method.exact_only);
    Set set = draw.set();
    if (!set.clear || set.fired.empty()) continue;
    ++tried;
    set.text += "simulate { time = 0 .. 3 step " + number(draw.step(method.exact_only ? 1 : 3)) +
                "; integrator = " + method.integrator + " }\n";
    INFO("seed " << seed << "\n" << set.text);
    std::vector<Fired> got;
    Simulation simulation = compile_text(set.text, Engine::interpreter);
    RunOptions options;
    options.on_event = [&](double t, const std::string& event) {
      if (event != "tie") got.push_back({t, event});
    };
    const RunResult result = simulation.run(options);
    REQUIRE(result.status == Status::complete);
    const auto earlier = [](const Fired& a, const Fired& b) { return a.t != b.t ? a.t < b.t : a.event < b.event; };
    CHECK(std::is_sorted(got.begin(), got.end(), [](const Fired& a, const Fired& b) { return a.t < b.t; }));
    std::sort(got.begin(), got.end(), earlier);
    std::string found, expected;
    for (const Fired& f : got) found += f.event + " ";
    for (const Fired& f : set.fired) expected += f.event + " ";
    CHECK(found == expected);
    for (std::size_t k = 0; k < got.size() && k < set.fired.size(); ++k)
      CHECK(std::fabs(got[k].t - set.fired[k].t) < method.tolerance);
    fired += static_cast<int>(set.fired.size());
  }
  CHECK(fired > 3 * count);
}
