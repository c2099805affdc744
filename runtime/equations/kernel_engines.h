// SPDX-License-Identifier: Apache-2.0
// Calls the functions of a kernel by native code if it is available, and by the interpreter otherwise. Both give the
// same bits, so that a function may change over between two calls.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>

#include "kernel/interpreter.h"
#include "kernel/kernel.h"
#include "kernel/native_slot.h"

namespace mbc::runtime {

// Returns native code of a function, or null if the function stays interpreted. The caller waits for the result.
using Compiler = std::function<kernel::KernelFunction(const kernel::Function&)>;

// A source has a compiler or a starter or neither. Without both, everything is interpreted.
struct NativeSource {
  NativeSource() = default;
  NativeSource(std::nullptr_t) {}
  NativeSource(Compiler made_at_once) : compiler(std::move(made_at_once)) {}
  NativeSource(kernel::NativeStarter made_aside) : starter(std::move(made_aside)) {}

  // The constructor compiles the right-hand side. The other functions are compiled after many calls, because compiling
  // a function costs as much as interpreting it a few thousand times, or fewer times if it is large.
  Compiler compiler;
  // The starter makes native code in the background. Every function is interpreted until its slot is filled. The code
  // is requested if it is expected to be ready before the calls end (kernel::calls_worth_compiling).
  kernel::NativeStarter starter;
};

class KernelEngines {
 public:
  // The functions from k_nonideal on exist only if the system needs them.
  enum FunctionIndex {
    k_rhs,
    k_assemble,
    k_power,
    k_residuals,
    k_correct_position,
    k_correct_velocity,
    k_outputs,
    k_nonideal,
    k_rates,
    k_expand,
    k_rhs_quasi,
    k_fast_rhs,       // the derivatives alone
    k_fast_position,  // corrections in lanes, for the case that all rows are requested and well separated
    k_fast_velocity,
    k_fast_full,  // results of rhs in lanes, for the case that all rows are certified and well separated
    // assemble and residuals with the rows of contacts, which the other two leave out if these functions exist
    k_contact_rows,
    k_contact_residuals,
    k_energies,  // the energies among the results of `outputs`
    k_count
  };

  // The kernel must outlive the object. The constructor allocates all memory; calls allocate nothing.
  KernelEngines(const kernel::Kernel& kernel, bool laned, NativeSource source);

  // Returns null for a function that the kernel does not have.
  [[nodiscard]] const kernel::Function* function(FunctionIndex which) const { return functions_[which]; }
  // The result is the status of the function: 0, the failed entry + 1, or kGaveUp.
  std::int32_t call(FunctionIndex which, const kernel::Arguments& a);
  // Does the same by the interpreter and also bounds the rounding errors of work and derivatives, in units of eps.
  void call_with_error(FunctionIndex which, const kernel::Arguments& a, double* work_error, double* deriv_error,
                       const double* sizes) {
    interpret_with_error(*functions_[which], a, work_error, deriv_error, registers_, sizes);
  }

  // Announces how many right-hand sides the caller is about to request.
  void expect_calls(double rhs_calls);
  // Returns the engines of the kernel's right-hand sides since forget_used() or the constructor. If there were none
  // yet, the result is the engine of the next one.
  [[nodiscard]] kernel::EnginesUsed used() const;
  void forget_used() { interpreted_rhs_ = native_rhs_ = false; }

  // Returns whether k_fast_rhs gives the bits of k_rhs, which holds for all systems that are not in lanes.
  [[nodiscard]] bool fast_has_bits() const { return fast_bits_; }
  // Returns whether the fast function is the faster one. While rhs is native code and the fast function is not, rhs is
  // faster.
  bool fast_is_faster();
  // Returns the native code of a function, or null.
  [[nodiscard]] kernel::KernelFunction native(FunctionIndex which) const { return compiled_[which]; }

 private:
  void plan_for_compiler();
  void plan_for_starter();
  void start(FunctionIndex which);
  void consider_native(FunctionIndex which);
  [[nodiscard]] bool too_long(int which) const;
  // Returns the right-hand side that is evaluated at accepted states.
  [[nodiscard]] FunctionIndex main_rhs() const {
    if (functions_[k_fast_full]) return k_fast_full;
    return functions_[k_rhs_quasi] ? k_rhs_quasi : k_rhs;
  }

  const NativeSource source_;
  const bool fast_bits_;
  std::array<const kernel::Function*, k_count> functions_{};
  std::array<kernel::KernelFunction, k_count> compiled_{};
  std::array<std::shared_ptr<const kernel::NativeSlot>, k_count> slots_{};
  // These arrays hold the number of calls so far, the number of calls after which native code is requested, and the
  // same number while no function has been compiled yet.
  std::array<std::uint32_t, k_count> calls_{}, worth_{}, worth_opening_{};
  bool any_started_ = false, interpreted_rhs_ = false, native_rhs_ = false;
  kernel::Registers registers_;
};

}  // namespace mbc::runtime
