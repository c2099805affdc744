// SPDX-License-Identifier: Apache-2.0
// Where in a step something changes its side: a number its sign, a condition its truth.
//
// First on the dense output, which costs a small part of a step. Then on steps of the method, from the state at hand
// again and again, closely around that time: by a bracketed secant for numbers, by halving for conditions, to 4 ulp of
// the time or to where the number is rounding. A secant comes closer from one side; then twice as far as the next one
// leads is tried, from the other.
#pragma once
#include <functional>

namespace mbc::runtime {

struct Sought {
  double before = 0, behind = 1;  // parts of the step between which the dense output shows it
  bool halves = false;            // a condition, whose values are 0 and 1
  double size = 0;                // the largest number seen: what rounding is measured by
  // The number at a part of the step on its dense output; at the end of a step of that size from the same state. False:
  // undefined.
  std::function<bool(double theta, double& value)> dense;
  std::function<bool(double size, double& value)> made;
  std::function<bool(double value)> crossed;  // it is behind the change
};

// Times from the start of the step before and behind a change, and the numbers there.
struct ChangeEnds {
  double a = 0, fa = 0, b = 0, fb = 0;
};

// In a step of size h from t (s). `found`: there is a change. False: undefined.
bool locate_change(const Sought& sought, double t, double h, ChangeEnds& ends, bool& found);

}  // namespace mbc::runtime
