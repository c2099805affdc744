// SPDX-License-Identifier: Apache-2.0
#include "api/shape.h"

#include <algorithm>

namespace mbc::api {

namespace {

// Compiling a step costs milliseconds for the smallest systems and grows faster than its length, while what it saves of
// every step grows no faster than that.
constexpr std::uint64_t kFewestSteps = 20'000, kStepsAnInstruction = 200;

}  // namespace

Shape::Shape(std::shared_ptr<Analysis> analysis, const Wanted& wanted, const CodeOptions& how,
             std::shared_ptr<NativeCode> native)
    : analysis_(std::move(analysis)),
      wanted_(wanted),
      how_(how),
      native_(std::move(native)),
      sink_(analysis_->sink()) {
  if (!ok()) return;
  equations_ = analysis_->formulate(wanted);
  if (too_large())
    sink_.report(Kind::too_many_rows, analysis_->too_many_at(), std::to_string(analysis_->n_rows()),
                 equations_.formulated.too_large);
  if (ok() && info().rows.size() > kernel::kMaxDenseRows && facts().soft_values)
    sink_.report(
        Kind::too_many_rows, info().rows.back().span, std::to_string(info().rows.size()),
        "soft initial values are assembled with a full matrix, of at most " + std::to_string(kernel::kMaxDenseRows) +
            " rows");
}

Shape::~Shape() {
  if (native_) native_->discard(std::move(compiled_));
}

std::unique_ptr<runtime::Equations> Shape::equations() const { return equations_of(equations_.formulated, code_); }

std::unique_ptr<runtime::Equations> Shape::check_equations() const {
  {
    const std::lock_guard lock(mutex_);
    if (!checks_)
      checks_ = std::make_unique<formulate::Formulated>(analysis_->formulate_checks(equations_.options));
  }
  return equations_of(*checks_, check_code_);
}

std::unique_ptr<runtime::Equations> Shape::equations_of(const formulate::Formulated& formulated,
                                                        KernelCode& code) const {
  const kernel::Kernel& kernel = formulated.kernel;
  runtime::Compiler compiler;
  if (!how_.interpret && how_.native_at_once)
    compiler = [this, &kernel, &code](const kernel::Function& f) {
      return slot(code, kernel, f)->load(std::memory_order_acquire);
    };
  auto made = std::make_unique<runtime::Equations>(kernel, formulated.layout, compiler);
  if (!how_.interpret && !how_.native_at_once)
    made->compile_in_background([this, &kernel, &code](const kernel::Function& f) { return slot(code, kernel, f); });
  return made;
}

// One for all simulations, whoever asks first. Those who ask while it is being compiled at once wait for it.
Shape::Slot Shape::slot(KernelCode& code, const kernel::Kernel& kernel, const kernel::Function& function) const {
  const std::lock_guard lock(mutex_);
  Slot& slot = code.slots[function.name];
  if (slot) return slot;
  if (how_.native_at_once)
    slot = std::make_shared<kernel::NativeSlot>(native_->compile_now(compiled_, kernel, function));
  else
    slot = native_->start(compiled_, kernel, function);
  return slot;
}

runtime::FusedStep::Made Shape::make_step(const kernel::StepShape& shape) const {
  const std::lock_guard lock(mutex_);
  const auto [at, fresh] = steps_.try_emplace(shape.project);
  runtime::FusedStep::Made& made = at->second;
  if (!fresh) return made;
  made.step = analysis_->step(shape, equations_.options);
  if (made.step) made.slot = native_->start(compiled_, made.step->kernel, made.step->kernel.functions.front());
  return made;
}

std::unique_ptr<runtime::FusedStep> Shape::fused_step(const runtime::SimulateOptions& run) const {
  if (how_.interpret || !equations_.formulated.straight || facts().large || !runtime::steps_can_be_fused(run, info()))
    return nullptr;
  const std::uint64_t code = kernel::size_of(*kernel().function("rhs")).code;
  return std::make_unique<runtime::FusedStep>(
      [this, shape = runtime::step_shape(run, info())] { return make_step(shape); },
      std::max(kFewestSteps, kStepsAnInstruction * code));
}

}  // namespace mbc::api
