// SPDX-License-Identifier: Apache-2.0
// What a test file expects and what the program reported, in one form, so that they can be compared and rewritten.
//
// In a model, on the line of the diagnostic:     let a = b + 1   // error[E0201] 9: there is no `b`
// Several on a line follow each other:           ... // error[E0201] 9: there is no `b` // note[N0101] 3: text
// In FILE.expect, for files that cannot hold comments:  3:9 E0201 there is no `b`       (`-:-` for no place)
#pragma once
#include <compare>
#include <string>
#include <string_view>
#include <vector>

namespace filetest {

struct Entry {
  int line = 0;  // 0: no place
  int column = 0;
  std::string code;
  std::string message;   // line ends as \n
  std::string severity;  // "" in FILE.expect, where the code says it all

  // Order and identity leave the severity out.
  [[nodiscard]] bool same(const Entry& other) const;
  [[nodiscard]] bool before(const Entry& other) const;
  [[nodiscard]] std::string as_line() const;     // FILE.expect
  [[nodiscard]] std::string as_comment() const;  // without line number
};

// `// expect: name = value [within tolerance] [at time]`
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
  std::vector<std::string> says;      // `// says: help: text`; when there is one, all of them have to be there
  std::string command;                // `// run: mbc run {file} --interpret`
  int exit_code = -1;                 // `// exit: 3`; -1: not said
  std::vector<std::string> problems;  // directives that could not be read
};

Expectations read_comments(std::string_view source);
Expectations read_expect_file(std::string_view text);

// The diagnostics among the lines of standard error (JSON objects). Those of another file than `file` say so in the
// message. Lines that are no diagnostic are left in `other`.
std::vector<Entry> read_diagnostics(const std::string& text, const std::string& file, std::string& other);
// What the same diagnostics say besides: `help: text`, `note: text`, and labels as `3:7 text`, sorted.
std::vector<std::string> read_besides(const std::string& text, const std::string& file);

// The source with its expectation comments replaced; false when an entry has no line to stand on.
bool rewrite_comments(const std::string& source, const std::vector<Entry>& entries, int exit_code, std::string& result);
std::string write_expect_file(const std::vector<Entry>& entries, const std::string& command, int exit_code);
// `text` with its lines `says:` (after `prefix`) replaced, at the end; as it is when it has none.
std::string rewrite_says(const std::string& text, const std::string& prefix, const std::vector<std::string>& says);

void sort(std::vector<Entry>& entries);
std::vector<std::string> split_lines(std::string_view text);
std::string trimmed(std::string_view text);

}  // namespace filetest
