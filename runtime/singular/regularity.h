// SPDX-License-Identifier: Apache-2.0
// Judges the rows of the constraints by the accepted states of a run. One answer, regular(), decides whether a run may
// leave the rows unwatched for a step. Steps may then be fused (fused_step.h) or made in lanes (batch.h).
#pragma once
#include <cstdint>

#include "base/archive.h"

namespace mbc::runtime {

class Regularity {
 public:
  // At an accepted state all rows take part, did so before, and are far from depending on each other.
  void saw_apart() {
    apart_ = true;
    ++since_near_;
  }
  // One where that is not so. What is known of it comes with one of the following two, or not at all.
  void saw_doubt() { apart_ = false; }
  // Rows are nearly dependent, or they are not.
  void saw(bool near) { since_near_ = near ? 0 : since_near_ + 1; }
  void saw_rank_drop() { since_near_ = 0; }

  // The last state was one of the first kind.
  [[nodiscard]] bool apart() const { return apart_; }
  // Rows were dependent, or nearly so, in the last steps.
  [[nodiscard]] bool near_singular() const { return since_near_ < kSettled; }
  [[nodiscard]] bool regular() const { return apart_ && !near_singular(); }
  void transfer(Archive& archive) { archive(apart_, since_near_); }

 private:
  static constexpr std::uint64_t kSettled = 10;  // states
  bool apart_ = false;
  std::uint64_t since_near_ = kSettled;
};

}  // namespace mbc::runtime
