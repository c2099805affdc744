// SPDX-License-Identifier: Apache-2.0
// Finds numbers that may graze zero between two samples of a step. A number that is above zero at three samples and
// lowest at the middle one may be below zero in between. So may a number that falls at the beginning of the step or
// rises at its end.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

namespace mbc::runtime {

// A number at three parts of a step; the middle one is the lowest.
struct LocalMinimum {
  std::array<double, 3> theta, value;
  bool guessed = false;                 // the middle value is that of a parabola
  [[nodiscard]] double lowest() const;  // of the parabola through the points
  // Adds a point inside and keeps the three points around the lowest one.
  void refine(double part, double of);
  // Adds the value at a part that was looked at.
  void take(double part, double of);
};

class Grazing {
 public:
  struct Gap {
    std::uint32_t event = 0, number = 0;  // number: of the event's value
  };
  void watch(Gap gap) {
    gaps_.push_back(gap);
    seen_.push_back(0);
  }
  [[nodiscard]] bool any() const { return !gaps_.empty(); }
  // Begins a step with the numbers at its beginning and at a small part of it.
  void begin(const std::vector<double>& values, double part, const std::vector<double>& later);

  // Adds the next sample. above(event) tells whether the number is above zero there. visit(gap, minimum) is called for
  // each possible minimum and returns whether to continue.
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
  std::vector<char> seen_;  // by gap: consecutive samples above zero, with the beginning, 4 at most
  double later_ = 0;
  std::vector<double> at_later_;
  std::array<double, 3> theta_{};              // the last three samples
  std::array<std::vector<double>, 3> values_;  // all numbers at these samples
};

}  // namespace mbc::runtime
