// SPDX-License-Identifier: Apache-2.0
#include "tests/filetest/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <chrono>
#include <cstring>

namespace filetest {
namespace {

// AddressSanitizer reserves terabytes of address space, so that memory cannot be limited.
#if defined(__SANITIZE_ADDRESS__)
constexpr bool kLimitMemory = false;
#else
constexpr bool kLimitMemory = true;
#endif

struct Pipe {
  Pipe() { ok = pipe2(ends, O_CLOEXEC) == 0; }
  ~Pipe() {
    close_end(0);
    close_end(1);
  }
  Pipe(const Pipe&) = delete;
  Pipe& operator=(const Pipe&) = delete;
  void close_end(int which) {
    if (ends[which] >= 0) close(ends[which]);
    ends[which] = -1;
  }
  bool ok = false;
  int ends[2] = {-1, -1};
};

void set_limit(int resource, rlim_t value) {
  const rlimit limit{value, value};
  setrlimit(resource, &limit);
}

// This function runs between fork and exec. It may only make system calls, because the parent may have other threads.
[[noreturn]] void become(char* const* argv, const char* folder, const char* input, int out, int err) {
  const int in = open(input, O_RDONLY);
  if (chdir(folder) != 0 || in < 0 || dup2(in, 0) < 0 || dup2(out, 1) < 0 || dup2(err, 2) < 0) _exit(127);
  setpgid(0, 0);
  set_limit(RLIMIT_CORE, 0);
  if (kLimitMemory) set_limit(RLIMIT_AS, kMemoryLimit);
  execv(argv[0], argv);
  _exit(127);
}

// Reads the available data. Returns false at the end of the stream.
bool read_some(int fd, std::string& text) {
  char chunk[65536];
  const ssize_t n = read(fd, chunk, sizeof chunk);
  if (n < 0) return errno == EINTR || errno == EAGAIN;
  if (text.size() < kOutputLimit) text.append(chunk, static_cast<std::size_t>(n));
  return n > 0;
}

// Collects both streams until they close. Returns false if the time limit is exceeded.
bool collect(Pipe& out, Pipe& err, ProcessResult& result) {
  using Clock = std::chrono::steady_clock;
  const Clock::time_point deadline = Clock::now() + std::chrono::milliseconds(static_cast<int>(kTimeLimit * 1000));
  while (out.ends[0] >= 0 || err.ends[0] >= 0) {
    pollfd waiting[2] = {{out.ends[0], POLLIN, 0}, {err.ends[0], POLLIN, 0}};
    const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - Clock::now()).count();
    if (left <= 0) return false;
    if (poll(waiting, 2, static_cast<int>(left)) < 0 && errno != EINTR) return false;
    if (waiting[0].revents != 0 && !read_some(out.ends[0], result.out)) out.close_end(0);
    if (waiting[1].revents != 0 && !read_some(err.ends[0], result.err)) err.close_end(0);
  }
  return true;
}

}  // namespace

ProcessResult run_process(const std::vector<std::string>& args, const std::string& folder, const std::string& input) {
  ProcessResult result;
  Pipe out;
  Pipe err;
  std::vector<char*> argv;
  argv.reserve(args.size() + 1);
  for (const std::string& arg : args) argv.push_back(const_cast<char*>(arg.c_str()));
  argv.push_back(nullptr);
  const std::string& in = input.empty() ? "/dev/null" : input;
  const pid_t child = out.ok && err.ok ? fork() : -1;
  if (child < 0) {
    result.problem = std::strerror(errno);
    return result;
  }
  if (child == 0) become(argv.data(), folder.c_str(), in.c_str(), out.ends[1], err.ends[1]);
  setpgid(child, child);
  out.close_end(1);
  err.close_end(1);
  result.timed_out = !collect(out, err, result);
  if (result.timed_out) kill(-child, SIGKILL);
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
  return result;
}

std::string ProcessResult::describe() const {
  if (!problem.empty()) return "could not be run: " + problem;
  if (timed_out) return "no answer in " + std::to_string(static_cast<int>(kTimeLimit)) + " s";
  if (signal != 0) return "killed by signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
  return "exit code " + std::to_string(exit_code);
}

}  // namespace filetest
