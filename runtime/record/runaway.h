// SPDX-License-Identifier: Apache-2.0
// Tells whether a motion runs away, as with a spring of the wrong sign or a gain that drives what it should hold. The
// integrator completes such a motion, but it is hardly intended.
//
// A long distance is no sign of it, because a body that falls, flies or rolls for long is far away. Exponential growth
// is a sign. Coordinates are measured from their start, in units of the model (the largest place at the start, at least
// 1 in SI units). The times are noted at which the farthest one has come to 1, 2, 4, ... 2^20 units. With a power t^p
// each doubling takes 2^(1/p) times as long as the one before. A motion that runs away doubles again and again within
// the same time.
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
    double doubling = 0;  // time of a doubling, s
  };

  // Takes the state of the first row, y as [q; u; s].
  void begin(const problem::Problem& info, const kernel::SystemLayout& layout, double t, const std::vector<double>& y);
  // Checks the state of a later row. A run reports at most one finding.
  std::optional<Found> look(double t, const std::vector<double>& y);

  // Returns whether it belongs to a model with so many coordinates.
  [[nodiscard]] bool fits(std::size_t coordinates) const { return first_.empty() || first_.size() == coordinates; }
  void transfer(Archive& archive) {
    archive(first_, weights_, most_, last_, next_, times_);
    archive.expect(first_.size() == weights_.size() && next_ <= times_.size());
  }

 private:
  static constexpr std::uint32_t kLevels = 20;  // doublings
  static constexpr std::uint32_t kPiece = 5;    // doublings that are compared with the ones before
  [[nodiscard]] bool even() const;

  std::vector<double> first_, weights_;  // by coordinate; weights_: 1 over its size
  double most_ = 0, last_ = 0;           // the largest distance so far; time of the last row
  std::uint32_t next_ = 0;               // the next level; after the last one nothing is checked
  std::array<double, kLevels + 1> times_{};
};

}  // namespace mbc::runtime
