// SPDX-License-Identifier: Apache-2.0
// The meaning of every operation on intervals: bounds of its values, and of their rates, over a stretch of one
// variable.
//
// Interval arithmetic with forward differentiation (R. E. Moore, "Interval Analysis", Prentice-Hall 1966; L. B. Rall,
// "Automatic Differentiation", Springer 1981). Bounds are widened by more than the roundings of the operation as
// op_semantics.h defines it, so that every double the interpreter computes for arguments in the stretch lies in them.
#pragma once
#include <cstdint>
#include <limits>

#include "kernel/data_table.h"
#include "kernel/op.h"

namespace mbc::kernel {

struct Interval {
  double low = -std::numeric_limits<double>::infinity(), high = std::numeric_limits<double>::infinity();

  [[nodiscard]] bool holds(double x) const { return low <= x && x <= high; }
  [[nodiscard]] bool bounded() const;
  [[nodiscard]] double middle() const { return 0.5 * (low + high); }
};

// Of a quantity over a stretch: `value` holds all its values, `rate` its derivative by the variable throughout. Where
// it jumps, or may be undefined, nothing is known: both are the whole line.
struct Enclosure {
  Interval value, rate;
  static Enclosure constant(double x) { return {{x, x}, {0, 0}}; }
};

// Unused operands are ignored. Every case of ops.def but leaves, constants and tables, of which nothing is known here.
Enclosure enclose(Op op, const Enclosure& a, const Enclosure& b, const Enclosure& c);
// Of a*a, which is not negative.
Enclosure enclose_square(const Enclosure& a);
// The derivative of that order of a function given by points.
Enclosure enclose(const DataTable& table, std::uint32_t order, const Enclosure& a);

// What both say together: bounds by the value in the middle of a stretch of this half width, and the rates (the mean
// value theorem).
Interval by_mean_value(const Enclosure& over, const Interval& in_middle, double half_width);

}  // namespace mbc::kernel
