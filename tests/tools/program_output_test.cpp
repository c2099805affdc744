// SPDX-License-Identifier: Apache-2.0
// Tests where `mbc run` writes its results, and what happens if it cannot write them or if the run ends early.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/stat.h>

#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <thread>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

std::vector<std::string> lines_of(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> lines;
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

// The table must have complete rows only, each with as many fields as the header.
void check_table(const std::string& csv, std::size_t at_least) {
  REQUIRE(csv.ends_with("\r\n"));
  const std::vector<std::string> lines = lines_of(csv);
  CHECK(lines.size() >= at_least + 1);
  CHECK(lines.front().starts_with("time,p.x,p.y,p.z,"));
  const auto commas = std::count(lines.front().begin(), lines.front().end(), ',');
  CHECK(std::all_of(lines.begin(), lines.end(),
                    [commas](const std::string& line) { return std::count(line.begin(), line.end(), ',') == commas; }));
}

bool not_empty(const std::string& path) {
  std::error_code none;
  return std::filesystem::file_size(path, none) > 0 && !none;
}

}  // namespace

TEST_CASE("rows to stdout, summary to stderr") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const Ran ran = run_mbc({"run", folder / "a.mbd"});
  CHECK(ran.code == 0);
  check_table(ran.out, 11);
  CHECK(lines_of(ran.out).size() == 12);
  CHECK_FALSE(ran.err.empty());
  CHECK(folder.entries() == 1);
  const Ran quiet = run_mbc({"run", folder / "a.mbd", "--quiet"});
  CHECK(quiet.out == ran.out);
  CHECK(quiet.err.empty());
  CHECK(run_mbc({"run", folder / "a.mbd", "--quiet", "--interpret"}).out == ran.out);
  CHECK(run_mbc({"run", folder / "a.mbd", "demo", "-o", "-"}).out == ran.out);
  CHECK(run_mbc({"run", "-", "--quiet"}, {.input = kFall}).out == ran.out);
  CHECK(lines_of(run_mbc({"run", folder / "a.mbd", "--output-every", "5"}).out).size() == 4);
}

TEST_CASE("rows to a file, with its sidecar and a summary") {
  const Folder folder;
  write_file(folder / "a.mbd", std::string("/// A fall.\n") + kFall);
  const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--summary", folder / "a.json"});
  CHECK(ran.code == 0);
  CHECK(ran.out.empty());
  CHECK(has(ran.err, "wrote " + (folder / "a.csv") + " (11 rows, "));
  check_table(read_file(folder / "a.csv"), 11);
  const auto sidecar = nlohmann::json::parse(read_file(folder / "a.csv.json"));
  CHECK(sidecar["status"] == "complete");
  CHECK(sidecar["rows"] == 11);
  CHECK(sidecar["columns"][0]["name"] == "time");
  CHECK(sidecar["parameters"][0]["name"] == "g");
  CHECK(sidecar["parameters"][0]["value"] == 9.81);
  CHECK(sidecar["parameters"][0]["description"] == "acceleration");
  CHECK(nlohmann::json::parse(read_file(folder / "a.json")).is_object());
  CHECK(folder.entries() == 4);
  const Ran piped = run_mbc({"run", folder / "a.mbd", "-o", folder / "b.csv", "--summary", "-"});
  CHECK(nlohmann::json::parse(piped.out).is_object());
}

TEST_CASE("the global error stands in the summary, and the rows stay as they are") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  CHECK(run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv"}).code == 0);
  const Ran ran = run_mbc(
      {"run", folder / "a.mbd", "-o", folder / "b.csv", "--summary", folder / "b.json", "--accuracy", "global"});
  CHECK(ran.code == 0);
  CAPTURE(ran.err);
  CHECK(has(ran.err, "global error: "));
  CHECK(has(ran.err, "; 11 rows beside those of a second run, "));
  CHECK(read_file(folder / "a.csv") == read_file(folder / "b.csv"));
  const auto accuracy = nlohmann::json::parse(read_file(folder / "b.json"))["accuracy"];
  CHECK(accuracy["global"]["rows"] == 11);
  CHECK(accuracy["global"]["largest"] < 1e-12);  // The methods have no error for a free fall.
}

TEST_CASE("`save` is used unless -o is given") {
  const Folder folder;
  write_file(
      folder / "a.mbd",
      std::string(kFall) + "simulate saved { time = 0 .. 1 step 0.5; integrator = rk4; save = \"saved.csv\" }\n");
  CHECK(run_mbc({"run", folder / "a.mbd", "saved"}).out.empty());
  check_table(read_file(folder / "saved.csv"), 3);
  std::filesystem::remove(folder / "saved.csv");
  check_table(run_mbc({"run", folder / "a.mbd", "saved", "-o", "-"}).out, 3);
  CHECK_FALSE(std::filesystem::exists(folder / "saved.csv"));
  // The cases are two blocks without a name, an unknown name, and no block at all.
  const Ran first = run_mbc({"run", folder / "a.mbd"});
  CHECK(first.code == 0);
  CHECK(has(first.err,
            "note: the first of 2 `simulate` blocks is run (`demo`); a name behind the file chooses another\n"));
  CHECK_FALSE(has(run_mbc({"run", folder / "a.mbd", "demo"}).err, "note:"));
  CHECK(run_mbc({"run", folder / "a.mbd", "other"}).code == 1);
  const Ran none = run_mbc({"run", "-"}, {.input = "mbd 1\nparticle p(1) at (0, 0, 1)\n"});
  CHECK(none.code == 1);
  CHECK(none.out.empty());
  CHECK(has(none.err, "simulate"));
}

TEST_CASE("`save` stays in the folder of the model, `--set save` and -o go anywhere") {
  const Folder folder;
  std::filesystem::create_directory(folder / "model");
  std::filesystem::create_directory_symlink(folder.path(), folder / "model/up");
  std::filesystem::create_symlink(folder / "gone.csv", folder / "model/link.csv");
  const std::string file = folder / "model/a.mbd";
  for (const std::string save : {"../x.csv", "up/x.csv", "link.csv"}) {
    write_file(file, std::string(kFall) + "simulate s { time = 0 .. 1 step 0.5; integrator = rk4; save = \"" + save +
                         "\" }\n");
    const Ran ran = run_mbc({"run", file, "s"});
    CAPTURE(save);
    CHECK(ran.code == 1);
    CHECK(has(ran.err,
              "error[E0440]: the rows cannot be saved in `" + save + "`: it is outside the folder of the model"));
  }
  CHECK(folder.entries() == 1);
  CHECK(run_mbc({"run", file, "demo", "-o", folder / "x.csv"}).code == 1);  // The model is refused as a whole.
  write_file(file, kFall);
  CHECK(run_mbc({"run", file, "--quiet", "--set", "save=\"" + (folder / "x.csv") + "\""}).code == 0);
  check_table(read_file(folder / "x.csv"), 11);
}

TEST_CASE("rows go to names that are of no other format, and no result to a model") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const std::vector<std::string> sweep = {"sweep", folder / "a.mbd", "--vary", "g = 1 .. 2 count 2", "--record", "p.z"};
  for (const std::string name : {"x.nc", "x.mat", "x.json", "x.csv.gz"}) {
    const std::string why = "`" + (folder / name) +
                            "`: rows are written as CSV or HDF5, and the ending names another format; " +
                            "name a file that ends in .csv\n";
    for (std::vector<std::string> args : {std::vector<std::string>{"run", folder / "a.mbd"}, sweep}) {
      args.insert(args.end(), {"-o", folder / name});
      const Ran ran = run_mbc(args);
      CHECK(ran.code == 2);
      CHECK(ran.err == "mbc: " + why);
    }
    CHECK(run_mbc({"run", folder / "a.mbd", "--set", "save=\"" + (folder / name) + "\""}).err == "mbc: " + why);
  }
  std::vector<std::string> objects = sweep;
  objects.insert(objects.end(), {"--quiet", "--json", "-o", folder / "x.csv"});
  CHECK(run_mbc(objects).err ==
        "mbc: `" + (folder / "x.csv") +
            "`: `--json` writes JSON, and the ending names another format; name a file that ends "
            "in .json\n");
  objects.back() = folder / "x.json";
  CHECK(run_mbc(objects).code == 0);
  for (const std::vector<std::string>& args :
       {std::vector<std::string>{"compile", folder / "a.mbd", "--emit=ast", "-o", folder / "part.mbd"},
        {"compare", folder / "a.mbd", "--csv", folder / "part.mbd"},
        {"run", folder / "a.mbd", "--summary", folder / "part.mbd"}}) {
    const Ran ran = run_mbc(args);
    CHECK(ran.code == 2);
    CHECK(ran.err == "mbc: writing `" + (folder / "part.mbd") + "` would destroy a model: name another file\n");
  }
  CHECK(folder.entries() == 2);
}

TEST_CASE("where the ending names what another command makes of the model, that is said") {
  const Folder folder;
  const std::string file = folder / "a.mbd";
  write_file(file, kFall);
  const auto refused = [&](const std::string& ending, const std::string& how) {
    const std::string path = folder / ("x." + ending);
    const Ran ran = run_mbc({"run", file, "-o", path});
    CHECK(ran.code == 2);
    CHECK(ran.err == "mbc: `" + path + "`: rows are written as CSV or HDF5, and the ending names another format; " +
                         "name a file that ends in .csv; what ends in ." + ending + " is made by `mbc " + how + path +
                         "`\n");
  };
  for (const std::string ending : {"fmu", "so", "o", "a", "h", "ll", "bc", "s"})
    refused(ending, "compile " + file + " -o ");
  refused("exe", "compile " + file + " --emit=exe -o ");
  refused("html", "run " + file + " --report ");
  const std::string page = folder / "x.html";
  CHECK(has(run_mbc({"sweep", file, "--vary", "g = 1 .. 2 count 2", "--record", "p.z", "-o", page}).err,
            "what ends in .html is made by `mbc sweep " + file + " --report " + page + "`\n"));
  CHECK(run_mbc({"compile", file, "-o", folder / "x.h"}).code == 0);  // The file has the requested form.
  CHECK(folder.entries() == 2);
}

TEST_CASE("places that cannot be written are found before the run") {
  const Folder folder;
  write_file(folder / "a.mbd", kLong);
  for (const std::string& path : {folder.path(), folder / "missing/x.csv", std::string("/dev/full")}) {
    const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", path});
    CAPTURE(ran.err);
    CHECK(ran.code == 74);
    CHECK(ran.out.empty());
    CHECK(has(ran.err, "`" + path + "`"));
  }
  for (const std::string& path : {folder.path(), folder / "missing/x.json"}) {
    const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--summary", path});
    CHECK(ran.code == 74);
    CHECK(has(ran.err, "`" + path + "`"));
    CHECK_FALSE(std::filesystem::exists(folder / "a.csv"));
  }
  CHECK(run_mbc({"run", folder / "a.mbd"}, {.out_path = "/dev/full"}).code == 74);
  CHECK(run_mbc({"run", folder / "a.mbd"}, {.closed_output = true}).code == 74);
  CHECK(run_mbc({"--version"}, {.out_path = "/dev/full"}).code == 74);
  CHECK(run_mbc({"explain", "--list"}, {.out_path = "/dev/full"}).code == 74);
  CHECK(run_mbc({}, {.input = "1 + 1\n", .out_path = "/dev/full"}).code == 74);
}

TEST_CASE("a reader that goes away ends the run") {
  const Folder folder;
  write_file(folder / "a.mbd", kLong);
  const std::string fifo = folder / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", fifo}, {.meanwhile = [&](pid_t) {
                            std::ifstream reader(fifo);
                            std::string line;
                            std::getline(reader, line);
                            CHECK(line.starts_with("time,"));
                          }});
  CHECK(ran.code == 74);
  CHECK(has(ran.err, "Broken pipe"));
}

// `mbc run a.mbd | head -1` ends its output in this way.
TEST_CASE("a reader of standard output that has seen enough is no failure") {
  const Folder folder;
  write_file(folder / "a.mbd", kLong);
  const std::string fifo = folder / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  const std::vector<std::vector<std::string>> commands = {
      {"run", folder / "a.mbd"},
      {"run", folder / "a.mbd", "-o", "/dev/stdout"},
      {"sweep", folder / "b.mbd", "--vary", "g = 1 .. 2 count 20000", "--record", "p.z"},
      {"explain", "--list"}};
  write_file(folder / "b.mbd", kFall);
  for (const std::vector<std::string>& command : commands) {
    std::thread reader([&] {
      std::ifstream in(fifo);
      in.get();
    });
    const Ran ran = run_mbc(command, {.out_path = fifo});
    reader.join();
    CAPTURE(command.front());
    CHECK(ran.code == 0);
    CHECK(ran.err.empty());
  }
}

TEST_CASE("a session ends when nobody reads its answers") {
  const Folder folder;
  const std::string fifo = folder / "fifo";
  REQUIRE(mkfifo(fifo.c_str(), 0600) == 0);
  std::thread reader([&] {
    std::ifstream in(fifo);
    in.get();
  });
  std::string input;
  for (int k = 0; k < 5000; ++k) input += "1 + 1\n";
  const Ran ran = run_mbc({}, {.input = input + "nonsense\n", .out_path = fifo});
  reader.join();
  CHECK(ran.code == 0);  // The last line was not read.
  CHECK(ran.err.empty());
}

TEST_CASE("the name of a descriptor is that descriptor, as it is") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    write_file(folder / "log", "before\n");
    CHECK(run_mbc({"run", folder / "a.mbd", "--quiet", "-o", name}, {.out_path = folder / "log"}).code == 0);
    const std::string log = read_file(folder / "log");
    CHECK(log.starts_with("before\ntime,"));
    check_table(log.substr(7), 11);
    CHECK(folder.entries() == 2);
  }
}

TEST_CASE("an inconsistent initial state: exit status 3, and the old result stays") {
  const Folder folder;
  write_file(folder / "a.mbd", std::string(kFall) + "constraint c: p.z == 5\n");
  write_file(folder / "a.csv", "old\n");
  const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--force"});
  CHECK(ran.code == 3);
  CHECK(has(ran.err, "E0601"));
  CHECK(read_file(folder / "a.csv") == "old\n");
  CHECK_FALSE(std::filesystem::exists(folder / "a.csv.json"));
  CHECK(run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--force", "--assemble"}).code == 0);
  check_table(read_file(folder / "a.csv"), 11);
}

TEST_CASE("an integration that cannot go on: exit status 4, and the rows so far are kept") {
  const Folder folder;
  write_file(folder / "a.mbd", std::string(kFall) + "force f on p: (0, 0, sqrt(0.55 - t))\n");
  const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv"});
  CHECK(ran.code == 4);
  CHECK(has(ran.err, "a.mbd:7:"));
  check_table(read_file(folder / "a.csv"), 4);
  CHECK(lines_of(read_file(folder / "a.csv")).size() < 12);
  CHECK(nlohmann::json::parse(read_file(folder / "a.csv.json"))["status"] == "stopped");
  const Ran json = run_mbc({"run", folder / "a.mbd", "-o", folder / "a.csv", "--diagnostics=json"});
  CHECK(json.code == 4);
  const auto line = nlohmann::json::parse(json.err);
  CHECK(line["severity"] == "error");
  CHECK(line["line"] == 7);
  CHECK(line["time"] > 0.4);
}

TEST_CASE("signals end a run after its step: exit status 130, and the file can be read") {
  const Folder folder;
  write_file(folder / "a.mbd", kLong);
  for (const int number : {SIGINT, SIGTERM}) {
    const std::string csv = folder / ("s" + std::to_string(number) + ".csv");
    const Ran ran =
        run_mbc({"run", folder / "a.mbd", "-o", csv, "--output-every", "100"}, {.meanwhile = [&](pid_t child) {
                  CHECK(wait_until([&] { return not_empty(csv + ".partial"); }));
                  kill(child, number);
                }});
    CHECK(ran.signal == 0);
    CHECK(ran.code == 130);
    check_table(read_file(csv), 1);
    CHECK(nlohmann::json::parse(read_file(csv + ".json"))["status"] == "interrupted");
  }
}

TEST_CASE("on a terminal: the first and last rows, colours, Ctrl-C") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  const Ran shown = run_mbc_on_terminal({"run", folder / "a.mbd"}, {});
  CHECK(shown.code == 0);
  CHECK(has(shown.out, "..."));
  CHECK(has(shown.out, "11 rows"));
  CHECK(has(shown.out, "-o FILE.csv"));
  CHECK_FALSE(has(shown.out, "time,p.x"));
  CHECK(has(run_mbc_on_terminal({"run", folder / "a.mbd", "-o", "-"}, {}).out, "time,p.x"));
  CHECK(has(run_mbc_on_terminal({"check", folder / "missing.mbd"}, {}).out, "\x1b[1;31m"));
  write_file(folder / "long.mbd", kLong);
  const Ran stopped = run_mbc_on_terminal({"run", folder / "long.mbd", "-o", folder / "l.csv"}, {{"% ", "\x03"}});
  CHECK(stopped.code == 130);
  check_table(read_file(folder / "l.csv"), 1);
}

}  // namespace mbc::test
