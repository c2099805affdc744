// SPDX-License-Identifier: Apache-2.0
// Tests the start of models whose sizes are not known there or lie far apart: coordinates from 1e-12 to 1e9 in one
// model, rates that are zero, loads that begin later, masses that are singular at the start. `auto` and `bdf` run each
// of them, and the motion is the closed form, relative to its own size or, of coordinates that share a size, to the
// largest. States that integrate what is zero although its terms are not cost few steps: ways along normals of planes
// and spheres, and rows that hold. MBC_RANDOM_MODELS=n tests n/10 models.
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/physics/run.h"
#include "tests/random/how_many.h"

using namespace mbc;
using namespace mbc::test;

namespace {

// One coordinate, or particle on an axis, with a spring, and what it is at the end of the run.
struct Part {
  std::string text;
  std::string name;
  double size = 0, end = 0;  // the largest value of its motion; the value at kEnd
};

constexpr double kEnd = 4;

// m x'' = -k x + F (from t0 on), from x(0) = x0 at rest.
Part oscillator(Rng& rng, const std::string& id, bool particle) {
  const double size = rng.log_between(1e-12, 1e9), m = rng.log_between(1e-6, 1e6), w = rng.between(0.5, 3);
  const double x0 = rng.chance(0.5) ? 0 : size;
  const double t0 = rng.chance(0.5) ? 0 : rng.between(0.1, 2), k = m * w * w, F = k * size;
  Part p;
  p.name = particle ? id + ".x" : id;
  const std::string load = number(F) + (t0 > 0 ? "*(if t > " + number(t0) + " then 1 else 0)" : std::string()) + " - " +
                           number(k) + "*" + p.name;
  p.text = particle ? "particle " + id + "(" + number(m) + ") at " + number(x0) + "\nforce f" + id + " on " + id +
                          ": " + load + "\n"
                    : "coord " + id + " = " + number(x0) + "\nkinetic T" + id + ": " + number(m / 2) + "*" + id +
                          "'^2\nload f" + id + " on " + id + ": " + load + "\n";
  const double later = w * (kEnd - t0);
  p.end = x0 * std::cos(w * kEnd) + size * (1 - std::cos(later));
  p.size = 2 * size + std::fabs(x0);
  return p;
}

// A body in Euler parameters as coordinates that turns about its third axis, from where the first parameter has no
// inertia: e3 = sin(w t/2).
Part turning(Rng& rng, const std::string& id) {
  const double w = rng.log_between(1e-3, 3);
  std::string e[4];
  Part p;
  for (int k = 0; k < 4; ++k) {
    e[k] = id + std::to_string(k);
    p.text +=
        "coord " + e[k] + " = " + (k == 0 ? "1" : "0") + (k == 3 ? " rate " + number(w / 2) : std::string()) + "\n";
  }
  const auto rate = [&](int a, int b, int c, int d) {
    return "2*(-" + e[a] + "*" + e[0] + "' + " + e[0] + "*" + e[a] + "' + " + e[b] + "*" + e[c] + "' - " + e[c] + "*" +
           e[d] + "')";
  };
  p.text += "kinetic T" + id;
  const std::string x = rate(1, 3, 2, 3), y = rate(2, 1, 3, 1), z = rate(3, 2, 1, 2);
  p.text += ": " + number(rng.between(1, 3)) + "*(" + x + ")^2 + " + number(rng.between(1, 3)) + "*(" + y + ")^2 + " +
            number(rng.between(1, 3)) + "*(" + z + ")^2\n";
  p.text += "constraint c" + id + ": " + e[0] + "^2 + " + e[1] + "^2 + " + e[2] + "^2 + " + e[3] + "^2 == 1\n";
  p.name = e[3];
  p.size = 1;
  p.end = std::sin(w * kEnd / 2);
  return p;
}

// A motion, and states beside it that are zero up to rounding, or up to the errors of the steps.
struct Zeros {
  std::string motion, states;
  std::vector<std::string> names;

  void add(const std::string& rate) {
    names.push_back("w" + std::to_string(names.size()));
    states += "state " + names.back() + " = 0 where " + names.back() + "' = " + rate + "\n";
  }
};

std::string vector_of(double x, double y, double z) {
  return "(" + number(x) + ", " + number(y) + ", " + number(z) + ")";
}

Zeros zeros(Rng& rng) {
  Zeros m;
  const double size = rng.log_between(1e-3, 1e3), g = size * rng.log_between(0.3, 30),
               part = rng.log_between(1e-2, 1e2);
  const double phi = rng.between(0.2, 1.3), psi = rng.between(0.2, 6), a = std::cos(phi);
  const double n[3] = {a * std::cos(psi), a * std::sin(psi), std::sin(phi)};
  const std::string normal = vector_of(n[0], n[1], n[2]);
  // The first place lies in the plane, at a distance `size` from the origin.
  const std::string place = vector_of(-size * std::sin(psi), size * std::cos(psi), 0);
  m.motion = "gravity " + vector_of(g * rng.between(-1, 1), g * rng.between(-1, 1), -g) + "\nparticle p(" +
             number(rng.log_between(1e-3, 1e3)) + ") at " + place + "\n";
  switch (rng.below(3U)) {
    case 0:
      m.motion += "constraint plane: dot(" + normal +
                  ", p.pos) == 0\nconstraint rod: dist(ground, p) == " + number(size) + "\n";
      m.add(number(part) + "*dot(" + normal + ", p.vel)");
      if (rng.chance(0.5)) m.add("dot(p.pos, p.vel)");
      break;
    case 1:
      m.motion += "constraint sphere: dist(ground, p) == " + number(size) + "\n";
      m.add(number(part) + "*dot(p.pos, p.vel)");
      if (rng.chance(0.5)) m.add("(p.pos.x^2 + p.pos.y^2 + p.pos.z^2 - " + number(size * size) + ")*p.vx");
      break;
    default:
      m.motion += "constraint plane: dot(" + normal + ", p.pos) == 0\n";
      m.add("dot(" + normal + ", p.vel)");
      if (rng.chance(0.5)) m.add("p.vx*w0 + " + number(part) + "*dot(" + normal + ", p.pos)");
  }
  return m;
}

}  // namespace

TEST_CASE("states that stay at zero while the terms of their rates do not ask for few steps") {
  const int models = random_models(40, 10);
  for (int k = 0; k < models; ++k) {
    const std::uint64_t seed = first_random_seed() + static_cast<std::uint64_t>(k);
    Rng rng(seed);
    const Zeros m = zeros(rng);
    const double span = rng.between(1, 5);
    const std::string tol = number(rng.log_between(1e-11, 1e-5));
    const std::string end = "simulate { time = 0 .. " + number(span) + " step " + number(span / 20) + " }\n";
    for (const std::string& integrator :
         {"auto(tol = " + tol + ")", "taylor(tol = " + tol + ")", "dop853(rtol = " + tol + ")",
          "dopri5(rtol = " + tol + ")", "bdf(rtol = " + tol + ")"}) {
      const std::vector<std::string> set{"integrator=" + integrator};
      const Run alone = run("mbd 1\n" + m.motion + end, Engine::interpreter, set);
      const Run with = run("mbd 1\n" + m.motion + m.states + end, Engine::interpreter, set);
      CAPTURE(seed);
      CAPTURE(integrator);
      CAPTURE(m.motion);
      CAPTURE(m.states);
      CAPTURE(with.result.rendered);
      REQUIRE(alone.result.status == Status::complete);
      REQUIRE(with.result.status == Status::complete);
      const bool by_sizes = integrator.starts_with("auto") || integrator.starts_with("taylor");
      // A part of the steps finds the size of what is zero where the motion begins at rest.
      // Tolerances of the other methods are absolute for what is zero.
      if (by_sizes) CHECK(with.result.steps <= 2 * alone.result.steps + 10);
      if (by_sizes && alone.result.accuracy.error && *alone.result.accuracy.error < 1e-4)
        CHECK(with.result.warnings.empty());
    }
  }
}

TEST_CASE("models start whatever their sizes are, and whether these are known") {
  const int models = random_models(40, 10);
  for (int k = 0; k < models; ++k) {
    const std::uint64_t seed = first_random_seed() + static_cast<std::uint64_t>(k);
    Rng rng(seed);
    const bool particles = rng.chance(0.5);
    std::vector<Part> parts;
    for (std::uint32_t i = 0, n = 1 + rng.below(3U); i < n; ++i)
      parts.push_back(oscillator(rng, "p" + std::to_string(i), particles));
    if (rng.chance(0.3)) parts.push_back(turning(rng, "e"));
    std::string text = "mbd 1\n" + std::string(particles ? "space 1\n" : "");
    double largest = 0;
    for (const Part& p : parts) {
      text += p.text;
      largest = std::max(largest, p.size);
    }
    text +=
        "simulate { time = 0 .. " + number(kEnd) + " step 0.5" + (rng.chance(0.5) ? "; kinks = ignore" : "") + " }\n";
    // Of `bdf` the absolute tolerance belongs to the largest coordinate: all of them share one.
    for (const std::string& integrator :
         {std::string("auto"), "bdf(rtol = 1e-8, atol = " + number(1e-8 * largest) + ")"}) {
      const Run r = run(text, Engine::interpreter, {"integrator=" + integrator});
      CAPTURE(seed);
      CAPTURE(integrator);
      CAPTURE(text);
      CAPTURE(r.result.rendered);
      REQUIRE(r.result.status == Status::complete);
      for (const Part& p : parts) {
        CAPTURE(p.name);
        // Particles share a size; a coordinate has at least 1e-6 of the largest one.
        const double size = particles || integrator != "auto" ? largest : std::max(p.size, 1e-6 * largest);
        CHECK(std::fabs(r.last(p.name) - p.end) <= 1e-5 * size);
      }
    }
  }
}

TEST_CASE("cells of an array begin at zero one after the other: a rod that is heated from one end") {
  for (const char* cells : {"10", "30", "60"}) {
    const std::string text = std::string("mbd 1\nparam n: int = ") + cells + R"(
state H[i in 1..n] = 0 where H[i]' = 400*((if i == 1 then 1 else H[max(i-1, 1)]) - 2*H[i] +
  (if i == n then 0 else H[min(i+1, n)]))
simulate { time = 0 .. 1 step 0.1 }
)";
    CAPTURE(cells);
    const Run r = run(text, Engine::interpreter);
    REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
    CHECK(r.result.steps < 3000);
    const Run fine = run(text, Engine::interpreter, {"integrator=bdf(rtol = 1e-11, atol = 1e-14)"});
    for (const char* cell : {"H[1]", "H[5]", "H[10]"}) CHECK(std::fabs(r.last(cell) - fine.last(cell)) <= 1e-6);
  }
}
