// SPDX-License-Identifier: Apache-2.0
// Functions given by points: `table(x, ...)` of the language. What they are at an argument is mbc_table of the support
// library, for the interpreter and for generated code alike.
//
// The cubic is the monotone one: between points a cubic with the slopes of Fritsch and Butland (1984) at its ends,
// which is as the data are: monotone where they are, without overshoot, with a continuous derivative.
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

  // Two points or more, x ascending; all finite.
  DataTable(std::span<const double> x, std::span<const double> y, Method method, Beyond beyond);

  // The derivative of that order (0: the value); NaN outside of the points where nothing holds there.
  [[nodiscard]] double value(double x, std::uint32_t order) const;
  // A bound of its rounding error in units of the machine epsilon, to first order, for an exact argument.
  [[nodiscard]] double rounding(double x, std::uint32_t order) const;
  // Derivatives of higher order vanish.
  [[nodiscard]] std::uint32_t highest_order() const;

  [[nodiscard]] Method method() const;
  [[nodiscard]] Beyond beyond() const;
  [[nodiscard]] std::span<const double> arguments() const;
  // What mbc_table reads.
  [[nodiscard]] std::span<const double> data() const { return data_; }
  // False where numbers are so large that differences or slopes of them are not finite.
  [[nodiscard]] bool finite() const;

  friend bool operator==(const DataTable&, const DataTable&) = default;

 private:
  [[nodiscard]] std::size_t points() const;
  std::vector<double> data_;
};

using DataTables = std::vector<std::shared_ptr<const DataTable>>;

// Which table of a list, and which derivative of it, as one number: the second operand of the operation `table`. It is
// a denormal number, so that it is no literal of a model and whoever copies, compares and folds constants may treat it
// as one of them.
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
