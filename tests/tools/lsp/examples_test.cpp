// SPDX-License-Identifier: Apache-2.0
// Runs the server on all available texts: the diagnostics of `mbc check`, an answer at every word, colours of the
// compiler's keywords, and renamed models that move with the same bits.
#include <doctest/doctest.h>
#include <sys/resource.h>

#include <algorithm>
#include <bit>
#include <filesystem>
#include <set>

#include "base/diagnostics/diagnostic.h"
#include "base/source_file.h"
#include "compiler/parse/classified.h"
#include "tests/tools/lsp/client.h"
#include "tools/lsp/scan.h"

using namespace mbc;
using test::Json;

namespace {

const std::string kRoot = MBC_SOURCE_DIR;

Model checked(const std::string& path) { return Model::from_file(path, {.interpret = true, .cache = false}); }

// Returns whether JSON can contain the text.
bool is_utf8(const std::string& text) {
  try {
    return !Json(text).dump().empty();
  } catch (const Json::exception&) {
    return false;
  }
}

// Signs are excluded, and so are types of instances, which the layout treats as keywords.
bool is_keyword(const std::string& word) {
  static const std::set<std::string> all = [] {
    const Vocabulary& v = vocabulary();
    std::set<std::string> words;
    for (const auto* list : {&v.reserved, &v.modifiers, &v.entries, &v.actions})
      words.insert(list->begin(), list->end());
    for (const StatementInfo& s : v.statements) words.insert(s.word);
    return words;
  }();
  return all.contains(word);
}

// Limits memory, so that models that are too large fail equally on every machine (and are not expanded for minutes on a
// machine with much memory).
const bool kLimited = [] {
#ifdef __SANITIZE_ADDRESS__
  return true;  // AddressSanitizer reserves terabytes.
#else
  constexpr rlim_t kMost = rlim_t{6} << 30;
  rlimit limit{};
  if (getrlimit(RLIMIT_DATA, &limit) != 0) return false;
  limit.rlim_cur = std::min(limit.rlim_cur, kMost);
  return setrlimit(RLIMIT_DATA, &limit) == 0;
#endif
}();

}  // namespace

TEST_CASE("diagnostics are those of mbc check, on right and on wrong texts") {
  test::Client client;
  CHECK(kLimited);
  std::size_t compared = 0, with_mistakes = 0;
  for (const char* folder : {"/examples", "/tests/language", "/tests/diagnostics"})
    for (const std::string& path : test::models_in(kRoot + folder)) {
      const std::string text = test::read_text(path), uri = "file://" + path;
      if (text.size() > 200'000 || !is_utf8(text)) continue;
      const Model model = checked(path);
      client.open(uri, text);
      const std::string different = test::difference(client.diagnostics(uri), model, text, path);
      CHECK_MESSAGE(different.empty(), path, ": ", different);
      client.close(uri);
      ++compared;
      with_mistakes += model.diagnostics().empty() ? 0 : 1;
    }
  CHECK(compared > 600);
  CHECK(with_mistakes > 400);
}

TEST_CASE("every word of the examples is answered, and none with an internal error") {
  test::Client client;
  std::size_t hovers = 0, words = 0;
  for (const char* folder : {"/examples", "/stdlib"})
    for (const std::string& path : test::models_in(kRoot + folder)) {
      const std::string text = test::read_text(path), uri = "file://" + path;
      client.open(uri, text);
      for (const lsp::Lexeme& l : lsp::scan(text)) {
        if (l.what != lsp::Lex::word) continue;
        ++words;
        const Json hover = client.ask("textDocument/hover", uri, l.begin);
        CHECK_MESSAGE((hover.is_null() || hover.contains("contents")), path, hover.dump());
        hovers += hover.is_null() ? 0 : 1;
        for (const char* method : {"textDocument/definition", "textDocument/documentHighlight",
                                   "textDocument/prepareRename", "textDocument/signatureHelp"}) {
          const Json answer = client.ask(method, uri, l.begin);
          const bool wrong = answer.is_object() && answer.contains("error") && answer["error"]["code"] != -32803;
          CHECK_MESSAGE(!wrong, path, " ", method, " ", answer.dump());
        }
      }
      client.close(uri);
    }
  CHECK(words > 5000);
  CHECK(hovers > words / 2);
}

// The two sides are independent: one uses the tree, the other the tokens.
TEST_CASE("keywords are coloured where the compiler reads keywords") {
  test::Client client;
  for (const char* folder : {"/examples", "/tests/language", "/stdlib"})
    for (const std::string& path : test::models_in(kRoot + folder)) {
      const std::string text = test::read_text(path), uri = "file://" + path;
      SourceSet sources;
      Sink sink;
      const std::uint32_t file = sources.add(path, text);
      std::set<std::pair<std::size_t, std::size_t>> expected, found;  // line and column
      for (const syntax::ClassifiedToken& t : syntax::classified_tokens(sources, file, sink)) {
        const bool keyword = t.what == syntax::TokenClass::keyword || t.what == syntax::TokenClass::for_word ||
                             t.what == syntax::TokenClass::else_word;
        const Json place = test::position(text, t.begin);
        const std::string word = text.substr(t.begin, t.end - t.begin);
        if (keyword && is_keyword(word))
          expected.emplace(place["line"].get<std::size_t>(), place["character"].get<std::size_t>());
      }
      client.open(uri, text);
      const Json data = client.ask("textDocument/semanticTokens/full", uri)["data"];
      std::size_t line = 0, column = 0;
      for (std::size_t k = 0; k + 4 < data.size(); k += 5) {
        const auto lines = data[k].get<std::size_t>();
        line += lines;
        column = (lines > 0 ? 0 : column) + data[k + 1].get<std::size_t>();
        if (data[k + 3] == 3) found.emplace(line, column);
      }
      std::string differences;
      for (const auto& [l, c] : expected)
        if (!found.contains({l, c})) differences += " missing " + std::to_string(l + 1) + ":" + std::to_string(c + 1);
      for (const auto& [l, c] : found)
        if (!expected.contains({l, c}))
          differences += " too many " + std::to_string(l + 1) + ":" + std::to_string(c + 1);
      CHECK_MESSAGE(differences.empty(), path, differences);
      client.close(uri);
    }
}

namespace {

std::vector<std::uint64_t> bits_of_run(const std::string& text, const std::string& path) {
  CompileOptions options{.interpret = true, .cache = false};
  options.folder = std::filesystem::path(path).parent_path().string();
  const Model model = Model::from_string(text, path, options);
  REQUIRE_MESSAGE(model.ok(), text, model.render_diagnostics());
  Simulation simulation = Simulation::create(model).value();
  std::vector<std::uint64_t> bits;
  std::size_t rows = 0;
  (void)simulation.run({}, [&](const Row& row) {
    bits.push_back(std::bit_cast<std::uint64_t>(row.time));
    for (const double x : row.values) bits.push_back(std::bit_cast<std::uint64_t>(x));
    return ++rows < 400;
  });
  return bits;
}

}  // namespace

// All names that can be renamed get names with another sort order, one after the other.
TEST_CASE("with other names a model moves to the same bits") {
  for (const char* name :
       {"pendulum", "chain", "double_four_bar", "hopper", "furuta", "clutch", "slider_crank_joints", "gyroscope"}) {
    const std::string path = kRoot + "/examples/" + name + ".mbd", before = test::read_text(path);
    const std::string uri = "file:///tmp/none/" + std::string(name) + ".mbd";  // The file is alone in its folder.
    test::Client client;
    client.open(uri, before);
    std::size_t changed = 0, refused = 0;
    for (std::size_t k = 0;; ++k) {
      // This is the k-th word of the text in its present form.
      const std::vector<lsp::Lexeme> words = lsp::scan(client.text(uri));
      if (k >= words.size()) break;
      const std::string word = client.text(uri).substr(words[k].begin, words[k].end - words[k].begin);
      if (words[k].what != lsp::Lex::word || word.starts_with("new_") || word.starts_with("New_")) continue;
      if (client.ask("textDocument/prepareRename", uri, words[k].begin).contains("error")) continue;
      const std::string fresh =
          (std::isupper(static_cast<unsigned char>(word[0])) ? "New_" : "new_") + std::to_string(1000 - changed) + word;
      const Json answer = client.ask("textDocument/rename", uri, words[k].begin, {{"newName", fresh}});
      if (answer.contains("error")) {
        ++refused;
        continue;
      }
      const std::string after = test::edited(client.text(uri), answer["changes"][uri]);
      client.edit(uri, 0, client.text(uri).size(), after);
      ++changed;
    }
    CHECK_MESSAGE(changed >= 3, name);
    CHECK_MESSAGE(refused == 0, name);
    const std::vector<std::uint64_t> bits = bits_of_run(before, path);
    CHECK(bits.size() > 100);
    CHECK_MESSAGE(bits_of_run(client.text(uri), path) == bits, name);
  }
}
