// SPDX-License-Identifier: Apache-2.0
#include "bench/copies_by_hand.h"

namespace mbc::bench {
namespace {

using Lanes = double __attribute__((vector_size(64)));
constexpr double kGravity = 9.81;

struct State {
  Lanes v[8];
};

inline State rate(const State& s) {
  const Lanes x1 = s.v[0], y1 = s.v[1], dx = s.v[2] - x1, dy = s.v[3] - y1;
  const Lanes u1 = s.v[4], w1 = s.v[5], du = s.v[6] - u1, dw = s.v[7] - w1;
  const Lanes S11 = x1 * x1 + y1 * y1, S12 = -(x1 * dx + y1 * dy), S22 = 2 * (dx * dx + dy * dy);
  const Lanes r1 = kGravity * y1 - (u1 * u1 + w1 * w1), r2 = -(du * du + dw * dw);
  const Lanes inverse = 1 / (S11 * S22 - S12 * S12);
  const Lanes l1 = (S22 * r1 - S12 * r2) * inverse, l2 = (S11 * r2 - S12 * r1) * inverse;
  return {{u1, w1, s.v[6], s.v[7], x1 * l1 - dx * l2, y1 * l1 - dy * l2 - kGravity, dx * l2, dy * l2 - kGravity}};
}

inline State moved(const State& s, double h, const State& k) {
  State out;
  for (int i = 0; i < 8; ++i) out.v[i] = s.v[i] + h * k.v[i];
  return out;
}

}  // namespace

void double_pendulums_by_hand(double* y, double h, int steps) {
  State s;
  __builtin_memcpy(&s, y, sizeof s);
  for (int n = 0; n < steps; ++n) {
    const State k1 = rate(s), k2 = rate(moved(s, h / 2, k1)), k3 = rate(moved(s, h / 2, k2)),
                k4 = rate(moved(s, h, k3));
    for (int i = 0; i < 8; ++i) s.v[i] += h / 6 * (k1.v[i] + 2 * (k2.v[i] + k3.v[i]) + k4.v[i]);
  }
  __builtin_memcpy(y, &s, sizeof s);
}

}  // namespace mbc::bench
