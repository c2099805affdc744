// SPDX-License-Identifier: Apache-2.0
// The language server: it receives and sends messages. Its state are the open documents. Each is compiled when a
// request needs it, or after a while without requests.
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

// The delay between the last key and the diagnostics of a text; if the last analysis took longer, the delay is as long.
inline constexpr double kQuietSeconds = 0.15;
// Larger texts are not compiled while they are edited; one diagnostic reports this.
inline constexpr std::size_t kMostTextBytes = std::size_t{4} << 20u;
inline constexpr std::size_t kMostDocuments = 1000;

class Server {
 public:
  // Knowledge of the messages after the current one, if there is any.
  struct Waiting {
    std::function<bool(const Json& id)> cancelled;
    std::function<bool(const std::string& uri)> changes;
  };
  Server(Setup setup, std::function<void(const Json&)> send, Waiting waiting = {});

  // Answers any message.
  void receive(const Json& message);
  // Answers input that was not a message.
  void refuse(Refusal what, const std::string& why);

  // due() returns the time of work without a message; work() does it.
  [[nodiscard]] std::optional<std::chrono::steady_clock::time_point> due() const;
  void work();

  [[nodiscard]] bool finished() const { return finished_; }
  // Returns whether `shutdown` came before the end.
  [[nodiscard]] bool ended_in_order() const { return shut_down_; }

 private:
  using Answer = Json (*)(Server& server, const Json& params);
  [[nodiscard]] static const std::map<std::string, Answer>& requests();
  void request(const std::string& method, const Json& id, const Json& params);
  void notification(const std::string& method, const Json& params);
  void answer_error(const Json& id, Refusal what, const std::string& why);

  // Requests that call a function of features.h: for a document, for a place in it, for a place while the text is
  // edited.
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
  std::map<std::string, std::chrono::steady_clock::time_point> due_;  // time of compilation, by name
};

// Sets up memory for the whole process. Texts are compiled again and again; therefore memory is not returned to the
// system in between, nor kept in small pieces. This saves a sixth of the time.
void keep_memory();

// Serves until `exit` or the end of the stream; returns whether the end was in order.
[[nodiscard]] bool serve(std::istream& in, std::ostream& out, const Setup& setup);

}  // namespace mbc::lsp
