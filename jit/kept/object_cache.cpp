// SPDX-License-Identifier: Apache-2.0
#include "jit/kept/object_cache.h"

#include <dirent.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstring>
#include <ctime>
#include <memory>
#include <vector>

namespace mbc::jit {
namespace {

constexpr char kMagic[8] = {'m', 'b', 'c', 'o', 'b', 'j', '1', '\n'};
constexpr time_t kAbandoned = 3600;  // seconds after which a temporary file counts as abandoned
constexpr const char* kTemporary = ".new-";

struct Header {
  char magic[8];
  std::uint64_t size;  // of the object that follows
  Digest key, checksum;
};

class Descriptor {
 public:
  explicit Descriptor(int fd) : fd_(fd) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (fd_ >= 0) close(fd_);
  }
  [[nodiscard]] int get() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }

 private:
  int fd_;
};

// Calls `read` or `write` until all bytes are moved.
template <class Move, class Byte>
bool move_all(Move move, int fd, Byte* at, std::size_t size) {
  while (size > 0) {
    const ssize_t n = move(fd, at, size);
    if (n < 0 && errno == EINTR) continue;
    if (n <= 0) return false;
    at += n, size -= static_cast<std::size_t>(n);
  }
  return true;
}

bool read_all(int fd, void* data, std::size_t size) { return move_all(read, fd, static_cast<char*>(data), size); }
bool write_all(int fd, const void* data, std::size_t size) {
  return move_all(write, fd, static_cast<const char*>(data), size);
}

// Returns whether the file is this user's and nobody else may write or read it.
bool is_private(const struct stat& s) { return s.st_uid == geteuid() && (s.st_mode & 077) == 0; }

// Makes the folder and those above it. Errors show when the folder is opened.
void make_folders(const std::string& folder) {
  for (std::size_t at = folder.find('/', 1); at != std::string::npos; at = folder.find('/', at + 1))
    mkdir(folder.substr(0, at).c_str(), 0700);
  mkdir(folder.c_str(), 0700);
}

// The file names of an object with this key, and of a file that is being written.
std::string name_of(const Digest& key) { return to_hex(key) + ".o"; }
std::string temporary_name() {
  static std::atomic<unsigned> count{0};
  timespec now{};
  clock_gettime(CLOCK_REALTIME, &now);
  return kTemporary + std::to_string(getpid()) + "-" + std::to_string(now.tv_nsec) + "-" + std::to_string(count++);
}

struct Entry {
  std::string name;
  timespec used;
  std::uint64_t size;
};

bool is_older(const timespec& a, const timespec& b) {
  return a.tv_sec != b.tv_sec ? a.tv_sec < b.tv_sec : a.tv_nsec < b.tv_nsec;
}

// Returns the objects of a folder, and removes temporary files that were left behind.
std::vector<Entry> entries_of(int folder) {
  std::vector<Entry> out;
  const int copy = openat(folder, ".", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (copy < 0) return out;
  const std::unique_ptr<DIR, int (*)(DIR*)> list(fdopendir(copy), closedir);
  if (list == nullptr) {
    close(copy);
    return out;
  }
  const time_t now = time(nullptr);
  while (const dirent* e = readdir(list.get())) {
    struct stat s {};
    const std::string name = e->d_name;
    if (fstatat(folder, e->d_name, &s, AT_SYMLINK_NOFOLLOW) != 0 || !S_ISREG(s.st_mode)) continue;
    if (name.starts_with(kTemporary) && s.st_mtim.tv_sec + kAbandoned < now) unlinkat(folder, e->d_name, 0);
    if (name.ends_with(".o")) out.push_back({name, s.st_mtim, static_cast<std::uint64_t>(s.st_size)});
  }
  return out;
}

}  // namespace

ObjectCache::ObjectCache(const std::string& folder, std::uint64_t limit) : limit_(limit) {
  if (folder.empty()) return;
  constexpr int kHow = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC;
  folder_ = open(folder.c_str(), kHow);
  if (folder_ < 0 && errno == ENOENT) {
    make_folders(folder);
    folder_ = open(folder.c_str(), kHow);
  }
  struct stat s {};
  if (folder_ < 0 || (fstat(folder_, &s) == 0 && is_private(s))) return;
  close(folder_);
  folder_ = -1;
}

ObjectCache::~ObjectCache() {
  if (folder_ >= 0) close(folder_);
}

std::optional<std::string> ObjectCache::load(const Digest& key) const {
  if (folder_ < 0) return {};
  const Descriptor file(openat(folder_, name_of(key).c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  struct stat s {};
  if (!file || fstat(file.get(), &s) != 0 || !S_ISREG(s.st_mode) || !is_private(s)) return {};
  Header header{};
  const auto size = static_cast<std::uint64_t>(s.st_size);
  if (size < sizeof header || !read_all(file.get(), &header, sizeof header)) return {};
  if (std::memcmp(header.magic, kMagic, sizeof kMagic) != 0 || header.key != key) return {};
  if (header.size != size - sizeof header) return {};
  std::string object(header.size, '\0');
  if (!read_all(file.get(), object.data(), object.size())) return {};
  if (sha256(object.data(), object.size()) != header.checksum) return {};
  const timespec now[2] = {{0, UTIME_OMIT}, {0, UTIME_NOW}};
  futimens(file.get(), now);
  return object;
}

bool ObjectCache::store(const Digest& key, std::string_view object) const {
  if (folder_ < 0 || sizeof(Header) + object.size() > limit_) return false;
  Header header{{}, object.size(), key, sha256(object.data(), object.size())};
  std::memcpy(header.magic, kMagic, sizeof kMagic);
  const std::string temporary = temporary_name();
  bool done = false;
  {
    const Descriptor file(
        openat(folder_, temporary.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, 0600));
    if (!file) return false;
    done = write_all(file.get(), &header, sizeof header) && write_all(file.get(), object.data(), object.size());
  }
  done = done && renameat(folder_, temporary.c_str(), folder_, name_of(key).c_str()) == 0;
  if (!done) unlinkat(folder_, temporary.c_str(), 0);
  if (done) make_room();
  return done;
}

// Removes files down to three quarters of the limit, so that not every store has to remove some.
void ObjectCache::make_room() const {
  std::vector<Entry> entries = entries_of(folder_);
  std::uint64_t total = 0;
  for (const Entry& e : entries) total += e.size;
  if (total <= limit_) return;
  std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return is_older(a.used, b.used); });
  for (const Entry& e : entries) {
    if (total <= limit_ - limit_ / 4) break;
    if (unlinkat(folder_, e.name.c_str(), 0) == 0 || errno == ENOENT) total -= e.size;
  }
}

}  // namespace mbc::jit
