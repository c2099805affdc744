// SPDX-License-Identifier: Apache-2.0
// Tests the protocol itself: frames, lifetime, and invalid, cancelled and stale requests.
#include "tools/lsp/server.h"

#include <doctest/doctest.h>

#include <sstream>

#include "tests/tools/lsp/client.h"
#include "tools/lsp/inbox.h"

using namespace mbc;
using lsp::Json;

namespace {

std::string request(int id, const std::string& method, const Json& params = Json::object()) {
  return lsp::framed({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}
std::string notification(const std::string& method, const Json& params = Json::object()) {
  return lsp::framed({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

struct Served {
  bool in_order = false;
  std::vector<Json> messages;

  [[nodiscard]] Json answer(const Json& id) const {
    for (const Json& m : messages)
      if (m.contains("id") && m["id"] == id) return m;
    return nullptr;
  }
  [[nodiscard]] int error(const Json& id) const { return answer(id).value("/error/code"_json_pointer, 0); }
};

Served served(const std::string& input) {
  std::istringstream in(input);
  std::ostringstream out;
  Served made;
  made.in_order = lsp::serve(in, out, {});
  std::istringstream back(out.str());
  while (std::optional<lsp::Incoming> message = lsp::read_message(back)) {
    REQUIRE_MESSAGE(message->error.empty(), message->error);
    made.messages.push_back(message->message);
  }
  return made;
}

const Json kPlace = {{"textDocument", {{"uri", "file:///gone.mbd"}}}, {"position", {{"line", 0}, {"character", 0}}}};

}  // namespace

TEST_CASE("a session from initialize to exit") {
  const Served s =
      served(request(1, "initialize") + notification("initialized") + request(2, "shutdown") + notification("exit"));
  CHECK(s.in_order);
  const Json result = s.answer(1)["result"];
  CHECK(result["serverInfo"]["name"] == "mbc");
  CHECK(result["serverInfo"]["version"] == version());
  for (const char* provider :
       {"hoverProvider", "definitionProvider", "referencesProvider", "renameProvider", "completionProvider",
        "signatureHelpProvider", "documentSymbolProvider", "semanticTokensProvider", "inlayHintProvider",
        "codeActionProvider", "documentFormattingProvider", "foldingRangeProvider", "codeLensProvider"})
    CHECK_MESSAGE(result["capabilities"].contains(provider), provider);
  CHECK(s.answer(2)["result"].is_null());
  CHECK(s.answer(2).contains("result"));
}

TEST_CASE("what comes out of turn is refused, and ends nothing") {
  const Served s =
      served(request(1, "textDocument/hover", kPlace) + request(2, "initialize") + request(3, "initialize") +
             request(4, "textDocument/hover", kPlace) + request(5, "no/such") + notification("no/such") +
             request(6, "shutdown") + request(7, "textDocument/hover", kPlace) + notification("exit"));
  CHECK(s.error(1) == -32002);
  CHECK(s.answer(2).contains("result"));
  CHECK(s.error(3) == -32600);
  CHECK(s.error(4) == -32602);
  CHECK(s.error(5) == -32601);
  CHECK(s.error(7) == -32600);
  CHECK(s.in_order);
}

TEST_CASE("an end without shutdown is not in order") {
  CHECK_FALSE(served("").in_order);
  CHECK_FALSE(served(request(1, "initialize") + notification("exit")).in_order);
  CHECK_FALSE(served(request(1, "initialize")).in_order);
  CHECK_FALSE(served(request(1, "initialize") + request(2, "shutdown")).in_order);
  CHECK_FALSE(served("Content-Length: 100\r\n\r\n{}").in_order);
}

TEST_CASE("messages that are none get an error, and the next is read") {
  const std::string end = request(8, "initialize") + request(9, "shutdown") + notification("exit");
  const std::pair<std::string, int> cases[] = {
      {"Content-Length: 9\r\n\r\n{\"broken\"", -32700},
      {"Content-Length: 4\r\n\r\n\xff\xfe\xfd\xfc", -32700},
      {"Content-Length: 2\r\n\r\n[]", -32600},
      {"Content-Length: 4\r\n\r\nnull", -32600},
      {"Content-Length: 2\r\n\r\n17", -32600},
      {"Content-Length: 2\r\n\r\n{}", -32600},
      {"Content-Length: 40\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":{},\"method\":\"x\"}  ", -32600},
      {"Content-Length: 33\r\n\r\n{\"jsonrpc\":\"2.0\",\"id\":1,\"x\":true}", -32600},
      {"Content-Type: x\r\n\r\n", -32700},
      {"Content-Length: -3\r\n\r\n", -32700},
      {"Content-Length: 1e9\r\n\r\n", -32700},
      {"nonsense\r\n\r\n", -32700},
  };
  for (const auto& [bytes, code] : cases) {
    const Served s = served(bytes + end);
    CHECK_MESSAGE(s.in_order, bytes);
    REQUIRE_MESSAGE(!s.messages.empty(), bytes);
    CHECK_MESSAGE(s.messages[0]["error"]["code"] == code, bytes, s.messages[0].dump());
    CHECK_MESSAGE(s.answer(8).contains("result"), bytes);
  }
  CHECK(served("content-length:2 \n\n17" + end).in_order);
  std::string deep = std::string(100'000, '[');
  CHECK(served("Content-Length: 100000\r\n\r\n" + deep + end).in_order);
}

TEST_CASE("params of any shape are answered") {
  test::Client client;
  client.open("file:///a.mbd", "mbd 1\nparticle p(1) at (0, 0, 1)\n");
  const std::vector<Json> shapes = {
      nullptr,
      Json::array(),
      17,
      "text",
      Json::object(),
      {{"textDocument", 3}},
      {{"textDocument", {{"uri", 4}}}},
      {{"textDocument", {{"uri", "file:///a.mbd"}}}},
      {{"textDocument", {{"uri", "file:///a.mbd"}}}, {"position", {{"line", -1}, {"character", 0}}}},
      {{"textDocument", {{"uri", "file:///a.mbd"}}}, {"position", {{"line", 0.5}, {"character", "x"}}}},
      {{"textDocument", {{"uri", "file:///a.mbd"}}}, {"position", {{"line", 1e300}, {"character", 1}}}},
      {{"textDocument", {{"uri", "file:///a.mbd"}}},
       {"position", {{"line", 4000000000u}, {"character", 4000000000u}}},
       {"newName", 4},
       {"range", {{"start", 1}}}}};
  for (const char* method :
       {"textDocument/hover", "textDocument/definition", "textDocument/references", "textDocument/documentHighlight",
        "textDocument/prepareRename", "textDocument/rename", "textDocument/completion", "textDocument/signatureHelp",
        "textDocument/documentSymbol", "textDocument/semanticTokens/full", "textDocument/inlayHint",
        "textDocument/codeAction", "textDocument/formatting", "textDocument/foldingRange", "textDocument/codeLens"})
    for (const Json& params : shapes) {
      const Json answer = client.request(method, params);
      if (!answer.is_object() || !answer.contains("error")) continue;
      const int code = answer["error"]["code"].get<int>();
      CHECK_MESSAGE((code == -32602 || code == -32803), method, " ", params.dump(), " ", answer.dump());
    }
  for (const char* method : {"textDocument/didOpen", "textDocument/didChange", "textDocument/didClose", "$/setTrace"})
    for (const Json& params : shapes) client.notify(method, params);
  CHECK(client.request("shutdown", nullptr).is_null());
}

TEST_CASE("what was cancelled, or changed behind the question, is not computed") {
  const std::string uri = "file:///a.mbd";
  const Json document = {{"textDocument", {{"uri", uri}, {"version", 1}, {"languageId", "mbd"}, {"text", "mbd 1\n"}}}};
  const Json change = {{"textDocument", {{"uri", uri}, {"version", 2}}},
                       {"contentChanges", Json::array({{{"text", "mbd 1\nlet a = 1\n"}}})}};
  std::vector<Json> sent;
  bool cancelled = false, changes = false;
  lsp::Server server({}, [&](const Json& m) { sent.push_back(m); },
                     {[&](const Json&) { return cancelled; }, [&](const std::string&) { return changes; }});
  const auto ask = [&](const std::string& method, const Json& params) {
    server.receive({{"jsonrpc", "2.0"}, {"id", "x"}, {"method", method}, {"params", params}});
    return sent.back();
  };
  ask("initialize", nullptr);
  server.receive({{"jsonrpc", "2.0"}, {"method", "textDocument/didOpen"}, {"params", document}});
  cancelled = true;
  CHECK(ask("textDocument/documentSymbol", {{"textDocument", {{"uri", uri}}}})["error"]["code"] == -32800);
  cancelled = false;
  changes = true;
  CHECK(ask("textDocument/documentSymbol", {{"textDocument", {{"uri", uri}}}})["error"]["code"] == -32801);
  changes = false;
  server.receive({{"jsonrpc", "2.0"}, {"method", "textDocument/didChange"}, {"params", change}});
  CHECK(ask("textDocument/documentSymbol", {{"textDocument", {{"uri", uri}}}})["result"].size() == 1);
}

TEST_CASE("diagnostics come by themselves when nothing was typed for a while") {
  test::Client client;
  client.open("file:///a.mbd", "mbd 1\nlet a = b\n");
  REQUIRE(client.server().due());
  client.server().work();
  REQUIRE(!client.sent.empty());
  CHECK(client.sent.back()["method"] == "textDocument/publishDiagnostics");
  CHECK(client.sent.back()["params"]["diagnostics"].size() == 1);
  CHECK_FALSE(client.server().due());
  client.edit("file:///a.mbd", 14, 15, "1");
  REQUIRE(client.server().due());
  CHECK(*client.server().due() > std::chrono::steady_clock::now());
  const std::size_t before = client.sent.size();
  client.server().work();  // The call comes too early.
  CHECK(client.sent.size() == before);
  client.close("file:///a.mbd");
  CHECK(client.sent.back()["params"]["diagnostics"].empty());
  CHECK_FALSE(client.server().due());
}

TEST_CASE("a text that is too large has one diagnostic that says so") {
  test::Client client;
  const std::string uri = "file:///large.mbd";
  client.open(uri, "mbd 1\n" + std::string(lsp::kMostTextBytes, ' '));
  client.server().work();
  const Json list = client.sent.back()["params"]["diagnostics"];
  REQUIRE(list.size() == 1);
  CHECK(list[0]["message"].get<std::string>().find("mbc check") != std::string::npos);
  CHECK(client.ask("textDocument/documentSymbol", uri)["error"]["code"] == -32803);
  CHECK(client.ask("textDocument/completion", uri, 6).contains("items"));
  client.edit(uri, 6, client.text(uri).size(), "let a = b\n");
  CHECK(client.diagnostics(uri).size() == 1);
}
