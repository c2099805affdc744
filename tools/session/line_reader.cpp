// SPDX-License-Identifier: Apache-2.0
#include "tools/session/line_reader.h"

#include <unistd.h>

#include <cerrno>

#include "tools/interrupt.h"

namespace mbc::tools {
namespace {

class PipeReader final : public LineReader {
 public:
  Result read(const std::string& /*prompt*/, std::string& line) override {
    for (;;) {
      const std::size_t end = buffer_.find('\n', searched_);
      if (end != std::string::npos) return take(end, end + 1, line);
      searched_ = buffer_.size();
      if (interrupted()) return Result::interrupted;
      if (at_end_) return buffer_.empty() ? Result::end : take(buffer_.size(), buffer_.size(), line);
      fill();
    }
  }
  void remember(const std::string& /*entry*/) override {}

 private:
  Result take(std::size_t end, std::size_t next, std::string& line) {
    line = buffer_.substr(0, end);
    if (!line.empty() && line.back() == '\r') line.pop_back();
    buffer_.erase(0, next);
    searched_ = 0;
    return Result::line;
  }

  void fill() {
    char chunk[4096];
    const ssize_t n = ::read(0, chunk, sizeof chunk);
    if (n > 0) {
      buffer_.append(chunk, static_cast<std::size_t>(n));
    } else if (n == 0 || errno != EINTR) {
      at_end_ = true;
    }
  }

  std::string buffer_;
  std::size_t searched_ = 0;
  bool at_end_ = false;
};

}  // namespace

std::unique_ptr<LineReader> make_pipe_reader() { return std::make_unique<PipeReader>(); }

}  // namespace mbc::tools
