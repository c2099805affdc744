// SPDX-License-Identifier: Apache-2.0
// Runs the program on its own terminal and types line by line.
#pragma once
#include <sys/types.h>

#include <string>
#include <utility>
#include <vector>

#include "tests/support/scratch.h"

namespace mbc::test {

class Terminal {
 public:
  // The program runs without colours and with its own home folder. The variables are added to its environment.
  explicit Terminal(const std::vector<std::string>& args = {},
                    const std::vector<std::pair<std::string, std::string>>& variables = {},
                    unsigned short columns = 200);
  ~Terminal();
  Terminal(const Terminal&) = delete;
  Terminal& operator=(const Terminal&) = delete;

  // Types the keys as they are and waits for nothing.
  void type(const std::string& keys);
  // Types a line and waits for the next prompt. Returns the output between them without the echo and control sequences;
  // lines end with "\n".
  std::string line(const std::string& text);
  // Types keys and waits until this text appears. Returns everything since the last prompt.
  std::string keys(const std::string& keys, const std::string& until);
  // Ends the input and returns the exit status.
  int end();
  // Returns the last prompt: "mbc> " or "...> ".
  [[nodiscard]] const std::string& prompt() const { return prompt_; }
  [[nodiscard]] pid_t process() const { return child_; }

 private:
  // Reads until `done` is true for the plain text of buffer_. The check fails after 20 s.
  template <class Done>
  void wait(const Done& done);
  [[nodiscard]] bool at_prompt();

  Folder home_;
  int fd_ = -1;
  pid_t child_ = -1;
  std::string buffer_;  // the output since the last prompt
  std::string prompt_;
};

// Removes control sequences and text that a carriage return overwrites.
[[nodiscard]] std::string plain_text(const std::string& raw);

}  // namespace mbc::test
