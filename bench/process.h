// SPDX-License-Identifier: Apache-2.0
// Whole processes, started and waited for.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mbc::bench {

struct ProcessTime {  // seconds
  double wall = 0, processor = 0;
  int status = -1;  // exit code; -1 when it could not be started or a signal ended it
};

// Standard output and error go to /dev/null. arguments[0] is the program's path.
ProcessTime time_process(const std::vector<std::string>& arguments);

// Bytes in memory. The peak that wait4 tells is not used: a started process inherits the one of this program.
struct ProcessMemory {
  std::size_t peak = 0;     // largest resident size
  std::size_t running = 0;  // the same from the first byte on standard output to the end
  int status = -1;          // as above
};

// Looks at the process every few milliseconds. What it writes to standard output is read and dropped.
ProcessMemory watch_memory(const std::vector<std::string>& arguments);

// A folder for compiled code, used by this program and the processes it starts; removed in the end, and then there is
// none.
class TemporaryCache {
 public:
  TemporaryCache();
  TemporaryCache(const TemporaryCache&) = delete;
  TemporaryCache& operator=(const TemporaryCache&) = delete;
  ~TemporaryCache();
  void clear() const;

 private:
  std::filesystem::path folder_;
};

// A file that is removed in the end, with what a run writes beside it.
class TemporaryFile {
 public:
  explicit TemporaryFile(const std::string& ending, const std::string& text = "");
  TemporaryFile(const TemporaryFile&) = delete;
  TemporaryFile& operator=(const TemporaryFile&) = delete;
  ~TemporaryFile();
  [[nodiscard]] std::string path() const { return path_.string(); }

 private:
  std::filesystem::path path_;
};

// The folder of this program, where `mbc` lies too.
std::string program_folder();

}  // namespace mbc::bench
