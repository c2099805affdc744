// SPDX-License-Identifier: Apache-2.0
// Represents expected and reported diagnostics in one form, so that they can be compared and rewritten.
#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace filetest {

struct Entry {
  int line = 0;  // 0 if there is no place
  int column = 0;
  std::string code;
  std::string message;   // The line ends are written as \n.
  std::string severity;  // "" in FILE.expect, because the code implies the severity

  // Order and identity ignore the severity.
  [[nodiscard]] bool same(const Entry& other) const;
  [[nodiscard]] bool before(const Entry& other) const;
  [[nodiscard]] std::string as_line() const;     // the form of FILE.expect
  [[nodiscard]] std::string as_comment() const;  // the form of a comment, without a line number
};

// An ExpectedValue is written `// expect: name = value [within tolerance] [at time]`.
struct ExpectedValue {
  int line = 0;
  std::string name;
  double value = 0;
  double tolerance = 0;
  double time = 0;
  bool at_end = true;
};

struct Expectations {
  std::vector<Entry> entries;
  std::vector<ExpectedValue> values;
  std::vector<std::string> says;      // `// says: help: text`; if there is one, all of them must be listed
  std::string command;                // `// run: mbc run {file} --interpret`
  int exit_code = -1;                 // `// exit: 3`; -1 if it is not given
  std::vector<std::string> problems;  // directives that could not be read
};

Expectations read_comments(std::string_view source);
Expectations read_expect_file(std::string_view text);

// Returns the diagnostics among the lines of standard error (JSON objects). The message of a diagnostic of another file
// than `file` contains its name. All other lines are left in `other`.
std::vector<Entry> read_diagnostics(const std::string& text, const std::string& file, std::string& other);
// Returns the other texts of the same diagnostics, sorted: `help: text`, `note: text`, and labels as `3:7 text`.
std::vector<std::string> read_besides(const std::string& text, const std::string& file);

// Replaces the expectation comments of the source. The result is false if an entry has no line.
bool rewrite_comments(const std::string& source, const std::vector<Entry>& entries, int exit_code, std::string& result);
std::string write_expect_file(const std::vector<Entry>& entries, const std::string& command, int exit_code);
// Replaces the `says:` lines (after `prefix`) at the end of `text`. A text without such lines does not change.
std::string rewrite_says(const std::string& text, const std::string& prefix, const std::vector<std::string>& says);

void sort(std::vector<Entry>& entries);
std::vector<std::string> split_lines(std::string_view text);
std::string trimmed(std::string_view text);

}  // namespace filetest
