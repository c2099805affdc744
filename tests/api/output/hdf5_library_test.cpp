// SPDX-License-Identifier: Apache-2.0
// Tests that an HDF5 file of rows is complete at every moment. Its state is copied after each write of its bytes, and
// at each page boundary within a write, where a killed process may leave it. Each copy opens and holds rows of the
// whole. The test is skipped with a message if libhdf5 is missing.
#include "api/output/hdf5_library.h"

#include <doctest/doctest.h>
#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <string>
#include <vector>

#include "tests/support/scratch.h"

namespace mbc::output {
namespace {

constexpr std::size_t kColumns = 5, kRows = 60'000;  // more rows than are collected between two flushes
constexpr std::size_t kPage = 4096;                  // Linux copies one page at a time into a file.

struct Change {
  off_t place;  // or the new size of a file that is truncated
  std::string data;
  bool cut;
};
std::vector<Change> changes;

ssize_t kept_write(int fd, const void* data, std::size_t size) {
  changes.push_back({lseek(fd, 0, SEEK_CUR), std::string(static_cast<const char*>(data), size), false});
  return write(fd, data, size);
}

int kept_cut(int fd, off_t size) {
  changes.push_back({size, "", true});
  return ftruncate(fd, size);
}

double value(std::size_t row, std::size_t column) {
  return std::sin(0.1 * static_cast<double>(row)) + static_cast<double>(column);
}

void write_rows(const Hdf5Library& library, const std::string& path) {
  SystemCalls calls = SystemCalls::real();
  calls.write = kept_write;
  calls.ftruncate = kept_cut;
  FileSink sink(calls);
  const int fd = open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC, 0600);
  REQUIRE(sink.attach(fd, path));
  Hdf5Facts facts;
  facts.attributes = {{"model", std::string(100'000, 'm')}, {"numbers", std::vector<double>(1'000, 1.5)}};
  facts.column = [](std::size_t) { return Sidecar::Column{"", "m", "output"}; };
  const std::unique_ptr<RowWriter> writer = library.writer(sink, std::move(facts));
  REQUIRE(writer->header(kColumns, [](std::size_t k) { return "c" + std::to_string(k); }));
  for (std::size_t row = 0; row < kRows; ++row) {
    std::vector<double> values(kColumns);
    for (std::size_t k = 0; k < kColumns; ++k) values[k] = value(row, k);
    REQUIRE(writer->row(values[0], std::span(values).subspan(1)));
  }
  REQUIRE(writer->finish());
  close(fd);
}

// Returns numbers of bytes that may be written before the rest.
std::vector<std::size_t> ends_in(const Change& change) {
  const auto place = static_cast<std::size_t>(change.place);
  std::vector<std::size_t> ends;
  for (std::size_t end = place / kPage * kPage + kPage; end < place + change.data.size(); end += kPage)
    if (ends.size() < 3) ends.push_back(end - place);
  ends.push_back(change.data.size());
  return ends;
}

void apply(const Change& change, std::size_t bytes, std::string& file) {
  const auto place = static_cast<std::size_t>(change.place);
  if (change.cut) return file.resize(place);
  if (bytes > 0) file.resize(std::max(file.size(), place + bytes));
  change.data.copy(file.data() + place, bytes);
}

// Returns the number of rows of such a file, which must be the first rows of the whole, or -1 if it does not open.
long rows_of(const Hdf5Library& library, const std::string& file, const std::string& path) {
  std::ofstream(path, std::ios::binary) << file;
  std::string error;
  const std::unique_ptr<Hdf5Table> table = library.table(path, error);
  if (table == nullptr || table->columns().size() != kColumns || table->columns()[4].name != "c4") return -1;
  const std::uint64_t rows = table->rows(), last = std::min<std::uint64_t>(rows, 5'000);
  std::vector<double> values(last * kColumns);
  if (rows > 0 && !table->read(rows - last, last, values.data())) return -1;
  for (std::size_t k = 0; k < values.size(); ++k)
    if (values[k] != value(rows - last + k / kColumns, k % kColumns)) return -1;
  return static_cast<long>(rows);
}

}  // namespace

TEST_CASE("an HDF5 file opens after each write, and after each page of one") {
  const std::string there = MBC_HDF5_FILE;
  if (there.empty()) {
    MESSAGE("left out: this build has no libhdf5");
    return;
  }
  std::string error;
  const Hdf5Library* library = load_hdf5(there, error);
  REQUIRE_MESSAGE(library != nullptr, error);
  const test::Folder folder;
  changes.clear();
  write_rows(*library, folder / "whole.h5");
  std::string file;
  long before = -1;
  std::size_t looked_at = 0;
  for (const Change& change : changes) {
    for (const std::size_t bytes : ends_in(change)) {
      apply(change, bytes, file);
      CAPTURE(change.place);
      CAPTURE(bytes);
      if (!file.starts_with("\x89HDF")) {  // This signature is written last of everything before the first row.
        CHECK(before == -1);
        continue;
      }
      const long rows = rows_of(*library, file, folder / "part.h5");
      CHECK(rows >= std::max(before, 0L));
      before = rows;
      ++looked_at;
    }
  }
  CHECK(before == static_cast<long>(kRows));
  CHECK(looked_at > 40);
  CHECK(file == test::read_file(folder / "whole.h5"));
}

}  // namespace mbc::output
