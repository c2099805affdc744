// SPDX-License-Identifier: Apache-2.0
// Native code of the functions of kernels: each has a slot, which whoever asks first makes. Any thread may ask; those
// who ask while a function is being compiled at once wait for it.
#pragma once
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "api/model/native_code.h"
#include "mbc/model.h"
#include "runtime/equations/kernel_runner.h"

namespace mbc::api {

class FunctionCode {
 public:
  using Slot = std::shared_ptr<const kernel::NativeSlot>;
  using Slots = std::map<std::string, Slot>;  // by function, of one kernel and what is derived from it

  // `native` outlives the object; where it is null everything is interpreted.
  FunctionCode(NativeCode* native, bool at_once) : native_(native), at_once_(at_once) {}
  FunctionCode(const FunctionCode&) = delete;
  FunctionCode& operator=(const FunctionCode&) = delete;
  ~FunctionCode() {
    if (native_) native_->discard(std::move(compiled_));
  }

  [[nodiscard]] bool at_once() const { return at_once_; }
  [[nodiscard]] Slot slot(Slots& slots, const kernel::Kernel& kernel, const kernel::Function& function);
  // A slot of its own.
  [[nodiscard]] Slot start(const kernel::Kernel& kernel, const kernel::Function& function) {
    return native_->start(compiled_, kernel, function);
  }
  // The code of all functions of a kernel; kernel and slots outlive what it returns.
  [[nodiscard]] runtime::NativeSource source(Slots& slots, const kernel::Kernel& kernel);
  // The code of its only function; empty where everything is interpreted.
  [[nodiscard]] std::function<Slot()> starter(Slots& slots, const kernel::Kernel& kernel);

 private:
  NativeCode* native_;
  bool at_once_;
  std::shared_ptr<NativeCode::Code> compiled_ = std::make_shared<NativeCode::Code>();
  std::mutex mutex_;  // of all slots
};

// How a model is compiled to native code.
[[nodiscard]] std::unique_ptr<NativeCode> make_native(const CompileOptions& options);

}  // namespace mbc::api
