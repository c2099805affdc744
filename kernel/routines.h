// SPDX-License-Identifier: Apache-2.0
// Shared by the interpreters: the arrays of a kernel function by space, the execution of an instruction, and the
// support routines by name.
#pragma once
#include <array>
#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/kernel.h"
#include "kernel/op_semantics.h"

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

// Executes instruction i of a block, which accesses the place `at` and reads the values before it.
inline void execute(const Block& block, std::size_t i, std::uint32_t at, const Spaces& spaces, double* values) {
  const Inst& inst = block.code[i];
  switch (inst.kind) {
    case Inst::Kind::op:
      values[i] = apply(inst.op, values[inst.a], values[inst.b], values[inst.c]);
      break;
    case Inst::Kind::constant:
      values[i] = block.constants[inst.a];
      break;
    case Inst::Kind::load:
      values[i] = spaces.read(inst.space)[at];
      break;
    case Inst::Kind::store:
      spaces.write(inst.space)[at] = values[inst.a];
      break;
    case Inst::Kind::table:
      values[i] = block.tables[inst.b]->value(values[inst.a], inst.c);
      break;
  }
}

struct Routine {
  std::string_view symbol;
  std::int32_t (*call)(const std::uint32_t* plan, const double* mask, double* work) noexcept;
  const char* (*check)(const std::uint32_t* plan, std::uint32_t words, std::uint32_t n_mask,
                       std::uint32_t n_work) noexcept;
};
std::span<const Routine> routines();
const Routine* find_routine(std::string_view symbol);  // null when there is none

// The ranges of work that a routine reads and writes, without its scratch.
struct WorkRange {
  std::uint32_t offset = 0;
  std::uint32_t size = 0;
};
struct RoutineRanges {
  std::vector<WorkRange> in, out;
};
RoutineRanges routine_ranges(const RoutineCall& call);

// Returns -1 for an unknown routine (verify() refuses those).
std::int32_t call_routine(const RoutineCall& call, const double* mask, double* work);

// Returns 0, or 1 + the index of the first checked entry that is not finite.
std::int32_t check_finite(const Function& function, const double* deriv);

}  // namespace mbc::kernel
