// SPDX-License-Identifier: Apache-2.0
#include "tests/filetest/expectation.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <nlohmann/json.hpp>
#include <tuple>

namespace filetest {
namespace {

constexpr std::string_view kSeverities[] = {"error", "warning", "note"};

std::string escape_line_ends(std::string text) {
  for (std::size_t at = 0; (at = text.find('\n', at)) != std::string::npos; at += 2) text.replace(at, 1, "\\n");
  return text;
}

// Returns the length of `// error[` or a similar marker at `at`, or 0 if there is none.
std::size_t marker_at(std::string_view line, std::size_t at) {
  if (line.substr(at, 3) != "// ") return 0;
  const std::string_view rest = line.substr(at + 3);
  for (const std::string_view severity : kSeverities)
    if (rest.starts_with(severity) && rest.substr(severity.size(), 1) == "[") return 3 + severity.size() + 1;
  return 0;
}

std::size_t next_marker(std::string_view line, std::size_t from) {
  for (std::size_t at = from; (at = line.find("// ", at)) != std::string_view::npos; ++at)
    if (marker_at(line, at) > 0) return at;
  return std::string_view::npos;
}

template <class Number>
bool read_number(std::string_view text, Number& value) {
  const std::from_chars_result r = std::from_chars(text.data(), text.data() + text.size(), value);
  return r.ec == std::errc() && r.ptr == text.data() + text.size();
}

// Reads `// error[E0201] 9: text`, which ends before the next marker.
bool read_entry(std::string_view text, Entry& entry) {
  const std::size_t open = text.find('[');
  const std::size_t close = text.find(']');
  const std::size_t colon = text.find(": ", close);
  if (close == std::string_view::npos || colon == std::string_view::npos) return false;
  entry.severity = text.substr(3, open - 3);
  entry.code = text.substr(open + 1, close - open - 1);
  entry.message = trimmed(text.substr(colon + 2));
  return read_number(trimmed(text.substr(close + 1, colon - close - 1)), entry.column);
}

void read_entries(std::string_view line, int number, Expectations& result) {
  for (std::size_t at = next_marker(line, 0); at != std::string_view::npos;) {
    const std::size_t end = next_marker(line, at + 3);
    Entry entry;
    entry.line = number;
    if (read_entry(line.substr(at, end == std::string_view::npos ? end : end - at), entry)) {
      result.entries.push_back(std::move(entry));
    } else {
      result.problems.push_back("line " + std::to_string(number) + ": want `// error[CODE] COLUMN: message`");
    }
    at = end;
  }
}

// Reads the text after `key` if the line begins with it.
bool directive(std::string_view line, std::string_view key, std::string& value) {
  const std::string text = trimmed(line);
  if (!text.starts_with(key)) return false;
  value = trimmed(std::string_view(text).substr(key.size()));
  return true;
}

// Reads `name = value [unit] [within tolerance [unit]] [at time [unit]]`. The units serve only the reader.
bool read_value(const std::string& text, ExpectedValue& expected) {
  const std::size_t equals = text.find('=');
  if (equals == std::string::npos) return false;
  expected.name = trimmed(std::string_view(text).substr(0, equals));
  std::vector<std::string> words;
  for (std::size_t at = equals + 1; at < text.size();) {
    const std::size_t begin = text.find_first_not_of(' ', at);
    if (begin == std::string::npos) break;
    const std::size_t end = std::min(text.find(text[begin] == '[' ? ']' : ' ', begin), text.size() - 1) + 1;
    if (text[begin] != '[') words.push_back(trimmed(std::string_view(text).substr(begin, end - begin)));
    at = end;
  }
  if (expected.name.empty() || words.size() % 2 != 1 || !read_number(words[0], expected.value)) return false;
  expected.tolerance = 1e-9 * std::max(1.0, std::isfinite(expected.value) ? std::abs(expected.value) : 1.0);
  for (std::size_t i = 1; i + 1 < words.size(); i += 2) {
    const bool within = words[i] == "within";
    if (!within && words[i] != "at") return false;
    if (!read_number(words[i + 1], within ? expected.tolerance : expected.time)) return false;
    if (!within) expected.at_end = false;
  }
  return true;
}

bool read_directives(std::string_view line, std::string_view prefix, int number, Expectations& result) {
  std::string value;
  const std::string start(prefix);
  if (directive(line, start + "run:", value)) {
    result.command = value;
  } else if (directive(line, start + "says:", value)) {
    result.says.push_back(value);
  } else if (directive(line, start + "exit:", value)) {
    if (!read_number(value, result.exit_code)) result.problems.push_back("want `exit: NUMBER`, not `" + value + "`");
  } else if (directive(line, start + "expect:", value)) {
    ExpectedValue expected;
    expected.line = number;
    if (read_value(value, expected)) {
      result.values.push_back(std::move(expected));
    } else {
      result.problems.push_back("want `expect: NAME = VALUE [within TOLERANCE] [at TIME]`, not `" + value + "`");
    }
  } else {
    return false;
  }
  return true;
}

int integer(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_number_integer() ? found->get<int>() : 0;
}

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(" \t\r");
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(" \t\r") - begin + 1));
}

std::vector<std::string> split_lines(std::string_view text) {
  std::vector<std::string> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.emplace_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

bool Entry::same(const Entry& other) const {
  return line == other.line && column == other.column && code == other.code && message == other.message &&
         (severity.empty() || other.severity.empty() || severity == other.severity);
}

bool Entry::before(const Entry& other) const {
  return std::tie(line, column, code, message) < std::tie(other.line, other.column, other.code, other.message);
}

std::string Entry::as_line() const {
  const std::string place = line == 0 ? "-:-" : std::to_string(line) + ":" + std::to_string(column);
  return place + " " + code + " " + message;
}

std::string Entry::as_comment() const {
  return "// " + severity + "[" + code + "] " + std::to_string(column) + ": " + message;
}

void sort(std::vector<Entry>& entries) {
  std::stable_sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.before(b); });
}

Expectations read_comments(std::string_view source) {
  Expectations result;
  int number = 0;
  for (const std::string& line : split_lines(source)) {
    ++number;
    if (!read_directives(line, "// ", number, result)) read_entries(line, number, result);
  }
  sort(result.entries);
  std::sort(result.says.begin(), result.says.end());
  return result;
}

Expectations read_expect_file(std::string_view text) {
  Expectations result;
  int number = 0;
  for (const std::string& line : split_lines(text)) {
    ++number;
    if (trimmed(line).empty() || read_directives(line, "", number, result)) continue;
    const std::size_t colon = line.find(':');
    const std::size_t first = line.find(' ');
    const std::size_t second = line.find(' ', first + 1);
    Entry entry;
    const bool no_place = line.starts_with("-:- ");
    const bool read = first != std::string::npos && second != std::string::npos &&
                      (no_place || (colon < first && read_number(line.substr(0, colon), entry.line) &&
                                    read_number(line.substr(colon + 1, first - colon - 1), entry.column)));
    if (!read) {
      result.problems.push_back("line " + std::to_string(number) +
                                " of the .expect file: want `LINE:COLUMN CODE message`");
      continue;
    }
    entry.code = line.substr(first + 1, second - first - 1);
    entry.message = trimmed(line.substr(second + 1));
    result.entries.push_back(std::move(entry));
  }
  sort(result.entries);
  std::sort(result.says.begin(), result.says.end());
  return result;
}

std::vector<Entry> read_diagnostics(const std::string& text, const std::string& file, std::string& other) {
  std::vector<Entry> entries;
  for (const std::string& line : split_lines(text)) {
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("code") || !object.contains("severity")) {
      other += line + "\n";
      continue;
    }
    Entry entry;
    entry.line = integer(object, "line");
    entry.column = integer(object, "column");
    entry.severity = text_of(object, "severity");
    entry.code = text_of(object, "code");
    entry.message = trimmed(escape_line_ends(text_of(object, "message")));
    const std::string where = text_of(object, "file");
    if (entry.line > 0 && !file.empty() && where != file) entry.message += " (in " + where + ")";
    entries.push_back(std::move(entry));
  }
  sort(entries);
  return entries;
}

std::vector<std::string> read_besides(const std::string& text, const std::string& file) {
  std::vector<std::string> says;
  for (const std::string& line : split_lines(text)) {
    const nlohmann::json object = nlohmann::json::parse(line, nullptr, false);
    if (!object.is_object() || !object.contains("code") || !object.contains("labels")) continue;
    for (const nlohmann::json& label : object["labels"]) {
      std::string said = std::to_string(integer(label, "line")) + ":" + std::to_string(integer(label, "column")) + " " +
                         text_of(label, "text");
      if (const std::string where = text_of(label, "file"); !file.empty() && where != file)
        said += " (in " + where + ")";
      says.push_back(trimmed(escape_line_ends(said)));
    }
    for (const nlohmann::json& note : object["notes"])
      says.push_back(trimmed(escape_line_ends("note: " + note.get<std::string>())));
    if (object.contains("help")) says.push_back(trimmed(escape_line_ends("help: " + text_of(object, "help"))));
  }
  std::sort(says.begin(), says.end());
  return says;
}

std::string rewrite_says(const std::string& text, const std::string& prefix, const std::vector<std::string>& says) {
  std::string result;
  bool any = false;
  for (const std::string& line : split_lines(text)) {
    std::string value;
    if (directive(line, prefix + "says:", value))
      any = true;
    else
      result += line + "\n";
  }
  if (!any) return text;
  for (const std::string& said : says) result += prefix + "says: " + said + "\n";
  return result;
}

bool rewrite_comments(const std::string& source, const std::vector<Entry>& entries, int exit_code,
                      std::string& result) {
  std::vector<std::string> lines = split_lines(source);
  for (std::string& line : lines) {
    const std::size_t at = next_marker(line, 0);
    std::string value;
    if (directive(line, "// exit:", value) && exit_code >= 0) line = "// exit: " + std::to_string(exit_code);
    if (at == std::string::npos) continue;
    line.erase(at);
    line.erase(line.find_last_not_of(' ') + 1);
  }
  for (const Entry& entry : entries) {
    if (entry.line < 1 || static_cast<std::size_t>(entry.line) > lines.size()) return false;
    std::string& line = lines[static_cast<std::size_t>(entry.line) - 1];
    const bool follows = next_marker(line, 0) != std::string::npos;
    line += (line.empty() ? "" : follows ? " " : "   ") + entry.as_comment();
  }
  result.clear();
  for (const std::string& line : lines) result += line + "\n";
  if (!source.ends_with('\n') && !result.empty()) result.pop_back();
  return true;
}

std::string write_expect_file(const std::vector<Entry>& entries, const std::string& command, int exit_code) {
  std::string text;
  if (!command.empty()) text += "run: " + command + "\n";
  if (exit_code >= 0) text += "exit: " + std::to_string(exit_code) + "\n";
  for (const Entry& entry : entries) text += entry.as_line() + "\n";
  return text;
}

}  // namespace filetest
