// SPDX-License-Identifier: Apache-2.0
// Numbers to text, the same in every locale (std::to_chars knows none).
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mbc::text {

// Room for the longest text of write_number: sign, 17 digits, point, exponent.
inline constexpr int kNumberSize = 32;

// The fewest digits that read back as the same double; nan, inf, -inf. To kNumberSize places from `to` on, with no zero
// behind them; returns the end.
[[nodiscard]] char* write_number(char* to, double value);
void append_number(std::string& text, double value);
[[nodiscard]] std::string number(double value);

// For people: at most `digits` significant digits, "1.5e-05" style exponents, no trailing zeros.
[[nodiscard]] std::string short_number(double value, int digits = 6);

// "12.5 ms", "3.2 s": times that somebody waited.
[[nodiscard]] std::string waited(double seconds);

// The other way: "90s", "5min", "2h", "1.5 d" in seconds; "2GiB", "500 MB" in bytes. Nothing for what is not that, has
// no unit, or is below 0.
[[nodiscard]] std::optional<double> seconds_in(std::string_view text);
[[nodiscard]] std::optional<double> bytes_in(std::string_view text);

}  // namespace mbc::text
