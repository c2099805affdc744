// SPDX-License-Identifier: Apache-2.0
#include "bench/w2_yardstick.h"

namespace mbc::bench {
namespace {

// A symmetric 3x3 matrix is stored as xx, yy, zz, xy, xz, yz.
struct Sym {
  double v[6];
};
constexpr int kAt[3][3] = {{0, 3, 4}, {3, 1, 5}, {4, 5, 2}};

inline double at(const Sym& s, int i, int j) { return s.v[kAt[i][j]]; }

inline Sym inverse(const Sym& s) {
  const double a = s.v[0], b = s.v[1], c = s.v[2], d = s.v[3], e = s.v[4], f = s.v[5];
  const double c00 = b * c - f * f, c01 = e * f - d * c, c02 = d * f - e * b;
  const double r = 1 / (a * c00 + d * c01 + e * c02);
  return {{c00 * r, (a * c - e * e) * r, (a * b - d * d) * r, c01 * r, c02 * r, (d * e - a * f) * r}};
}

// Computes the response of the ends to forces at the ends. At the distance L along the first axis it is E/m + L^2
// [e1]x^T J^-1 [e1]x = E/m + L^2 (b b^T/Jc + c c^T/Jb). The term E/m is added elsewhere.
inline void turning_response(const double R[3][3], const double* J, Sym& out) {
  const double b2 = kBarHalf * kBarHalf / J[2], c2 = kBarHalf * kBarHalf / J[1];
  for (int i = 0; i < 3; ++i)
    for (int j = i; j < 3; ++j) out.v[kAt[i][j]] = b2 * R[i][1] * R[j][1] + c2 * R[i][2] * R[j][2];
}

template <bool kPlus>
inline void add_mass(Sym& s, double inverse_mass) {
  for (int i = 0; i < 3; ++i) s.v[i] += kPlus ? inverse_mass : -inverse_mass;
}

inline void solve_bars(const BarsMotion& m, BarsAccelerations& out) {
  Sym turn[3];
  double end[3][3];  // the acceleration of the far end relative to the centre, without joint forces
  for (int b = 0; b < 3; ++b) {
    const double *w = m.omega[b], *J = kBarInertia[b];
    for (int k = 0; k < 3; ++k) {
      const int i = (k + 1) % 3, j = (k + 2) % 3;
      out.alpha[b][k] = (J[i] - J[j]) / J[k] * w[i] * w[j];
    }
    const double x = -kBarHalf * (w[1] * w[1] + w[2] * w[2]), y = kBarHalf * (w[0] * w[1] + out.alpha[b][2]),
                 z = kBarHalf * (w[0] * w[2] - out.alpha[b][1]);
    for (int k = 0; k < 3; ++k) end[b][k] = m.R[b][k][0] * x + m.R[b][k][1] * y + m.R[b][k][2] * z;
    turning_response(m.R[b], J, turn[b]);
  }
  // The near end of body 1 is at rest. The near end of body k is on the far end of body k - 1.
  Sym D[3] = {turn[0], turn[1], turn[2]}, O[2] = {turn[0], turn[1]};
  add_mass<true>(D[0], 1 / kBarMass[0]);
  double r[3][3];
  for (int k = 0; k < 3; ++k) r[0][k] = end[0][k];
  r[0][2] += kBarGravity;
  for (int c = 1; c < 3; ++c) {
    for (int k = 0; k < 6; ++k) D[c].v[k] += turn[c - 1].v[k];
    add_mass<true>(D[c], 1 / kBarMass[c] + 1 / kBarMass[c - 1]);
    add_mass<false>(O[c - 1], 1 / kBarMass[c - 1]);
    for (int k = 0; k < 3; ++k) r[c][k] = end[c][k] + end[c - 1][k];
  }
  // The downward block L D L^T elimination computes W = O D^-1, D' -= W O and r' -= W r.
  Sym I[3];
  I[0] = inverse(D[0]);
  for (int c = 0; c < 2; ++c) {
    double W[3][3];
    for (int i = 0; i < 3; ++i)
      for (int j = 0; j < 3; ++j)
        W[i][j] = at(O[c], i, 0) * at(I[c], 0, j) + at(O[c], i, 1) * at(I[c], 1, j) + at(O[c], i, 2) * at(I[c], 2, j);
    for (int i = 0; i < 3; ++i) {
      for (int j = i; j < 3; ++j)
        D[c + 1].v[kAt[i][j]] -= W[i][0] * at(O[c], 0, j) + W[i][1] * at(O[c], 1, j) + W[i][2] * at(O[c], 2, j);
      r[c + 1][i] -= W[i][0] * r[c][0] + W[i][1] * r[c][1] + W[i][2] * r[c][2];
    }
    I[c + 1] = inverse(D[c + 1]);
  }
  double force[3][3];
  for (int c = 2; c >= 0; --c) {
    double t[3];
    for (int i = 0; i < 3; ++i) {
      t[i] = r[c][i];
      if (c < 2)
        t[i] -= at(O[c], i, 0) * force[c + 1][0] + at(O[c], i, 1) * force[c + 1][1] + at(O[c], i, 2) * force[c + 1][2];
    }
    for (int i = 0; i < 3; ++i) force[c][i] = at(I[c], i, 0) * t[0] + at(I[c], i, 1) * t[1] + at(I[c], i, 2) * t[2];
  }
  for (int b = 0; b < 3; ++b) {
    double sum[3], difference[3];
    for (int k = 0; k < 3; ++k) {
      const double far = b < 2 ? force[b + 1][k] : 0;  // The force `far` acts on the next body and -far on this one.
      sum[k] = force[b][k] - far;
      difference[k] = -far - force[b][k];
      out.a[b][k] = sum[k] / kBarMass[b];
    }
    out.a[b][2] -= kBarGravity;
    const auto& R = m.R[b];
    out.alpha[b][1] -=
        kBarHalf / kBarInertia[b][1] * (R[0][2] * difference[0] + R[1][2] * difference[1] + R[2][2] * difference[2]);
    out.alpha[b][2] +=
        kBarHalf / kBarInertia[b][2] * (R[0][1] * difference[0] + R[1][1] * difference[1] + R[2][1] * difference[2]);
  }
}

}  // namespace

void bars_by_hand(const BarsMotion& m, BarsAccelerations& out) { solve_bars(m, out); }

void triple_pendulum_by_hand(const double* __restrict y, double* __restrict dy) {
  BarsMotion m;
  BarsAccelerations out;
  const double* u = y + 21;
  for (int b = 0; b < 3; ++b) {
    const double *p = y + 7 * b + 3, *w = u + 6 * b + 3;
    const double xx = 2 * p[1] * p[1], yy = 2 * p[2] * p[2], zz = 2 * p[3] * p[3];
    const double xy = 2 * p[1] * p[2], xz = 2 * p[1] * p[3], yz = 2 * p[2] * p[3];
    const double wx = 2 * p[0] * p[1], wy = 2 * p[0] * p[2], wz = 2 * p[0] * p[3];
    auto& R = m.R[b];
    R[0][0] = 1 - yy - zz, R[0][1] = xy - wz, R[0][2] = xz + wy;
    R[1][0] = xy + wz, R[1][1] = 1 - xx - zz, R[1][2] = yz - wx;
    R[2][0] = xz - wy, R[2][1] = yz + wx, R[2][2] = 1 - xx - yy;
    double* q = dy + 7 * b;
    for (int k = 0; k < 3; ++k) m.omega[b][k] = w[k], q[k] = u[6 * b + k];
    q[3] = -0.5 * (p[1] * w[0] + p[2] * w[1] + p[3] * w[2]);
    q[4] = 0.5 * (p[0] * w[0] + p[2] * w[2] - p[3] * w[1]);
    q[5] = 0.5 * (p[0] * w[1] + p[3] * w[0] - p[1] * w[2]);
    q[6] = 0.5 * (p[0] * w[2] + p[1] * w[1] - p[2] * w[0]);
  }
  solve_bars(m, out);
  for (int b = 0; b < 3; ++b)
    for (int k = 0; k < 3; ++k) {
      dy[21 + 6 * b + k] = out.a[b][k];
      dy[21 + 6 * b + 3 + k] = out.alpha[b][k];
    }
}

}  // namespace mbc::bench
