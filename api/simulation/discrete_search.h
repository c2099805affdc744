// SPDX-License-Identifier: Apache-2.0
// Finds the discrete state at a state that no motion has led to: which contacts hold, what sticks and which way it
// slides, as the beginning of a run finds them.
#pragma once
#include <span>
#include <vector>

#include "api/model/equation_variant.h"
#include "runtime/record/options.h"
#include "runtime/record/run_data.h"

namespace mbc::api {

class DiscreteSearch {
 public:
  // What the search depends on besides the state. `held`: the discrete state as far as users set it; contacts and
  // frictions in it do not count.
  struct Question {
    const EquationVariant& variant;
    const runtime::SimulateOptions& settings;
    const std::vector<double>&params, &inputs, &held;
  };

  // The discrete state at y = [q; u; s; w] and t; null, and failure() says why, where nothing moves on from there.
  const std::vector<double>* find(const Question& question, double t, std::span<const double> y);
  [[nodiscard]] const runtime::RunData& failure() const { return failure_; }

 private:
  std::vector<double> asked_;  // time, state, parameters, inputs and discrete state of the last answer
  std::vector<double> found_;
  runtime::RunData failure_;
};

}  // namespace mbc::api
