// SPDX-License-Identifier: Apache-2.0
// Makes random models with events: relays, machines, samples, kicks, jumps, rows and loads that are switched,
// conditions that stay at their limit, piecewise loads with located discontinuities, forces and input signals given by
// points, and stiff loads.
#pragma once
#include <algorithm>
#include <cstdint>
#include <string>

#include "base/split_mix64.h"
#include "tests/physics/run.h"

namespace mbc::test {

constexpr double kEventStep = 0.02;
constexpr int kEventSteps = 150;

class EventText {
 public:
  explicit EventText(std::uint64_t seed) : random_(seed) {}

  std::string text();

 private:
  void event(int i);
  void table(int i, std::string& signals);
  [[nodiscard]] static std::string name(int i) { return "p" + std::to_string(i); }
  double unit() { return 0.5 * (random_.next() + 1); }
  int whole(int n) { return std::min(n - 1, static_cast<int>(unit() * n)); }
  bool one_in(int n) { return whole(n) == 0; }
  std::string value(double low, double high) { return number(low + (high - low) * unit()); }

  SplitMix64 random_;
  std::string out_;
  int n_ = 0, rows_ = 0;
  bool stiff_ = false;
};

}  // namespace mbc::test
