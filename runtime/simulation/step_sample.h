// SPDX-License-Identifier: Apache-2.0
// The errors of a sample of steps of fixed size by rk4: each is made once more as two steps of half the size, and the
// difference tells its error (Richardson's extrapolation; Hairer, Norsett and Wanner, "Solving Ordinary Differential
// Equations I", II.4). The motion does not see it. Where rows are near to depending on others nothing is looked at.
#pragma once
#include <optional>
#include <vector>

#include "runtime/simulation/data/error_sizes.h"
#include "runtime/simulation/run_parts.h"

namespace mbc::runtime {

class StepSample {
 public:
  explicit StepSample(RunParts& run) : run_(run) {}

  // Whether the step from the accepted state at hand is one of the sample; then it is remembered.
  bool takes(bool regular);
  // After that step of size h from t was made.
  void look(double t, double h);

  void transfer(Archive& archive) {
    bool made = sizes_.has_value();
    archive(made);
    if (made && archive.reading()) sizes_.emplace(run_.info, run_.layout, run_.length());
    if (made) archive(*sizes_);
  }

 private:
  RunParts& run_;
  std::optional<ErrorSizes> sizes_;
  std::optional<Rk4> method_;
  std::vector<double> from_, rate_;
};

}  // namespace mbc::runtime
