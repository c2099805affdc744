// SPDX-License-Identifier: Apache-2.0
// Native code of the functions of kernels. Each function has a slot, which the first caller creates. Any thread may
// call; if code is compiled at once, callers wait until the function is compiled.
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
  using Slots = std::map<std::string, Slot>;  // by name of the function, for one kernel and those derived from it

  // `native` outlives the object; if it is null, everything is interpreted.
  FunctionCode(NativeCode* native, bool at_once) : native_(native), at_once_(at_once) {}
  FunctionCode(const FunctionCode&) = delete;
  FunctionCode& operator=(const FunctionCode&) = delete;
  ~FunctionCode() {
    if (native_) native_->discard(std::move(compiled_));
  }

  [[nodiscard]] bool at_once() const { return at_once_; }
  [[nodiscard]] Slot slot(Slots& slots, const kernel::Kernel& kernel, const kernel::Function& function);
  // Returns a new slot.
  [[nodiscard]] Slot start(const kernel::Kernel& kernel, const kernel::Function& function) {
    return native_->start(compiled_, kernel, function);
  }
  // Returns the code of all functions of a kernel; kernel and slots outlive the result.
  [[nodiscard]] runtime::NativeSource source(Slots& slots, const kernel::Kernel& kernel);
  // Returns the code of the kernel's only function; empty if everything is interpreted.
  [[nodiscard]] std::function<Slot()> starter(Slots& slots, const kernel::Kernel& kernel);

 private:
  NativeCode* native_;
  bool at_once_;
  std::shared_ptr<NativeCode::Code> compiled_ = std::make_shared<NativeCode::Code>();
  std::mutex mutex_;  // guards all slots
};

// Creates the compiler to native code for these options.
[[nodiscard]] std::unique_ptr<NativeCode> make_native(const CompileOptions& options);

}  // namespace mbc::api
