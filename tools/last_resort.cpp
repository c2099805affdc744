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

LastResort::LastResort(Leave leave, Computes who) : leave_(std::move(leave)) {
  clockid_t computing = CLOCK_PROCESS_CPUTIME_ID;
  if (who == Computes::calling_thread && pthread_getcpuclockid(pthread_self(), &computing) != 0) return;
  // Signals have to reach the computing thread, whose blocked reads and writes they end.
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this, computing] { watch(computing); });
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

// Several threads compute for at most as long as the clock on the wall says, however many of them run.
void LastResort::watch(clockid_t computing) {
  double computed = 0;  // since the flag was first seen set
  double used = seconds_of(computing), clock = seconds_of(CLOCK_MONOTONIC);
  std::unique_lock lock(mutex_);
  while (!returned_.wait_for(lock, kLookEvery, [this] { return has_returned_; })) {
    const double used_before = std::exchange(used, seconds_of(computing)),
                 clock_before = std::exchange(clock, seconds_of(CLOCK_MONOTONIC));
    if (*interrupt_flag() == 0) {
      computed = 0;
      continue;
    }
    computed += std::min(used - used_before, clock - clock_before);
    if (computed <= kPatience) continue;
    if (const std::optional<int> status = leave_()) _exit(*status);
  }
}

}  // namespace mbc::tools
