// SPDX-License-Identifier: Apache-2.0
#include "base/distribution.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "base/check.h"

namespace mbc {

namespace {

struct Named {
  const char* name;
  Distribution::Kind kind;
};

constexpr std::array<Named, 5> kNames{{{"normal", Distribution::Kind::normal},
                                       {"lognormal", Distribution::Kind::lognormal},
                                       {"uniform", Distribution::Kind::uniform},
                                       {"triangular", Distribution::Kind::triangular},
                                       {"values", Distribution::Kind::values}}};

// Coefficients of AS 241, PPND16: numerators and denominators by powers of the argument.
using Coefficients = std::array<double, 8>;
constexpr Coefficients kNear{3.3871328727963666080e0,  1.3314166789178437745e+2, 1.9715909503065514427e+3,
                             1.3731693765509461125e+4, 4.5921953931549871457e+4, 6.7265770927008700853e+4,
                             3.3430575583588128105e+4, 2.5090809287301226727e+3},
    kNearBelow{1.0,
               4.2313330701600911252e+1,
               6.8718700749205790830e+2,
               5.3941960214247511077e+3,
               2.1213794301586595867e+4,
               3.9307895800092710610e+4,
               2.8729085735721942674e+4,
               5.2264952788528545610e+3},
    kFar{1.42343711074968357734e0, 4.63033784615654529590e0,  5.76949722146069140550e0,  3.64784832476320460504e0,
         1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    kFarBelow{1.0,
              2.05319162663775882187e0,
              1.67638483018380384940e0,
              6.89767334985100004550e-1,
              1.48103976427480074590e-1,
              1.51986665636164571966e-2,
              5.47593808499534494600e-4,
              1.05075007164441684324e-9},
    kFarthest{6.65790464350110377720e0,  5.46378491116411436990e0,  1.78482653991729133580e0,
              2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
              2.71155556874348757815e-5, 2.01033439929228813265e-7},
    kFarthestBelow{1.0,
                   5.99832206555887937690e-1,
                   1.36929880922735805310e-1,
                   1.48753612908506148525e-2,
                   7.86869131145613259100e-4,
                   1.84631831751005468180e-5,
                   1.42151175831644588870e-7,
                   2.04426310338993978564e-15};

double ratio(const Coefficients& above, const Coefficients& below, double x) {
  double p = 0, q = 0;
  for (std::size_t k = above.size(); k-- > 0;) {
    p = p * x + above[k];
    q = q * x + below[k];
  }
  return p / q;
}

// Returns the part of draws of the standard normal distribution below x.
double normal_part(double x) { return 0.5 * std::erfc(-x / std::sqrt(2.0)); }

// Returns the quantile of the standard normal distribution between two of its values. The lower tail keeps the digits
// of small parts; the upper one is its mirror image.
double cut_quantile(double low, double high, double u) {
  if (low > 0) return -cut_quantile(-high, -low, 1 - u);
  const double below = normal_part(low);
  return std::clamp(normal_quantile(below + u * (normal_part(high) - below)), low, high);
}

double triangular(double low, double mode, double high, double u) {
  const double rising = (mode - low) / (high - low);
  if (u < rising) return low + std::sqrt(u * (high - low) * (mode - low));
  return high - std::sqrt((1 - u) * (high - low) * (high - mode));
}

// Returns the standard normal quantile, between the bounds where there are any.
double normal_of(const Distribution& d, double u) {
  if (!d.cut) return normal_quantile(u);
  const bool logarithm = d.kind == Distribution::Kind::lognormal;
  const auto standard = [&](double x) {
    return (logarithm ? std::log(x / d.parameters[0]) : x - d.parameters[0]) / d.parameters[1];
  };
  return cut_quantile(standard(d.low), standard(d.high), u);
}

bool all_finite(const std::vector<double>& values) {
  return std::all_of(values.begin(), values.end(), [](double x) { return std::isfinite(x); });
}

std::string why_no_normal(const Distribution& d) {
  const bool logarithm = d.kind == Distribution::Kind::lognormal;
  if (!(d.parameters[1] > 0))
    return logarithm ? "the standard deviation of its logarithm is not above 0"
                     : "its standard deviation is not above 0";
  if (logarithm && !(d.parameters[0] > 0)) return "its median is not above 0";
  if (!d.cut) return "";
  if (!(d.low < d.high)) return "its lower bound is not below its upper one";
  if (logarithm && !(d.low >= 0)) return "its lower bound is below 0";
  const auto far = [&](double bound) { return std::fabs(bound) > 35; };
  const double low =
      logarithm ? std::log(d.low / d.parameters[0]) / d.parameters[1] : (d.low - d.parameters[0]) / d.parameters[1];
  const double high =
      logarithm ? std::log(d.high / d.parameters[0]) / d.parameters[1] : (d.high - d.parameters[0]) / d.parameters[1];
  if ((low > 0 && far(low)) || (high < 0 && far(high))) return "nothing of it lies between its bounds";
  return "";
}

std::string why_no_values(const Distribution& d) {
  double sum = 0;
  for (const double w : d.weights) {
    if (!(w >= 0)) return "a weight is below 0";
    sum += w;
  }
  if (d.weights.size() != d.parameters.size()) return "it has as many weights as values";
  return std::fabs(sum - 1) <= 1e-9 ? "" : "the sum of its weights is not 1";
}

}  // namespace

const Distribution::Kind* distribution_named(std::string_view name) {
  const auto* at = std::find_if(kNames.begin(), kNames.end(), [&](const Named& n) { return name == n.name; });
  return at == kNames.end() ? nullptr : &at->kind;
}

double normal_quantile(double u) {
  const double q = u - 0.5;
  if (std::fabs(q) <= 0.425) return q * ratio(kNear, kNearBelow, 0.180625 - q * q);
  const double r = std::sqrt(-std::log(q < 0 ? u : 1 - u));
  const double x = r <= 5 ? ratio(kFar, kFarBelow, r - 1.6) : ratio(kFarthest, kFarthestBelow, r - 5);
  return q < 0 ? -x : x;
}

std::string why_impossible(const Distribution& d) {
  if (!all_finite(d.parameters) || !all_finite(d.weights) || (d.cut && !all_finite({d.low, d.high})))
    return "an argument is not a finite number";
  switch (d.kind) {
    case Distribution::Kind::normal:
    case Distribution::Kind::lognormal:
      return why_no_normal(d);
    case Distribution::Kind::uniform:
      return d.parameters[0] < d.parameters[1] ? "" : "its lowest value is not below its highest one";
    case Distribution::Kind::triangular:
      return d.parameters[0] < d.parameters[2] && d.parameters[0] <= d.parameters[1] &&
                     d.parameters[1] <= d.parameters[2]
                 ? ""
                 : "its lowest value, its mode and its highest value are not in this order";
    case Distribution::Kind::values:
      return why_no_values(d);
  }
  CHECK(false, "all kinds are listed above");
  return "";
}

double Distribution::quantile(double u) const {
  switch (kind) {
    case Kind::normal: {
      const double x = parameters[0] + parameters[1] * normal_of(*this, u);
      return cut ? std::clamp(x, low, high) : x;
    }
    case Kind::lognormal: {
      const double x = parameters[0] * std::exp(parameters[1] * normal_of(*this, u));
      return cut ? std::clamp(x, low, high) : x;
    }
    case Kind::uniform:
      return parameters[0] + u * (parameters[1] - parameters[0]);
    case Kind::triangular:
      return triangular(parameters[0], parameters[1], parameters[2], u);
    case Kind::values: {
      std::size_t k = 0;
      for (double below = weights[0]; u > below && k + 1 < parameters.size(); below += weights[k]) ++k;
      return parameters[k];
    }
  }
  CHECK(false, "all kinds are listed above");
  return 0;
}

}  // namespace mbc
