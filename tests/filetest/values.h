// SPDX-License-Identifier: Apache-2.0
// Reads the numbers that a run prints as CSV and compares them with the expected ones.
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

// Returns "" if the value is as expected, and otherwise a description of the difference.
std::string check_value(const ExpectedValue& want, const Csv& csv);

}  // namespace filetest
