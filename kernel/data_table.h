// SPDX-License-Identifier: Apache-2.0
// Functions given by points, `table(x, ...)` of the language. The routine mbc_table of the support library evaluates
// them, for the interpreter and for generated code alike.
//
// The cubic is the monotone one: between points a cubic with the slopes of Fritsch and Butland (1984) at its ends. It
// is monotone where the data are, does not overshoot, and has a continuous derivative.
//   F. N. Fritsch, R. E. Carlson: Monotone piecewise cubic interpolation. SIAM J. Numer. Anal. 17 (1980) 238-246.
//   F. N. Fritsch, J. Butland: A method for constructing local monotone piecewise cubic interpolants. SIAM J. Sci.
//   Stat. Comput. 5 (1984) 300-304.
#pragma once
#include <bit>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

namespace mbc::kernel {

class DataTable {
 public:
  enum class Method : std::uint8_t { hold, linear, cubic };
  enum class Beyond : std::uint8_t { error, hold, line };

  // The arguments x ascend. There are two points or more, and all numbers are finite.
  DataTable(std::span<const double> x, std::span<const double> y, Method method, Beyond beyond);

  // Returns the derivative of the given order (0: the value); NaN outside of the points if `beyond` is `error`.
  [[nodiscard]] double value(double x, std::uint32_t order) const;
  // Returns a first-order bound of the rounding error of value(), in units of the machine epsilon, for an exact
  // argument.
  [[nodiscard]] double rounding(double x, std::uint32_t order) const;
  // Derivatives of higher order vanish.
  [[nodiscard]] std::uint32_t highest_order() const;

  [[nodiscard]] Method method() const;
  [[nodiscard]] Beyond beyond() const;
  [[nodiscard]] std::span<const double> arguments() const;
  // The array that mbc_table reads.
  [[nodiscard]] std::span<const double> data() const { return data_; }
  // Returns false if numbers are so large that differences or slopes of them overflow.
  [[nodiscard]] bool finite() const;

  friend bool operator==(const DataTable&, const DataTable&) = default;

 private:
  [[nodiscard]] std::size_t points() const;
  std::vector<double> data_;
};

using DataTables = std::vector<std::shared_ptr<const DataTable>>;

// The number of a table in its list and the order of a derivative as one number, the second operand of the operation
// `table`. It is a denormal number, so that no literal of a model equals it. Passes may copy, compare and fold it like
// any other constant.
struct TableKey {
  static constexpr std::uint64_t kOrders = 4;
  std::uint32_t table = 0, order = 0;

  [[nodiscard]] double as_constant() const { return std::bit_cast<double>(1 + std::uint64_t{table} * kOrders + order); }
  static TableKey of(double constant) {
    const std::uint64_t bits = std::bit_cast<std::uint64_t>(constant) - 1;
    return {static_cast<std::uint32_t>(bits / kOrders), static_cast<std::uint32_t>(bits % kOrders)};
  }
};

}  // namespace mbc::kernel
