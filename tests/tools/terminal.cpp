// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/terminal.h"

#include <doctest/doctest.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>

namespace mbc::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{20};

std::string program() {
  const char* other = std::getenv("MBC_PROGRAM");
  return other != nullptr ? other : MBC_PROGRAM;
}

[[noreturn]] void become(const std::string& home, const std::vector<std::string>& args,
                         const std::vector<std::pair<std::string, std::string>>& variables) {
  setenv("TERM", "xterm", 1);
  setenv("LC_ALL", "C.UTF-8", 1);
  setenv("HOME", home.c_str(), 1);
  setenv("NO_COLOR", "1", 1);
  unsetenv("DISPLAY");
  unsetenv("WAYLAND_DISPLAY");
  unsetenv("XDG_STATE_HOME");
  for (const auto& [name, value] : variables) setenv(name.c_str(), value.c_str(), 1);
  std::vector<std::string> words = {program()};
  words.insert(words.end(), args.begin(), args.end());
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  execv(argv[0], argv.data());
  _exit(127);
}

}  // namespace

std::string plain_text(const std::string& raw) {
  std::string out;
  for (std::size_t k = 0; k < raw.size(); ++k) {
    if (raw[k] == '\x1b') {
      if (k + 1 < raw.size() && raw[k + 1] == '[') {
        k += 2;
        while (k < raw.size() && (raw[k] < '@' || raw[k] > '~')) ++k;
      }
    } else if (raw[k] == '\r') {
      if (k + 1 < raw.size() && raw[k + 1] == '\n') continue;
      while (k + 1 < raw.size() && raw[k + 1] == '\r') ++k;
      if (k + 1 < raw.size() && raw[k + 1] == '\n') continue;
      out.erase(out.rfind('\n') == std::string::npos ? 0 : out.rfind('\n') + 1);
    } else if (raw[k] == '\b') {
      if (!out.empty() && out.back() != '\n') out.pop_back();
    } else if (raw[k] != '\a') {
      out += raw[k];
    }
  }
  return out;
}

Terminal::Terminal(const std::vector<std::string>& args,
                   const std::vector<std::pair<std::string, std::string>>& variables, unsigned short columns) {
  winsize size{};
  size.ws_col = columns;
  size.ws_row = 40;
  child_ = forkpty(&fd_, nullptr, nullptr, &size);
  REQUIRE(child_ >= 0);
  if (child_ == 0) become(home_.path(), args, variables);
  wait([this] { return at_prompt(); });
  buffer_.clear();
}

Terminal::~Terminal() {
  if (child_ > 0) {
    kill(child_, SIGKILL);
    waitpid(child_, nullptr, 0);
  }
  if (fd_ >= 0) close(fd_);
}

template <class Done>
void Terminal::wait(const Done& done) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (!done()) {
    INFO("terminal: ", buffer_);
    REQUIRE(Clock::now() < deadline);
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    char chunk[4096];
    const ssize_t n = read(fd_, chunk, sizeof chunk);
    REQUIRE(n > 0);
    buffer_.append(chunk, static_cast<std::size_t>(n));
  }
}

bool Terminal::at_prompt() {
  const std::string plain = plain_text(buffer_);
  for (const char* one : {"mbc> ", "...> "}) {
    if (!plain.ends_with(one)) continue;
    const std::size_t at = plain.size() - 5;
    if (at > 0 && plain[at - 1] != '\n') continue;
    prompt_ = one;
    return true;
  }
  return false;
}

void Terminal::type(const std::string& keys) {
  REQUIRE(write(fd_, keys.data(), keys.size()) == static_cast<ssize_t>(keys.size()));
}

std::string Terminal::line(const std::string& text) {
  buffer_.clear();
  type(text + "\r");
  wait([this] { return buffer_.find('\n') != std::string::npos && at_prompt(); });
  const std::string plain = plain_text(buffer_);
  buffer_.clear();
  const std::size_t begin = plain.find('\n') + 1;  // The output begins after the echo.
  return plain.substr(begin, plain.size() - 5 - std::min(begin, plain.size() - 5));
}

std::string Terminal::keys(const std::string& keys, const std::string& until) {
  type(keys);
  wait([&] { return plain_text(buffer_).find(until) != std::string::npos; });
  return plain_text(buffer_);
}

int Terminal::end() {
  type("\x04");
  int status = 0;
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (waitpid(child_, &status, WNOHANG) == 0) {
    REQUIRE(Clock::now() < deadline);
    char chunk[4096];
    pollfd ready{fd_, POLLIN, 0};
    if (poll(&ready, 1, 20) > 0 && read(fd_, chunk, sizeof chunk) < 0) usleep(1000);
  }
  child_ = -1;
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

}  // namespace mbc::test
