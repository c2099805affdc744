// SPDX-License-Identifier: Apache-2.0
// Numbers that may graze zero between two samples of a step: one that is above zero at three samples and lower at the
// middle one may be below in between.
#pragma once
#include <array>
#include <cstdint>
#include <vector>

namespace mbc::runtime {

// A number at three parts of a step, the lowest in the middle.
struct Dip {
  std::array<double, 3> theta, value;
  [[nodiscard]] double lowest() const;  // of the parabola through them
  // Another point inside; the three around the lowest stay.
  void refine(double part, double of);
};

class Dips {
 public:
  struct Gap {
    std::uint32_t event = 0, number = 0;  // of its value
  };
  void watch(Gap gap) {
    gaps_.push_back(gap);
    seen_.push_back(0);
  }
  // Before the first sample of a step.
  void begin() { seen_.assign(gaps_.size(), 0); }

  // The next sample. above(event): it is above zero there. visit(gap, dip), true to go on, for each that has a dip.
  template <class Above, class Visit>
  bool sample(double theta, const std::vector<double>& values, Above&& above, Visit&& visit) {
    push(theta, values);
    for (std::size_t k = 0; k < gaps_.size(); ++k) {
      const Gap gap = gaps_[k];
      if (!above(gap.event)) {
        seen_[k] = 0;
        continue;
      }
      if (seen_[k] < 3 && ++seen_[k] < 3) continue;
      const double first = values_[0][gap.number], middle = values_[1][gap.number], last = values_[2][gap.number];
      if (!(middle < first && middle <= last)) continue;
      if (!visit(gap, Dip{theta_, {first, middle, last}})) return false;
    }
    return true;
  }

 private:
  void push(double theta, const std::vector<double>& values);

  std::vector<Gap> gaps_;
  std::vector<char> seen_;                     // by gap: samples above zero one after the other, 3 at most
  std::array<double, 3> theta_{};              // of the last three samples
  std::array<std::vector<double>, 3> values_;  // all numbers there
};

}  // namespace mbc::runtime
