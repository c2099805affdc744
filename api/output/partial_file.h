// SPDX-License-Identifier: Apache-2.0
// How a file is replaced without ever being half there: it is written as NAME.partial in the same folder and takes its
// name when it is whole. A reader sees the old file or the new one, also when the writer is killed or the disk is full.
//
// NAME.partial belongs to one writer at a time, by a lock that ends with the process; what a killed writer left behind
// is taken over by the next.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "api/output/file_sink.h"

namespace mbc::output {

class PartialFile {
 public:
  explicit PartialFile(const SystemCalls& calls = SystemCalls::real()) : calls_(&calls) {}
  // Closes; an empty partial file is removed, one with records stays.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Creates or takes over the file beside `path`, links followed, and keeps other writers away. What an earlier writer
  // left in it stays until empty().
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] bool empty();
  [[nodiscard]] std::uint64_t size() const;
  // Keeps the first `bytes` of it; what is written next follows them.
  [[nodiscard]] bool cut(std::uint64_t bytes);
  // Those may open it who keep writers away meanwhile, as readers of HDF5 do; other writers still may not.
  [[nodiscard]] bool admit_readers();
  // Everything is on the disk: a failure here is the last one that leaves the old file alone.
  [[nodiscard]] bool sync();
  // Takes the name, with the permissions of the file that had it.
  [[nodiscard]] bool publish();
  void remove();

  [[nodiscard]] bool is_open() const { return fd_ >= 0; }
  [[nodiscard]] int descriptor() const { return fd_; }
  [[nodiscard]] const std::string& target() const { return target_; }  // `path` with links followed
  [[nodiscard]] std::string path() const { return target_ + ".partial"; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool fail(const std::string& why);
  bool fail(int number);
  bool lock(bool& again);
  [[nodiscard]] bool is_still_ours() const;
  void close();

  const SystemCalls* calls_;
  int fd_ = -1;
  std::string shown_;  // as the user wrote it
  std::string target_;
  std::string error_;
};

// The file a name stands for: links are followed, also one whose file is not there yet.
[[nodiscard]] std::string follow_links(const std::string& path);
[[nodiscard]] std::string folder_of(const std::string& path);
// Makes renamed files of a folder survive a loss of power; 0 or the error number.
[[nodiscard]] int sync_folder(const SystemCalls& calls, const std::string& folder);

// Replaces `path` by `text` as one step. False on failure, `error` says why, and the old file is as it was.
[[nodiscard]] bool write_file_atomically(const std::string& path, std::string_view text, std::string& error,
                                         const SystemCalls& calls = SystemCalls::real());
// The same of a text that is never there as a whole: `produce` hands its pieces over in order.
using TakePiece = std::function<void(std::string_view piece)>;
using Produce = std::function<void(const TakePiece& take)>;
[[nodiscard]] bool write_file_atomically(const std::string& path, const Produce& produce, std::string& error,
                                         const SystemCalls& calls = SystemCalls::real());
// Everything but the last step, for files that change together.
[[nodiscard]] bool write_partial(PartialFile& file, const std::string& path, const Produce& produce, std::string& error,
                                 const SystemCalls& calls = SystemCalls::real());

}  // namespace mbc::output
