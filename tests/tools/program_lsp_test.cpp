// SPDX-License-Identifier: Apache-2.0
// Tests `mbc lsp` as an editor starts it: a process, two pipes, and an exit status.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

using namespace mbc::test;
using nlohmann::json;

namespace {

std::string framed(const json& message) {
  const std::string body = message.dump();
  return "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
}

std::string request(int id, const std::string& method, const json& params) {
  return framed({{"jsonrpc", "2.0"}, {"id", id}, {"method", method}, {"params", params}});
}

std::string notification(const std::string& method, const json& params) {
  return framed({{"jsonrpc", "2.0"}, {"method", method}, {"params", params}});
}

// Returns the written messages in order.
std::vector<json> messages(const std::string& out) {
  std::vector<json> all;
  std::size_t at = 0;
  while (at < out.size()) {
    REQUIRE(out.compare(at, 16, "Content-Length: ") == 0);
    const std::size_t size = std::stoul(out.substr(at + 16)), body = out.find("\r\n\r\n", at) + 4;
    all.push_back(json::parse(out.substr(body, size)));
    at = body + size;
  }
  return all;
}

}  // namespace

TEST_CASE("mbc lsp serves an editor and ends when it is told to") {
  const Folder folder;
  const std::string text =
      "mbd 1\nuse joints\nbody b(mass = 1, inertia = diag(1, 1, 1)) at (0, 0, 0)\nSpherical s(ground, b)\nlet x = y\n";
  const std::string uri = "file://" + folder / "a.mbd";
  const json document = {{"uri", uri}, {"languageId", "mbd"}, {"version", 1}, {"text", text}};
  const json place = {{"textDocument", {{"uri", uri}}}, {"position", {{"line", 3}, {"character", 2}}}};
  const std::string input = request(1, "initialize", json::object()) + notification("initialized", json::object()) +
                            notification("textDocument/didOpen", {{"textDocument", document}}) +
                            request(2, "textDocument/definition", place) + request(3, "shutdown", nullptr);
  const Ran ran = run_mbc({"lsp", "--stdio"}, {.input = input + notification("exit", nullptr),
                                               .setenv = {{"MBC_CACHE", folder / "cache"}}});
  CHECK(ran.code == 0);
  CHECK(ran.err.empty());
  const std::vector<json> all = messages(ran.out);
  REQUIRE(all.size() == 4);
  CHECK(all[0]["result"]["serverInfo"]["name"] == "mbc");
  REQUIRE(all[1]["method"] == "textDocument/publishDiagnostics");
  CHECK(all[1]["params"]["diagnostics"][0]["code"] == "E0201");
  const std::string copy = all[2]["result"]["uri"].get<std::string>().substr(7);
  CHECK(copy.starts_with(folder / "cache"));
  CHECK(read_file(copy).find("joint Spherical(") != std::string::npos);
  CHECK((std::filesystem::status(copy).permissions() & std::filesystem::perms::owner_write) ==
        std::filesystem::perms::none);
  CHECK(all[3]["id"] == 3);
  CHECK(run_mbc({"lsp"}, {.input = input}).code == 1);
  CHECK(run_mbc({"lsp"}, {.input = ""}).code == 1);
  CHECK(run_mbc({"lsp"}, {.input = "GET / HTTP/1.1\r\nHost: x\r\n\r\n"}).code == 1);
}
