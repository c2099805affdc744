// SPDX-License-Identifier: Apache-2.0
// Compares the contribution of a `kinetic` term of a free body with a quaternion with Lagrange's equations of the same
// term in Euler angles. The expression d/dt T_q' - T_q is computed by differences in extended precision and shares only
// the text of T with the program.
#include <doctest/doctest.h>

#include <array>
#include <cmath>
#include <functional>

#include "tests/compiler/lower/lowered_values.h"

using namespace mbc;
using namespace mbc::test;

namespace {

using Real = long double;
using Vec = std::array<Real, 3>;
using Mat = std::array<Vec, 3>;

// The plain coordinates are x, y, z, angles about z, y, x (R = Rz Ry Rx), and s.
constexpr std::size_t kPlain = 7;
using Plain = std::array<Real, kPlain>;

// T is a function of these values.
struct Seen {
  Mat R;
  Vec place, velocity, omega;
  Real s, rate, t;
};

Vec cross(const Vec& a, const Vec& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
Real dot(const Vec& a, const Vec& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
Vec times(const Mat& m, const Vec& v) { return {dot(m[0], v), dot(m[1], v), dot(m[2], v)}; }
Vec column(const Mat& m, std::size_t k) { return {m[0][k], m[1][k], m[2][k]}; }

Seen seen(const Plain& q, const Plain& v, Real t) {
  const Real sa = std::sin(q[3]), ca = std::cos(q[3]), sb = std::sin(q[4]), cb = std::cos(q[4]), sc = std::sin(q[5]),
             cc = std::cos(q[5]);
  Seen out{};
  out.R = {{{ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc},
            {sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc},
            {-sb, cb * sc, cb * cc}}};
  out.place = {q[0], q[1], q[2]};
  out.velocity = {v[0], v[1], v[2]};
  out.omega = {v[5] - v[3] * sb, v[4] * cc + v[3] * sc * cb, v[3] * cb * cc - v[4] * sc};
  out.s = q[6];
  out.rate = v[6];
  out.t = t;
  return out;
}

struct Term {
  const char* text;
  std::function<Real(const Seen&)> value;
};

Vec point_velocity(const Seen& x) {
  const Vec turning = times(x.R, cross(x.omega, {0.3L, -0.2L, 0.5L}));
  return {x.velocity[0] + turning[0], x.velocity[1] + turning[1], x.velocity[2] + turning[2]};
}

const std::vector<Term>& terms() {
  static const std::vector<Term> list{
      {"0.5*0.7*(b.omega.z + s')^2", [](const Seen& x) { return 0.35L * std::pow(x.omega[2] + x.rate, 2); }},
      {"0.5*(b.rot*b.omega).z^2*(1 + 0.3*sin(s))",
       [](const Seen& x) { return 0.5L * std::pow(times(x.R, x.omega)[2], 2) * (1 + 0.3L * std::sin(x.s)); }},
      {"0.5*dot(P.vel, P.vel)", [](const Seen& x) { return 0.5L * dot(point_velocity(x), point_velocity(x)); }},
      {"dot(b.rot*ex, ez)*b.omega.y*cos(t) + s*b.omega.x",  // This term is linear in the velocities.
       [](const Seen& x) { return x.R[2][0] * x.omega[1] * std::cos(x.t) + x.s * x.omega[0]; }},
      {"sqrt(1 + (b.omega.x*dot(b.rot*ex, ex) + P.vel.y)^2)",
       [](const Seen& x) { return std::sqrt(1 + std::pow(x.omega[0] * x.R[0][0] + point_velocity(x)[1], 2)); }},
      {"0.1*b.omega.x^4 + s'*dot(b.rot*ey, b.pos) + 0.2*t*s'^2",
       [](const Seen& x) {
         return 0.1L * std::pow(x.omega[0], 4) + x.rate * dot(column(x.R, 1), x.place) + 0.2L * x.t * x.rate * x.rate;
       }},
      {"b.quat[1]*b.omega.z + b.vel.x*b.quat[3]", [](const Seen& x) {
         const Real p0 = 0.5L * std::sqrt(1 + x.R[0][0] + x.R[1][1] + x.R[2][2]);
         return p0 * x.omega[2] + x.velocity[0] * (x.R[0][2] - x.R[2][0]) / (4 * p0);
       }}};
  return list;
}

// Returns the central difference of order 6.
template <class F>
Real slope(const F& f) {
  constexpr Real h = 1e-3L;
  return (45 * (f(h) - f(-h)) - 9 * (f(2 * h) - f(-2 * h)) + (f(3 * h) - f(-3 * h))) / (60 * h);
}

struct Motion {
  Plain q, v, a;
  Real t;
};

// Returns T slightly later on the motion, with one coordinate or rate changed.
Real value(const Term& term, const Motion& m, Real later, std::size_t k, Real place, Real rate) {
  Plain q = m.q, v = m.v;
  for (std::size_t i = 0; i < kPlain; ++i) {
    q[i] += later * m.v[i] + later * later / 2 * m.a[i];
    v[i] += later * m.a[i];
  }
  q[k] += place;
  v[k] += rate;
  return term.value(seen(q, v, m.t + later));
}

Real momentum(const Term& term, const Motion& m, Real later, std::size_t k) {
  return slope([&](Real h) { return value(term, m, later, k, 0, h); });
}

// Returns d/dt T_q' - T_q for each plain coordinate.
Plain lagrange(const Term& term, const Motion& m) {
  Plain out{};
  for (std::size_t k = 0; k < kPlain; ++k)
    out[k] = slope([&](Real later) { return momentum(term, m, later, k); }) -
             slope([&](Real h) { return value(term, m, 0, k, h, 0); });
  return out;
}

std::string model_with(const char* term) {
  return std::string(
             "mbd 1\ncoord s = 0\nbody b(mass = 1, inertia = diag(1, 2, 2.5)) at (0, 0, 0)\n"
             "point P on b at (0.3, -0.2, 0.5)\nkinetic: 0.5*s'^2\n") +
         (*term != 0 ? "kinetic T: " + std::string(term) + "\n" : "");
}

// Returns the same state for mbc: q = (s, x, y, z, p0 .. p3), u = (s', v, omega).
ModelState state_of(const Motion& m) {
  ModelState at;
  const auto half = [&](std::size_t k) { return std::pair{std::cos(m.q[k] / 2), std::sin(m.q[k] / 2)}; };
  const auto [ca, sa] = half(3);
  const auto [cb, sb] = half(4);
  const auto [cc, sc] = half(5);
  const std::array<Real, 4> p{ca * cb * cc + sa * sb * sc, ca * cb * sc - sa * sb * cc, ca * sb * cc + sa * cb * sc,
                              sa * cb * cc - ca * sb * sc};
  const Seen x = seen(m.q, m.v, m.t);
  at.t = static_cast<double>(m.t);
  at.q.push_back(static_cast<double>(x.s));
  for (Real r : x.place) at.q.push_back(static_cast<double>(r));
  for (Real e : p) at.q.push_back(static_cast<double>(e));
  at.u.push_back(static_cast<double>(x.rate));
  for (Real v : x.velocity) at.u.push_back(static_cast<double>(v));
  for (Real w : x.omega) at.u.push_back(static_cast<double>(w));
  at.accelerations.assign(at.u.size(), 0.0);
  return at;
}

// Returns u of a motion, and how it changes with each plain rate.
std::array<Real, kPlain> speeds(const Plain& q, const Plain& v) {
  const Seen x = seen(q, v, 0);
  return {x.rate, v[0], v[1], v[2], x.omega[0], x.omega[1], x.omega[2]};
}

std::array<Real, kPlain> speed_rates(const Motion& m) {
  std::array<Real, kPlain> out{};
  for (std::size_t i = 0; i < kPlain; ++i)
    out[i] = slope([&](Real later) {
      Plain q = m.q, v = m.v;
      for (std::size_t k = 0; k < kPlain; ++k) {
        q[k] += later * m.v[k] + later * later / 2 * m.a[k];
        v[k] += later * m.a[k];
      }
      return speeds(q, v)[i];
    });
  return out;
}

void check_state(const Term& term, const Motion& m) {
  CAPTURE(term.text);
  const Compilation with = compiled(model_with(term.text)), without = compiled(model_with(""));
  const ModelState at = state_of(m);
  const Lowered all = values_at(with.system, at), rest = values_at(without.system, at);
  const std::array<Real, kPlain> rates = speed_rates(m);
  std::array<Real, kPlain> needed{};  // These are the values (M u' - f) of the term.
  for (std::size_t i = 0; i < kPlain; ++i) {
    needed[i] = rest.f[i] - all.f[i];
    for (std::size_t j = 0; j < kPlain; ++j) needed[i] += (all.M[i][j] - rest.M[i][j]) * rates[j];
  }
  const Plain wanted = lagrange(term, m);
  for (std::size_t k = 0; k < kPlain; ++k) {
    Plain unit{};
    unit[k] = 1;
    const std::array<Real, kPlain> moved = speeds(m.q, unit);  // The speeds are linear in the rates.
    Real found = 0;
    for (std::size_t i = 0; i < kPlain; ++i) found += moved[i] * needed[i];
    CHECK(std::fabs(found - wanted[k]) <= 1e-10L * (1 + std::fabs(wanted[k])));
  }
  Real energy = -value(term, m, 0, 0, 0, 0);
  for (std::size_t k = 0; k < kPlain; ++k) energy += m.v[k] * momentum(term, m, 0, k);
  CHECK(std::fabs(all.kinetic - rest.kinetic - energy) <= 1e-11L * (1 + std::fabs(energy)));
  const Real explicit_rate = slope([&](Real h) { return term.value(seen(m.q, m.v, m.t + h)); });
  CHECK(std::fabs(all.load_power - rest.load_power + explicit_rate) <= 1e-11L);
}

}  // namespace

TEST_CASE("kinetic terms in quasi-velocities are Lagrange's equations in Euler angles") {
  Rng rng(31);
  for (const Term& term : terms())
    for (int k = 0; k < 5; ++k) {
      Motion m{};
      for (std::size_t i = 0; i < kPlain; ++i) {
        m.q[i] = rng.between(-1, 1);
        m.v[i] = rng.between(-1.5, 1.5);
        m.a[i] = rng.between(-2, 2);
      }
      m.t = rng.between(-1, 1);
      check_state(term, m);
    }
}
