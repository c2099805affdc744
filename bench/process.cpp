#include "bench/process.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>

namespace mbc::bench {
namespace {

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

}  // namespace

ProcessTime time_process(const std::vector<std::string>& arguments) {
  std::vector<char*> list;
  for (const std::string& a : arguments) list.push_back(const_cast<char*>(a.c_str()));
  list.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  for (const int fd : {STDOUT_FILENO, STDERR_FILENO})
    posix_spawn_file_actions_addopen(&actions, fd, "/dev/null", O_WRONLY, 0);
  ProcessTime result;
  pid_t child = -1;
  const auto begin = std::chrono::steady_clock::now();
  const bool started = posix_spawn(&child, list[0], &actions, nullptr, list.data(), environ) == 0;
  posix_spawn_file_actions_destroy(&actions);
  if (!started) return result;
  int status = 0;
  rusage used{};
  while (wait4(child, &status, 0, &used) < 0 && errno == EINTR) {
  }
  result.wall = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  result.processor = seconds(used.ru_utime) + seconds(used.ru_stime);
  if (WIFEXITED(status)) result.status = WEXITSTATUS(status);
  return result;
}

std::string program_folder() {
  std::array<char, 4096> path{};
  const ssize_t length = readlink("/proc/self/exe", path.data(), path.size());
  const std::string whole(path.data(), length > 0 ? static_cast<std::size_t>(length) : 0);
  return whole.substr(0, whole.rfind('/'));
}

}  // namespace mbc::bench
