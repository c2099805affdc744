// SPDX-License-Identifier: Apache-2.0
// What the chosen stabilisation does with the state at the end of a step, and the diagnostic when it cannot: `project`
// and `partition` bring it back onto the constraints, `baumgarte` has done its part in the equations and is watched.
#pragma once
#include <optional>
#include <vector>

#include "base/diagnostics/diagnostic.h"
#include "runtime/constraints/coordinate_partitioning.h"

namespace mbc::runtime {

struct SimulateOptions;

class ConstraintKeeper {
 public:
  struct Outcome {
    std::optional<Diagnostic> diagnostic;
    std::vector<int> conflicting;  // rows that contradict each other: why no state was found
    double moved = 0;              // mass-weighted size of the correction of the positions
  };

  ConstraintKeeper(Equations& equations, const ModelInfo& info, Projector& projector, const SimulateOptions& options);

  // Whether states are moved.
  [[nodiscard]] bool corrects() const { return corrects_; }
  // Nothing is ever done or looked at.
  [[nodiscard]] bool idle() const { return idle_; }
  // near: rows were nearly dependent lately.
  Outcome after_step(double t, double* y, bool near);
  // A state between steps, for the record: the smallest correction under `project` and `partition` alike.
  Outcome between_steps(double t, double* y, bool near);

  [[nodiscard]] std::uint64_t renewals() const { return partition_ ? partition_->renewals() : 0; }
  void transfer(Archive& archive) {
    if (partition_) partition_->transfer(archive);
  }

 private:
  Outcome judge(double t, const StabiliseReport& made, bool near) const;
  Outcome watch(double t, const double* y);

  Equations& equations_;
  const ModelInfo& info_;
  Projector& projector_;
  const SimulateOptions& options_;
  bool corrects_, idle_;
  std::optional<Partition> partition_;
};

}  // namespace mbc::runtime
