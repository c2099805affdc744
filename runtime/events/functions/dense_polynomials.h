// SPDX-License-Identifier: Apache-2.0
// Bounds of the dense output of a step, and of its rates, over parts of the step.
//
// A piece of the dense output is interpolated at Chebyshev's points by a polynomial of degree 9. The interpolant is
// exact if the dense output is a polynomial of at most that degree, as for rk4, dopri5, dop853, bdf and Gauss's
// methods. Otherwise the last two coefficients estimate its error (L. N. Trefethen, "Approximation Theory and
// Approximation Practice", SIAM 2013, chapters 3 and 8). The powers about the middle of a part bound the polynomial
// term by term.
#pragma once
#include <array>
#include <cstdint>
#include <functional>
#include <vector>

#include "kernel/enclosure.h"

namespace mbc::runtime {

class DensePolynomials {
 public:
  // Returns the state at a part of the step, 0 <= theta <= 1, or null if it is undefined.
  using Row = std::function<const double*(double theta)>;

  // Interpolates these entries of the state between the parts `first` and `last` of a step of size h (s). Returns false
  // if a state is undefined.
  bool fit(const std::vector<std::uint32_t>& entries, double first, double last, double h, const Row& row);
  // Bounds the entries, in the order of `entries`, from part a to part b of the step, which must lie in the piece.
  // Rates are with respect to time.
  void enclose(double a, double b, std::vector<kernel::Enclosure>& out) const;

 private:
  static constexpr int kDegree = 9;
  struct Polynomial {
    std::array<double, kDegree + 1> powers{};  // of s, which runs from -1 to 1 along the piece
    double off = 0;                            // bound of its error
  };
  void interpolate(std::size_t k);

  std::vector<Polynomial> polynomials_;
  std::array<std::vector<double>, kDegree + 1> at_;  // entries at each point
  double middle_ = 0, half_ = 0, h_ = 0;             // of the piece, in parts of the step
};

}  // namespace mbc::runtime
