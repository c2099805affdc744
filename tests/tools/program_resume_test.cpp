// SPDX-License-Identifier: Apache-2.0
// Tests interrupted runs that are resumed. Rows, events and summary must equal those of an uninterrupted run, for any
// step and any cause of the interruption. A file that is not a checkpoint of the model is refused. MBC_KILLS sets the
// number of killed runs.
#include <doctest/doctest.h>
#include <signal.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <thread>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::json;

const std::string kExamples = std::string(MBC_SOURCE) + "/examples/";

// Returns the summary without the wall-clock time and the entries about the interruption.
Json told(const std::string& path) {
  Json summary = Json::parse(read_file(path));
  for (const char* key : {"wall_seconds", "resumed", "engine"}) summary.erase(key);
  return summary;
}

using Table = std::vector<std::vector<double>>;

Table table_of(const std::string& path) {
  Table table;
  std::istringstream rows(read_file(path));
  std::string line;
  for (std::getline(rows, line); std::getline(rows, line);) {
    std::istringstream fields(line);
    table.emplace_back();
    for (std::string field; std::getline(fields, field, ',');) table.back().push_back(std::stod(field));
  }
  return table;
}

// Ended counts the outcomes of interrupted runs.
struct Ended {
  int killed = 0, interrupted = 0, resumed = 0, begun_again = 0;
};

int count_of_kills() {
  const char* wanted = std::getenv("MBC_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 7;
}

// Left compares one uninterrupted run of a model with interrupted ones.
class Left {
 public:
  explicit Left(std::vector<std::string> model) : model_(std::move(model)) {
    std::vector<std::string> args = args_for("whole");
    const Ran ran = run_mbc(args);
    CAPTURE(ran.err);
    REQUIRE(ran.code == 0);
    steps_ = Json::parse(read_file(folder_ / "whole.json"))["steps"].get<std::uint64_t>();
  }

  [[nodiscard]] std::vector<std::string> args_for(const std::string& name) const {
    std::vector<std::string> args = {"run"};
    args.insert(args.end(), model_.begin(), model_.end());
    args.insert(args.end(), {"-o", folder_ / (name + ".csv"), "--summary", folder_ / (name + ".json"), "--events",
                             folder_ / (name + ".events.json")});
    return args;
  }
  [[nodiscard]] std::vector<std::string> args_with_checkpoint() const {
    std::vector<std::string> args = args_for("left");
    args.insert(args.end(), {"--checkpoint", checkpoint(), "--quiet"});
    return args;
  }
  // Stops the run after this step and completes it in two pieces.
  void leave_at(std::uint64_t step) const {
    std::vector<std::string> args = args_with_checkpoint();
    args.insert(args.end(), {"--max-steps", std::to_string(step)});
    CHECK(run_mbc(args).code == 5);
    CHECK(fs::exists(checkpoint()));
    const Ran second = run_mbc({"resume", checkpoint(), "--max-steps", std::to_string((step + steps_) / 2 + 1)});
    if (fs::exists(checkpoint())) {
      CHECK(second.code == 5);
      go_on();
    }
    same();
  }
  void go_on() const {
    const Ran ran = run_mbc({"resume", checkpoint()});
    CAPTURE(ran.err);
    CHECK(ran.code == 0);
    CHECK(has(ran.err, "resumed at t = "));
    CHECK_FALSE(fs::exists(checkpoint()));
  }
  // Ends the run by this signal at a random moment, and its continuation too, until one of them completes.
  void end_at_random(int number, std::chrono::microseconds whole, std::mt19937& random, Ended& ended) const {
    std::vector<std::string> next = args_often();
    for (int piece = 0;; ++piece) {
      const bool ends = piece == 0 || (piece < 5 && random() % 2 == 0);
      const std::chrono::microseconds wait(random() % static_cast<unsigned>(whole.count()));
      const Ran ran = run_mbc(next, {.meanwhile = [&](pid_t child) {
                                if (!ends) return;
                                std::this_thread::sleep_for(wait);
                                kill(child, number);
                              }});
      CAPTURE(ran.err);
      if (ran.code == 0) break;
      REQUIRE((ran.signal == number || (ran.code == 130 && number != SIGKILL)));
      if (piece == 0 && ran.code == 130) CHECK_FALSE(fs::exists(folder_ / "left.csv"));
      ++(number == SIGKILL ? ended.killed : ended.interrupted);
      const bool left = fs::exists(checkpoint());
      ++(left ? ended.resumed : ended.begun_again);
      next = left ? std::vector<std::string>{"resume", checkpoint(), "--every", "2ms"} : args_often();
    }
    same();
  }
  [[nodiscard]] std::vector<std::string> args_often() const {
    std::vector<std::string> args = args_with_checkpoint();
    args.insert(args.end(), {"--every", "2ms"});
    return args;
  }
  void same() const {
    CHECK(read_file(folder_ / "left.csv") == read_file(folder_ / "whole.csv"));
    CHECK(read_file(folder_ / "left.events.json") == read_file(folder_ / "whole.events.json"));
    CHECK(told(folder_ / "left.json") == told(folder_ / "whole.json"));
    CHECK(Json::parse(read_file(folder_ / "left.csv.json"))["status"] == "complete");
    CHECK_FALSE(fs::exists(folder_ / "left.csv.partial"));
    forget();
  }
  void forget() const {
    for (const char* ending : {".csv", ".csv.json", ".json", ".events.json", ".csv.partial", ".csv.partial.json",
                               ".events.json.partial", ".check"})
      fs::remove(folder_ / (std::string("left") + ending));
  }

  [[nodiscard]] std::uint64_t steps() const { return steps_; }
  [[nodiscard]] std::string checkpoint() const { return folder_ / "left.check"; }
  [[nodiscard]] const Folder& folder() const { return folder_; }

 private:
  Folder folder_;
  std::vector<std::string> model_;
  std::uint64_t steps_ = 0;
};

}  // namespace

TEST_CASE("resume: rows and summary are those of a run that was not left") {
  for (const char* integrator : {"rk4", "ab4", "dopri5", "dop853", "taylor", "auto", "gauss6"}) {
    for (const char* model : {"pendulum.mbd", "hopper.mbd", "double_pendulum_redundant.mbd"}) {
      CAPTURE(integrator);
      CAPTURE(model);
      if (integrator[0] == 'g' && model[0] == 'h') continue;  // Gauss's methods do not support events.
      const Left left({kExamples + model, "--set", std::string("integrator=") + integrator});
      for (const std::uint64_t step : {std::uint64_t{1}, left.steps() / 3 + 1, left.steps() - 1}) {
        CAPTURE(step);
        left.leave_at(step);
      }
    }
  }
}

TEST_CASE("resume: runs that are killed or interrupted at random moments, by every method") {
  const std::vector<std::string> methods = {"rk4", "dopri5", "dop853", "ab4", "auto", "taylor", "gauss6"};
  std::mt19937 random(11);
  Ended ended;
  for (std::size_t m = 0; m < methods.size(); ++m) {
    CAPTURE(methods[m]);
    const Left left({kExamples + "spherical_pendulum.mbd", "--set", "time.step=0.0002", "--set", "time.end=1", "--set",
                     "integrator=" + methods[m]});
    const auto begin = std::chrono::steady_clock::now();
    REQUIRE(run_mbc(left.args_often()).code == 0);
    const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
    left.same();
    // The kills are divided among the methods, and there is one interrupt for three kills.
    const auto of_method = [&](int all) { return (all + static_cast<int>(methods.size() - m) - 1) / 7; };
    for (int k = 0; k < of_method(count_of_kills()); ++k) left.end_at_random(SIGKILL, whole, random, ended);
    for (int k = 0; k < of_method(count_of_kills() / 3); ++k)
      left.end_at_random((m + k) % 2 == 0 ? SIGINT : SIGTERM, whole, random, ended);
  }
  MESSAGE(ended.killed << " kills and " << ended.interrupted << " interrupts: " << ended.resumed << " resumed, "
                       << ended.begun_again << " before the first checkpoint");
}

TEST_CASE("resume: a run that was killed between its rows in their place and the end of its checkpoint") {
  const Left left({kExamples + "hopper.mbd"});
  const std::string csv = left.folder() / "left.csv", kept = left.folder() / "kept.check";
  std::vector<std::string> args = left.args_with_checkpoint();
  args.insert(args.end(), {"--max-steps", std::to_string(left.steps() / 2)});
  CHECK(run_mbc(args).code == 5);
  fs::copy(left.checkpoint(), kept);
  left.go_on();
  fs::copy(kept, left.checkpoint());
  left.go_on();
  const std::string rows = read_file(csv), listed = left.folder() / "left.events.json", events = read_file(listed);
  const std::string description = read_file(csv + ".json");
  left.same();
  // Rows of another run are refused and stay unchanged.
  fs::copy(kept, left.checkpoint());
  const std::string other = rows.substr(0, rows.size() / 4) + "x" + rows.substr(rows.size() / 4 + 1);
  write_file(csv, other);
  write_file(csv + ".json", description);
  write_file(listed, events);
  const Ran ran = run_mbc({"resume", left.checkpoint()});
  CHECK(ran.code == 74);
  CHECK_MESSAGE(has(ran.err, "`" + csv + ".partial` is shorter than it was"), ran.err);
  CHECK(read_file(csv) == other);
  CHECK_FALSE(fs::exists(csv + ".partial"));
}

TEST_CASE("resume: the method for stiff problems begins anew, and says so") {
  const Left left({kExamples + "stiff_bushing.mbd"});
  std::vector<std::string> args = left.args_with_checkpoint();
  args.insert(args.end(), {"--max-steps", "800"});
  CHECK(run_mbc(args).code == 5);
  const Ran ran = run_mbc({"resume", left.checkpoint()});
  CHECK(ran.code == 0);
  CHECK(has(ran.err, "bdf began anew there: equal to an uninterrupted run within its tolerance"));
  const Table a = table_of(left.folder() / "whole.csv"), b = table_of(left.folder() / "left.csv");
  REQUIRE(a.size() == b.size());
  for (std::size_t k = 0; k < 7; ++k) {  // The columns are the time, and position and velocity of a body.
    double size = 0, difference = 0;
    for (std::size_t row = 0; row < a.size(); ++row) {
      size = std::max(size, std::fabs(a[row][k]));
      difference = std::max(difference, std::fabs(a[row][k] - b[row][k]));
    }
    CHECK(difference <= 10 * 1e-8 * size);
  }
}

TEST_CASE("resume: a checkpoint that is damaged, missing, or of something else is refused") {
  const Folder folder;
  const std::string model = folder / "a.mbd", check = folder / "a.check", other = folder / "b.check";
  write_file(model, std::string(kFall));
  CHECK(run_mbc({"run", model, "-o", folder / "a.csv", "--checkpoint", check, "--max-steps", "3"}).code == 5);
  const std::string whole = read_file(check);
  const auto refused = [&](const std::string& file, const std::string& why) {
    const Ran ran = run_mbc({"resume", file});
    CAPTURE(ran.err);
    CHECK(ran.code == 2);
    CHECK(ran.signal == 0);
    CHECK(has(ran.err, "cannot go on from `" + file + "`: "));
    CHECK(has(ran.err, why));
  };
  std::mt19937 random(5);
  for (std::size_t size = 0; size < whole.size(); size += 1 + random() % (whole.size() / 25)) {
    write_file(other, whole.substr(0, size));
    refused(other, "");
  }
  for (int k = 0; k < 40; ++k) {
    std::string bytes = whole;
    bytes[random() % bytes.size()] ^= static_cast<char>(1 << random() % 8);
    write_file(other, bytes);
    refused(other, "");
  }
  refused(folder / "none.check", "No such file");
  refused(model, "it is no checkpoint of a run");
  CHECK(run_mbc({"resume"}).code == 2);
  write_file(model, std::string(kFall) + "// another text\n");
  refused(check, "has changed since");
  write_file(model, kFall);
  const std::string rows = read_file(folder / "a.csv.partial");
  write_file(folder / "a.csv.partial", rows.substr(0, rows.size() - 1) + "x");
  const Ran spoilt = run_mbc({"resume", check});
  CHECK(spoilt.code == 74);
  CHECK(has(spoilt.err, "does not hold the rows that were written"));
  write_file(folder / "a.csv.partial", rows + "0.9,half of a ro");
  CHECK(run_mbc({"resume", check}).code == 0);
  CHECK(run_mbc({"run", model, "-o", folder / "whole.csv"}).code == 0);
  CHECK(read_file(folder / "a.csv") == read_file(folder / "whole.csv"));
}

TEST_CASE("checkpoint: what cannot be gone on with is refused before the run") {
  const Folder folder;
  const std::string model = folder / "a.mbd", csv = folder / "a.csv", check = folder / "a.check";
  write_file(model, kFall);
  const auto refused = [&](std::vector<std::string> args, const std::string& why, const std::string& input = "") {
    args.insert(args.begin(), "run");
    const Ran ran = run_mbc(args, {.input = input});
    CAPTURE(ran.err);
    CHECK(ran.code == 2);
    CHECK(has(ran.err, why));
    CHECK_FALSE(fs::exists(check));
  };
  refused({model, "--checkpoint", check}, "--checkpoint needs a file for the rows");
  refused({model, "--checkpoint", csv, "-o", csv}, "the checkpoint needs a file of its own");
  refused({model, "--checkpoint", csv + ".partial", "-o", csv}, "the checkpoint needs a file of its own");
  refused({model, "--checkpoint", model, "-o", csv}, "is there and is no checkpoint");
  refused({model, "--checkpoint", check, "-o", csv, "--report", folder / "a.html"}, "--report shows a run as a whole");
  refused({"-", "--checkpoint", check, "-o", csv}, "standard input cannot be read again", kFall);
  refused({model, "--checkpoint", check, "-o", csv, "--accuracy", "global"},
          "makes a second run, which no checkpoint holds");
  refused({model, "--accuracy", "whole"}, "--accuracy");
  refused({model, "--every", "5s", "-o", csv}, "it needs --checkpoint FILE");
  refused({model, "--checkpoint", check, "--every", "often", "-o", csv}, "`often` is no time such as");
  refused({model, "--max-time", "-1s"}, "is no time such as");
  refused({model, "--max-output", "2"}, "`2` is no size such as");
  for (const char* steps : {"some", "-3", "1.5", "99999999999999999999", ""})
    refused({model, "--max-steps", steps}, "--max-steps");
  refused({model, "--max-steps", "-3"}, "--max-steps: `-3` is no number of steps such as 0, 100 or 20000");
  CHECK(run_mbc({"run", model, "-o", csv, "--checkpoint", check, "--max-steps", "3"}).code == 5);
  const Ran resumed = run_mbc({"resume", check, "--max-steps", "-1"});
  CHECK(resumed.code == 2);
  CHECK(has(resumed.err, "mbc resume: --max-steps: `-1` is no number of steps"));
}

TEST_CASE("checkpoint: one that cannot be written is told of, and the run goes on") {
  const Folder folder;
  const std::string model = folder / "a.mbd", csv = folder / "a.csv", check = folder / "a.check";
  write_file(model, kFall);
  CHECK(run_mbc({"run", model, "-o", csv, "--checkpoint", check, "--max-steps", "3"}).code == 5);
  const std::string before = read_file(check);
  fs::create_directory(check + ".partial");
  const Ran ran = run_mbc({"run", model, "-o", csv, "--checkpoint", check, "--every", "0s"});
  CHECK(ran.code == 74);
  CHECK(has(ran.err, "is in the way; the run goes on without this checkpoint"));
  CHECK(read_file(check) == before);
  CHECK(Json::parse(read_file(csv + ".json"))["status"] == "complete");
}

TEST_CASE("limits end a run: exit status 5, E0654, and the rows are kept") {
  const Folder folder;
  write_file(folder / "a.mbd", kLong);
  const std::string csv = folder / "a.csv";
  for (const auto& [limit, value] :
       {std::pair{"--max-steps", "1000"}, {"--max-time", "0.2s"}, {"--max-output", "100kB"}}) {
    const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", csv, limit, value});
    CAPTURE(ran.err);
    CHECK(ran.code == 5);
    CHECK(has(ran.err, std::string("error[E0654]: the run was ended by ") + limit + " " + value));
    CHECK(has(ran.err, "interrupted: "));
    CHECK(Json::parse(read_file(csv + ".json"))["status"] == "interrupted");
    if (limit == std::string("--max-output")) CHECK(fs::file_size(csv) < 101000);
    if (limit == std::string("--max-steps")) CHECK(Json::parse(read_file(csv + ".json"))["rows"] == 1001);
  }
  const Ran json = run_mbc({"run", folder / "a.mbd", "-o", csv, "--max-steps", "3", "--diagnostics=json"});
  const Json line = Json::parse(json.err);
  CHECK(line["code"] == "E0654");
  CHECK(line["time"] == 0.003);
}

}  // namespace mbc::test
