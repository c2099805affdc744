// SPDX-License-Identifier: Apache-2.0
// Sends SIGINT or SIGTERM at random moments to programs that are busy inside something: an instant with many contacts,
// assembly, a factorisation of many redundant rows, compilation, tables, questions, sweeps. Each ends within a second
// of its own processor time (wall-clock time says more about the machine) and leaves whole rows, with a description and
// a summary that say that the run was interrupted. MBC_INTERRUPTS sets the number of signals.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;

constexpr double kMost = kSanitized ? 20 : 1;  // seconds

std::string span(const std::string& more = "") { return "simulate { time = 0 .. 100 step 0.01" + more + " }\n"; }

// `rows` repetitions of each rod are redundant.
std::string chain(int n, int rows, const std::string& more = "") {
  const std::string size = std::to_string(n);
  std::string text = "mbd 1\ngravity (0, 0, -9.81)\nparticle p[i in 1.." + size + "](1) at (i, 0, 0)\n";
  for (int k = 0; k < rows; ++k) {
    const std::string name = "c" + std::to_string(k), power = std::to_string(k + 1);
    text += "constraint " + name + ": dist(ground, p[1])^" + power + " == 1\nconstraint " + name + "n[i in 2.." + size +
            "]: dist(p[i - 1], p[i])^" + power + " == 1\n";
  }
  return text + span(more);
}

// Lengths that no assembly fulfils.
std::string tangle() {
  std::mt19937 random(3);
  const auto drawn = [&](int low, int high) {
    return std::to_string(low + static_cast<int>(random() % static_cast<unsigned>(high - low)));
  };
  std::string text = "mbd 1\n";
  for (int k = 0; k < 60; ++k)
    text +=
        "particle p" + std::to_string(k) + "(1) at (" + drawn(0, 30) + ", " + drawn(0, 9) + ", " + drawn(0, 9) + ")\n";
  for (int k = 0; k < 150; ++k)
    text += "constraint r" + std::to_string(k) + ": dist(p" + drawn(0, 30) + ", p" + drawn(30, 60) +
            ") == " + drawn(1, 20) + " + 0.1\n";
  return text + span("; assemble");
}

std::string crowd(int n, const std::string& more) {
  std::string text = "mbd 1\nuse contact\ngravity (0, 0, -9.81)\nlet n = " + std::to_string(n) + "\n";
  text +=
      "particle p[i in 1..n](1) at (0.12*(i - 4*floor(i/4)), 0.01*i, 0.1 + 0.11*i)\nshape ball[i in 1..n] on p[i]: "
      "sphere(0.05)\n";
  int wall = 0;
  for (const auto& [place, normal] : std::vector<std::pair<std::string, std::string>>{{"(0, 0, 0)", "(0, 0, 1)"},
                                                                                      {"(-0.1, 0, 0)", "(1, 0, 0)"},
                                                                                      {"(0.5, 0, 0)", "(-1, 0, 0)"},
                                                                                      {"(0, -0.1, 0)", "(0, 1, 0)"},
                                                                                      {"(0, 0.6, 0)", "(0, -1, 0)"}}) {
    const std::string name = "w" + std::to_string(wall++);
    text += "shape " + name + " on ground at " + place + ": plane(" + normal + ")\nContact " + name +
            "c[i in 1..n](ball[i], " + name + ", restitution = 0.5)\n";
  }
  return text + "for i in 2..n { for j in 1..i - 1 { Contact c[i, j](ball[i], ball[j], restitution = 0.5) } }\n" +
         span(more);
}

// Forces that share nothing, for the compiler.
std::string distinct(int n) {
  std::string text = "mbd 1\n";
  for (int k = 0; k < n; ++k) {
    const std::string p = "p" + std::to_string(k), factor = std::to_string(k + 1);
    text += "particle " + p + "(1) at (" + factor + ", 0, 0)\nforce f" + factor + " on " + p + ": (-" + factor + "*" +
            p + ".x*exp(-" + p + ".y^2), cos(" + factor + "*" + p + ".z), -atan(" + p + ".vz)*" + factor + ")\n";
  }
  return text + span();
}

double seconds(const timeval& t) { return static_cast<double>(t.tv_sec) + 1e-6 * static_cast<double>(t.tv_usec); }

// Returns the processor time of all processes that have ended.
double used_by_children() {
  rusage usage{};
  getrusage(RUSAGE_CHILDREN, &usage);
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

// Returns the processor time of a process that runs, or of one that has ended and is not yet waited for.
double used_by(pid_t process) {
  std::ifstream file("/proc/" + std::to_string(process) + "/stat");
  std::string text((std::istreambuf_iterator<char>(file)), {});
  std::vector<std::string> words(1);
  for (const char c : text.substr(text.rfind(')') + 2)) c == ' ' ? words.emplace_back() : words.back() += c;
  return (std::stod(words.at(11)) + std::stod(words.at(12))) / static_cast<double>(sysconf(_SC_CLK_TCK));
}

struct Busy {
  std::string name;
  std::vector<std::string> line;
  double span;  // s: the signal comes within it
};

// Returns the number of fields of a line of CSV, whose quoted names may contain commas.
int fields_of(const std::string& line) {
  int fields = 1;
  bool quoted = false;
  for (const char c : line) {
    if (c == '"') quoted = !quoted;
    fields += !quoted && c == ',' ? 1 : 0;
  }
  return fields;
}

// Checks that each line has the fields of the first one and that times increase. Returns the number of rows.
std::size_t whole_rows(const std::string& text) {
  REQUIRE(text.ends_with("\n"));
  std::istringstream lines(text);
  std::string line;
  std::getline(lines, line);
  const int fields = fields_of(line);
  const bool has_time = line.starts_with("time");
  std::size_t rows = 0;
  bool whole = true;
  for (double last = -1; std::getline(lines, line); ++rows) {
    whole = whole && fields_of(line) == fields;
    if (!has_time) continue;  // the rows of a sweep
    const double time = std::stod(line);
    whole = whole && time >= last;
    last = time;
  }
  CHECK(whole);
  return rows;
}

// Checks what an interrupted program has left of its results.
void look_at_results(const std::string& rows, const std::string& summary, const Ran& ran) {
  CHECK_FALSE(ran.err.starts_with("\n"));
  CHECK(ran.err.find("\n\n") == std::string::npos);
  CHECK_FALSE(fs::exists(rows + ".partial"));
  CHECK(fs::exists(rows) == (ran.err.find("wrote " + rows) != std::string::npos));
  if (!fs::exists(rows)) return;
  const auto described = nlohmann::json::parse(read_file(rows + ".json"));
  CHECK(described["status"] == "interrupted");
  const std::string text = read_file(rows);
  if (rows.ends_with(".csv")) CHECK(described["rows"] == whole_rows(text));
  if (rows.ends_with(".h5")) CHECK(text.starts_with("\x89HDF"));
  if (rows.ends_with(".h5") && std::system("h5dump --version >/dev/null 2>&1") == 0)
    CHECK(std::system(("h5dump -H '" + rows + "' >/dev/null").c_str()) == 0);
  if (summary.empty()) return;
  const auto told = nlohmann::json::parse(read_file(summary));
  CHECK(told["status"] == "interrupted");
  CHECK(told["rows"] == described["rows"]);
  CHECK(told["reached"].is_number());
  CHECK(ran.err.find("interrupted: ") != std::string::npos);
}

int count_of_interrupts() {
  const char* wanted = std::getenv("MBC_INTERRUPTS");
  return wanted != nullptr ? std::atoi(wanted) : 16;
}

}  // namespace

TEST_CASE("programs that are busy inside something end within a second, with whole rows") {
  const Folder folder;
  const std::vector<std::pair<std::string, std::string>> models = {{"chain", chain(800, 1)},
                                                                   {"redundant", chain(700, 2)},
                                                                   {"taylor", chain(300, 1, "; integrator = taylor")},
                                                                   {"kane", chain(200, 1, "; formulation = kane")},
                                                                   {"tangle", tangle()},
                                                                   {"by_steps", crowd(40, "; contact = timestep")},
                                                                   {"by_events", crowd(30, "")},
                                                                   {"distinct", distinct(600)},
                                                                   {"long", kLong}};
  for (const auto& [name, text] : models) write_file(folder / (name + ".mbd"), text);
  const auto model = [&](const std::string& name) { return folder / (name + ".mbd"); };
  const std::string csv = folder / "a.csv", h5 = folder / "a.h5", summary = folder / "s.json";
  const auto run = [&](const std::string& name) {
    return std::vector<std::string>{"run", model(name), "-o", csv, "--summary", summary};
  };
  const std::vector<Busy> all = {
      {"a long chain", run("chain"), 2},
      {"redundant rows", run("redundant"), 4},
      {"Taylor series", run("taylor"), 2},
      {"Kane's equations", run("kane"), 4},
      {"assembly", run("tangle"), 2},
      {"contacts by steps", run("by_steps"), 2},
      {"contacts by events", run("by_events"), 3},
      {"native code", {"run", model("distinct"), "--native", "--no-cache", "-o", csv}, 3},
      {"an object", {"compile", model("distinct"), "--no-cache", "-o", folder / "d.so"}, 2},
      {"many rows", run("long"), 2},
      {"HDF5", {"run", model("long"), "-o", h5}, 2},
      {"questions", {"doctor", model("chain")}, 3},
      {"a comparison", {"compare", model("chain"), "--csv", csv}, 5},
      {"facts", {"info", model("redundant")}, 1},
      {"equations", {"equations", model("chain")}, 1},
      {"a sweep", {"sweep", model("by_events"), "--vary", "n = 10..30 step 1", "--record", "p[1].z", "-o", csv}, 3}};
  std::mt19937 random(11);
  int busy = 0;
  for (int k = 0; k < count_of_interrupts(); ++k) {
    const Busy& one = all[static_cast<std::size_t>(k) % all.size()];
    fs::remove(summary);
    for (const std::string& old : {csv, h5})
      for (const char* ending : {"", ".json", ".partial", ".partial.json"}) fs::remove(old + ending);
    const int number = random() % 2 == 0 ? SIGINT : SIGTERM;
    const std::chrono::duration<double> wait(one.span * static_cast<double>(random() % 1000) / 1000);
    double before = 0;
    const double earlier = used_by_children();
    const Ran ran = run_mbc(one.line, {.meanwhile = [&](pid_t child) {
                              std::this_thread::sleep_for(wait);
                              before = used_by(child);
                              kill(child, number);
                            }});
    const double after = used_by_children() - earlier - before;
    INFO(one.name << ", signal " << number << " after " << wait.count() << " s, exit status " << ran.code << "\n"
                  << ran.err);
    CHECK(after <= kMost);
    CHECK((ran.signal == 0 || ran.signal == number));
    busy += ran.code == 130 || ran.signal == number ? 1 : 0;
    const auto place = std::find(one.line.begin(), one.line.end(), "-o");
    if (ran.code == 130 && one.line.front() != "compile" && place != one.line.end())
      look_at_results(place[1], one.line.back() == summary ? summary : "", ran);
  }
  MESSAGE(busy << " of " << count_of_interrupts() << " were busy");
  CHECK(4 * busy > count_of_interrupts());  // fast machines end some of them before the signal
}

// The factorisation of 1,400 rows takes seconds and reads no flag, so that the program leaves it (tools/last_resort.h).
TEST_CASE("a limit of time that a computation does not see says what it says elsewhere") {
  const Folder folder;
  const std::string file = folder / "redundant.mbd", csv = folder / "a.csv", summary = folder / "s.json";
  write_file(file, chain(700, 2));
  const Ran ran = run_mbc({"run", file, "-o", csv, "--summary", summary, "--max-time", "0.2s"});
  CAPTURE(ran.err);
  CHECK(ran.code == 5);
  CHECK(ran.err.starts_with("error[E0654]: the run was ended by --max-time 0.2s\n"));
  CHECK(ran.err.find("\n\n") == std::string::npos);
  CHECK(ran.err.find("interrupted: ") != std::string::npos);
  const auto told = nlohmann::json::parse(read_file(summary));
  CHECK(told["status"] == "interrupted");
  CHECK(told["diagnostic"]["code"] == "E0654");
  CHECK(told["diagnostic"]["message"] == "the run was ended by --max-time 0.2s");
  const Ran lines = run_mbc({"run", file, "-o", csv, "--max-time", "0.2s", "--diagnostics=json"});
  CHECK(lines.code == 5);
  CHECK(nlohmann::json::parse(lines.err.substr(0, lines.err.find('\n')))["code"] == "E0654");
}

// A sweep with more threads than members computes by two of them, whose processor time both count.
TEST_CASE("a sweep, a test, a session leave a computation that reads no flag") {
  const Folder folder;
  const std::string file = folder / "redundant.mbd";
  std::string text = chain(700, 2);
  text.replace(text.find("simulate"), 8, "param a = 1\nsimulate go");
  write_file(file, text + "test \"long\" over go { check p[1].z < 1 always }\n");
  const std::vector<Busy> all = {
      {"a sweep",
       {"sweep", file, "--vary", "a = 1..2 step 1", "--record", "p[1].z", "--jobs", "16", "-o", folder / "a.csv"},
       2},
      {"a test", {"test", file}, 1},
      {"a session", {"repl", file, "-e", "run 1"}, 1}};
  for (const Busy& one : all) {
    double before = 0;
    const double earlier = used_by_children();
    const Ran ran = run_mbc(one.line, {.meanwhile = [&](pid_t child) {
                              CHECK(wait_until([&] { return used_by(child) > 1; }));  // in the factorisation
                              before = used_by(child);
                              kill(child, SIGTERM);
                            }});
    CAPTURE(one.name);
    CAPTURE(ran.err);
    CHECK(used_by_children() - earlier - before <= one.span * kMost);
    CHECK(ran.code == 130);
  }
}

}  // namespace mbc::test
