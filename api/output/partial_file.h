// SPDX-License-Identifier: Apache-2.0
// Replaces a file without ever exposing an incomplete one: it is written as NAME.partial in the same folder and renamed
// when it is complete. A reader sees the old file or the new one, even if the writer is killed or the disk is full.
//
// NAME.partial belongs to one writer at a time, by a lock that ends with the process. The next writer takes over the
// partial file of a killed one.
#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "api/output/file_sink.h"

namespace mbc::output {

class PartialFile {
 public:
  explicit PartialFile(const SystemCalls& calls = SystemCalls::real()) : calls_(&calls) {}
  // Closes the file; an empty partial file is removed, one with records stays.
  ~PartialFile();
  PartialFile(const PartialFile&) = delete;
  PartialFile& operator=(const PartialFile&) = delete;

  // Creates or takes over the partial file of `path`, links followed, and locks out other writers. Data of an earlier
  // writer stays in it until empty().
  [[nodiscard]] bool open(const std::string& path);
  [[nodiscard]] bool empty();
  [[nodiscard]] std::uint64_t size() const;
  // Keeps the first `bytes` of the file; the next write appends to them.
  [[nodiscard]] bool cut(std::uint64_t bytes);
  // Lets readers open it that lock out writers meanwhile, as readers of HDF5 do; other writers still may not.
  [[nodiscard]] bool admit_readers();
  // Writes everything to the disk: a failure here is the last one that leaves the old file unchanged.
  [[nodiscard]] bool sync();
  // Renames the file to its final name, with the permissions of the file it replaces.
  [[nodiscard]] bool publish();
  void remove();
  // Gives the place up: closes the file, and removes it if it is empty.
  void release();

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
  std::string shown_;  // path as the user wrote it
  std::string target_;
  std::string error_;
};

// Returns the file of a name: links are followed, even if the file does not exist yet.
[[nodiscard]] std::string follow_links(const std::string& path);
[[nodiscard]] std::string folder_of(const std::string& path);
// Makes renames in a folder survive a loss of power; returns 0 or the error number.
[[nodiscard]] int sync_folder(const SystemCalls& calls, const std::string& folder);

// Replaces `path` by `text` in one step. Returns false on failure, with the reason in `error`; the old file is
// unchanged then.
[[nodiscard]] bool write_file_atomically(const std::string& path, std::string_view text, std::string& error,
                                         const SystemCalls& calls = SystemCalls::real());
// Does the same for a text that does not exist as a whole: `produce` passes its pieces in order.
using TakePiece = std::function<void(std::string_view piece)>;
using Produce = std::function<void(const TakePiece& take)>;
[[nodiscard]] bool write_file_atomically(const std::string& path, const Produce& produce, std::string& error,
                                         const SystemCalls& calls = SystemCalls::real());
// Does everything but the last step, for files that change together.
[[nodiscard]] bool write_partial(PartialFile& file, const std::string& path, const Produce& produce, std::string& error,
                                 const SystemCalls& calls = SystemCalls::real());

}  // namespace mbc::output
