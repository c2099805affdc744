// SPDX-License-Identifier: Apache-2.0
// An object file as code of this process, without LLVM. Objects of kernels have a few kinds of sections and
// relocations, so that a linker for them is small and takes microseconds. Any other object is refused here and left to
// LLVM's own linker.
#pragma once
#include <cstddef>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>

namespace mbc::jit {

class ObjectCode {
 public:
  // Returns the address of a symbol that an object uses and does not define; null for a symbol that it may not use.
  using Outside = std::function<const void*(std::string_view symbol)>;

  // Loads position-independent code of this architecture (x86-64) without writable data; returns null for anything
  // else. Nothing outside of the bytes is read, whatever they are.
  static std::unique_ptr<ObjectCode> load(std::string_view object, const Outside& outside);
  ~ObjectCode();
  ObjectCode(const ObjectCode&) = delete;
  ObjectCode& operator=(const ObjectCode&) = delete;

  // Returns a function that the object exports; null if there is none of that name.
  [[nodiscard]] void* function(const std::string& name) const;

 private:
  ObjectCode() = default;

  void* memory_ = nullptr;  // mapped for this object alone
  std::size_t size_ = 0;
  std::map<std::string, void*> functions_;
};

}  // namespace mbc::jit
