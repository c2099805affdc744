// SPDX-License-Identifier: Apache-2.0
// The equations of motion and the state of a session as tables: `:A`, `:b`, `:state`, ...
#include "tools/session/views.h"

#include <algorithm>
#include <array>
#include <sstream>
#include <utility>

#include "base/joined.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"
#include "tools/commands.h"
#include "tools/row_text.h"
#include "tools/session/values.h"

namespace mbc::tools {
namespace {

using text::Align;
using text::Table;

constexpr std::array kViews = {":A", ":b", ":M",     ":f",    ":C",    ":a",   ":lambda",   ":q",
                               ":u", ":t", ":state", ":rows", ":rank", ":dof", ":residual", ":events"};

// Adding 0 turns -0 into 0.
std::string shown(double value) { return text::short_number(value + 0.0); }

// Lines "p.vx = 1.5 m/s" with aligned equals signs.
class Values {
 public:
  void add(const std::string& name, double value, const std::string& unit = {}) {
    width_ = std::max(width_, text::display_width(name));
    lines_.emplace_back(name, text::number(value + 0.0) + unit_text(unit));
  }
  [[nodiscard]] std::string text() const {
    std::string text;
    for (const auto& [name, value] : lines_)
      text += "  " + name + std::string(width_ - text::display_width(name), ' ') + " = " + value + "\n";
    return text;
  }

 private:
  std::vector<std::pair<std::string, std::string>> lines_;
  std::size_t width_ = 0;
};

std::string vector_text(const std::vector<std::string>& names, const std::vector<double>& values) {
  Values list;
  for (std::size_t i = 0; i < std::min(names.size(), values.size()); ++i) list.add(names[i], values[i]);
  return list.text();
}

std::string matrix_text(const std::vector<std::string>& rows, const std::vector<std::string>& columns,
                        const std::vector<double>& values) {
  Table table;
  table.column("");
  for (const std::string& column : columns) table.column(column, Align::right);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells = {rows[i]};
    for (std::size_t j = 0; j < columns.size(); ++j) cells.push_back(shown(values[i * columns.size() + j]));
    table.row(std::move(cells));
  }
  return table.text();
}

std::vector<std::string> names_of(const std::vector<Quantity>& list) {
  std::vector<std::string> names;
  names.reserve(list.size());
  for (const Quantity& q : list) names.push_back(q.name);
  return names;
}

void add_values(Values& values, const std::vector<Quantity>& list, const std::vector<double>& state, std::size_t from) {
  for (std::size_t i = 0; i < list.size() && from + i < state.size(); ++i)
    values.add(list[i].name, state[from + i], list[i].unit);
}

std::string state_text(Session& session, const std::string& word) {
  Values values;
  const bool all = word == ":state";
  if (all || word == ":t") values.add("t", session.time(), session.moves() ? session.model().time_unit() : "");
  if (word == ":t") return values.text();
  const std::vector<Quantity> q = session.model().coordinates();
  if (all || word == ":q") add_values(values, q, session.state(), 0);
  if (all || word == ":u") add_values(values, session.model().speeds(), session.state(), q.size());
  return values.text();
}

std::string rows_text(const RowSet& rows) {
  if (rows.m == 0) return "  no constraint rows\n";
  Table table({{"row"}, {"b", Align::right}, {"lambda", Align::right}, {""}});
  for (std::size_t i = 0; i < rows.m; ++i) {
    const std::string& name = rows.row_names[i];
    const bool dependent = std::count(rows.dependent_rows.begin(), rows.dependent_rows.end(), name) > 0;
    table.row({name, shown(rows.b[i]), i < rows.multiplier.size() ? shown(rows.multiplier[i]) : "",
               dependent ? "depends on the others" : ""});
  }
  return table.text() + "  rank " + std::to_string(rows.rank) + " of " + std::to_string(rows.m) + "\n";
}

std::string residual_text(const RowSet& rows) {
  if (rows.m == 0) return "  no constraint rows\n";
  Table table({{"row"}, {"position", Align::right}, {"velocity", Align::right}});
  for (std::size_t i = 0; i < rows.m; ++i)
    table.row({rows.row_names[i], rows.levels[i] == Level::position ? shown(rows.position_residual[i]) : "",
               rows.levels[i] == Level::acceleration ? "" : shown(rows.velocity_residual[i])});
  return table.text();
}

std::string events_text(Session& session) {
  constexpr std::size_t kShown = 20;
  std::string text;
  if (session.model().ok())
    if (const Result<ModelInfo> info = session.model().info(false))
      for (const EntityInfo& e : info->events) text += "  " + e.name + (e.detail.empty() ? "" : ": " + e.detail) + "\n";
  if (text.empty()) return "  no events\n";
  const std::vector<Trajectory::Event>& all = session.trajectory().events();
  const std::uint64_t count = all.size() + session.trajectory().events_left_out();
  text += "  " + counted_or_no(count, "time") + " so far\n";
  for (std::size_t k = all.size() - std::min(all.size(), kShown); k < all.size(); ++k)
    text += "  t = " + text::short_number(all[k].time, 10) + "  " + all[k].name + "\n";
  return text;
}

std::string equations_text(Session& session, const std::string& word) {
  const std::vector<std::string> speeds = names_of(session.model().speeds());
  const RowSet rows = session.rows();
  if (rows.n == 0 && !speeds.empty()) return "  too many rows to be shown as matrices\n";
  if (word == ":M") return matrix_text(speeds, speeds, rows.M);
  if (word == ":f") return vector_text(speeds, rows.f);
  if (word == ":C") return vector_text(speeds, rows.C);
  if (word == ":a") return vector_text(speeds, rows.acceleration);
  if (word == ":rank") return "  " + std::to_string(rows.rank) + " of " + counted(rows.m, "row") + "\n";
  if (word == ":dof")
    return "  " + std::to_string(rows.n - static_cast<std::size_t>(rows.rank)) + ": " + counted(rows.n, "speed") +
           ", rank " + std::to_string(rows.rank) + "\n";
  if (word == ":residual") return residual_text(rows);
  if (word == ":rows" || rows.m == 0) return rows_text(rows);
  if (word == ":A") return matrix_text(rows.row_names, speeds, rows.A);
  if (word == ":lambda") return vector_text(rows.row_names, rows.multiplier);
  return vector_text(rows.row_names, rows.b);
}

}  // namespace

namespace {

// Returns the known facts on the value of a symbol: "number [s] = 2.8".
std::string fact_text(const SourceIndex& index, const IndexSymbol& s) {
  for (const IndexFact& f : index.facts)
    if (f.place == s.value && s.value.end > s.value.begin)
      return f.shape + (f.unit.empty() || f.unit == "1" ? "" : " [" + f.unit + "]") +
             (f.value.empty() ? "" : " = " + value_text(f.value)) + (f.level.empty() ? "" : ", " + f.level + " level");
  return "";
}

std::string symbol_text(const SourceIndex& index, const IndexSymbol& s, const std::string& where) {
  std::string text = s.head + "\n";
  const std::string fact = fact_text(index, s);
  text += "  " + std::string(to_text(s.kind)) + where + (fact.empty() ? "" : ": " + fact) + "\n";
  std::istringstream lines(s.description);
  for (std::string line; std::getline(lines, line);) text += "  " + line + "\n";
  return text;
}

std::string builtin_text(const std::string& name) {
  for (const auto* list : {&vocabulary().functions, &vocabulary().values})
    for (const BuiltinInfo& b : *list)
      if (b.name == name) return call_text(name, b.arguments) + "\n  built in: " + b.meaning + "\n";
  return "";
}

// Returns the text on a word: statements, settings and their choices, modules of the library.
std::string word_text(const std::string& name) {
  std::string text;
  for (const StatementInfo& s : vocabulary().statements)
    if (s.word == name)
      text += "  begins a statement" + (s.modifiers.empty() ? "" : "; behind it: " + joined(s.modifiers)) + "\n";
  for (const SettingInfo& s : vocabulary().settings) {
    std::vector<std::string> choices;
    for (const SettingInfo::Choice& c : s.choices) {
      choices.push_back(call_text(c.name, c.arguments));
      if (c.name == name) text += "  a choice of `" + s.key + "`: " + choices.back() + "\n";
    }
    if (s.key == name) text += "  a setting of `simulate`" + (choices.empty() ? "" : ": " + joined(choices)) + "\n";
  }
  for (const std::string& entry : vocabulary().entries)
    if (entry == name) text += "  begins an entry of a block\n";
  std::vector<std::string> parts;
  for (const LibraryPart& part : library_parts())
    if (part.module == name) parts.push_back(part.symbol.name);
  if (!parts.empty()) text += "  a module of the library, `use " + name + "`: " + joined(parts) + "\n";
  return text.empty() ? "" : name + "\n" + text;
}

}  // namespace

std::string help_text(const Session& session, const std::string& name) {
  std::string text;
  if (const SourceIndex* index = session.index())
    for (const std::uint32_t id : index->visible)
      if (const IndexSymbol& s = index->symbols.at(id); s.name == name)
        text += symbol_text(*index, s, s.place.file == 0 ? "" : " of " + index->files.at(s.place.file).name);
  if (text.empty()) text = builtin_text(name);
  if (!text.empty()) return text;
  for (const LibraryPart& part : library_parts())
    if (part.symbol.name == name) text += symbol_text({}, part.symbol, " of the library: `use " + part.module + "`");
  return text.empty() ? word_text(name) : text;
}

bool is_view(const std::string& word) { return std::find(kViews.begin(), kViews.end(), word) != kViews.end(); }

std::string view_text(Session& session, const std::string& word) {
  if (word == ":events") return events_text(session);
  const bool of_state = word == ":t" || word == ":q" || word == ":u" || word == ":state";
  return of_state ? state_text(session, word) : equations_text(session, word);
}

std::string explain_row(Session& session, const std::string& name, std::vector<std::string>& known) {
  const RowSet rows = session.rows();
  known = rows.row_names;
  if (std::find(known.begin(), known.end(), name) == known.end()) return "";
  return row_text(*session.simulation(), rows, name, session.index(), false);
}

}  // namespace mbc::tools
