// SPDX-License-Identifier: Apache-2.0
// Checks the laws of one impact independently of the solver. The errors follow from the speeds before and after it and
// the impulses of its contacts, by formulas of the test alone.
#pragma once
#include <Eigen/Core>
#include <vector>

namespace mbc::test {

// A RubbingSlip is one friction: its slip s = rows u, of one or two numbers, and the limits of its impulse.
struct RubbingSlip {
  Eigen::MatrixXd rows;
  double limit = 0, still = 0;  // sliding limit and static limit
  Eigen::VectorXd back;         // required slip after the impact: -e_t s-
  // impulse of a sticking friction if it is known; otherwise any impulse within the limit is accepted
  Eigen::VectorXd impulse;
};

// Between two instants, with A u of all contacts:
//   M (u+ - u-) = A^T p + sum of rows^T p_f,  p >= given,  A u+ >= wanted,  with equality in one of the two for each
//   row
// and for each friction, with x = s+ - back, |p_f| <= still if x = 0, otherwise p_f = -limit x/|x| (J. J. Moreau, CISM
// 302, Springer 1988; docs/numerics.md, 11).
struct OneImpact {
  double size = 0;  // size of the speeds
  Eigen::MatrixXd M, A;
  Eigen::VectorXd before, after, impulses, given, wanted;
  std::vector<RubbingSlip> slips;
};

struct MissedLaws {
  double pulls = 0;     // an impulse below the given one, relative to the largest
  double closes = 0;    // a speed below the wanted one, relative to the speeds
  double neither = 0;   // both are larger than required
  double over = 0;      // an impulse of friction above its limit, relative to the largest impulse
  double momentum = 0;  // the part that no impulses of friction within their laws explain, relative to the speeds
  // numbers of frictions; shared: sticking ones that need other impulses than the minimum-norm ones
  int slides = 0, holds = 0, shared = 0;

  [[nodiscard]] double most() const;
};

[[nodiscard]] MissedLaws missed_laws(const OneImpact& impact);

}  // namespace mbc::test
