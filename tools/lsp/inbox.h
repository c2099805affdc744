// SPDX-License-Identifier: Apache-2.0
// Incoming messages: a thread reads them from a stream, so that the server knows the messages after the current one,
// and need not answer obsolete requests.
#pragma once
#include <chrono>
#include <condition_variable>
#include <deque>
#include <istream>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "tools/lsp/protocol.h"

namespace mbc::lsp {

// One message, or an unreadable one.
struct Incoming {
  Json message;       // null if it could not be read
  std::string error;  // the reason then
};

// Reads `Content-Length: N`, a blank line and N bytes. Returns nothing at the end of the stream.
[[nodiscard]] std::optional<Incoming> read_message(std::istream& in);
[[nodiscard]] std::string framed(const Json& message);

inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 20u;
inline constexpr std::size_t kMostHeaderBytes = 4096;  // of one line

class Inbox {
 public:
  // Begins to read; ends with the stream, or after an `exit`.
  explicit Inbox(std::istream& in);
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // Returns the next message; nothing if the time has passed or the stream has ended.
  [[nodiscard]] std::optional<Incoming> next(std::optional<std::chrono::steady_clock::time_point> until);
  [[nodiscard]] bool ended();
  // Return whether a message after the current one cancels this request, or changes the text of this document.
  [[nodiscard]] bool cancelled(const Json& id);
  [[nodiscard]] bool changes(const std::string& uri);

 private:
  void read();

  std::istream& in_;
  std::mutex mutex_;  // guards the members below
  std::condition_variable came_;
  std::deque<Incoming> waiting_;
  bool ended_ = false;
  std::thread reader_;
};

}  // namespace mbc::lsp
