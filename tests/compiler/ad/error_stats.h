// SPDX-License-Identifier: Apache-2.0
// Collects the relative errors of many comparisons, their quantiles, and the number of the worst case for repeating it.
#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdio>
#include <string>
#include <vector>

#include "tests/compiler/ad/rng.h"
#include "tests/compiler/ad/scalars.h"

namespace mbc::test {

// This macro comes before the checks of a set of errors. The figures appear if a check fails, and in long runs.
#define MBC_FIGURES(stats) \
  INFO((stats).text());    \
  if (::mbc::test::long_run()) MESSAGE((stats).text())

class ErrorStats {
 public:
  explicit ErrorStats(std::string name) : name_(std::move(name)) {}

  // `scale` is the size that the error is relative to. It is the expected value unless another one is given.
  void add(double got, Real expected, std::size_t case_number) { add(got, expected, std::fabs(expected), case_number); }
  void add(double got, Real expected, Real scale, std::size_t case_number) {
    const Real difference = std::fabs(static_cast<Real>(got) - expected);
    double error = static_cast<double>(difference == 0 ? 0 : difference / scale);
    if (std::isnan(error)) error = HUGE_VAL;
    if (expected != 0) ++nonzero_;
    if (error > worst_ || errors_.empty()) {
      worst_ = error;
      worst_case_ = case_number;
    }
    errors_.push_back(static_cast<float>(error));
  }
  void skip() { ++skipped_; }

  [[nodiscard]] std::size_t count() const { return errors_.size(); }
  [[nodiscard]] std::size_t nonzero() const { return nonzero_; }
  [[nodiscard]] double worst() const { return worst_; }
  [[nodiscard]] double kept() const {  // Returns the fraction of the comparisons that the conditioning guard accepted.
    return static_cast<double>(count()) / static_cast<double>(std::max<std::size_t>(count() + skipped_, 1));
  }
  [[nodiscard]] double quantile(double p) {
    if (errors_.empty()) return 0;
    const auto at = errors_.begin() + static_cast<std::ptrdiff_t>(p * static_cast<double>(errors_.size() - 1));
    std::nth_element(errors_.begin(), at, errors_.end());
    return *at;
  }
  [[nodiscard]] std::string text() {
    return name_ + ": " + std::to_string(count()) + " compared, " + std::to_string(nonzero_) + " not zero, " +
           std::to_string(skipped_) + " ill-conditioned; p99 " + short_number(quantile(0.99)) + ", p99.99 " +
           short_number(quantile(0.9999)) + ", max " + short_number(worst_) + " (case " + std::to_string(worst_case_) +
           ")";
  }

 private:
  static std::string short_number(double x) {
    char buffer[32];
    std::snprintf(buffer, sizeof buffer, "%.2g", x);
    return buffer;
  }

  std::string name_;
  std::vector<float> errors_;  // floats, because a long run has many errors
  double worst_ = 0;
  std::size_t worst_case_ = 0, nonzero_ = 0, skipped_ = 0;
};

}  // namespace mbc::test
