// SPDX-License-Identifier: Apache-2.0
// Tests with `nm` which symbols libmbc exports: the functions of mbc_c.h, which are those of exports.txt and never
// become fewer, and the C++ interface of include/mbc. Internal symbols are not exported.
#include <doctest/doctest.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <memory>
#include <regex>
#include <set>
#include <sstream>
#include <string>

namespace {

std::set<std::string> symbols(const char* options) {
  const std::string command = std::string("nm -D --defined-only ") + options + " " MBC_LIBRARY;
  const std::unique_ptr<FILE, int (*)(FILE*)> pipe(popen(command.c_str(), "r"), &pclose);
  REQUIRE(pipe);
  std::set<std::string> found;
  char line[1 << 14];
  while (std::fgets(line, sizeof line, pipe.get()) != nullptr) {
    const std::string text = line;  // The line has the form "0000000000071370 T mbc_version@@MBC_0".
    const std::size_t at = text.find_first_not_of(' ', 19);
    if (at == std::string::npos) continue;
    found.insert(text.substr(at, text.find_first_of("@\n") - at));
  }
  return found;
}

std::string read(const std::string& path) {
  const std::ifstream in(path, std::ios::binary);
  std::ostringstream out;
  out << in.rdbuf();
  return out.str();
}

}  // namespace

TEST_CASE("the functions of C are those of the list, and those of the header") {
  std::set<std::string> shown, listed, declared;
  for (const std::string& name : symbols(""))
    if (name.starts_with("mbc_")) shown.insert(name);
  std::istringstream list(read(MBC_TEST_DATA_DIR "/api/c/exports.txt"));
  for (std::string name; std::getline(list, name);) listed.insert(name);
  const std::string header = read(MBC_SOURCE_DIR "/include/mbc/mbc_c.h");
  const std::regex function("MBC_C_API [^(]*?(mbc_[a-z_]+)\\(");
  for (std::sregex_iterator it(header.begin(), header.end(), function), end; it != end; ++it)
    declared.insert((*it)[1].str());
  CHECK(listed.size() >= 55);
  for (const std::string& name : listed) CHECK_MESSAGE(shown.contains(name), name, " is gone: hosts are linked to it");
  for (const std::string& name : shown) {
    CHECK_MESSAGE(listed.contains(name), name, " is new: add it to tests/api/c/exports.txt");
    CHECK_MESSAGE(declared.contains(name), name, " is not declared in mbc_c.h");
  }
  CHECK(declared.size() == shown.size());
}

TEST_CASE("nothing is shown of what lies behind the interface") {
  std::size_t of_cpp = 0;
  for (const std::string& name : symbols("-C")) {
    if (name.starts_with("mbc_") || name == "MBC_0") continue;
    CAPTURE(name);
    ++of_cpp;
    CHECK(name.find("mbc::") != std::string::npos);
    for (const char* room : {"mbc::api::", "mbc::kernel::", "mbc::runtime::", "mbc::jit::", "mbc::sema::", "mbc::c::",
                             "mbc::Simulation::Impl::", "mbc::Model::State::", "mbc::SceneView::Impl::"})
      CHECK(name.find(room) == std::string::npos);
  }
  CHECK(of_cpp > 100);
}

TEST_CASE("every public header says that what it declares is shown") {
  std::size_t count = 0;
  for (const auto& entry : std::filesystem::directory_iterator(MBC_SOURCE_DIR "/include/mbc")) {
    const std::string text = read(entry.path().string());
    CAPTURE(entry.path().string());
    CHECK(text.find("\nnamespace mbc {") == std::string::npos);  // The header must use `namespace MBC_API mbc {`.
    count += text.find("\nnamespace MBC_API mbc {") != std::string::npos ? 1 : 0;
  }
  CHECK(count >= 14);
}
