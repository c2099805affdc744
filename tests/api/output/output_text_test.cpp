// SPDX-License-Identifier: Apache-2.0
// Tests texts of api/output (numbers, CSV fields, the description, tables) and of tools/terminal (the preview, the
// progress line).
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <charconv>
#include <clocale>
#include <cmath>
#include <cstdlib>
#include <limits>
#include <nlohmann/json.hpp>
#include <random>
#include <sstream>
#include <string>
#include <vector>

#include "api/output/csv_writer.h"
#include "api/output/file_sink.h"
#include "api/output/result_file.h"
#include "api/output/sidecar.h"
#include "base/numbers.h"
#include "base/table.h"
#include "tests/support/scratch.h"
#include "tools/terminal/preview.h"
#include "tools/terminal/progress.h"

using namespace mbc::output;
using namespace mbc::tools;
using namespace mbc::text;
using mbc::test::Folder;
using mbc::test::Pipe;
using mbc::test::read_file;

namespace {

std::string text_of(const Sidecar& sidecar) {
  std::string text;
  json_of(sidecar)([&text](std::string_view piece) { text += piece; });
  return text;
}

}  // namespace

TEST_CASE("names are quoted as RFC 4180 has it") {
  CHECK(csv_field("p1.x") == "p1.x");
  CHECK(csv_field("p[1, 2].x") == "\"p[1, 2].x\"");
  CHECK(csv_field("say \"x\"") == "\"say \"\"x\"\"\"");
  CHECK(csv_field("a\nb") == "\"a\nb\"");
  CHECK(csv_field("").empty());
  CHECK(csv_field("Länge φ") == "Länge φ");
}

TEST_CASE("numbers: the fewest digits that read back") {
  CHECK(number(0.1) == "0.1");
  CHECK(number(1.0) == "1");
  CHECK(number(-0.0) == "-0");
  CHECK(number(1e22) == "1e+22");
  CHECK(number(0.005 * 3) == "0.015");
  CHECK(number(5e-324) == "5e-324");
  CHECK(number(std::numeric_limits<double>::max()) == "1.7976931348623157e+308");
  CHECK(number(std::numeric_limits<double>::infinity()) == "inf");
  CHECK(number(-std::numeric_limits<double>::infinity()) == "-inf");
  CHECK(number(std::nan("")) == "nan");
  CHECK(number(-std::nan("")) == "nan");
  CHECK(short_number(1.0 / 3) == "0.333333");
  CHECK(short_number(1.5e-5) == "1.5e-05");
  CHECK(short_number(2) == "2");
  CHECK(short_number(-std::nan("")) == "nan");

  std::mt19937_64 random(1);
  for (int i = 0; i < 100000; ++i) {
    const auto value = std::bit_cast<double>(random());
    if (!std::isfinite(value)) continue;
    const std::string text = number(value);
    double back = 0;
    std::from_chars(text.data(), text.data() + text.size(), back);
    REQUIRE(std::bit_cast<std::uint64_t>(back) == std::bit_cast<std::uint64_t>(value));
    REQUIRE(text.size() < kNumberSize);
  }
}

// The locale is created here from the files of the package `locales`, because a plain machine has no German locale.
TEST_CASE("a German locale changes no digit") {
  const Folder folder;
  const std::string make = "localedef -i de_DE -f UTF-8 '" + (folder / "de_DE.UTF-8") + "' 2>/dev/null";
  if (std::system(make.c_str()) != 0) {
    MESSAGE("the package `locales` is not installed: not tested");
    return;
  }
  setenv("LOCPATH", folder.path().c_str(), 1);
  REQUIRE(std::setlocale(LC_ALL, "de_DE.UTF-8") != nullptr);
  CHECK(std::string(std::localeconv()->decimal_point) == ",");
  CHECK(number(1234567.25) == "1234567.25");
  CHECK(short_number(0.5) == "0.5");
  Sidecar sidecar;
  sidecar.parameters = {{"m", 1234.5, "kg", ""}};
  CHECK(text_of(sidecar).find("1234.5") != std::string::npos);
  std::setlocale(LC_ALL, "C");
  unsetenv("LOCPATH");
}

TEST_CASE("the sidecar says what the columns are and how they were made") {
  Sidecar sidecar;
  sidecar.data_file = "out.csv";
  sidecar.mbc_version = "0.1.0";
  sidecar.model_file = "pendulum.mbd";
  sidecar.source_hash = content_hash("mbd 1\n");
  sidecar.status = "complete";
  sidecar.rows = 1001;
  sidecar.columns = {{"time", "s", ""}, {"p.x", "m", "position of `p`"}};
  sidecar.parameters = {{"m", 0.1, "kg", ""}, {"k", std::nan(""), "", "stiffness"}};
  sidecar.settings = {{"integrator", "rk4"}, {"step", 0.005}, {"threads", std::int64_t{1}}, {"interpret", false}};

  const nlohmann::json back = nlohmann::json::parse(text_of(sidecar));
  CHECK(back["data"] == "out.csv");
  CHECK(back["rows"] == 1001);
  CHECK(back["status"] == "complete");
  CHECK(back["program"]["version"] == "0.1.0");
  CHECK(back["model"]["file"] == "pendulum.mbd");
  CHECK(back["model"]["hash"] == sidecar.source_hash);
  CHECK(back["columns"].size() == 2);
  CHECK(back["columns"][1]["name"] == "p.x");
  CHECK(back["columns"][1]["unit"] == "m");
  CHECK(back["columns"][1]["description"] == "position of `p`");
  CHECK(back["parameters"][0]["value"] == 0.1);
  CHECK(back["parameters"][1]["value"] == "nan");
  CHECK(back["settings"]["integrator"] == "rk4");
  CHECK(back["settings"]["step"] == 0.005);
  CHECK(back["settings"]["threads"] == 1);
  CHECK(back["settings"]["interpret"] == false);

  sidecar.model_file = "not \xff utf-8";
  CHECK_NOTHROW(static_cast<void>(text_of(sidecar)));
}

TEST_CASE("only plain files have a sidecar") {
  const Folder folder;
  CHECK(names_beside("-").empty());
  CHECK(names_beside("/dev/null").empty());
  CHECK(names_beside(folder / "out.csv").front() == (folder / "out.csv.json"));
  std::string error;
  CHECK(write_sidecar(folder / "out.csv.json", {}, error));
  CHECK(read_file(folder / "out.csv.json") == text_of({}));
}

// These are published test vectors of FNV-1a.
TEST_CASE("the content hash is FNV-1a with 64 bits") {
  CHECK(content_hash("") == "fnv1a64:cbf29ce484222325");
  CHECK(content_hash("a") == "fnv1a64:af63dc4c8601ec8c");
  CHECK(content_hash("foobar") == "fnv1a64:85944171f73967e8");
}

TEST_CASE("tables are aligned and count characters, not bytes") {
  Table table;
  table.column("constraint");
  table.column("residual", Align::right);
  table.row({"rod", "1e-13"});
  table.row({"Länge φ", "2"});
  table.row({"x"});
  CHECK(table.text() ==
        "  constraint  residual\n"
        "  rod            1e-13\n"
        "  Länge φ            2\n"
        "  x\n");
  Table bare("");
  bare.column("");
  bare.column("");
  bare.row({"steps", "1000", "dropped"});
  CHECK(bare.text() == "steps  1000\n");
  CHECK(display_width("φ=°") == 3);
}

namespace {

std::string preview_of(int rows, int columns, std::size_t width, std::vector<std::size_t> preferred = {}) {
  Pipe pipe;
  FileSink sink;
  REQUIRE(sink.attach(pipe.ends[1], "standard output"));
  TerminalPreview preview(sink, width);
  preview.prefer(std::move(preferred));
  std::vector<std::string> names{"time"};
  for (int i = 1; i < columns; ++i) names.push_back("p" + std::to_string(i) + ".x");
  REQUIRE(preview.header(names));
  for (int i = 0; i < rows; ++i) REQUIRE(preview.row(std::vector<double>(static_cast<std::size_t>(columns), i * 0.5)));
  REQUIRE(preview.finish());
  return pipe.drain();
}

}  // namespace

TEST_CASE("the preview shows the first and the last rows") {
  CHECK(preview_of(12, 2, 80) ==
        "time  p1.x\n"
        "   0     0\n"
        " 0.5   0.5\n"
        "   1     1\n"
        " 1.5   1.5\n"
        "   2     2\n"
        " ...   ...\n"
        " 3.5   3.5\n"
        "   4     4\n"
        " 4.5   4.5\n"
        "   5     5\n"
        " 5.5   5.5\n"
        "(12 rows, 2 columns; `-o FILE.csv` writes them all)\n");
  CHECK(preview_of(10, 2, 80).find("...") == std::string::npos);
  CHECK(preview_of(0, 1, 80) == "time\n(0 rows, 1 column; `-o FILE.csv` writes them all)\n");
}

TEST_CASE("the preview shows the columns that fit") {
  const std::string text = preview_of(3, 40, 24);
  std::istringstream lines(text);
  std::string line;
  for (int i = 0; i < 4; ++i) {
    std::getline(lines, line);
    CHECK(line.size() <= 24);
  }
  CHECK(text.find("(3 rows, 36 more columns; `-o FILE.csv` writes them all)") != std::string::npos);
}

TEST_CASE("the preview shows what was asked for before other columns when not all fit") {
  CHECK(preview_of(1, 5, 16, {3, 4}) ==
        "time  p3.x  p4.x\n"
        "   0     0     0\n"
        "(1 row, 2 more columns; `-o FILE.csv` writes them all)\n");
  CHECK(preview_of(1, 5, 28, {4}) ==
        "time  p1.x  p2.x  p3.x  p4.x\n"
        "   0     0     0     0     0\n"
        "(1 row, 5 columns; `-o FILE.csv` writes them all)\n");
}

TEST_CASE("a preview that cannot be written says so") {
  FileSink sink;
  REQUIRE(sink.open("/dev/full"));
  TerminalPreview preview(sink, 80);
  REQUIRE(preview.header(std::vector<std::string>{"time"}));
  CHECK_FALSE(preview.finish());
  CHECK(preview.error() == "cannot write `/dev/full`: No space left on device");
}

namespace {

// Runs with a simulated clock of `seconds` for t = 0 .. 10 in 1000 steps. Returns the text that was drawn.
std::string progress_of(double seconds, int terminal) {
  Pipe pipe;
  double clock = 100;
  ProgressOptions options;
  options.fd = pipe.ends[1];
  options.now = [&clock] { return clock; };
  options.terminal = terminal;
  {
    Progress progress(0, 10, options);
    for (int i = 1; i <= 1000; ++i) {
      clock = 100 + seconds * i / 1000;
      progress.update(i * 0.01);
    }
  }
  return pipe.drain();
}

}  // namespace

TEST_CASE("progress: silent without a terminal and for short runs, gone at the end") {
  setenv("LC_ALL", "C.UTF-8", 1);
  CHECK(progress_of(100, 0).empty());
  CHECK(progress_of(100, -1).empty());  // A pipe is not a terminal.
  CHECK(progress_of(0.2, 1).empty());
  CHECK(progress_of(0.9, 1).empty());
  const std::string drawn = progress_of(10, 1);
  CHECK(drawn.ends_with("\r\x1b[K"));
  CHECK(drawn.find("\r 50 % ▕███████████████") != std::string::npos);
  CHECK(drawn.find(" of 10 s, 5 s left\x1b[K") != std::string::npos);
  CHECK(drawn.find('\n') == std::string::npos);
  const auto updates = std::count(drawn.begin(), drawn.end(), '\r');
  CHECK(updates > 50);
  CHECK(updates <= 100);
  setenv("LC_ALL", "C", 1);
  CHECK(progress_of(10, 1).find("[###############               ]") != std::string::npos);
  unsetenv("LC_ALL");
}

TEST_CASE("durations") {
  CHECK(duration(0) == "0 s");
  CHECK(duration(7.2) == "8 s");
  CHECK(duration(200) == "3 min 20 s");
  CHECK(duration(7500) == "2 h 5 min");
  CHECK(duration(std::numeric_limits<double>::infinity()).ends_with(" min"));
}
