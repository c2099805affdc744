// SPDX-License-Identifier: Apache-2.0
// Numbers as text, the same in every locale, since std::to_chars ignores locales.
#pragma once
#include <optional>
#include <string>
#include <string_view>

namespace mbc::text {

// Length of the longest text of write_number: sign, 17 digits, point, exponent.
inline constexpr int kNumberSize = 32;

// Writes the fewest digits that read back as the same double; nan, inf, -inf. It writes at most kNumberSize characters
// to `to` without a terminating zero, and returns the end.
[[nodiscard]] char* write_number(char* to, double value);
void append_number(std::string& text, double value);
[[nodiscard]] std::string number(double value);

// Returns a text for people: at most `digits` significant digits, "1.5e-05" style exponents, no trailing zeros.
[[nodiscard]] std::string short_number(double value, int digits = 6);

// Returns a waiting time: "12.5 ms", "3.2 s".
[[nodiscard]] std::string waited(double seconds);

// Parse amounts: "90s", "5min", "2h", "1.5 d" in seconds; "2GiB", "500 MB" in bytes. They return nothing for other
// texts, without a unit, or below 0.
[[nodiscard]] std::optional<double> seconds_in(std::string_view text);
[[nodiscard]] std::optional<double> bytes_in(std::string_view text);

}  // namespace mbc::text
