// SPDX-License-Identifier: Apache-2.0
// Finds the discrete state at a state that no motion has reached: active contacts, sticking frictions and directions of
// sliding, as at the beginning of a run.
#pragma once
#include <span>
#include <vector>

#include "api/model/equation_variant.h"
#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::api {

class DiscreteSearch {
 public:
  // Data of the search besides the state. `held`: the discrete state as far as users set it; its contacts and frictions
  // have no effect.
  struct Question {
    const EquationVariant& variant;
    const runtime::SimulateOptions& settings;
    const std::vector<double>&params, &inputs, &held;
  };

  // Returns the discrete state at y = [q; u; s; w] and t; null if no motion starts there, with the reason in failure().
  const std::vector<double>* find(const Question& question, double t, std::span<const double> y);
  [[nodiscard]] const runtime::RunData& failure() const { return failure_; }
  // Forgets the last answer, because equations or settings change.
  void forget() { asked_.clear(); }

 private:
  std::vector<double> asked_;  // time, state, parameters, inputs and discrete state of the last answer
  std::vector<double> found_;
  runtime::RunData failure_;
};

}  // namespace mbc::api
