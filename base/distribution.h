// SPDX-License-Identifier: Apache-2.0
// Distributions of a number, by the inverse of their distribution function: quantile(u) is the value below which the
// part u of all draws lies.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace mbc {

struct Distribution {
  // normal: mean and standard deviation. lognormal: median and standard deviation of the logarithm. uniform: between
  // two numbers. triangular: lowest value, mode, highest. values: listed ones with their weights.
  enum class Kind : std::uint8_t { normal, lognormal, uniform, triangular, values };
  Kind kind = Kind::normal;
  std::vector<double> parameters;  // as above; of `values` all values
  std::vector<double> weights;     // of `values`; their sum is 1
  double low = 0, high = 0;        // of `normal` and `lognormal`, if `cut`: draws lie between these
  bool cut = false;

  // 0 < u < 1
  [[nodiscard]] double quantile(double u) const;
};

// Returns why there is no such distribution, "" if there is one.
[[nodiscard]] std::string why_impossible(const Distribution& distribution);

// Returns the kind of a name, null if there is none.
[[nodiscard]] const Distribution::Kind* distribution_named(std::string_view name);

// Returns the quantile of the standard normal distribution, with a relative error below 1e-15 (Wichura, algorithm
// AS 241, Applied Statistics 37 (1988) 477-484).
[[nodiscard]] double normal_quantile(double u);

}  // namespace mbc
