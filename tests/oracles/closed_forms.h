// SPDX-License-Identifier: Apache-2.0
// Evaluates the closed forms of the physics tests in long double, independently of the program.
#pragma once
#include <array>
#include <cmath>
#include <vector>

namespace mbc::oracle {

using Real = long double;
inline const Real kPi = std::acos(-1.0L);

// Computes Jacobi's sn, cn and dn of modulus k by descending Landen transformations (Abramowitz and Stegun 16.4).
struct Jacobi {
  Real sn, cn, dn;
};
inline Jacobi jacobi(Real u, Real k) {
  std::array<Real, 32> a{}, c{};
  a[0] = 1;
  c[0] = k;
  Real b = std::sqrt(1 - k * k);
  std::size_t n = 0;
  while (std::fabs(c[n]) > 1e-19L && n + 1 < a.size()) {
    a[n + 1] = (a[n] + b) / 2;
    c[n + 1] = (a[n] - b) / 2;
    b = std::sqrt(a[n] * b);
    ++n;
  }
  Real phi = std::ldexp(a[n] * u, static_cast<int>(n));
  for (; n > 0; --n) phi = (phi + std::asin(c[n] * std::sin(phi) / a[n])) / 2;
  const Real sn = std::sin(phi);
  return {sn, std::cos(phi), std::sqrt(1 - k * k * sn * sn)};
}

struct Motion {
  Real x, y, vx, vy;
};

// Returns the motion of a pendulum of length l that hangs along -y and starts at the bottom with the angular velocity
// w0 < 2 sqrt(g/l): sin(angle/2) = k sn(w t, k), w = sqrt(g/l), k = w0/(2 w).
inline Motion pendulum(Real t, Real l, Real g, Real w0) {
  const Real w = std::sqrt(g / l), k = w0 / (2 * w);
  const Jacobi j = jacobi(w * t, k);
  const Real half = std::asin(k * j.sn), angle = 2 * half;
  const Real rate = 2 * k * w * j.cn;  // cos(half) = dn, so angle' = 2 k w cn dn / dn
  return {l * std::sin(angle), -l * std::cos(angle), l * std::cos(angle) * rate, l * std::sin(angle) * rate};
}

// Returns the period of the same pendulum for the amplitude angle0 from rest: 2 pi sqrt(l/g)/agm(1, cos(angle0/2)).
inline Real pendulum_period(Real angle0, Real l, Real g) {
  Real a = 1, b = std::cos(angle0 / 2);
  for (int i = 0; i < 30; ++i) {
    const Real next = (a + b) / 2;
    b = std::sqrt(a * b);
    a = next;
  }
  return 2 * kPi * std::sqrt(l / g) / a;
}

// Returns Kepler's ellipse about the origin with mu = 1 and semi-major axis 1, from the pericentre on +x.
inline Motion kepler(Real t, Real e) {
  Real E = t;
  for (int i = 0; i < 60; ++i) E -= (E - e * std::sin(E) - t) / (1 - e * std::cos(E));
  const Real b = std::sqrt(1 - e * e), rate = 1 / (1 - e * std::cos(E));
  return {std::cos(E) - e, b * std::sin(E), -std::sin(E) * rate, b * std::cos(E) * rate};
}

// Returns the motion of a bead on a straight wire through the origin that turns with w in a horizontal plane. The bead
// starts at r0 at rest on the wire.
inline Motion bead(Real t, Real r0, Real w) {
  const Real r = r0 * std::cosh(w * t), rate = r0 * w * std::sinh(w * t), c = std::cos(w * t), s = std::sin(w * t);
  return {r * c, r * s, rate * c - r * w * s, rate * s + r * w * c};
}

// Integrates x' = f(x) with n components by classical rk4 with a small step, for references in minimal coordinates.
template <std::size_t N, class F>
std::array<Real, N> integrate(F&& f, std::array<Real, N> x, Real time, int steps) {
  const Real h = time / steps;
  const auto moved = [](const std::array<Real, N>& a, Real s, const std::array<Real, N>& k) {
    std::array<Real, N> r{};
    for (std::size_t i = 0; i < N; ++i) r[i] = a[i] + s * k[i];
    return r;
  };
  for (int n = 0; n < steps; ++n) {
    const auto k1 = f(x), k2 = f(moved(x, h / 2, k1)), k3 = f(moved(x, h / 2, k2)), k4 = f(moved(x, h, k3));
    for (std::size_t i = 0; i < N; ++i) x[i] += h / 6 * (k1[i] + 2 * k2[i] + 2 * k3[i] + k4[i]);
  }
  return x;
}

// Returns the least-squares slope of log(error) over log(step).
inline double order(const std::vector<double>& steps, const std::vector<double>& errors) {
  double sx = 0, sy = 0, sxx = 0, sxy = 0;
  const auto n = static_cast<double>(steps.size());
  for (std::size_t i = 0; i < steps.size(); ++i) {
    const double x = std::log(steps[i]), y = std::log(errors[i]);
    sx += x, sy += y, sxx += x * x, sxy += x * y;
  }
  return (n * sxy - sx * sy) / (n * sxx - sx * sx);
}

}  // namespace mbc::oracle
