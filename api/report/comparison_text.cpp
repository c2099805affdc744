// SPDX-License-Identifier: Apache-2.0
// The results of compare(), for people and for programs.
#include <algorithm>
#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string_view>

#include "api/report/json_parts.h"
#include "api/report/status.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"
#include "mbc/mbc.h"

namespace mbc {

namespace {

constexpr double kNearSingular = 1e-5, kRounding = 2.2e-16;

using text::Align;
using text::short_number;
using text::Table;

std::string seconds(double s) {
  const std::pair<double, const char*> units[] = {{1, " s"}, {1e-3, " ms"}, {1e-6, " us"}, {1e-9, " ns"}};
  for (const auto& [size, unit] : units)
    if (s >= 0.9995 * size) return short_number(s / size, 3) + unit;  // not "1e+03 ns"
  return short_number(s / 1e-9, 3) + " ns";
}

std::string error(const std::optional<double>& value) { return value ? short_number(*value, 3) : "-"; }
std::string count(std::size_t value) { return value > 0 ? std::to_string(value) : "-"; }

class ComparisonText {
 public:
  explicit ComparisonText(const Comparison& c) : c_(c) {
    for (const ComparedMethod& m : c.methods) with_bodies_ |= !m.bodies.empty();
  }

  std::string make() {
    heading();
    if (c_.applied() > 0) {
      differences();
      if (c_.ran) errors();
      times();
    }
    reasons();
    return std::move(out_);
  }

 private:
  using Cells = std::function<std::vector<std::string>(const ComparedMethod&)>;

  [[nodiscard]] const ComparedMethod* reference() const { return c_.reference ? &c_.methods[*c_.reference] : nullptr; }
  [[nodiscard]] static std::string name(const ComparedMethod& m) {
    return m.formulation + (m.bodies.empty() ? "" : ", " + m.bodies);
  }

  void heading() {
    const std::string unit = c_.time_unit.empty() ? "" : " " + c_.time_unit;
    out_ += c_.file + (c_.simulation.empty() ? "" : ", " + c_.simulation) + ": " +
            counted(c_.methods.size(), "method") + ", " + counted(static_cast<std::size_t>(c_.samples), "random state");
    if (c_.samples < c_.samples_wanted) out_ += " of " + std::to_string(c_.samples_wanted) + " wanted";
    if (c_.ran)
      out_ += ", time " + short_number(c_.time.begin, 10) + " .. " + short_number(c_.time.end, 10) + unit + " step " +
              short_number(c_.time.step, 10) + unit;
    out_ += "\n";
    if (!c_.integrator.empty()) out_ += "  " + c_.integrator + ", stabilise " + c_.stabilise + "\n";
    if (const ComparedMethod* r = reference()) out_ += "  reference: " + name(*r) + "\n";
    if (c_.nearest_singular < kNearSingular)
      out_ += "  one of the states is almost singular (distance " + short_number(c_.nearest_singular, 2) +
              "): accelerations are known to " + short_number(kRounding / c_.nearest_singular, 1) + " there\n";
  }

  // Adds a table with a line for each method that could be applied.
  void table(const std::string& title, const std::vector<const char*>& headers, const Cells& cells) {
    out_ += title + "\n";
    Table lines("  ");
    lines.column("formulation");
    if (with_bodies_) lines.column("bodies");
    for (const char* header : headers)
      lines.column(header, std::string_view(header) == "in" ? Align::left : Align::right);
    for (const ComparedMethod& m : c_.methods) {
      if (!m.applied) continue;
      std::vector<std::string> line{m.formulation};
      if (with_bodies_) line.push_back(m.bodies);
      for (std::string& cell : cells(m)) line.push_back(std::move(cell));
      lines.row(std::move(line));
    }
    out_ += lines.text();
  }

  [[nodiscard]] std::string difference(const ComparedMethod& m, const std::optional<Difference>& d) const {
    if (&m == reference()) return "reference";
    return d ? short_number(d->relative, 3) : "-";
  }
  [[nodiscard]] static std::string where(const std::optional<Difference>& d) { return d ? d->name : ""; }

  void differences() {
    const char* title = "size, and largest difference from the reference (relative)";
    if (!c_.ran)
      return table(title, {"equations", "unknowns", "states", "accelerations", "in"}, [&](const ComparedMethod& m) {
        return std::vector<std::string>{count(m.equations), count(m.unknowns), count(m.states),
                                        difference(m, m.acceleration), where(m.acceleration)};
      });
    table(title, {"equations", "unknowns", "states", "accelerations", "in", "trajectory", "in"},
          [&](const ComparedMethod& m) {
            return std::vector<std::string>{
                count(m.equations),    count(m.unknowns),           count(m.states),    difference(m, m.acceleration),
                where(m.acceleration), difference(m, m.trajectory), where(m.trajectory)};
          });
  }

  void errors() {
    const bool momentum = std::any_of(c_.methods.begin(), c_.methods.end(),
                                      [](const ComparedMethod& m) { return m.momentum_error.has_value(); });
    std::vector<const char*> headers{"energy (relative)"};
    if (momentum) headers.push_back("momentum (relative)");
    for (const char* level : {"position", "velocity", "acceleration"}) headers.push_back(level);
    table("largest error along the run; of the constraints the norm over all rows, in their own units", headers,
          [&](const ComparedMethod& m) {
            std::vector<std::string> cells{error(m.energy_error)};
            if (momentum) cells.push_back(error(m.momentum_error));
            for (const auto* e : {&m.position_error, &m.velocity_error, &m.acceleration_error})
              cells.push_back(error(*e));
            return cells;
          });
  }

  void times() {
    const ComparedMethod& r = *reference();
    const auto ratio = [](const std::optional<double>& value, const std::optional<double>& to) {
      return value && to && *to > 0 ? short_number(*value / *to, 3) : "-";
    };
    const auto time = [](const std::optional<double>& value) { return value ? seconds(*value) : "-"; };
    std::vector<const char*> headers{"right-hand side", "ratio"};
    if (c_.ran) headers.insert(headers.end(), {"run", "ratio"});
    table("time (" + r.engine + "; best of several)", headers, [&](const ComparedMethod& m) {
      std::vector<std::string> cells{time(m.rhs_seconds), ratio(m.rhs_seconds, r.rhs_seconds)};
      if (c_.ran) cells.insert(cells.end(), {time(m.run_seconds), ratio(m.run_seconds, r.run_seconds)});
      return cells;
    });
  }

  // Lists methods that could not be applied, and those that could not be compared everywhere.
  void reasons() {
    for (const bool applied : {true, false}) {
      Table lines("  ");
      for (int k = 0; k < (with_bodies_ ? 3 : 2); ++k) lines.column("");
      for (const ComparedMethod& m : c_.methods) {
        const bool silent = applied && m.reason.empty() && m.states_failed == 0;
        if (m.applied != applied || silent) continue;
        std::string text = m.reason;
        if (m.states_failed > 0)
          text += (text.empty() ? "" : "; ") + std::string("no accelerations at ") +
                  counted(static_cast<std::size_t>(m.states_failed), "random state");
        if (text.empty() && m.status == Status::interrupted) text = "interrupted";
        std::vector<std::string> cells{m.formulation};
        if (with_bodies_) cells.push_back(m.bodies);
        cells.push_back(std::move(text));
        lines.row(std::move(cells));
      }
      if (!lines.empty()) out_ += (applied ? "notes\n" : "not applied\n") + lines.text();
    }
  }

  const Comparison& c_;
  bool with_bodies_ = false;
  std::string out_;
};

// Returns the text of a field of CSV.
std::string field(const std::string& text) {
  if (text.find_first_of(",\"\n\r") == std::string::npos) return text;
  std::string out = "\"";
  for (char c : text) out += c == '"' ? "\"\"" : std::string(1, c);
  return out + "\"";
}

template <class Number>
nlohmann::ordered_json json(const std::optional<Number>& value) {
  return value ? nlohmann::ordered_json(*value) : nlohmann::ordered_json(nullptr);
}
nlohmann::ordered_json size_json(std::size_t value) {
  return value > 0 ? nlohmann::ordered_json(value) : nlohmann::ordered_json(nullptr);
}

}  // namespace

std::string comparison_text(const Comparison& comparison) { return ComparisonText(comparison).make(); }

namespace {

using Json = nlohmann::ordered_json;

Json method_json(const ComparedMethod& m) {
  return {{"formulation", m.formulation},
          {"bodies", m.bodies},
          {"applied", m.applied},
          {"status", api::words_of(m.status).name},
          {"reason", m.reason},
          {"engine", m.engine},
          {"equations", size_json(m.equations)},
          {"unknowns", size_json(m.unknowns)},
          {"states", size_json(m.states)},
          {"states_compared", m.states_compared},
          {"states_failed", m.states_failed},
          {"acceleration_difference", json(m.acceleration)},
          {"trajectory_difference", json(m.trajectory)},
          {"energy_error", json(m.energy_error)},
          {"momentum_error", json(m.momentum_error)},
          {"position_error", json(m.position_error)},
          {"velocity_error", json(m.velocity_error)},
          {"acceleration_error", json(m.acceleration_error)},
          {"rhs_seconds", json(m.rhs_seconds)},
          {"run_seconds", json(m.run_seconds)}};
}

constexpr std::string_view kHeader =
    "formulation,bodies,applied,status,equations,unknowns,states,states_compared,states_failed,"
    "acceleration_difference,acceleration_difference_absolute,acceleration_column,"
    "trajectory_difference,trajectory_difference_absolute,trajectory_column,trajectory_time,"
    "energy_error,momentum_error,position_error,velocity_error,acceleration_error,"
    "rhs_seconds,run_seconds,engine,reason";

// Returns the value of a column of CSV from the JSON of a method: the member of that name, or a part of a difference,
// `trajectory_time`.
Json value_of(const Json& method, const std::string& column) {
  if (const auto found = method.find(column); found != method.end())
    return found->is_object() ? Json(found->at("relative")) : *found;
  const std::size_t last = column.rfind('_');
  const std::string stem = column.substr(0, last);
  const Json& whole = method.at(method.contains(stem) ? stem : stem + "_difference");
  return whole.is_null() ? whole : Json(whole.at(column.substr(last + 1)));
}

std::string cell(const Json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return field(value.get<std::string>());
  if (value.is_boolean()) return value.get<bool>() ? "1" : "0";
  return value.is_number_float() ? text::number(value.get<double>()) : value.dump();
}

}  // namespace

std::string comparison_csv(const Comparison& c) {
  std::string out = std::string(kHeader) + "\n";
  for (const ComparedMethod& m : c.methods) {
    const Json method = method_json(m);
    std::vector<std::string> cells;
    std::istringstream columns{std::string(kHeader)};
    for (std::string column; std::getline(columns, column, ',');) cells.push_back(cell(value_of(method, column)));
    out += joined(cells, ",") + "\n";
  }
  return out;
}

std::string comparison_json(const Comparison& c) {
  Json methods = Json::array();
  for (const ComparedMethod& m : c.methods) methods.push_back(method_json(m));
  Json j;
  MBC_PUT_MEMBERS(j, c, file, simulation)
  j["status"] = api::words_of(c.status).name;
  j["time"] = {{"begin", c.time.begin}, {"end", c.time.end}, {"step", c.time.step}, {"unit", c.time_unit}};
  MBC_PUT_MEMBERS(j, c, integrator, stabilise, ran, samples, samples_wanted, nearest_singular)
  j["reference"] = json(c.reference);
  j["methods"] = methods;
  return api::json_text(j);
}

}  // namespace mbc
