// SPDX-License-Identifier: Apache-2.0
// Shared by the interpreters: the arrays of a kernel function by space, and the support routines by name.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/kernel.h"

namespace mbc::kernel {

class Spaces {
 public:
  explicit Spaces(const Arguments& a)
      : time_(a.t),
        read_{nullptr, a.state, a.params, a.inputs, a.mask, a.work, a.deriv},
        work_(a.work),
        deriv_(a.deriv) {
    read_[0] = &time_;
  }
  Spaces(const Spaces&) = delete;
  Spaces& operator=(const Spaces&) = delete;

  [[nodiscard]] const double* read(Space space) const { return read_[static_cast<std::size_t>(space)]; }
  [[nodiscard]] double* write(Space space) const { return space == Space::work ? work_ : deriv_; }

 private:
  double time_;
  std::array<const double*, 7> read_;
  double* work_;
  double* deriv_;
};

struct Routine {
  std::string_view symbol;
  std::int32_t (*call)(const std::uint32_t* plan, const double* mask, double* work) noexcept;
  const char* (*check)(const std::uint32_t* plan, std::uint32_t words, std::uint32_t n_mask,
                       std::uint32_t n_work) noexcept;
};
std::span<const Routine> routines();
const Routine* find_routine(std::string_view symbol);  // null when there is none

// The ranges of work a routine reads and writes (scratch left out).
struct WorkRange {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};
struct RoutineRanges {
  std::vector<WorkRange> in, out;
};
RoutineRanges routine_ranges(const RoutineCall& call);

// -1 for a routine nobody knows (verify() refuses those).
std::int32_t call_routine(const RoutineCall& call, const double* mask, double* work);

// 0, or 1 + the index of the first checked entry that is not finite.
std::int32_t check_finite(const Function& function, const double* deriv);

}  // namespace mbc::kernel
