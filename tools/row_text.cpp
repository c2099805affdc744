// SPDX-License-Identifier: Apache-2.0
#include "tools/row_text.h"

#include <algorithm>
#include <optional>

#include "base/joined.h"
#include "base/numbers.h"
#include "base/text.h"

namespace mbc::tools {
namespace {

// Adding 0 turns -0 into 0.
std::string shown(double value) { return text::short_number(value + 0.0); }

std::string entries_of_row(const RowSet& rows, std::size_t row, const std::vector<Quantity>& speeds) {
  std::string text;
  for (std::size_t j = 0; j < speeds.size(); ++j)
    if (const double a = rows.A[row * speeds.size() + j]; a != 0)
      text += (text.empty() ? "" : ", ") + speeds[j].name + ": " + shown(a);
  return text.empty() ? "no speed" : text;
}

// The row's equations as `mbc equations --derivation --of NAME` prints them, without the title of the document.
std::string derivation(const Model& model, const std::string& name, bool places) {
  EquationsRequest request;
  request.of = {name};
  request.derivation = true;
  request.places = places;
  const Result<std::string> made = model_equations(model, request);
  return made ? made->substr(made->find('\n') + 1) : "";
}

// A row belongs to a constraint: "hinge[2]" belongs to "hinge", "arm.hinge.x" to the declaration of "arm".
std::string declaration(const SourceIndex& index, const std::string& row) {
  for (const std::uint32_t id : index.visible)
    if (const IndexSymbol& s = index.symbols.at(id); s.name == row.substr(0, row.find_first_of(".[")))
      return "  from `" + s.head + "`\n";
  return "";
}

std::string dependence(Simulation& simulation, const RowSet& rows, const std::string& name) {
  if (std::count(rows.dependent_rows.begin(), rows.dependent_rows.end(), name) == 0)
    return "  independent of the rows before it\n";
  std::string text = "  depends on the rows before it";
  DoctorOptions options;
  options.samples = 0;
  options.motion = false;
  if (const Result<DoctorReport> report = simulation.doctor(options))
    for (const DoctorRow& row : report->rows)
      if (row.name == name && !row.depends_on.empty()) text += "; at the initial state on " + joined(row.depends_on);
  return text + "\n";
}

// A number of the model at this state: "deck.residual".
std::optional<double> number_of(Simulation& simulation, const std::string& expression) {
  const auto value = simulation.value(expression);
  return value && value->size() == 1 ? std::optional((*value)[0]) : std::nullopt;
}

bool is_disabled(Simulation& simulation, const std::string& constraint) {
  const std::vector<std::string> names = simulation.discrete_names();
  const auto at = std::find(names.begin(), names.end(), constraint + ".enabled");
  const Result<std::vector<double>> state = simulation.discrete_state();
  return at != names.end() && state && (*state)[static_cast<std::size_t>(at - names.begin())] == 0;
}

// Says why a row does not act: its constraint is disabled, its friction slides, its contact is open.
std::string why_no_row(Simulation& simulation, const std::string& row) {
  std::string of = row;
  while (true) {
    if (is_disabled(simulation, of)) return "it is disabled; `enable " + of + "` in an event makes it act";
    if (const auto sticks = number_of(simulation, of + ".sticks"); sticks && *sticks == 0) {
      const auto limit = number_of(simulation, of + ".limit");
      return "it slides; its limit" + (limit ? ", " + shown(*limit) + "," : "") +
             " acts against the slip as a force, which is part of f";
    }
    if (const auto active = number_of(simulation, of + ".active"); active && *active == 0)
      return "it is open; its sides are apart by the residual, and no force acts";
    const std::size_t end = of.find_last_of(".[");
    if (end == std::string::npos) return "its derivatives by all speeds are zero at this state";
    of.resize(end);
  }
}

}  // namespace

std::string row_text(Simulation& simulation, const RowSet& rows, const std::string& name, const SourceIndex* index,
                     bool places) {
  const auto k =
      static_cast<std::size_t>(std::find(rows.row_names.begin(), rows.row_names.end(), name) - rows.row_names.begin());
  std::string text = "  " + name + ": a row of " + to_text(rows.levels[k]) + " level\n";
  if (index != nullptr) text += declaration(*index, name);
  text += derivation(simulation.model(), name, places) + "\nAt this state\n";
  const auto row = rows.A.begin() + static_cast<std::ptrdiff_t>(k * rows.n);
  if (std::all_of(row, row + static_cast<std::ptrdiff_t>(rows.n), [](double a) { return a == 0; })) {
    if (const auto residual = number_of(simulation, name + ".residual"))
      text += "  residual " + shown(*residual) + "\n";
    return text + "  no row here: " + why_no_row(simulation, name) + "\n";
  }
  text += "  A   " + entries_of_row(rows, k, simulation.model().speeds()) + "\n";
  text += "  b   " + shown(rows.b[k]) + "\n";
  if (k < rows.multiplier.size()) text += "  lambda " + shown(rows.multiplier[k]) + "\n";
  if (rows.levels[k] == Level::position) text += "  residual " + shown(rows.position_residual[k]) + "\n";
  return text + dependence(simulation, rows, name);
}

}  // namespace mbc::tools
