// SPDX-License-Identifier: Apache-2.0
#include "tests/filetest/case.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "tests/filetest/expectation.h"
#include "tests/filetest/process.h"
#include "tests/filetest/values.h"

namespace filetest {
namespace {

namespace fs = std::filesystem;

std::string read_file(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  std::ostringstream text;
  text << in.rdbuf();
  return text.str();
}

void write_file(const std::string& path, const std::string& text) { std::ofstream(path, std::ios::binary) << text; }

std::string source_path(const Case& test) { return test.folder + "/" + test.file; }
std::string expect_path(const Case& test) { return source_path(test) + ".expect"; }

// ---- expectations

Expectations read_expectations(const Case& test) {
  if (fs::exists(expect_path(test))) return read_expect_file(read_file(expect_path(test)));
  return read_comments(read_file(source_path(test)));
}

bool is_error(const Entry& entry) {
  return entry.severity.empty() ? entry.code.starts_with('E') : entry.severity == "error";
}

int default_exit_code(const std::vector<Entry>& entries) {
  return std::any_of(entries.begin(), entries.end(), is_error) ? 1 : 0;
}

// ---- commands

struct Command {
  std::vector<std::string> args;
  std::string input;
  std::string shown;
};

void replace_all(std::string& text, const std::string& what, const std::string& by) {
  for (std::size_t at = 0; (at = text.find(what, at)) != std::string::npos; at += by.size())
    text.replace(at, what.size(), by);
}

// Splits a text into words at blanks. A "double quoted" text keeps its blanks.
std::vector<std::string> split_words(const std::string& text) {
  std::vector<std::string> words;
  bool quoted = false;
  bool open = false;
  for (const char c : text) {
    if (c == '"') {
      quoted = !quoted;
      if (!open) words.emplace_back();
      open = true;
    } else if (c == ' ' && !quoted) {
      open = false;
    } else {
      if (!open) words.emplace_back();
      open = true;
      words.back() += c;
    }
  }
  return words;
}

// A TemporaryFolder is made for one command's files if the command contains {tmp}.
class TemporaryFolder {
 public:
  const std::string& path() {
    if (path_.empty()) {
      std::string pattern = (fs::temp_directory_path() / "filetest_XXXXXX").string();
      if (mkdtemp(pattern.data()) != nullptr) path_ = pattern;
    }
    return path_;
  }
  TemporaryFolder() = default;
  ~TemporaryFolder() {
    std::error_code ignored;
    if (!path_.empty()) fs::remove_all(path_, ignored);
  }
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;

 private:
  std::string path_;
};

// Parses a command such as `mbc run {file} < other.mbd`. The first word is the program, and `<` gives its standard
// input.
Command make_command(const std::string& program, const Case& test, std::string text, TemporaryFolder& temporary) {
  replace_all(text, "{file}", test.file);
  if (text.find("{tmp}") != std::string::npos) replace_all(text, "{tmp}", temporary.path());
  Command command;
  command.shown = text;
  std::vector<std::string> words = split_words(text);
  if (words.size() >= 2 && words[words.size() - 2] == "<") {
    command.input = fs::path(words.back()).is_absolute() ? words.back() : test.folder + "/" + words.back();
    words.resize(words.size() - 2);
  }
  if (!words.empty()) words[0] = program;
  command.args = std::move(words);
  return command;
}

std::vector<std::string> commands_of(const Case& test, const Expectations& expected) {
  if (test.accepted) return {"mbc check {file}"};
  if (!expected.command.empty()) return {expected.command};
  if (test.at_run_time) return {"mbc run {file} -o /dev/null --interpret", "mbc run {file} -o /dev/null --native"};
  return {"mbc check {file}"};
}

// ---- diagnostics

struct Produced {
  std::vector<Entry> entries;
  std::vector<std::string> says;
  int exit_code = -1;
  std::string problem;  // a crash, a timeout, or text that is not a diagnostic
};

Produced produce(const std::string& program, const Case& test, const std::string& text) {
  TemporaryFolder temporary;
  Command command = make_command(program, test, text, temporary);
  command.args.emplace_back("--diagnostics=json");
  const ProcessResult process = run_process(command.args, test.folder, command.input);
  Produced result;
  std::string other;
  result.entries = read_diagnostics(process.err, command.input.empty() ? test.file : "", other);
  result.says = read_besides(process.err, command.input.empty() ? test.file : "");
  result.exit_code = process.exit_code;
  if (process.exit_code < 0 || process.exit_code == 127) result.problem = process.describe() + "\n" + other;
  // A run prints its summary to standard error; `check` prints only diagnostics.
  if (result.problem.empty() && !other.empty() && command.args.size() > 1 && command.args[1] == "check")
    result.problem = "text that is no diagnostic on standard error:\n" + other;
  return result;
}

// Merges the two sorted lists. An entry that only one of them contains is a failure.
void compare(const std::vector<Entry>& expected, const std::vector<Entry>& produced, const std::string& command,
             CaseResult& result) {
  std::string text;
  std::vector<bool> matched(produced.size(), false);
  for (const Entry& want : expected) {
    std::size_t i = 0;
    while (i < produced.size() && (matched[i] || !want.same(produced[i]))) ++i;
    if (i == produced.size()) {
      text += "\n    missing:  " + want.as_line();
    } else {
      matched[i] = true;
      result.codes.insert(want.code);
    }
  }
  for (std::size_t i = 0; i < produced.size(); ++i)
    if (!matched[i]) text += "\n    produced: " + produced[i].as_line();
  if (!text.empty()) result.failures.push_back(command + text);
}

void check_diagnostics(const std::string& program, const Case& test, const Expectations& expected, CaseResult& result) {
  for (const std::string& command : commands_of(test, expected)) {
    const Produced produced = produce(program, test, command);
    if (!produced.problem.empty()) {
      result.failures.push_back(command + "\n    " + produced.problem);
      continue;
    }
    compare(expected.entries, produced.entries, command, result);
    if (!expected.says.empty() && expected.says != produced.says) {
      std::string text = command + "\n    labels, notes and help differ; produced:";
      for (const std::string& said : produced.says) text += "\n    says: " + said;
      result.failures.push_back(text);
    }
    const int want = expected.exit_code >= 0 ? expected.exit_code : default_exit_code(expected.entries);
    if (produced.exit_code != want) {
      result.failures.push_back(command + "\n    exit code " + std::to_string(produced.exit_code) + ", expected " +
                                std::to_string(want));
    }
  }
  if (!test.accepted && expected.entries.empty())
    result.failures.emplace_back("expects no diagnostic at all: run with --update");
}

// ---- values

// Both engines must give the expected values and the same bytes.
void check_values(const std::string& program, const Case& test, const Expectations& expected, CaseResult& result) {
  if (expected.values.empty()) return;
  const std::string base = expected.command.empty() ? "mbc run {file}" : expected.command;
  std::vector<std::string> outputs;
  const bool chosen = base.find(" --interpret") != std::string::npos;
  for (const std::string engine : {" --interpret", chosen ? "" : " --native"}) {
    TemporaryFolder temporary;
    const Command command = make_command(program, test, base + engine, temporary);
    const ProcessResult process = run_process(command.args, test.folder, command.input);
    const int want = expected.exit_code < 0 ? 0 : expected.exit_code;
    if (process.exit_code != want) {
      result.failures.push_back(command.shown + "\n    " + process.describe() + "\n" + process.err);
      continue;
    }
    outputs.push_back(process.out);
    const Csv csv = read_csv(process.out);
    for (const ExpectedValue& value : expected.values) {
      const std::string failure = check_value(value, csv);
      if (!failure.empty()) result.failures.push_back(command.shown + "\n    " + failure);
    }
  }
  if (outputs.size() == 2 && outputs[0] != outputs[1])
    result.failures.emplace_back("interpreter and native code give different results");
}

// ---- updating

int exit_code_to_write(const Produced& produced) {
  return produced.exit_code == default_exit_code(produced.entries) ? -1 : produced.exit_code;
}

// Writes the expectations as comments if the file can hold them and the program still reports the same afterwards.
bool update_comments(const std::string& program, const Case& test, const Expectations& expected,
                     const std::string& command) {
  const std::string before = read_file(source_path(test));
  std::string source = before;
  for (int attempt = 0; attempt < 3; ++attempt) {
    const Produced produced = produce(program, test, command);
    const int code = exit_code_to_write(produced);
    std::string rewritten;
    if (!produced.problem.empty() || !rewrite_comments(source, produced.entries, code, rewritten)) break;
    if (code >= 0 && expected.exit_code < 0 && attempt == 0)
      rewritten.insert(0, "// exit: " + std::to_string(code) + "\n");
    rewritten = rewrite_says(rewritten, "// ", produced.says);
    if (rewritten == source) return true;
    source = rewritten;
    write_file(source_path(test), source);
  }
  write_file(source_path(test), before);
  return false;
}

void update_case(const std::string& program, const Case& test, const Expectations& expected, CaseResult& result) {
  const std::string command = commands_of(test, expected).front();
  const bool in_comments = !fs::exists(expect_path(test));
  if (in_comments && update_comments(program, test, expected, command)) return;
  if (in_comments) {
    std::string bare;
    if (rewrite_comments(read_file(source_path(test)), {}, -1, bare)) write_file(source_path(test), bare);
  }
  const Produced produced = produce(program, test, command);
  if (!produced.problem.empty()) {
    result.failures.push_back("not updated: " + command + "\n    " + produced.problem);
    return;
  }
  std::string text = write_expect_file(produced.entries, expected.command, exit_code_to_write(produced));
  if (!expected.says.empty()) text = rewrite_says(text + "says:\n", "", produced.says);
  write_file(expect_path(test), text);
}

void add_case(const fs::path& path, const fs::path& tests, std::vector<Case>& cases) {
  fs::path file = path;
  if (file.extension() == ".expect") {
    file.replace_extension();
    if (fs::is_regular_file(file)) return;  // The search finds this source file by itself.
  } else if (file.extension() != ".mbd") {
    return;
  }
  Case test;
  test.folder = fs::absolute(file.parent_path()).lexically_normal().string();
  test.file = file.filename().string();
  const fs::path relative = file.lexically_relative(tests);
  // Folders named `parts` hold files that cases `use`.
  const auto is_parts = [](const fs::path& part) { return part == "parts"; };
  if (std::any_of(relative.begin(), relative.end(), is_parts)) return;
  test.shown = relative.string();
  test.accepted = *relative.begin() == "language";
  test.at_run_time = std::any_of(relative.begin(), std::prev(relative.end()),
                                 [](const fs::path& part) { return part.string().starts_with("runtime"); });
  cases.push_back(std::move(test));
}

}  // namespace

std::vector<Case> find_cases(const std::string& tests) {
  std::vector<Case> cases;
  for (const char* mode : {"diagnostics", "language"}) {
    const fs::path root = fs::path(tests) / mode;
    if (!fs::is_directory(root)) continue;
    for (const fs::directory_entry& entry : fs::recursive_directory_iterator(root))
      if (entry.is_regular_file()) add_case(entry.path(), tests, cases);
  }
  std::sort(cases.begin(), cases.end(), [](const Case& a, const Case& b) { return a.shown < b.shown; });
  return cases;
}

CaseResult run_case(const std::string& program, const Case& test, bool update) {
  CaseResult result;
  Expectations expected = read_expectations(test);
  if (update) {
    update_case(program, test, expected, result);
    expected = read_expectations(test);
  }
  for (const std::string& problem : expected.problems) result.failures.push_back(problem);
  check_diagnostics(program, test, expected, result);
  if (test.accepted) check_values(program, test, expected, result);
  return result;
}

}  // namespace filetest
