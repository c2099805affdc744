// SPDX-License-Identifier: Apache-2.0
// Checks each step of a run: a change of energy without work has to be an error that steps of this size have. If a step
// misses more than kMissed of the exchanged energy, and more than such steps usually do, it is repeated without a
// correction, in one piece and in more. If many pieces miss as much as one, the forces do not belong to the energy. If
// both the state and the energy differ from theirs by more than the error of a step, something else has moved the
// state. Steps in which an operation of the model switches are not checked, because a potential that is switched on
// brings its energy with it.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "base/diagnostics/diagnostic.h"
#include "runtime/constraints/constraint_projector.h"
#include "runtime/equations/dense_rows.h"
#include "runtime/equations/equations.h"
#include "runtime/integrators/method.h"
#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::runtime {

class EnergyMonitor {
 public:
  // References must outlive the object.
  EnergyMonitor(Equations& equations, const ConstraintProjector& projector, const SimulateOptions& options)
      : equations_(equations), projector_(projector), options_(options) {}

  // Checks the state y at the end of a step, whose energies have just been evaluated. `balance` holds the balance until
  // now; energy that rounding of forces explains is added to it. `instants` and `steps` count the events and steps
  // until now. The changes of events are not checked; if not each step has a row, the steps since the last look are
  // checked together. After `looked` and `failed` the work arrays hold values of other states.
  enum class Verdict : std::uint8_t { stands, looked, failed };
  Verdict look(double t, const std::vector<double>& y, EnergyBalance& balance, std::uint64_t instants,
               std::uint64_t steps);
  // Explains why the check has failed.
  [[nodiscard]] Diagnostic failure() const;
  // Forgets the last state, because the next step does not begin there.
  void forget() { y_.clear(); }

  void transfer(Archive& archive);

 private:
  [[nodiscard]] double missed(const std::vector<double>& y) const;
  [[nodiscard]] bool same_values(std::uint64_t instants) const;
  [[nodiscard]] bool follows(double t, std::uint64_t instants, std::uint64_t steps) const;
  bool explained(double t, const std::vector<double>& y, double change);
  double rounding_of_forces(double t, const std::vector<double>& y);
  double rounding_of_clock(double t, const std::vector<double>& y);
  double moved_by_clock(double t, const std::vector<double>& y, double h);
  std::optional<double> as_made(double t);
  std::optional<double> change_in(int pieces, double t);
  std::optional<double> change_to(double t);
  bool by_history(double t, double h);
  [[nodiscard]] Method single() const;
  [[nodiscard]] bool switches(double from, const std::vector<double>& y, double to, const std::vector<double>& y_new);
  [[nodiscard]] bool is_near(const std::vector<double>& y) const;

  Equations& equations_;
  const ConstraintProjector& projector_;
  const SimulateOptions& options_;
  // The state at the last look
  double t_ = 0, missed_ = 0;
  std::vector<double> y_, inputs_;  // empty if there is none
  std::uint64_t param_changes_ = 0, instants_ = 0, steps_ = 0;
  int made_ = 1;                            // steps since the last look
  double unexplained_ = 0, exchanged_ = 0;  // of the step that failed
  double usual_ = 0;                        // usual error of the steps of this run, as far as their size explains it
  std::vector<double> trial_, rate_, whole_, before_;
  Assembled assembled_;
};

}  // namespace mbc::runtime
