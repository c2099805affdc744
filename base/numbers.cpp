// SPDX-License-Identifier: Apache-2.0
#include "base/numbers.h"

#include <charconv>
#include <cmath>

namespace mbc::text {
namespace {

// to_chars writes the sign bit of a NaN, which means nothing and differs between machines.
const char* special_name(double value) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  return nullptr;
}

}  // namespace

void append_number(std::string& text, double value) {
  if (const char* name = special_name(value)) {
    text += name;
    return;
  }
  char digits[kNumberSize];
  const std::to_chars_result end = std::to_chars(digits, digits + kNumberSize, value);
  text.append(digits, end.ptr);
}

std::string number(double value) {
  std::string text;
  append_number(text, value);
  return text;
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

}  // namespace mbc::text
