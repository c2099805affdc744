// SPDX-License-Identifier: Apache-2.0
// Reads one line at a time: edited on a terminal (libedit), plain from a pipe.
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

  // Reads a line without its line end. Interrupted: a signal came (interrupt.h), and the typed text is discarded.
  virtual Result read(const std::string& prompt, std::string& line) = 0;
  // Adds an entry for the arrow keys.
  virtual void remember(const std::string& entry) = 0;
};

// Possible completions of the text before the cursor, for the Tab key.
struct Completion {
  std::size_t begin = 0;  // begin of the word to complete
  std::vector<std::string> words;
};
using Completer = std::function<Completion(const std::string& before)>;

[[nodiscard]] std::unique_ptr<LineReader> make_pipe_reader();
// `history` is the file of the entries, "" for none.
[[nodiscard]] std::unique_ptr<LineReader> make_terminal_reader(Completer completer, const std::string& history);

}  // namespace mbc::tools
