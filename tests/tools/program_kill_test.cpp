// SPDX-License-Identifier: Apache-2.0
// Tests runs that are killed, or whose disk is full, at random moments. The earlier result or the new one must be
// complete, an incomplete file must be called .partial, and no description may claim more than its rows contain.
// MBC_KILLS sets the number of each kind.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/mount.h>
#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

namespace fs = std::filesystem;

constexpr const char* kModel =
    "mbd 1\n"
    "param g = 9.81\n"
    "particle p(1) at (0, 0, 1)\n"
    "gravity (0, 0, -g)\n"
    "simulate demo { time = 0 .. 1 step 0.0005; integrator = rk4 }\n";

int count_of_kills() {
  const char* wanted = std::getenv("MBC_KILLS");
  return wanted != nullptr ? std::atoi(wanted) : 30;
}

// Results starts with a complete result for g = 9.81. Runs with g = 5 try to replace it.
class Results {
 public:
  explicit Results(std::string path) : csv_(std::move(path)) {
    write_file(model_, kModel);
    REQUIRE(run_mbc({"run", model_, "--quiet", "-o", folder_ / "new.csv", "--set", "g=5"}).code == 0);
    new_ = read_file(folder_ / "new.csv");
    begin();
    old_ = read_file(csv_);
  }

  void begin() const {
    for (const char* ending : {"", ".json", ".partial", ".partial.json", ".json.partial"}) fs::remove(csv_ + ending);
    REQUIRE(run_mbc({"run", model_, "--quiet", "-o", csv_}).code == 0);
  }

  [[nodiscard]] Ran replace(const Start& start) const { return replace_at(csv_, start); }
  [[nodiscard]] Ran replace_at(const std::string& csv, const Start& start = {}) const {
    return run_mbc({"run", model_, "--quiet", "-o", csv, "--set", "g=5"}, start);
  }

  // Returns whether the new result replaced the old one.
  [[nodiscard]] bool look() const { return look_at(csv_); }
  [[nodiscard]] bool look_at(const std::string& csv) const {
    const std::string rows = read_file(csv);
    const bool is_new = rows == new_;
    CHECK((is_new || rows == old_));
    if (fs::exists(csv + ".json")) {
      const auto described = nlohmann::json::parse(read_file(csv + ".json"));
      CHECK(described["status"] == "complete");
      CHECK(described["parameters"][0]["value"] == (is_new ? 5 : 9.81));
    }
    if (fs::exists(csv + ".partial")) look_at_partial(csv + ".partial");
    return is_new;
  }

  [[nodiscard]] std::size_t size() const { return new_.size(); }

 private:
  void look_at_partial(const std::string& path) const {
    const std::string rows = read_file(path);
    CHECK(new_.starts_with(rows));
    if (!fs::exists(path + ".json")) return;
    const auto described = nlohmann::json::parse(read_file(path + ".json"));
    CHECK(described["data"] == "a.csv.partial");
    CHECK((described["status"] == "interrupted" || described["status"] == "output failed"));
    CHECK((rows.empty() || rows.ends_with("\r\n")));
    CHECK(described["rows"] == std::max<std::ptrdiff_t>(1, std::count(rows.begin(), rows.end(), '\n')) - 1);
  }

  Folder folder_;
  std::string model_ = folder_ / "a.mbd";
  std::string csv_;
  std::string old_, new_;
};

}  // namespace

TEST_CASE("killed at random moments") {
  const Folder folder;
  const Results results(folder / "a.csv");
  std::mt19937 random(7);
  const auto begin = std::chrono::steady_clock::now();
  static_cast<void>(results.replace({}));
  const auto whole = std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - begin);
  int replaced = 0;
  for (int k = 0; k < count_of_kills(); ++k) {
    results.begin();
    const int number = k % 3 == 0 ? SIGTERM : SIGKILL;
    const std::chrono::microseconds wait(random() % static_cast<unsigned>(whole.count() + 1));
    const Ran ran = results.replace({.meanwhile = [&](pid_t child) {
      std::this_thread::sleep_for(wait);
      kill(child, number);
    }});
    CAPTURE(k);
    CAPTURE(ran.err);
    const bool is_new = results.look();
    replaced += is_new ? 1 : 0;
    if (ran.code == 0) CHECK(is_new);
  }
  MESSAGE(replaced << " of " << count_of_kills() << " took the place");
}

TEST_CASE("files that may not grow: exit status 74, no signal, whole rows") {
  const Folder folder;
  const Results results(folder / "a.csv");
  std::mt19937 random(8);
  for (int k = 0; k < count_of_kills() / 3; ++k) {
    const std::uint64_t limit = 1 + random() % results.size();
    const Ran ran = results.replace({.prepare = [limit] {
      const rlimit size{limit, limit};
      setrlimit(RLIMIT_FSIZE, &size);
    }});
    CAPTURE(limit);
    CHECK(ran.signal == 0);
    CHECK(ran.code == 74);
    CHECK(ran.err.find("File too large; what was written is in `" + (folder / "a.csv.partial")) != std::string::npos);
    CHECK_FALSE(results.look());
    const std::string rows = read_file(folder / "a.csv.partial");
    CHECK((rows.empty() || rows.ends_with("\r\n")));
  }
}

// The test mounts a file system of a few kilobytes if it is allowed to.
TEST_CASE("a full disk: exit status 74, and what was there is whole") {
  const Folder folder;
  const Results whole(folder / "a.csv");
  std::mt19937 random(9);
  for (int k = 0; k < count_of_kills() / 3; ++k) {
    const Folder place;
    const std::size_t room = (whole.size() + random() % (3 * whole.size())) / 4096 * 4096;
    const std::string size = "size=" + std::to_string(room);
    if (mount("tmpfs", place.path().c_str(), "tmpfs", 0, size.c_str()) != 0) {
      MESSAGE("no file system may be mounted here");
      return;
    }
    struct Mounted {
      const std::string& path;
      ~Mounted() { umount2(path.c_str(), MNT_DETACH); }
    } const mounted{place.path()};
    const std::string csv = place / "a.csv";
    std::error_code full;
    for (const char* ending : {"", ".json"}) fs::copy(folder / (std::string("a.csv") + ending), csv + ending, full);
    if (full) continue;  // Not even the old result fits.
    const Ran ran = whole.replace_at(csv);
    CAPTURE(room);
    CAPTURE(ran.err);
    CHECK((ran.code == 0 || ran.code == 74));
    CHECK(whole.look_at(csv) == (ran.code == 0));
    if (ran.code == 74) CHECK(ran.err.find("No space left on device") != std::string::npos);
  }
}

TEST_CASE("two runs into one file: the second is told, and the first goes on") {
  const Folder folder;
  write_file(folder / "long.mbd", kLong);
  write_file(folder / "a.mbd", kModel);
  const std::string csv = folder / "a.csv";
  const Ran first = run_mbc(
      {"run", folder / "long.mbd", "-o", csv}, {.meanwhile = [&](pid_t child) {
        CHECK(wait_until([&] { return fs::exists(csv + ".partial") && fs::file_size(csv + ".partial") > 0; }));
        for (const std::vector<std::string>& args :
             {std::vector<std::string>{"run", folder / "a.mbd", "-o", csv},
              {"sweep", folder / "a.mbd", "--vary", "g = (1, 2)", "--record", "p.z", "-o", csv},
              {"compare", folder / "a.mbd", "--no-run", "--quiet", "--csv", csv}}) {
          const Ran second = run_mbc(args);
          CAPTURE(second.err);
          CHECK(second.code == 74);
          CHECK(second.err.find("cannot write `" + csv + "`: another run is writing it, into `" + csv + ".partial`") !=
                std::string::npos);
        }
        kill(child, SIGINT);
      }});
  CHECK(first.code == 130);
  CHECK(nlohmann::json::parse(read_file(csv + ".json"))["status"] == "interrupted");
  CHECK_FALSE(fs::exists(csv + ".partial"));
}

TEST_CASE("a run that stops early leaves a whole result alone and says where its rows are") {
  const Folder folder;
  write_file(folder / "a.mbd", std::string(kFall) + "param until = 2\nforce f on p: (0, 0, sqrt(until - t))\n");
  const std::string csv = folder / "a.csv";
  CHECK(run_mbc({"run", folder / "a.mbd", "-o", csv}).code == 0);
  const std::string before = read_file(csv) + read_file(csv + ".json");
  const Ran ran = run_mbc({"run", folder / "a.mbd", "-o", csv, "--set", "until=0.55"});
  CHECK(ran.code == 4);
  CHECK(ran.err.find("wrote " + csv + ".partial (6 rows, ") != std::string::npos);
  CHECK(ran.err.find(" and " + csv + ".partial.json; " + csv + " is left as it was\n") != std::string::npos);
  CHECK(read_file(csv) + read_file(csv + ".json") == before);
  CHECK(nlohmann::json::parse(read_file(csv + ".partial.json"))["status"] == "stopped");
  CHECK(run_mbc({"run", folder / "a.mbd", "-o", csv}).code == 0);
  CHECK(folder.entries() == 3);
}

}  // namespace mbc::test
