// SPDX-License-Identifier: Apache-2.0
// Taylor coefficients of the motion from a state: a function of the kernel's code (kernel/jet.h), by native code or by
// the interpreter, with the same bits.
#pragma once
#include <cstdint>
#include <functional>
#include <map>
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

// Made once and never changed; any number of runs on any threads share it.
struct JetCode {
  std::optional<kernel::Jet> jet;
  std::string refused;  // why there is none, and the expression that it comes from
  Span at;
  // Has native code made, or waits for it; empty: it is interpreted.
  std::function<std::shared_ptr<const kernel::NativeSlot>()> start;
  bool at_once = false;  // before the first call
};

// Of the kernel at hand, by order: of the right-hand side for states where all rows stand apart (kernel/kernel.h),
// which is the shorter one, or of that for all. It outlives the run.
using JetSource = std::function<const JetCode&(std::uint32_t order, bool all_rows)>;

// Those of one order, with what runs them.
struct MadeJets {
  const JetCode* code = nullptr;
  kernel::Registers registers;
  std::shared_ptr<const kernel::NativeSlot> slot;
  std::uint32_t calls = 0, worth = 0;
  std::vector<double> work, deriv;
};

class Jets {
 public:
  // Both outlive the object.
  Jets(const JetSource& source, std::uint32_t order, Equations& equations)
      : source_(source), order_(order), equations_(equations) {}

  [[nodiscard]] std::uint32_t order() const { return order_; }
  // Why no state has coefficients; null where it may have.
  [[nodiscard]] const JetCode* refused();
  // Coefficients of h^k in y_i(t + h) at [k n_y + i], k = 0 .. order(); null where they are not defined, or the
  // accelerations do not follow from the kernel's elimination. They stay until another state is asked for.
  const double* coefficients(double t, const double* y);
  // Where the last ones are not defined: an expression.
  std::optional<kernel::Failure> failure();
  // Accelerations are found in another way at the state at hand: rows nearly depend on others, or loads on multipliers.
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
  // what the last coefficients belong to
  const Made* last_ = nullptr;
  bool good_ = false;
  double t_ = 0;
  std::vector<double> y_, inputs_, mask_;
  std::uint64_t param_changes_ = 0;
};

}  // namespace mbc::runtime
