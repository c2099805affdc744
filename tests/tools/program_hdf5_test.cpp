// SPDX-License-Identifier: Apache-2.0
// Tests `mbc run -o x.h5` with h5dump: the numbers are those of the CSV file bit for bit, and the file of a killed run
// or of a full disk can be opened. It also tests `--variables`. The test is skipped with a message without libhdf5 or
// h5dump.
#include <doctest/doctest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>

#include <array>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

constexpr const char* kModel =
    "mbd 1\n"
    "param g = 9.81 [m/s^2]\n"
    "particle p(1 [kg]) at (0, 0, 1) [m]\n"
    "gravity (0, 0, -g)\n"
    "output height = p.z - 0.5 [m]\n"
    "simulate demo { time = 0 [s] .. 20 [s] step 0.1 [ms]; integrator = rk4 }\n";

struct Shell {
  int code = -1;
  std::string out;
};

Shell shell(const std::string& command) {
  Shell ran;
  FILE* pipe = popen(("exec 2>&1; " + command).c_str(), "r");
  REQUIRE(pipe != nullptr);
  std::array<char, 4096> piece{};
  for (std::size_t n = 0; (n = std::fread(piece.data(), 1, piece.size(), pipe)) > 0;) ran.out.append(piece.data(), n);
  const int status = pclose(pipe);
  ran.code = status >= 0 && status % 256 == 0 ? status / 256 : -1;
  return ran;
}

bool can_look() {
  static const bool can = [] {
    const bool built = MBC_HAVE_HDF5 != 0, there = shell("h5dump --version").code == 0;
    if (!built) MESSAGE("left out: this build has no libhdf5");
    if (built && !there) MESSAGE("left out: there is no h5dump here");
    return built && there;
  }();
  return can;
}

// Returns the bytes of `/rows`.
std::string rows_of(const Folder& folder, const std::string& file) {
  const std::string raw = folder / "raw";
  fs::remove(raw);
  const Shell ran = shell("h5dump -d /rows -b LE -o '" + raw + "' '" + file + "'");
  CHECK_MESSAGE(ran.code == 0, ran.out);
  return read_file(raw);
}

// Returns the bytes of the numbers in a CSV file.
std::string numbers_of(const std::string& csv) {
  std::istringstream lines(read_file(csv));
  std::string line, bytes;
  std::getline(lines, line);
  while (std::getline(lines, line))
    for (const char* at = line.c_str(); *at != '\0' && *at != '\r';) {
      char* end = nullptr;
      const double value = std::strtod(at, &end);
      bytes.append(reinterpret_cast<const char*>(&value), sizeof value);
      at = *end == ',' ? end + 1 : end;
    }
  return bytes;
}

Ran run_to(const Folder& folder, const std::string& output, const Start& start = {},
           const std::vector<std::string>& more = {}) {
  if (!fs::exists(folder / "a.mbd")) write_file(folder / "a.mbd", kModel);
  std::vector<std::string> args = {"run", folder / "a.mbd", "--quiet", "-o", folder / output};
  args.insert(args.end(), more.begin(), more.end());
  return run_mbc(args, start);
}

}  // namespace

TEST_CASE("HDF5 holds what CSV holds, with names, units and where it comes from") {
  if (!can_look()) return;
  const Folder folder;
  REQUIRE(run_to(folder, "a.csv", {}, {"--set", "g = 5 [m/s^2]"}).code == 0);
  REQUIRE(run_to(folder, "a.h5", {}, {"--set", "g = 5 [m/s^2]"}).code == 0);
  const std::string rows = rows_of(folder, folder / "a.h5");
  CHECK(rows.size() > 200'000 * sizeof(double));
  CHECK(rows == numbers_of(folder / "a.csv"));
  CHECK(fs::exists(folder / "a.h5.json"));
  CHECK_FALSE(fs::exists(folder / "a.h5.partial"));
  const auto attribute = [&](const std::string& name) {
    return shell("h5dump -a " + name + " '" + (folder / "a.h5") +
                 "' | tr -d '\\n' | tr -s ' ' | sed 's/.000//g; s/([0-9]*): //g'")
        .out;
  };
  CHECK(attribute("/rows/columns").find(R"("time", "p.x", "p.y", "p.z", "p.vx")") != std::string::npos);
  CHECK(attribute("/rows/units").find(R"("s", "m", "m")") != std::string::npos);
  CHECK(attribute("/rows/descriptions").find("\"output\"") != std::string::npos);
  CHECK(attribute("/parameter_values").find("{ 5 }") != std::string::npos);
  CHECK(attribute("/simulation").find("\"demo\"") != std::string::npos);
  CHECK(attribute("/set").find("g = 5 [m/s^2]") != std::string::npos);
  CHECK(attribute("/model").find("particle p(1 [kg])") != std::string::npos);
}

TEST_CASE("plots and pages of an HDF5 file are those of the CSV file") {
  if (!can_look()) return;
  const Folder folder;
  REQUIRE(run_to(folder, "a.csv", {}, {"--output-every", "1000"}).code == 0);
  REQUIRE(run_to(folder, "a.h5", {}, {"--output-every", "1000"}).code == 0);
  const Ran csv = run_mbc({"plot", folder / "a.csv", "p.*", "--width", "80"});
  const Ran h5 = run_mbc({"plot", folder / "a.h5", "p.*", "--width", "80"});
  CHECK(csv.code == 0);
  CHECK(h5.code == 0);
  std::string same = h5.out;
  for (std::size_t at = 0; (at = same.find("a.h5", at)) != std::string::npos;) same.replace(at, 4, "a.csv");
  CHECK(csv.out == same);
  for (const std::string name : {"a.csv", "a.h5"})
    CHECK(run_mbc({"view", folder / name, "-o", folder / "v.html", "--quiet"}, {.setenv = {{"DISPLAY", ""}}}).code ==
          0);
  write_file(folder / "text.h5", "time,x\n0,1\n");
  const Ran no = run_mbc({"plot", folder / "text.h5"});
  CHECK(no.code != 0);
  CHECK(no.err.find("is no HDF5 file with rows as `mbc run -o` writes them") != std::string::npos);
}

TEST_CASE("an HDF5 file of a killed run opens, and holds rows of the whole one") {
  if (!can_look()) return;
  const Folder folder;
  REQUIRE(run_to(folder, "whole.h5").code == 0);
  const std::string whole = rows_of(folder, folder / "whole.h5");
  std::mt19937 random(7);
  std::size_t some = 0, begun = 0;
  for (int k = 0; k < 40; ++k) {
    const std::string partial = folder / "a.h5.partial";
    fs::remove(partial);
    const bool early = k % 4 != 0;  // The process is killed as soon as the file exists.
    const std::chrono::microseconds wait(early ? random() % 20'000 : 10'000 + random() % 120'000);
    const Ran ran = run_to(folder, "a.h5", {.meanwhile = [&](pid_t child) {
                             if (early) CHECK(wait_until([&] { return fs::exists(partial); }));
                             std::this_thread::sleep_for(wait);
                             kill(child, SIGKILL);
                           }});
    CAPTURE(early);
    CAPTURE(wait.count());
    // The file opens only when everything before the first row is written, because the signature comes last.
    if (ran.code == 0 || !fs::exists(partial) || !read_file(partial).starts_with("\x89HDF")) continue;
    ++begun;
    const std::string rows = rows_of(folder, partial);
    CHECK(whole.starts_with(rows));
    some += rows.empty() ? 0 : 1;
    CHECK(shell("h5dump -a /rows/columns '" + partial + "'").out.find("\"p.x") != std::string::npos);
  }
  MESSAGE(begun << " of 40 had begun, " << some << " had rows");
}

TEST_CASE("an HDF5 file can be read while it is written, and by one writer only") {
  if (!can_look()) return;
  const Folder folder;
  write_file(folder / "a.mbd", kLong);
  Shell read, second;
  const Ran ran = run_to(folder, "a.h5", {.meanwhile = [&](pid_t child) {
                           const std::string partial = folder / "a.h5.partial";
                           CHECK(wait_until([&] { return fs::exists(partial) && fs::file_size(partial) > 3'000'000; }));
                           read = shell("h5dump -H '" + partial + "'");
                           second = shell(std::string(MBC_PROGRAM) + " run '" + (folder / "a.mbd") + "' --quiet -o '" +
                                          (folder / "a.h5") + "'");
                           kill(child, SIGINT);
                         }});
  CHECK_MESSAGE(read.code == 0, read.out);
  CHECK(second.out.find("another run is writing it") != std::string::npos);
  CHECK(ran.code == 130);
  CHECK(nlohmann::json::parse(read_file(folder / "a.h5.json"))["status"] == "interrupted");
  CHECK(shell("h5dump -H '" + (folder / "a.h5") + "'").code == 0);
}

TEST_CASE("an HDF5 file that may not grow: exit status 74, and what is there is described") {
  if (!can_look()) return;
  const Folder folder;
  REQUIRE(run_to(folder, "a.h5").code == 0);
  const std::string whole = rows_of(folder, folder / "a.h5");
  std::mt19937 random(8);
  for (int k = 0; k < 6; ++k) {
    const std::uint64_t limit = 40'000 + random() % (whole.size() - 40'000);
    const Ran ran = run_to(folder, "a.h5", {.prepare = [limit] {
                             const rlimit size{limit, limit};
                             setrlimit(RLIMIT_FSIZE, &size);
                           }});
    CAPTURE(limit);
    CHECK(ran.signal == 0);
    CHECK(ran.code == 74);
    CHECK(ran.err.find("File too large; what was written is in `") != std::string::npos);
    CHECK(rows_of(folder, folder / "a.h5") == whole);
    const std::string rows = rows_of(folder, folder / "a.h5.partial");
    CHECK(whole.starts_with(rows));
    const auto described = nlohmann::json::parse(read_file(folder / "a.h5.partial.json"));
    CHECK(described["status"] == "output failed");
    CHECK(described["rows"].get<std::size_t>() * described["columns"].size() * sizeof(double) <= rows.size());
  }
}

TEST_CASE("--variables takes the columns that match") {
  const Folder folder;
  REQUIRE(run_to(folder, "a.csv", {}, {"--variables", "height", "--variables", "p.?"}).code == 0);
  CHECK(read_file(folder / "a.csv").starts_with("time,p.x,p.y,p.z,height\r\n0,0,0,1,0.5\r\n"));
  CHECK(nlohmann::json::parse(read_file(folder / "a.csv.json"))["columns"].size() == 5);
  const Ran none = run_to(folder, "b.csv", {}, {"--variables", "p.*", "--variables", "heigt"});
  CHECK(none.code == 2);
  CHECK(none.err == "mbc: --variables heigt matches no column; did you mean `height`?\n");
  CHECK_FALSE(fs::exists(folder / "b.csv"));
  if (!can_look()) return;
  REQUIRE(run_to(folder, "a.h5", {}, {"--variables", "height", "--variables", "p.?"}).code == 0);
  CHECK(rows_of(folder, folder / "a.h5") == numbers_of(folder / "a.csv"));
}

TEST_CASE("where HDF5 cannot be had it is refused") {
  const Folder folder;
  write_file(folder / "a.mbd", kModel);
  fs::copy(MBC_PROGRAM, folder / "mbc");  // The copy is separate from the program's other files.
  const Shell alone =
      shell("'" + (folder / "mbc") + "' run '" + (folder / "a.mbd") + "' -o '" + (folder / "a.h5") + "'");
  CHECK(alone.code == 2);
  CHECK(
      alone.out.find("libmbc-hdf5.so, which reads and writes HDF5, was not found beside mbc, in ../lib from there, or "
                     "in $MBC_LIBRARY_PATH; name a file that ends in .csv") != std::string::npos);
  if (MBC_HAVE_HDF5 == 0) return;
  const Ran swept =
      run_mbc({"sweep", folder / "a.mbd", "--vary", "g = 1 .. 2 count 2", "--record", "p.z", "-o", folder / "s.h5"});
  CHECK(swept.code == 2);
  CHECK(swept.err.find("the rows of a sweep hold texts, and are written as CSV") != std::string::npos);
  const Ran saved = run_to(folder, "a.h5", {}, {"--checkpoint", folder / "a.check"});
  CHECK(saved.code == 2);
  CHECK(saved.err.find("--checkpoint needs rows as CSV: an HDF5 file cannot be gone on with") != std::string::npos);
  REQUIRE(mkfifo((folder / "pipe.h5").c_str(), 0600) == 0);
  CHECK(run_to(folder, "pipe.h5").err.find("HDF5 goes to a plain file only") != std::string::npos);
}

}  // namespace mbc::test
