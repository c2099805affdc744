// SPDX-License-Identifier: Apache-2.0
// The checks of a test while a simulation runs: values that the kernel computes behind its outputs, compared row by
// row. Everything is an index into Equations::output_values(); nothing here knows the text of the model.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/check_terms.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

struct RunValuePlan {  // a number of the whole run: computed from output `output`, given to the kernel as input `input`
  kernel::RunValueKind kind{};
  std::uint32_t output = 0, input = 0;
};

struct CheckPlan {
  kernel::CheckWhen when{};
  kernel::CheckRelation relation{};
  std::uint64_t row = 0;    // of `at`
  std::uint32_t event = 0;  // of `event`
  std::uint32_t lhs = 0, rhs = 0, width = 0, limit = 0, condition = 0;
};

struct CheckMoment {  // what was seen at one row
  double time = 0;
  double excess = 0;  // |lhs - rhs|, lhs - rhs or rhs - lhs: the larger the worse; not a number where undefined
  double limit = 0;
  std::vector<double> lhs, rhs;
};

struct CheckVerdict {
  std::uint64_t looked_at = 0, failed = 0;  // rows, or firings
  std::optional<CheckMoment> first, worst;  // of those that failed
};

// The checks of one run of one test. Call row() for every recorded row, with the outputs just evaluated.
class CheckRun {
 public:
  CheckRun(std::vector<RunValuePlan> values, std::vector<CheckPlan> checks, Equations& equations);

  // It may evaluate the outputs again, with other inputs.
  void row(double t, bool last, const double* y, double* dy);
  // An event has fired; the outputs are those behind its instant.
  void event(double t, std::uint32_t event, const double* y, double* dy);
  // Of value k, so far.
  [[nodiscard]] double* extreme(std::size_t k) { return &extremes_[k]; }
  [[nodiscard]] const std::vector<CheckVerdict>& verdicts() const { return verdicts_; }

 private:
  void begin(double t, const double* y, double* dy);
  void gather(bool first);
  void look(const CheckPlan& check, double t, CheckVerdict& verdict) const;
  [[nodiscard]] double output(std::uint32_t k) const { return equations_.output_values()[k]; }

  std::vector<RunValuePlan> values_;
  std::vector<CheckPlan> checks_;
  Equations& equations_;
  std::vector<double> extremes_;  // of minima and maxima so far
  std::vector<CheckVerdict> verdicts_;
  std::uint64_t rows_ = 0;
};

}  // namespace mbc::runtime
