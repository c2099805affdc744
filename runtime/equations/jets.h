// SPDX-License-Identifier: Apache-2.0
// Computes the Taylor coefficients of the motion from a state. They are a function of the code of the kernel
// (kernel/jet.h). Native code and the interpreter give the same bits.
#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/span.h"
#include "kernel/interpreter.h"
#include "kernel/jet.h"
#include "kernel/native_slot.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// A JetCode is made once and never changes. Any number of runs on any threads may share it.
struct JetCode {
  std::optional<kernel::Jet> jet;
  std::string refused;  // reason why the jet does not exist; `at` is the expression that it comes from
  Span at;
  // Requests native code or waits for it. If it is empty, the jet is interpreted.
  std::function<std::shared_ptr<const kernel::NativeSlot>()> start;
  bool at_once = false;  // Native code is requested before the first call.
};

// Returns the code for the current kernel and an order. If all rows are well separated (kernel/kernel.h), the code is
// that of the right-hand side for such states, which is shorter; otherwise it is that for all states. The source must
// outlive the run.
using JetSource = std::function<const JetCode&(std::uint32_t order, bool all_rows)>;

// This struct holds the jet of one choice of rows and the arrays that evaluate it.
struct MadeJets {
  const JetCode* code = nullptr;
  kernel::Registers registers;
  std::shared_ptr<const kernel::NativeSlot> slot;
  std::uint32_t calls = 0, worth = 0;
  std::vector<double> work, deriv;
};

class Jets {
 public:
  // The source and the equations must outlive the object.
  Jets(const JetSource& source, std::uint32_t order, Equations& equations)
      : source_(source), order_(order), equations_(equations) {}

  [[nodiscard]] std::uint32_t order() const { return order_; }
  // Returns the reason why no state has coefficients, or null if a state may have them.
  [[nodiscard]] const JetCode* refused();
  // Returns the coefficient of h^k in y_i(t + h) at [k n_y + i] for k = 0 .. order(). The result is null if they are
  // not defined or if the elimination of the kernel does not give the accelerations. The values stay until the next
  // call for another state.
  const double* coefficients(double t, const double* y);
  // Returns the expression in which the last coefficients are not defined.
  std::optional<kernel::Failure> failure();
  // Returns whether another method finds the accelerations at the current state, because rows are nearly dependent or
  // loads depend on multipliers.
  [[nodiscard]] bool other_equations();

 private:
  using Made = MadeJets;
  Made& made(bool all_rows);
  std::int32_t call(Made& made, double t, const double* y);
  [[nodiscard]] bool at_hand(double t, const double* y) const;

  const JetSource& source_;
  std::uint32_t order_;
  Equations& equations_;
  std::optional<Made> made_[2];
  // The last coefficients belong to these values.
  const Made* last_ = nullptr;
  bool good_ = false;
  double t_ = 0;
  std::vector<double> y_, inputs_, mask_;
  std::uint64_t param_changes_ = 0;
};

}  // namespace mbc::runtime
