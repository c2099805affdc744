// SPDX-License-Identifier: Apache-2.0
#include "tools/session/session.h"

#include <algorithm>
#include <filesystem>

#include "base/diagnostics/render.h"
#include "base/numbers.h"
#include "base/text.h"
#include "tools/session/redefinition.h"
#include "tools/session/session_lines.h"
#include "tools/session/values.h"

namespace mbc::tools {
namespace {

constexpr const char* kNothingMoves = "E0412";
constexpr const char* kEmptyFile = "E0105";
constexpr const char* kUnchanged = "E0524";
constexpr std::size_t kMostUndone = 200;  // steps that can be undone
constexpr std::size_t kMostValues = 8;    // values that are compared at a new declaration

bool tolerated(const DiagnosticInfo& d) {
  return d.code == kNothingMoves || d.code == kEmptyFile || d.code == kUnchanged;
}

// A session may have no particles for a while.
bool acceptable(const std::vector<DiagnosticInfo>& list) {
  return std::all_of(list.begin(), list.end(),
                     [](const DiagnosticInfo& d) { return d.severity != Severity::error || tolerated(d); });
}

// Returns the diagnostics of the current statement, without tolerated ones and warnings shown before.
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

bool names_one_of(const std::vector<Quantity>& list, const std::string& name) {
  return std::any_of(list.begin(), list.end(), [&](const Quantity& q) { return q.name == name; });
}

// `x = 3` is not a statement; in a session it is meant as a new value. Commands of other programs get a hint to the
// session's own.
std::string entry_hint(const std::string& text, const Model& model) {
  if (text.starts_with("help ")) return "hint: `:" + trimmed(text) + "` says what a name is\n";
  if (text.starts_with("plot("))
    return "hint: `plot p.z, E` draws values over the time, `plot p.z over p.x` over another\n";
  const std::size_t equals = text.find('=');
  const std::string name = equals == std::string::npos ? "" : trimmed(text.substr(0, equals));
  const bool is_name = !name.empty() && name.find_first_of(" \t()[]{}:;<>!=+-*/^\"'") == std::string::npos;
  if (!is_name || text.substr(equals).starts_with("==")) return "";
  const bool moves = names_one_of(model.coordinates(), name) || names_one_of(model.speeds(), name) ||
                     names_one_of(model.states(), name);
  if (moves) return "hint: `init { " + name + " = VALUE }` gives it another initial value\n";
  return "hint: `param " + name + " = VALUE` declares it; `:set " + name + "=VALUE` gives a parameter another value\n";
}

}  // namespace

Session::Session(bool colour) : colour_(colour), model_(compile(kModelHeader, {})) {}

std::string Session::text() const { return kModelHeader + statements_.text(); }

std::string Session::listing() const {
  const std::string all = statements_.text();
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

namespace {

std::optional<SourceIndex> index_of(const std::string& text, CompileOptions options) {
  options.facts = true;
  Result<SourceIndex> made = source_index(Model::from_string(text, kSessionFile, options));
  return made ? std::optional<SourceIndex>(*std::move(made)) : std::nullopt;
}

// Returns whether these declarations leave the motion unchanged.
bool only_looks(const std::vector<EntryPart>& parts) {
  return std::all_of(parts.begin(), parts.end(), [](const EntryPart& part) {
    return part.word == "let" || part.word == "output" || part.word == "def" || part.word == "param";
  });
}

std::vector<Statement> statements_of(const std::vector<EntryPart>& parts, const std::string& origin) {
  std::vector<Statement> out;
  for (const EntryPart& part : parts)
    out.push_back({part.text.substr(part.text.find_first_not_of(' ')), part.word, part.items, origin});
  return out;
}

std::vector<std::string> names_of(const std::vector<Replaced>& list) {
  std::vector<std::string> names;
  for (const Replaced& r : list) names.push_back(r.name);
  return names;
}

// Returns the states that no event changes yet; the statement that does may follow.
std::string waiting(const Model& model) {
  std::string text;
  for (const DiagnosticInfo& d : model.diagnostics())
    if (d.code == kUnchanged) text += "note: " + d.message + " yet: with one that does the model is whole\n";
  return text;
}

}  // namespace

const SourceIndex* Session::index() const {
  if (!index_) index_ = index_of(text(), compile_options(set_));
  return index_ ? &*index_ : nullptr;
}

Answer Session::enter(const std::string& text, std::uint32_t line) {
  const Result<std::vector<EntryPart>> parts = split_entry(text, kSessionFile, colour_);
  Answer answer;
  if (!parts) return {false, "", translate_lines(parts.error().message + "\n", {1, line}) + entry_hint(text, model_)};
  for (std::size_t k = 0; k < parts->size() && answer.ok;) {
    // Declarations up to the next expression belong together, since they may need each other.
    std::size_t end = k + 1;
    while (!(*parts)[k].expression && end < parts->size() && !(*parts)[end].expression) ++end;
    const std::vector<EntryPart> together(parts->begin() + static_cast<std::ptrdiff_t>(k),
                                          parts->begin() + static_cast<std::ptrdiff_t>(end));
    const std::uint32_t at = line + together.front().line - 1;
    Answer one = together.front().expression ? evaluate(together.front().text, at) : declare(together, text, at);
    answer.out += one.out;
    answer.messages += one.messages;
    answer.ok = one.ok;
    k = end;
  }
  if (!answer.ok) answer.messages += entry_hint(text, model_);
  return answer;
}

Answer Session::declare(const std::vector<EntryPart>& parts, const std::string& entry, std::uint32_t line) {
  const EntryPart& first = parts.front();
  const std::string indent(first.text.find_first_not_of(' '), ' ');
  const std::string typed = indent + entry.substr(first.begin, parts.back().end - first.begin);
  const Result<std::string> plain = written_out(typed);
  if (!plain) return {false, "", plain.error().message + "\n"};
  if (*plain != typed) return enter(*plain, line);

  Statements others = statements_, after = statements_;
  const std::vector<Statement> added = statements_of(parts, "");
  const std::vector<Replaced> replaced = others.make_room(added);
  after.put(added);
  // The text is compiled as it was typed, after the other statements, so that errors have their places.
  const std::string before = kModelHeader + others.text();
  const LineMap map{static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n')), line};
  Model model = compile(before + typed + "\n", set_);
  Answer answer;
  if (parts.size() == 1 && replaced.empty()) {
    if (!adopt(std::move(model), map, answer)) return answer;
  } else {
    answer.messages = render(model, colour_, map);
    answer.ok = acceptable(model.diagnostics());
    if (!answer.ok) return answer;
    std::vector<std::string> names = names_of(replaced), users;
    std::optional<SourceIndex> index;
    if (!names.empty() && (index = index_of(kModelHeader + after.text(), compile_options(set_))))
      users = users_of(*index, kModelHeader + after.text(), names);
    names.insert(names.end(), users.begin(), users.end());
    const NamedValues were = values_of(names);
    if (!adopt(compile(kModelHeader + after.text(), set_), kAllEarlier, answer)) return answer;
    if (!replaced.empty()) answer.messages += redefinition_text(replaced, users, were, values_of(names));
  }
  remember(in_one_line(typed));
  statements_ = std::move(after);
  if (replaced.empty() && only_looks(parts) && !trajectory_.empty()) trajectory_.look_by(added);
  answer.messages += waiting(model_);
  return answer;
}

NamedValues Session::values_of(const std::vector<std::string>& names) {
  NamedValues out;
  for (const std::string& name : names) {
    if (out.size() == kMostValues) break;
    if (const Result<Evaluated> found = value(name)) out.emplace_back(name, shown(*found));
  }
  return out;
}

void Session::remember(std::string what) {
  earlier_.push_back({statements_, set_, folder_, file_, std::move(what)});
  if (earlier_.size() > kMostUndone) earlier_.erase(earlier_.begin());
  index_.reset();
}

Answer Session::evaluate(const std::string& expression, std::uint32_t line) {
  const Result<Evaluated> found = value(expression);
  if (!found) return {false, "", translate_lines(found.error().message + "\n", {1, line})};
  last_ = *found;
  return {true, shown(*found) + "\n", ""};
}

namespace {

// Returns the names of the entries of a state.
std::vector<std::string> layout_of(const Model& model) {
  std::vector<std::string> names;
  if (!model.ok()) return names;
  for (const Quantity& q : model.coordinates()) names.push_back(q.name);
  for (const Quantity& u : model.speeds()) names.push_back(u.name);
  for (const Quantity& s : model.states()) names.push_back(s.name);
  return names;
}

}  // namespace

bool Session::adopt(Model model, const LineMap& map, Answer& answer) {
  answer.messages += render(model, colour_, map);
  answer.ok = acceptable(model.diagnostics());
  if (!answer.ok) return false;
  const std::vector<std::string> before = layout_of(model_);
  model_ = std::move(model);
  keep_or_renew_state(before, answer);
  return true;
}

// The motion continues after a new parameter, force or constraint; new coordinates have no state to continue from.
void Session::keep_or_renew_state(const std::vector<std::string>& before, Answer& answer) {
  Result<Simulation> made = Simulation::create(model_);
  if (moved_ && made && layout_of(model_) == before) {
    simulation_.emplace(*std::move(made));
    take_held(*simulation_);
    return;
  }
  if (moved_ && time_ != 0) answer.messages += "note: the coordinates changed: back to the initial state\n";
  reset(false);
}

// Restores the discrete state as far as it still exists.
void Session::take_held(Simulation& simulation) const {
  for (const auto& [name, value] : held_) static_cast<void>(simulation.set_held(name, value));
}

void Session::reset(bool forget) {
  if (forget) {
    remember(":clear");
    statements_.clear();
    set_.clear();
    model_ = compile(kModelHeader, {});
    trajectory_.clear();
    recording_.reset();
    last_.reset();
  }
  moved_ = false;
  held_.clear();
  simulation_.reset();
  if (Result<Simulation> made = Simulation::create(model_)) simulation_.emplace(*std::move(made));
  time_ = simulation_ ? simulation_->time() : 0;
  state_ = simulation_ ? simulation_->initial_state() : std::vector<double>{};
}

Answer Session::load(const std::string& path) { return take_file(path, statements_); }

Answer Session::reload() {
  if (file_.empty()) return {false, "", "no file was loaded\n"};
  Statements others = statements_;
  others.remove_of(file_);
  return take_file(file_, std::move(others));
}

Answer Session::take_file(const std::string& path, Statements others) {
  CompileOptions options = compile_options({});  // settings may belong to other statements
  options.folder.clear();
  const Model file = Model::from_file(path, options);
  // The file is compiled alone first, so that diagnostics name it and its own lines.
  if (!acceptable(file.diagnostics())) return {false, "", file.render_diagnostics(colour_)};
  const Result<std::vector<EntryPart>> parts = split_entry(without_header(file.source_text()), path, colour_);
  if (!parts) return {false, "", parts.error().message + "\n"};
  const std::string folder = std::filesystem::path(path).parent_path().string();
  Answer answer;
  const std::vector<Replaced> replaced = others.put(statements_of(*parts, path));
  std::string earlier = std::exchange(folder_, folder.empty() ? "." : folder);
  if (adopt(compile(kModelHeader + others.text(), set_), kAllEarlier, answer)) {
    std::swap(folder_, earlier);
    remember(":load " + path);
    folder_ = earlier;
    file_ = path;
    statements_ = std::move(others);
    if (!replaced.empty()) answer.messages += "note: " + path + " declares anew: " + joined(names_of(replaced)) + "\n";
  } else {
    folder_ = earlier;
  }
  return answer;
}

Answer Session::set(const std::string& assignment) {
  const auto key = [](const std::string& entry) { return trimmed(entry.substr(0, entry.find('='))); };
  std::vector<std::string> changed = set_;
  std::erase_if(changed, [&](const std::string& entry) { return key(entry) == key(assignment); });
  changed.push_back(trimmed(assignment));
  Answer answer;
  if (!adopt(compile(text(), changed), kAllEarlier, answer)) return answer;
  remember(":set " + trimmed(assignment));
  set_ = std::move(changed);
  return answer;
}

Answer Session::undo() {
  if (earlier_.empty()) return {false, "", "there is nothing to take back\n"};
  Earlier last = std::move(earlier_.back());
  earlier_.pop_back();
  std::swap(folder_, last.folder);
  Answer answer;
  if (adopt(compile(kModelHeader + last.statements.text(), last.set), kAllEarlier, answer)) {
    statements_ = std::move(last.statements);
    set_ = std::move(last.set);
    file_ = std::move(last.file);
    index_.reset();
    answer.messages += "taken back: " + last.what + "\n";
  } else {  // a file that it uses has changed
    std::swap(folder_, last.folder);
    earlier_.push_back(std::move(last));
  }
  return answer;
}

}  // namespace mbc::tools
