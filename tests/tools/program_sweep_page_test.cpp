// SPDX-License-Identifier: Apache-2.0
// Tests `mbc sweep --report`: it reads back the data in the page and compares its motions with separate runs.
#include <doctest/doctest.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/scratch.h"
#include "tests/tools/page_data.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

const char* kSwing =
    "mbd 1\n"
    "param L = 1 [m], m = 2 [kg], n: int = 1\n"
    "input wind [N] = 0\n"
    "particle bob(m) at (L, 0, 0)\n"
    "gravity (0, 0, -10) [m/s^2]\n"
    "force f on bob: (0 [N], wind, 0 [N])\n"
    "constraint rod: dist(ground, bob) == L\n"
    "output E = energy.total, tension = -rod.lambda\n"
    "simulate swing { time = 0 [s] .. 1 [s] step 0.01 [s]; integrator = rk4 }\n"
    "sweep all over swing {\n  L = 0.5 [m] .. 1.5 [m] count 5\n  m = (0, 1, 2) [kg]\n  wind = (0, 1) [N]\n"
    "  record max_over(tension)\n}\n";

Json element(const std::string& page, const std::string& id) {
  const std::string mark = "<script type=\"application/json\" id=\"" + id + "\">";
  const std::size_t at = page.find(mark);
  if (at == std::string::npos) return {};
  const std::size_t begin = at + mark.size();
  return Json::parse(page.substr(begin, page.find("</script>", begin) - begin));
}

std::vector<std::vector<std::string>> rows_of(const std::string& csv) {
  std::vector<std::vector<std::string>> rows;
  std::istringstream text(csv);
  for (std::string line; std::getline(text, line);) {
    rows.emplace_back();
    std::istringstream fields(line);
    for (std::string field; std::getline(fields, field, ',');) rows.back().push_back(field);
  }
  return rows;
}

}  // namespace

TEST_CASE("the page of a sweep holds its rows, and the motions of members on a coarser grid") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kSwing);
  const std::string alone = run_mbc({"sweep", file, "--quiet"}).out;
  const Ran ran = run_mbc({"sweep", file, "--report", folder / "a.html", "--motions", "12"});
  REQUIRE_MESSAGE(ran.code == 0, ran.err);
  CHECK(ran.out == alone);
  const std::string page = read_file(folder / "a.html");
  const Json data = data_of(page);
  CHECK(data["members"] == 30);
  CHECK(data["shown"] == 30);
  CHECK(data["varied"][0]["name"] == "L");
  CHECK(data["varied"][0]["unit"] == "m");
  CHECK(data["varied"][2]["count"] == 2);
  CHECK(has(data["summary"], "10 failed"));
  const auto values = numbers<double>(data["values"]), recorded = numbers<double>(data["recorded"]);
  const auto status = numbers<std::uint8_t>(data["status"]);
  const auto rows = rows_of(alone);
  REQUIRE(rows.size() == 31);
  for (std::size_t k = 0; k < 30; ++k) {
    const std::vector<std::string>& row = rows[k + 1];
    for (std::size_t i = 0; i < 3; ++i) CHECK(values[3 * k + i] == std::stod(row[1 + i]));
    CHECK(data["statuses"][status[k]] == row[5]);
    if (row[5] == "complete")
      CHECK(recorded[k] == std::stod(row[4]));
    else
      CHECK(std::isnan(recorded[k]));
  }
  CHECK(has(data["reasons"]["1"], "E"));  // The mass of this member is 0.
  std::size_t motions = 0;
  for (int k = 1; k <= 30; ++k) motions += element(page, "member-" + std::to_string(k)).is_null() ? 0 : 1;
  CHECK(motions > 4);
  CHECK(motions <= 12);
  CHECK(has(ran.err, "wrote " + (folder / "a.html") + " (" + std::to_string(motions) + " motions)\n"));
  for (const char* word : {"http://", "https://", "src=", "@import", "url("}) CHECK_MESSAGE(!has(page, word), word);
}

TEST_CASE("a motion in the page of a sweep is that of the run with its values") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kSwing);
  REQUIRE(run_mbc({"sweep", file, "-o", folder / "a.csv", "--report", folder / "a.html", "--quiet"}).code == 0);
  // The member has L = 1.5, m = 2 and wind = 1.
  const Json motion = element(read_file(folder / "a.html"), "member-30");
  REQUIRE(motion.is_object());
  REQUIRE(run_mbc({"run", file, "-o", folder / "b.csv", "--set", "L = 1.5", "--set", "m = 2", "--set", "wind = 1",
                   "--report", folder / "b.html", "--quiet"})
              .code == 0);
  const Json one = data_of(read_file(folder / "b.html"));
  CHECK(motion["frames"] == 101);
  for (const char* part : {"times", "poses", "arrows", "scene", "parameters"}) CHECK(motion[part] == one[part]);
}

TEST_CASE("what shapes the model, and standard input, have motions as well") {
  const Folder folder;
  const std::vector<std::string> line = {"sweep",          "-",        "--vary",          "n = (1, 2)", "-o",
                                         folder / "a.csv", "--report", folder / "a.html", "--quiet"};
  std::string text = kSwing;
  text.replace(text.find("particle bob"), 0, "particle more[i in 1..n](1 [kg]) at (0, i, 0) [m]\n");
  text.erase(text.find("sweep all"));
  REQUIRE(run_mbc(line, {.input = text}).code == 0);
  const std::string page = read_file(folder / "a.html");
  CHECK(element(page, "member-1")["scene"]["parts"].size() == 2);
  CHECK(element(page, "member-2")["scene"]["parts"].size() == 3);
}

TEST_CASE("places and numbers of motions are judged before the sweep") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kSwing);
  const Ran without = run_mbc({"sweep", file, "--motions", "3"});
  CHECK(without.code == 2);
  CHECK(has(without.err, "it needs --report OUT.html"));
  CHECK(run_mbc({"sweep", file, "--report", folder / "a.txt"}).code == 2);
  CHECK(run_mbc({"sweep", file, "--report", folder / "none/a.html"}).code == 74);
  REQUIRE(run_mbc({"sweep", file, "--report", folder / "a.html", "--motions", "0", "--quiet"}).code == 0);
  CHECK_FALSE(has(read_file(folder / "a.html"), "id=\"member-"));
}

}  // namespace mbc::test
