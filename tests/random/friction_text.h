// SPDX-License-Identifier: Apache-2.0
// Makes random models with friction: blocks on floors and on each other, connected by springs, bars on pins whose
// friction depends on the pin's force, and blocks on a plane in space.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "base/split_mix64.h"
#include "tests/physics/run.h"

namespace mbc::test {

class FrictionText {
 public:
  explicit FrictionText(std::uint64_t seed) : random_(seed) {}

  std::string text();
  [[nodiscard]] const std::vector<std::string>& frictions() const { return frictions_; }
  // The columns are places and speeds. Accelerations are excluded: at the beginning of a slip its direction turns
  // within 1e-6 of the speeds, and the accelerations turn with it.
  [[nodiscard]] const std::vector<std::string>& motion() const { return motion_; }

 private:
  [[nodiscard]] std::string power(const std::string& f) const;
  void block(int i);
  void potential(const std::string& n, const std::string& ends);
  void bar(int i);
  int whole(int n) { return static_cast<int>(0.5 * (random_.next() + 1) * n) % n; }
  bool one_in(int n) { return whole(n) == 0; }
  std::string value(double low, double high) { return number(low + 0.5 * (random_.next() + 1) * (high - low)); }

  SplitMix64 random_;
  int space_ = 2;
  std::string out_, last_;
  std::vector<std::string> frictions_, motion_;
};

}  // namespace mbc::test
