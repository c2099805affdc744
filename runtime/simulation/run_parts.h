// SPDX-License-Identifier: Apache-2.0
// What the pieces of one run share: the equations, the state, what keeps and watches the constraints, the method of
// integration, the recording and what is known of the run so far. One thread's; nothing in it is shared with another
// run.
#pragma once
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/time_steps.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/constraints/stabilisation.h"
#include "runtime/equations/jets.h"
#include "runtime/integrators/ab4.h"
#include "runtime/integrators/dop853.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/gauss.h"
#include "runtime/integrators/rk4.h"
#include "runtime/integrators/taylor.h"
#include "runtime/simulation/data/energy_net.h"
#include "runtime/simulation/data/integrated_state.h"
#include "runtime/simulation/data/options.h"
#include "runtime/simulation/data/recording.h"
#include "runtime/simulation/data/run_data.h"
#include "runtime/singular/certification.h"
#include "runtime/singular/generic_rank.h"
#include "runtime/singular/singular_limit.h"
#include "runtime/singular/vanishing_rows.h"

namespace mbc::runtime {

// Of the size of the model: a rebound that is lower is none. With a tolerance of more than kFineSteps, that of `auto`
// by itself, one that is lower than the tolerance.
inline constexpr double kLowestRebound = 1e-12;
inline constexpr double kFineSteps = 1e-8;

// The method of a run: one of them is there, or none (bdf, which has more to it: stiff_steps.h; taylor, which
// RunParts adds, since it asks for more than a right-hand side).
struct Method {
  Method(Integrator integrator, std::size_t n);

  // The rates before now are of no use to a method that remembers them.
  void forget_history() {
    if (ab4) ab4->restart();
    if (gauss) gauss->restart();
    ++forgotten;
  }

  // f(the one that chooses its steps); there is one.
  template <class F>
  decltype(auto) adaptive(F&& f) {
    if (taylor) return f(*taylor);
    return dop853 ? f(*dop853) : f(*dopri5);
  }

  std::optional<Rk4> rk4;
  std::optional<Ab4> ab4;
  std::optional<Dopri5> dopri5;
  std::optional<Dop853> dop853;
  std::optional<Taylor> taylor;
  std::optional<Gauss> gauss;
  std::uint64_t forgotten = 0;  // times that history was forgotten
};

struct RunParts {
  // Everything outlives the object. y: the initial state, then that of the run.
  RunParts(Equations& equations, const problem::Problem& info, const SimulateOptions& options, std::vector<double>& y,
           const Recorder& record);
  RunParts(const RunParts&) = delete;  // the parts refer to each other
  RunParts& operator=(const RunParts&) = delete;

  // The run ends here: false, for the caller to hand on.
  bool end(RunStatus status, Diagnostic d) {
    data.status = status;
    data.diagnostic = std::move(d);
    return false;
  }
  // The right-hand side at y, left in dy; false when the run ends because it is not finite.
  bool evaluate_rate(double t) { return rate_is_finite(t) || undefined(t); }
  // The same, but the run goes on; and the end of a run that goes on no more.
  bool rate_is_finite(double t);
  bool undefined(double t);
  [[nodiscard]] double time_of(std::uint64_t step) const { return steps().time_of(step); }
  [[nodiscard]] TimeSteps steps() const {
    return {options.begin, options.step, options.steps, options.end, options.row_times};
  }
  // The time of a row that is the same instant, else t.
  [[nodiscard]] double row_time_near(double t) const;
  // Whether somebody has changed parameters or inputs since this was asked for last.
  bool values_changed() { return options.changed && std::exchange(*options.changed, false); }
  // Of the run in time, as far as it is known.
  [[nodiscard]] double length() const {
    return options.horizon > 0 ? options.horizon : time_of(options.steps) - options.begin;
  }
  // At a state that has just been evaluated: false when the run ends, since a gradient has vanished since the one
  // before.
  bool gradients_stand(double t, const std::vector<double>& y);
  // At an accepted state behind its row: false when the run ends here, interrupted or by what watches it.
  bool goes_on(double t);
  // How many rows no event has switched off.
  [[nodiscard]] problem::DiscreteState discrete_state() const { return equations.discrete_state(info.events); }
  // As the run begins or goes on, before anything is evaluated.
  void set_discrete_state();
  [[nodiscard]] int rows_on() const;
  // Its size.
  [[nodiscard]] double size_of(std::uint64_t step) const {
    return is_shorter(step) ? *options.end - time_of(step) : options.step;
  }
  [[nodiscard]] bool is_shorter(std::uint64_t step) const { return options.end && step + 1 == options.steps; }

  // Of the method that the run is asked for.
  [[nodiscard]] double usual_rebound() const;

  Equations& equations;
  const problem::Problem& info;
  const SimulateOptions& options;
  const kernel::SystemLayout& layout;
  IntegratedState integrated;
  RunData data;
  std::function<std::string()> save;  // of the whole run
  double pace = 0;                    // the size of the steps at hand
  // Of the size of a gap: what it may fall below zero by, along the continuous output of the method at hand, where its
  // sides have just been together; 0: by rounding.
  double gaps_known = 0;
  double lowest_rebound = usual_rebound();  // of the size of the model: what the method at hand knows places to
  ConstraintProjector projector;
  Certification certification;
  SingularLimit singular_limit;
  GenericRank generic_rank;
  VanishingRows vanishing_rows;
  Stabiliser stabiliser;
  Recording recording;
  EnergyNet energy_net;
  std::optional<Jets> jets;  // of taylor
  Method method;
};

}  // namespace mbc::runtime
