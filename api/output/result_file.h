// SPDX-License-Identifier: Apache-2.0
// Rows with the description beside them: FILE and FILE.json. They are written as FILE.partial and change names together
// at the end, the old description first removed, so that at no moment a description stands beside rows it is not of.
//
// What becomes of rows that are not all there (the run was interrupted, stopped, or the disk is full): with a
// description that says so they take the place of FILE, unless a whole result is there. Then, and without a
// description, they stay in FILE.partial, described by FILE.partial.json. A killed run leaves FILE.partial alone.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "api/output/partial_file.h"
#include "api/output/sidecar.h"
#include "base/archive.h"

namespace mbc::output {

// Where a writer was when it left a file that another one goes on with: whole records until there, and their check sum.
struct Mark {
  std::uint64_t bytes = 0, sum = 0, records = 0;
  void transfer(Archive& archive) { archive(bytes, sum, records); }
};

class ResultFile {
 public:
  explicit ResultFile(const SystemCalls& calls = SystemCalls::real()) : calls_(&calls), partial_(calls), sink_(calls) {}

  // Finds out whether the file can be written and keeps other writers away; nothing that is there changes. A stream
  // (is_stream) is opened by begin().
  [[nodiscard]] bool open(const std::string& path);
  // Before the first row: what an earlier writer left in FILE.partial goes.
  [[nodiscard]] bool begin();
  // After begin(): a format whose readers lock it (PartialFile::admit_readers).
  [[nodiscard]] bool admit_readers() { return partial_.admit_readers() || fail(partial_.error()); }
  // Everything until now is on the disk, in FILE.partial; not of streams.
  [[nodiscard]] bool mark(Mark& mark);
  // In place of begin(): goes on behind the mark. False where neither FILE.partial nor FILE holds what was there.
  [[nodiscard]] bool resume(const Mark& mark);
  // Unless complete the rows stay in FILE.partial, for resume().
  void stay_partial() { stays_partial_ = true; }
  [[nodiscard]] FileSink& sink() { return sink_; }
  [[nodiscard]] const FileSink& sink() const { return sink_; }
  // After the last row. `description` may be null; its data_file is set here.
  [[nodiscard]] bool finish(bool complete, Sidecar* description);

  // Written until now, what was there before among them.
  [[nodiscard]] std::uint64_t bytes() const { return earlier_bytes_ + sink_.bytes(); }
  [[nodiscard]] bool begun() const { return begun_; }
  // After finish(): where the rows and their description are; "" for streams, and for a description that is not there.
  [[nodiscard]] const std::string& rows_at() const { return rows_at_; }
  [[nodiscard]] const std::string& described_at() const { return described_at_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool fail(const std::string& why);
  static bool add_up(const std::string& path, std::uint64_t bytes, Mark& mark);
  bool copy_published(const Mark& mark);
  bool publish(Sidecar* description);
  bool keep_partial(Sidecar* description);
  void remove_old_description(bool replaced);

  const SystemCalls* calls_;
  PartialFile partial_;
  FileSink sink_;
  bool begun_ = false, stays_partial_ = false;
  Mark marked_;                                    // of what has been added up so far
  std::uint64_t earlier_ = 0, earlier_bytes_ = 0;  // records that were there
  std::string path_;
  std::string rows_at_, described_at_;
  std::string error_;
};

// What is written besides the rows themselves: FILE.json, FILE.partial and FILE.partial.json. None for a stream.
[[nodiscard]] std::vector<std::string> names_beside(const std::string& path);

}  // namespace mbc::output
