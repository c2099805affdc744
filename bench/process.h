// Whole processes, started and waited for.
#pragma once
#include <string>
#include <vector>

namespace mbc::bench {

struct ProcessTime {  // seconds
  double wall = 0, processor = 0;
  int status = -1;  // exit code; -1 when it could not be started or a signal ended it
};

// Standard output and error go to /dev/null. arguments[0] is the program's path.
ProcessTime time_process(const std::vector<std::string>& arguments);

// The folder of this program, where `mbc` lies too.
std::string program_folder();

}  // namespace mbc::bench
