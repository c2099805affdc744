// SPDX-License-Identifier: Apache-2.0
// Provides functions for the tests of the examples: they run an example with both engines and compare its columns.
#pragma once
#include <doctest/doctest.h>

#include <algorithm>
#include <cmath>
#include <string>

#include "tests/oracles/lagrange.h"
#include "tests/physics/run.h"

namespace mbc::test {

// Runs examples/<name>.mbd with both engines to its end.
inline Run complete(const std::string& name, const std::vector<std::string>& set = {},
                    const std::string& simulation = {}) {
  const Run r = run_both(example(name), set, simulation);
  REQUIRE_MESSAGE(r.result.status == Status::complete, r.result.rendered);
  return r;
}

// Compares the last value of a column with that of the reference and with the value in the header of the example.
inline void expect(const Run& r, const std::string& column, oracle::Real oracle, double printed, double tolerance) {
  INFO(column << " by the oracle: " << number(static_cast<double>(oracle)) << ", run: " << number(r.last(column)));
  CHECK(std::fabs(static_cast<oracle::Real>(r.last(column)) - oracle) <= static_cast<oracle::Real>(tolerance));
  CHECK(std::fabs(static_cast<oracle::Real>(printed) - oracle) <= static_cast<oracle::Real>(tolerance));
}
inline void expect(const Run& r, const std::string& column, oracle::Real oracle, double tolerance) {
  expect(r, column, oracle, static_cast<double>(oracle), tolerance);
}

inline double lowest(const Run& r, const std::string& column) {
  double low = r.at(0, column);
  for (std::size_t row = 0; row < r.rows(); ++row) low = std::min(low, r.at(row, column));
  return low;
}
inline double highest(const Run& r, const std::string& column) {
  double high = r.at(0, column);
  for (std::size_t row = 0; row < r.rows(); ++row) high = std::max(high, r.at(row, column));
  return high;
}
inline double spread(const Run& r, const std::string& column) { return highest(r, column) - lowest(r, column); }

}  // namespace mbc::test
