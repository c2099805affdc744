// SPDX-License-Identifier: Apache-2.0
// Tests texts of models, names of files and words of the command line that contain terminal escapes, other control
// characters and bytes that are not UTF-8. The program writes none of them to any stream, and JSON output stays
// readable as JSON.
#include <doctest/doctest.h>

#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/physics/findings.h"
#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

using Words = std::vector<std::string>;

// Returns the first byte that a terminal obeys or that is not UTF-8, with its surroundings, or "".
std::string what_a_terminal_obeys(const std::string& text) {
  for (std::size_t at = 0; at < text.size(); ++at) {
    const auto c = static_cast<unsigned char>(text[at]),
               next = static_cast<unsigned char>(at + 1 < text.size() ? text[at + 1] : 0);
    const bool control =
        (c < 0x20 && c != '\n' && c != '\t') || c == 0x7F || (c == 0xC2 && next >= 0x80 && next < 0xA0);
    const bool turns = c == 0xE2 && (text.substr(at, 3) == "\xE2\x80\xAE" || text.substr(at, 3) == "\xE2\x81\xA6");
    const bool line_end = c == '\r' && next == '\n';  // CSV lines end with these characters.
    if ((control && !line_end) || turns || c == 0xFF)
      return "byte " + std::to_string(at) + ": " + text.substr(at > 20 ? at - 20 : 0, 40);
  }
  return "";
}

// These are ESC ] 0 ; (title of the window), ESC [ (colours), C1 CSI, DEL, and a control of the writing direction.
const std::string kNasty =
    "\x1b]0;title\x07\x1b[31mred\xC2\x9B"
    "5m\x7f\xE2\x80\xAE";

std::string nasty_model() {
  return "mbd 1\n"
         "/// doc " +
         kNasty +
         "\n"
         "param m = 1 ///< mass " +
         kNasty +
         "\n"
         "particle p(m) at (0, 0, 0)\n"
         "state n = 0\n"
         "at ev: 0.5 { n = 1; stop \"green " +
         kNasty +
         "\" }\n"
         "output table(t, // " +
         kNasty +
         "\n (0, 1), (0, 1))\n"
         "simulate r { time = 0 .. 1 step 0.5 }\n"
         "sweep s over r { m = 1 .. 2 count 2; record final(p.x) // " +
         kNasty +
         "\n}\n"
         "test \"title " +
         kNasty + "\" over r { check 1 > 2 }\n";
}

void check_silent(const Words& line, const Start& start = {}) {
  const Ran ran = run_mbc(line, start);
  INFO(line.front() << " " << (line.size() > 2 ? line[2] : ""));
  CHECK(what_a_terminal_obeys(ran.out) == "");
  CHECK(what_a_terminal_obeys(ran.err) == "");
  CHECK(ran.signal == 0);
  CHECK(ran.code != 70);
}

}  // namespace

TEST_CASE("no control character of a model comes out of any verb") {
  const Folder folder;
  const std::string model = folder / "m.mbd";
  write_file(model, nasty_model());
  REQUIRE(run_mbc({"check", model}).code == 0);
  REQUIRE(run_mbc({"run", model, "--quiet", "-o", folder / "a.csv"}).code == 0);
  for (const Words& line : {Words{"check", model},
                            Words{"check", model, "--json"},
                            Words{"run", model},
                            Words{"run", model, "--json"},
                            Words{"run", model, "--summary", "-", "-o", "/dev/null"},
                            Words{"run", model, "--events", "/dev/stdout", "-o", "/dev/null"},
                            Words{"run", model, "--colour=always"},
                            Words{"test", model},
                            Words{"test", model, "--json"},
                            Words{"info", model},
                            Words{"info", model, "--json"},
                            Words{"doctor", model},
                            Words{"doctor", model, "--json"},
                            Words{"compare", model, "--no-run"},
                            Words{"compare", model, "--csv", "-"},
                            Words{"sweep", model},
                            Words{"sweep", model, "--json"},
                            Words{"compile", model, "--emit=ast"},
                            Words{"compile", model, "--emit=model"},
                            Words{"compile", model, "--emit=kernel"},
                            Words{"compile", model, "--emit=header"},
                            Words{"plot", folder / "a.csv"},
                            Words{"plot", folder / "a.csv", "-o", "-"},
                            Words{"plot", folder / "a.csv", "--json"},
                            Words{"repl", model, "-e", "p.x"},
                            Words{"repl", model, "-e", ":rows"},
                            Words{"repl", model, "-e", "run 1"},
                            Words{"repl", model, "--json", "-e", "help m"},
                            Words{"fmt", "--check", model}})
    check_silent(line);
  const Ran stopped = run_mbc({"run", model, "-o", "/dev/null"});
  CHECK(has(stopped.err, "\\u001b[31mred\\u009b5m\\u007f\\u202e"));
}

TEST_CASE("colours are those of diagnostics, and not of the model beside them") {
  const Folder folder;
  const std::string model = folder / "m.mbd";
  write_file(model, "mbd 1\nparam a = \"\x1b[1;31m\"\n");
  const Ran ran = run_mbc({"check", model, "--colour=always"});
  CHECK(ran.code == 1);
  CHECK(has(ran.err, "\x1b[1;31merror["));  // This escape is the program's own.
  CHECK(has(ran.err, "\"\xEF\xBF\xBD[1;31m\""));
  write_file(model, nasty_model());
  const Ran tested = run_mbc({"test", model, "--colour=always"});
  CHECK(has(tested.out, "\x1b[1"));
  for (const char* of_model : {"\x1b[31m", "\x1b]0;", "\x7f", "\xC2\x9B"}) CHECK_FALSE(has(tested.out, of_model));
}

TEST_CASE("no control character of the command line comes back") {
  const Folder folder;
  write_file(folder / "m.mbd", kFall);
  const std::string nasty = kNasty + "\xff\xc0\x9b\xe0\x80\x9b";
  for (const Words& line : {Words{nasty},
                            Words{"run", nasty},
                            Words{"run", folder / nasty},
                            Words{"run", folder / "m.mbd", nasty},
                            Words{"run", folder / "m.mbd", "--set", nasty + "=1"},
                            Words{"run", folder / "m.mbd", "--set", "g=" + nasty},
                            Words{"run", folder / "m.mbd", "--input", nasty},
                            Words{"run", folder / "m.mbd", "--variables", nasty},
                            Words{"run", folder / "m.mbd", "--until-event", nasty},
                            Words{"run", folder / "m.mbd", "-o", folder / (nasty + ".x")},
                            Words{"run", folder / "m.mbd", "-o", "/nowhere/" + nasty + ".csv"},
                            Words{"run", "--" + nasty},
                            Words{"explain", nasty},
                            Words{"doc", nasty},
                            Words{"examples", nasty},
                            Words{"compile", folder / "m.mbd", "--emit", nasty},
                            Words{"plot", nasty},
                            Words{"view", nasty + ".csv"},
                            Words{"resume", nasty},
                            Words{"repl", folder / "m.mbd", "-e", nasty},
                            Words{"sweep", folder / "m.mbd", "--vary", nasty},
                            Words{"test", nasty},
                            Words{"fmt", nasty},
                            Words{"run", folder / "m.mbd", "--max-time", nasty},
                            Words{"run", folder / "m.mbd", "--colour", nasty}}) {
    check_silent(line);
    Words json = line;
    if (line.size() > 1 && line[0] == "run") json.emplace_back("--diagnostics=json");
    check_silent(json);
  }
  check_silent({"run", "-"}, {.input = "mbd 1\nparticle " + nasty});
  check_silent({"fmt", "-"}, {.input = "mbd 1\nparticle " + nasty});
  check_silent({}, {.input = "1 + " + nasty + "\n:" + nasty + "\nplot " + nasty + "\n"});
}

TEST_CASE("names of files with escapes, in models and beside them") {
  const Folder folder;
  write_file(folder / "escapes.mbd", finding("escapes"));
  check_silent({"run", folder / "escapes.mbd", "r"});
  write_file(folder / "e\x1b[31m.csv", "t,v\n0,1\n1,2\n");  // With this table the model is valid.
  for (const Words& line : {Words{"check", folder / "escapes.mbd"}, Words{"run", folder / "escapes.mbd", "r"},
                            Words{"test", folder / "escapes.mbd"}, Words{"info", folder / "escapes.mbd"},
                            Words{"run", folder / "escapes.mbd", "r", "-o", folder / "a.csv"},
                            Words{"plot", folder / "a.csv"}, Words{"compile", folder / "escapes.mbd", "--emit=header"}})
    check_silent(line);
  CHECK(what_a_terminal_obeys(read_file(folder / "a.csv")) == "");
  CHECK(has(read_file(folder / "a.csv"), "table(t, \"\"e\\u001b[31m.csv\"\")"));
}

TEST_CASE("JSON with texts of models is JSON, and has the texts") {
  const Folder folder;
  write_file(folder / "m.mbd", nasty_model());
  for (const Words& line : {Words{"info", folder / "m.mbd", "--json"}, Words{"run", folder / "m.mbd", "--json"}}) {
    const nlohmann::json answer = nlohmann::json::parse(run_mbc(line).out, nullptr, false);
    REQUIRE_FALSE(answer.is_discarded());
    CHECK(has(answer.dump(),
              "\xC2\x9B"
              "5m\x7f\xE2\x80\xAE"));
  }
  const std::string open = R"({"jsonrpc":"2.0","id":1,"method":"initialize","params":{"capabilities":{}}})";
  const nlohmann::json opened = {
      {"jsonrpc", "2.0"},
      {"method", "textDocument/didOpen"},
      {"params",
       {{"textDocument", {{"uri", "file:///m.mbd"}, {"languageId", "mbd"}, {"version", 1}, {"text", nasty_model()}}}}}};
  std::string input;
  const std::string hover =
      R"({"jsonrpc":"2.0","id":3,"method":"textDocument/hover","params":{"textDocument":{"uri":"file:///m.mbd"},"position":{"line":2,"character":6}}})";
  for (const std::string& body :
       {open, opened.dump(), hover, std::string(R"({"jsonrpc":"2.0","id":2,"method":"shutdown"})"),
        std::string(R"({"jsonrpc":"2.0","method":"exit"})")})
    input += "Content-Length: " + std::to_string(body.size()) + "\r\n\r\n" + body;
  const Ran ran = run_mbc({"lsp"}, {.input = input});
  CHECK(has(ran.out, "\"id\":3"));
  CHECK(has(ran.out, "param m = 1"));
  CHECK(what_a_terminal_obeys(ran.out) == "");
}

}  // namespace mbc::test
