// SPDX-License-Identifier: Apache-2.0
// The state of a run, with the equations that give its rate, and what is told of the run so far. One thread's.
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
  // Everything outlives the object. y: the initial state, then that of the run.
  RunState(Equations& equations, const problem::Problem& info, std::vector<double>& y)
      : equations_(equations), info_(info), integrated_(equations, y) {}

  [[nodiscard]] Equations& equations() const { return equations_; }
  [[nodiscard]] const problem::Problem& info() const { return info_; }
  [[nodiscard]] const kernel::SystemLayout& layout() const { return equations_.layout(); }
  [[nodiscard]] problem::DiscreteState discrete() const { return equations_.discrete_state(info_.events); }
  [[nodiscard]] IntegratedState& integrated() { return integrated_; }
  [[nodiscard]] const IntegratedState& integrated() const { return integrated_; }
  // The state [q; u; s], and its rate where it was accepted.
  [[nodiscard]] std::vector<double>& y() { return integrated_.y(); }
  [[nodiscard]] std::vector<double>& dy() { return integrated_.dy(); }
  [[nodiscard]] RunData& data() { return data_; }
  [[nodiscard]] const RunData& data() const { return data_; }

  // How many rows no event has switched off.
  [[nodiscard]] int rows_on() const {
    const problem::DiscreteState now = discrete();
    const auto off = std::count_if(info_.events.switched_rows.begin(), info_.events.switched_rows.end(),
                                   [&](const problem::SwitchedRow& s) { return !now.is_on(s.held); });
    return static_cast<int>(info_.rows.size()) - static_cast<int>(off);
  }

  // The run ends here, by a failure where nothing else is said: false, for the caller to hand on.
  bool end(RunStatus status, Diagnostic d) { return data_.end(status, std::move(d)); }
  bool stop(Diagnostic d) { return end(RunStatus::stopped, std::move(d)); }
  // The rate at the state, left in it; false when it is not finite, and the run goes on.
  bool rate_is_finite(double t) {
    ++data_.evaluations;
    return equations_.rhs(t, integrated_.y().data(), integrated_.dy().data()) == 0;
  }
  // The same, but the run ends where the rate is not finite; and the end of a run that goes on no more.
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
