// SPDX-License-Identifier: Apache-2.0
// The checks of a test while a simulation runs: values that the kernel computes behind its outputs, compared row by
// row. Nothing here knows the text of the model.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/problem/check.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// Where the checks of a run stand in its kernel: the output of their first probe, the input of the first run value.
struct CheckPlaces {
  std::uint32_t first_probe = 0, first_run_value = 0;
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
  CheckRun(std::vector<problem::RunValue> values, std::vector<problem::Check> checks, const CheckPlaces& places,
           Equations& equations);

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
  void look(const problem::Check& check, double t, CheckVerdict& verdict) const;
  [[nodiscard]] double probe(std::uint32_t k) const { return equations_.output_values()[places_.first_probe + k]; }
  void set_run_value(std::size_t k, double value);

  std::vector<problem::RunValue> values_;
  std::vector<problem::Check> checks_;
  CheckPlaces places_;
  Equations& equations_;
  std::vector<double> extremes_;  // of minima and maxima so far
  std::vector<CheckVerdict> verdicts_;
  std::uint64_t rows_ = 0;
};

}  // namespace mbc::runtime
