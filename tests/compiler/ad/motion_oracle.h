// SPDX-License-Identifier: Apache-2.0
// Motions q' = W(q,t) u + X(q,t) of the tests, and what the differentiation of an expression along them must give,
// computed by duals, nested duals and the complex step without the project's rules.
#pragma once
#include <vector>

#include "compiler/ad/motion.h"
#include "tests/compiler/ad/generator.h"
#include "tests/compiler/ad/guard.h"

namespace mbc::test {

struct Kinematics {
  LeafCounts counts;
  std::vector<Tree> rate;        // q_i' in t, q, u
  std::vector<Tree> state_rate;  // s_k' in t, q, u, s
};

Kinematics cartesian(std::uint32_t n);
// A unit quaternion q0..q3 turned by the body angular velocity u0..u2, and a point q4..q6 with velocity u3..u5 in body
// axes.
Kinematics rigid_body();
// Random W and X, valid at `point`; some of their entries are structural zeros.
Kinematics random_kinematics(Rng& rng, const Point& point, const LeafCounts& counts);
// The same kinematics for the code under test.
ad::Motion build_motion(graph::Graph& g, const Kinematics& k);

// e' = J u' + g or e' = J u + c and e'' = J u' + g, as numbers at a point.
struct RowNumbers {
  Real rate = 0;  // e' at u' = 0
  Real bias = 0;
  std::vector<Real> jacobian;

  [[nodiscard]] std::vector<Real> flat() const {
    std::vector<Real> all{rate, bias};
    all.insert(all.end(), jacobian.begin(), jacobian.end());
    return all;
  }
};
RowNumbers position_by_duals(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise = nullptr);
RowNumbers velocity_by_duals(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise = nullptr);
// J by the complex step.
std::vector<Real> position_jacobian(const Tree& e, const Kinematics& k, const Point& point);
std::vector<Real> velocity_jacobian(const Tree& e, const Point& point);
// e'' (position level) or e' (velocity level) with u' = point.a, at once.
Real second_rate(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise = nullptr);
Real first_rate(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise = nullptr);

}  // namespace mbc::test
