// SPDX-License-Identifier: Apache-2.0
// Locates a change in a step: of the sign of a number or of the truth of a condition.
//
// The change is first located on the dense output, which costs little compared with a step. It is then located on steps
// of the method from the current state that end close to that time. Numbers use a bracketed secant and conditions use
// bisection, to 4 ulp of the time or to the rounding of the number. A secant approaches the change from one side. The
// next step then goes twice as far, to reach the other side.
#pragma once
#include <functional>

namespace mbc::runtime {

struct Sought {
  double before = 0, behind = 1;  // parts of the step between which the dense output shows the change
  bool halves = false;            // true for a condition, whose values are 0 and 1
  double size = 0;                // the largest value so far, to which rounding is relative
  // These functions compute the number at a part of the step on its dense output, and at the end of a step of that size
  // from the same state. They return false if it is undefined.
  std::function<bool(double theta, double& value)> dense;
  std::function<bool(double size, double& value)> made;
  std::function<bool(double value)> crossed;  // tells whether a value lies after the change
};

// The times from the start of the step before and after a change, and the numbers there.
struct ChangeEnds {
  double a = 0, fa = 0, b = 0, fb = 0;
};

// Locates the change in a step of size h from t (s). `found` tells whether there is one. Returns false if a value is
// undefined.
bool locate_change(const Sought& sought, double t, double h, ChangeEnds& ends, bool& found);

}  // namespace mbc::runtime
