// SPDX-License-Identifier: Apache-2.0
// Checks before each timing that the results agree with those of the hand-written kernel.
#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <string>

namespace mbc::bench {

inline constexpr double kAgreement = 1e-12;

// Agreement collects the largest difference relative to the largest expected value (of at least one).
class Agreement {
 public:
  void see(double wanted, double got) {
    size_ = std::max(size_, std::fabs(wanted));
    const double apart = std::fabs(got - wanted);
    if (std::isnan(apart) || apart > apart_) apart_ = apart;  // A NaN replaces the largest difference.
  }
  void see(const double* wanted, const double* got, std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) see(wanted[i], got[i]);
  }
  [[nodiscard]] double difference() const { return apart_ / size_; }
  // Throws if the difference is above kAgreement, and returns it otherwise.
  double demand(const std::string& name) const {
    if (!(difference() <= kAgreement))
      throw std::runtime_error(fmt::format("{}: results differ by {:.3g} of {:.3g}", name, apart_, size_));
    return difference();
  }

 private:
  double size_ = 1, apart_ = 0;
};

}  // namespace mbc::bench
