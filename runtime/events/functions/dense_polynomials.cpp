// SPDX-License-Identifier: Apache-2.0
#include "runtime/events/functions/dense_polynomials.h"

#include <cmath>
#include <limits>
#include <numbers>

namespace mbc::runtime {

namespace {

constexpr int kN = 9;  // the degree
constexpr double kRounding = 256 * std::numeric_limits<double>::epsilon();

using Square = std::array<std::array<double, kN + 1>, kN + 1>;

// Row j holds the powers of Chebyshev's polynomial T_j, by T_(j+1) = 2 s T_j - T_(j-1).
Square chebyshev_powers() {
  Square out{};
  out[0][0] = out[1][1] = 1;
  for (std::size_t j = 1; j < kN; ++j)
    for (std::size_t k = 0; k <= kN; ++k) out[j + 1][k] = (k > 0 ? 2 * out[j][k - 1] : 0) - out[j - 1][k];
  return out;
}

// Row j holds the weights of the values at the points cos(pi i/N) in the coefficient of T_j.
Square chebyshev_weights() {
  Square out{};
  for (std::size_t j = 0; j <= kN; ++j)
    for (std::size_t i = 0; i <= kN; ++i) {
      const double ends = (i == 0 || i == kN ? 0.5 : 1) * (j == 0 || j == kN ? 0.5 : 1);
      out[j][i] = 2.0 / kN * ends * std::cos(std::numbers::pi * static_cast<double>(i * j) / kN);
    }
  return out;
}

}  // namespace

bool DensePolynomials::fit(const std::vector<std::uint32_t>& entries, double first, double last, double h,
                           const Row& row) {
  static_assert(kDegree == kN);
  middle_ = 0.5 * (first + last);
  half_ = 0.5 * (last - first);
  h_ = h;
  for (std::size_t i = 0; i <= kN; ++i) {
    const double s = std::cos(std::numbers::pi * static_cast<double>(i) / kN);
    const double* y = row(i == 0 ? last : i == kN ? first : middle_ + half_ * s);
    if (y == nullptr) return false;
    at_[i].resize(entries.size());
    for (std::size_t k = 0; k < entries.size(); ++k) at_[i][k] = y[entries[k]];
  }
  polynomials_.resize(entries.size());
  for (std::size_t k = 0; k < entries.size(); ++k) interpolate(k);
  return true;
}

void DensePolynomials::interpolate(std::size_t k) {
  static const Square weights = chebyshev_weights(), powers = chebyshev_powers();
  Polynomial& p = polynomials_[k];
  p = {};
  for (std::size_t j = 0; j <= kN; ++j) {
    double c = 0;
    for (std::size_t i = 0; i <= kN; ++i) c += weights[j][i] * at_[i][k];
    for (std::size_t i = 0; i <= j; ++i) p.powers[i] += c * powers[j][i];
    p.off += (j + 2 > kN ? 2 : kRounding) * std::fabs(c);
  }
}

void DensePolynomials::enclose(double a, double b, std::vector<kernel::Enclosure>& out) const {
  const double s = (0.5 * (a + b) - middle_) / half_, r = 0.5 * (b - a) / half_;
  const double of_time = 1 / (half_ * h_);
  out.resize(polynomials_.size());
  for (std::size_t k = 0; k < out.size(); ++k) {
    std::array<double, kN + 1> d = polynomials_[k].powers;  // becomes the powers of s about the middle of the part
    for (std::size_t i = 0; i < kN; ++i)
      for (std::size_t j = kN; j-- > i;) d[j] += s * d[j + 1];
    double value = 0, rate = 0;
    for (std::size_t j = kN; j >= 1; --j) value = r * (value + std::fabs(d[j]));
    for (std::size_t j = kN; j >= 2; --j) rate = r * (rate + static_cast<double>(j) * std::fabs(d[j]));
    const double off = polynomials_[k].off;
    value += off;
    rate += kN * kN * off;  // Markov's inequality
    out[k] = {{d[0] - value, d[0] + value}, {(d[1] - rate) * of_time, (d[1] + rate) * of_time}};
  }
}

}  // namespace mbc::runtime
