// SPDX-License-Identifier: Apache-2.0
// The flag by which a host ends what is running: set by a signal handler, or by another thread, which stores it
// atomically (std::atomic_ref, __atomic_store_n). It is read in the same way.
#pragma once
#include <csignal>

namespace mbc {

inline bool is_set(const volatile std::sig_atomic_t* stop) {
  return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

}  // namespace mbc
