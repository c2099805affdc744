// SPDX-License-Identifier: Apache-2.0
// The floating-point environment that results are defined in: round to nearest, no flushing of denormals. Libraries
// built with -Ofast change the environment of any program that loads them, so every entry of the interface sets it and
// restores the caller's.
#pragma once
#include <xmmintrin.h>

namespace mbc::kernel {

class StrictFloatingPoint {
 public:
  StrictFloatingPoint() : saved_(_mm_getcsr()) {
    if (differs()) _mm_setcsr(kDefault);
  }
  ~StrictFloatingPoint() {
    if (differs()) _mm_setcsr(saved_);
  }
  StrictFloatingPoint(const StrictFloatingPoint&) = delete;
  StrictFloatingPoint& operator=(const StrictFloatingPoint&) = delete;

 private:
  static constexpr unsigned kDefault = 0x1f80;   // all exceptions masked, nearest, no FTZ, no DAZ
  static constexpr unsigned kExceptions = 0x3f;  // sticky flags: they change nothing, and writing the register is slow
  [[nodiscard]] bool differs() const { return (saved_ & ~kExceptions) != kDefault; }
  unsigned saved_;
};

}  // namespace mbc::kernel
