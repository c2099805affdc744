// SPDX-License-Identifier: Apache-2.0
// The contents of a model as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "api/report/answers.h"
#include "api/report/json_parts.h"
#include "api/report/varied_text.h"
#include "base/joined.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"

namespace mbc::api {
namespace {

using text::Align;
using text::short_number;
using text::Table;

constexpr std::size_t kMostLines = 40;  // limit of the lines of a list

std::string value_with_unit(double value, const std::string& unit) {
  return short_number(value + 0.0) + (unit.empty() || unit == "1" ? "" : " " + unit);
}

std::string first_line(const std::string& text) { return text.substr(0, text.find('\n')); }

class InfoText {
 public:
  InfoText(const ModelInfo& info, std::string file) : o_(info), file_(std::move(file)) {}

  std::string make() {
    out_ = file_ + ": " + summary() + "\n";
    if (!o_.description.empty()) out_ += "  " + first_line(o_.description) + "\n";
    values("parameter", o_.parameters);
    values("input", o_.inputs);
    values("held state", o_.held);
    list("entities", o_.entities);
    states("coordinate", o_.coordinates);
    states("speed", o_.speeds);
    states("state", o_.states);
    constraints();
    list("loads", o_.loads);
    list("events", o_.events);
    momenta();
    table(counted(o_.outputs.size(), "output"), o_.outputs, {{""}, {""}}, [](const Quantity& q) {
      return Line{q.name, q.unit};
    });
    simulations();
    sweeps();
    return std::move(out_);
  }

 private:
  using Line = std::vector<std::string>;

  std::string summary() {
    std::map<std::string, std::size_t> kinds;
    for (const EntityInfo& e : o_.entities) ++kinds[e.kind];
    std::vector<std::string> parts{fmt::format("space {}", o_.space), o_.has_units ? "with units" : "without units"};
    for (const char* kind : {"particle", "body", "point", "frame", "coord"})
      if (kinds[kind] > 0)
        parts.push_back(counted(kinds[kind], std::string(kind) == "coord" ? "coordinate declaration" : kind));
    std::size_t rows = 0;
    for (const ConstraintInfo& c : o_.constraints) rows += c.rows;
    if (rows > 0) parts.push_back(counted(o_.constraints.size(), "constraint") + " (" + counted(rows, "row") + ")");
    return joined(parts);
  }

  // Adds a table of at most kMostLines lines; `cells` makes the line of an entry.
  template <class Entry, class Cells>
  void table(const std::string& title, const std::vector<Entry>& entries, std::initializer_list<Table::Column> columns,
             const Cells& cells) {
    if (entries.empty()) return;
    Table lines(columns);
    for (std::size_t k = 0; k < entries.size() && k < kMostLines; ++k) lines.row(cells(entries[k]));
    out_ += title + "\n" + lines.text();
    if (entries.size() > kMostLines) out_ += fmt::format("  and {} more: --json\n", entries.size() - kMostLines);
  }

  void values(const char* what, const std::vector<ParameterInfo>& list) {
    table(counted(list.size(), what), list, {{""}, {"", Align::right}, {""}, {""}}, [](const ParameterInfo& p) {
      return Line{p.quantity.name, short_number(p.value + 0.0), p.quantity.unit == "1" ? "" : p.quantity.unit,
                  p.from_outside ? "set from outside" : first_line(p.quantity.description)};
    });
  }

  void list(const char* title, const std::vector<EntityInfo>& items) {
    table(title, items, {{""}, {""}, {""}, {""}}, [](const EntityInfo& e) {
      return Line{e.kind, e.name, e.detail, first_line(e.description)};
    });
  }

  void states(const char* what, const std::vector<CoordinateInfo>& items) {
    table(counted(items.size(), what), items, {{""}, {"initial", Align::right}, {""}}, [](const CoordinateInfo& c) {
      return Line{c.quantity.name, value_with_unit(c.initial, c.quantity.unit), c.soft ? "soft" : ""};
    });
  }

  void constraints() {
    table(counted(o_.constraints.size(), "constraint"), o_.constraints, {{""}, {"rows", Align::right}, {"level"}, {""}},
          [](const ConstraintInfo& c) {
            return Line{c.name, std::to_string(c.rows),
                        std::string(to_text(c.level)) + (c.pushes ? ", pushes only" : ""), first_line(c.description)};
          });
  }

  void momenta() {
    table("conserved momenta", o_.momenta, {{""}, {""}}, [](const ConservedMomentum& m) {
      return Line{m.name, m.unit};
    });
    if (o_.momenta_limited) out_ += "conserved momenta: not all were looked for, the model is too large\n";
    table("not conserved, although absent from the energies", o_.rejected_momenta, {{""}, {""}},
          [](const UnconservedMomentum& m) {
            return Line{m.name, m.reason};
          });
  }

  void simulations() {
    const std::string unit = o_.has_units ? " s" : "";
    for (const SimulationInfo& s : o_.simulations) {
      out_ += "simulation" + (s.name.empty() ? "" : " " + s.name) +
              fmt::format(": time {} .. {}{} {}\n", short_number(s.time.begin, 10), short_number(s.time.end, 10), unit,
                          s.time.rows.empty() ? "step " + short_number(s.time.step, 10) + unit
                                              : std::to_string(s.time.rows.size()) + " rows");
      for (const auto& [key, choice] : s.choices) {
        const bool usual = std::find(s.defaults.begin(), s.defaults.end(), key) != s.defaults.end();
        out_ += "  " + key + " = " + choice + (usual ? "  (default)\n" : "\n");
      }
      if (s.assemble) out_ += "  assemble\n";
      if (!s.save.empty()) out_ += "  save = \"" + s.save + "\"\n";
    }
    if (o_.simulations.empty()) out_ += "no `simulate` block\n";
  }

  void sweeps() {
    for (const SweepInfo& s : o_.sweeps) {
      out_ += "sweep " + s.name + " over " + s.simulation + ": " + counted(s.members, "member") + "\n";
      for (const VariedInfo& v : s.varied) {
        if (!v.drawn.empty()) {
          out_ += "  " + api::drawn_text(v) + "\n";
          continue;
        }
        const std::string unit = v.quantity.unit.empty() || v.quantity.unit == "1" ? "" : " " + v.quantity.unit;
        out_ += "  " + v.quantity.name + " = " + short_number(v.first, 10) + unit;
        if (v.count > 1) out_ += (v.list ? ", ... " : " .. ") + short_number(v.last, 10) + unit;
        out_ += fmt::format(" ({} values)\n", v.count);
      }
      if (!s.draws.empty()) out_ += "  " + s.draws + "\n";
      const std::string records = joined_by(s.records, [](const Quantity& q) { return q.name; });
      out_ += "  record " + (records.empty() ? "the final values  (default)" : records) + "\n";
    }
  }

  const ModelInfo& o_;
  std::string file_, out_;
};

}  // namespace

std::string info_text(const ModelInfo& info, const std::string& file) { return InfoText(info, file).make(); }

std::string info_json(const ModelInfo& o) {
  nlohmann::ordered_json j;
  MBC_PUT_MEMBERS(j, o, description, space)
  j["units"] = o.has_units;
  MBC_PUT_MEMBERS(j, o, parameters, inputs)
  j["held_states"] = o.held;
  MBC_PUT_MEMBERS(j, o, entities, coordinates, speeds, states, constraints, loads, events)
  j["conserved_momenta"] = o.momenta;
  j["momenta_limited"] = o.momenta_limited;
  j["not_conserved"] = o.rejected_momenta;
  MBC_PUT_MEMBERS(j, o, outputs, simulations, sweeps)
  return json_text(j);
}

}  // namespace mbc::api
