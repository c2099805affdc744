// SPDX-License-Identifier: Apache-2.0
// A progress line on standard error for runs that take a while: nothing when standard error is no terminal, nothing for
// runs expected to be over in about a second, at most ten updates a second, gone without trace at the end.
//
//   42 % ▕████████▍           ▏ t = 4.2 of 10 s, 12 s left
#pragma once
#include <functional>
#include <string>

namespace mbc::tools {

struct ProgressOptions {
  int fd = 2;
  // Seconds on a clock that only goes forward; tests put their own here.
  std::function<double()> now;
  // -1: ask the descriptor; 0 and 1: tests.
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
  // What the line says in place of the time: "kane, natural".
  void label(std::string text) { label_ = std::move(text); }
  // Takes the line away, before something else is printed and at the end. update() draws it again.
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
  bool visible_ = false;
  double started_;
  double next_;  // not before this time on the clock
};

// "8 s", "3 min 20 s", "2 h 5 min".
[[nodiscard]] std::string duration(double seconds);

}  // namespace mbc::tools
