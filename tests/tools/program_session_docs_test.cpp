// SPDX-License-Identifier: Apache-2.0
// Tests docs/session.md: every session in it is typed on a terminal and every command line is run by a shell, and the
// answers are compared. With MBC_UPDATE_DOCS=1 the answers are rewritten.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <sstream>

#include "tests/support/scratch.h"
#include "tests/tools/terminal.h"

namespace mbc::test {
namespace {

const std::string kPath = std::string(MBC_SOURCE) + "/docs/session.md";

struct Block {
  std::string kind;                // "session" or "console"
  std::vector<std::string> typed;  // the typed lines with their prompts
  std::string text;                // the whole text
  std::size_t begin = 0, end = 0;  // place in the document
};

bool is_typed(const std::string& line) {
  return line.starts_with("mbc> ") || line.starts_with("...> ") || line.starts_with("$ ");
}

std::vector<Block> blocks_of(const std::string& document) {
  std::vector<Block> out;
  for (const char* kind : {"session", "console"}) {
    const std::string open = std::string("```") + kind + "\n";
    for (std::size_t at = document.find(open); at != std::string::npos; at = document.find(open, at)) {
      Block block{kind, {}, {}, at + open.size(), 0};
      block.end = document.find("```\n", block.begin);
      REQUIRE(block.end != std::string::npos);
      block.text = document.substr(block.begin, block.end - block.begin);
      std::istringstream lines(block.text);
      for (std::string line; std::getline(lines, line);)
        if (is_typed(line)) block.typed.push_back(line);
      at = block.end;
      out.push_back(std::move(block));
    }
  }
  return out;
}

// Runs the session in a folder of its own.
std::string session_text(const Block& block) {
  Terminal t({}, {}, 90);
  std::string out;
  for (const std::string& typed : block.typed) {
    CAPTURE(typed);
    CHECK(t.prompt() == typed.substr(0, 5));
    out += typed + "\n" + t.line(typed.substr(5));
  }
  CHECK(t.end() == 0);
  return out;
}

std::string console_text(const Block& block) {
  std::string out;
  for (const std::string& typed : block.typed) {
    const std::string command = std::string("mbc() { '") + MBC_PROGRAM + "' \"$@\"; }\n" + typed.substr(2);
    std::ofstream("script.sh") << command << "\n";
    FILE* pipe = popen("sh script.sh", "r");
    REQUIRE(pipe != nullptr);
    out += typed + "\n";
    std::array<char, 4096> chunk{};
    for (std::size_t n = 0; (n = fread(chunk.data(), 1, chunk.size(), pipe)) > 0;) out.append(chunk.data(), n);
    pclose(pipe);
  }
  return out;
}

}  // namespace

TEST_CASE("every session of docs/session.md gives the answers that stand there") {
  std::string document = read_file(kPath);
  const std::vector<Block> blocks = blocks_of(document);
  CHECK(blocks.size() >= 8);
  std::array<char, 4096> before{};
  REQUIRE(getcwd(before.data(), before.size()) != nullptr);
  const bool update = std::getenv("MBC_UPDATE_DOCS") != nullptr;
  std::vector<std::string> answers;
  for (const Block& block : blocks) {
    const Folder folder;
    REQUIRE(chdir((folder / "").c_str()) == 0);
    answers.push_back(block.kind == "session" ? session_text(block) : console_text(block));
    REQUIRE(chdir(before.data()) == 0);
    if (!update) CHECK(answers.back() == block.text);
  }
  if (!update) return;
  std::string out;
  std::size_t from = 0;
  std::vector<std::size_t> order(blocks.size());
  for (std::size_t k = 0; k < order.size(); ++k) order[k] = k;
  std::sort(order.begin(), order.end(),
            [&](std::size_t a, std::size_t b) { return blocks[a].begin < blocks[b].begin; });
  for (const std::size_t k : order) {
    out += document.substr(from, blocks[k].begin - from) + answers[k];
    from = blocks[k].end;
  }
  std::ofstream(kPath) << out + document.substr(from);
}

}  // namespace mbc::test
