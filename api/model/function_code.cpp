// SPDX-License-Identifier: Apache-2.0
#include "api/model/function_code.h"

#include "base/cache_folder.h"

namespace mbc::api {

FunctionCode::Slot FunctionCode::slot(Slots& slots, const kernel::Kernel& kernel, const kernel::Function& function) {
  const std::lock_guard lock(mutex_);
  Slot& slot = slots[function.name];
  if (!slot && at_once_)
    slot = std::make_shared<kernel::NativeSlot>(native_->compile_now(compiled_, kernel, function));
  else if (!slot)
    slot = native_->start(compiled_, kernel, function);
  return slot;
}

runtime::NativeSource FunctionCode::source(Slots& slots, const kernel::Kernel& kernel) {
  runtime::NativeSource out;
  if (native_ && at_once_)
    out.compiler = [this, &slots, &kernel](const kernel::Function& f) {
      return slot(slots, kernel, f)->load(std::memory_order_acquire);
    };
  else if (native_)
    out.starter = [this, &slots, &kernel](const kernel::Function& f) { return slot(slots, kernel, f); };
  return out;
}

std::function<FunctionCode::Slot()> FunctionCode::starter(Slots& slots, const kernel::Kernel& kernel) {
  if (!native_) return {};
  return [this, &slots, &kernel] { return slot(slots, kernel, kernel.functions.front()); };
}

std::unique_ptr<NativeCode> make_native(const CompileOptions& options) {
  NativeCode::Options how;
  how.optimise = options.optimise;
#ifdef MBC_HAVE_JIT
  if (options.cache) how.cache = cache_folder();
#endif
  return std::make_unique<NativeCode>(std::move(how));
}

}  // namespace mbc::api
