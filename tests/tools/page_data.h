// SPDX-License-Identifier: Apache-2.0
// Reads the data in a page of `mbc view`.
#pragma once
#include <doctest/doctest.h>

#include <cstring>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace mbc::test {

using Json = nlohmann::json;

inline std::string decoded(const std::string& text) {
  static const std::string digits = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
  std::string out;
  unsigned bits = 0;
  int count = 0;
  for (const char c : text) {
    if (c == '=') break;
    bits = bits << 6 | static_cast<unsigned>(digits.find(c));
    count += 6;
    if (count >= 8) out += static_cast<char>(bits >> (count -= 8) & 255);
  }
  return out;
}

template <class T>
std::vector<T> numbers(const Json& text) {
  const std::string bytes = decoded(text.get<std::string>());
  std::vector<T> values(bytes.size() / sizeof(T));
  std::memcpy(values.data(), bytes.data(), values.size() * sizeof(T));
  return values;
}

inline Json data_of(const std::string& page) {
  const std::string mark = "<script type=\"application/json\" id=\"data\">";
  const std::size_t at = page.find(mark);
  REQUIRE(at != std::string::npos);
  const std::size_t begin = at + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

// Returns a value of a pose in a frame as the page stores it.
inline double pose(const Json& data, std::size_t column, std::size_t frame) {
  const Json& c = data["poses"]["columns"][column];
  if (!c.contains("column")) return c["value"];
  const auto block = numbers<std::uint16_t>(data["poses"]["data"]);
  const double from = c["from"], to = c["to"];
  return from +
         (to - from) / 65534 * (block[c["column"].get<std::size_t>() * data["frames"].get<std::size_t>() + frame] - 1);
}

}  // namespace mbc::test
