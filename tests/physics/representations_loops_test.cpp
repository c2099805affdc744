// SPDX-License-Identifier: Apache-2.0
// Tests loops and chains of free bodies in every representation, with the generalised inverse and the augmented system.
#include <cmath>

#include "doctest/doctest.h"
#include "mbc/mbc.h"
#include "tests/physics/representations.h"
#include "tests/physics/run.h"

using mbc::test::choose;
using mbc::test::kFormulations;
using mbc::test::kRepresentations;
using mbc::test::near;
using mbc::test::Run;
using mbc::test::run_both;

// Four hinges of five rows each close a loop of three bodies, so that three rows depend on the others.
TEST_CASE("a four-bar with its redundant rows, in natural coordinates") {
  const std::string spatial = R"(mbd 1
param a = 0.5, b = 1.2, c = 0.9, d = 1.1, phi = 1.2
gravity (0, -9.81, 0)
let A = (a*cos(phi), a*sin(phi), 0), e = (d, 0, 0) - A, s = norm(e)
let u = acos((b^2 + s^2 - c^2)/(2*b*s)), th = atan2(dot(e, ey), dot(e, ex)) + u
let B = A + b*(cos(th), sin(th), 0), g = B - (d, 0, 0), ps = atan2(dot(g, ey), dot(g, ex))
body crank(mass = 1, inertia = diag(0.001, 0.03, 0.03)) at 0.5*A rotated rotz(phi)
body rod(mass = 2, inertia = diag(0.06, 0.2, 0.25)) at 0.5*(A + B) rotated rotz(th)
body rocker(mass = 1.5, inertia = diag(0.03, 0.1, 0.12)) at (d, 0, 0) + 0.5*g rotated rotz(ps)
point c0 on crank at (-a/2, 0, 0)
point c1 on crank at (a/2, 0, 0)
point r0 on rod at (-b/2, 0, 0)
point r1 on rod at (b/2, 0, 0)
point k0 on rocker at (-c/2, 0, 0)
point k1 on rocker at (c/2, 0, 0)
constraint h1: c0.pos == (0, 0, 0)
constraint h1x: dot(crank.rot*ex, ez) == 0
constraint h1y: dot(crank.rot*ey, ez) == 0
constraint h2: c1.pos == r0.pos
constraint h2x: dot(crank.rot*ex, rod.rot*ez) == 0
constraint h2y: dot(crank.rot*ey, rod.rot*ez) == 0
constraint h3: r1.pos == k1.pos
constraint h3x: dot(rod.rot*ex, rocker.rot*ez) == 0
constraint h3y: dot(rod.rot*ey, rocker.rot*ez) == 0
constraint h4: k0.pos == (d, 0, 0)
constraint h4x: dot(rocker.rot*ex, ez) == 0
constraint h4y: dot(rocker.rot*ey, ez) == 0
output c1.pos, r1.pos, E = energy.total
simulate { time = 0 .. 0.4 step 0.001; integrator = rk4 }
)";
  const Run planar = run_both(R"(mbd 1
space 2
param a = 0.5, b = 1.2, c = 0.9, d = 1.1, phi = 1.2
gravity (0, -9.81)
let A = (a*cos(phi), a*sin(phi)), e = (d, 0) - A, s = norm(e)
let u = acos((b^2 + s^2 - c^2)/(2*b*s)), th = atan2(dot(e, ey), dot(e, ex)) + u
let B = A + b*(cos(th), sin(th)), g = B - (d, 0), ps = atan2(dot(g, ey), dot(g, ex))
body crank(mass = 1, inertia = 0.03) at 0.5*A rotated rot(phi)
body rod(mass = 2, inertia = 0.25) at 0.5*(A + B) rotated rot(th)
body rocker(mass = 1.5, inertia = 0.12) at (d, 0) + 0.5*g rotated rot(ps)
point c0 on crank at (-a/2, 0)
point c1 on crank at (a/2, 0)
point r0 on rod at (-b/2, 0)
point r1 on rod at (b/2, 0)
point k0 on rocker at (-c/2, 0)
point k1 on rocker at (c/2, 0)
constraint h1: c0.pos == (0, 0)
constraint h2: c1.pos == r0.pos
constraint h3: r1.pos == k1.pos
constraint h4: k0.pos == (d, 0)
output c1.pos, r1.pos, E = energy.total
simulate { time = 0 .. 0.4 step 0.001; integrator = rk4 }
)");
  for (const std::string& bodies : kRepresentations)
    for (const std::string& formulation : kFormulations) {
      CAPTURE(bodies);
      CAPTURE(formulation);
      const Run r = run_both(spatial, choose(bodies, formulation));
      REQUIRE(r.result.status == mbc::Status::complete);
      CHECK(r.result.rank == (bodies == "quaternion" ? 17 : bodies == "natural" ? 35 : 20));
      CHECK(r.result.dependent_rows.size() == 3);
      for (const char* name : {"c1.pos.x", "c1.pos.y", "r1.pos.x", "r1.pos.y", "E"}) {
        CAPTURE(name);
        CHECK(near(r.last(name), planar.last(name), 1e-8));
      }
    }
}

// The chain has too many bodies for straight-line code and uses loops and the dense routines.
TEST_CASE("a long chain by loops") {
  std::string model = "mbd 1\ngravity (0, 0, -9.81)\n";
  const int count = 12;
  for (int k = 0; k < count; ++k) {
    const std::string n = std::to_string(k);
    model += "body b" + n + "(mass = 1, inertia = diag(0.002, 0.1, 0.1), com = (0.02, 0, 0)) at (" + n +
             " + 0.5, 0, 0) rotated rotx(0.1*" + n + ")\n" + "point s" + n + " on b" + n + " at (-0.5, 0, 0)\npoint e" +
             n + " on b" + n + " at (0.5, 0, 0)\n";
    model += "constraint j" + n + ": s" + n +
             ".pos == " + (k == 0 ? "(0, 0, 0)" : "e" + std::to_string(k - 1) + ".pos") + "\n";
  }
  model +=
      "force f on e11: (0, 2, 0)\noutput tip = e11.pos, l = j0.lambda, E = energy.total\n"
      "simulate { time = 0 .. 0.02 step 0.001; integrator = rk4 }\n";
  const Run wanted = run_both(model);
  for (const std::string& bodies : kRepresentations)
    for (const std::string& formulation : kFormulations) {
      CAPTURE(bodies);
      CAPTURE(formulation);
      const Run r = run_both(model, choose(bodies, formulation));
      REQUIRE(r.result.status == mbc::Status::complete);
      for (const char* name : {"tip.x", "tip.y", "tip.z", "l.x", "l.y", "l.z"}) {
        CAPTURE(name);
        CHECK(near(r.last(name), wanted.last(name), 1e-7));
      }
      CHECK(r.result.balance_error < 1e-7);
    }
}
