// SPDX-License-Identifier: Apache-2.0
// The numbers a run prints (CSV), and whether they are the expected ones.
#pragma once
#include <string>
#include <vector>

#include "tests/filetest/expectation.h"

namespace filetest {

struct Csv {
  std::vector<std::string> names;
  std::vector<std::vector<double>> rows;
};

Csv read_csv(const std::string& text);

// "" when the value is as expected, otherwise what is wrong.
std::string check_value(const ExpectedValue& want, const Csv& csv);

}  // namespace filetest
