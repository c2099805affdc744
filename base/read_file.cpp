// SPDX-License-Identifier: Apache-2.0
// POSIX calls are used because their errors give the reason.
#include "base/read_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <system_error>

namespace mbc {

bool read_file(const std::string& path, std::string& text, std::string& error, std::size_t limit) {
  const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (fd < 0) {
    error = std::strerror(errno);
    return false;
  }
  struct stat status {};
  bool good = ::fstat(fd, &status) == 0;
  if (good && S_ISDIR(status.st_mode)) {
    errno = EISDIR;
    good = false;
  }
  if (good && S_ISREG(status.st_mode))
    text.reserve(std::min<std::size_t>(limit, static_cast<std::size_t>(status.st_size)));
  char buffer[1 << 16];
  while (good && text.size() < limit) {
    const ssize_t n = ::read(fd, buffer, std::min(sizeof buffer, limit - text.size()));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) good = false;
    if (n <= 0) break;
    text.append(buffer, static_cast<std::size_t>(n));
  }
  if (!good) error = std::strerror(errno);
  ::close(fd);
  return good;
}

std::vector<std::string> folders_in(const std::string& list) {
  std::error_code error;
  if (std::filesystem::is_directory(list, error)) return {list};
  std::vector<std::string> out;
  for (std::size_t begin = 0; begin <= list.size();) {
    const std::size_t end = std::min(list.find(':', begin), list.size());
    if (end > begin) out.push_back(list.substr(begin, end - begin));
    begin = end + 1;
  }
  return out;
}

}  // namespace mbc
