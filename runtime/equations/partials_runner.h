// SPDX-License-Identifier: Apache-2.0
// PartialsRunner evaluates the compiled partial derivatives of a model (kernel/partials.h) for one Equations object,
// interpreted until native code is there.
#pragma once
#include <functional>
#include <memory>
#include <vector>

#include "kernel/interpreter.h"
#include "kernel/native_slot.h"
#include "kernel/partials.h"
#include "runtime/equations/equations.h"

namespace mbc::runtime {

// The function belongs to one kernel, is made once and never changes. Any number of runners on any threads may share
// it.
struct PartialsCode {
  kernel::Partials partials;
  // Requests native code or waits for it. If it is empty, the function is interpreted.
  std::function<std::shared_ptr<const kernel::NativeSlot>()> start;
  bool at_once = false;  // Native code is requested before the first call.
};

class PartialsRunner {
 public:
  // Both arguments must outlive the object. The code must belong to the kernel of the equations.
  PartialsRunner(const PartialsCode& code, const Equations& equations);

  // Evaluates the derivatives at a state y of n_y entries, with the accelerations in `rates`. Multipliers are read from
  // work().
  void run(double t, const double* y, double* rates);
  // Requests native code once enough calls have been made; evaluations count.
  void prepare_native();
  [[nodiscard]] const double* values() const { return work_.data() + code_.partials.layout.values; }
  [[nodiscard]] std::vector<double>& work() { return work_; }
  [[nodiscard]] kernel::Registers& registers() { return registers_; }

 private:
  const PartialsCode& code_;
  const Equations& equations_;
  kernel::Registers registers_;
  std::shared_ptr<const kernel::NativeSlot> slot_;
  std::uint32_t calls_ = 0, worth_ = 0;
  std::vector<double> work_;
};

}  // namespace mbc::runtime
