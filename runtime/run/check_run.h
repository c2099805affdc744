// SPDX-License-Identifier: Apache-2.0
// The checks of a test while a simulation runs. The kernel computes their values after its outputs, and they are
// compared row by row. The text of the model is not known here.
#pragma once
#include <cstdint>
#include <optional>
#include <vector>

#include "kernel/problem/check.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// The places of the checks in the kernel of a run: the output of the first probe and the input of the first run value.
struct CheckPlaces {
  std::uint32_t first_probe = 0, first_run_value = 0;
};

struct CheckMoment {  // the values at one row
  double time = 0;
  double excess = 0;  // |lhs - rhs|, lhs - rhs or rhs - lhs: larger is worse; not a number if undefined
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

  // Checks a row. It may evaluate the outputs again with other inputs.
  void row(double t, bool last, const double* y, double* dy);
  // Checks after an event has fired. The outputs are those after its instant.
  void event(double t, std::uint32_t event, const double* y, double* dy);
  // Returns the extreme of value k so far.
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
  std::vector<double> extremes_;  // minima and maxima so far
  std::vector<CheckVerdict> verdicts_;
  std::uint64_t rows_ = 0;
};

}  // namespace mbc::runtime
