// SPDX-License-Identifier: Apache-2.0
#include "tests/tools/lsp/client.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

namespace mbc::test {

namespace {

std::size_t bytes_of(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0x80 ? 1 : c < 0xE0 ? 2 : c < 0xF0 ? 3 : 4;
}

}  // namespace

Client::Client(lsp::Setup setup)
    : server_(std::move(setup), [this](const Json& message) {
        sent.push_back(message);
        if (message.value("method", "") == "textDocument/publishDiagnostics")
          published_[message["params"]["uri"].get<std::string>()] = message["params"]["diagnostics"];
      }) {
  request("initialize", {{"capabilities", Json::object()}, {"rootUri", nullptr}, {"processId", nullptr}});
  notify("initialized", Json::object());
}

Json Client::request(const std::string& method, const Json& params) {
  const std::int64_t id = ++next_;
  server_.receive({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
  for (auto it = sent.rbegin(); it != sent.rend(); ++it)
    if (it->contains("id") && (*it)["id"] == id)
      return it->contains("error") ? Json{{"error", (*it)["error"]}} : (*it)["result"];
  return {{"error", "no answer"}};
}

void Client::notify(const std::string& method, const Json& params) {
  server_.receive({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

void Client::open(const std::string& uri, const std::string& text) {
  texts_[uri] = text;
  notify("textDocument/didOpen",
         {{"textDocument", {{"uri", uri}, {"languageId", "mbd"}, {"version", 1}, {"text", text}}}});
}

void Client::edit(const std::string& uri, std::size_t begin, std::size_t end, const std::string& by) {
  std::string& text = texts_.at(uri);
  const Json range = {{"start", position(text, begin)}, {"end", position(text, end)}};
  text.replace(begin, end - begin, by);
  notify("textDocument/didChange", {{"textDocument", {{"uri", uri}, {"version", ++next_}}},
                                    {"contentChanges", Json::array({{{"range", range}, {"text", by}}})}});
}

void Client::close(const std::string& uri) { notify("textDocument/didClose", {{"textDocument", {{"uri", uri}}}}); }

Json Client::ask(const std::string& method, const std::string& uri, std::size_t offset, Json params) {
  params["textDocument"] = {{"uri", uri}};
  params["position"] = position(texts_.at(uri), offset);
  return request(method, params);
}

const Json& Client::diagnostics(const std::string& uri) {
  ask("textDocument/documentSymbol", uri);
  return published_[uri];
}

Json position(const std::string& text, std::size_t offset) {
  std::size_t line = 0, units = 0;
  for (std::size_t k = 0; k < offset && k < text.size();) {
    const bool end = text[k] == '\n' || (text[k] == '\r' && (k + 1 == text.size() || text[k + 1] != '\n'));
    if (end) {
      ++line;
      units = 0;
    } else {
      units += bytes_of(text[k]) == 4 ? 2 : 1;
    }
    k += bytes_of(text[k]);
  }
  return {{"line", line}, {"character", units}};
}

std::size_t offset(const std::string& text, const Json& position) {
  std::size_t k = 0;
  for (std::size_t line = 0; line < position["line"].get<std::size_t>(); ++line) k = text.find('\n', k) + 1;
  for (std::size_t units = 0; units < position["character"].get<std::size_t>();
       units += bytes_of(text[k]) == 4 ? 2 : 1, k += bytes_of(text[k])) {
  }
  return k;
}

std::string edited(const std::string& text, const Json& edits) {
  std::vector<std::pair<std::size_t, const Json*>> sorted;
  for (const Json& e : edits) sorted.emplace_back(offset(text, e["range"]["start"]), &e);
  std::sort(sorted.begin(), sorted.end());
  std::string out = text;
  for (auto it = sorted.rbegin(); it != sorted.rend(); ++it) {
    const std::size_t end = offset(text, (*it->second)["range"]["end"]);
    out.replace(it->first, end - it->first, (*it->second)["newText"].get<std::string>());
  }
  return out;
}

std::vector<std::string> models_in(const std::string& folder) {
  std::vector<std::string> out;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder))
    if (entry.is_regular_file() && entry.path().extension() == ".mbd") out.push_back(entry.path().string());
  std::sort(out.begin(), out.end());
  return out;
}

std::string read_text(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

namespace {

// Converts a place of the compiler, in code points from 1. A byte order mark at the beginning counts as none there and
// as one here.
Json position_of_place(const std::string& text, std::uint32_t line, std::uint32_t column) {
  std::size_t k = 0;
  for (std::uint32_t l = 1; l < line && k < text.size(); ++k)
    if (text[k] == '\n' || (text[k] == '\r' && (k + 1 == text.size() || text[k + 1] != '\n'))) ++l;
  if (line == 1 && text.starts_with("\xEF\xBB\xBF")) k = 3;
  for (std::uint32_t c = 1; c < column && k < text.size() && text[k] != '\n' && text[k] != '\r'; ++c)
    k += bytes_of(text[k]);
  return position(text, k);
}

}  // namespace

std::string difference(const Json& published, const Model& model, const std::string& text, const std::string& path) {
  const std::vector<DiagnosticInfo> expected = model.diagnostics();
  if (published.size() != expected.size())
    return std::to_string(published.size()) + " diagnostics, not " + std::to_string(expected.size());
  for (std::size_t k = 0; k < expected.size(); ++k) {
    const DiagnosticInfo& d = expected[k];
    const Json& p = published[k];
    const int severity = d.severity == Severity::error ? 1 : d.severity == Severity::warning ? 2 : 3;
    const std::string message = p["message"].get<std::string>();
    bool same = p["severity"] == severity && p["code"] == d.code && message.starts_with(d.message);
    if (!d.help.empty()) same = same && message.ends_with("help: " + d.help);
    if (d.place.file == path && d.place.line > 0)
      same = same && p["range"]["start"] == position_of_place(text, d.place.line, d.place.column) &&
             p["range"]["end"] == position_of_place(text, d.place.end_line, d.place.end_column);
    if (!same) return p.dump() + " is not " + to_json(d);
  }
  return "";
}

}  // namespace mbc::test
