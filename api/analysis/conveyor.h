// SPDX-License-Identifier: Apache-2.0
// The conveyor moves the members of a sweep between its workers and the thread that called sweep().
#pragma once
#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <exception>
#include <map>
#include <mutex>
#include <optional>
#include <utility>
#include <vector>

#include "mbc/mbc.h"

namespace mbc::api {

// Numbers of members go out; results come back in any order and leave in order. A thread that is far ahead of the
// slowest one waits, so that few results have to be kept.
class Conveyor {
 public:
  // The members from `first` on, before `end`.
  Conveyor(std::uint64_t first, std::uint64_t end, unsigned jobs)
      : end_(end), window_(std::max(256u, 16 * jobs)), next_(first), taken_(first) {}

  struct Group {
    std::uint64_t first = 0, count = 0;  // none when there are no more
  };
  // Takes the next `size` members, or those that are left.
  Group next(std::uint64_t size) {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stopped_ || next_ == end_ || next_ < taken_ + window_; });
    if (stopped_ || next_ == end_) return {};
    const Group group{next_, std::min(size, end_ - next_)};
    next_ += group.count;
    return group;
  }

  void put(std::uint64_t first, std::vector<SweepMember> results) {
    const std::lock_guard lock(mutex_);
    for (SweepMember& result : results) done_.emplace(result.number - 1, std::move(result));
    if (first == taken_) changed_.notify_all();
  }

  // The next result in order; nothing if `wait` has passed without one.
  std::optional<SweepMember> take(std::chrono::milliseconds wait) {
    std::unique_lock lock(mutex_);
    const auto ready = [&] { return failure_ || (!done_.empty() && done_.begin()->first == taken_); };
    if (!changed_.wait_for(lock, wait, ready)) return {};
    if (failure_) std::rethrow_exception(failure_);
    SweepMember out = std::move(done_.begin()->second);
    done_.erase(done_.begin());
    if (next_ >= taken_++ + window_) changed_.notify_all();
    return out;
  }

  [[nodiscard]] bool complete() const { return taken_ == end_; }  // for the thread that takes

  void stop() {
    const std::lock_guard lock(mutex_);
    stopped_ = true;
    changed_.notify_all();
  }

  // A failure that no member can recover from, such as a lack of memory; it is thrown to the caller of sweep().
  void fail(std::exception_ptr failure) {
    const std::lock_guard lock(mutex_);
    if (!failure_) failure_ = std::move(failure);
    stopped_ = true;
    changed_.notify_all();
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  const std::uint64_t end_, window_;
  std::uint64_t next_, taken_;
  std::map<std::uint64_t, SweepMember> done_;
  bool stopped_ = false;
  std::exception_ptr failure_;
};

}  // namespace mbc::api
