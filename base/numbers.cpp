// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"

#include <charconv>
#include <cmath>
#include <cstring>
#include <optional>
#include <span>

namespace mbc::text {
namespace {

// to_chars writes the sign bit of a NaN, which means nothing and differs between machines.
const char* special_name(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return nullptr;
}

}  // namespace

char* write_number(char* to, double value) {
  if (!std::isfinite(value)) {
    const std::string_view name = special_name(value);
    std::memcpy(to, name.data(), name.size());
    return to + name.size();
  }
  return std::to_chars(to, to + kNumberSize, value).ptr;
}

void append_number(std::string& text, double value) {
  char digits[kNumberSize];
  text.append(digits, static_cast<std::size_t>(write_number(digits, value) - digits));  // two pointers go by replace()
}

std::string number(double value) {
  char digits[kNumberSize];
  return {digits, write_number(digits, value)};
}

std::string short_number(double value, int digits) {
  if (const char* name = special_name(value)) return name;
  char text[64];
  const std::to_chars_result end = std::to_chars(text, text + sizeof text, value, std::chars_format::general,
                                                 digits < 1    ? 1
                                                 : digits > 17 ? 17
                                                               : digits);
  return {text, end.ptr};
}

std::string waited(double seconds) {
  return seconds < 1 ? short_number(seconds * 1e3, 3) + " ms" : short_number(seconds, 3) + " s";
}

namespace {

struct Unit {
  std::string_view name;
  double size;
};

// Parses a number and one of the units after it.
std::optional<double> amount_in(std::string_view text, std::span<const Unit> units) {
  double value = 0;
  const char* end = text.data() + text.size();
  const auto [rest, problem] = std::from_chars(text.data(), end, value);
  if (problem != std::errc() || !std::isfinite(value) || value < 0) return std::nullopt;
  std::string_view name(rest, static_cast<std::size_t>(end - rest));
  while (name.starts_with(' ')) name.remove_prefix(1);
  for (const Unit& unit : units)
    if (name == unit.name) return value * unit.size;
  return std::nullopt;
}

}  // namespace

std::optional<double> seconds_in(std::string_view text) {
  static constexpr Unit kUnits[] = {{"ms", 1e-3}, {"s", 1}, {"min", 60}, {"h", 3600}, {"d", 86400}};
  return amount_in(text, kUnits);
}

std::optional<double> bytes_in(std::string_view text) {
  static constexpr Unit kUnits[] = {{"B", 1},        {"kB", 1e3},     {"MB", 1e6},     {"GB", 1e9},    {"TB", 1e12},
                                    {"KiB", 0x1p10}, {"MiB", 0x1p20}, {"GiB", 0x1p30}, {"TiB", 0x1p40}};
  return amount_in(text, kUnits);
}

}  // namespace mbc::text
