// SPDX-License-Identifier: Apache-2.0
// The laws of one impact, looked at from outside: what the speeds before and behind it and the impulses of its contacts
// miss them by, by formulas of the test alone.
#pragma once
#include <Eigen/Core>
#include <vector>

namespace mbc::test {

// One friction: its slip s = rows u, of one number or two, and how large its impulse may be.
struct RubbingSlip {
  Eigen::MatrixXd rows;
  double limit = 0, still = 0;  // where it slides, and where it holds
  Eigen::VectorXd back;         // what should become of the slip: -e_t s-
  Eigen::VectorXd impulse;      // of a friction that holds, where it is known; else any that fits is good enough
};

// Between two instants, all contacts being A u:
//   M (u+ - u-) = A^T p + sum of rows^T p_f,  p >= given,  A u+ >= wanted,  one of the two being equal row by row
// and for each friction, with x = s+ - back, |p_f| <= still where x = 0, else p_f = -limit x/|x| (J. J. Moreau, CISM
// 302, Springer 1988; docs/numerics.md, 11).
struct OneImpact {
  double size = 0;  // of the speeds
  Eigen::MatrixXd M, A;
  Eigen::VectorXd before, after, impulses, given, wanted;
  std::vector<RubbingSlip> slips;
};

struct MissedLaws {
  double pulls = 0;                       // an impulse below what is given, of the largest
  double closes = 0;                      // a speed below what is wanted, of the speeds
  double neither = 0;                     // both are larger than they have to be
  double over = 0;                        // an impulse of friction above its limit, of the largest impulse
  double momentum = 0;                    // what no impulses of friction within their laws make up for, of the speeds
  int slides = 0, holds = 0, shared = 0;  // frictions; shared: of impulses of those that hold others than the least

  [[nodiscard]] double most() const;
};

[[nodiscard]] MissedLaws missed_laws(const OneImpact& impact);

}  // namespace mbc::test
