// SPDX-License-Identifier: Apache-2.0
// Defines motions q' = W(q,t) u + X(q,t) for the tests, and computes the derivatives of an expression along them by
// duals, nested duals and the complex step, without the differentiation rules of the program.
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
// Returns a unit quaternion q0..q3 that turns with the body angular velocity u0..u2, and a point q4..q6 with velocity
// u3..u5 in body axes.
Kinematics rigid_body();
// Returns random W and X that are valid at `point`. Some of their entries are structural zeros.
Kinematics random_kinematics(Rng& rng, const Point& point, const LeafCounts& counts);
// Builds the same kinematics for the tested code.
ad::Motion build_motion(graph::Graph& g, const Kinematics& k);

// These are the numbers of e' = J u' + g, or of e' = J u + c and e'' = J u' + g, at a point.
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
// These functions compute J by the complex step.
std::vector<Real> position_jacobian(const Tree& e, const Kinematics& k, const Point& point);
std::vector<Real> velocity_jacobian(const Tree& e, const Point& point);
// These functions compute e'' (position level) or e' (velocity level) with u' = point.a at once.
Real second_rate(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise = nullptr);
Real first_rate(const Tree& e, const Kinematics& k, const Point& point, SplitMix64* noise = nullptr);

}  // namespace mbc::test
