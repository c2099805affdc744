// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/program_runner.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <poll.h>
#include <pty.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdlib>
#include <thread>

#include "tests/support/scratch.h"

namespace mbc::test {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::chrono::seconds kPatience{20};

std::string program() {
  const char* other = std::getenv("MBC_PROGRAM");
  return other != nullptr ? other : MBC_PROGRAM;
}

std::vector<char*> argv_of(std::vector<std::string>& words) {
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  argv.push_back(nullptr);
  return argv;
}

[[noreturn]] void become(const std::vector<std::string>& args, const Start& start) {
  for (const auto& [name, value] : start.setenv) setenv(name.c_str(), value.c_str(), 1);
  if (start.prepare) start.prepare();
  std::vector<std::string> words = {program()};
  words.insert(words.end(), args.begin(), args.end());
  execv(words.front().c_str(), argv_of(words).data());
  _exit(127);
}

void set_status(Ran& ran, pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  if (WIFEXITED(status)) ran.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) ran.signal = WTERMSIG(status);
}

// Reads both streams until they end.
void collect(Pipe& out, Pipe& err, Ran& ran) {
  std::thread other([&] { ran.err = err.drain(); });
  ran.out = out.drain();
  other.join();
}

}  // namespace

void write_file(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  REQUIRE(file.flush());
}

bool wait_until(const std::function<bool()>& done) {
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (!done()) {
    if (Clock::now() > deadline) return false;
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  }
  return true;
}

Ran run_mbc(const std::vector<std::string>& args, const Start& start) {
  Ran ran;
  Pipe in;
  Pipe out;
  Pipe err;
  // A signal that is sent immediately must end the child and must not be reported by doctest.
  sigset_t terminations;
  sigemptyset(&terminations);
  sigaddset(&terminations, SIGTERM);
  sigaddset(&terminations, SIGINT);
  sigprocmask(SIG_BLOCK, &terminations, nullptr);
  const pid_t child = fork();
  if (child == 0) {
    signal(SIGTERM, SIG_DFL);
    signal(SIGINT, SIG_DFL);
  }
  sigprocmask(SIG_UNBLOCK, &terminations, nullptr);
  REQUIRE(child >= 0);
  if (child == 0) {
    const int target = start.out_path.empty() ? out.ends[1] : open(start.out_path.c_str(), O_WRONLY | O_APPEND);
    dup2(in.ends[0], 0);
    dup2(target, 1);
    dup2(err.ends[1], 2);
    for (const Pipe* pipe : {&in, &out, &err}) {
      close(pipe->ends[0]);
      close(pipe->ends[1]);
    }
    if (start.closed_output) close(1);
    become(args, start);
  }
  in.close_reader();
  if (!start.input.empty()) REQUIRE(write(in.ends[1], start.input.data(), start.input.size()) > 0);
  close(in.ends[1]);
  in.ends[1] = -1;
  if (start.meanwhile) start.meanwhile(child);
  collect(out, err, ran);
  set_status(ran, child);
  return ran;
}

Ran run_mbc_on_terminal(const std::vector<std::string>& args, const std::vector<Step>& steps) {
  Ran ran;
  const Folder home;
  winsize size{};
  size.ws_col = 100;
  size.ws_row = 40;
  int terminal = -1;
  const pid_t child = forkpty(&terminal, nullptr, nullptr, &size);
  REQUIRE(child >= 0);
  if (child == 0) become(args, {.setenv = {{"TERM", "xterm"}, {"LC_ALL", "C.UTF-8"}, {"HOME", home.path()}}});
  std::size_t seen = 0;
  std::size_t next = 0;
  const Clock::time_point deadline = Clock::now() + kPatience;
  while (Clock::now() < deadline) {
    pollfd ready{terminal, POLLIN, 0};
    if (poll(&ready, 1, 100) <= 0) continue;
    char chunk[4096];
    const ssize_t n = read(terminal, chunk, sizeof chunk);
    if (n <= 0) break;  // EIO: the other side has closed.
    ran.out.append(chunk, static_cast<std::size_t>(n));
    while (next < steps.size()) {
      const std::size_t at = ran.out.find(steps[next].wait_for, seen);
      if (at == std::string::npos) break;
      seen = at + steps[next].wait_for.size();
      const std::string& type = steps[next++].type;
      REQUIRE(write(terminal, type.data(), type.size()) == static_cast<ssize_t>(type.size()));
    }
  }
  const bool in_time = Clock::now() < deadline;
  if (!in_time) kill(child, SIGKILL);
  set_status(ran, child);
  close(terminal);
  INFO("terminal: ", ran.out);
  CHECK(in_time);
  CHECK(next == steps.size());
  return ran;
}

}  // namespace mbc::test
