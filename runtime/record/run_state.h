// SPDX-License-Identifier: Apache-2.0
// The state of a run with the equations that give its rate, and the results of the run so far. It belongs to one
// thread.
#pragma once
#include <algorithm>
#include <utility>
#include <vector>

#include "kernel/problem/problem.h"
#include "runtime/equations/equations.h"
#include "runtime/equations/integrated_state.h"
#include "runtime/record/run_data.h"
#include "runtime/record/run_failure.h"

namespace mbc::runtime {

class RunState {
 public:
  // References must outlive the object. `y` is the initial state, and then the state of the run.
  RunState(Equations& equations, const problem::Problem& info, std::vector<double>& y)
      : equations_(equations), info_(info), integrated_(equations, y) {}

  [[nodiscard]] Equations& equations() const { return equations_; }
  [[nodiscard]] const problem::Problem& info() const { return info_; }
  [[nodiscard]] const kernel::SystemLayout& layout() const { return equations_.layout(); }
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(info_.events); }
  [[nodiscard]] IntegratedState& integrated() { return integrated_; }
  [[nodiscard]] const IntegratedState& integrated() const { return integrated_; }
  // Returns the state [q; u; s]; dy() is its rate if it was accepted.
  [[nodiscard]] std::vector<double>& y() { return integrated_.y(); }
  [[nodiscard]] std::vector<double>& dy() { return integrated_.dy(); }
  [[nodiscard]] RunData& data() { return data_; }
  [[nodiscard]] const RunData& data() const { return data_; }

  // Returns the number of rows that no event has switched off.
  [[nodiscard]] int rows_on() const {
    const problem::DiscreteState now = discrete();
    const auto off = std::count_if(info_.events.switched_rows.begin(), info_.events.switched_rows.end(),
                                   [&](const problem::SwitchedRow& s) { return !now.is_on(s.held); });
    return static_cast<int>(info_.rows.size()) - static_cast<int>(off);
  }

  // Ends the run, by a failure unless another status is given, and returns false for the caller to hand on.
  bool end(RunStatus status, Diagnostic d) { return data_.end(status, std::move(d)); }
  bool stop(Diagnostic d) { return end(RunStatus::stopped, std::move(d)); }
  // Evaluates the rate at the state. Returns false if it is not finite; the run continues.
  bool rate_is_finite(double t) {
    ++data_.evaluations;
    return equations_.rhs(t, integrated_.y().data(), integrated_.dy().data()) == 0;
  }
  // Does the same but ends the run if the rate is not finite. undefined() ends it by that failure.
  bool evaluate_rate(double t) { return rate_is_finite(t) || undefined(t); }
  bool undefined(double t) { return undefined(t, integrated_.y().data()); }
  bool undefined(double t, const double* y) { return stop(why_undefined(equations_, info_, t, y)); }

 private:
  Equations& equations_;
  const problem::Problem& info_;
  IntegratedState integrated_;
  RunData data_;
};

}  // namespace mbc::runtime
