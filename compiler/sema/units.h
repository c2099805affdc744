// SPDX-License-Identifier: Apache-2.0
// Physical dimensions and units. A dimension is a product of rational powers of the SI base units; angles are
// dimensionless. Literals are converted to SI in the text, so that runs have no units.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::sema {

struct Dimension {
  static constexpr int kDenominator = 12;  // exponents are stored in twelfths: halves, thirds and quarters are exact
  enum Base { mass, length, time, current, temperature, amount, luminosity, base_count };
  std::array<std::int16_t, base_count> exponent{};

  friend bool operator==(const Dimension&, const Dimension&) = default;
  [[nodiscard]] bool dimensionless() const { return *this == Dimension{}; }
};

Dimension operator*(const Dimension& a, const Dimension& b);
Dimension operator/(const Dimension& a, const Dimension& b);
// The possible exponents of dimensions, in words. power() returns nullopt for any other result.
inline constexpr const char* kExponents = "a multiple of 1/12 up to 250";
std::optional<Dimension> power(const Dimension& a, std::int64_t numerator, std::int64_t denominator);

Dimension base(Dimension::Base which);
Dimension length_dimension();
Dimension mass_dimension();
Dimension time_dimension();
Dimension velocity_dimension();
Dimension acceleration_dimension();
Dimension force_dimension();
Dimension energy_dimension();

// Returns "m/s^2", "N", "N*m", "1": a named unit if one fits.
std::string to_text(const Dimension& d);
// Returns "a force [N]" or "[kg/s]", for messages.
std::string describe(const Dimension& d);

struct UnitValue {
  double factor = 1;  // to SI
  Dimension dimension;
};
// Finds "kN", "deg", "rad", "mm"; returns nullopt for an unknown unit.
std::optional<UnitValue> find_unit(std::string_view name);
// Returns "N*m" for "Nm", whose letters run together; "" if they are no such product.
std::string product_of_units(std::string_view name);
// Returns all names of find_unit without prefixes, for suggestions.
const std::vector<std::string>& unit_names();

}  // namespace mbc::sema
