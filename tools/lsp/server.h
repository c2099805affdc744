// SPDX-License-Identifier: Apache-2.0
// The language server: messages in, messages out. What it knows are the documents that are open; each is compiled when
// somebody asks for something that needs it, and otherwise when nothing else has been asked for a while.
#pragma once
#include <chrono>
#include <functional>
#include <istream>
#include <map>
#include <optional>
#include <ostream>
#include <string>

#include "tools/lsp/document.h"
#include "tools/lsp/protocol.h"

namespace mbc::lsp {

// Between the last key and the diagnostics of a text; as long as the last analysis took, where that was longer.
inline constexpr double kQuietSeconds = 0.15;
// Larger texts are not compiled while they are typed: they have one diagnostic that says so.
inline constexpr std::size_t kMostTextBytes = std::size_t{4} << 20u;
inline constexpr std::size_t kMostDocuments = 1000;

class Server {
 public:
  // What waits behind the message at hand, where that is known.
  struct Waiting {
    std::function<bool(const Json& id)> cancelled;
    std::function<bool(const std::string& uri)> changes;
  };
  Server(Setup setup, std::function<void(const Json&)> send, Waiting waiting = {});

  // Answers a message, whatever it is.
  void receive(const Json& message);
  // Of something that was no message.
  void refuse(Refusal what, const std::string& why);

  // When there is something to do without a message; then do it.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const;
  void work();

  [[nodiscard]] bool finished() const { return finished_; }
  // After `shutdown` all is well.
  [[nodiscard]] bool ended_in_order() const { return shut_down_; }

 private:
  using Answer = Json (*)(Server& server, const Json& params);
  [[nodiscard]] static const std::map<std::string, Answer>& requests();
  void request(const std::string& method, const Json& id, const Json& params);
  void notification(const std::string& method, const Json& params);
  void answer_error(const Json& id, Refusal what, const std::string& why);

  // Requests that ask a function of features.h: of a document, of a place in it, of a place while the text is typed.
  template <auto Ask>
  static Json of_document(Server& server, const Json& params);
  template <auto Ask>
  static Json of_place(Server& server, const Json& params);
  template <auto Ask>
  static Json while_typed(Server& server, const Json& params);
  Json initialize();
  Json shutdown();

  void open(const Json& params);
  void change(const Json& params);
  void close(const Json& params);

  Document& document(const Json& params);
  Document& analysed(const Json& params);
  [[nodiscard]] static std::uint32_t offset(const Document& d, const Json& position);
  void analyse(Document& d);
  void publish(const Document& d, Json list);

  Setup setup_;
  std::function<void(const Json&)> send_;
  Waiting waiting_;
  bool initialized_ = false, shut_down_ = false, finished_ = false;
  std::map<std::string, Document> documents_;
  std::map<std::string, std::chrono::steady_clock::time_point> due_;  // when each is compiled, by its name
};

// For the whole process: texts are compiled again and again, so what they take is neither given back to the system in
// between nor kept in small pieces. A sixth of the time.
void keep_memory();

// Serves until `exit` or the end of the stream; whether that was in order.
[[nodiscard]] bool serve(std::istream& in, std::ostream& out, const Setup& setup);

}  // namespace mbc::lsp
