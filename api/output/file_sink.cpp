// SPDX-License-Identifier: Apache-2.0
#include "api/output/file_sink.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <climits>
#include <optional>
#include <system_error>

#include "base/stop_flag.h"

namespace mbc::output {
namespace {

constexpr std::size_t kBufferSize = 64 * 1024;
constexpr std::chrono::seconds kFlushInterval{1};

std::string describe(const char* what, const std::string& name, int number) {
  return std::string(what) + " " + name + ": " + std::system_category().message(number);
}

// Blocks SIGPIPE in this thread and consumes the signal that a write raises, so that the disposition of the process,
// which belongs to the host, does not change. (A signal that was pending before belongs to other code.)
class HoldSigpipe {
 public:
  explicit HoldSigpipe(bool wanted) : active_(wanted) {
    if (!active_) return;
    sigemptyset(&set_);
    sigaddset(&set_, SIGPIPE);
    sigset_t pending;
    sigemptyset(&pending);
    sigpending(&pending);
    active_ = sigismember(&pending, SIGPIPE) == 0;
    if (active_) pthread_sigmask(SIG_BLOCK, &set_, &before_);
  }
  ~HoldSigpipe() {
    if (!active_) return;
    const int saved = errno;
    const timespec none{0, 0};
    while (sigtimedwait(&set_, nullptr, &none) < 0 && errno == EINTR) {
    }
    pthread_sigmask(SIG_SETMASK, &before_, nullptr);
    errno = saved;
  }
  HoldSigpipe(const HoldSigpipe&) = delete;
  HoldSigpipe& operator=(const HoldSigpipe&) = delete;

 private:
  bool active_;
  sigset_t set_{};
  sigset_t before_{};
};

// Waits until a non-blocking descriptor is writable.
void wait_writable(int fd) {
  pollfd p{fd, POLLOUT, 0};
  poll(&p, 1, 1000);
}

// Writes all of `data` or returns errno; `written` counts what arrived.
int write_fully(const SystemCalls& calls, int fd, std::string_view data, std::size_t& written) {
  while (written < data.size()) {
    const ssize_t n = calls.write(fd, data.data() + written, data.size() - written);
    if (n > 0) {
      written += static_cast<std::size_t>(n);
    } else if (n == 0) {
      return EIO;  // POSIX: only for a size of 0; never loop on it
    } else if (errno == EAGAIN || errno == EWOULDBLOCK) {
      wait_writable(fd);
    } else if (errno != EINTR) {
      return errno;
    }
  }
  return 0;
}

bool is_fifo(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISFIFO(info.st_mode);
}

// Returns the descriptor for a name of the system.
std::optional<int> descriptor_named(const std::string& path) {
  if (path == "/dev/stdout") return STDOUT_FILENO;
  if (path == "/dev/stderr") return STDERR_FILENO;
  for (const std::string_view folder : {"/dev/fd/", "/proc/self/fd/"}) {
    if (!path.starts_with(folder)) continue;
    int fd = -1;
    const char* end = path.data() + path.size();
    const auto [rest, problem] = std::from_chars(path.data() + folder.size(), end, fd);
    if (problem == std::errc() && rest == end) return fd;
  }
  return std::nullopt;
}

}  // namespace

int close_descriptor(const SystemCalls& calls, int fd) { return calls.close(fd) != 0 && errno != EINTR ? errno : 0; }

const SystemCalls& SystemCalls::real() {
  static const SystemCalls calls{::write, ::fsync, ::close};
  return calls;
}

FileSink::~FileSink() {
  if (is_open()) static_cast<void>(close());
}

bool FileSink::open(const std::string& path) {
  if (path == "-") return attach(STDOUT_FILENO, "standard output");
  name_ = "`" + path + "`";
  if (const std::optional<int> named = descriptor_named(path)) return attach(*named, name_);
  const int fd = open_file(path);
  if (fd < 0) return fail("cannot open", errno);
  if (!attach(fd, name_)) {
    static_cast<void>(close_descriptor(*calls_, fd));
    return false;
  }
  owned_ = true;
  return true;
}

// A pipe without a reader is polled: a blocking call would miss a signal that arrives just before it.
int FileSink::open_file(const std::string& path) const {
  constexpr int kApart = 20;  // milliseconds
  const bool waits = stop_ != nullptr && is_fifo(path);
  const int how = O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC | O_NOCTTY | (waits ? O_NONBLOCK : 0);
  for (;;) {
    const int fd = ::open(path.c_str(), how, 0666);
    if (fd >= 0 && waits) fcntl(fd, F_SETFL, fcntl(fd, F_GETFL) & ~O_NONBLOCK);
    if (fd >= 0 || (errno != EINTR && !(waits && errno == ENXIO))) return fd;
    if (waits && is_set(stop_)) {
      errno = EINTR;
      return -1;
    }
    if (waits) poll(nullptr, 0, kApart);
  }
}

// Writes in pieces that a ready pipe accepts without blocking.
int FileSink::write_to_pipe(std::string_view data, std::size_t& written) const {
  constexpr int kPatience = 1000, kApart = 100;  // milliseconds
  for (int waited = 0; written < data.size();) {
    pollfd p{fd_, POLLOUT, 0};
    if (poll(&p, 1, kApart) <= 0) {
      waited = is_set(stop_) ? waited + kApart : 0;
      if (waited >= kPatience) return EINTR;
      continue;
    }
    waited = 0;
    std::size_t taken = 0;
    const int number = write_fully(*calls_, fd_, data.substr(written, PIPE_BUF), taken);
    written += taken;
    if (number != 0) return number;
  }
  return 0;
}

bool FileSink::attach(int fd, std::string name) {
  if (is_open() && !close()) return false;
  name_ = std::move(name);
  error_.clear();
  errno_ = 0;
  struct stat info {};
  if (fstat(fd, &info) != 0) return fail("cannot write", errno);
  fd_ = fd;
  owned_ = false;
  regular_ = S_ISREG(info.st_mode);
  may_pipe_ = S_ISFIFO(info.st_mode) || S_ISSOCK(info.st_mode);
  buffer_.clear();
  ends_.clear();
  records_ = bytes_ = 0;
  buffer_.reserve(kBufferSize);
  last_flush_ = std::chrono::steady_clock::now();
  return true;
}

bool FileSink::append(std::string_view record) {
  if (errno_ != 0 || !is_open()) return false;
  if (buffer_.size() + record.size() > kBufferSize && !flush()) return false;
  bytes_ += record.size();
  if (record.size() > kBufferSize) {
    ends_.assign(1, record.size());
    return write_all(record);
  }
  buffer_ += record;
  ends_.push_back(buffer_.size());
  return std::chrono::steady_clock::now() - last_flush_ < kFlushInterval || flush();
}

bool FileSink::flush() {
  if (errno_ != 0 || !is_open()) return false;
  last_flush_ = std::chrono::steady_clock::now();
  const bool ok = write_all(buffer_);
  buffer_.clear();
  return ok;
}

bool FileSink::write_all(std::string_view data) {
  std::size_t written = 0;
  int number = 0;
  {
    const HoldSigpipe hold(may_pipe_);
    number = may_pipe_ && stop_ != nullptr ? write_to_pipe(data, written) : write_fully(*calls_, fd_, data, written);
  }
  if (number != 0) drop_torn_record(written);
  records_ += ends_.size();
  ends_.clear();
  return number == 0 || fail("cannot write", number);
}

// A disk that fills up may take a part of a row. The file is cut back to the last complete record. The write has failed
// anyway, so the result of cutting does not matter.
void FileSink::drop_torn_record(std::size_t written) {
  while (!ends_.empty() && ends_.back() > written) ends_.pop_back();
  const std::size_t keep = ends_.empty() ? 0 : ends_.back();
  const off_t end = regular_ ? lseek(fd_, 0, SEEK_CUR) : -1;
  if (end < 0 || keep == written) return;
  if (calls_->ftruncate(fd_, end - static_cast<off_t>(written - keep)) != 0) return;
  lseek(fd_, 0, SEEK_END);
}

bool FileSink::write_at(std::uint64_t place, std::string_view data) {
  if (errno_ != 0 || !is_open()) return false;
  if (lseek(fd_, static_cast<off_t>(place), SEEK_SET) < 0) return fail("cannot write", errno);
  std::size_t written = 0;
  const int number = write_fully(*calls_, fd_, data, written);
  return number == 0 || fail("cannot write", number);
}

bool FileSink::read_at(std::uint64_t place, char* data, std::size_t size) {
  if (errno_ != 0 || !is_open()) return false;
  while (size > 0) {
    const ssize_t n = pread(fd_, data, size, static_cast<off_t>(place));
    if (n < 0 && errno == EINTR) continue;
    if (n < 0) return fail("cannot read", errno);
    if (n == 0) break;
    data += n;
    place += static_cast<std::uint64_t>(n);
    size -= static_cast<std::size_t>(n);
  }
  std::fill(data, data + size, '\0');  // after the end of the file
  return true;
}

bool FileSink::cut(std::uint64_t size) {
  if (errno_ != 0 || !is_open()) return false;
  return calls_->ftruncate(fd_, static_cast<off_t>(size)) == 0 || fail("cannot write", errno);
}

void FileSink::arrived(std::uint64_t records, std::uint64_t bytes) {
  records_ = records;
  bytes_ = bytes;
}

void FileSink::refuse(const std::string& why) {
  if (errno_ != 0) return;
  errno_ = EIO;
  error_ = "cannot write " + name_ + ": " + why;
}

bool FileSink::close() {
  if (!is_open()) return errno_ == 0;
  bool ok = errno_ == 0 && flush();
  // A failed fsync is not repeated: the kernel may already have dropped the pages.
  if (ok && owned_ && regular_ && calls_->fsync(fd_) != 0) ok = fail("cannot write", errno);
  const int number = owned_ ? close_descriptor(*calls_, fd_) : 0;
  if (ok && number != 0) ok = fail("cannot close", number);
  fd_ = -1;
  owned_ = false;
  return ok;
}

bool FileSink::fail(const char* what, int number) {
  errno_ = number;
  error_ = describe(what, name_, number);
  return false;
}

bool is_stream(const std::string& path) {
  if (path == "-" || descriptor_named(path)) return true;
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && !S_ISREG(info.st_mode) && !S_ISDIR(info.st_mode);
}

}  // namespace mbc::output
