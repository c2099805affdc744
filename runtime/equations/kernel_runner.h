// SPDX-License-Identifier: Apache-2.0
// Calls the functions of a kernel by native code if it is available, and by the interpreter otherwise. Both give the
// same bits, so that a function may change over between two calls.
//
// Threads: one thread at a time may use a runner, and everything that a runner writes is its own. Any number of runners
// on any threads may share a kernel and a layout, which nobody changes, and the functions of a NativeSource. Each
// runner calls these functions, so they must be thread-safe.
#pragma once
#include <array>
#include <csignal>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "base/stop_flag.h"
#include "kernel/interpreter.h"
#include "kernel/kernel.h"
#include "kernel/layout.h"
#include "kernel/native_slot.h"
#include "runtime/equations/kernel_arrays.h"

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

class KernelRunner : public KernelArrays {
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

  // Kernel and layout must outlive the object. The constructor allocates all memory; calls allocate nothing.
  KernelRunner(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource source);

  [[nodiscard]] const kernel::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] bool has(FunctionIndex which) const { return functions_[which] != nullptr; }
  // The function `which` must exist.
  [[nodiscard]] const kernel::Function& function(FunctionIndex which) const { return *functions_[which]; }

  // `state` and `deriv` have the n_state entries of the kernel, `rows` has n_rows. The result is the status of the
  // function: 0, the failed entry + 1, or kGaveUp.
  std::int32_t call(FunctionIndex which, double t, const double* state, const double* rows, double* deriv);
  // Lets this flag interrupt call() and poll(), or none. Both throw Interrupted.
  void interrupt_by(const volatile std::sig_atomic_t* stop) { interruption_.watch(stop); }
  void poll() { interruption_.poll(); }
  // Returns n_state entries for derivatives that nobody reads.
  [[nodiscard]] double* scratch() { return scratch_.data(); }
  // Leaves M, f, A and b of a state in work, and the rates of coordinates and states in scratch().
  void assemble(double t, const double* state) { call(k_assemble, t, state, mask.data(), scratch_.data()); }
  // Does the same and also bounds the rounding errors of the assembled values by place in work, in units of eps. Each
  // vector has the size of its array or of the assembled part.
  void assemble_with_error(double t, const double* state, std::vector<double>& work_error,
                           std::vector<double>& deriv_error);
  // Does the same for the residuals.
  void residuals_with_error(double t, const double* state, std::vector<double>& work_error,
                            std::vector<double>& deriv_error);
  // Explains why a function is not finite at a state. The derivatives are in scratch(), before and after.
  std::optional<kernel::Failure> failure(FunctionIndex which, double t, const double* state);
  [[nodiscard]] bool can_jump(FunctionIndex which) const { return kernel::can_switch(*functions_[which]); }
  // Returns an operation of a function that jumps between two states. Afterwards work holds the values of the second
  // state.
  std::optional<Span> jump_between(FunctionIndex which, double t, const double* state, double t_after,
                                   const double* after);
  // Returns an operation whose result grows by this factor though no operand does.
  std::optional<Span> growth_between(FunctionIndex which, double t, const double* state, double t_after,
                                     const double* after, double grown);

  // ---- engines
  // Announces how many right-hand sides the caller is about to request.
  void expect_calls(double rhs_calls);
  // Returns the engines of the kernel's right-hand sides since forget_engine() or the constructor. If there were none
  // yet, the result is the engine of the next one.
  [[nodiscard]] kernel::EnginesUsed engines_used() const;
  void forget_engine() { interpreted_rhs_ = native_rhs_ = false; }

 protected:
  // Returns whether k_fast_rhs gives the bits of k_rhs, which holds for all systems that are not in lanes.
  [[nodiscard]] bool fast_has_bits() const { return fast_bits_; }
  // Returns whether the fast function is the faster one. While rhs is native code and the fast function is not, rhs is
  // faster.
  bool fast_is_faster();
  // Returns the native code of a function, or null.
  [[nodiscard]] kernel::KernelFunction native(FunctionIndex which) const { return compiled_[which]; }
  void clear_work();

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
  [[nodiscard]] kernel::Arguments arguments(double t, const double* state) {
    return {.t = t,
            .state = state,
            .params = params_.data(),
            .inputs = inputs_.data(),
            .mask = mask.data(),
            .work = work_.data(),
            .deriv = scratch_.data()};
  }

  const kernel::Kernel& kernel_;
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
  std::vector<double> scratch_;
  Interruption interruption_;
};

}  // namespace mbc::runtime
