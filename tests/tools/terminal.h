// SPDX-License-Identifier: Apache-2.0
// The program on a terminal of its own, typed at line by line.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/scratch.h"

namespace mbc::test {

class Terminal {
 public:
  // Without colours, in a home of its own; the variables are added to its environment.
  explicit Terminal(const std::vector<std::string>& args = {},
                    const std::vector<std::pair<std::string, std::string>>& variables = {},
                    unsigned short columns = 200);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Types as it stands, and waits for nothing.
  void type(const std::string& keys);
  // Types a line, waits for the next prompt, and gives what was printed between: without the echo, without control
  // sequences, lines end in "\n".
  std::string line(const std::string& text);
  // Types keys and waits until this is there; everything since the last prompt.
  std::string keys(const std::string& keys, const std::string& until);
  // Ends the input; the exit status.
  int end();
  // The one that was seen last: "mbc> " or "...> ".
  [[nodiscard]] const std::string& prompt() const { return prompt_; }
  [[nodiscard]] pid_t process() const { return child_; }

 private:
  // Reads on until `done` is true of what is plain in buffer_; a failed check after 20 s.
  template <class Done>
  void wait(const Done& done);
  [[nodiscard]] bool at_prompt();

  Folder home_;
  int fd_ = -1;
  pid_t child_ = -1;
  std::string buffer_;  // since the last prompt
  std::string prompt_;
};

// Without control sequences; what a carriage return writes over is gone.
[[nodiscard]] std::string plain_text(const std::string& raw);

}  // namespace mbc::test
