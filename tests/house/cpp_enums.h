// SPDX-License-Identifier: Apache-2.0
// The enums of a C++ text and its switches, for the rules about both.
#pragma once
#include <string>
#include <string_view>
#include <vector>

namespace mbc::house {

struct EnumFound {
  std::string name;  // "" of an unnamed one
  int line = 0;
  bool scoped = false;                   // `enum class`
  std::vector<std::string> enumerators;  // none where a list (.def) makes them
};

struct SwitchFound {
  int line = 0;
  bool has_default = false;
  std::vector<std::string> labels;  // as written, "kernel::Op::neg"; of the switch itself, not of those in it
};

std::vector<EnumFound> enums_of(std::string_view text);
std::vector<SwitchFound> switches_of(std::string_view text);

}  // namespace mbc::house
