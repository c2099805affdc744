// SPDX-License-Identifier: Apache-2.0
#include "tools/terminal/progress.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <string_view>

#include "base/numbers.h"
#include "base/table.h"
#include "tools/terminal/preview.h"

namespace mbc::tools {
namespace {

constexpr double kFirstLook = 0.3;     // s: the speed of a run is unknown before
constexpr double kWorthShowing = 1.0;  // s: shorter runs stay silent
constexpr double kInterval = 0.1;      // s between updates
constexpr std::size_t kBarWidth = 30;  // characters

double steady_seconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Returns whether a line can be drawn; a terminal that cannot erase one (TERM=dumb) gets nothing.
bool can_draw(int fd) {
  const char* term = std::getenv("TERM");
  return isatty(fd) == 1 && (term == nullptr || std::string_view(term) != "dumb");
}

// Only a locale of another encoding turns block characters off: without a locale, present terminals use UTF-8.
bool terminal_is_utf8() {
  for (const char* name : {"LC_ALL", "LC_CTYPE", "LANG"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::string text = value;
    std::transform(text.begin(), text.end(), text.begin(),
                   [](char c) { return c >= 'A' && c <= 'Z' ? char(c + 32) : c; });
    return text.find("utf-8") != std::string::npos || text.find("utf8") != std::string::npos;
  }
  return true;
}

// Block characters of 1/8 width, so that a bar of 30 characters has 240 positions.
std::string bar(double fraction, std::size_t width, bool unicode) {
  static constexpr const char* kEighths[] = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths = static_cast<std::size_t>(fraction * static_cast<double>(width * 8));
  std::size_t full = eighths / 8;
  std::string text;
  for (std::size_t i = 0; i < full; ++i) text += unicode ? "█" : "#";
  if (unicode && eighths % 8 != 0) {
    text += kEighths[eighths % 8];
    ++full;
  }
  return text + std::string(width - full, ' ');
}

}  // namespace

std::string duration(double seconds) {
  const auto whole = static_cast<long long>(std::ceil(std::clamp(seconds, 0.0, 1e15)));
  if (whole < 60) return std::to_string(whole) + " s";
  if (whole < 3600) return std::to_string(whole / 60) + " min " + std::to_string(whole % 60) + " s";
  return std::to_string(whole / 3600) + " h " + std::to_string(whole % 3600 / 60) + " min";
}

Progress::Progress(double t_begin, double t_end, ProgressOptions options)
    : t_begin_(t_begin), t_end_(t_end), options_(std::move(options)), unicode_(terminal_is_utf8()) {
  if (!options_.now) options_.now = steady_seconds;
  enabled_ = options_.terminal < 0 ? can_draw(options_.fd) : options_.terminal != 0;
  started_ = options_.now();
  next_ = started_ + kFirstLook;
}

void Progress::update(double t) {
  if (!enabled_) return;
  const double now = options_.now();
  if (now < next_) return;
  next_ = now + kInterval;
  const double span = t_end_ - t_begin_;
  const double fraction = (t - t_begin_) / span;
  if (!(fraction > 0 && fraction <= 1)) return;
  const double elapsed = now - started_;
  const std::lock_guard lock(drawing_);
  if (!visible_ && elapsed / fraction < kWorthShowing) return;
  visible_ = true;
  print("\r" + line(fraction, t, elapsed) + "\x1b[K");
}

void Progress::finish() {
  const std::lock_guard lock(drawing_);
  if (!visible_) return;
  visible_ = false;
  print("\r\x1b[K");
}

// Returns the parts that fit into the terminal's width, because a wrapped line cannot be erased.
std::string Progress::line(double fraction, double t, double elapsed) const {
  const std::size_t width = terminal_width(options_.fd) - 1;
  std::string percent = std::to_string(static_cast<int>(fraction * 100)) + " %";
  percent.insert(0, percent.size() < 5 ? 5 - percent.size() : 0, ' ');
  const std::string drawn =
      unicode_ ? " ▕" + bar(fraction, kBarWidth, true) + "▏" : " [" + bar(fraction, kBarWidth, false) + "]";
  const std::string time = !label_.empty()
                               ? " " + label_
                               : " t = " + text::short_number(t, 4) + " of " + text::short_number(t_end_, 4) +
                                     (options_.time_unit.empty() ? "" : " ") + options_.time_unit;
  const std::string left = ", " + duration(elapsed * (1 - fraction) / fraction) + " left";
  std::string text;
  for (const std::string& part : {percent, drawn, time, left}) {
    if (text::display_width(text) + text::display_width(part) > width) break;
    text += part;
  }
  return text;
}

// A failure to write the progress line does not stop a run.
void Progress::print(const std::string& text) const {
  if (write(options_.fd, text.data(), text.size()) < 0) return;
}

}  // namespace mbc::tools
