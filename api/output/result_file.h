// SPDX-License-Identifier: Apache-2.0
// Rows with the description beside them: FILE and FILE.json. They are written as FILE.partial and renamed together at
// the end; the old description is removed first, so that a description never stands beside rows of another result.
//
// If the rows are incomplete (the run was interrupted or stopped, or the disk is full) and a description says so, they
// replace FILE, unless FILE is a complete result. In that case, and without a description, they stay in FILE.partial,
// described by FILE.partial.json. A killed run leaves only FILE.partial.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "api/output/partial_file.h"
#include "api/output/sidecar.h"
#include "base/archive.h"

namespace mbc::output {

// The position at which a writer left a file that another one continues: whole records up to there, and their check
// sum.
struct Mark {
  std::uint64_t bytes = 0, sum = 0, records = 0;
  void transfer(Archive& archive) { archive(bytes, sum, records); }
};

class ResultFile {
 public:
  explicit ResultFile(const SystemCalls& calls = SystemCalls::real()) : calls_(&calls), partial_(calls), sink_(calls) {}

  // Checks whether the file can be written and locks out other writers; existing files do not change. begin() opens a
  // stream (is_stream).
  [[nodiscard]] bool open(const std::string& path);
  // Called before the first row: the data of an earlier writer in FILE.partial is removed.
  [[nodiscard]] bool begin();
  // Called after begin(), for a format whose readers lock the file (PartialFile::admit_readers).
  [[nodiscard]] bool admit_readers() { return partial_.admit_readers() || fail(partial_.error()); }
  // Writes everything so far to the disk, in FILE.partial, and returns its mark; not for streams.
  [[nodiscard]] bool mark(Mark& mark);
  // Called instead of begin(): continues after the mark. Returns false if neither FILE.partial nor FILE has the marked
  // rows.
  [[nodiscard]] bool resume(const Mark& mark);
  // Unless they are complete, the rows stay in FILE.partial for resume().
  void stay_partial() { stays_partial_ = true; }
  [[nodiscard]] FileSink& sink() { return sink_; }
  [[nodiscard]] const FileSink& sink() const { return sink_; }
  // Gives the place up before the first row.
  void release() { partial_.release(); }
  // Called after the last row. `description` may be null; its data_file is set here.
  [[nodiscard]] bool finish(bool complete, Sidecar* description);

  // Returns the bytes written so far, including those of the earlier writer.
  [[nodiscard]] std::uint64_t bytes() const { return earlier_bytes_ + sink_.bytes(); }
  [[nodiscard]] bool begun() const { return begun_; }
  // Paths of the rows and their description after finish(); "" for streams, and if there is no description.
  [[nodiscard]] const std::string& rows_at() const { return rows_at_; }
  [[nodiscard]] const std::string& described_at() const { return described_at_; }
  [[nodiscard]] const std::string& error() const { return error_; }

 private:
  bool fail(const std::string& why);
  static bool add_up(const std::string& path, std::uint64_t bytes, Mark& mark);
  bool drop_description();
  bool copy_published(const Mark& mark);
  bool publish(Sidecar* description);
  bool keep_partial(Sidecar* description);
  void remove_old_description(bool replaced);

  const SystemCalls* calls_;
  PartialFile partial_;
  FileSink sink_;
  bool begun_ = false, stays_partial_ = false;
  Mark marked_;                                    // sum over the data read so far
  std::uint64_t earlier_ = 0, earlier_bytes_ = 0;  // records and bytes of the earlier writer
  std::string path_;
  std::string rows_at_, described_at_;
  std::string error_;
};

// Returns the names of the files besides the rows: FILE.json, FILE.partial and FILE.partial.json; none for a stream.
[[nodiscard]] std::vector<std::string> names_beside(const std::string& path);

}  // namespace mbc::output
