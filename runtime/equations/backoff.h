// SPDX-License-Identifier: Apache-2.0
// How long a short cut that was refused is left alone: what stands in its way, a row left out or a singular position
// nearby, is likely to last. 1 call after the first refusal, twice as many after each one that follows, at most 1024.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/archive.h"

namespace mbc::runtime {

class Backoff {
 public:
  // Whether no call is to be left out any more.
  [[nodiscard]] bool idle() const { return left_ == 0; }
  // Asked before a call: true when it may be tried, else it is one of those left out.
  bool over() {
    if (left_ == 0) return true;
    --left_;
    return false;
  }
  void refused() {
    left_ = next_;
    next_ = std::min(2 * next_, kLongest);
  }
  void succeeded() { next_ = 1; }
  void restart() { *this = {}; }
  void transfer(Archive& archive) {
    archive(left_, next_);
    archive.expect(left_ <= kLongest && next_ >= 1 && next_ <= kLongest);
  }

 private:
  static constexpr std::uint32_t kLongest = 1024;
  std::uint32_t left_ = 0;  // calls to be left out
  std::uint32_t next_ = 1;  // the same after the next refusal
};

}  // namespace mbc::runtime
