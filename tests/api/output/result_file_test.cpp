// SPDX-License-Identifier: Apache-2.0
// Tests api/output/result_file and partial_file: for every failure and every moment at which the writer is killed,
// either the old result or the new one is complete, and a description is only beside its own rows.
#include "api/output/result_file.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/scratch.h"

using namespace mbc::output;
using mbc::test::Folder;
using mbc::test::read_file;

namespace {

namespace fs = std::filesystem;

// The k-th system call is the last one of the process, or it fails with an errno.
struct Faults {
  int calls = 0;
  int die_at = -1;
  int fail_at = -1;
  int number = 0;
} faults;

bool spoilt() {
  ++faults.calls;
  if (faults.calls == faults.die_at) _exit(9);
  errno = faults.number;
  return faults.calls == faults.fail_at;
}

ssize_t spoilt_write(int fd, const void* data, std::size_t size) { return spoilt() ? -1 : write(fd, data, size); }
int spoilt_fsync(int fd) { return spoilt() ? -1 : fsync(fd); }
int spoilt_close(int fd) {
  const bool bad = spoilt();
  return close(fd) != 0 || bad ? -1 : 0;
}
int spoilt_truncate(int fd, off_t size) { return spoilt() ? -1 : ftruncate(fd, size); }
int spoilt_rename(const char* from, const char* to) { return spoilt() ? -1 : rename(from, to); }
int spoilt_unlink(const char* path) { return spoilt() ? -1 : unlink(path); }

const SystemCalls kSpoilt{spoilt_write, spoilt_fsync, spoilt_close, spoilt_truncate, spoilt_rename, spoilt_unlink};

std::string rows_of(const std::string& word, int count) {
  std::string text = "time," + word + "\r\n";
  for (int k = 0; k < count; ++k) text += std::to_string(k) + ",1\r\n";
  return text;
}

// Writes a run of `count` rows that ends with the given status. Returns whether everything succeeded.
bool write_result(ResultFile& file, const std::string& path, const std::string& word, int count,
                  const std::string& status) {
  if (!file.open(path) || !file.begin()) return false;
  bool good = file.sink().append("time," + word + "\r\n");
  for (int k = 0; good && k < count; ++k)
    good = file.sink().append(std::to_string(k) + ",1\r\n") && file.sink().flush();
  Sidecar description;
  description.status = good ? status : "output failed";
  description.model_file = word;
  description.rows = count;
  return file.finish(good && status == "complete", &description) && good;
}

bool write_result(const std::string& path, const std::string& word, int count, const std::string& status) {
  ResultFile file;
  return write_result(file, path, word, count, status);
}

// Found tells whose rows and whose description a reader finds; "" means none.
struct Found {
  std::string rows, description;
};

Found look(const std::string& path) {
  Found found;
  const std::string text = read_file(path);
  for (const char* word : {"old", "new"})
    if (text == rows_of(word, 5)) found.rows = word;
  if (fs::exists(path + ".json")) {
    const auto json = nlohmann::json::parse(read_file(path + ".json"));
    CHECK(json["data"] == fs::path(path).filename().string());
    found.description = json["model"]["file"].get<std::string>();
  }
  return found;
}

void check_pair(const Found& found) {
  CHECK_FALSE(found.rows.empty());
  CHECK((found.description.empty() || found.description == found.rows));
}

// A child process writes the result and is killed at its k-th system call. Returns whether that call occurred.
bool killed_at(int k, const std::string& path) {
  const pid_t child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    faults = {};
    faults.die_at = k;
    ResultFile file(kSpoilt);
    _exit(write_result(file, path, "new", 5, "complete") ? 0 : 1);
  }
  int status = 0;
  waitpid(child, &status, 0);
  return WEXITSTATUS(status) == 9;
}

}  // namespace

TEST_CASE("a result takes its place when it is whole") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  CHECK(write_result(path, "old", 5, "complete"));
  ResultFile file;
  REQUIRE(file.open(path));
  REQUIRE(file.begin());
  REQUIRE(file.sink().append(rows_of("new", 5)));
  REQUIRE(file.sink().flush());
  CHECK(look(path).rows == "old");
  CHECK(read_file(path + ".partial") == rows_of("new", 5));
  Sidecar description;
  description.status = "complete";
  description.model_file = "new";
  CHECK(file.finish(true, &description));
  CHECK(file.rows_at() == path);
  CHECK(file.described_at() == path + ".json");
  CHECK(look(path).rows == "new");
  CHECK(look(path).description == "new");
  CHECK(folder.entries() == 2);
}

TEST_CASE("a file is gone on with from its mark, and what was written behind it is written again") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  REQUIRE(write_result(path, "old", 5, "complete"));
  Mark mark;
  {
    ResultFile first;
    REQUIRE((first.open(path) && first.begin() && first.sink().append("time,new\r\n0,1\r\n1,1\r\n")));
    REQUIRE(first.mark(mark));
    REQUIRE((first.sink().append("2,1\r\n3,9\r\nhalf") && first.sink().flush()));
    CHECK(first.bytes() == mark.bytes + 14);
  }
  // Each system call fails in turn. The mark and the old result stay valid.
  for (int k = 1; k < 4; ++k) {
    ResultFile failing(kSpoilt);
    faults = {};
    faults.fail_at = k;
    faults.number = EIO;
    Mark again;
    const bool good = failing.open(path) && failing.resume(mark) && failing.mark(again);
    if (good) CHECK((again.bytes == mark.bytes && again.sum == mark.sum));
    if (!good) CHECK(failing.error().find("Input/output error") != std::string::npos);
    faults = {};
    CHECK(look(path).rows == "old");
  }
  ResultFile second;
  REQUIRE((second.open(path) && second.resume(mark)));
  CHECK(second.bytes() == mark.bytes);
  REQUIRE(second.sink().append("2,1\r\n3,1\r\n4,1\r\n"));
  Sidecar description;
  description.model_file = "new";
  CHECK(second.finish(true, &description));
  CHECK(look(path).rows == "new");
  // The finished file would be continued, so the test removes it and offers no file, a shorter one, and a different
  // one.
  std::filesystem::remove(path);
  for (const char* text : {"", "time,new\r\n0,1\r\n", "time,new\r\n0,1\r\n1,2\r\n"}) {
    std::ofstream(path + ".partial") << text;
    ResultFile third;
    REQUIRE(third.open(path));
    CHECK_FALSE(third.resume(mark));
    CHECK_FALSE(third.error().empty());
  }
}

TEST_CASE("rows that are to be gone on with stay in the partial file") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  ResultFile file;
  file.stay_partial();
  CHECK(write_result(file, path, "new", 5, "interrupted"));
  CHECK_FALSE(fs::exists(path));
  CHECK(read_file(path + ".partial") == rows_of("new", 5));
}

TEST_CASE("killed at each call of the system: the old result or the new one, never a mixture") {
  int k = 1;
  for (bool killed = true; killed; ++k) {
    const Folder folder;
    const std::string path = folder / "a.csv";
    REQUIRE(write_result(path, "old", 5, "complete"));
    killed = killed_at(k, path);
    CAPTURE(k);
    check_pair(look(path));
    // Remains of the killed run do not disturb later runs.
    CHECK(write_result(path, "new", 5, "complete"));
    CHECK(look(path).description == "new");
    CHECK(folder.entries() == 2);
  }
  CHECK(k > 15);
}

TEST_CASE("a failure of each call of the system is told, and the old result or the new one is there") {
  for (const int number : {ENOSPC, EIO, EDQUOT, EFBIG}) {
    bool failed = true;
    for (int k = 1; failed; ++k) {
      const Folder folder;
      const std::string path = folder / "a.csv";
      REQUIRE(write_result(path, "old", 5, "complete"));
      faults = {};
      faults.fail_at = k;
      faults.number = number;
      bool good = false;
      std::string error;
      {
        ResultFile file(kSpoilt);
        good = write_result(file, path, "new", 5, "complete");
        error = file.error() + file.sink().error();
      }
      failed = faults.calls >= k;
      CAPTURE(k);
      CAPTURE(error);
      check_pair(look(path));
      if (!good) CHECK(error.find(path) != std::string::npos);
      if (good) CHECK(look(path).rows == "new");
      faults = {};
      CHECK(write_result(path, "new", 5, "complete"));
    }
  }
}

TEST_CASE("rows that are not all there never replace a whole result") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  for (const std::string status : {"stopped", "interrupted"}) {
    CHECK(write_result(path, "new", 3, status));  // There was no result before, or an unfinished one.
    CHECK(read_file(path) == rows_of("new", 3));
    CHECK(read_description(path + ".json")->status == status);
    CHECK(folder.entries() == 2);
  }
  CHECK(write_result(path, "old", 5, "complete"));
  ResultFile file;
  CHECK(write_result(file, path, "new", 3, "stopped"));
  CHECK(file.rows_at() == path + ".partial");
  CHECK(file.described_at() == path + ".partial.json");
  CHECK(look(path).rows == "old");
  CHECK(look(path).description == "old");
  CHECK(read_file(path + ".partial") == rows_of("new", 3));
  CHECK(read_description(path + ".partial.json")->status == "stopped");
  CHECK(read_description(path + ".partial.json")->data_file == "a.csv.partial");
}

TEST_CASE("a file nobody described is worth as much as a whole result") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  std::string error;
  REQUIRE(write_file_atomically(path, "mine", error));
  CHECK(write_result(path, "new", 3, "stopped"));
  CHECK(read_file(path) == "mine");
  REQUIRE(write_file_atomically(path, "", error));
  CHECK(write_result(path, "new", 3, "stopped"));
  CHECK(read_file(path) == rows_of("new", 3));
}

TEST_CASE("rows without a description wait beside until they are whole, and an old description goes with its rows") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  CHECK(write_result(path, "old", 5, "complete"));
  {
    ResultFile file;
    REQUIRE((file.open(path) && file.begin() && file.sink().append(rows_of("new", 3))));
    CHECK(file.finish(false, nullptr));
    CHECK(file.rows_at() == path + ".partial");
  }
  CHECK(look(path).description == "old");
  ResultFile file;
  REQUIRE((file.open(path) && file.begin() && file.sink().append(rows_of("new", 5))));
  CHECK(file.finish(true, nullptr));
  CHECK(look(path).rows == "new");
  CHECK(look(path).description.empty());
  CHECK(folder.entries() == 1);
}

TEST_CASE("a second writer is told, and takes over when the first is gone") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  std::string error;
  {
    ResultFile first;
    REQUIRE((first.open(path) && first.begin() && first.sink().append("1\r\n")));
    ResultFile second;
    CHECK_FALSE(second.open(path));
    CHECK(second.error() == "cannot write `" + path + "`: another run is writing it, into `" + path + ".partial`");
    REQUIRE(symlink("a.csv", (folder / "link.csv").c_str()) == 0);
    ResultFile by_link;
    CHECK_FALSE(by_link.open(folder / "link.csv"));
    CHECK_FALSE(write_file_atomically(path, "x", error));
    CHECK(error == "cannot write `" + path + "`: another run is writing it, into `" + path + ".partial`");
  }
  CHECK(read_file(path + ".partial") == "1\r\n");  // The first run never finished.
  CHECK(write_result(path, "new", 5, "complete"));
}

TEST_CASE("a run that writes no row leaves nothing behind") {
  const Folder folder;
  {
    ResultFile file;
    REQUIRE(file.open(folder / "a.csv"));
    CHECK(folder.entries() == 1);
  }
  CHECK(folder.entries() == 0);
  std::string error;
  REQUIRE(write_file_atomically(folder / "a.csv.partial", "of a killed run", error));
  { CHECK(ResultFile().open(folder / "a.csv")); }
  CHECK(read_file(folder / "a.csv.partial") == "of a killed run");
}

TEST_CASE("links are followed, the rows and their description lie beside the file itself") {
  const Folder folder;
  fs::create_directory(folder / "data");
  REQUIRE(symlink("data/real.csv", (folder / "link.csv").c_str()) == 0);
  CHECK(write_result(folder / "link.csv", "new", 5, "complete"));
  CHECK(fs::is_symlink(folder / "link.csv"));
  CHECK(look(folder / "data/real.csv").rows == "new");
  CHECK(look(folder / "data/real.csv").description == "new");
  CHECK(folder.entries() == 2);
}

TEST_CASE("a file keeps its permissions, and what is no leftover is not taken for one") {
  const Folder folder;
  const std::string path = folder / "a.csv";
  CHECK(write_result(path, "old", 5, "complete"));
  REQUIRE(chmod(path.c_str(), 0640) == 0);
  CHECK(write_result(path, "new", 5, "complete"));
  struct stat s {};
  REQUIRE(stat(path.c_str(), &s) == 0);
  CHECK((s.st_mode & 0777) == 0640);

  fs::create_hard_link(path, path + ".partial");
  ResultFile linked;
  CHECK_FALSE(linked.open(path));
  CHECK(linked.error() == "cannot write `" + path + "`: `" + path + ".partial` is in the way");
  fs::remove(path + ".partial");
  REQUIRE(symlink("/dev/null", (path + ".partial").c_str()) == 0);
  CHECK_FALSE(ResultFile().open(path));
  fs::remove(path + ".partial");
  REQUIRE(mkfifo((path + ".partial").c_str(), 0600) == 0);
  CHECK_FALSE(ResultFile().open(path));
  fs::remove(path + ".partial");
  fs::create_directory(path + ".partial");
  CHECK_FALSE(ResultFile().open(path));
  CHECK(look(path).rows == "new");
}

TEST_CASE("a stream is written as it is") {
  const Folder folder;
  CHECK(is_stream("-"));
  CHECK(is_stream("/dev/null"));
  CHECK(is_stream("/dev/stdout"));
  CHECK(is_stream("/dev/fd/1"));
  CHECK_FALSE(is_stream("/dev/fd/x"));
  CHECK_FALSE(is_stream(folder / "a.csv"));
  CHECK_FALSE(is_stream(folder.path()));
  std::string error;
  REQUIRE(write_file_atomically(folder / "log", "before\n", error));
  const int fd = open((folder / "log").c_str(), O_WRONLY | O_APPEND);
  REQUIRE(fd >= 0);
  CHECK(write_result("/dev/fd/" + std::to_string(fd), "new", 5, "complete"));
  close(fd);
  CHECK(read_file(folder / "log") == "before\n" + rows_of("new", 5));
  CHECK(folder.entries() == 1);
}
