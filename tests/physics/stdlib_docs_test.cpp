// SPDX-License-Identifier: Apache-2.0
// Tests that everything in stdlib/*.mbd has a doc comment and is listed in docs/stdlib.md, and that the examples use
// existing names.
#include <doctest/doctest.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

std::string read(const std::filesystem::path& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("the standard library is documented") {
  const std::filesystem::path root = MBC_SOURCE_DIR;
  const std::string document = read(root / "docs" / "stdlib.md");
  int declared = 0;
  for (const auto& entry : std::filesystem::directory_iterator(root / "stdlib")) {
    if (entry.path().extension() != ".mbd") continue;
    const std::string module = entry.path().stem().string();
    INFO(module);
    const std::size_t from = document.find("\n## " + module + "\n");
    REQUIRE(from != std::string::npos);
    const std::string section = document.substr(from, document.find("\n## ", from + 1) - from);
    CHECK(section.find("```mbd\n") != std::string::npos);
    std::istringstream lines(read(entry.path()));
    std::string before;
    for (std::string line; std::getline(lines, line); before = line)
      for (const std::string word : {"joint ", "model ", "def ", "let "}) {
        if (!line.starts_with(word)) continue;
        const std::string name = line.substr(word.size(), line.find_first_of("( =", word.size()) - word.size());
        INFO(name);
        CHECK_MESSAGE(before.starts_with("///"), "no doc comment");
        const bool found =
            section.find("`" + name + "`") != std::string::npos || section.find("`" + name + "(") != std::string::npos;
        CHECK_MESSAGE(found, "not in docs/stdlib.md");
        ++declared;
      }
  }
  CHECK(declared > 120);
}
