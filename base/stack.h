// SPDX-License-Identifier: Apache-2.0
// The remaining stack of this thread: hosts call from threads with small stacks, and an overflow cannot be caught.
#pragma once
#include <pthread.h>

#include <cstddef>
#include <cstdint>
#include <limits>

namespace mbc {

// Returns the bytes left, or the largest number if the system does not tell.
[[nodiscard]] inline std::size_t stack_left() {
  pthread_attr_t attributes;
  if (pthread_getattr_np(pthread_self(), &attributes) != 0) return std::numeric_limits<std::size_t>::max();
  void* low = nullptr;
  std::size_t size = 0;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  const auto here = reinterpret_cast<std::uintptr_t>(&attributes);
  const auto end = reinterpret_cast<std::uintptr_t>(low);
  return here > end ? here - end : 0;
}

}  // namespace mbc
