// SPDX-License-Identifier: Apache-2.0
// A progress line on standard error for long runs: nothing if standard error is not a terminal, nothing for runs
// expected to end in about a second, at most ten updates a second, no trace at the end.
//
//   42 % ▕████████▍           ▏ t = 4.2 of 10 s, 12 s left
#pragma once
#include <functional>
#include <mutex>
#include <string>

namespace mbc::tools {

struct ProgressOptions {
  int fd = 2;
  // Returns seconds on a monotonic clock; tests replace it.
  std::function<double()> now;
  // -1: the descriptor decides; 0 and 1: for tests.
  int terminal = -1;
  std::string time_unit = "s";
};

class Progress {
 public:
  Progress(double t_begin, double t_end, ProgressOptions options = {});
  ~Progress() { finish(); }
  Progress(const Progress&) = delete;
  Progress& operator=(const Progress&) = delete;

  // Call it every step: it returns at once unless there is something to draw.
  void update(double t);
  // Sets a text that replaces the time: "kane, natural".
  void label(std::string text) { label_ = std::move(text); }
  // Removes the line, before other output and at the end. update() draws it again. Another thread may call it.
  void finish();

 private:
  [[nodiscard]] std::string line(double fraction, double t, double elapsed) const;
  void print(const std::string& text) const;

  double t_begin_;
  double t_end_;
  ProgressOptions options_;
  std::string label_;
  bool enabled_;
  bool unicode_;
  std::mutex drawing_;
  bool visible_ = false;
  double started_;
  double next_;  // earliest time of the next update
};

// Returns "8 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] std::string duration(double seconds);

}  // namespace mbc::tools
