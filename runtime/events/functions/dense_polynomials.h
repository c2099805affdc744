// SPDX-License-Identifier: Apache-2.0
// Bounds of what a step's dense output takes, and of its rates, over parts of the step.
//
// A piece of the dense output is interpolated at Chebyshev's points by a polynomial of degree 9, which is the dense
// output itself where that is a polynomial of that degree, as those of rk4, dopri5, dop853, bdf and Gauss's methods
// are; else the last two coefficients say how far it is off (L. N. Trefethen, "Approximation Theory and Approximation
// Practice", SIAM 2013, chapters 3 and 8). About the middle of a part the powers bound it term by term.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/enclosure.h"

namespace mbc::runtime {

class DensePolynomials {
 public:
  // The state at a part of the step, 0 <= theta <= 1; null where it is undefined.
  using Row = std::function<const double*(double theta)>;

  // Of these entries of the state, from `first` to `last` of a step of size h (s). False: undefined somewhere.
  bool fit(const std::vector<std::uint32_t>& entries, double first, double last, double h, const Row& row);
  // By position in `entries`, from a to b of the step, which lie in the piece; rates are by the time.
  void enclose(double a, double b, std::vector<kernel::Enclosure>& out) const;

 private:
  static constexpr int kDegree = 9;
  struct Polynomial {
    std::array<double, kDegree + 1> powers{};  // of s, from -1 to 1 along the piece
    double off = 0;                            // what it may be off by
  };
  void interpolate(std::size_t k);

  std::vector<Polynomial> polynomials_;
  std::array<std::vector<double>, kDegree + 1> at_;  // by point: the entries
  double middle_ = 0, half_ = 0, h_ = 0;             // of the piece, in parts of the step
};

}  // namespace mbc::runtime
