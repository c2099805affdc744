// SPDX-License-Identifier: Apache-2.0
// Tests Y, Z and the bias of quasi-velocities, c of rows, N of momenta and the loads of `nonideal` blocks at random
// states. They are compared with the expressions that they come from: evaluated, differenced in the speeds, and
// differenced along a motion.
#include <doctest/doctest.h>

#include <cmath>

#include "tests/compiler/lower/lowered_values.h"

using namespace mbc;
using namespace mbc::test;
using lower::Target;

namespace {

// The model has coordinates, prescribed bodies that move with time, bodies of all kinds, a state whose rate contains a
// velocity, and moving supports.
const char* const kSpace =
    "mbd 1\n"
    "param R = 0.7, w = 1.3\n"
    "coord x = 0, phi = 0, psi = 0\n"
    "gravity (0.1, 0.2, -9.81)\n"
    "particle p(1.5) at (1, 2, 3)\n"
    "particle cart(2) follows (x + 0.3*sin(w*t), x*phi, t^2)\n"
    "body free(mass = 2, inertia = diag(1, 2, 2.5), com = (0.1, 0.2, 0.3)) at (0, 0, 0)\n"
    "body euler(mass = 1, inertia = diag(1, 2, 2.5), coordinates = euler_parameters) at (0, 0, 0)\n"
    "body nacf(mass = 1, inertia = diag(1, 2, 2.5), coordinates = natural) at (0, 0, 0)\n"
    "body arm(mass = 1, inertia = diag(1, 2, 2.5)) follows frame(origin = (x, sin(t), psi^2), rotation = "
    "rotz(phi + w*t)*rotx(psi))\n"
    "state s = 0.5 where s' = x' + s*p.vx - t\n"
    "state z = 0.5 where z' = sin(t)*z\n"
    "kinetic K: 0.5*x'^2*(1 + phi^2)*s + phi'*t*x + t^2 + x'*psi'\n";

const char* const kSpeeds =
    "speed slip = phi' - x'/R, mixed = x'*sin(phi) + t*phi' + 3*t^2 - z\n"
    "speed v = p.vel*exp(x)\n"
    "speed turn = arm.omega, spin = euler.omega, flat = nacf.omega.y + free.omega.z*x\n"
    "speed lag = s' + psi'\n"
    "speed each[i in 1..3] = i*psi'*x + i^2*sin(t)\n"
    "speed place = cart.vel.y + cart.vel.x\n"
    "let twice = 2*(slip + x')\n"
    "speed later = twice\n";

const char* const kRows =
    "constraint lift: p.z == 3 + t^2*z\n"
    "constraint hold: dot(cart.pos, cart.pos) == 1 + phi\n"
    "constraint roll: phi' - x'/R == 0.1*t + s\n"
    "constraint prescribed: dot(p.vel, (x, t, 1)) + cart.vel.x == cos(t)\n"
    "constraint meet: arm.pos == free.pos + nacf.rot*(0.1, 0.2, 0.3)\n"
    "constraint slow: s' == psi'\n";

constexpr int kStates = 50;

double dot(const Vector& a, const Vector& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += a[k] * b[k];
  return sum;
}

// Compares |difference| with the size of the terms.
void check_close(double a, double b, double tolerance, double size = 0) {
  CHECK(std::fabs(a - b) <= tolerance * (1 + std::fabs(a) + std::fabs(b) + size));
}

ModelState moved(const lower::System& s, const ModelState& at, double h) {
  const Lowered here = values_at(s, at);
  ModelState there = at;
  there.t += h;
  for (std::size_t i = 0; i < at.q.size(); ++i) there.q[i] += h * here.rate[i];
  for (std::size_t k = 0; k < at.s.size(); ++k) there.s[k] += h * here.state_rate[k];
  return there;
}

}  // namespace

TEST_CASE("y = Y u + Z, and its bias is the rate of y with u standing still") {
  const Compilation c = compiled(std::string(kSpace) + kSpeeds);
  const auto& list = c.model.quasi_velocities;
  REQUIRE(list.size() == 18);
  REQUIRE(c.system.n_quasi == list.size());
  CHECK(list[2].name == "v.x");
  CHECK(list[13].name == "each[1]");
  Rng rng(41);
  constexpr double h = 1e-5;
  for (int n = 0; n < kStates; ++n) {
    const ModelState at = random_state(c, rng);
    ModelState still = at;
    for (double& u : still.u) u = 0;
    const Lowered got = values_at(c.system, at);
    const ModelState after = moved(c.system, at, h), before = moved(c.system, at, -h);
    for (std::size_t k = 0; k < list.size(); ++k) {
      CAPTURE(list[k].name);
      check_close(dot(got.Y[k], at.u) + got.Z[k], value_at(c.model, list[k].value, at), 1e-13);
      check_close(got.Z[k], value_at(c.model, list[k].value, still), 1e-14);
      const double rate =
          (value_at(c.model, list[k].value, after) - value_at(c.model, list[k].value, before)) / (2 * h);
      check_close(got.quasi_bias[k], rate, 1e-8);
    }
  }
}

TEST_CASE("contributions that are zero are left out") {
  const Compilation c = compiled(
      "mbd 1\nparam R = 2\ncoord x = 0, y = 0\nparticle p(1) follows (x, y, 0)\nspeed a = x' - y'/R\n"
      "constraint r: x' - y'/R == 0\nconstraint h: x^2 + y/R == 1\n");
  Rng rng(42);
  Lowered got = values_at(c.system, random_state(c, rng));
  CHECK(got.count[Target::quasi_row] == 2);
  CHECK(got.count[Target::jacobian] == 4);
  for (const Target t : {Target::quasi_offset, Target::quasi_bias, Target::rate_offset, Target::momentum_offset,
                         Target::nonideal_force, Target::constraint_rate})
    CHECK(got.count[t] == 0);
  CHECK(c.system.linear_rows);
  CHECK_FALSE(c.system.nonideal);
}

TEST_CASE("rows of position and velocity level are A u + c") {
  const Compilation c = compiled(std::string(kSpace) + kRows);
  CHECK(c.system.linear_rows);
  Rng rng(43);
  for (int n = 0; n < kStates; ++n) {
    ModelState at = random_state(c, rng);
    const Lowered got = values_at(c.system, at);
    for (std::size_t r = 0; r < c.model.equations.size(); ++r) {
      CAPTURE(c.model.equations[r].name);
      check_close(dot(got.A[r], at.u) + got.rate_offset[r], got.velocity_residual[r], 1e-13);
    }
    for (double& u : at.u) u = 0;
    const Lowered still = values_at(c.system, at);
    for (std::size_t r = 0; r < c.model.equations.size(); ++r) {
      check_close(got.rate_offset[r], still.velocity_residual[r], 1e-14);
      if (c.model.equations[r].level == ad::Level::position) CHECK(got.rate_offset[r] == got.constraint_rate[r]);
    }
  }
}

TEST_CASE("rows that are not linear in the speeds, and rows of accelerations") {
  const std::string head = "mbd 1\ncoord x = 0, y = 0\nparticle p(1) follows (x, y, 0)\nstate s = 0 where s' = x'^2\n";
  const auto linear = [&head](const std::string& row) { return compiled(head + row + "\n").system.linear_rows; };
  CHECK(linear("constraint c: x == sin(t)"));
  CHECK(linear("constraint c: abs(x)*x' + max(x, y)*y' == t"));
  CHECK(linear("constraint c: x' == s"));
  CHECK_FALSE(linear("constraint c: x'^2 == 1"));
  CHECK_FALSE(linear("constraint c: x'*y' == 1"));
  CHECK_FALSE(linear("constraint c: sign(x') + y' == 1"));
  CHECK_FALSE(linear("constraint c: x' + floor(x') == 1"));
  CHECK_FALSE(linear("constraint c: x'' == 1"));
  CHECK_FALSE(linear("constraint c: x' == s'"));
}

TEST_CASE("rows whose forces may do work: all that is not A u = 0") {
  const auto working = [](const std::string& row) {
    return compiled("mbd 1\nparticle p(1) at (1, 2, 3)\nstate s = 0 where s' = 1\nconstraint c: " + row + "\n")
        .system.works.size();
  };
  for (const char* row :
       {"p.x == 1", "p.vx == p.vy", "p.vx == 0.3*p.vy", "0.3*p.vy == p.vx", "p.vx*sin(p.x) + 2*p.vy - t*p.vz == 0",
        "(p.vx - 3*p.vy)/p.z == 0", "2*(p.vx + p.vz)*p.y == p.vz", "max(p.x, s)*p.vx == 3*(p.vy - p.vz)"}) {
    CAPTURE(row);
    CHECK(working(row) == 0);
  }
  for (const char* row : {"p.x == 1 + t", "p.vx == 0.3", "p.vx == 0.3*p.vy + t", "p.vx == s", "p.vx*p.vy == 1",
                          "p.vx == 0.3*p.vy^2", "p.vx + floor(p.vx) == 0", "p.vx + 2*abs(p.vy) == 0", "p.ax == 0"}) {
    CAPTURE(row);
    CHECK(working(row) == 1);
  }
}

TEST_CASE("dT/du = M u + N") {
  const char* const plane =
      "mbd 1\nspace 2\ncoord x = 0, phi = 0\nparticle p(1.5) follows (x + sin(t), x*phi*t)\n"
      "body b(mass = 2, inertia = 0.3) follows frame(origin = (x, t*phi), rotation = rot(phi^2 + t*x))\n"
      "body free(mass = 2, inertia = 0.3) at (0, 0)\n";
  for (const char* text : {kSpace, plane}) {
    const Compilation c = compiled(text);
    Rng rng(44);
    // For a `kinetic` term the system contains the energy u T_u - T, so T itself comes from the model.
    const auto kinetic = [&c](const ModelState& at) {
      double T = 0;
      for (const lower::Part& part : c.system.parts)
        if (std::string(part.what) == "particle" || std::string(part.what) == "body") {
          lower::System one = c.system;
          one.parts = {part};
          T += values_at(one, at).kinetic;
        }
      for (const sema::EnergyTerm& e : c.model.energies) T += value_at(c.model, e.value, at);
      return T;
    };
    for (int n = 0; n < kStates / 5; ++n) {
      const ModelState at = random_state(c, rng);
      const Lowered got = values_at(c.system, at);
      CHECK(got.count.at(Target::momentum_offset) > 2);
      constexpr double h = 0.5;  // T is quadratic, so central differences are exact up to rounding.
      for (std::size_t i = 0; i < at.u.size(); ++i) {
        CAPTURE(c.model.speeds[i].name);
        ModelState up = at, down = at;
        up.u[i] += h;
        down.u[i] -= h;
        const double T = kinetic(at);
        check_close(dot(got.M[i], at.u) + got.N[i], (kinetic(up) - kinetic(down)) / (2 * h), 1e-13, std::fabs(T));
      }
    }
  }
}

// Loads in a `nonideal` block and outside of it have the same numbers at other places.
TEST_CASE("loads of nonideal blocks go to C, with their power") {
  const std::string space =
      "mbd 1\nparam c = 0.3\ncoord x = 0, phi = 0\nparticle p(1) at (1, 2, 3)\n"
      "particle f(1) follows (x + sin(t), phi*x, t)\n"
      "body b(mass = 1, inertia = diag(1, 2, 2.5)) follows frame(origin = (x, 0, 0), rotation = rotz(phi + t))\n"
      "body d(mass = 1, inertia = diag(1, 2, 2.5)) at (0, 0, 0)\npoint tip on d at (1, 2, 3)\n"
      "force weight on p: (0, 0, -9)\n";
  const std::string loads =
      "force drag on f from p: -c*(f.vel - p.vel)*t\nforce on tip: tip.vel\ntorque on b from d: (x', 2, t)\n"
      "load l on phi: -c*phi'^3\nforce f[1] on p: p.vel*x\n";
  std::string named = loads;
  named.replace(named.find("f[1]"), 4, "g[1]");
  const Compilation none = compiled(space + "constraint w: p.z == x\n");
  const Compilation outside = compiled(space + "constraint w: p.z == x\n" + named);
  const Compilation inside = compiled(space + "constraint w: p.z == x nonideal {\n" + named + "}\n");
  CHECK(inside.system.nonideal);
  CHECK_FALSE(outside.system.nonideal);
  CHECK(inside.model.forces[0].name == "weight");
  CHECK_FALSE(inside.model.forces[0].nonideal);
  Rng rng(45);
  for (int n = 0; n < kStates; ++n) {
    const ModelState at = random_state(inside, rng);
    const Lowered a = values_at(none.system, at), b = values_at(outside.system, at), c = values_at(inside.system, at);
    double power = 0;
    for (std::size_t i = 0; i < at.u.size(); ++i) {
      CHECK(c.f[i] == a.f[i]);
      CHECK(b.C[i] == 0);
      check_close(a.f[i] + c.C[i], b.f[i], 1e-14);
      power += std::fabs(c.C[i] * at.u[i]);
    }
    CHECK(power > 0);
    CHECK(c.load_power == a.load_power);
    check_close(a.load_power + c.nonideal_power, b.load_power, 1e-14, power);
    check_close(c.support_power, b.support_power, 1e-14, power);
    CHECK(c.support_power != a.support_power);
  }
}

TEST_CASE("`.ideal` is `.reaction` of the ideal multipliers") {
  const Compilation c = compiled(
      "mbd 1\ncoord x = 0\nparticle p(1) at (1, 2, 3)\nbody d(mass = 1, inertia = diag(1, 2, 2.5)) at (0, 0, 0)\n"
      "particle f(1) follows (x, x^2, 0)\npoint tip on d at (1, 2, 3)\n"
      "constraint w: p.z == x*p.y nonideal { force drag on p: -norm(w.ideal)*p.vel - cut.ideal.x*ex }\n"
      "constraint pin: tip.pos == p.pos\n"
      "constraint cut: p.vx == t*d.vy nonideal { load on x: cut.ideal(p.x) }\n"
      "output w.ideal, w.ideal(x), pin.ideal(d), pin.ideal, cut.ideal, cut.ideal(d)\n"
      "output w.reaction, w.reaction(x), pin.reaction(d), pin.reaction, cut.reaction, cut.reaction(d)\n");
  Rng rng(46);
  const ModelState at = random_state(c, rng);
  ModelState same = at;
  same.multipliers = at.ideal;
  std::vector<const sema::Output*> asked;
  for (const sema::Output& o : c.model.outputs)
    if (!o.of_follower) asked.push_back(&o);
  const std::size_t half = asked.size() / 2;
  REQUIRE(asked[half]->name == "w.reaction.x");
  for (std::size_t k = 0; k < half; ++k) {
    CAPTURE(asked[k]->name);
    CHECK(value_at(c.model, asked[k]->value, same) == value_at(c.model, asked[half + k]->value, same));
  }
  // The expected value of A^T lambda of `w` is written by hand.
  const double lambda = at.ideal[0];
  CHECK(value_at(c.model, asked[1]->value, at) == doctest::Approx(-at.q[0] * lambda).epsilon(1e-15));
  CHECK(value_at(c.model, asked[2]->value, at) == lambda);
  CHECK(value_at(c.model, asked[3]->value, at) == doctest::Approx(-at.q[2] * lambda).epsilon(1e-15));
  const Lowered got = values_at(c.system, at);
  const double drag = lambda * std::sqrt(1 + at.q[0] * at.q[0]) * (lambda > 0 ? 1 : -1);
  const auto speed = [&c](const char* name) {
    for (std::size_t k = 0; k < c.model.speeds.size(); ++k)
      if (c.model.speeds[k].name == name) return k;
    FAIL("no such speed");
    return std::size_t{0};
  };
  CHECK(got.C[speed("p.vy")] == doctest::Approx(-drag * at.u[speed("p.vy")]).epsilon(1e-14));
  CHECK(got.C[speed("x'")] == doctest::Approx(at.ideal[4]).epsilon(1e-15));
}

TEST_CASE("blocks in loops, arrays, conditions and components") {
  const Compilation c = compiled(
      "mbd 1\nparam n: int = 2\nparticle p[i in 1..n](1) at (i, 0, 0)\n"
      "joint Guide(p: particle, mu = 0.3) {\n"
      "  constraint flat: p.z == 0\n"
      "  constraint wire: p.y == p.x^2 nonideal {\n"
      "    force rub on p: -mu*norm(wire.ideal)*p.vel\n    force on p from ground: -flat.ideal.z*p.vel\n  }\n"
      "  output N = norm(wire.ideal)\n}\n"
      "for i in 1..n { Guide g[i](p[i], mu = i) }\n"
      "for i in 1..n { constraint line[i]: p[i].vx == i nonideal { force pull[i] on p[i]: line[i].ideal*i } }\n"
      "constraint all[i in 1..n]: p[i].vx == i nonideal { force push[i] on p[i]: all[i].ideal }\n"
      "if n > 1 { constraint last: p[n].vy == 0 nonideal { load hold on p[n].y: last.ideal.y } }\n");
  std::vector<std::string> names;
  for (const sema::Force& f : c.model.forces) {
    CHECK(f.nonideal);
    names.push_back(f.name);
  }
  CHECK(names == std::vector<std::string>{"g[1].rub", "g[1].force in line 8", "g[2].rub", "g[2].force in line 8",
                                          "pull[1]", "pull[2]", "push[1]", "push[2]"});
  REQUIRE(c.model.loads.size() == 1);
  CHECK(c.model.loads[0].nonideal);
  std::vector<std::string> rows;  // The rows have the order of the text and not that of their use in blocks.
  for (const sema::Equation& e : c.model.equations) rows.push_back(e.name);
  CHECK(rows == std::vector<std::string>{"g[1].flat", "g[1].wire", "g[2].flat", "g[2].wire", "line[1]", "line[2]",
                                         "all[1]", "all[2]", "last"});
  Rng rng(47);
  const ModelState at = random_state(c, rng);
  const Lowered got = values_at(c.system, at);
  for (std::size_t i = 0; i < 2; ++i) {
    const double flat = at.ideal[2 * i], wire = at.ideal[2 * i + 1], x = at.q[3 * i];
    const double drag = (static_cast<double>(i) + 1) * std::fabs(wire) * std::sqrt(1 + 4 * x * x) + flat;
    const double along = (static_cast<double>(i) + 1) * at.ideal[4 + i] + at.ideal[6 + i];
    check_close(got.C[3 * i], along - drag * at.u[3 * i], 1e-14);
    check_close(got.C[3 * i + 2], -drag * at.u[3 * i + 2], 1e-14);
  }
  check_close(got.nonideal_power, dot(got.C, at.u), 1e-14, 10);
}

TEST_CASE("without nonideal loads `.ideal` is the reaction itself") {
  const Compilation c = compiled(
      "mbd 1\nparticle p(1) at (1, 2, 3)\nconstraint w: p.z == t*p.y\n"
      "output w.ideal, w.reaction\n");
  CHECK_FALSE(c.system.nonideal);
  for (std::size_t k = 0; k < 3; ++k) CHECK(c.model.outputs[k].value == c.model.outputs[3 + k].value);
}
