// SPDX-License-Identifier: Apache-2.0
// Makes random models with unilateral constraints: polygons, rods and balls that fall on a floor, against walls and on
// each other, held by ropes.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "tests/physics/run.h"

namespace mbc::test {

class ContactText {
 public:
  explicit ContactText(std::uint64_t seed) : random_(seed) {}

  std::string text();
  [[nodiscard]] const std::vector<std::string>& rows() const { return rows_; }

 private:
  void part(int i);
  void rope(const std::string& at);
  void row(const std::string& name, const std::string& expression);
  int whole(int n) { return static_cast<int>(0.5 * (random_.next() + 1) * n) % n; }
  bool one_in(int n) { return whole(n) == 0; }
  std::string value(double low, double high) { return number(low + 0.5 * (random_.next() + 1) * (high - low)); }

  SplitMix64 random_;
  std::string out_, bounce_, ball_;
  std::vector<std::string> rows_;
};

}  // namespace mbc::test
