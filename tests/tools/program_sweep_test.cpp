// SPDX-License-Identifier: Apache-2.0
// Tests `mbc sweep`: rows, exit statuses, files, stdout and stderr.
#include <doctest/doctest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <nlohmann/json.hpp>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

std::size_t lines(const std::string& text) {
  return static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n'));
}

const char* kThrown = R"(mbd 1
/// speed
param v = 3 [m/s], m = 1 [kg]
particle p(m) at (0, 0, 0) [m] moving (v, 0 [m/s], v)
gravity (0, 0, -10) [m/s^2]
output range = p.x
simulate throw { time = 0 [s] .. 0.5 [s] count 32; integrator = rk4 }
sweep speeds over throw { v = 1 [m/s] .. 2 [m/s] count 3; record max_over(p.z), norm(p.pos), p.x }
)";

}  // namespace

TEST_CASE("sweep: a row a member on stdout, the summary on stderr") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kThrown);
  const Ran r = run_mbc({"sweep", file, "--interpret"});
  CHECK(r.code == 0);
  CHECK(has(r.out, "member,v,max_over(p.z),norm(p.pos),p.x,status,reason\r\n1,1,"));
  CHECK(has(r.out, "\r\n3,2,"));
  CHECK(has(r.out, ",1,complete,\r\n"));
  CHECK(lines(r.out) == 4);
  CHECK(has(r.err, "sweep speeds over throw: v 1 .. 2 m/s (3 values)\n"));
  CHECK(has(r.err, "3 members, none failed; "));
  CHECK(has(r.err, " by interpreter"));
  CHECK(run_mbc({"sweep", file, "speeds", "--quiet", "--jobs", "2"}).out == r.out);
  CHECK(run_mbc({"sweep", file, "--quiet"}).err.empty());
  const Ran piped =
      run_mbc({"sweep", "-", "throw", "--quiet", "--vary", "v = (4, 5)", "--set", "m=2"}, {.input = kThrown});
  CHECK(piped.out == "member,v,range,status,reason\r\n1,4,2,complete,\r\n2,5,2.5,complete,\r\n");
  CHECK(has(run_mbc({"sweep", file, "--time-passes"}).err, "members"));
}

TEST_CASE("sweep: files and their sidecar") {
  const Folder folder;
  const std::string file = folder / "a.mbd", csv = folder / "out.csv";
  write_file(file, kThrown);
  const Ran r = run_mbc({"sweep", file, "-o", csv, "--set", "m = 2 [kg]", "--record", "p.y"});
  CHECK(r.code == 0);
  CHECK(r.out.empty());
  CHECK(has(r.err, "wrote " + csv + " (3 rows) and " + csv + ".json\n"));
  CHECK(has(read_file(csv), "member,v,max_over(p.z),norm(p.pos),p.x,p.y,status,reason\r\n"));
  const auto j = nlohmann::json::parse(read_file(csv + ".json"));
  CHECK(j["status"] == "complete");
  CHECK(j["rows"] == 3);
  CHECK(j["columns"][1]["name"] == "v");
  CHECK(j["columns"][1]["unit"] == "m/s");
  CHECK(j["columns"][2]["unit"] == "m");
  CHECK(j["settings"]["members"] == 3);
  CHECK(j["settings"]["set.1"] == "m = 2 [kg]");
  CHECK(j["settings"]["record.1"] == "p.y");
  const Ran full = run_mbc({"sweep", file, "-o", "/dev/full"});
  CHECK(full.code == 74);
  CHECK(has(full.err, "No space left on device"));
  CHECK(run_mbc({"sweep", file, "-o", folder / "none/a.csv"}).code == 74);
  CHECK(run_mbc({"sweep", file, "-o", file}).code == 2);
  CHECK(read_file(file) == kThrown);
}

TEST_CASE("sweep: JSON lines") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kThrown);
  const Ran r = run_mbc({"sweep", file, "throw", "--json", "--vary", "m = (1, 0)", "--vary", "v = 2"});
  CHECK(r.code == 0);
  REQUIRE(lines(r.out) == 2);
  const auto first = nlohmann::json::parse(r.out.substr(0, r.out.find('\n')));
  CHECK(first["member"] == 1);
  CHECK(first["varied"]["m"] == 1);
  CHECK(first["recorded"]["range"] == 1);
  CHECK(first["status"] == "complete");
  const auto second = nlohmann::json::parse(r.out.substr(r.out.find('\n') + 1));
  CHECK(second["status"] == "impossible");
  CHECK(has(second["reason"], "the mass of `p`"));
}

TEST_CASE("sweep: exit statuses") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kThrown);
  const auto ran = [&](const std::vector<std::string>& more) {
    std::vector<std::string> args{"sweep", file, "throw", "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run_mbc(args);
  };
  CHECK(ran({"--vary", "m = (1, -1)"}).code == 0);
  const Ran failed = ran({"--vary", "m = (0, -1)"});
  CHECK(failed.code == 4);
  CHECK(lines(failed.out) == 3);
  CHECK(ran({"--vary", "q = (1, 2)"}).code == 1);
  const Ran json = ran({"--vary", "q = (1, 2)", "--diagnostics=json"});
  CHECK(nlohmann::json::parse(json.err)["code"] == "E0481");
  CHECK(ran({}).code == 1);
  CHECK(ran({"--vary", "m = (1, 2)", "--jobs", "0"}).code == 2);
  CHECK(run_mbc({"sweep"}).code == 2);
  CHECK(run_mbc({"sweep", folder / "none.mbd"}).code == 1);
}

TEST_CASE("sweep: where no thread can be made it says so") {
  const auto alone = [] {  // The process runs as a user who may have one process, because root may have any number.
    const rlimit one{1, 1};
    setrlimit(RLIMIT_NPROC, &one);
    if (geteuid() == 0 && setuid(65534) != 0) _exit(127);
  };
  const Ran r =
      run_mbc({"sweep", "-", "--vary", "g = 1 .. 2 count 3", "--record", "p.z"},
              {.input = kFall, .setenv = {{"MBC_CACHE", "off"}, {"ASAN_OPTIONS", "detect_leaks=0"}}, .prepare = alone});
  if (r.code == 127) {
    MESSAGE("the program is not there for others");
    return;
  }
  CHECK(r.code == 4);
  CHECK(r.out.empty());
  CHECK(has(r.err, "there is no thread to run on: Resource temporarily unavailable\n"));
}

TEST_CASE("sweep: an interrupt keeps the rows that are complete") {
  const Folder folder;
  const std::string file = folder / "a.mbd", csv = folder / "out.csv";
  write_file(file,
             "mbd 1\nparam v = 1\nparticle p(1) at (0, 0, 0) moving (v, 0, 0)\nsimulate demo { time = 0 .. 100 step "
             "0.001 }\n");
  const Ran r = run_mbc({"sweep", file, "-o", csv, "--vary", "v = 1 .. 100000 step 1", "--record", "p.x"},
                        {.meanwhile = [&](pid_t child) {
                          CHECK(wait_until([&] { return lines(read_file(csv + ".partial")) > 3; }));
                          kill(child, SIGINT);
                        }});
  CHECK(r.code == 130);
  CHECK(has(r.err, " of 100000, interrupted"));
  const std::string text = read_file(csv);
  CHECK(text.ends_with(",complete,\r\n"));
  CHECK(has(text, "\r\n2,2,"));
  CHECK(nlohmann::json::parse(read_file(csv + ".json"))["status"] == "interrupted");
}

TEST_CASE("info lists sweeps") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kThrown);
  CHECK(has(run_mbc({"info", file}).out, "sweep speeds over throw: 3 members\n  v = 1 m/s .. 2 m/s (3 values)\n"));
  const auto j = nlohmann::json::parse(run_mbc({"info", file, "--json"}).out);
  CHECK(j["sweeps"][0]["varied"][0]["values"] == 3);
}

TEST_CASE("sweep: parts of the list are joined to the result of one command") {
  const Folder folder;
  const std::string file = folder / "a.mbd", whole = folder / "whole.csv", joined = folder / "joined.csv";
  // `n` shapes the model and has the last name; some members fail
  write_file(file, std::string(kThrown) +
                       "param n: int = 1\nlet twice = (2*v)^n\n"
                       "sweep many over throw { m = (1, 0, 2) [kg]; v = 1 .. 4 step 1 in [m/s]; n = (1, 2); record "
                       "p.x, twice/v^n }\n");
  REQUIRE(run_mbc({"sweep", file, "many", "-o", whole, "--quiet"}).code == 0);
  std::vector<std::string> join{"sweep", "--join"};
  for (const char* members : {"9..20", "1..3", "21..", "4..8", "8", "10..11"}) {
    join.push_back(folder / (std::string("part") + std::to_string(join.size()) + ".csv"));
    const Ran part = run_mbc({"sweep", file, "many", "-o", join.back(), "--members", members});
    CAPTURE(part.err);
    CHECK(part.code == (std::string(members) == "10..11" || std::string(members) == "9..20" ? part.code : 0));
  }
  for (const char* more : {"-o", joined.c_str()}) join.emplace_back(more);
  const Ran all = run_mbc(join);
  CHECK_MESSAGE(all.code == 0, all.err);
  CHECK(has(all.err, "joined 6 parts: 24 members, 8 failed\nwrote " + joined + " (24 rows) and " + joined + ".json\n"));
  CHECK(read_file(joined) == read_file(whole));
  std::string described = read_file(joined + ".json");
  described.replace(described.find("joined.csv"), 10, "whole.csv");
  CHECK(described == read_file(whole + ".json"));
}

TEST_CASE("sweep: parts that do not belong together, and missing members") {
  const Folder folder;
  const std::string file = folder / "a.mbd", one = folder / "1.csv", two = folder / "2.csv", out = folder / "out.csv";
  write_file(file, kThrown);
  const auto sweep = [&](const std::string& to, const std::vector<std::string>& more) {
    std::vector<std::string> args{"sweep", file, "throw", "--vary", "v = 1 .. 9 step 1", "-o", to, "--quiet"};
    args.insert(args.end(), more.begin(), more.end());
    return run_mbc(args);
  };
  REQUIRE(sweep(one, {"--members", "1..2"}).code == 0);
  REQUIRE(sweep(two, {"--members", "5..7"}).code == 0);
  const Ran gaps = run_mbc({"sweep", "--join", two, one, "-o", out});
  CHECK(gaps.code == 4);
  CHECK(has(gaps.err, "members are missing: 3..4, 8..9; run them with --members, and join again"));
  CHECK(lines(read_file(out)) == 6);
  CHECK(has(read_file(out + ".json"), "\"status\": \"stopped\""));

  const auto refused = [&](const std::string& text) {
    const Ran r = run_mbc({"sweep", "--join", one, two, "-o", folder / "none.csv"});
    CAPTURE(r.err);
    CHECK(r.code == 2);
    CHECK(has(r.err, text));
    CHECK(!std::filesystem::exists(folder / "none.csv"));
  };
  REQUIRE(sweep(two, {"--members", "5..7", "--set", "m=2"}).code == 0);
  refused("2.csv` is of another sweep than `" + one + "`: it has other parameters");
  REQUIRE(sweep(two, {"--members", "5..7", "--record", "p.z"}).code == 0);
  refused("it has other columns");
  REQUIRE(sweep(two, {"--members", "2..7", "--set", "integrator=rk4"}).code == 0);
  refused("it has another `set.1`");
  REQUIRE(sweep(two, {"--members", "2..7"}).code == 0);
  std::string rows = read_file(two);
  rows.replace(rows.find("\r\n2,2,"), 6, "\r\n2,3,");
  write_file(two, rows);
  refused("member 2 differs between `" + one + "` and `" + two + "`");
  rows.replace(rows.find("\r\n2,3,"), 6, "\r\n2,2,");
  rows.replace(rows.find("\r\n4,"), 4, "\r\n1,");
  write_file(two, rows);
  refused("2.csv` has a row that does not follow member 3");
  std::filesystem::remove(two + ".json");
  refused("2.csv` has no description");
  std::filesystem::remove(two);
  write_file(file, std::string(kThrown) + "// another text\n");
  REQUIRE(sweep(two, {"--members", "5..7"}).code == 0);
  refused("it has another text or name of the model");

  CHECK(has(sweep(two, {"--members", "5..10"}).err, "--members: the sweep has 9 members"));
  for (const char* wrong : {"0..3", "3..1", "x", "1..2..3", "-1", "1..-2", ""}) {
    const Ran r = sweep(two, {std::string("--members=") + wrong});
    CAPTURE(wrong);
    CHECK(r.code == 2);
  }
  CHECK(has(run_mbc({"sweep", file, "--join", one}).err, "--join takes results, -o, --force and --quiet alone"));
  for (const char* idle : {"--interpret", "--native", "--no-cache", "--time-passes"})
    CHECK(has(run_mbc({"sweep", idle, "--join", one}).err, "--join takes results, -o, --force and --quiet alone"));
  CHECK(run_mbc({"sweep", "--join", one, "-o", one}).code == 2);
}

}  // namespace mbc::test
