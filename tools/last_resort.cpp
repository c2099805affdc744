// SPDX-License-Identifier: Apache-2.0
#include "tools/last_resort.h"

#include <pthread.h>
#include <signal.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <ctime>
#include <system_error>
#include <utility>

#include "tools/interrupt.h"

namespace mbc::tools {
namespace {

// A run that reads the flag ends after at most 0.3 s (Interruption in base/stop_flag.h), and everything ends in 1 s.
constexpr double kPatience = 0.6;
constexpr std::chrono::milliseconds kLookEvery{50};

double seconds_of(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<double>(time.tv_sec) + 1e-9 * static_cast<double>(time.tv_nsec);
}

}  // namespace

LastResort::LastResort(std::function<int()> leave, unsigned others) : leave_(std::move(leave)) {
  clockid_t computing = CLOCK_PROCESS_CPUTIME_ID;
  if (others == 0 && pthread_getcpuclockid(pthread_self(), &computing) != 0) return;
  const double patience = kPatience * std::max(1u, others);
  // Signals have to reach the computing thread, whose blocked reads and writes they end.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, computing, patience] { watch(computing, patience); });
  } catch (const std::system_error&) {  // there are no threads to be had: the flag alone ends the work
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

LastResort::~LastResort() {
  if (!thread_.joinable()) return;
  {
    const std::lock_guard lock(mutex_);
    has_returned_ = true;
  }
  returned_.notify_one();
  thread_.join();
}

void LastResort::watch(clockid_t computing, double patience) {
  double since = -1;  // the time at which the flag was first seen set, or -1
  std::unique_lock lock(mutex_);
  while (!returned_.wait_for(lock, kLookEvery, [this] { return has_returned_; })) {
    if (*interrupt_flag() == 0) {
      since = -1;
      continue;
    }
    const double now = seconds_of(computing);
    if (since < 0) since = now;
    if (now - since > patience) _exit(leave_());
  }
}

}  // namespace mbc::tools
