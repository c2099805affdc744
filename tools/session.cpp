// SPDX-License-Identifier: Apache-2.0
#include "tools/session.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"
#include "tools/session_lines.h"

namespace mbc::tools {
namespace {

constexpr const char* kHeader = "mbd 1\n";
constexpr const char* kNothingMoves = "E0412";
constexpr const char* kEmptyFile = "E0105";
constexpr const char* kUnchanged = "E0524";

bool tolerated(const DiagnosticInfo& d) {
  return d.code == kNothingMoves || d.code == kEmptyFile || d.code == kUnchanged;
}

// A session may be without particles for a while.
bool acceptable(const std::vector<DiagnosticInfo>& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const DiagnosticInfo& d) { return d.severity != Severity::error || tolerated(d); });
}

// The diagnostics that concern the statement at hand: not what is tolerated, not warnings shown before.
std::string render(const Model& model, bool colour, const LineMap& map) {
  const std::vector<DiagnosticInfo> list = model.diagnostics();
  std::vector<std::string> parts = split_diagnostics(model.render_diagnostics(colour));
  const bool failed = !acceptable(list);
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    const DiagnosticInfo* d = i < list.size() && parts.size() >= list.size() ? &list[i] : nullptr;
    const bool old_warning = d != nullptr && d->severity != Severity::error && d->place.line < map.first;
    if (d != nullptr && (tolerated(*d) || old_warning || (failed && d->severity != Severity::error))) continue;
    text += translate_lines(parts[i], map);
  }
  return text;
}

// `x = 3` is no statement; in a REPL it is meant as a new value.
std::string assignment_hint(const std::string& text) {
  const std::size_t equals = text.find('=');
  const std::string name = equals == std::string::npos ? "" : trimmed(text.substr(0, equals));
  const bool is_name = !name.empty() && name.find_first_of(" \t()[]{}:;<>!=+-*/^\"'") == std::string::npos;
  if (!is_name || text.substr(equals).starts_with("==")) return "";
  return "hint: a parameter that exists is changed by `:set " + name + "=VALUE`\n";
}

}  // namespace

// Adding 0 turns -0 into 0.
std::string value_text(const std::vector<double>& value) {
  if (value.size() == 1) return text::number(value.front() + 0.0);
  std::string text = "(";
  for (const double x : value) text += (text.size() > 1 ? ", " : "") + text::number(x + 0.0);
  return text + ")";
}

Session::Session(bool colour) : colour_(colour), model_(compile(kHeader, {})) {}

std::string Session::text() const {
  std::string text = kHeader;
  for (const std::string& statement : statements_) text += statement + "\n";
  return text;
}

std::string Session::file_text() const {
  std::string text = kHeader;
  for (const std::string& entry : set_) text += "// :set " + entry + "\n";
  return text + this->text().substr(std::string_view(kHeader).size());
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

CompileOptions Session::compile_options(const std::vector<std::string>& set) const {
  CompileOptions options;
  options.set = set;
  options.folder = folder_;
  options.interpret = true;
  options.colour = colour_;
  return options;
}

Model Session::compile(const std::string& text, const std::vector<std::string>& set) const {
  return Model::from_string(text, kSessionFile, compile_options(set));
}

Result<SourceIndex> Session::index() const {
  CompileOptions options = compile_options(set_);
  options.facts = true;
  return source_index(Model::from_string(text(), kSessionFile, options));
}

Answer Session::enter(const std::string& text, std::uint32_t line) {
  const Result<std::vector<EntryPart>> parts = split_entry(text, kSessionFile, colour_);
  Answer answer;
  if (!parts) return {false, "", translate_lines(parts.error().message + "\n", {1, line}) + assignment_hint(text)};
  for (const EntryPart& part : *parts) {
    const std::uint32_t at = line + part.line - 1;
    Answer one = part.expression ? evaluate(part.text, at) : declare(part.text, at);
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
  if (answer.ok) answer.messages += waiting();
  return answer;
}

// The states that no event changes yet: the statement that does is still to come.
std::string Session::waiting() const {
  std::string text;
  for (const DiagnosticInfo& d : model_.diagnostics())
    if (d.code == kUnchanged) text += "note: " + d.message + " yet: with one that does the model is whole\n";
  return text;
}

Result<std::vector<double>> Session::value(const std::string& expression) {
  return simulation_ ? simulation_->value(expression, time_, state_) : model_.value(expression);
}

Answer Session::evaluate(const std::string& expression, std::uint32_t line) {
  const Result<std::vector<double>> found = value(expression);
  if (!found) return {false, "", translate_lines(found.error().message + "\n", {1, line})};
  return {true, value_text(*found) + "\n", ""};
}

bool Session::adopt(Model model, const LineMap& map, Answer& answer) {
  answer.messages += render(model, colour_, map);
  answer.ok = acceptable(model.diagnostics());
  if (!answer.ok) return false;
  const std::vector<std::string> before = layout();
  model_ = std::move(model);
  keep_or_renew_state(before, answer);
  return true;
}

// Of the first simulate block, which is the one a session runs.
std::optional<TimeSpan> Session::block_span() const {
  const std::vector<std::string> blocks = model_.simulations();
  return blocks.empty() ? std::nullopt : model_.time_span(blocks.front());
}

std::vector<std::string> Session::layout() const {
  std::vector<std::string> names;
  if (!model_.ok()) return names;
  for (const Quantity& q : model_.coordinates()) names.push_back(q.name);
  for (const Quantity& u : model_.speeds()) names.push_back(u.name);
  for (const Quantity& s : model_.states()) names.push_back(s.name);
  return names;
}

// The motion goes on after a new parameter, force or constraint; new coordinates have no state to go on from.
void Session::keep_or_renew_state(const std::vector<std::string>& before, Answer& answer) {
  if (moved_ && layout() == before) {
    simulation_.emplace(Simulation::create(model_).value());
    take_held(*simulation_);
    return;
  }
  if (moved_ && time_ != 0) answer.messages += "note: the coordinates changed: back to the initial state\n";
  reset(false);
}

// What events have changed, as far as it is still there.
void Session::take_held(Simulation& simulation) const {
  for (const auto& [name, value] : held_) static_cast<void>(simulation.set_held(name, value));
}

void Session::reset(bool forget) {
  if (forget) {
    statements_.clear();
    set_.clear();
    model_ = compile(kHeader, {});
  }
  moved_ = false;
  held_.clear();
  simulation_.reset();
  if (Result<Simulation> made = Simulation::create(model_)) simulation_.emplace(*std::move(made));
  time_ = simulation_ ? simulation_->time() : 0;
  state_ = simulation_ ? simulation_->initial_state() : std::vector<double>{};
}

Answer Session::load(const std::string& path) {
  CompileOptions options;
  options.set = set_;
  options.interpret = true;
  options.colour = colour_;
  const Model file = Model::from_file(path, options);
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

namespace {

// All names that a statement can use, with their members: those of a joint or model as it declares them, of particles
// and their kin those that are built in.
void add_members(const SourceIndex& index, std::set<std::string>& names) {
  for (const std::uint32_t id : index.visible) {
    const IndexSymbol& s = index.symbols.at(id);
    if (s.name.empty()) continue;
    names.insert(s.name);
    const bool typed = s.kind == SymbolKind::constraint && !s.type.empty();
    for (const MemberInfo& m : members_of(typed ? s.type : to_text(s.kind), index.space))
      names.insert(s.name + "." + m.name);
    if (s.component == kNoSymbol) continue;
    for (const std::uint32_t member : index.symbols.at(s.component).members)
      names.insert(s.name + "." + index.symbols.at(member).name);
  }
  for (const char* what : {"energy", "momentum", "ground"})
    for (const MemberInfo& m : members_of(what, index.space)) names.insert(std::string(what) + "." + m.name);
}

}  // namespace

std::vector<std::string> Session::names() const {
  std::set<std::string> names;
  if (model_.ok()) {
    const auto add = [&names](const std::vector<Quantity>& list) {
      for (const Quantity& q : list) names.insert(q.name);
    };
    add(model_.parameters());
    add(model_.inputs());
    add(model_.coordinates());
    add(model_.outputs());
    add(model_.columns());
  }
  if (const Result<SourceIndex> index = this->index()) add_members(*index, names);
  return {names.begin(), names.end()};
}

}  // namespace mbc::tools
