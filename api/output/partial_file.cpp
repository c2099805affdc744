// SPDX-License-Identifier: Apache-2.0
#include "api/output/partial_file.h"

#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <system_error>

namespace mbc::output {
namespace {

constexpr int kMostLinks = 40;  // the same as the kernel's limit

std::string message(int number) { return std::system_category().message(number); }

// File systems without locks cannot lock out other writers; refusing to write there would not help.
bool has_no_locks(int number) { return number == ENOLCK || number == ENOTSUP || number == ENOSYS || number == EINVAL; }

int open_file(const std::string& path, int how) {
  int fd = -1;
  do {
    fd = ::open(path.c_str(), O_RDWR | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK | how, 0666);
  } while (fd < 0 && errno == EINTR);
  return fd;
}

// A file of another kind, or with a second name, was not left by a writer.
bool is_leftover(int fd) {
  struct stat s {};
  return fstat(fd, &s) == 0 && S_ISREG(s.st_mode) && s.st_nlink <= 1;
}

}  // namespace

std::string folder_of(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return ".";
  return slash == 0 ? "/" : path.substr(0, slash);
}

std::string follow_links(const std::string& path) {
  std::string at = path;
  for (int links = 0; links < kMostLinks; ++links) {
    char to[PATH_MAX];
    const ssize_t n = readlink(at.c_str(), to, sizeof to);
    if (n <= 0 || n == ssize_t{sizeof to}) return at;
    const std::string link(to, static_cast<std::size_t>(n));
    at = link.front() == '/' ? link : folder_of(at) + "/" + link;
  }
  return at;
}

int sync_folder(const SystemCalls& calls, const std::string& folder) {
  const int fd = ::open(folder.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (fd < 0) return errno;
  int number = calls.fsync(fd) != 0 ? errno : 0;
  if (number == EINVAL || number == ENOTSUP) number = 0;  // file systems whose folders cannot be synchronised
  const int closing = close_descriptor(calls, fd);
  return number != 0 ? number : closing;
}

std::uint64_t PartialFile::size() const {
  struct stat s {};
  return fstat(fd_, &s) == 0 ? static_cast<std::uint64_t>(s.st_size) : 0;
}

PartialFile::~PartialFile() { release(); }

void PartialFile::release() {
  struct stat s {};
  if (is_open() && fstat(fd_, &s) == 0 && s.st_size == 0)
    remove();
  else
    close();
}

bool PartialFile::fail(const std::string& why) {
  error_ = "cannot write `" + shown_ + "`: " + why;
  return false;
}

bool PartialFile::fail(int number) { return fail(message(number)); }

bool PartialFile::open(const std::string& path) {
  shown_ = path;
  error_.clear();
  target_ = follow_links(path);
  struct stat s {};
  const bool exists = stat(target_.c_str(), &s) == 0;
  if (!exists && errno != ENOENT) return fail(errno);
  if (exists && S_ISDIR(s.st_mode)) return fail(EISDIR);
  if (exists && access(target_.c_str(), W_OK) != 0) return fail(errno);
  for (bool again = true; again;) {
    fd_ = open_file(this->path(), O_CREAT);
    if (fd_ < 0) {
      const int number = errno;
      const bool in_the_way = number == ELOOP || number == EISDIR || number == ENXIO;
      if (in_the_way) return fail("`" + this->path() + "` is in the way");
      return exists ? fail("`" + this->path() + "` cannot be made beside it: " + message(number)) : fail(number);
    }
    if (!lock(again)) return false;
  }
  return true;
}

// Sets `again` if the earlier writer renamed or removed the file between opening and locking.
bool PartialFile::lock(bool& again) {
  again = false;
  if (!is_leftover(fd_)) {
    close();
    return fail("`" + path() + "` is in the way");
  }
  if (flock(fd_, LOCK_EX | LOCK_NB) != 0 && !has_no_locks(errno)) {
    const int number = errno;
    close();
    return fail(number == EWOULDBLOCK ? "another run is writing it, into `" + path() + "`" : message(number));
  }
  again = !is_still_ours();
  if (again) close();
  return true;
}

bool PartialFile::is_still_ours() const {
  struct stat mine {};
  struct stat named {};
  return fstat(fd_, &mine) == 0 && lstat(path().c_str(), &named) == 0 && mine.st_dev == named.st_dev &&
         mine.st_ino == named.st_ino;
}

bool PartialFile::empty() { return cut(0); }

bool PartialFile::cut(std::uint64_t bytes) {
  const auto size = static_cast<off_t>(bytes);
  return (calls_->ftruncate(fd_, size) == 0 && lseek(fd_, size, SEEK_SET) == size) || fail(errno);
}

bool PartialFile::admit_readers() {
  return flock(fd_, LOCK_SH | LOCK_NB) == 0 || has_no_locks(errno) || fail("another run is writing it");
}

// A failed fsync is not tried again: the kernel may already have dropped the pages.
bool PartialFile::sync() { return calls_->fsync(fd_) == 0 || fail(errno); }

bool PartialFile::publish() {
  if (!is_still_ours()) return fail("`" + path() + "` was replaced meanwhile");
  struct stat s {};
  if (stat(target_.c_str(), &s) == 0) {
    const bool same_owner = fchown(fd_, s.st_uid, s.st_gid) == 0;  // not every user may change the owner of a file
    static_cast<void>(fchmod(fd_, s.st_mode & (same_owner ? 07777 : 0777)));
  }
  if (calls_->rename(path().c_str(), target_.c_str()) != 0) return fail(errno);
  close();
  return true;
}

void PartialFile::remove() {
  if (is_open() && is_still_ours()) calls_->unlink(path().c_str());
  close();
}

void PartialFile::close() {
  if (is_open()) static_cast<void>(close_descriptor(*calls_, fd_));
  fd_ = -1;
}

bool write_partial(PartialFile& file, const std::string& path, const Produce& produce, std::string& error,
                   const SystemCalls& calls) {
  FileSink sink(calls);
  bool good = file.open(path) && file.empty() && sink.attach(file.descriptor(), "`" + path + "`");
  if (good) produce([&](std::string_view piece) { good = good && sink.append(piece); });
  if (sink.is_open()) good = sink.close() && good;
  good = good && file.sync();
  if (!good) error = sink.error().empty() ? file.error() : sink.error();
  return good;
}

bool write_file_atomically(const std::string& path, const Produce& produce, std::string& error,
                           const SystemCalls& calls) {
  PartialFile file(calls);
  if (!write_partial(file, path, produce, error, calls)) {
    file.remove();
    return false;
  }
  if (!file.publish()) {
    error = file.error();
    file.remove();
    return false;
  }
  const int number = sync_folder(calls, folder_of(file.target()));
  if (number != 0) error = "cannot write `" + path + "`: " + message(number);
  return number == 0;
}

bool write_file_atomically(const std::string& path, std::string_view text, std::string& error,
                           const SystemCalls& calls) {
  return write_file_atomically(
      path, [text](const TakePiece& take) { take(text); }, error, calls);
}

}  // namespace mbc::output
