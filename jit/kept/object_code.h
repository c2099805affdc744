// SPDX-License-Identifier: Apache-2.0
// An object file as code of this process, without LLVM: what kernels are compiled to has a few kinds of sections and
// relocations, so that a linker for them is small and takes microseconds. Whatever else an object holds makes it
// refused here, and left to LLVM's own linker.
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
  // Addresses of what an object uses and does not define; null for what it may not use.
  using Outside = std::function<const void*(std::string_view symbol)>;

  // Position-independent code of this architecture (x86-64) without data that is written to; null for all else. Nothing
  // is read outside of the bytes, whatever they are.
  static std::unique_ptr<ObjectCode> load(std::string_view object, const Outside& outside);
  ~ObjectCode();
  ObjectCode(const ObjectCode&) = delete;
  ObjectCode& operator=(const ObjectCode&) = delete;

  // A function that the object shows to others; null when there is none of that name.
  [[nodiscard]] void* function(const std::string& name) const;

 private:
  ObjectCode() = default;

  void* memory_ = nullptr;  // mapped for this object alone
  std::size_t size_ = 0;
  std::map<std::string, void*> functions_;
};

}  // namespace mbc::jit
