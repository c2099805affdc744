// SPDX-License-Identifier: Apache-2.0
// Steps of a run by the method for stiff problems (runtime/integrators/bdf.h). This class gives the method its problem
// in terms of the run. The state is [q; u; s]. The history is kept as long as nothing moves the state or makes its rate
// jump; otherwise the method begins again at the given state.
#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "runtime/equations/rate_jacobian.h"
#include "runtime/integrators/bdf.h"
#include "runtime/record/options.h"
#include "runtime/record/run_state.h"
#include "runtime/rows/spectral_radius.h"
#include "runtime/state/constraint_handling.h"
#include "runtime/state/integration.h"
#include "runtime/step/stepping.h"

namespace mbc::runtime {

class StiffSteps {
 public:
  struct Limits {
    double max_step = 0;   // longest step
    double tolerance = 0;  // of the whole motion, relative to size(entry, value)
    std::function<double(std::size_t entry, double value)> size;
    std::function<double(std::size_t entry)> rounded;  // what is no error of an entry in a step
  };
  // References must outlive the object; options.partials must be set.
  StiffSteps(const SimulateOptions& options, RunState& state, ConstraintHandling& constraints, Integration& integration,
             Stepping& stepping, Limits limits);
  ~StiffSteps() { integration_.refine(); }
  StiffSteps(const StiffSteps&) = delete;
  StiffSteps& operator=(const StiffSteps&) = delete;

  // Makes a step from the accepted state at t, to `end` at most. Returns false if the run ends here. The final state is
  // on the constraints if `stabilise` holds them, and its quaternions have norm 1.
  bool step(double t, double end);
  // Returns whether no step from that state was short enough; the run has no diagnostic then.
  [[nodiscard]] bool shrunk() const { return shrunk_; }
  // Returns whether the rates were undefined in every such step; the run has no diagnostic then. stop_undefined() gives
  // it one.
  [[nodiscard]] bool undefined() const { return undefined_; }
  void stop_undefined();
  // Returns the state of the last step before its correction onto the constraints if that exceeded drift, else null.
  [[nodiscard]] const std::vector<double>* corrected() const {
    return off_ > Jumps::kSeen && corrected_at_ == method_.time() ? &uncorrected_ : nullptr;
  }
  // Returns whether the rounding of an entry is more than a step may be off otherwise.
  [[nodiscard]] bool is_rounded() const;
  // Returns an estimate of the error of the last step, relative to the sizes.
  [[nodiscard]] double error() const { return share_ * limits_.tolerance * method_.error(); }
  // Returns the fastest decay or vibration of the equations, 1/s, at the state of the last Jacobian.
  [[nodiscard]] double fastest();

 private:
  Bdf::Problem problem();
  [[nodiscard]] double lowest_rebound() const;
  bool rate(double t, const double* y, double* dy);
  bool jacobian(double t, double gamma, const double* y, double* out);
  // Returns whether rows are nearly dependent from the start on.
  [[nodiscard]] bool nearly_dependent() const;
  bool by_differences(double t, const double* y, double* out);
  void allowed(const double* y, double* out) const;
  bool project(double t, const double* y, double* correction);
  void project_softly(double t, double* y);
  [[nodiscard]] double off(bool position) const;
  [[nodiscard]] bool goes_on(double t) const;
  [[nodiscard]] bool same_inputs() const;
  bool fail(double t, Bdf::Outcome why);

  const SimulateOptions& options_;
  RunState& state_;
  ConstraintHandling& constraints_;
  Integration& integration_;
  Stepping& stepping_;
  Limits limits_;
  RateJacobian jacobian_;
  Eigen::MatrixXd differences_;  // the Jacobian if rows are nearly dependent, or if a derivative is not finite
  SpectralRadius radius_;
  Bdf& method_;                      // of the run
  std::uint64_t param_changes_ = 0;  // at the last step
  std::vector<double> inputs_;
  double share_;  // of the tolerance, for one step
  double failed_time_ = 0;
  std::vector<double> failed_state_, projected_;
  std::vector<char> follows_;    // by input: the direction of a slip in a plane
  std::uint64_t looked_at_ = 0;  // number of Jacobians at the last fastest()
  double fastest_ = 0;
  bool shrunk_ = false, undefined_ = false, differs_ = false;  // differs_: the last Jacobian is differences_
  Stabiliser::Outcome stabilised_;
  std::vector<double> uncorrected_;    // the state before the last projection
  double corrected_at_ = 0, off_ = 0;  // its time, and its largest scaled residual
};

}  // namespace mbc::runtime
