// SPDX-License-Identifier: Apache-2.0
// Tests unfinished texts: pieces of the examples are deleted, doubled and moved, as by a user who types and makes
// mistakes. Every request must be answered, and the diagnostics must stay those of the compiler. MBC_LSP_EDITS, or
// MBC_RANDOM_MODELS up to 5,000, sets the number of edits.
#include <doctest/doctest.h>

#include <algorithm>
#include <cstdlib>
#include <random>

#include "tests/tools/lsp/client.h"

using namespace mbc;
using test::Json;

namespace {

int edits() {
  if (const char* own = std::getenv("MBC_LSP_EDITS")) return std::atoi(own);
  if (const char* all = std::getenv("MBC_RANDOM_MODELS")) return std::clamp(std::atoi(all), 300, 5000);
  return 300;
}

// Moves a place to one that the protocol can name: not within a character or a line end.
std::size_t boundary(const std::string& text, std::size_t at) {
  while (at < text.size() && (static_cast<unsigned char>(text[at]) & 0xC0u) == 0x80u) ++at;
  if (at > 0 && at < text.size() && text[at - 1] == '\r' && text[at] == '\n') ++at;
  return std::min(at, text.size());
}

class Typist {
 public:
  explicit Typist(unsigned seed) : random_(seed) {}

  struct Edit {
    std::size_t begin, end;
    std::string by;
  };
  Edit next(const std::string& text) {
    const std::size_t begin = boundary(text, number(text.size() + 1));
    const std::size_t end = boundary(text, std::min(text.size(), begin + number(number(4) == 0 ? 120 : 6)));
    static const std::vector<std::string> kPieces = {"(",
                                                     ")",
                                                     "{",
                                                     "}",
                                                     "[",
                                                     "]",
                                                     "\n",
                                                     ".",
                                                     "=",
                                                     "== ",
                                                     "let ",
                                                     "simulate { ",
                                                     "joint J(",
                                                     "\"",
                                                     "///",
                                                     "//",
                                                     "µ",
                                                     "𝛺",
                                                     "'",
                                                     "^",
                                                     "..",
                                                     ",",
                                                     ";",
                                                     "for i in 1..",
                                                     "model M(a: frame) {\n",
                                                     "use joints\n",
                                                     "mbd 1\n",
                                                     "particle p(1) at (",
                                                     " step ",
                                                     "if ",
                                                     " then ",
                                                     " else ",
                                                     "9.81 [m/s^2]",
                                                     "\r\n",
                                                     "when x: ",
                                                     "init { ",
                                                     "test \"a\" over b { check ",
                                                     "constraint c: p.x == ",
                                                     "1e999",
                                                     "\t"};
    switch (number(5)) {
      case 0:
        return {begin, end, ""};
      case 1: {  // This edit inserts a piece from another place.
        const std::size_t from = boundary(text, number(text.size() + 1));
        const std::size_t to = boundary(text, std::min(text.size(), from + number(60)));
        return {begin, begin, text.substr(from, to - from)};
      }
      case 2:
        return {begin, end, kPieces[number(kPieces.size())]};
      default:
        return {begin, begin, kPieces[number(kPieces.size())]};
    }
  }
  std::size_t number(std::size_t below) { return random_() % below; }

 private:
  std::mt19937 random_;
};

// Sends every possible request about a place. The answer must have a result or a reason for refusal.
void ask_everything(test::Client& client, const std::string& uri, std::size_t place, Typist& typist) {
  const auto fine = [&](const Json& answer, const char* method) {
    const bool wrong = answer.is_object() && answer.contains("error") && answer["error"]["code"] != -32803;
    CHECK_MESSAGE(!wrong, method, " ", answer.dump(), " in\n", client.text(uri));
  };
  for (const char* method : {"textDocument/completion", "textDocument/signatureHelp", "textDocument/hover",
                             "textDocument/definition", "textDocument/documentHighlight", "textDocument/prepareRename"})
    fine(client.ask(method, uri, place), method);
  for (const char* method : {"textDocument/semanticTokens/full", "textDocument/documentSymbol",
                             "textDocument/foldingRange", "textDocument/codeLens", "textDocument/formatting"})
    fine(client.ask(method, uri), method);
  const Json range = {{"start", {{"line", 0}, {"character", 0}}}, {"end", test::position(client.text(uri), place)}};
  fine(client.request("textDocument/inlayHint", {{"textDocument", {{"uri", uri}}}, {"range", range}}), "inlayHint");
  if (typist.number(20) > 0) return;
  fine(client.ask("textDocument/rename", uri, place, {{"newName", "other"}}), "rename");
  const Json here = test::position(client.text(uri), place);
  fine(client.request("textDocument/codeAction", {{"textDocument", {{"uri", uri}}},
                                                  {"range", {{"start", here}, {"end", here}}},
                                                  {"context", {{"diagnostics", Json::array()}}}}),
       "codeAction");
}

}  // namespace

TEST_CASE("no text that is being written is too broken") {
  const std::vector<std::string> paths = test::models_in(std::string(MBC_SOURCE_DIR) + "/examples");
  Typist typist(20261123);
  test::Client client;
  const int total = edits();
  std::size_t right = 0;
  for (int made = 0; made < total;) {
    const std::string path = paths[typist.number(paths.size())];
    const std::string uri = "file://" + path;
    client.open(uri, test::read_text(path));
    CompileOptions options{.interpret = true, .cache = false};
    options.folder = path.substr(0, path.rfind('/'));
    // The number of edits per text is small, so that the text does not become noise.
    for (std::size_t few = 1 + typist.number(8); few > 0 && made < total; --few, ++made) {
      const Typist::Edit edit = typist.next(client.text(uri));
      client.edit(uri, edit.begin, edit.end, edit.by);
      ask_everything(client, uri, boundary(client.text(uri), edit.begin + edit.by.size()), typist);
      const std::string& text = client.text(uri);
      const Model model = Model::from_string(text, path, options);
      const std::string different = test::difference(client.diagnostics(uri), model, text, path);
      CHECK_MESSAGE(different.empty(), different, " in\n", text);
      right += model.ok() ? 1 : 0;
    }
    client.close(uri);
    client.sent.clear();
  }
  CHECK(right < static_cast<std::size_t>(total));
}

// Tests all beginnings of a text, which are its states while it is typed from top to bottom.
TEST_CASE("a model that is typed letter by letter") {
  const std::string path = std::string(MBC_SOURCE_DIR) + "/examples/slider_crank_joints.mbd", uri = "file://" + path;
  const std::string text = test::read_text(path);
  Typist typist(3);
  test::Client client;
  client.open(uri, "");
  for (std::size_t k = 0; k < text.size(); ++k) {
    const std::size_t end = boundary(text, k + 1);
    if (end != k + 1) continue;
    const std::size_t from = client.text(uri).size();
    client.edit(uri, from, from, text.substr(from, end - from));
    if (k % 7 == 0) ask_everything(client, uri, client.text(uri).size(), typist);
    client.sent.clear();
  }
  CHECK(client.text(uri) == text);
  CHECK(client.diagnostics(uri).empty());
}
