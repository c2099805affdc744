// SPDX-License-Identifier: Apache-2.0
// Runs all verbs with random flags on damaged models. The program must end by itself or at Ctrl-C with a meaningful
// exit status, and never by a signal, an internal error or a sanitizer finding. No description may claim more than its
// rows contain. MBC_FUZZ sets the number of runs and MBC_FUZZ_SEED the first seed. A failure prints command and model.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;
using Words = std::vector<std::string>;
using Clock = std::chrono::steady_clock;

#ifdef __SANITIZE_ADDRESS__
constexpr std::chrono::seconds kInterruptAfter{10}, kKillAfter{60};
#else
constexpr std::chrono::seconds kInterruptAfter{2}, kKillAfter{20};
#endif

std::uint64_t from_environment(const char* name, std::uint64_t otherwise) {
  const char* value = std::getenv(name);
  return value != nullptr ? std::strtoull(value, nullptr, 10) : otherwise;
}

class Random {
 public:
  explicit Random(std::uint64_t seed) : engine_(seed) {}
  std::size_t below(std::size_t n) { return n == 0 ? 0 : engine_() % n; }
  bool one_in(std::size_t n) { return below(n) == 0; }
  template <class List>
  const auto& of(const List& list) {
    return *(std::begin(list) + static_cast<std::ptrdiff_t>(below(std::size(list))));
  }

 private:
  std::mt19937_64 engine_;
};

// ---- models

Words corpus() {
  Words texts;
  for (const char* folder : {"examples", "tests/language"})
    for (const auto& entry : fs::directory_iterator(fs::path(MBC_SOURCE) / folder))
      if (entry.path().extension() == ".mbd") texts.push_back(read_file(entry.path().string()));
  std::sort(texts.begin(), texts.end());
  return texts;
}

constexpr const char* kNumbers[] = {"0", "-1", "1e308", "1e-308", "1e-12", "3", "0.5", "1/0", "1e400", "2^1024", "t"};
constexpr const char* kPieces[] = {"(",  ")",    "{",        "}",  "==", ",", "'",  "\"", "[m]",
                                   "[",  "]",    "*",        "^",  "-",  ".", "//", "\n", "\r\n",
                                   "\t", "\xff", "\xc3\xa9", "/*", "*/", ";", ":",  "///"};

std::size_t line_at(const std::string& text, std::size_t at) {
  const std::size_t end = at == 0 ? std::string::npos : text.rfind('\n', at - 1);
  return end == std::string::npos ? 0 : end + 1;
}

// Returns the next word or number from there.
std::pair<std::size_t, std::size_t> word_near(const std::string& text, std::size_t at) {
  const auto fits = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) != 0 || c == '_' || c == '.'; };
  while (at < text.size() && !fits(text[at])) ++at;
  std::size_t end = at;
  while (end < text.size() && fits(text[end])) ++end;
  return {at, end - at};
}

void damage(std::string& text, const Words& others, Random& random) {
  const std::size_t at = random.below(text.size() + 1);
  const auto [word, length] = word_near(text, at);
  const std::size_t line = line_at(text, at);
  const std::size_t line_length = std::min(text.find('\n', line), text.size()) - line + 1;
  switch (random.below(9)) {
    case 0:
      text.erase(at, 1 + random.below(4));
      break;
    case 1:
      text.insert(at, random.of(kPieces));
      break;
    case 2:
      text.replace(word, length, random.of(kNumbers));
      break;
    case 3:
      text.erase(line, line_length);
      break;
    case 4:
      text.insert(line, text.substr(line, line_length));
      break;
    case 5: {  // This case inserts a word of the same text.
      const auto [from, size] = word_near(text, random.below(text.size() + 1));
      text.replace(word, length, text.substr(from, size));
      break;
    }
    case 6: {  // This case inserts a line of another text.
      const std::string& other = random.of(others);
      const std::size_t from = line_at(other, random.below(other.size() + 1));
      text.insert(line, other.substr(from, std::min(other.find('\n', from), other.size()) - from) + "\n");
      break;
    }
    case 7:
      if (random.one_in(6)) text.resize(at);
      break;
    default:
      if (at < text.size()) text[at] = static_cast<char>(text[at] ^ (1 << random.below(8)));
      break;
  }
}

std::string model(const Words& texts, Random& random) {
  std::string text = random.of(texts);
  for (std::size_t n = random.below(4); n > 0; --n) damage(text, texts, random);
  return text;
}

// ---- command lines

struct Flag {
  const char* name;
  Words values;  // empty if the flag takes no value
};

const std::vector<Flag>& flags_of(const std::string& verb) {
  static const Words kSet = {
      "g=0", "g=9.81",       "time.step=0.01",    "stabilise=none", "integrator=dopri5", "m = -1", "formulation=kane",
      "x",   "time.end=1e9", "save=\"../x.csv\"", "L = 1 [s]",      "bodies=natural"};
  static const std::vector<Flag> common = {{"--set", kSet},
                                           {"--diagnostics=json", {}},
                                           {"--colour=always", {}},
                                           {"--time-passes", {}},
                                           {"--stdlib", {"/tmp", "gone"}}};
  static const Flag interpret = {"--interpret", {}}, no_cache = {"--no-cache", {}}, quiet = {"--quiet", {}};
  static const Flag json = {"--json", {}}, name = {"demo", {}}, both = {"--both", {}};
  static const Flag output = {"-o",
                              {"a.csv", "b.csv", "-", "x.h5", "m.mbd", "gone/a.csv", "/dev/null", ".", "/dev/full"}};
  static const Flag samples = {"--samples", {"0", "3", "20", "-1"}};
  static const std::map<std::string, std::vector<Flag>> special = {
      {"run",
       {output,
        {"--summary", {"s.json", "-", "a.csv", "a.csv.json"}},
        {"--output-every", {"1", "7", "0"}},
        {"--assemble", {}},
        interpret,
        {"--native", {}},
        no_cache,
        quiet,
        name}},
      {"check", {}},
      {"compile",
       {{"--emit", {"ast", "model", "system", "kernel", "jacobian", "llvm-ir", "asm", "obj", "prose"}},
        output,
        {"--prefix", {"p", "2x"}},
        {"--cpu", {"native", "x"}}}},
      {"doctor", {samples, json, name}},
      {"linearize", {{"--at", {"0", "0.05", "-1", "nan"}}, {"--equilibrium", {}}, {"--csv", {}}, json, name}},
      {"equilibrium", {{"--starts", {"0", "2", "-1"}}, {"--seed", {"3"}}, json, name}},
      {"compare",
       {samples,
        {"--seed", {"1", "2"}},
        {"--tolerance", {"1e-9", "0"}},
        {"--no-run", {}},
        json,
        {"--csv", {"c.csv", "-"}},
        {"--formulations", {"kane,augmented", "x", "maggi"}},
        {"--bodies", {"natural", "quaternion,natural"}},
        quiet}},
      {"sweep",
       {{"--vary", {"g = 1 .. 2 count 3", "m = (1, 2)", "L = 0.1 .. 0.2 step 0.1", "x"}},
        {"--record", {"t", "final(t)", "p.x"}},
        {"--jobs", {"1", "3", "0"}},
        output,
        json,
        quiet,
        interpret}},
      {"info", {json}},
      {"test", {both, json, interpret}},
      {"fmt", {{"--check", {}}}},
      {"repl", {}},
      {"explain", {{"--list", {}}, {"E0101", {}}}},
  };
  static const std::map<std::string, std::vector<Flag>> all = [] {
    std::map<std::string, std::vector<Flag>> made = special;
    for (auto& [verb_name, flags] : made) flags.insert(flags.end(), common.begin(), common.end());
    return made;
  }();
  return all.at(verb);
}

constexpr const char* kVerbs[] = {"run",         "run",   "run",  "check", "compile", "doctor", "compare", "linearize",
                                  "equilibrium", "sweep", "info", "test",  "fmt",     "repl",   "explain"};

Words command(Random& random) {
  const std::string verb = random.of(kVerbs);
  Words words = {verb};
  if (verb != "explain") words.emplace_back(random.one_in(8) ? "-" : "m.mbd");
  if (random.one_in(50)) words.emplace_back("--frobnicate");
  for (std::size_t n = random.below(4); n > 0; --n) {
    const Flag& flag = random.of(flags_of(verb));
    words.emplace_back(flag.name);
    if (!flag.values.empty()) words.push_back(random.of(flag.values));
  }
  return words;
}

// ---- runs

struct Outcome {
  int code = -1, signal = 0;
  bool interrupted = false, killed = false;
  std::string err;
};

Outcome run_in(const Folder& folder, const Words& command) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    const rlimit files{std::uint64_t{64} << 20, std::uint64_t{64} << 20};
    setrlimit(RLIMIT_FSIZE, &files);
    if (chdir(folder.path().c_str()) != 0) _exit(126);
    dup2(open("m.mbd", O_RDONLY), 0);
    dup2(open("out.log", O_WRONLY | O_CREAT | O_TRUNC, 0600), 1);
    dup2(open("err.log", O_WRONLY | O_CREAT | O_TRUNC, 0600), 2);
    const char* other = std::getenv("MBC_PROGRAM");
    Words words = {other != nullptr ? other : MBC_PROGRAM};
    words.insert(words.end(), command.begin(), command.end());
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    execv(argv[0], argv.data());
    _exit(127);
  }
  Outcome outcome;
  const Clock::time_point begin = Clock::now();
  int status = 0;
  while (waitpid(child, &status, WNOHANG) == 0) {
    const auto passed = Clock::now() - begin;
    if (!outcome.interrupted && passed > kInterruptAfter) {
      outcome.interrupted = true;
      kill(child, SIGINT);
    } else if (!outcome.killed && passed > kKillAfter) {
      outcome.killed = true;
      kill(child, SIGKILL);
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(2));
  }
  if (WIFEXITED(status)) outcome.code = WEXITSTATUS(status);
  if (WIFSIGNALED(status)) outcome.signal = WTERMSIG(status);
  outcome.err = read_file(folder / "err.log");
  return outcome;
}

void check_outcome(const Outcome& outcome) {
  CHECK_FALSE(outcome.killed);
  CHECK((outcome.signal == 0 || (outcome.signal == SIGINT && outcome.interrupted)));
  if (outcome.signal == 0) {
    const auto codes = {0, 1, 2, 3, 4, 74, 130};
    CHECK(std::find(codes.begin(), codes.end(), outcome.code) != codes.end());
  }
  for (const char* word : {"Sanitizer", "runtime error:", "internal error"})
    CHECK(outcome.err.find(word) == std::string::npos);
}

void check_files(const Folder& folder) {
  for (const auto& entry : fs::directory_iterator(folder.path())) {
    const std::string path = entry.path().string();
    if (!path.ends_with(".csv.json") && !path.ends_with(".csv.partial.json")) continue;
    const auto described = nlohmann::json::parse(read_file(path));
    if (!described.contains("format")) continue;  // This file is a summary with such a name.
    const std::string rows = read_file(path.substr(0, path.size() - 5));
    CHECK(described["rows"] == std::max<std::ptrdiff_t>(1, std::count(rows.begin(), rows.end(), '\n')) - 1);
  }
}

}  // namespace

TEST_CASE("damaged models and random flags") {
  const Words texts = corpus();
  REQUIRE(texts.size() > 50);
  const std::uint64_t first = from_environment("MBC_FUZZ_SEED", 1), count = from_environment("MBC_FUZZ", 60);
  std::map<int, int> codes;
  for (std::uint64_t seed = first; seed < first + count; ++seed) {
    Random random(seed);
    const Folder folder;
    write_file(folder / "m.mbd", model(texts, random));
    const std::string text = read_file(folder / "m.mbd");
    for (int k = 0; k < 2; ++k) {
      const Words words = command(random);
      std::string line;
      for (const std::string& word : words) line += " '" + word + "'";
      CAPTURE(seed);
      CAPTURE(line);
      CAPTURE(text);
      const Outcome outcome = run_in(folder, words);
      CAPTURE(outcome.err);
      check_outcome(outcome);
      check_files(folder);
      ++codes[outcome.code];
      write_file(folder / "m.mbd", text);  // fmt may have changed the text.
    }
  }
  std::string summary;
  for (const auto& [code, times] : codes) summary += std::to_string(times) + " x " + std::to_string(code) + ", ";
  MESSAGE("exit codes: " << summary);
}

}  // namespace mbc::test
