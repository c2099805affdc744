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
//
// A format with places of its own (HDF5) writes to places instead, by write_at(), and says what has arrived.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <string>
#include <string_view>
#include <vector>

namespace mbc::output {

// The system calls a sink makes; tests put failing ones in their place.
struct SystemCalls {
  ssize_t (*write)(int fd, const void* data, std::size_t size);
  int (*fsync)(int fd);
  int (*close)(int fd);
  int (*ftruncate)(int fd, off_t size) = ::ftruncate;
  int (*rename)(const char* from, const char* to) = ::rename;
  int (*unlink)(const char* path) = ::unlink;
  static const SystemCalls& real();
};

class FileSink {
 public:
  explicit FileSink(const SystemCalls& calls = SystemCalls::real()) : calls_(&calls) {}
  // Closes, when close() was not called; its verdict is then lost, so call close().
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Before open(): once the flag is set, neither a pipe without a reader nor one that is full is waited for any longer
  // than a second.
  void stop_waiting_at(const volatile std::sig_atomic_t* flag) { stop_ = flag; }
  // Creates or empties the file; "-" is standard output, and so is what /dev/stdout and its kin name: their descriptors
  // are used as they are, since opening such a name again would empty the file behind it.
  [[nodiscard]] bool open(const std::string& path);
  // A descriptor of the caller's, which close() flushes but leaves open.
  [[nodiscard]] bool attach(int fd, std::string name);

  [[nodiscard]] bool append(std::string_view record);
  [[nodiscard]] bool flush();
  // Of a plain file, at once: there, or from there; its end. A failure is kept as that of append() is.
  [[nodiscard]] bool write_at(std::uint64_t place, std::string_view data);
  [[nodiscard]] bool read_at(std::uint64_t place, char* data, std::size_t size);
  [[nodiscard]] bool cut(std::uint64_t size);
  // What was written so is so many records and bytes; or the writer cannot go on.
  void arrived(std::uint64_t records, std::uint64_t bytes);
  void refuse(const std::string& why);
  // Flushes, and for a file fsync and close; true when everything has arrived.
  [[nodiscard]] bool close();

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  // Whole records that have arrived since it was opened.
  [[nodiscard]] std::uint64_t records() const { return records_; }
  // Bytes appended since then.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // "" while all is well; otherwise for example "cannot write `out.csv`: No space left on device".
  [[nodiscard]] const std::string& error() const { return error_; }
  [[nodiscard]] int error_number() const { return errno_; }

 private:
  bool fail(const char* what, int number);
  bool write_all(std::string_view data);
  void drop_torn_record(std::size_t written);
  [[nodiscard]] int open_file(const std::string& path) const;
  int write_to_pipe(std::string_view data, std::size_t& written) const;

  const SystemCalls* calls_;
  const volatile std::sig_atomic_t* stop_ = nullptr;
  int fd_ = -1;
  bool owned_ = false;
  bool regular_ = false;   // a plain file: fsync it, cut a torn record off
  bool may_pipe_ = false;  // a pipe or socket: SIGPIPE has to be held back
  std::string name_;       // as shown in messages
  std::string buffer_;
  std::vector<std::size_t> ends_;  // of the records in what is written next
  std::uint64_t records_ = 0, bytes_ = 0;
  std::chrono::steady_clock::time_point last_flush_{};
  std::string error_;
  int errno_ = 0;
};

// Closes as Linux has it: the descriptor is gone even when close says EINTR. 0 or the error number.
[[nodiscard]] int close_descriptor(const SystemCalls& calls, int fd);

// Written as it is, not replaced: standard output, a descriptor by its name (/dev/stdout, /dev/fd/3), and whatever
// exists and is no plain file (/dev/null, a FIFO).
[[nodiscard]] bool is_stream(const std::string& path);

}  // namespace mbc::output
