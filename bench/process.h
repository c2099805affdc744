// SPDX-License-Identifier: Apache-2.0
// Starts whole processes and waits for them.
#pragma once
#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

namespace mbc::bench {

struct ProcessTime {  // all times in seconds
  double wall = 0, processor = 0;
  int status = -1;  // exit code; -1 if the process could not be started or a signal ended it
};

// Standard output and error go to /dev/null. arguments[0] is the path of the program.
ProcessTime time_process(const std::vector<std::string>& arguments);

// The values are bytes in memory. The peak of wait4 is not used, because a started process inherits the peak of this
// program.
struct ProcessMemory {
  std::size_t peak = 0;     // largest resident size
  std::size_t running = 0;  // largest resident size from the first byte on standard output to the end
  int status = -1;          // exit code, as above
};

// Examines the process every few milliseconds. Its standard output is read and dropped.
ProcessMemory watch_memory(const std::vector<std::string>& arguments);

// A TemporaryCache is a folder for compiled code that this program and its processes use. The destructor removes the
// folder; no cache is used afterwards.
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

// A TemporaryFile is removed by its destructor, together with the files that a run writes beside it.
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

// Returns the folder of this program, which also contains `mbc`.
std::string program_folder();

}  // namespace mbc::bench
