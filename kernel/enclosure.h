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

// Bounds of a quantity over a stretch: `value` holds all its values, `rate` its derivative by the variable throughout.
// Both are the whole line where the quantity jumps or may be undefined.
struct Enclosure {
  Interval value, rate;
  static Enclosure constant(double x) { return {{x, x}, {0, 0}}; }
};

// Ignores unused operands. Covers every operation of ops.def except leaves, constants and tables, whose data are not
// known here.
Enclosure enclose(Op op, const Enclosure& a, const Enclosure& b, const Enclosure& c);
// Encloses a*a, which is not negative.
Enclosure enclose_square(const Enclosure& a);
// Encloses the derivative of the given order of a function given by points.
Enclosure enclose(const DataTable& table, std::uint32_t order, const Enclosure& a);

// Intersects two bounds over a stretch of this half width: `over`, and the one that its rates and the value in the
// middle give by the mean value theorem.
Interval by_mean_value(const Enclosure& over, const Interval& in_middle, double half_width);

}  // namespace mbc::kernel
