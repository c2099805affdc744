// SPDX-License-Identifier: Apache-2.0
// Tests the output, changes and exit statuses of `mbc test` and `mbc fmt`.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

using Json = nlohmann::json;

std::vector<Json> objects(const std::string& lines) {
  std::vector<Json> out;
  std::istringstream in(lines);
  for (std::string line; std::getline(in, line);) out.push_back(Json::parse(line));
  return out;
}

const std::string kGood =
    std::string(kFall) + "test \"falls\" over demo { check p.z == 1 - g*t^2/2 within 1e-12 always }\n";
const std::string kBad = std::string(kFall) + "test \"rises\" over demo { check p.z > 0.9 always }\n" +
                         "test \"falls\" over demo { check p.z < 0.9 }\n";
const std::string kLoose = "mbd 1\nlet   a=1+2 // one\n";
const std::string kTidy = "mbd 1\nlet a = 1 + 2  // one\n";

}  // namespace

TEST_CASE("test: a line for each, exit status 1 when one failed") {
  const Folder folder;
  write_file(folder / "good.mbd", kGood);
  write_file(folder / "bad.mbd", kBad);
  const Ran good = run_mbc({"test", folder / "good.mbd"});
  CHECK(good.code == 0);
  CHECK(has(good.out, "\"falls\" over demo (1 check, 11 rows, "));
  CHECK(good.out.ends_with("1 passed, 0 failed\n"));
  CHECK(good.err.empty());
  const Ran both = run_mbc({"test", "--interpret", folder / "good.mbd", folder / "bad.mbd"});
  CHECK(both.code == 1);
  CHECK(has(both.out, "FAILED  " + (folder / "bad.mbd")));
  CHECK(has(both.out, "bad.mbd:7:32: error[E0650]"));
  CHECK(has(both.out, "at t = 0.2"));
  CHECK(both.out.ends_with("2 passed, 1 failed\n"));
  const Ran piped = run_mbc({"test", "-"}, {kGood});
  CHECK(piped.code == 0);
  CHECK(has(piped.out, "<stdin>"));
}

TEST_CASE("test: parameters from outside, models without tests and with errors") {
  const Folder folder;
  write_file(folder / "good.mbd", kGood);
  write_file(folder / "none.mbd", kFall);
  write_file(folder / "broken.mbd", "mbd 1\nlet a = b\n");
  const Ran set = run_mbc({"test", folder / "good.mbd", "--set", "g=1.6", "--set", "demo.time.end=2"});
  CHECK(set.code == 0);
  CHECK(has(set.out, "21 rows"));
  const Ran none = run_mbc({"test", folder / "none.mbd"});
  CHECK(none.code == 0);
  CHECK(none.out.ends_with("0 passed, 0 failed, 1 model without tests\n"));
  const Ran broken = run_mbc({"test", folder / "broken.mbd", folder / "good.mbd", folder / "missing.mbd"});
  CHECK(broken.code == 1);
  CHECK(has(broken.err, "E0201"));
  CHECK(has(broken.err, "E0701"));
  CHECK(broken.out.ends_with("1 passed, 0 failed, 2 models with errors\n"));
}

TEST_CASE("test: one JSON object a test") {
  const Folder folder;
  write_file(folder / "bad.mbd", kBad);
  write_file(folder / "broken.mbd", "mbd 1\nlet a = b\n");
  const Ran ran = run_mbc({"test", "--json", "--interpret", folder / "bad.mbd", folder / "broken.mbd"});
  CHECK(ran.code == 1);
  CHECK(ran.err.empty());
  const std::vector<Json> tests = objects(ran.out);
  REQUIRE(tests.size() == 3);
  CHECK(tests[0]["test"] == "rises");
  CHECK(tests[0]["passed"] == false);
  CHECK(tests[0]["failures"][0]["code"] == "E0650");
  CHECK(tests[0]["engines"] == Json{"interpreter"});
  CHECK(tests[1]["test"] == "falls");
  CHECK(tests[1]["passed"] == true);
  CHECK(tests[1]["rows"] == 11);
  CHECK(tests[1]["line"] == 8);
  CHECK(tests[2]["test"] == nullptr);
  CHECK(tests[2]["failures"][0]["code"] == "E0201");
}

TEST_CASE("fmt: in place, only what changes, nothing with mistakes in it") {
  const Folder folder;
  write_file(folder / "loose.mbd", kLoose);
  write_file(folder / "tidy.mbd", kTidy);
  write_file(folder / "broken.mbd", "mbd 1\nlet  a = = 2\n");
  chmod((folder / "loose.mbd").c_str(), 0640);
  const auto long_ago = std::filesystem::last_write_time(folder / "tidy.mbd") - std::chrono::hours(1);
  std::filesystem::last_write_time(folder / "tidy.mbd", long_ago);
  const Ran check = run_mbc({"fmt", "--check", folder / "loose.mbd", folder / "tidy.mbd"});
  CHECK(check.code == 1);
  CHECK(check.out == (folder / "loose.mbd") + "\n");
  CHECK(read_file(folder / "loose.mbd") == kLoose);
  const Ran ran = run_mbc({"fmt", folder / "broken.mbd", folder / "loose.mbd", folder / "tidy.mbd"});
  CHECK(ran.code == 1);
  CHECK(has(ran.err, "broken.mbd:2:"));
  CHECK(ran.out.empty());
  CHECK(read_file(folder / "loose.mbd") == kTidy);
  CHECK(read_file(folder / "broken.mbd") == "mbd 1\nlet  a = = 2\n");
  CHECK(std::filesystem::last_write_time(folder / "tidy.mbd") == long_ago);
  struct stat info {};
  REQUIRE(stat((folder / "loose.mbd").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
  CHECK(run_mbc({"fmt", "--check", folder / "loose.mbd", folder / "tidy.mbd"}).code == 0);
  CHECK(folder.entries() == 3);  // No temporary file is left.
}

TEST_CASE("fmt: standard input to standard output, links, files that are not there") {
  const Folder folder;
  const Ran piped = run_mbc({"fmt", "-"}, {kLoose});
  CHECK(piped.code == 0);
  CHECK(piped.out == kTidy);
  CHECK(run_mbc({"fmt", "--check", "-"}, {kLoose}).code == 1);
  CHECK(run_mbc({"fmt", "-"}, {"let a = 1\n"}).code == 1);
  write_file(folder / "loose.mbd", kLoose);
  REQUIRE(symlink("loose.mbd", (folder / "link.mbd").c_str()) == 0);
  CHECK(run_mbc({"fmt", folder / "link.mbd"}).code == 0);
  CHECK(std::filesystem::is_symlink(folder / "link.mbd"));
  CHECK(read_file(folder / "loose.mbd") == kTidy);
  const Ran missing = run_mbc({"fmt", folder / "missing.mbd"});
  CHECK(missing.code == 1);
  CHECK(has(missing.err, "cannot read"));
}

}  // namespace mbc::test
