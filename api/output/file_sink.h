// SPDX-License-Identifier: Apache-2.0
// Where results go: a file, standard output or a descriptor, written with write(2) so that every failure is seen.
//
// A std::ofstream on a full disk says nothing; here every call's result is checked and kept. Nothing throws and nothing
// is silent: a call returns false, error() names the path and the reason, and later calls return false without doing
// anything.
//
// Each append() is one record (a CSV row). Records are buffered and leave in whole ones, at least once a second, so
// that a file being written, interrupted, or left behind on a full disk ends with a complete record. Writing to a pipe
// whose reader has gone is an error value (EPIPE), not a signal.
#pragma once
#include <sys/types.h>

#include <chrono>
#include <cstddef>
#include <functional>
#include <string>
#include <string_view>

namespace mbc::output {

// The system calls a sink makes; tests put failing ones in their place.
struct SystemCalls {
  ssize_t (*write)(int fd, const void* data, std::size_t size);
  int (*fsync)(int fd);
  int (*close)(int fd);
  static const SystemCalls& real();
};

class FileSink {
 public:
  explicit FileSink(const SystemCalls& calls = SystemCalls::real()) : calls_(&calls) {}
  // Closes, when close() was not called; its verdict is then lost, so call close().
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Creates or empties the file; "-" is standard output.
  [[nodiscard]] bool open(const std::string& path);
  // A descriptor of the caller's, which close() flushes but leaves open.
  [[nodiscard]] bool attach(int fd, std::string name);

  [[nodiscard]] bool append(std::string_view record);
  [[nodiscard]] bool flush();
  // Flushes, and for a file fsync and close; true when everything has arrived.
  [[nodiscard]] bool close();

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] bool is_terminal() const;
  // "" while all is well; otherwise for example "cannot write `out.csv`: No space left on device".
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] int error_number() const { return errno_; }

 private:
  bool fail(const char* what, int number);
  bool write_all(std::string_view data);
  void drop_torn_record(std::string_view data, std::size_t written);

  const SystemCalls* calls_;
  int fd_ = -1;
  bool owned_ = false;
  bool regular_ = false;   // a plain file: fsync it, cut a torn record off
  bool may_pipe_ = false;  // a pipe or socket: SIGPIPE has to be held back
  std::string name_;       // as shown in messages
  std::string buffer_;
  std::chrono::steady_clock::time_point last_flush_{};
  std::string error_;
  int errno_ = 0;
};

// Replaces `path` by `text` as one step: a temporary file in the same folder, fsync, rename, fsync of the folder. A
// reader sees the old file or the new one. False on failure, `error` says why, and the old file is as it was.
[[nodiscard]] bool write_file_atomically(const std::string& path, std::string_view text, std::string& error,
                                         const SystemCalls& calls = SystemCalls::real());
// The same of a text that is never there as a whole: `produce` hands its pieces over in order.
using TakePiece = std::function<void(std::string_view piece)>;
[[nodiscard]] bool write_file_atomically(const std::string& path,
                                         const std::function<void(const TakePiece& take)>& produce, std::string& error,
                                         const SystemCalls& calls = SystemCalls::real());

}  // namespace mbc::output
