// SPDX-License-Identifier: Apache-2.0
#include "tools/session/history.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <sstream>
#include <system_error>

namespace mbc::tools {
namespace {

constexpr int kLockTries = 40;
constexpr useconds_t kLockPause = 5000;  // microseconds

std::string environment(const char* name) {
  const char* value = std::getenv(name);
  return value == nullptr ? "" : value;
}

// The open and locked file; only the user has access.
class HistoryFile {
 public:
  HistoryFile(const std::string& path, int how)
      : fd_(open(path.c_str(), how | O_CLOEXEC | O_NOCTTY | O_NONBLOCK, 0600)) {
    struct stat about {};
    if (fd_ >= 0 &&
        (fstat(fd_, &about) != 0 || !S_ISREG(about.st_mode) || !locked((how & O_RDWR) != 0 ? LOCK_EX : LOCK_SH))) {
      close(fd_);
      fd_ = -1;
    }
  }
  ~HistoryFile() {
    if (fd_ >= 0) close(fd_);
  }
  HistoryFile(const HistoryFile&) = delete;
  HistoryFile& operator=(const HistoryFile&) = delete;

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }

  // Returns the end of the file, as much as is needed.
  [[nodiscard]] std::string text() const {
    const off_t size = lseek(fd_, 0, SEEK_END);
    const off_t begin = std::max<off_t>(0, size - static_cast<off_t>(2 * kLargestHistory));
    std::string out(static_cast<std::size_t>(std::max<off_t>(0, size - begin)), '\0');
    const ssize_t n = pread(fd_, out.data(), out.size(), begin);
    out.resize(n > 0 ? static_cast<std::size_t>(n) : 0);
    if (begin > 0) out.erase(0, std::min(out.find('\n'), out.size() - 1) + 1);
    return out;
  }
  [[nodiscard]] std::size_t size() const {
    return static_cast<std::size_t>(std::max<off_t>(0, lseek(fd_, 0, SEEK_END)));
  }
  void append(const std::string& text) {
    lseek(fd_, 0, SEEK_END);
    if (write(fd_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) lost_ = true;
  }
  void replace(const std::string& text) {
    if (ftruncate(fd_, 0) == 0) append(text);
  }

 private:
  // A lock that is held for long is not waited for.
  [[nodiscard]] bool locked(int how) const {
    for (int tries = 0; tries < kLockTries; ++tries) {
      if (flock(fd_, how | LOCK_NB) == 0) return true;
      usleep(kLockPause);
    }
    return false;
  }

  int fd_;
  bool lost_ = false;
};

std::vector<std::string> last_entries(const std::string& text) {
  std::vector<std::string> out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);)
    if (!line.empty() && line.size() <= kLongestEntry) out.push_back(line);
  if (out.size() > kMostEntries) out.erase(out.begin(), out.end() - static_cast<std::ptrdiff_t>(kMostEntries));
  return out;
}

}  // namespace

std::string history_path() {
  const std::string chosen = environment("MBC_HISTORY");
  if (!chosen.empty()) return chosen == "off" ? "" : chosen;
  const std::string state = environment("XDG_STATE_HOME"), home = environment("HOME");
  if (state.starts_with('/')) return state + "/mbc/history";
  std::error_code none;
  if (!home.starts_with('/') || !std::filesystem::is_directory(home, none)) return "";  // no home is created
  return home + "/.local/state/mbc/history";
}

std::vector<std::string> read_history(const std::string& path) {
  if (path.empty()) return {};
  const HistoryFile file(path, O_RDONLY);
  return file.is_open() ? last_entries(file.text()) : std::vector<std::string>{};
}

void append_history(const std::string& path, const std::string& entry) {
  if (path.empty() || entry.empty() || entry.size() > kLongestEntry || entry.find('\n') != std::string::npos) return;
  std::error_code none;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), none);
  HistoryFile file(path, O_RDWR | O_CREAT);
  if (!file.is_open()) return;
  if (file.size() + entry.size() > kLargestHistory) {
    std::string kept;
    std::vector<std::string> entries = last_entries(file.text());
    entries.erase(entries.begin(), entries.begin() + static_cast<std::ptrdiff_t>(entries.size() / 2));
    for (const std::string& one : entries) kept += one + "\n";
    file.replace(kept);
  }
  file.append(entry + "\n");
}

}  // namespace mbc::tools
