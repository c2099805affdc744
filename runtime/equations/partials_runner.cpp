// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/partials_runner.h"

namespace mbc::runtime {

PartialsRunner::PartialsRunner(const PartialsCode& code, const Equations& equations)
    : code_(code),
      equations_(equations),
      registers_(kernel::make_registers(code.partials.kernel)),
      worth_(kernel::calls_worth_compiling(kernel::size_of(code.partials.kernel.functions.front()), false)),
      work_(code.partials.kernel.n_work) {}

void PartialsRunner::prepare_native() {
  if (!code_.start || slot_) return;
  if (code_.at_once || ++calls_ >= worth_) slot_ = code_.start();
}

void PartialsRunner::run(double t, const double* y, double* rates) {
  const kernel::KernelFunction native = slot_ ? slot_->load(std::memory_order_acquire) : nullptr;
  const double *params = equations_.params().data(), *inputs = equations_.inputs().data();
  if (native)
    native(t, y, params, inputs, equations_.mask.data(), work_.data(), rates);
  else
    kernel::interpret(code_.partials.kernel.functions.front(), t, y, params, inputs, equations_.mask.data(),
                      work_.data(), rates, registers_);
}

}  // namespace mbc::runtime
