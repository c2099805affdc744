// SPDX-License-Identifier: Apache-2.0
// The flag by which a host ends what is running: set by a signal handler, or by another thread, which stores it
// atomically (std::atomic_ref, __atomic_store_n). It is read in the same way.
#pragma once
#include <chrono>
#include <csignal>
#include <optional>

namespace mbc {

inline bool is_set(const volatile std::sig_atomic_t* stop) {
  return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

// Interrupted is thrown out of work that takes long. What was done since the last accepted state is lost.
struct Interrupted {};

// An Interruption ends work that does not come to a place where the flag is read.
class Interruption {
 public:
  // Watches this flag from now on, or none.
  void watch(const volatile std::sig_atomic_t* stop) {
    stop_ = stop;
    since_.reset();
  }
  // Throws Interrupted if the flag has been set for kWait. A run that reads the flag between two steps ends by itself
  // until then, with all that it has.
  void poll() {
    if (is_set(stop_)) [[unlikely]]
      wait();
  }

 private:
  static constexpr std::chrono::milliseconds kWait{300};

  void wait() {
    const auto now = std::chrono::steady_clock::now();
    if (!since_) since_ = now;
    if (now - *since_ > kWait) throw Interrupted();
  }

  const volatile std::sig_atomic_t* stop_ = nullptr;
  std::optional<std::chrono::steady_clock::time_point> since_;  // the flag has been seen set
};

}  // namespace mbc
