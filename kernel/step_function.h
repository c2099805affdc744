// SPDX-License-Identifier: Apache-2.0
// A step of an integrator as one function of a kernel: its purpose and its parts. The compiler makes it
// (compiler/formulate/steps), the runtime calls it in place of the same step in pieces.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/limits.h"

namespace mbc::kernel {

// The parts of the state that the stepping loop treats specially.
struct StepShape {
  bool project = false;                            // stabilise = project
  std::vector<std::uint32_t> coordinate_of_speed;  // where a displacement of the speeds goes, without quaternions
  std::vector<std::uint32_t> quaternions;          // the first of four coordinates
  // The extremes of outputs over all accepted states. With extremes, the first n_recorded outputs and the energy have
  // to be finite at each of them.
  struct Extreme {
    std::uint32_t output = 0;
    bool maximum = false;
  };
  std::vector<Extreme> extremes;
  std::uint32_t n_recorded = 0;
  // Outputs that end a step in lanes if they change their sign. They are checked on the cubic through the values and
  // rates of both ends. A truth, 1 or 0, is checked by its difference from 1/2.
  struct Watched {
    std::uint32_t output = 0;
    bool truth = false;
  };
  std::vector<Watched> watched;
  std::vector<double> looks;  // fractions of the step at which the cubic is evaluated, in order; the last is 1
  double clear_of_zero = 0;   // relative to the largest size of a number seen: below it the sign is not known
};

inline constexpr std::uint32_t kStepLanes = 8;

// The bound of e^2/|G|^2 up to which one Newton step is enough in a model of this size. The margin keeps it below the
// bound that the steps in pieces use.
inline double residual_limit(double size) {
  const double e = kQuadraticResidual * size;
  return e * e / kBoundMargin;
}

struct StepFunction {
  // One function, "step": deriv = the state after the step. It returns kGaveUp if the verdict of a lane is not above 0
  // or an entry is not finite.
  //   in lanes      the integrals of work are left out; in their place are the extremes, with their values at the state
  //                 before the step, and the largest sizes of watched numbers, updated with those of the step
  //   after rates   deriv holds the rates at the state before the step, which is complete
  Kernel kernel;
  std::uint32_t lanes = 1;
  std::uint32_t half = 0, whole = 0;  // params[..] = h/2, h
  std::uint32_t least_pivots =
      0;  // in lanes, params[..]: pivots at or below which the verdict is that of a guard, by row
  // params[.. + 0], [.. + 1]: residual_limit() of the positions and of the speeds
  std::uint32_t residual_limits = 0;
  std::uint32_t verdict = 0;     // work[verdict + lane]
  std::uint32_t moved = 0;       // after rates: work[moved] = |w|^2 of the displacement onto the position level
  std::uint32_t n_entries = 0;   // entries of a state that are integrated here
  std::uint32_t n_extremes = 0;  // behind them
  std::uint32_t sizes = 0;       // the first entry of the sizes of watched numbers
  std::uint32_t signs = 0;       // params[..]: 1 or -1, the signs that the watched numbers have to keep
  std::uint32_t n_watched = 0;
  std::uint32_t n_checked = 0;  // entries that have to be finite
};

}  // namespace mbc::kernel
