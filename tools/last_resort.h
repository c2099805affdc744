// SPDX-License-Identifier: Apache-2.0
// Ends the process if a signal is not answered. The computing thread reads the flag of tools/interrupt.h between its
// steps and evaluations, but a library that factorises a large matrix reads no flag.
#pragma once
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <mutex>
#include <optional>
#include <thread>

namespace mbc::tools {

// Lives while the program computes. After a certain processor time with the flag set, another thread calls `leave`,
// which keeps the results so far, and ends the process with the exit status that it returns; without one the process
// goes on, and is asked again. `leave` locks what it shares with the computing threads, which go on meanwhile.
class LastResort {
 public:
  using Leave = std::function<std::optional<int>()>;
  enum class Computes : std::uint8_t { calling_thread, several_threads };

  explicit LastResort(Leave leave, Computes who = Computes::calling_thread);
  LastResort(const LastResort&) = delete;
  LastResort& operator=(const LastResort&) = delete;
  ~LastResort();

 private:
  void watch(clockid_t computing);

  Leave leave_;
  std::mutex mutex_;
  std::condition_variable returned_;
  bool has_returned_ = false;
  std::thread thread_;
};

}  // namespace mbc::tools
