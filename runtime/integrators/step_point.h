// SPDX-License-Identifier: Apache-2.0
// A point inside a step, for dense output.
#pragma once

namespace mbc::runtime {

// A point inside a step, by its time and by the part of the step before it, from 0 to 1. Neither follows from the other
// to the last bit.
struct StepPoint {
  double t = 0, theta = 0;
};

}  // namespace mbc::runtime
