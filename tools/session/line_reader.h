// SPDX-License-Identifier: Apache-2.0
// One line at a time: edited on a terminal (libedit), plain from a pipe.
#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace mbc::tools {

class LineReader {
 public:
  enum class Result : std::uint8_t { line, end, interrupted };

  LineReader() = default;
  virtual ~LineReader() = default;
  LineReader(const LineReader&) = delete;
  LineReader& operator=(const LineReader&) = delete;

  // Without the line end. Interrupted: a signal came (interrupt.h), what was typed is forgotten.
  virtual Result read(const std::string& prompt, std::string& line) = 0;
  // For the arrow keys.
  virtual void remember(const std::string& entry) = 0;
};

// What may be meant by the end of what stands before the cursor, for the Tab key.
struct Completion {
  std::size_t begin = 0;  // of the word that is completed
  std::vector<std::string> words;
};
using Completer = std::function<Completion(const std::string& before)>;

[[nodiscard]] std::unique_ptr<LineReader> make_pipe_reader();
// `history`: the file that entries are kept in, "" for none.
[[nodiscard]] std::unique_ptr<LineReader> make_terminal_reader(Completer completer, const std::string& history);

}  // namespace mbc::tools
