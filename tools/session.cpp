// SPDX-License-Identifier: Apache-2.0
#include "tools/session.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>
#include <variant>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"
#include "compiler/parse/parse.h"
#include "tools/report.h"
#include "tools/session_lines.h"

namespace mbc::tools {
namespace {

constexpr const char* kHeader = "mbd 1\n";
constexpr const char* kNothingMoves = "E0412";
constexpr const char* kEmptyFile = "E0105";

bool tolerated(const DiagnosticInfo& d) { return d.code == kNothingMoves || d.code == kEmptyFile; }

// A session may be without particles for a while.
bool acceptable(const std::vector<DiagnosticInfo>& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const DiagnosticInfo& d) { return d.severity != "error" || tolerated(d); });
}

// The diagnostics that concern the statement at hand: not what is tolerated, not warnings shown before.
std::string render(const Program& program, bool colour, const LineMap& map) {
  const std::vector<DiagnosticInfo> list = program.diagnostics();
  std::vector<std::string> parts = split_diagnostics(program.render_diagnostics(colour));
  const bool failed = !acceptable(list);
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const DiagnosticInfo* d = i < list.size() && parts.size() >= list.size() ? &list[i] : nullptr;
    const bool old_warning = d != nullptr && d->severity != "error" && d->place.line < map.first;
    if (d != nullptr && (tolerated(*d) || old_warning || (failed && d->severity != "error"))) continue;
    text += translate_lines(parts[i], map);
  }
  return text;
}

// Part of an entry: one expression, or all declarations up to the next one. What is before and between them goes along:
// comments, and the /// lines that document a declaration.
struct Piece {
  std::string text;
  std::uint32_t line = 1;
  bool expression = false;
};

Piece cut(const SourceFile& source, std::size_t begin, std::size_t end, bool expression) {
  const Position place = source.position(static_cast<std::uint32_t>(begin));
  // Blanks keep the columns of diagnostics right.
  return {std::string(place.column - 1, ' ') + std::string(source.text().substr(begin, end - begin)), place.line,
          expression};
}

std::vector<Piece> split_entry(const ast::File& file, const SourceFile& source) {
  const std::string_view text = source.text();
  std::vector<Piece> pieces;
  std::size_t from = 0;
  for (std::size_t i = 0; i < file.statements.size(); ++i) {
    const auto is_expression = [&](std::size_t k) {
      return std::holds_alternative<ast::ExprStmt>(file.statements[k]->node);
    };
    std::size_t last = i;
    while (!is_expression(i) && last + 1 < file.statements.size() && !is_expression(last + 1)) ++last;
    std::size_t begin = is_expression(i) ? file.statements[i]->span.begin : from;
    while (begin < text.size() && (text[begin] == ';' || text[begin] == '\n' || text[begin] == ' ')) ++begin;
    from = file.statements[last]->span.end;
    pieces.push_back(cut(source, begin, from, is_expression(i)));
    i = last;
  }
  return pieces;
}

// `x = 3` is no statement; in a REPL it is meant as a new value.
std::string assignment_hint(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = equals == std::string::npos ? "" : trimmed(text.substr(0, equals));
  const bool is_name = !name.empty() && name.find_first_of(" \t()[]{}:;<>!=+-*/^\"'") == std::string::npos;
  if (!is_name || text.substr(equals).starts_with("==")) return "";
  return "hint: a parameter that exists is changed by `:set " + name + "=VALUE`\n";
}

// The file without its `mbd 1`, blanked so that places stay what they were.
std::string without_header(std::string text) {
  if (text.starts_with("\xEF\xBB\xBF")) text.replace(0, 3, "   ");
  SourceSet sources;
  Sink sink;
  sources.add("", text);
  const ast::File file = parse(sources, 0, ParseMode::file, sink);
  const std::size_t word = text.rfind("mbd", file.version_span.begin);
  if (!file.version_span.known() || word == std::string::npos) return text;
  std::size_t end = file.version_span.end;
  const std::size_t next = text.find_first_not_of(" \t", end);
  if (next != std::string::npos && text[next] == ';') end = next + 1;
  return text.replace(word, end - word, end - word, ' ');
}

}  // namespace

// Adding 0 turns -0 into 0.
std::string value_text(const std::vector<double>& value) {
  if (value.size() == 1) return text::number(value.front() + 0.0);
  std::string text = "(";
  for (const double x : value) text += (text.size() > 1 ? ", " : "") + text::number(x + 0.0);
  return text + ")";
}

Session::Session(bool colour) : colour_(colour), program_(compile(kHeader, {})) {}

std::string Session::text() const {
  std::string text = kHeader;
  for (const std::string& statement : statements_) text += statement + "\n";
  return text;
}

std::string Session::listing() const {
  std::string all;
  for (const std::string& statement : statements_) all += statement + "\n";
  std::string out;
  std::uint32_t number = 0;
  for (std::size_t at = 0; at < all.size();) {
    const std::size_t end = all.find('\n', at) + 1;
    std::string label = std::to_string(++number);
    label.insert(0, label.size() < 4 ? 4 - label.size() : 0, ' ');
    out += label + " | " + all.substr(at, end - at);
    at = end;
  }
  for (const std::string& entry : set_) out += "  :set " + entry + "\n";
  return out;
}

Program Session::compile(const std::string& text, const std::vector<std::string>& set) const {
  CompileOptions options;
  options.set = set;
  options.folder = folder_;
  options.interpret = true;
  return Program::from_string(text, kSessionFile, options);
}

Answer Session::enter(const std::string& text, std::uint32_t line) {
  SourceSet sources;
  Sink sink;
  sources.add(kSessionFile, text);
  const ast::File file = parse(sources, 0, ParseMode::repl, sink);
  Answer answer;
  if (sink.has_errors()) {
    const std::string rendered = render_text(sink, sources, RenderOptions{colour_});
    return {false, "", translate_lines(rendered, {1, line}) + assignment_hint(text)};
  }
  for (const Piece& piece : split_entry(file, sources[0])) {
    const std::uint32_t at = line + piece.line - 1;
    Answer one = piece.expression ? evaluate(piece.text, at) : declare(piece.text, at);
    answer.out += one.out;
    answer.messages += one.messages;
    answer.ok = answer.ok && one.ok;
    if (!one.ok) break;
  }
  return answer;
}

Answer Session::declare(const std::string& statement, std::uint32_t line) {
  const std::string before = text();
  const auto first = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
  Answer answer;
  if (adopt(compile(before + statement + "\n", set_), {first, line}, answer))
    statements_.push_back(statement.substr(statement.find_first_not_of(' ')));
  return answer;
}

Answer Session::evaluate(const std::string& expression, std::uint32_t line) {
  std::string error;
  const std::optional<std::vector<double>> value = program_.value(expression, time_, state_, error);
  if (!error.empty() && error.back() != '\n') error += '\n';
  if (!value) return {false, "", translate_lines(colour_ ? with_colour(error) : error, {1, line})};
  return {true, value_text(*value) + "\n", ""};
}

bool Session::adopt(Program program, const LineMap& map, Answer& answer) {
  answer.messages += render(program, colour_, map);
  answer.ok = acceptable(program.diagnostics());
  if (!answer.ok) return false;
  const std::vector<std::string> before = layout();
  program_ = std::move(program);
  keep_or_renew_state(before, answer);
  return true;
}

// Of the first simulate block, which is the one a session runs.
std::optional<TimeSpan> Session::block_span() const {
  const std::vector<std::string> blocks = program_.simulations();
  return blocks.empty() ? std::nullopt : program_.time_span(blocks.front());
}

std::vector<std::string> Session::layout() const {
  std::vector<std::string> names;
  if (!program_.ok()) return names;
  for (const Quantity& q : program_.coordinates()) names.push_back(q.name);
  for (const Quantity& u : program_.speeds()) names.push_back(u.name);
  for (const Quantity& s : program_.states()) names.push_back(s.name);
  return names;
}

// The motion goes on after a new parameter, force or constraint; new coordinates have no state to go on from.
void Session::keep_or_renew_state(const std::vector<std::string>& before, Answer& answer) {
  if (moved_ && layout() == before) return;
  if (moved_ && time_ != 0) answer.messages += "note: the coordinates changed: back to the initial state\n";
  reset(false);
}

void Session::reset(bool forget) {
  if (forget) {
    statements_.clear();
    set_.clear();
    program_ = compile(kHeader, {});
  }
  moved_ = false;
  const auto span = program_.ok() ? block_span() : std::nullopt;
  time_ = span ? span->begin : 0;
  state_ = program_.ok() ? program_.initial_state() : std::vector<double>{};
}

Answer Session::load(const std::string& path) {
  CompileOptions options;
  options.set = set_;
  options.interpret = true;
  Program file = Program::from_file(path, options);
  // Alone first, so that diagnostics name the file and its own lines.
  if (!acceptable(file.diagnostics())) return {false, "", file.render_diagnostics(colour_)};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  folder_ = folder.empty() ? "." : folder;
  std::string source = without_header(file.source_text());
  source.erase(source.find_last_not_of(" \t\r\n") + 1);
  // What is left of the line of the header, and other blank lines at the beginning.
  if (const std::size_t first = source.find_first_not_of(" \t\r\n"); first != std::string::npos)
    source.erase(0, source.rfind('\n', first) + 1);
  Answer answer;
  if (adopt(compile(text() + source + "\n", set_), kAllEarlier, answer)) statements_.push_back(source);
  return answer;
}

Answer Session::set(const std::string& assignment) {
  const auto key = [](const std::string& entry) { return trimmed(entry.substr(0, entry.find('='))); };
  std::vector<std::string> changed = set_;
  std::erase_if(changed, [&](const std::string& entry) { return key(entry) == key(assignment); });
  changed.push_back(trimmed(assignment));
  Answer answer;
  if (adopt(compile(text(), changed), kAllEarlier, answer)) set_ = std::move(changed);
  return answer;
}

Answer Session::undo() {
  if (statements_.empty()) return {false, "", "there is nothing to take back\n"};
  const std::string last = statements_.back();
  statements_.pop_back();
  Answer answer;
  if (adopt(compile(text(), set_), kAllEarlier, answer)) {
    answer.messages += "taken back: " + printable(trimmed(last)) + "\n";
  } else {
    statements_.push_back(last);  // a `:set` may need it
  }
  return answer;
}

std::vector<std::string> Session::names() const {
  std::set<std::string> names;
  if (program_.ok()) {
    const auto add = [&names](const std::vector<Quantity>& list) {
      for (const Quantity& q : list) names.insert(q.name);
    };
    add(program_.parameters());
    add(program_.inputs());
    add(program_.coordinates());
    add(program_.outputs());
    add(program_.columns());
    for (const Quantity& q : program_.coordinates()) {
      const std::string particle = q.name.substr(0, q.name.rfind('.'));
      for (const char* member : {".pos", ".vel", ".acc"}) names.insert(particle + member);
    }
  }
  return {names.begin(), names.end()};
}

}  // namespace mbc::tools
