// SPDX-License-Identifier: Apache-2.0
// Steps of the method's own size (dopri5, bdf), and the rows between them: at begin + i*step, from the continuous
// extension of the step that holds them.
#pragma once
#include <cmath>
#include <cstdint>
#include <optional>
#include <vector>

#include "runtime/integrators/step_control.h"
#include "runtime/simulation/accepted_state.h"
#include "runtime/simulation/passage.h"
#include "runtime/simulation/run_parts.h"
#include "runtime/simulation/stepping.h"
#include "runtime/simulation/stiff_steps.h"

namespace mbc::runtime {

class AdaptiveLoop {
 public:
  // From a run that has begun (run_start.h).
  AdaptiveLoop(RunParts& run, Passage& passage, AcceptedState& accepted, Stepping& stepping);

  // The first row; then, with later and later ends, what leads there. False when the run has ended: run.data says how.
  bool begin();
  bool go_to(double end);

  // The last state that was accepted, and its time; after a failure the state of the run is what could not be accepted.
  [[nodiscard]] double time() const { return t_; }
  [[nodiscard]] const std::vector<double>& state() const { return accepted_state_; }

  void transfer(Archive& archive) {
    archive(control_, t_, next_row_, looked_at_, was_at_);
    archive.expect(std::isfinite(t_) && std::isfinite(was_at_));
    accepted_state_ = run_.integrated.y();
  }

 private:
  bool step_from(double& t, double last_time);
  bool step_beside(double& t, double last_time);
  bool record_end(double t, double last_time);
  double accepted_step(double t);
  double stiff_step(double t, double last_time);
  bool stuck(double t);
  bool record_between(double t, double t_new, double h);
  bool record_at(double t);
  // The last row is always recorded.
  [[nodiscard]] double next_time() const { return run_.time_of(std::min(next_row_, run_.options.steps)); }
  [[nodiscard]] double length() const {
    const SimulateOptions& o = run_.options;
    return o.horizon > 0 ? o.horizon : run_.time_of(o.steps) - o.begin;
  }
  [[nodiscard]] std::uint64_t rows_apart() const {
    return run_.options.rows_between ? run_.options.output_every : run_.options.steps;
  }

  RunParts& run_;
  Passage& passage_;
  AcceptedState& accepted_;
  Stepping& stepping_;
  Dopri5* method_;  // null: stiff_
  std::optional<StiffSteps> stiff_;
  StepControl control_;
  double t_ = 0;
  std::vector<double> accepted_state_;  // at t_
  std::uint64_t next_row_ = 0;
  std::uint64_t looked_at_ = 0;  // attempts when progress was looked at, and the time it had reached
  double was_at_ = 0;
  std::vector<double> row_, row_rate_;  // a recorded state between steps
};

}  // namespace mbc::runtime
