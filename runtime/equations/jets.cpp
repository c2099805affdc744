// SPDX-License-Identifier: Apache-2.0
#include "runtime/equations/jets.h"

#include <algorithm>

namespace mbc::runtime {

Jets::Made& Jets::made(bool all_rows) {
  std::optional<Made>& out = made_[all_rows ? 1 : 0];
  if (out) return *out;
  out.emplace();
  out->code = &source_(order_, all_rows);
  if (!out->code->jet) return *out;
  const kernel::Kernel& kernel = out->code->jet->kernel;
  out->registers = kernel::make_registers(kernel);
  out->worth = kernel::calls_worth_compiling(kernel::size_of(kernel.functions.front()), false);
  out->work.resize(kernel.n_work);
  out->deriv.resize(kernel.n_state);
  return *out;
}

const JetCode* Jets::refused() {
  const JetCode* code = made(true).code;
  return code->jet ? nullptr : code;
}

bool Jets::other_equations() {
  return equations_.mode() != SolveMode::fast || equations_.reaction_dependent().act(equations_.inputs());
}

std::int32_t Jets::call(Made& m, double t, const double* y) {
  if (m.code->start && !m.slot && (m.code->at_once || ++m.calls >= m.worth)) m.slot = m.code->start();
  const double *params = equations_.params().data(), *inputs = equations_.inputs().data(),
               *mask = equations_.mask.data();
  const kernel::KernelFunction native = m.slot ? m.slot->load(std::memory_order_acquire) : nullptr;
  if (native) return native(t, y, params, inputs, mask, m.work.data(), m.deriv.data());
  return kernel::interpret(m.code->jet->kernel.functions.front(), t, y, params, inputs, mask, m.work.data(),
                           m.deriv.data(), m.registers);
}

bool Jets::at_hand(double t, const double* y) const {
  const auto inputs = equations_.inputs();
  return good_ && t == t_ && std::equal(y_.begin(), y_.end(), y) && param_changes_ == equations_.param_changes() &&
         std::equal(inputs.begin(), inputs.end(), inputs_.begin(), inputs_.end()) && mask_ == equations_.mask;
}

const double* Jets::coefficients(double t, const double* y) {
  if (other_equations()) {
    good_ = false;
    return nullptr;
  }
  if (at_hand(t, y)) return last_->deriv.data();
  t_ = t;
  y_.assign(y, y + equations_.layout().n_y());
  inputs_.assign(equations_.inputs().begin(), equations_.inputs().end());
  mask_ = equations_.mask;
  param_changes_ = equations_.param_changes();
  good_ = false;
  const bool all = std::all_of(mask_.begin(), mask_.end(), [](double m) { return m == 1; });
  for (const bool all_rows : {true, false}) {
    if (all_rows && !all) continue;
    Made& m = made(all_rows);
    if (!m.code->jet) continue;
    last_ = &m;
    good_ = call(m, t, y) == 0;
    if (good_) return m.deriv.data();
  }
  return nullptr;
}

std::optional<kernel::Failure> Jets::failure() {
  if (!last_) return std::nullopt;
  const kernel::Kernel& kernel = last_->code->jet->kernel;
  std::vector<double> work(kernel.n_work), deriv(kernel.n_state);
  return kernel::find_failure(kernel, kernel.functions.front(),
                              {.t = t_,
                               .state = y_.data(),
                               .params = equations_.params().data(),
                               .inputs = equations_.inputs().data(),
                               .mask = equations_.mask.data(),
                               .work = work.data(),
                               .deriv = deriv.data()});
}

}  // namespace mbc::runtime
