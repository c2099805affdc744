// SPDX-License-Identifier: Apache-2.0
#include "bench/process.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "bench/timing.h"

namespace mbc::bench {
namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

// Standard error goes to /dev/null, and so does standard output if there is no pipe for it. The result is -1 if the
// process cannot be started.
pid_t start(const std::vector<std::string>& arguments, const int* output_pipe) {
  std::vector<char*> list;
  for (const std::string& a : arguments) list.push_back(const_cast<char*>(a.c_str()));
  list.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  if (output_pipe != nullptr) {
    posix_spawn_file_actions_adddup2(&actions, output_pipe[1], STDOUT_FILENO);
    posix_spawn_file_actions_addclose(&actions, output_pipe[0]);
    posix_spawn_file_actions_addclose(&actions, output_pipe[1]);
  }
  pid_t child = -1;
  const bool started = posix_spawn(&child, list[0], &actions, nullptr, list.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  return started ? child : -1;
}

int exit_code(int status) { return WIFEXITED(status) ? WEXITSTATUS(status) : -1; }

// Converts a line of /proc/PID/status from kB to bytes. The result is empty if the process has ended.
std::optional<std::size_t> status_bytes(pid_t child, const std::string& name) {
  std::ifstream in(fmt::format("/proc/{}/status", child));
  for (std::string word; in >> word;) {
    if (word != name + ":") continue;
    std::size_t kilobytes = 0;
    if (in >> kilobytes) return 1024 * kilobytes;
  }
  return std::nullopt;
}

// Reads the output that is available within a few milliseconds. Returns false at the end of the output.
bool drain(int fd, bool& any) {
  constexpr int kMilliseconds = 3;
  std::array<char, 1 << 16> buffer;
  pollfd wanted{fd, POLLIN, 0};
  if (poll(&wanted, 1, kMilliseconds) <= 0) return true;
  const ssize_t got = read(fd, buffer.data(), buffer.size());
  any = any || got > 0;
  return got > 0 || (got < 0 && errno == EINTR);
}

}  // namespace

ProcessTime time_process(const std::vector<std::string>& arguments) {
  ProcessTime result;
  const double begin = now();
  const pid_t child = start(arguments, nullptr);
  if (child < 0) return result;
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  result.wall = now() - begin;
  result.processor = seconds(used.ru_utime) + seconds(used.ru_stime);
  result.status = exit_code(status);
  return result;
}

ProcessMemory watch_memory(const std::vector<std::string>& arguments) {
  ProcessMemory result;
  std::array<int, 2> output{};
  if (pipe(output.data()) != 0) return result;
  const pid_t child = start(arguments, output.data());
  close(output[1]);
  bool running = false, open = child >= 0;
  while (open) {
    open = drain(output[0], running);
    result.peak = std::max(result.peak, status_bytes(child, "VmHWM").value_or(0));
    if (running) result.running = std::max(result.running, status_bytes(child, "VmRSS").value_or(0));
  }
  close(output[0]);
  if (child < 0) return result;
  int status = 0;
  while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  result.status = exit_code(status);
  return result;
}

TemporaryCache::TemporaryCache()
    : folder_(std::filesystem::temp_directory_path() / fmt::format("mbc_bench_cache_{}", getpid())) {
  setenv("MBC_CACHE", folder_.c_str(), 1);
}

TemporaryCache::~TemporaryCache() {
  clear();
  setenv("MBC_CACHE", "off", 1);
}

void TemporaryCache::clear() const {
  std::error_code ignored;
  std::filesystem::remove_all(folder_, ignored);
}

TemporaryFile::TemporaryFile(const std::string& ending, const std::string& text)
    : path_(std::filesystem::temp_directory_path() / fmt::format("mbc_bench_{}{}", getpid(), ending)) {
  if (!text.empty()) std::ofstream(path_) << text;
}

TemporaryFile::~TemporaryFile() {
  std::error_code ignored;
  std::filesystem::remove(path_, ignored);
  std::filesystem::remove(path_.string() + ".json", ignored);
}

std::string program_folder() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string whole(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return whole.substr(0, whole.rfind('/'));
}

}  // namespace mbc::bench
