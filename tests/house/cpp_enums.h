// SPDX-License-Identifier: Apache-2.0
// Finds the enums and switches of a C++ text for the rules about them.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mbc::house {

struct EnumFound {
  std::string name;  // "" if it is unnamed
  int line = 0;
  bool scoped = false;                   // `enum class`
  std::vector<std::string> enumerators;  // empty if a list (.def) makes them
};

struct SwitchFound {
  int line = 0;
  bool has_default = false;
  // as written, "kernel::Op::neg"; labels of the switch itself without those of nested switches
  std::vector<std::string> labels;
};

std::vector<EnumFound> enums_of(std::string_view text);
std::vector<SwitchFound> switches_of(std::string_view text);

}  // namespace mbc::house
