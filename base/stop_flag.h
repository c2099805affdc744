// SPDX-License-Identifier: Apache-2.0
// The flag by which a host ends a running call: a signal handler sets it, or another thread stores it atomically
// (std::atomic_ref, __atomic_store_n). It is read atomically as well.
#pragma once
#include <csignal>
#include <ctime>
#include <optional>

namespace mbc {

inline bool is_set(const volatile std::sig_atomic_t* stop) {
  return stop != nullptr && __atomic_load_n(stop, __ATOMIC_RELAXED) != 0;
}

// Long work throws Interrupted. The work since the last accepted state is lost.
struct Interrupted {};

// An Interruption ends work that does not reach a place where the flag is read.
class Interruption {
 public:
  // Watches this flag from now on, or none.
  void watch(const volatile std::sig_atomic_t* stop) {
    stop_ = stop;
    since_.reset();
  }
  // Throws Interrupted if the flag has been set for kWait seconds of the thread's processor time. A run that reads the
  // flag between two steps has ended by itself before, with all its results, on a busy machine as well.
  void poll() {
    if (is_set(stop_)) [[unlikely]]
      wait();
  }

 private:
  static constexpr double kWait = 0.3;

  void wait() {
    timespec time{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &time);
    const double now = static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
    if (!since_) since_ = now;
    if (now - *since_ > kWait) throw Interrupted();
  }

  const volatile std::sig_atomic_t* stop_ = nullptr;
  std::optional<double> since_;  // processor time at which the flag was first seen set
};

}  // namespace mbc
