// SPDX-License-Identifier: Apache-2.0
// Tests that no verb overwrites a file that it reads or a file that is not a result of mbc, and that it writes no
// hidden file and nothing below a hidden folder. A `save` in a model stays in its folder. Earlier results of the
// program may be replaced.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <map>

#include "tests/physics/findings.h"
#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;

constexpr const char* kMine = "what somebody has written by hand\n";
constexpr const char* kTable = "t [s],v [m/s]\n0,2\n10,3\n";
// The model reads itself, a module and two tables.
constexpr const char* kModel = R"(mbd 1
use "law.txt"
param g = 9.81 [m/s^2]
space 1
input wind [m/s] = 0
particle p(1 [kg]) at 0 [m]
force f on p: (drag * (wind + table(t, "gust.csv") - p.vx))
output wind
at half: 0.5 [s] { p.vx = 0 [m/s] }
simulate run { time = 0 [s] .. 1 [s] step 0.1 [s]; input.wind = table(t, "wind.csv") }
sweep many over run { g = 9 [m/s^2] .. 10 [m/s^2] count 2; record final(p.x) }
)";
constexpr const char* kModule = "mbd 1\nlet drag = 1 [N*s/m]\n";

// Returns every file below the folder with its bytes; for links, their targets.
std::map<std::string, std::string> all_of(const std::string& folder) {
  std::map<std::string, std::string> out;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    const std::string path = entry.path().string();
    out[path] = entry.is_symlink()        ? "-> " + fs::read_symlink(entry.path()).string()
                : entry.is_regular_file() ? read_file(path)
                                          : "";
  }
  return out;
}

struct Writes {
  Words line;          // words of the command; the name of the written file follows
  std::string ending;  // the ending of this file
};

// Returns all verbs that write files with names given by the user.
std::vector<Writes> verbs(const std::string& model, const std::string& result) {
  std::vector<Writes> all = {{{"run", model, "run", "--quiet", "-o"}, "csv"},
                             {{"run", model, "run", "--quiet", "-o"}, "h5"},
                             {{"run", model, "run", "--quiet", "-o", "-", "--summary"}, "json"},
                             {{"run", model, "run", "--quiet", "-o", "-", "--events"}, "csv"},
                             {{"run", model, "run", "--quiet", "-o", "-", "--events"}, "json"},
                             {{"run", model, "run", "--quiet", "-o", "-", "--report"}, "html"},
                             {{"sweep", model, "many", "--quiet", "-o"}, "csv"},
                             {{"sweep", model, "many", "--quiet", "--json", "-o"}, "json"},
                             {{"sweep", model, "many", "--quiet", "-o", "-", "--report"}, "html"},
                             {{"compare", model, "run", "--quiet", "--no-run", "--samples", "1", "--csv"}, "csv"},
                             {{"view", model, "run", "--quiet", "--json", "-o"}, "html"},
                             {{"view", result, "--quiet", "--json", "-o"}, "html"},
                             {{"plot", result, "p.x", "-o"}, "svg"},
                             {{"compile", model, "--emit=header", "-o"}, "h"},
                             {{"compile", model, "--emit=kernel", "-o"}, "txt"},
                             {{"compile", model, "--emit=fmu", "-o"}, "fmu"},
                             {{"compile", model, "--emit=exe", "-o"}, ""}};
#ifdef MBC_HAVE_JIT
  for (const char* ending : {"ll", "bc", "s", "o", "a", "so"}) all.push_back({{"compile", model, "-o"}, ending});
#endif
  return all;
}

struct Place {
  std::string path, why;
};

}  // namespace

TEST_CASE("no verb writes over what it reads, over the file of somebody, or out of sight") {
  const Folder folder;
  const std::string model = folder / "model.mbd";
  write_file(model, kModel);
  write_file(folder / "law.txt", kModule);
  for (const char* name : {"wind.csv", "gust.csv"}) write_file(folder / name, kTable);
  REQUIRE(run_mbc({"run", model, "run", "--quiet", "-o", folder / "result.csv"}).code == 0);
  for (const char* name : {".hidden", "open", "open/.git"}) fs::create_directory(folder / name);
  write_file(folder / ".bashrc", kMine);
  std::size_t attempts = 0;
  for (const Writes& verb : verbs(model, folder / "result.csv")) {
    const std::string dot = verb.ending.empty() ? "" : "." + verb.ending;
    write_file(folder / ("mine" + dot), kMine);
    fs::remove(folder / ("link" + dot));
    fs::create_symlink(".bashrc", folder / ("link" + dot));
    std::vector<Place> places = {{"mine" + dot, "is no result of mbc"},
                                 {".hidden" + dot, "begin with a dot"},
                                 {".bashrc", ""},
                                 {".hidden/a" + dot, "begin with a dot"},
                                 {"open/.git/a" + dot, "begin with a dot"},
                                 {"open/../.hidden/a" + dot, "begin with a dot"},
                                 {"link" + dot, "begin with a dot"},
                                 {"model.mbd", ""},
                                 {"law.txt", ""},
                                 {"wind.csv", ""},
                                 {"gust.csv", ""}};
    if (verb.ending == "csv" && verb.line.back() == "-o") {  // Rows have a description beside them.
      write_file(folder / "beside.csv.json", kMine);
      places.push_back({"beside.csv", "is no result of mbc"});
    }
    const std::map<std::string, std::string> before = all_of(folder.path());
    for (const Place& place : places)
      for (const bool force : {false, true}) {
        if (force && place.why == "is no result of mbc") continue;  // With --force the user wants this.
        Words line = verb.line;
        line.push_back(folder / place.path);
        if (force) line.emplace_back("--force");
        const Ran ran = run_mbc(line);
        ++attempts;
        INFO(line.front() << " " << verb.line.back() << " " << place.path << std::string(force ? " --force" : "")
                          << "\n"
                          << ran.err);
        CHECK(ran.code == 2);
        CHECK(std::count(ran.err.begin(), ran.err.end(), '\n') <= 2);
        if (!place.why.empty()) CHECK(has(ran.err, place.why));
        CHECK(all_of(folder.path()) == before);
      }
  }
  CHECK(attempts > 300);
}

TEST_CASE("what a verb has written before it replaces, and by --force also what is somebody's") {
  const Folder folder;
  const std::string model = folder / "model.mbd";
  write_file(model, kModel);
  write_file(folder / "law.txt", kModule);
  for (const char* name : {"wind.csv", "gust.csv"}) write_file(folder / name, kTable);
  REQUIRE(run_mbc({"run", model, "run", "--quiet", "-o", folder / "result.csv"}).code == 0);
  for (const Writes& verb : verbs(model, folder / "result.csv")) {
    const std::string dot = verb.ending.empty() ? "" : "." + verb.ending;
    const std::string place = folder / ("again" + dot);
    Words line = verb.line;
    line.push_back(place);
    INFO(line.front() << " " << verb.line.back() << " " << dot);
    for (int round = 0; round < 2; ++round) {
      const Ran ran = run_mbc(line);
      INFO(ran.err);
      CHECK(ran.code == 0);
      CHECK(fs::file_size(place) > 0);
    }
    write_file(place, "");  // The file is empty, like one made by mktemp.
    fs::remove(place + ".json");
    CHECK(run_mbc(line).code == 0);
    write_file(place, kMine);
    fs::remove(place + ".json");
    CHECK(run_mbc(line).code == 2);
    CHECK(read_file(place) == kMine);
    line.emplace_back("--force");
    CHECK(run_mbc(line).code == 0);
    CHECK(read_file(place) != kMine);
    for (const char* more : {"", ".json"}) fs::remove(place + more);
  }
}

TEST_CASE("a measured table that a model reads stays, whatever writes") {
  const Folder folder;
  for (const char* name : {"wind.mbd", "wind.csv"})
    write_file(folder / name, read_file(std::string(MBC_SOURCE) + "/tests/physics/findings/table_overwritten/" + name));
  const std::string model = folder / "wind.mbd", table = folder / "wind.csv", before = read_file(table);
  for (const Words& line :
       {Words{"run", model, "straight", "-o", table}, Words{"run", model, "straight", "-o", table, "--force"},
        Words{"run", model, "calm", "--input", "wind=" + table, "-o", table, "--force"},
        Words{"run", model, "straight", "-o", "-", "--events", table, "--force"},
        Words{"sweep", model, "straight", "--vary", "m=1..2 count 2", "--record", "final(trolley.x)", "-o", table,
              "--force"},
        Words{"compare", model, "straight", "--csv", table, "--force", "--no-run"}}) {
    const Ran ran = run_mbc(line);
    INFO(line.front() << " " << ran.err);
    CHECK(ran.code == 2);
    CHECK((has(ran.err, "would destroy what the model is read from: name another file") ||
           has(ran.err, "is no result of mbc")));
    CHECK(read_file(table) == before);
    CHECK_FALSE(fs::exists(table + ".partial"));
  }
}

TEST_CASE("what a model saves stays in its folder and in sight") {
  const Folder folder;
  fs::create_directories(folder / "in/sub");
  fs::create_directory(folder / "out");
  fs::create_symlink("../out", folder / "in/away");
  fs::create_symlink("../out/there.csv", folder / "in/away.csv");
  write_file(folder / "out/there.csv", kMine);
  write_file(folder / "in/mine.csv", kMine);
  fs::create_symlink("../out/new.json", folder / "in/beside.csv.json");
  const std::string model = folder / "in/m.mbd";
  std::size_t attempts = 0;
  for (const std::string save : {".bashrc",
                                 ".csv",
                                 ".a.csv",
                                 "./.a.csv",
                                 "sub/.a.csv",
                                 ".git/a.csv",
                                 "sub/../.git/a.csv",
                                 ".ssh/authorized_keys",
                                 "Makefile",
                                 "a",
                                 "a.txt",
                                 "a.dat",
                                 "a.sh",
                                 "a.py",
                                 "a.html",
                                 "a.csv.sh",
                                 "../a.csv",
                                 "../out/a.csv",
                                 "sub/../../a.csv",
                                 "away/a.csv",
                                 "away.csv",
                                 "mine.csv",
                                 "m.mbd",
                                 "beside.csv",
                                 "/tmp/a.csv",
                                 "//a.csv",
                                 "~/a.sh"})
    for (const bool force : {false, true}) {
      if (force && save == "mine.csv") continue;
      write_file(model,
                 "mbd 1\nparticle p(1) at (0, 0, 0)\nsimulate { time = 0 .. 1 step 0.5; save = \"" + save + "\" }\n");
      const std::map<std::string, std::string> before = all_of(folder.path());
      Words line = {"run", model, "--quiet"};
      if (force) line.emplace_back("--force");
      const Ran ran = run_mbc(line);
      ++attempts;
      INFO(save << "\n" << ran.err);
      CHECK((ran.code == 1 || ran.code == 2));
      CHECK(all_of(folder.path()) == before);
    }
  CHECK(attempts > 50);
  write_file(model, "mbd 1\nparticle p(1) at (0, 0, 0)\nsimulate { time = 0 .. 1 step 0.5; save = \"sub/a.csv\" }\n");
  for (int round = 0; round < 2; ++round) CHECK(run_mbc({"run", model, "--quiet"}).code == 0);
  CHECK(has(read_file(folder / "in/sub/a.csv"), "time,p.x"));
}

TEST_CASE("a folder that is hidden itself is one to work in") {
  const Folder folder;
  const std::string place = folder / ".work";
  fs::create_directory(place);
  write_file(place + "/m.mbd",
             "mbd 1\nparticle p(1) at (0, 0, 0)\nsimulate { time = 0 .. 1 step 0.5; save = \"a.csv\" }\n");
  CHECK(run_mbc({"run", place + "/m.mbd", "--quiet"}).code == 0);
  CHECK(run_mbc({"run", place + "/m.mbd", "--quiet", "-o", place + "/b.csv"}).code == 0);
  CHECK(fs::exists(place + "/a.csv"));
  CHECK(fs::exists(place + "/b.csv"));
}

TEST_CASE("names of columns are one line without comments, and no file can be made to hold more") {
  const Folder folder;
  const std::string text = finding("save_as_dotfile"), hidden = "save = \".bashrc\"";
  const std::string model = folder / "m.mbd";
  write_file(model, text);
  const Ran refused = run_mbc({"run", model});
  CHECK(refused.code == 1);
  CHECK(
      has(refused.err, "m.mbd:5:43: error[E0440]: the rows cannot be saved in `.bashrc`: names that begin with a dot"));
  CHECK(folder.entries() == 1);
  const Ran ran = run_mbc({"run", model, "--quiet", "-o", folder / "a.csv"});
  CHECK(ran.code == 1);  // The model is refused for every destination of the rows.
  std::string sound = text;
  sound.replace(sound.find(hidden), hidden.size(), "save = \"a.csv\"");
  write_file(model, sound);
  CHECK(run_mbc({"run", model, "--quiet"}).code == 0);
  const std::string rows = read_file(folder / "a.csv");
  CHECK(rows.starts_with("time,p.x,p.y,p.z,p.vx,p.vy,p.vz,p.ax,p.ay,p.az,(p.x + 1)\r\n"));
  CHECK_FALSE(has(rows, "touch"));
  CHECK_FALSE(has(read_file(folder / "a.csv.json"), "\"name\": \"(p.x + //"));
}

TEST_CASE("a name that is too long, or hidden, for a new model is refused") {
  const Folder folder;
  for (const std::string& name : std::vector<std::string>{std::string(300, 'a'), ".bashrc", ".d/model"}) {
    const Ran ran = run_mbc({"new", folder / name});
    INFO(ran.err);
    CHECK(ran.code == 2);
    CHECK_FALSE(has(ran.err, "internal error"));
    CHECK(has(ran.err, "hint: give another name"));
  }
  const Ran longer = run_mbc({"new", folder / std::string(300, 'a')});
  CHECK(has(longer.err, "File name too long"));
  CHECK(folder.entries() == 0);
  CHECK(run_mbc({"examples", "rolling_coin", "-o", folder / ".bashrc"}).code == 2);
  CHECK(run_mbc({"examples", "rolling_coin", "-o", folder / "Makefile"}).code == 2);
  CHECK(folder.entries() == 0);
}

}  // namespace mbc::test
