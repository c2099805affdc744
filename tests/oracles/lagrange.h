// SPDX-License-Identifier: Apache-2.0
// Integrates Lagrange's equations in minimal coordinates for any system that can be described by places of point masses
// x_i(t, q). The derivatives are differences of eighth order in extended precision, so that nothing is shared with the
// differentiation rules of the program. A rigid body is replaced by six particles with the same mass, centre and
// inertia.
//   sum_i m_i J_i^T (J_i q'' + g_i) = -dV/dq + Q,   J = dx/dq,  g = x'' at q'' = 0
#pragma once
#include <functional>
#include <vector>

#include "tests/oracles/closed_forms.h"

namespace mbc::oracle {

using Vec3 = std::array<Real, 3>;
using Mat3 = std::array<Vec3, 3>;

inline Vec3 operator+(const Vec3& a, const Vec3& b) { return {a[0] + b[0], a[1] + b[1], a[2] + b[2]}; }
inline Vec3 operator-(const Vec3& a, const Vec3& b) { return {a[0] - b[0], a[1] - b[1], a[2] - b[2]}; }
inline Vec3 operator*(Real s, const Vec3& a) { return {s * a[0], s * a[1], s * a[2]}; }
inline Real dot(const Vec3& a, const Vec3& b) { return a[0] * b[0] + a[1] * b[1] + a[2] * b[2]; }
inline Vec3 cross(const Vec3& a, const Vec3& b) {
  return {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
}
inline Vec3 operator*(const Mat3& m, const Vec3& a) { return {dot(m[0], a), dot(m[1], a), dot(m[2], a)}; }
inline Mat3 operator*(const Mat3& a, const Mat3& b) {
  Mat3 r{};
  for (std::size_t i = 0; i < 3; ++i)
    for (std::size_t j = 0; j < 3; ++j)
      for (std::size_t k = 0; k < 3; ++k) r[i][j] += a[i][k] * b[k][j];
  return r;
}
inline Mat3 about_x(Real a) { return {{{1, 0, 0}, {0, std::cos(a), -std::sin(a)}, {0, std::sin(a), std::cos(a)}}}; }
inline Mat3 about_y(Real a) { return {{{std::cos(a), 0, std::sin(a)}, {0, 1, 0}, {-std::sin(a), 0, std::cos(a)}}}; }
inline Mat3 about_z(Real a) { return {{{std::cos(a), -std::sin(a), 0}, {std::sin(a), std::cos(a), 0}, {0, 0, 1}}}; }

struct Point {
  Real mass;
  Vec3 at;
};
using Points = std::vector<Point>;

// Adds six particles on the axes of the body. The inertia is (Ix, Iy, Iz) about the centre, and no moment may exceed
// the sum of the others.
inline void add_body(Points& points, Real mass, const Vec3& inertia, const Vec3& centre, const Mat3& rotation) {
  for (std::size_t k = 0; k < 3; ++k) {
    const Real second = (inertia[0] + inertia[1] + inertia[2]) / 2 - inertia[k];  // integral of x_k^2 dm
    Vec3 arm{};
    arm[k] = std::sqrt(std::max<Real>(0, 3 * second / mass));
    points.push_back({mass / 6, centre + rotation * arm});
    points.push_back({mass / 6, centre - rotation * arm});
  }
}

// Solves A x = b by Gaussian elimination with pivoting; b becomes x.
template <std::size_t N>
void solve(std::array<std::array<Real, N>, N> a, std::array<Real, N>& b) {
  for (std::size_t k = 0; k < N; ++k) {
    std::size_t best = k;
    for (std::size_t i = k + 1; i < N; ++i)
      if (std::fabs(a[i][k]) > std::fabs(a[best][k])) best = i;
    std::swap(a[k], a[best]);
    std::swap(b[k], b[best]);
    for (std::size_t i = k + 1; i < N; ++i) {
      const Real factor = a[i][k] / a[k][k];
      for (std::size_t j = k; j < N; ++j) a[i][j] -= factor * a[k][j];
      b[i] -= factor * b[k];
    }
  }
  for (std::size_t k = N; k-- > 0;) {
    for (std::size_t j = k + 1; j < N; ++j) b[k] -= a[k][j] * b[j];
    b[k] /= a[k][k];
  }
}

template <std::size_t N>
struct Lagrange {
  using Q = std::array<Real, N>;
  // appends the same points in the same order in each call
  std::function<void(Real t, const Q& q, Points& points)> place;
  std::function<Real(Real t, const Q& q)> potential;      // potential other than gravity; may be empty
  std::function<Q(Real t, const Q& q, const Q& v)> load;  // may be empty
  Vec3 gravity{};

  [[nodiscard]] Q acceleration(Real t, const Q& q, const Q& v) const {
    constexpr std::array<Real, 5> first{0, 4.0L / 5, -1.0L / 5, 4.0L / 105, -1.0L / 280};
    constexpr std::array<Real, 5> second{-205.0L / 72, 8.0L / 5, -1.0L / 5, 8.0L / 315, -1.0L / 560};
    const Real h = 0.01L;
    Points here, there;
    place(t, q, here);
    const std::size_t n = here.size();
    std::vector<Vec3> bias(n);
    std::array<std::vector<Vec3>, N> J;
    Q right{};
    for (std::size_t j = 0; j < N; ++j) {
      J[j].assign(n, Vec3{});
      for (int k = -4; k <= 4; ++k) {
        if (k == 0) continue;
        const Real c = (k < 0 ? -1 : 1) * first[static_cast<std::size_t>(std::abs(k))] / h;
        Q moved = q;
        moved[j] += static_cast<Real>(k) * h;
        there.clear();
        place(t, moved, there);
        for (std::size_t i = 0; i < n; ++i) J[j][i] = J[j][i] + c * there[i].at;
        if (potential) right[j] -= c * potential(t, moved);
      }
    }
    Real fastest = 1;
    for (const Real& x : v) fastest = std::max(fastest, std::fabs(x));
    const Real s = h / fastest;  // step of time along q' = v
    for (int k = -4; k <= 4; ++k) {
      Q moved = q;
      for (std::size_t j = 0; j < N; ++j) moved[j] += static_cast<Real>(k) * s * v[j];
      there.clear();
      place(t + static_cast<Real>(k) * s, moved, there);
      const Real c = second[static_cast<std::size_t>(std::abs(k))] / (s * s);
      for (std::size_t i = 0; i < n; ++i) bias[i] = bias[i] + c * there[i].at;
    }
    std::array<Q, N> M{};
    for (std::size_t a = 0; a < N; ++a)
      for (std::size_t i = 0; i < n; ++i) {
        for (std::size_t b = 0; b < N; ++b) M[a][b] += here[i].mass * dot(J[a][i], J[b][i]);
        right[a] += here[i].mass * dot(J[a][i], gravity - bias[i]);
      }
    if (load) {
      const Q extra = load(t, q, v);
      for (std::size_t j = 0; j < N; ++j) right[j] += extra[j];
    }
    solve<N>(M, right);
    return right;
  }

  // Returns (q, v) after `time` from t = 0 by classical rk4 with `steps` and 2 `steps` steps and extrapolation.
  [[nodiscard]] std::array<Real, 2 * N> at(const Q& q, const Q& v, Real time, int steps) const {
    std::array<Real, 2 * N + 1> x{};
    for (std::size_t j = 0; j < N; ++j) x[j] = q[j], x[N + j] = v[j];
    const auto f = [this](const std::array<Real, 2 * N + 1>& y) {
      Q position{}, rate{};
      for (std::size_t j = 0; j < N; ++j) position[j] = y[j], rate[j] = y[N + j];
      const Q a = acceleration(y[2 * N], position, rate);
      std::array<Real, 2 * N + 1> d{};
      for (std::size_t j = 0; j < N; ++j) d[j] = rate[j], d[N + j] = a[j];
      d[2 * N] = 1;
      return d;
    };
    const auto coarse = integrate(f, x, time, steps), fine = integrate(f, x, time, 2 * steps);
    std::array<Real, 2 * N> r{};
    for (std::size_t j = 0; j < 2 * N; ++j) r[j] = fine[j] + (fine[j] - coarse[j]) / 15;
    return r;
  }
};

}  // namespace mbc::oracle
