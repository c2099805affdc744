// SPDX-License-Identifier: Apache-2.0
#include "compiler/sema/units.h"

#include <numbers>

namespace mbc::sema {

namespace {

constexpr int kD = Dimension::kDenominator;

constexpr Dimension dim(int kg, int m, int s, int ampere = 0, int kelvin = 0, int mole = 0, int candela = 0) {
  const auto e = [](int x) { return static_cast<std::int16_t>(x * kD); };
  return {{e(kg), e(m), e(s), e(ampere), e(kelvin), e(mole), e(candela)}};
}

struct Entry {
  std::string_view name;
  double factor;
  Dimension dimension;
  bool prefixes;
};

// International yard and pound (1959, exact) and the standard acceleration of free fall, which pounds-force hold.
constexpr double kFoot = 0.3048, kInch = kFoot / 12, kPound = 0.45359237, kFreeFall = 9.80665;
constexpr double kPoundForce = kPound * kFreeFall, kPsi = kPoundForce / (kInch * kInch);

// Definitions: SI Brochure, 9th edition (2019), tables 2, 4, 8; NIST Special Publication 811 (2008), appendix B.
constexpr Entry kUnits[] = {
    {"g", 1e-3, dim(1, 0, 0), true},
    {"m", 1, dim(0, 1, 0), true},
    {"s", 1, dim(0, 0, 1), true},
    {"A", 1, dim(0, 0, 0, 1), true},
    {"K", 1, dim(0, 0, 0, 0, 1), true},
    {"mol", 1, dim(0, 0, 0, 0, 0, 1), true},
    {"cd", 1, dim(0, 0, 0, 0, 0, 0, 1), true},
    {"rad", 1, dim(0, 0, 0), true},
    {"sr", 1, dim(0, 0, 0), false},
    {"deg", std::numbers::pi / 180, dim(0, 0, 0), false},
    {"rev", 2 * std::numbers::pi, dim(0, 0, 0), false},
    {"rpm", std::numbers::pi / 30, dim(0, 0, -1), false},
    {"N", 1, dim(1, 1, -2), true},
    {"J", 1, dim(1, 2, -2), true},
    {"W", 1, dim(1, 2, -3), true},
    {"Pa", 1, dim(1, -1, -2), true},
    {"Hz", 1, dim(0, 0, -1), true},
    {"C", 1, dim(0, 0, 1, 1), true},
    {"V", 1, dim(1, 2, -3, -1), true},
    {"F", 1, dim(-1, -2, 4, 2), true},
    {"ohm", 1, dim(1, 2, -3, -2), true},
    {"T", 1, dim(1, 0, -2, -1), true},
    {"Wb", 1, dim(1, 2, -2, -1), true},
    {"H", 1, dim(1, 2, -2, -2), true},
    {"min", 60, dim(0, 0, 1), false},
    {"h", 3600, dim(0, 0, 1), false},
    {"day", 86400, dim(0, 0, 1), false},
    {"t", 1e3, dim(1, 0, 0), true},
    {"L", 1e-3, dim(0, 3, 0), true},
    {"bar", 1e5, dim(1, -1, -2), true},
    {"au", 149597870700.0, dim(0, 1, 0), false},
    {"arcmin", std::numbers::pi / 10800, dim(0, 0, 0), false},
    {"arcsec", std::numbers::pi / 648000, dim(0, 0, 0), false},
    {"atm", 101325, dim(1, -1, -2), false},
    {"cal", 4.184, dim(1, 2, -2), true},
    {"kgf", kFreeFall, dim(1, 1, -2), false},
    {"in", kInch, dim(0, 1, 0), false},
    {"ft", kFoot, dim(0, 1, 0), false},
    {"yd", 3 * kFoot, dim(0, 1, 0), false},
    {"mi", 5280 * kFoot, dim(0, 1, 0), false},
    {"nmi", 1852, dim(0, 1, 0), false},
    {"mph", 5280 * kFoot / 3600, dim(0, 1, -1), false},
    {"knot", 1852.0 / 3600, dim(0, 1, -1), false},
    {"lb", kPound, dim(1, 0, 0), false},
    {"oz", kPound / 16, dim(1, 0, 0), false},
    {"slug", kPoundForce / kFoot, dim(1, 0, 0), false},
    {"lbf", kPoundForce, dim(1, 1, -2), false},
    {"kip", 1000 * kPoundForce, dim(1, 1, -2), false},
    {"psi", kPsi, dim(1, -1, -2), false},
    {"ksi", 1000 * kPsi, dim(1, -1, -2), false},
    {"hp", 550 * kFoot* kPoundForce, dim(1, 2, -3), false},
};

struct Prefix {
  std::string_view name;
  double factor;
};
constexpr Prefix kPrefixes[] = {{"T", 1e12}, {"G", 1e9},  {"M", 1e6},  {"k", 1e3},  {"d", 1e-1}, {"c", 1e-2},
                                {"m", 1e-3}, {"u", 1e-6}, {"µ", 1e-6}, {"μ", 1e-6}, {"n", 1e-9}, {"p", 1e-12}};

struct Known {
  std::string_view unit, quantity;
  Dimension dimension;
};
constexpr Known kKnown[] = {
    {"1", "a pure number", dim(0, 0, 0)},
    {"kg", "a mass", dim(1, 0, 0)},
    {"m", "a length", dim(0, 1, 0)},
    {"s", "a time", dim(0, 0, 1)},
    {"m/s", "a velocity", dim(0, 1, -1)},
    {"m/s^2", "an acceleration", dim(0, 1, -2)},
    {"1/s", "a rate", dim(0, 0, -1)},
    {"1/s^2", "an angular acceleration", dim(0, 0, -2)},
    {"N", "a force", dim(1, 1, -2)},
    {"N*m", "a torque or energy", dim(1, 2, -2)},
    {"W", "a power", dim(1, 2, -3)},
    {"Pa", "a pressure", dim(1, -1, -2)},
    {"N/m", "a stiffness", dim(1, 0, -2)},
    {"N*s/m", "a damping", dim(1, 0, -1)},
    {"kg*m^2", "a moment of inertia", dim(1, 2, 0)},
    {"kg*m/s", "a momentum", dim(1, 1, -1)},
    {"kg*m^2/s", "an angular momentum", dim(1, 2, -1)},
    {"m^2", "an area", dim(0, 2, 0)},
    {"m^3", "a volume", dim(0, 3, 0)},
    {"m^2/s^2", "a squared velocity", dim(0, 2, -2)},
};

std::string exponent_text(std::string_view symbol, int twelfths) {
  std::string text(symbol);
  if (twelfths == kD) return text;
  int num = twelfths, den = kD;
  for (int f : {2, 2, 3})
    if (num % f == 0 && den % f == 0) num /= f, den /= f;
  text += '^';
  text += den == 1 ? std::to_string(num) : "(" + std::to_string(num) + "/" + std::to_string(den) + ")";
  return text;
}

}  // namespace

Dimension operator*(const Dimension& a, const Dimension& b) {
  Dimension r;
  for (std::size_t i = 0; i < r.exponent.size(); ++i)
    r.exponent[i] = static_cast<std::int16_t>(a.exponent[i] + b.exponent[i]);
  return r;
}

Dimension operator/(const Dimension& a, const Dimension& b) {
  Dimension r;
  for (std::size_t i = 0; i < r.exponent.size(); ++i)
    r.exponent[i] = static_cast<std::int16_t>(a.exponent[i] - b.exponent[i]);
  return r;
}

std::optional<Dimension> power(const Dimension& a, std::int64_t numerator, std::int64_t denominator) {
  Dimension r;
  for (std::size_t i = 0; i < r.exponent.size(); ++i) {
    const std::int64_t scaled = a.exponent[i] * numerator;
    if (scaled % denominator != 0 || scaled / denominator > 3000 || scaled / denominator < -3000) return {};
    r.exponent[i] = static_cast<std::int16_t>(scaled / denominator);
  }
  return r;
}

Dimension base(Dimension::Base which) {
  Dimension d;
  d.exponent[which] = kD;
  return d;
}
Dimension length_dimension() { return dim(0, 1, 0); }
Dimension mass_dimension() { return dim(1, 0, 0); }
Dimension time_dimension() { return dim(0, 0, 1); }
Dimension velocity_dimension() { return dim(0, 1, -1); }
Dimension acceleration_dimension() { return dim(0, 1, -2); }
Dimension force_dimension() { return dim(1, 1, -2); }
Dimension energy_dimension() { return dim(1, 2, -2); }

std::string to_text(const Dimension& d) {
  for (const Known& k : kKnown)
    if (k.dimension == d) return std::string(k.unit);
  constexpr std::string_view symbols[] = {"kg", "m", "s", "A", "K", "mol", "cd"};
  std::string over, under;
  for (std::size_t i = 0; i < d.exponent.size(); ++i) {
    const int e = d.exponent[i];
    if (e > 0) over += (over.empty() ? "" : "*") + exponent_text(symbols[i], e);
    if (e < 0) under += "/" + exponent_text(symbols[i], -e);
  }
  return (over.empty() ? "1" : over) + under;
}

std::string describe(const Dimension& d) {
  if (d.dimensionless()) return "a pure number";
  for (const Known& k : kKnown)
    if (k.dimension == d) return std::string(k.quantity) + " [" + std::string(k.unit) + "]";
  return "a quantity in [" + to_text(d) + "]";
}

std::optional<UnitValue> find_unit(std::string_view name) {
  if (name == "1") return UnitValue{};
  for (const Entry& e : kUnits)
    if (e.name == name) return UnitValue{e.factor, e.dimension};
  for (const Prefix& p : kPrefixes) {
    if (!name.starts_with(p.name)) continue;
    for (const Entry& e : kUnits)
      if (e.prefixes && e.name == name.substr(p.name.size())) {
        // kg is the base unit: 1e3 * 1e-3 must be exactly 1
        return UnitValue{e.name == "g" && p.name == "k" ? 1.0 : p.factor * e.factor, e.dimension};
      }
  }
  return {};
}

namespace {

// Returns whether a unit may follow another one without `*`. Only the gram and lengths may have a prefix: `Nmm` is
// N*mm, `Nms` is N*m*s.
bool follows(std::string_view name) {
  for (const Entry& e : kUnits)
    if (e.name == name) return true;
  return name == "kg" || name == "mm" || name == "cm" || name == "km";
}

}  // namespace

// Splits `Nm`, `kWh`, `kgm`. Other letters that run together, as in `kmh` and `lbs`, rarely mean a product.
std::string product_of_units(std::string_view name) {
  for (std::size_t k = 1; k < name.size(); ++k) {
    const std::string_view first = name.substr(0, k), rest = name.substr(k);
    bool leads = false;
    for (const char* unit : {"N", "W", "Pa", "A", "kg", "lbf"}) leads |= first.ends_with(unit);
    if (!leads || !find_unit(first)) continue;
    if (follows(rest)) return std::string(first) + "*" + std::string(rest);
    for (std::size_t j = 1; j < rest.size(); ++j)
      if (follows(rest.substr(0, j)) && follows(rest.substr(j)))
        return std::string(first) + "*" + std::string(rest.substr(0, j)) + "*" + std::string(rest.substr(j));
  }
  return "";
}

const std::vector<std::string>& unit_names() {
  static const std::vector<std::string> names = [] {
    std::vector<std::string> list{"kg"};
    for (const Entry& e : kUnits) list.emplace_back(e.name);
    return list;
  }();
  return names;
}

}  // namespace mbc::sema
