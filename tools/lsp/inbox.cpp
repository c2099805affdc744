// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/inbox.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "base/text.h"

namespace mbc::lsp {

namespace {

// Returns a line without its end; nothing at the end of the stream. Lines that are too long are cut.
std::optional<std::string> header_line(std::istream& in) {
  std::string line;
  for (int c = in.get(); c != std::istream::traits_type::eof(); c = in.get()) {
    if (c == '\n') {
      if (line.ends_with('\r')) line.pop_back();
      return line;
    }
    if (line.size() < kMostHeaderBytes) line += static_cast<char>(c);
  }
  return {};
}

bool names_length(const std::string& line, std::size_t colon) {
  constexpr std::string_view kName = "content-length";
  const std::string name = trimmed(std::string_view(line).substr(0, colon));
  return std::equal(name.begin(), name.end(), kName.begin(), kName.end(),
                    [](char a, char b) { return (a >= 'A' && a <= 'Z' ? a + 32 : a) == b; });
}

}  // namespace

std::optional<Incoming> read_message(std::istream& in) {
  std::optional<std::size_t> length;
  bool any = false;
  for (;;) {
    const std::optional<std::string> line = header_line(in);
    if (!line) return {};
    if (line->empty() && !any) continue;  // blank lines between messages
    if (line->empty()) break;
    any = true;
    const std::size_t colon = line->find(':');
    if (colon == std::string::npos || !names_length(*line, colon)) continue;
    const std::string number = trimmed(std::string_view(*line).substr(colon + 1));
    std::size_t value = 0;
    const auto [end, error] = std::from_chars(number.data(), number.data() + number.size(), value);
    if (error == std::errc() && end == number.data() + number.size()) length = value;
  }
  if (!length) return Incoming{nullptr, "a message has to begin with `Content-Length: N`"};
  if (*length > kMostMessageBytes) {
    in.ignore(
        static_cast<std::streamsize>(std::min<std::size_t>(*length, std::numeric_limits<std::streamsize>::max() - 1)));
    return Incoming{nullptr, "a message may have " + counted(kMostMessageBytes, "byte") + " at most"};
  }
  std::string body(*length, '\0');
  in.read(body.data(), static_cast<std::streamsize>(body.size()));
  if (static_cast<std::size_t>(in.gcount()) != body.size()) return {};
  Json message = Json::parse(body, nullptr, false);
  if (message.is_discarded()) return Incoming{nullptr, "the message is no JSON"};
  return Incoming{std::move(message), ""};
}

std::string framed(const Json& message) {
  const std::string body = escaped(message.dump(-1, ' ', false, Json::error_handler_t::replace));
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

Inbox::Inbox(std::istream& in) : in_(in), reader_([this] { read(); }) {}

Inbox::~Inbox() { reader_.join(); }

void Inbox::read() {
  for (bool more = true; more;) {
    std::optional<Incoming> message = read_message(in_);
    const std::lock_guard lock(mutex_);
    if (message) {
      more = part(message->message, {"method"}) != "exit";
      waiting_.push_back(std::move(*message));
    } else {
      more = false;
    }
    ended_ = !more;
    came_.notify_one();
  }
}

std::optional<Incoming> Inbox::next(std::optional<std::chrono::steady_clock::time_point> until) {
  std::unique_lock lock(mutex_);
  const auto ready = [&] { return ended_ || !waiting_.empty(); };
  if (until)
    came_.wait_until(lock, *until, ready);
  else
    came_.wait(lock, ready);
  if (waiting_.empty()) return {};
  Incoming message = std::move(waiting_.front());
  waiting_.pop_front();
  return message;
}

bool Inbox::ended() {
  const std::lock_guard lock(mutex_);
  return ended_ && waiting_.empty();
}

bool Inbox::cancelled(const Json& id) {
  const std::lock_guard lock(mutex_);
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Incoming& i) {
    return part(i.message, {"method"}) == "$/cancelRequest" && part(i.message, {"params", "id"}) == id;
  });
}

bool Inbox::changes(const std::string& uri) {
  const std::lock_guard lock(mutex_);
  return std::any_of(waiting_.begin(), waiting_.end(), [&](const Incoming& i) {
    return part(i.message, {"method"}) == "textDocument/didChange" &&
           part(i.message, {"params", "textDocument", "uri"}) == uri;
  });
}

}  // namespace mbc::lsp
