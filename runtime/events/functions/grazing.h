// SPDX-License-Identifier: Apache-2.0
// Numbers that may graze zero between two samples of a step: one that is above zero at three samples and lower at the
// middle one may be below in between; so may one that falls where the step begins, or rises where it ends.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mbc::runtime {

// A number at three parts of a step, the lowest in the middle.
struct LocalMinimum {
  std::array<double, 3> theta, value;
  bool guessed = false;                 // the value in the middle is that of a parabola
  [[nodiscard]] double lowest() const;  // of the parabola through them
  // Another point inside; the three around the lowest stay.
  void refine(double part, double of);
  // Its value at a part that was looked at.
  void take(double part, double of);
};

class Grazing {
 public:
  struct Gap {
    std::uint32_t event = 0, number = 0;  // of its value
  };
  void watch(Gap gap) {
    gaps_.push_back(gap);
    seen_.push_back(0);
  }
  [[nodiscard]] bool any() const { return !gaps_.empty(); }
  // Before the first sample of a step: the numbers at its beginning and at this small part of it.
  void begin(const std::vector<double>& values, double part, const std::vector<double>& later);

  // The next sample. above(event): it is above zero there. visit(gap, minimum), true to go on, for each that has a
  // minimum.
  template <class Above, class Visit>
  bool sample(double theta, const std::vector<double>& values, Above&& above, Visit&& visit) {
    push(theta, values);
    for (std::size_t k = 0; k < gaps_.size(); ++k) {
      const Gap gap = gaps_[k];
      if (!above(gap.event)) {
        seen_[k] = 0;
        continue;
      }
      if (seen_[k] < 4) ++seen_[k];
      const std::optional<LocalMinimum> minimum = seen_[k] == 2 && theta_[1] == 0 ? at_begin(gap.number)
                                                  : seen_[k] > 2                  ? within(gap.number)
                                                                                  : std::nullopt;
      if (minimum && !visit(gap, *minimum)) return false;
    }
    return true;
  }

 private:
  void push(double theta, const std::vector<double>& values);
  [[nodiscard]] std::optional<LocalMinimum> at_begin(std::uint32_t number) const;
  [[nodiscard]] std::optional<LocalMinimum> within(std::uint32_t number) const;

  std::vector<Gap> gaps_;
  std::vector<char> seen_;  // by gap: samples above zero one after the other, the beginning among them, 4 at most
  double later_ = 0;
  std::vector<double> at_later_;
  std::array<double, 3> theta_{};              // of the last three samples
  std::array<std::vector<double>, 3> values_;  // all numbers there
};

}  // namespace mbc::runtime
