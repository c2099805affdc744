// SPDX-License-Identifier: Apache-2.0
// Where in a step its dense output is asked for.
#pragma once

namespace mbc::runtime {

// A point inside a step, in both ways: its time, and the part of the step before it, from 0 to 1. Neither can be found
// from the other to the last bit.
struct StepPoint {
  double t = 0, theta = 0;
};

}  // namespace mbc::runtime
