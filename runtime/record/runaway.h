// SPDX-License-Identifier: Apache-2.0
// Whether a motion runs away: a spring with the wrong sign, a gain that drives what it should hold. Such a motion is
// "complete" to the integrator, but hardly what was meant.
//
// Going far is no sign of that: what falls, flies or rolls for long is far away. Exponential growth is one. A
// coordinate is measured from where it was, in units of the model (the largest place at the start, at least 1 in SI
// units), and the times are noted at which the farthest has come to 1, 2, 4, ... 2^20 of them. By a power t^p each
// doubling takes 2^(1/p) times as long as the one before; what runs away doubles again and again within the same time.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "base/archive.h"
#include "kernel/layout.h"
#include "kernel/problem/problem.h"

namespace mbc::runtime {

class Runaway {
 public:
  struct Found {
    std::uint32_t coordinate = 0;
    double doubling = 0;  // the time it takes, s
  };

  // The state of the first row, y as [q; u; s].
  void begin(const problem::Problem& info, const kernel::SystemLayout& layout, double t, const std::vector<double>& y);
  // The state of a later row. At most once in a run there is something to tell.
  std::optional<Found> look(double t, const std::vector<double>& y);

  // Whether it is of a model of so many coordinates.
  [[nodiscard]] bool fits(std::size_t coordinates) const { return first_.empty() || first_.size() == coordinates; }
  void transfer(Archive& archive) {
    archive(first_, weights_, most_, last_, next_, times_);
    archive.expect(first_.size() == weights_.size() && next_ <= times_.size());
  }

 private:
  static constexpr std::uint32_t kLevels = 20;  // doublings
  static constexpr std::uint32_t kPiece = 5;    // and so many of them are compared with the ones before
  [[nodiscard]] bool even() const;

  std::vector<double> first_, weights_;  // by coordinate; 1 over its size
  double most_ = 0, last_ = 0;           // the largest distance so far; time of the last row
  std::uint32_t next_ = 0;               // the level that is reached next; behind the last nothing is looked for
  std::array<double, kLevels + 1> times_{};
};

}  // namespace mbc::runtime
