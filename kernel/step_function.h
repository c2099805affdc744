// SPDX-License-Identifier: Apache-2.0
// A step of an integrator as one function of a kernel: what it is made for and what it consists of. The compiler makes
// it (compiler/formulate/steps), the runtime calls it in place of the same step in pieces.
#pragma once
#include <cstdint>
#include <vector>

#include "kernel/kernel.h"
#include "kernel/limits.h"

namespace mbc::kernel {

// What the state is to the loop.
struct StepShape {
  bool project = false;                            // stabilise = project
  std::vector<std::uint32_t> coordinate_of_speed;  // where a displacement of the speeds goes, without quaternions
  std::vector<std::uint32_t> quaternions;          // the first of four coordinates
  // Of outputs, over all accepted states; then all of the first n_recorded outputs and the energy have to be finite.
  struct Extreme {
    std::uint32_t output = 0;
    bool maximum = false;
  };
  std::vector<Extreme> extremes;
  std::uint32_t n_recorded = 0;
  // Of outputs: numbers that end a step in lanes where they change their sign, looked at on the cubic with the values
  // and rates of both ends. A truth, 1 or 0, is looked at as what it is above 1/2.
  struct Watched {
    std::uint32_t output = 0;
    bool truth = false;
  };
  std::vector<Watched> watched;
  std::vector<double> looks;  // parts of the step, in order; the last is 1
  double clear_of_zero = 0;   // of the largest size of a number seen: below this its sign is not told
};

inline constexpr std::uint32_t kStepLanes = 8;

// e^2/|G|^2 up to which one Newton step is enough in a model of this size; a margin keeps off the bound of the steps in
// pieces.
inline double residual_limit(double size) {
  const double e = kQuadraticResidual * size;
  return e * e / kBoundMargin;
}

struct StepFunction {
  // One function, "step": deriv = the state after the step. Returns kGaveUp when the verdict of a lane is not above 0
  // or an entry is not finite.
  //   in lanes      the integrals of work are left out; in their place are the extremes, with what they are at the
  //                 state before the step, and the largest sizes of watched numbers, with what the step has shown
  //   after rates   deriv comes with the rates at the state before the step, which is complete
  Kernel kernel;
  std::uint32_t lanes = 1;
  std::uint32_t half = 0, whole = 0;  // params[..] = h/2, h
  std::uint32_t least_pivots =
      0;  // in lanes, params[..]: pivots at or below which the verdict is that of a guard, by row
  // params[.. + 0], [.. + 1]: residual_limit() of the positions and of the speeds
  std::uint32_t residual_limits = 0;
  std::uint32_t verdict = 0;     // work[verdict + lane]
  std::uint32_t moved = 0;       // after rates: work[moved] = |w|^2 of the displacement onto the position level
  std::uint32_t n_entries = 0;   // of a state that are integrated here
  std::uint32_t n_extremes = 0;  // behind them
  std::uint32_t sizes = 0;       // the first entry of the sizes of watched numbers
  std::uint32_t signs = 0;       // params[..]: 1 or -1, which watched numbers have to keep
  std::uint32_t n_watched = 0;
  std::uint32_t n_checked = 0;  // all that have to be finite
};

}  // namespace mbc::kernel
