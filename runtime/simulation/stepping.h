// SPDX-License-Identifier: Apache-2.0
// One step of a run, from an accepted state with its rate to the next state: the method's stages, then what brings the
// state back where it has to be.
#pragma once
#include <cstdint>
#include <vector>

#include "runtime/simulation/run_parts.h"

namespace mbc::runtime {

class Stepping {
 public:
  explicit Stepping(RunParts& run) : run_(run), start_(run.integrated.y().size()) {}

  // A step of size h. False when the run ends here; its state is then that before the step.
  bool step(double t, double h);
  // The same, where it can be had in one piece (options.fused); false: it has to be made by step().
  bool fused_step(double t);

  // The state at the end of a step to time t: finite, quaternions of norm 1, on the constraints where that is asked
  // for; `projected`: the method has seen to the last two. False when the run ends here.
  bool settle(double t, bool projected = false);
  // What the stabilisation said; false when the run ends.
  bool accepts(double t, const double* y, Stabiliser::Outcome made);

  // The rate of what is integrated: 0, or the failed entry + 1.
  std::int32_t rhs(double t, const double* state, double* rate) {
    ++run_.data.evaluations;
    if (run_.integrated.in_quasi_velocities()) return run_.equations.quasi().rhs_of_quasi_state(t, state, rate);
    return run_.layout.quasi ? run_.equations.rhs(t, state, rate) : run_.singular_limit.rhs(t, state, rate);
  }
  // The same where nothing but the derivatives is looked at.
  std::int32_t fast_rhs(double t, const double* state, double* rate) {
    if (!run_.equations.fast_rhs(t, state, rate)) return rhs(t, state, rate);
    ++run_.data.evaluations;
    return 0;
  }

 private:
  template <class Made>
  bool took(Made& method, std::int32_t failed);
  [[nodiscard]] bool jumped() const;

  RunParts& run_;
  std::vector<double> start_;  // the state a step began with; then the one before the correction
  std::vector<double> moved_;  // the state made of quasi-velocities
};

}  // namespace mbc::runtime
