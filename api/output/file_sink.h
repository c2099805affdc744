// SPDX-License-Identifier: Apache-2.0
// Destination of results: a file, standard output or a descriptor, written with write(2) so that every failure is
// detected.
//
// A std::ofstream on a full disk reports nothing; here every call's result is checked and kept. No function throws and
// no failure is silent: a call returns false, error() names the path and the reason, and later calls return false
// without doing anything.
//
// Each append() is one record (a CSV row). Records are buffered and written as whole records at least once a second, so
// that a file that is being written, was interrupted, or was left on a full disk ends with a complete record. Writing
// to a pipe whose reader has gone is an error value (EPIPE), not a signal.
//
// A format that writes to places of its own (HDF5) uses write_at() instead, and reports the arrived data.
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

// The system calls of a sink; tests replace them by failing ones.
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
  // Closes if close() was not called; its result is then lost, so call close().
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Called before open(): once the flag is set, a pipe without a reader or a full pipe is waited for at most one
  // second.
  void stop_waiting_at(const volatile std::sig_atomic_t* flag) { stop_ = flag; }
  // Creates or empties the file; "-" is standard output. /dev/stdout and similar names use their descriptors as they
  // are, since opening such a name again would empty the file behind it.
  [[nodiscard]] bool open(const std::string& path);
  // Takes a descriptor of the caller, which close() flushes but leaves open.
  [[nodiscard]] bool attach(int fd, std::string name);

  [[nodiscard]] bool append(std::string_view record);
  [[nodiscard]] bool flush();
  // Write or read a plain file without buffering, at a place; cut it to a size. A failure is kept as that of append()
  // is.
  [[nodiscard]] bool write_at(std::uint64_t place, std::string_view data);
  [[nodiscard]] bool read_at(std::uint64_t place, char* data, std::size_t size);
  [[nodiscard]] bool cut(std::uint64_t size);
  // arrived() sets the number of records and bytes written by write_at(). refuse() reports that the writer cannot
  // continue.
  void arrived(std::uint64_t records, std::uint64_t bytes);
  void refuse(const std::string& why);
  // Flushes, and for a file calls fsync and close; returns true if all data has arrived.
  [[nodiscard]] bool close();

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  // Returns the number of whole records that have arrived since it was opened.
  [[nodiscard]] std::uint64_t records() const { return records_; }
  // Returns the number of bytes appended since then.
  [[nodiscard]] std::uint64_t bytes() const { return bytes_; }
  // Returns "" if there was no failure; otherwise for example "cannot write `out.csv`: No space left on device".
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
  bool regular_ = false;   // a plain file: it needs fsync, and an incomplete record is cut off
  bool may_pipe_ = false;  // a pipe or socket: SIGPIPE has to be blocked
  std::string name_;       // as shown in messages
  std::string buffer_;
  std::vector<std::size_t> ends_;  // ends of the records in the next write
  std::uint64_t records_ = 0, bytes_ = 0;
  std::chrono::steady_clock::time_point last_flush_{};
  std::string error_;
  int errno_ = 0;
};

// Closes a descriptor as Linux does: it is gone even if close returns EINTR. Returns 0 or the error number.
[[nodiscard]] int close_descriptor(const SystemCalls& calls, int fd);

// Returns whether a path is written directly instead of being replaced: standard output, a descriptor by its name
// (/dev/stdout, /dev/fd/3), and existing paths that are not plain files (/dev/null, a FIFO).
[[nodiscard]] bool is_stream(const std::string& path);

}  // namespace mbc::output
