// SPDX-License-Identifier: Apache-2.0
// Tests that runs that wait for the other end of a pipe to open or to read end at the first signal.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <chrono>
#include <thread>

#include "tests/support/scratch.h"
#include "tests/tools/program_runner.h"

namespace mbc::test {
namespace {

using Clock = std::chrono::steady_clock;
#ifdef __SANITIZE_ADDRESS__
constexpr std::chrono::seconds kAtOnce{20};
#else
constexpr std::chrono::seconds kAtOnce{3};
#endif

// Sends one signal after the process has had time to start waiting. Returns the duration until it ends.
std::chrono::duration<double> ends_after(const std::vector<std::string>& line, int number, Ran& ran, Start start = {}) {
  Clock::time_point sent;
  start.meanwhile = [&](pid_t pid) {
    std::this_thread::sleep_for(std::chrono::milliseconds(700));
    sent = Clock::now();
    kill(pid, number);
  };
  ran = run_mbc(line, start);
  return Clock::now() - sent;
}

}  // namespace

TEST_CASE("a run whose rows, events or model go through a pipe that nobody opens ends at the first signal") {
  const Folder folder;
  write_file(folder / "a.mbd", kFall);
  REQUIRE(mkfifo((folder / "pipe.csv").c_str(), 0600) == 0);
  const std::string model = folder / "a.mbd";
  for (const int number : {SIGINT, SIGTERM})
    for (const std::vector<std::string>& line :
         {std::vector<std::string>{"run", model, "-o", folder / "pipe.csv"},
          std::vector<std::string>{"run", model, "-o", "/dev/null", "--events", folder / "pipe.csv"},
          std::vector<std::string>{"run", folder / "pipe.csv"}, std::vector<std::string>{"check", folder / "pipe.csv"},
          std::vector<std::string>{"compare", folder / "pipe.csv"},
          std::vector<std::string>{"sweep", folder / "pipe.csv", "--vary", "x=1..2 count 2", "--record", "p.x"},
          std::vector<std::string>{"sweep", model, "--vary", "g=1..2 count 2", "--record", "p.z", "-o",
                                   folder / "pipe.csv"}}) {
      Ran ran;
      const auto took = ends_after(line, number, ran);
      INFO(line[0] << " " << line.back() << " by " << number << "\n" << ran.err);
      CHECK(took < kAtOnce);
      CHECK((ran.code == 130 || ran.signal == number));
    }
}

TEST_CASE("a run whose reader takes nothing any more ends at the first signal") {
  const Folder folder;
  write_file(folder / "long.mbd", kLong);
  const std::string pipe = folder / "pipe.csv";
  REQUIRE(mkfifo(pipe.c_str(), 0600) == 0);
  for (const int number : {SIGINT, SIGTERM}) {
    const int reader = open(pipe.c_str(), O_RDONLY | O_NONBLOCK);  // This reader never reads.
    REQUIRE(reader >= 0);
    Ran ran;
    const auto took = ends_after({"run", folder / "long.mbd", "-o", pipe, "--quiet"}, number, ran);
    INFO(ran.err);
    CHECK(took < kAtOnce);
    CHECK(ran.code == 130);
    close(reader);
  }
}

TEST_CASE("what a reader of a pipe still takes after a signal, it gets") {
  const Folder folder;
  write_file(folder / "long.mbd", kLong);
  const Ran ran = run_mbc({"run", folder / "long.mbd", "--quiet"}, {.meanwhile = [](pid_t pid) {
                            std::this_thread::sleep_for(std::chrono::milliseconds(300));
                            kill(pid, SIGTERM);
                          }});
  CHECK(ran.code == 130);
  CHECK(ran.out.ends_with("\r\n"));
}

}  // namespace mbc::test
