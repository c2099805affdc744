// SPDX-License-Identifier: Apache-2.0
// Reads the description of a result, which may have been edited: a value of an unexpected kind counts as missing.
#pragma once
#include <limits>
#include <nlohmann/json.hpp>
#include <string>

namespace mbc::tools {

using StoredJson = nlohmann::json;

inline const StoredJson& member_of(const StoredJson& object, const char* name) {
  static const StoredJson none;
  if (!object.is_object()) return none;
  const auto found = object.find(name);
  return found != object.end() ? *found : none;
}

inline std::string text_in(const StoredJson& object, const char* name) {
  const StoredJson& found = member_of(object, name);
  return found.is_string() ? found.get<std::string>() : "";
}

inline double number_in(const StoredJson& object, const char* name) {
  const StoredJson& found = member_of(object, name);
  return found.is_number() ? found.get<double>() : std::numeric_limits<double>::quiet_NaN();
}

}  // namespace mbc::tools
