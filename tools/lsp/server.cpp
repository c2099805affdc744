// SPDX-License-Identifier: Apache-2.0
#include "tools/lsp/server.h"

#include <malloc.h>

#include <algorithm>
#include <exception>
#include <type_traits>
#include <utility>

#include "base/text.h"
#include "tools/lsp/features.h"
#include "tools/lsp/inbox.h"

namespace mbc::lsp {

namespace {

using SteadyClock = std::chrono::steady_clock;

std::string string_of(const Json& value, const char* what) {
  if (!value.is_string()) throw Refused(Refusal::invalid_params, std::string(what) + " has to be a string");
  return value.get<std::string>();
}

// Reads a line or a character; a negative or fractional number is refused, one that is too large means the end.
std::uint32_t count_of(const Json& value) {
  if (!value.is_number_integer() || value.get<double>() < 0)
    throw Refused(Refusal::invalid_params, "a position has `line` and `character`, whole numbers from 0");
  return static_cast<std::uint32_t>(std::min(value.get<double>(), 4e9));
}

Point point_of(const Json& position) {
  return {count_of(part(position, {"line"})), count_of(part(position, {"character"}))};
}

Json capabilities() {
  return {{"positionEncoding", "utf-16"},
          {"textDocumentSync", {{"openClose", true}, {"change", 2}, {"save", false}}},
          {"hoverProvider", true},
          {"definitionProvider", true},
          {"referencesProvider", true},
          {"documentHighlightProvider", true},
          {"renameProvider", {{"prepareProvider", true}}},
          {"completionProvider", {{"triggerCharacters", Json::array({"."})}}},
          {"signatureHelpProvider", {{"triggerCharacters", Json::array({"(", ","})}}},
          {"documentSymbolProvider", true},
          {"semanticTokensProvider", {{"legend", semantic_legend()}, {"full", true}}},
          {"inlayHintProvider", true},
          {"codeActionProvider", {{"codeActionKinds", Json::array({"quickfix"})}}},
          {"documentFormattingProvider", true},
          {"foldingRangeProvider", true},
          {"codeLensProvider", {{"resolveProvider", false}}}};
}

// Formats as `mbc fmt`: a text with syntax errors is not changed.
Json formatting(const Document& d) {
  const Result<FormattedText> made = format_text(d.text.str(), d.path);
  if (!made) throw Refused(Refusal::failed, "the text has mistakes of syntax");
  if (made->text == d.text.str()) return Json::array();
  return Json::array({edit_json(d.text, 0, d.text.size(), made->text)});
}

}  // namespace

Server::Server(Setup setup, std::function<void(const Json&)> send, Waiting waiting)
    : setup_(std::move(setup)), send_(std::move(send)), waiting_(std::move(waiting)) {}

template <auto Ask>
Json Server::of_document(Server& server, const Json& params) {
  return Ask(server.analysed(params));
}

template <auto Ask>
Json Server::of_place(Server& server, const Json& params) {
  const Document& d = server.analysed(params);
  const std::uint32_t place = offset(d, part(params, {"position"}));
  if constexpr (std::is_invocable_v<decltype(Ask), const Document&, std::uint32_t>)
    return Ask(d, place);
  else
    return Ask(d, place, server.setup_);
}

template <auto Ask>
Json Server::while_typed(Server& server, const Json& params) {
  Document& d = server.document(params);
  if (!d.known().whole && d.text.size() <= kMostTextBytes) server.analyse(d);
  return Ask(d, offset(d, part(params, {"position"})));
}

const std::map<std::string, Server::Answer>& Server::requests() {
  static const std::map<std::string, Answer> all = {
      {"initialize", [](Server& s, const Json&) { return s.initialize(); }},
      {"shutdown", [](Server& s, const Json&) { return s.shutdown(); }},
      {"textDocument/hover", &of_place<&lsp::hover>},
      {"textDocument/definition", &of_place<&lsp::definition>},
      {"textDocument/references",
       [](Server& s, const Json& params) {
         const Document& d = s.analysed(params);
         const bool declaration = part(params, {"context", "includeDeclaration"}) != false;
         return lsp::references(d, offset(d, part(params, {"position"})), declaration, s.setup_);
       }},
      {"textDocument/documentHighlight", &of_place<&lsp::highlights>},
      {"textDocument/prepareRename", &of_place<&lsp::prepare_rename>},
      {"textDocument/rename",
       [](Server& s, const Json& params) {
         const Document& d = s.analysed(params);
         const std::string name = string_of(part(params, {"newName"}), "`newName`");
         return lsp::rename(d, offset(d, part(params, {"position"})), name, s.setup_);
       }},
      {"textDocument/completion", &while_typed<&lsp::completion>},
      {"textDocument/signatureHelp", &while_typed<&lsp::signature_help>},
      {"textDocument/documentSymbol", &of_document<&lsp::document_symbols>},
      {"textDocument/semanticTokens/full", &of_document<&lsp::semantic_tokens>},
      {"textDocument/inlayHint",
       [](Server& s, const Json& params) {
         Document& d = s.analysed(params);
         const std::uint32_t begin = offset(d, part(params, {"range", "start"}));
         return lsp::inlay_hints(d, begin, offset(d, part(params, {"range", "end"})));
       }},
      {"textDocument/codeAction",
       [](Server& s, const Json& params) {
         const Document& d = s.analysed(params);
         const std::uint32_t begin = offset(d, part(params, {"range", "start"}));
         return lsp::code_actions(d, begin, offset(d, part(params, {"range", "end"})), s.setup_);
       }},
      {"textDocument/formatting", [](Server& s, const Json& params) { return formatting(s.document(params)); }},
      {"textDocument/foldingRange", [](Server& s, const Json& params) { return folding_ranges(s.document(params)); }},
      {"textDocument/codeLens", &of_document<&lsp::code_lenses>},
  };
  return all;
}

// ---- messages

void Server::receive(const Json& message) {
  const Json& method = part(message, {"method"});
  const Json& id = part(message, {"id"});
  const bool has_id = message.is_object() && message.contains("id");
  if (!message.is_object() || part(message, {"jsonrpc"}) != "2.0" ||
      (has_id && !id.is_string() && !id.is_number_integer()))
    return answer_error(nullptr, Refusal::invalid_request, "this is no message of JSON-RPC 2.0");
  if (!method.is_string()) {
    // A response: this server sends no requests, and ignores it.
    if (!message.contains("result") && !message.contains("error"))
      answer_error(has_id ? id : Json(), Refusal::invalid_request, "a message has a `method`");
    return;
  }
  if (has_id)
    request(method.get<std::string>(), id, part(message, {"params"}));
  else
    notification(method.get<std::string>(), part(message, {"params"}));
}

void Server::refuse(Refusal what, const std::string& why) { answer_error(nullptr, what, why); }

void Server::answer_error(const Json& id, Refusal what, const std::string& why) {
  send_({{"jsonrpc", "2.0"}, {"id", id}, {"error", {{"code", static_cast<int>(what)}, {"message", why}}}});
}

void Server::request(const std::string& method, const Json& id, const Json& params) {
  const auto found = requests().find(method);
  if (shut_down_) return answer_error(id, Refusal::invalid_request, "the server was shut down");
  if (!initialized_ && method != "initialize")
    return answer_error(id, Refusal::not_initialized, "the first request has to be `initialize`");
  if (found == requests().end())
    return answer_error(id, Refusal::method_not_found, "there is no method " + quoted(method));
  if (waiting_.cancelled && waiting_.cancelled(id)) return answer_error(id, Refusal::cancelled, "cancelled");
  try {
    Json result = found->second(*this, params);
    send_({{"jsonrpc", "2.0"}, {"id", id}, {"result", std::move(result)}});
  } catch (const Refused& e) {
    answer_error(id, e.code, e.what());
  } catch (const Json::exception& e) {
    answer_error(id, Refusal::invalid_params, e.what());
  } catch (const std::exception& e) {
    answer_error(id, Refusal::internal_error, e.what());
  }
}

// Errors of notifications are not reported, since they have no response: a bad notification is ignored.
void Server::notification(const std::string& method, const Json& params) {
  if (method == "exit") {
    finished_ = true;
    return;
  }
  if (!initialized_ || shut_down_) return;
  try {
    if (method == "textDocument/didOpen") open(params);
    if (method == "textDocument/didChange") change(params);
    if (method == "textDocument/didClose") close(params);
  } catch (const std::exception& e) {
    send_({{"jsonrpc", "2.0"},
           {"method", "window/logMessage"},
           {"params", {{"type", 1}, {"message", method + ": " + e.what()}}}});
  }
}

Json Server::initialize() {
  if (initialized_) throw Refused(Refusal::invalid_request, "the server is initialized already");
  initialized_ = true;
  return {{"capabilities", capabilities()}, {"serverInfo", {{"name", "mbc"}, {"version", version()}}}};
}

Json Server::shutdown() {
  shut_down_ = true;
  documents_.clear();
  due_.clear();
  return nullptr;
}

// ---- documents

Document& Server::document(const Json& params) {
  const auto found = documents_.find(string_of(part(params, {"textDocument", "uri"}), "`textDocument.uri`"));
  if (found == documents_.end()) throw Refused(Refusal::invalid_params, "this document is not open");
  return found->second;
}

// A request for a text that has changed since is not worth a compilation.
Document& Server::analysed(const Json& params) {
  Document& d = document(params);
  if (d.stale && waiting_.changes && waiting_.changes(d.uri))
    throw Refused(Refusal::content_modified, "the text has changed");
  if (d.text.size() > kMostTextBytes) throw Refused(Refusal::failed, "the text is too large");
  analyse(d);
  return d;
}

std::uint32_t Server::offset(const Document& d, const Json& position) { return d.text.offset(point_of(position)); }

void Server::open(const Json& params) {
  const std::string uri = string_of(part(params, {"textDocument", "uri"}), "`textDocument.uri`");
  const std::string text = string_of(part(params, {"textDocument", "text"}), "`textDocument.text`");
  if (documents_.size() >= kMostDocuments && !documents_.contains(uri))
    throw Refused(Refusal::failed, "more than " + counted(kMostDocuments, "document") + " are open");
  Document& d = documents_[uri];
  d = Document();
  d.uri = uri;
  d.path = path_of(uri);
  d.text = Text(text);
  const Json& version = part(params, {"textDocument", "version"});
  d.version = version.is_number_integer() ? version.get<std::int64_t>() : 0;
  due_[uri] = SteadyClock::now();
}

void Server::change(const Json& params) {
  Document& d = document(params);
  const Json& changes = part(params, {"contentChanges"});
  if (!changes.is_array()) throw Refused(Refusal::invalid_params, "`contentChanges` has to be a list");
  for (const Json& c : changes) {
    const std::string text = string_of(part(c, {"text"}), "`text`");
    if (part(c, {"range"}).is_null()) {
      d.text = Text(text);
      continue;
    }
    const std::uint32_t begin = offset(d, part(c, {"range", "start"})), end = offset(d, part(c, {"range", "end"}));
    d.text.replace(std::min(begin, end), std::max(begin, end), text);
  }
  const Json& version = part(params, {"textDocument", "version"});
  if (version.is_number_integer()) d.version = version.get<std::int64_t>();
  d.stale = true;
  const double wait = std::max(kQuietSeconds, d.seconds);
  due_[d.uri] =
      SteadyClock::now() + std::chrono::duration_cast<SteadyClock::duration>(std::chrono::duration<double>(wait));
}

void Server::close(const Json& params) {
  const Document& d = document(params);
  publish(d, Json::array());
  const std::string uri = d.uri;
  due_.erase(uri);
  documents_.erase(uri);
}

void Server::analyse(Document& d) {
  due_.erase(d.uri);
  if (!d.stale) return;
  if (d.text.size() > kMostTextBytes) {
    d.stale = false;
    const std::string why =
        "texts of more than " + counted(kMostTextBytes, "byte") + " are not looked at here: `mbc check`";
    return publish(
        d, Json::array({{{"range", range_json(d.text, 0, 0)}, {"severity", 3}, {"source", "mbc"}, {"message", why}}}));
  }
  d.analyse(setup_);
  publish(d, diagnostics(d));
}

void Server::publish(const Document& d, Json list) {
  send_({{"jsonrpc", "2.0"},
         {"method", "textDocument/publishDiagnostics"},
         {"params", {{"uri", d.uri}, {"version", d.version}, {"diagnostics", std::move(list)}}}});
}

std::optional<SteadyClock::time_point> Server::due() const {
  std::optional<SteadyClock::time_point> first;
  for (const auto& [uri, when] : due_)
    if (!first || when < *first) first = when;
  return first;
}

void Server::work() {
  const auto now = SteadyClock::now();
  for (auto it = due_.begin(); it != due_.end(); ++it)
    if (it->second <= now) {
      const std::string uri = it->first;
      due_.erase(it);
      return analyse(documents_.at(uri));
    }
}

void keep_memory() {
  mallopt(M_MMAP_THRESHOLD, 32 << 20);
  mallopt(M_TRIM_THRESHOLD, 128 << 20);
  mallopt(M_MXFAST, 0);
}

bool serve(std::istream& in, std::ostream& out, const Setup& setup) {
  Inbox inbox(in);
  Server server(setup, [&](const Json& message) { out << framed(message) << std::flush; },
                {[&](const Json& id) { return inbox.cancelled(id); },
                 [&](const std::string& uri) { return inbox.changes(uri); }});
  while (!server.finished() && !inbox.ended() && out) {
    const std::optional<Incoming> message = inbox.next(server.due());
    if (!message)
      server.work();
    else if (!message->error.empty())
      server.refuse(Refusal::parse_error, message->error);
    else
      server.receive(message->message);
  }
  return server.finished() && server.ended_in_order();
}

}  // namespace mbc::lsp
