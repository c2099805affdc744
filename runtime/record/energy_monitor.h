// SPDX-License-Identifier: Apache-2.0
// A net beneath everything that makes a step: what the energy changes by and no work explains has to be an error that
// steps of this size have. Where a step misses by more than kMissed of the energy that is exchanged, and by more than
// such steps usually do, it is made again without a correction, in one piece and in more. Where many pieces miss as
// much as one, the forces are not those of the energy. Where the state is farther from theirs than the error of a step,
// and so is what the energy misses, something else has moved it. Steps in which an operation of the model switches are
// not looked at: a potential that is switched on brings its energy with it.
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
  // All outlive the object.
  EnergyMonitor(Equations& equations, const ConstraintProjector& projector, const SimulateOptions& options)
      : equations_(equations), projector_(projector), options_(options) {}

  // The state y at the end of a step, whose energies have just been evaluated; balance: until now; what rounding of
  // forces that balance explains is added to it. instants: events until now; what they change is theirs. steps: until
  // now; where not each is a row, those since the last look are looked at together. After `looked` and `failed` the
  // work arrays hold values of other states.
  enum class Verdict : std::uint8_t { stands, looked, failed };
  Verdict look(double t, const std::vector<double>& y, EnergyBalance& balance, std::uint64_t instants,
               std::uint64_t steps);
  // Why it failed.
  [[nodiscard]] Diagnostic failure() const;
  // The next step begins at a state that nothing leads to from the last.
  void forget() { y_.clear(); }

  void transfer(Archive& archive);

 private:
  [[nodiscard]] double missed(const std::vector<double>& y) const;
  [[nodiscard]] bool same_values(std::uint64_t instants) const;
  [[nodiscard]] bool follows(double t, std::uint64_t instants, std::uint64_t steps) const;
  bool explained(double t, const std::vector<double>& y, double change);
  double rounding_of_forces(double t, const std::vector<double>& y);
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
  // the state before
  double t_ = 0, missed_ = 0;
  std::vector<double> y_, inputs_;  // empty: there is none
  std::uint64_t param_changes_ = 0, instants_ = 0, steps_ = 0;
  int made_ = 1;                            // steps from there
  double unexplained_ = 0, exchanged_ = 0;  // of the step that failed
  double usual_ = 0;                        // what steps of this run miss, as far as their size explains it
  std::vector<double> trial_, rate_, whole_, before_;
  Assembled assembled_;
};

}  // namespace mbc::runtime
