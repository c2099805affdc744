// SPDX-License-Identifier: Apache-2.0
// Backoff decides how long a refused shortcut is left alone. The cause of a refusal, a row that is left out or a
// singular position nearby, is likely to last. The pause is 1 call after the first refusal, doubles with every refusal
// that follows, and is at most 1024 calls.
#pragma once
#include <algorithm>
#include <cstdint>

#include "base/archive.h"

namespace mbc::runtime {

class Backoff {
 public:
  // Returns whether no call remains to be skipped.
  [[nodiscard]] bool idle() const { return left_ == 0; }
  // The caller asks this before each call. The result is true if the shortcut may be tried and false if this call is
  // skipped.
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
  std::uint32_t left_ = 0;  // number of calls still to be skipped
  std::uint32_t next_ = 1;  // number of calls to skip after the next refusal
};

}  // namespace mbc::runtime
