// SPDX-License-Identifier: Apache-2.0
// Calls the functions of a kernel by native code where that is there, else by the interpreter. Both give the same bits,
// so a function may change over between two calls.
//
// Threads: one runner belongs to one thread at a time; everything it writes is its own. Any number of runners, on any
// threads, may share a kernel and a layout, which nobody changes, and the functions of a NativeSource, which are called
// by each of the runners and have to stand that.
#pragma once
#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <utility>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/kernel.h"
#include "kernel/layout.h"
#include "kernel/native_slot.h"
#include "runtime/equations/kernel_arrays.h"

namespace mbc::runtime {

// Native code of a function, or null (then it stays interpreted). The caller waits for it.
using Compiler = std::function<kernel::KernelFunction(const kernel::Function&)>;

// Where native code comes from: one of the two, or none, and then everything is interpreted.
struct NativeSource {
  NativeSource() = default;
  NativeSource(std::nullptr_t) {}
  NativeSource(Compiler made_at_once) : compiler(std::move(made_at_once)) {}
  NativeSource(kernel::NativeStarter made_aside) : starter(std::move(made_aside)) {}

  // The right-hand side is compiled by the constructor, the others when they have been called often: compiling a
  // function costs as much as interpreting it a few thousand times, a large one fewer.
  Compiler compiler;
  // Everything is interpreted at first, and a function changes over when its slot is filled. It is asked for when the
  // code is expected before the calls end (kernel::calls_worth_compiling).
  kernel::NativeStarter starter;
};

class KernelRunner : public KernelArrays {
 public:
  // Functions from k_nonideal on are there only where the system has them.
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
    k_fast_position,  // in lanes: the corrections where all rows are asked for and stand apart
    k_fast_velocity,
    k_fast_full,     // in lanes: what rhs leaves, where all rows are certified and stand apart
    k_contact_rows,  // assemble, residuals with the rows of contacts, which the others leave out where these are there
    k_contact_residuals,
    k_energies,  // of what `outputs` leaves
    k_count
  };

  // Kernel and layout outlive the object. Allocates everything; calls allocate nothing.
  KernelRunner(const kernel::Kernel& kernel, const kernel::SystemLayout& layout, NativeSource source);

  [[nodiscard]] const kernel::Kernel& kernel() const { return kernel_; }
  [[nodiscard]] bool has(FunctionIndex which) const { return functions_[which] != nullptr; }
  // One that is there.
  [[nodiscard]] const kernel::Function& function(FunctionIndex which) const { return *functions_[which]; }

  // state and deriv: n_state of the kernel; rows: n_rows. The status of the function: 0, the failed entry + 1, kGaveUp.
  std::int32_t call(FunctionIndex which, double t, const double* state, const double* rows, double* deriv);
  // n_state: a place for derivatives that nobody reads.
  [[nodiscard]] double* scratch() { return scratch_.data(); }
  // M, f, A, b at a state, left in work; rates of the coordinates and states in scratch().
  void assemble(double t, const double* state) { call(k_assemble, t, state, mask.data(), scratch_.data()); }
  // The same, and bounds of the rounding errors of what is assembled in work, by place, in units of eps. Both vectors
  // have the size of what they belong to, or of the part that is assembled.
  void assemble_with_error(double t, const double* state, std::vector<double>& work_error,
                           std::vector<double>& deriv_error);
  // The same of the residuals.
  void residuals_with_error(double t, const double* state, std::vector<double>& work_error,
                            std::vector<double>& deriv_error);
  // Why a function is not finite at a state; derivatives are in scratch(), before and after.
  std::optional<kernel::Failure> failure(FunctionIndex which, double t, const double* state);
  [[nodiscard]] bool can_jump(FunctionIndex which) const { return kernel::can_switch(*functions_[which]); }
  // An operation of a function that jumps between two states; what is in work is that of the second.
  std::optional<Span> jump_between(FunctionIndex which, double t, const double* state, double t_after,
                                   const double* after);

  // ---- engines
  // That many right-hand sides are about to be asked for.
  void expect_calls(double rhs_calls);
  // For the right-hand sides by the kernel since forget_engine() or the constructor; where there were none, for the
  // next.
  [[nodiscard]] kernel::EnginesUsed engines_used() const;
  void forget_engine() { interpreted_rhs_ = native_rhs_ = false; }

 protected:
  // Whether k_fast_rhs gives the bits of k_rhs: everywhere but in lanes.
  [[nodiscard]] bool fast_has_bits() const { return fast_bits_; }
  // While rhs is native code and the fast function is not, rhs is the faster one.
  bool fast_is_faster();
  // Its native code, or null.
  [[nodiscard]] kernel::KernelFunction native(FunctionIndex which) const { return compiled_[which]; }
  void clear_work();

 private:
  void plan_for_compiler();
  void plan_for_starter();
  void start(FunctionIndex which);
  void consider_native(FunctionIndex which);
  [[nodiscard]] bool too_long(int which) const;
  // Evaluated at accepted states.
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
  // Calls so far, calls after which native code is asked for, and the same of those other than rhs while nothing has
  // been compiled yet.
  std::array<std::uint32_t, k_count> calls_{}, worth_{}, worth_opening_{};
  bool any_started_ = false, interpreted_rhs_ = false, native_rhs_ = false;
  kernel::Registers registers_;
  std::vector<double> scratch_;
};

}  // namespace mbc::runtime
