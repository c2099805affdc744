// SPDX-License-Identifier: Apache-2.0
// Messages as they come in: a thread reads them from a stream, so that the server sees what waits behind the one at
// hand, and need not answer what nobody wants any more.
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

// One message, or what came instead of one.
struct Incoming {
  Json message;       // null where it could not be read
  std::string error;  // then why
};

// Reads `Content-Length: N`, a blank line and N bytes. Nothing at the end of the stream.
[[nodiscard]] std::optional<Incoming> read_message(std::istream& in);
[[nodiscard]] std::string framed(const Json& message);

inline constexpr std::size_t kMostMessageBytes = std::size_t{64} << 20u;
inline constexpr std::size_t kMostHeaderBytes = 4096;  // of one line

class Inbox {
 public:
  // Begins to read; ends with the stream, or behind an `exit`.
  explicit Inbox(std::istream& in);
  ~Inbox();
  Inbox(const Inbox&) = delete;
  Inbox& operator=(const Inbox&) = delete;

  // The next message; nothing when the time has passed or the stream has ended.
  [[nodiscard]] std::optional<Incoming> next(std::optional<std::chrono::steady_clock::time_point> until);
  [[nodiscard]] bool ended();
  // Whether a request was cancelled, or the text of this document changed, behind the message at hand.
  [[nodiscard]] bool cancelled(const Json& id);
  [[nodiscard]] bool changes(const std::string& uri);

 private:
  void read();

  std::istream& in_;
  std::mutex mutex_;  // of what follows
  std::condition_variable came_;
  std::deque<Incoming> waiting_;
  bool ended_ = false;
  std::thread reader_;
};

}  // namespace mbc::lsp
