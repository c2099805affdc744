// SPDX-License-Identifier: Apache-2.0
// Tests output files with failing system calls: no data is lost, no failure is silent, and whole rows remain.
#include <doctest/doctest.h>
#include <fcntl.h>
#include <signal.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <string>
#include <vector>

#include "api/output/csv_writer.h"
#include "api/output/partial_file.h"
#include "base/numbers.h"
#include "tests/support/scratch.h"

using namespace mbc::output;
using namespace mbc::text;
using mbc::test::Folder;
using mbc::test::Pipe;
using mbc::test::read_file;

namespace {

// The injected failures are: the n-th write fails with an errno, or every write is short and interrupted.
struct Faults {
  int writes = 0;
  int fail_at = -1;
  int number = 0;
  int fsync_number = 0;
  int close_number = 0;
  bool short_writes = false;
} faults;

ssize_t faulty_write(int fd, const void* data, std::size_t size) {
  ++faults.writes;
  if (faults.writes == faults.fail_at) {
    errno = faults.number;
    return -1;
  }
  if (!faults.short_writes) return write(fd, data, size);
  if (faults.writes % 2 == 0) {
    errno = faults.writes % 4 == 0 ? EINTR : EAGAIN;
    return -1;
  }
  return write(fd, data, std::min<std::size_t>(size, 7));
}

int faulty_fsync(int fd) {
  if (faults.fsync_number == 0) return fsync(fd);
  errno = faults.fsync_number;
  return -1;
}

int faulty_close(int fd) {
  const int result = close(fd);
  if (faults.close_number == 0) return result;
  errno = faults.close_number;
  return -1;
}

const SystemCalls kFaulty{faulty_write, faulty_fsync, faulty_close};

const std::vector<std::string> kNames{"time", "p1.x"};

std::string expected_csv(int rows) {
  std::string text = "time,p1.x\r\n";
  for (int i = 0; i < rows; ++i) text += std::to_string(i) + "," + number(i * 0.1) + "\r\n";
  return text;
}

bool write_rows(FileSink& sink, int rows) {
  CsvWriter csv(sink);
  bool ok = csv.header(kNames);
  for (int i = 0; ok && i < rows; ++i) ok = csv.row(std::vector<double>{double(i), i * 0.1});
  return csv.finish() && ok;
}

}  // namespace

TEST_CASE("a CSV file arrives whole, with CR LF and a header row") {
  const Folder folder;
  for (const int rows : {0, 1, 20000}) {
    FileSink sink;
    REQUIRE(sink.open(folder / "out.csv"));
    CHECK(write_rows(sink, rows));
    CHECK(sink.error().empty());
    CHECK(read_file(folder / "out.csv") == expected_csv(rows));
  }
}

TEST_CASE("what cannot be opened says why") {
  const Folder folder;
  FileSink sink;
  CHECK_FALSE(sink.open(folder.path()));
  CHECK(sink.error() == "cannot open `" + folder.path() + "`: Is a directory");
  CHECK(sink.error_number() == EISDIR);
  CHECK_FALSE(sink.open(folder / "no/such/out.csv"));
  CHECK(sink.error() == "cannot open `" + (folder / "no/such/out.csv") + "`: No such file or directory");
  CHECK_FALSE(sink.append("1\r\n"));
  CHECK_FALSE(sink.close());
  CHECK_FALSE(sink.open(folder / std::string(300, 'x')));
  CHECK(sink.error_number() == ENAMETOOLONG);
  std::string error;
  REQUIRE(write_file_atomically(folder / "locked.csv", "", error));
  REQUIRE(chmod((folder / "locked.csv").c_str(), 0444) == 0);
  if (geteuid() == 0) return;  // The root user may write everything.
  CHECK_FALSE(sink.open(folder / "locked.csv"));
  CHECK(sink.error() == "cannot open `" + (folder / "locked.csv") + "`: Permission denied");
}

TEST_CASE("a full disk is an error, at the latest when closing") {
  for (const int rows : {0, 1, 50000}) {
    FileSink sink;
    REQUIRE(sink.open("/dev/full"));
    CHECK_FALSE(write_rows(sink, rows));
    CHECK(sink.error() == "cannot write `/dev/full`: No space left on device");
  }
}

TEST_CASE("a pipe closed early is an error value and raises no signal") {
  Pipe pipe;
  FileSink sink;
  REQUIRE(sink.attach(pipe.ends[1], "standard output"));
  pipe.close_reader();
  CHECK_FALSE(write_rows(sink, 50000));
  CHECK(sink.error() == "cannot write standard output: Broken pipe");
  CHECK(sink.error_number() == EPIPE);
  sigset_t pending;
  sigemptyset(&pending);
  sigpending(&pending);
  CHECK(sigismember(&pending, SIGPIPE) == 0);
}

TEST_CASE("a descriptor of the caller is flushed and left open") {
  Pipe pipe;
  FileSink sink;
  REQUIRE(sink.attach(pipe.ends[1], "standard output"));
  CHECK(write_rows(sink, 3));
  CHECK(fcntl(pipe.ends[1], F_GETFD) >= 0);
  CHECK(pipe.drain() == expected_csv(3));
}

TEST_CASE("short and interrupted writes lose nothing") {
  const Folder folder;
  faults = {};
  faults.short_writes = true;
  FileSink sink(kFaulty);
  REQUIRE(sink.open(folder / "out.csv"));
  CHECK(write_rows(sink, 500));
  CHECK(read_file(folder / "out.csv") == expected_csv(500));
}

TEST_CASE("a failure at any write keeps whole rows and is reported") {
  const Folder folder;
  constexpr int kRows = 200;
  const std::string whole = expected_csv(kRows);
  faults = {};
  faults.short_writes = true;
  FileSink counting(kFaulty);
  REQUIRE(counting.open(folder / "out.csv"));
  REQUIRE(write_rows(counting, kRows));
  const int writes = faults.writes;
  for (const int number : {ENOSPC, EIO, EDQUOT, EFBIG}) {
    for (int k = 1; k <= writes; k += 13) {
      faults = {};
      faults.short_writes = true;
      faults.fail_at = k;
      faults.number = number;
      FileSink sink(kFaulty);
      REQUIRE(sink.open(folder / "out.csv"));
      CHECK_FALSE(write_rows(sink, kRows));
      CHECK(sink.error_number() == number);
      CHECK(sink.error().find("out.csv") != std::string::npos);
      const std::string kept = read_file(folder / "out.csv");
      CHECK(whole.substr(0, kept.size()) == kept);
      CHECK((kept.empty() || kept.ends_with("\r\n")));
      const bool went_on = sink.append("more\r\n");
      CHECK_FALSE(went_on);
    }
  }
}

TEST_CASE("failures of fsync and close are reported, an interrupted close is not one") {
  const Folder folder;
  faults = {};
  faults.fsync_number = EIO;
  FileSink sync(kFaulty);
  REQUIRE(sync.open(folder / "a.csv"));
  CHECK_FALSE(write_rows(sync, 3));
  CHECK(sync.error() == "cannot write `" + (folder / "a.csv") + "`: Input/output error");

  faults = {};
  faults.close_number = EDQUOT;
  FileSink closing(kFaulty);
  REQUIRE(closing.open(folder / "b.csv"));
  CHECK_FALSE(write_rows(closing, 3));
  CHECK(closing.error() == "cannot close `" + (folder / "b.csv") + "`: Disk quota exceeded");

  faults = {};
  faults.close_number = EINTR;
  FileSink interrupted(kFaulty);
  REQUIRE(interrupted.open(folder / "c.csv"));
  CHECK(write_rows(interrupted, 3));
  CHECK(read_file(folder / "c.csv") == expected_csv(3));
}

TEST_CASE("a file being written ends with a whole row and follows within about a second") {
  const Folder folder;
  FileSink sink;
  REQUIRE(sink.open(folder / "out.csv"));
  CsvWriter csv(sink);
  REQUIRE(csv.header(kNames));
  for (int i = 0; i < 20000; ++i) REQUIRE(csv.row(std::vector<double>{double(i), i * 0.1}));
  const std::string partial = read_file(folder / "out.csv");
  CHECK(partial.size() > 100000);
  CHECK(partial.ends_with("\r\n"));
  CHECK(expected_csv(20000).starts_with(partial));

  usleep(1100000);
  REQUIRE(csv.row(std::vector<double>{20000, 2000}));
  CHECK(read_file(folder / "out.csv").ends_with("20000,2000\r\n"));
  CHECK(csv.finish());
}

TEST_CASE("writing atomically leaves the new file or the old one and nothing else") {
  const Folder folder;
  const std::string path = folder / "out.csv.json";
  std::string error;
  CHECK(write_file_atomically(path, "old", error));
  CHECK(read_file(path) == "old");
  faults = {};
  faults.fail_at = 1;
  faults.number = ENOSPC;
  CHECK_FALSE(write_file_atomically(path, "new", error, kFaulty));
  CHECK(error == "cannot write `" + path + "`: No space left on device");
  CHECK(read_file(path) == "old");
  faults = {};
  faults.fsync_number = EIO;
  CHECK_FALSE(write_file_atomically(path, "new", error, kFaulty));
  CHECK(read_file(path) == "old");
  faults = {};
  faults.short_writes = true;
  CHECK(write_file_atomically(path, "a text of more than seven bytes", error, kFaulty));
  CHECK(read_file(path) == "a text of more than seven bytes");
  CHECK(folder.entries() == 1);

  CHECK_FALSE(write_file_atomically(folder.path(), "x", error));
  CHECK(error == "cannot write `" + folder.path() + "`: Is a directory");
  CHECK_FALSE(write_file_atomically(folder / "no/such", "x", error));
}

TEST_CASE("writing atomically keeps permissions and follows links") {
  const Folder folder;
  std::string error;
  REQUIRE(write_file_atomically(folder / "real", "1", error));
  REQUIRE(chmod((folder / "real").c_str(), 0640) == 0);
  REQUIRE(symlink("real", (folder / "link").c_str()) == 0);
  CHECK(write_file_atomically(folder / "link", "2", error));
  CHECK(read_file(folder / "real") == "2");
  CHECK(std::filesystem::is_symlink(folder / "link"));
  struct stat info {};
  REQUIRE(stat((folder / "real").c_str(), &info) == 0);
  CHECK((info.st_mode & 0777) == 0640);
}
