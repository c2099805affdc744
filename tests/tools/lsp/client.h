// SPDX-License-Identifier: Apache-2.0
// A client of the language server in the same process. It keeps its own texts, sends edits, and collects the messages
// of the server.
#pragma once
#include <map>
#include <string>
#include <vector>

#include "tools/lsp/server.h"

namespace mbc::test {

using lsp::Json;

class Client {
 public:
  explicit Client(lsp::Setup setup = {});

  // Returns the result, or an object with `error`.
  Json request(const std::string& method, const Json& params);
  void notify(const std::string& method, const Json& params);
  void open(const std::string& uri, const std::string& text);
  // Replaces bytes of the text, as an edit of a range does.
  void edit(const std::string& uri, std::size_t begin, std::size_t end, const std::string& by);
  void close(const std::string& uri);

  // Sends a request about a place of a text. `offset` is in bytes.
  Json ask(const std::string& method, const std::string& uri, std::size_t offset, Json params = Json::object());
  Json ask(const std::string& method, const std::string& uri) {
    return request(method, {{"textDocument", {{"uri", uri}}}});
  }
  // Returns the diagnostics that were published last, after compiling the text.
  const Json& diagnostics(const std::string& uri);

  [[nodiscard]] const std::string& text(const std::string& uri) const { return texts_.at(uri); }
  lsp::Server& server() { return server_; }
  std::vector<Json> sent;  // all messages of the server

 private:
  std::map<std::string, std::string> texts_;
  std::map<std::string, Json> published_;
  std::int64_t next_ = 0;
  lsp::Server server_;
};

// These functions convert positions (lines from 0 and UTF-16 units) by counting bytes.
[[nodiscard]] Json position(const std::string& text, std::size_t offset);
[[nodiscard]] std::size_t offset(const std::string& text, const Json& position);
// Returns the text after edits of the protocol, which must not overlap.
[[nodiscard]] std::string edited(const std::string& text, const Json& edits);
// Returns the models in a folder and its inner folders, sorted.
[[nodiscard]] std::vector<std::string> models_in(const std::string& folder);
[[nodiscard]] std::string read_text(const std::string& path);

// Returns how the published diagnostics differ from those of the compiler, or "" if they are equal.
[[nodiscard]] std::string difference(const Json& published, const Model& model, const std::string& text,
                                     const std::string& path);

}  // namespace mbc::test
