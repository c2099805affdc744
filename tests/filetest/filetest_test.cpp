// SPDX-License-Identifier: Apache-2.0
// Tests the runner of the golden files: it finds missing and unexpected diagnostics, crashes, and gaps in the coverage.
// A shell script replaces the program: it prints FILE.canned for `check` and FILE.run.canned for `run`.
#include <doctest/doctest.h>
#include <sys/stat.h>
#include <sys/wait.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

namespace {

constexpr const char* kProgram = R"(#!/bin/sh
if [ "$1" = explain ]; then printf 'E0201 unknown_name\nN0101 redundant_row\n'; exit 0; fi
if [ "$1" = run ]; then
  printf 'time,"p[1,2].x"\r\n0,1\r\n1,0.25\r\n'
  case "$*" in *--interpret*) ;; *) [ -f "$2.differs" ] && printf '2,0\r\n' ;; esac
  [ -f "$2.run.canned" ] && cat "$2.run.canned" >&2 && exit 4
  exit 0
fi
[ -f "$2.crash" ] && kill -SEGV $$
cat "$2.canned" >&2
grep -q '"error"' "$2.canned" && exit 1
exit 0
)";

// A Bench is a tests folder with a program.
class Bench {
 public:
  Bench() {
    std::string pattern = (std::filesystem::temp_directory_path() / "mbc_filetest_XXXXXX").string();
    path_ = mkdtemp(pattern.data());
    std::filesystem::create_directories(path_ + "/diagnostics/names");
    std::filesystem::create_directories(path_ + "/diagnostics/runtime");
    std::filesystem::create_directories(path_ + "/language");
    put("program", kProgram);
    chmod((path_ + "/program").c_str(), 0755);
  }
  ~Bench() { std::filesystem::remove_all(path_); }
  Bench(const Bench&) = delete;
  Bench& operator=(const Bench&) = delete;

  void put(const std::string& name, const std::string& text) const {
    std::ofstream(path_ + "/" + name, std::ios::binary) << text;
  }
  [[nodiscard]] std::string get(const std::string& name) const {
    std::ifstream in(path_ + "/" + name, std::ios::binary);
    std::ostringstream text;
    text << in.rdbuf();
    return text.str();
  }
  // Returns the output of the runner. `exit_code` receives its exit code.
  std::string run(const std::string& options, int& exit_code) const {
    const std::string command = std::string(MBC_FILETEST) + " " + path_ + "/program " + path_ + " " + options + " 2>&1";
    FILE* out = popen(command.c_str(), "r");
    REQUIRE(out != nullptr);
    std::string text;
    std::array<char, 4096> chunk{};
    for (std::size_t n = 0; (n = fread(chunk.data(), 1, chunk.size(), out)) > 0;) text.append(chunk.data(), n);
    const int status = pclose(out);
    exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    return text;
  }
  [[nodiscard]] std::string pass(const std::string& options) const {
    int code = -1;
    std::string text = run(options, code);
    CHECK_MESSAGE(code == 0, text);
    return text;
  }
  [[nodiscard]] std::string fail(const std::string& options) const {
    int code = -1;
    std::string text = run(options, code);
    CHECK_MESSAGE(code == 1, text);
    return text;
  }

 private:
  std::string path_;
};

std::string canned(const std::string& file, int line, int column, const std::string& severity, const std::string& code,
                   const std::string& message) {
  return "{\"file\":\"" + file + "\",\"line\":" + std::to_string(line) + ",\"column\":" + std::to_string(column) +
         ",\"severity\":\"" + severity + "\",\"code\":\"" + code + "\",\"message\":\"" + message + "\"}\n";
}

bool has(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

const std::string kError = canned("a.mbd", 2, 9, "error", "E0201", "there is no `b`");
const std::string kGood = "mbd 1\nlet a = b   // error[E0201] 9: there is no `b`\n";

}  // namespace

TEST_CASE("a file that gives what it expects passes") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd", kGood);
  bench.put("diagnostics/names/a.mbd.canned", kError);
  CHECK(bench.pass("--no-coverage") == "filetest: 1 passed, 0 failed\n");
}

TEST_CASE("labels, notes and help are pinned where a file says so, and written with --update") {
  const Bench bench;
  const std::string said =
      "{\"file\":\"a.mbd\",\"line\":2,\"column\":9,\"severity\":\"error\",\"code\":\"E0201\","
      "\"message\":\"there is no `b`\",\"labels\":[{\"file\":\"a.mbd\",\"line\":1,\"column\":1,"
      "\"text\":\"here\"}],\"notes\":[\"a note\"],\"help\":\"declare it\"}\n";
  bench.put("diagnostics/names/a.mbd", kGood + "// says: 1:1 here\n// says: help: declare it\n// says: note: a note\n");
  bench.put("diagnostics/names/a.mbd.canned", said);
  CHECK(bench.pass("--no-coverage") == "filetest: 1 passed, 0 failed\n");
  bench.put("diagnostics/names/a.mbd", kGood + "// says: help: declare it\n");
  CHECK(has(bench.fail("--no-coverage"), "says: note: a note"));
  bench.put("diagnostics/names/a.mbd", kGood + "// says:\n");
  CHECK(bench.pass("--no-coverage --update") == "filetest: 1 passed, 0 failed\n");
  CHECK(bench.get("diagnostics/names/a.mbd") ==
        kGood + "// says: 1:1 here\n// says: help: declare it\n// says: note: a note\n");
}

TEST_CASE("several expectations on a line") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd",
            "let a = b   // error[E0201] 9: there is no `b` // note[N0101] 5: seen // here\n");
  bench.put("diagnostics/names/a.mbd.canned", canned("a.mbd", 1, 5, "note", "N0101", "seen // here") +
                                                  canned("a.mbd", 1, 9, "error", "E0201", "there is no `b`"));
  CHECK(bench.pass("") == "filetest: 2 passed, 0 failed\n");
}

TEST_CASE("another place, code, text or severity fails, as does one too many or too few") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd", kGood);
  for (const std::string& produced : {canned("a.mbd", 2, 8, "error", "E0201", "there is no `b`"),
                                      canned("a.mbd", 1, 9, "error", "E0201", "there is no `b`"),
                                      canned("a.mbd", 2, 9, "error", "E0202", "there is no `b`"),
                                      canned("a.mbd", 2, 9, "error", "E0201", "there is no `c`"),
                                      canned("a.mbd", 2, 9, "warning", "E0201", "there is no `b`"),
                                      canned("x.mbd", 2, 9, "error", "E0201", "there is no `b`"), kError + kError,
                                      std::string("{}\n"), kError + "some text\n"}) {
    bench.put("diagnostics/names/a.mbd.canned", produced);
    const std::string text = bench.fail("--no-coverage");
    CHECK_MESSAGE(has(text, "FAILED diagnostics/names/a.mbd\n"), text);
    CHECK_MESSAGE(text.ends_with("filetest: 0 passed, 1 failed\n"), text);
  }
}

TEST_CASE("a crash is named") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd", kGood);
  bench.put("diagnostics/names/a.mbd.crash", "");
  CHECK(has(bench.fail("--no-coverage"), "killed by signal 11"));
}

TEST_CASE("the exit code is checked") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd", "// exit: 3\n" + kGood);
  bench.put("diagnostics/names/a.mbd.canned", canned("a.mbd", 3, 9, "error", "E0201", "there is no `b`"));
  CHECK(has(bench.fail("--no-coverage"), "exit code 1, expected 3"));
}

TEST_CASE("a sibling .expect serves files without room for comments, and cases without a file") {
  const Bench bench;
  bench.put("diagnostics/names/empty.mbd", "");
  bench.put("diagnostics/names/empty.mbd.expect", "1:1 E0201 there is nothing\n");
  bench.put("diagnostics/names/empty.mbd.canned", canned("empty.mbd", 1, 1, "error", "E0201", "there is nothing"));
  bench.put("diagnostics/names/gone.mbd.expect", "run: mbc check {file}\n-:- E0201 cannot read\n");
  bench.put("diagnostics/names/gone.mbd.canned", canned("", 0, 0, "error", "E0201", "cannot read"));
  CHECK(bench.pass("--no-coverage") == "filetest: 2 passed, 0 failed\n");
}

TEST_CASE("folders named runtime are run") {
  const Bench bench;
  bench.put("diagnostics/runtime/a.mbd", "// exit: 4\n" + kGood);
  bench.put("diagnostics/runtime/a.mbd.run.canned",
            canned("a.mbd", 3, 9, "error", "E0201", "there is no `b`") + "1000 steps in 1 ms\n");
  CHECK(bench.pass("--no-coverage") == "filetest: 1 passed, 0 failed\n");
}

TEST_CASE("coverage: every code has a file or an exemption with a reason") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd", kGood);
  bench.put("diagnostics/names/a.mbd.canned", kError);
  const std::string text = bench.fail("");
  CHECK(has(text, "N0101 redundant_row is triggered by no file"));
  CHECK_FALSE(has(text, "E0201 unknown_name is"));
  CHECK(text.ends_with("filetest: 1 passed, 1 failed\n"));
  bench.put("diagnostics/exempt.txt", "# why\nN0101 needs a disk that fails\n");
  CHECK(bench.pass("") == "filetest: 2 passed, 0 failed\n");
  bench.put("diagnostics/exempt.txt", "N0101\nE0201 stale\nE9999 gone\n");
  const std::string stale = bench.fail("");
  CHECK(has(stale, "N0101 has no reason"));
  CHECK(has(stale, "E0201 is triggered by a file"));
  CHECK(has(stale, "there is no E9999"));
}

TEST_CASE("accepted models: values of the last row or at a time, from both engines") {
  const Bench bench;
  bench.put("language/a.mbd.canned", "");
  bench.put("language/a.mbd",
            "mbd 1\n// expect: p[1,2].x = 0.25\n// expect: p[1,2].x = 0.2 [m] within 0.1 [m]\n"
            "// expect: p[1,2].x = 1 at 0\n");
  CHECK(bench.pass("--no-coverage") == "filetest: 1 passed, 0 failed\n");
  bench.put("language/a.mbd", "mbd 1\n// expect: p[1,2].x = 0.26\n");
  CHECK(has(bench.fail("--no-coverage"), "line 2: p[1,2].x is 0.25, expected 0.26"));
  bench.put("language/a.mbd", "mbd 1\n// expect: q.x = 1\n");
  CHECK(has(bench.fail("--no-coverage"), "there is no column `q.x`"));
  bench.put("language/a.mbd", "mbd 1\n// expect: time = 1 within 5\n");
  bench.put("language/a.mbd.differs", "");
  CHECK(has(bench.fail("--no-coverage"), "interpreter and native code give different results"));
}

TEST_CASE("accepted models may not complain, and directives that cannot be read are failures") {
  const Bench bench;
  bench.put("language/a.mbd", "mbd 1\nlet a = b\n");
  bench.put("language/a.mbd.canned", kError);
  CHECK(has(bench.fail("--no-coverage"), "produced: 2:9 E0201"));
  bench.put("language/a.mbd.canned", "");
  bench.put("language/a.mbd", "mbd 1\n// expect: x is 3\n");
  CHECK(has(bench.fail("--no-coverage"), "want `expect: NAME = VALUE"));
  bench.put("language/a.mbd", "mbd 1   // error[E0201]: no column\n");
  CHECK(has(bench.fail("--no-coverage"), "want `// error[CODE] COLUMN: message`"));
}

TEST_CASE("update rewrites the comments, and takes a .expect where there is no line") {
  const Bench bench;
  bench.put("diagnostics/names/a.mbd", "mbd 1   // error[E0999] 1: old\nlet a = b\n");
  bench.put("diagnostics/names/a.mbd.canned", kError);
  bench.put("diagnostics/names/b.mbd", "mbd 1\n");
  bench.put("diagnostics/names/b.mbd.canned", canned("b.mbd", 7, 1, "error", "E0201", "unclosed"));
  CHECK(bench.pass("--no-coverage --update") == "filetest: 2 passed, 0 failed\n");
  CHECK(bench.get("diagnostics/names/a.mbd") == kGood);
  CHECK(bench.get("diagnostics/names/b.mbd") == "mbd 1\n");
  CHECK(bench.get("diagnostics/names/b.mbd.expect") == "7:1 E0201 unclosed\n");
  CHECK(bench.pass("--no-coverage --update --only names/a") == "filetest: 1 passed, 0 failed\n");
}

TEST_CASE("nothing found is a failure") {
  const Bench bench;
  CHECK(has(bench.fail("--no-coverage"), "there is no test file"));
  CHECK(has(bench.fail("--only nothing"), "filetest: 0 passed, 1 failed"));
}
