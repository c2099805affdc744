// SPDX-License-Identifier: Apache-2.0
// Names of the language for names of any characters. The same file always gives the same names.
#pragma once
#include <set>
#include <string>

namespace mbc::tools {

class RobotNames {
 public:
  RobotNames();
  // Characters other than letters, digits and `_` become `_`. A name that begins with a digit, is reserved or taken
  // gets the suffix (`_link`, `_joint`), then a number.
  std::string take(const std::string& wanted, const std::string& suffix);

 private:
  std::set<std::string> taken_;
};

}  // namespace mbc::tools
