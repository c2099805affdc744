// A step of Runge and Kutta's method as one function: the rates, the sums, quaternions brought to norm 1 and one Newton
// step onto the position- and onto the velocity-level rows. Either the whole step, for eight members of a sweep at
// once, in the lanes of one block, and then entry i of an array of one member lies at [8 i + lane] of theirs; or, for a
// run by itself, what follows the rates at the accepted state, which the run has looked at.
//
// It does what the loop of a run does where nothing stands out, with the same roundings: all rows certified and far
// from depending on each other, residuals small enough for one Newton step, everything finite. Where that is
// not so the verdict says it, and the step is taken in pieces (runtime/batch.h, runtime/fused_step.h).
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/formulate/layout.h"
#include "runtime/kernel.h"

namespace mbc::formulate {

// What loop and step agree on. d/S of a row at an accepted state above which nothing needs to be looked at:
inline constexpr double kQuietPivot = 2e-5;
// d/S of a row below which Newton's method on S would cost too many digits:
inline constexpr double kSureCorrection = 1e-5;
// Residual divided by |G_k|, below which one Newton step reaches round-off:
inline constexpr double kQuadraticResidual = 1e-6;

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
};

inline constexpr std::uint32_t kStepLanes = 8;

struct StepFunction {
  // One function, "step": deriv = the state after the step. Returns kGaveUp when the verdict of a lane is not above 0
  // or an entry is not finite.
  //   in lanes      the integrals of work are left out; in their place are the extremes, with what they are at the
  //                 state before the step
  //   after rates   deriv comes with the rates at the state before the step, which is complete
  kernel::Kernel kernel;
  std::uint32_t lanes = 1;
  std::uint32_t half = 0, whole = 0;  // params[..] = h/2, h
  std::uint32_t verdict = 0;          // work[verdict + lane]
  std::uint32_t moved = 0;            // after rates: work[moved] = |w|^2 of the displacement onto the position level
  std::uint32_t n_entries = 0;        // of a state that are integrated here
  std::uint32_t n_extremes = 0;       // behind them
  std::uint32_t n_checked = 0;        // all that have to be finite
};

// From a kernel with step_parts (FormulateOptions). Nothing when it has none, or when the step would be too long.
std::optional<StepFunction> rk4_in_lanes(const kernel::Kernel& kernel, const SystemLayout& layout,
                                         const StepShape& shape);
// The same; of `shape` the extremes and what is recorded are left alone.
std::optional<StepFunction> rk4_after_rates(const kernel::Kernel& kernel, const SystemLayout& layout,
                                            const StepShape& shape);

}  // namespace mbc::formulate
