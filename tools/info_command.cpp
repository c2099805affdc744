// SPDX-License-Identifier: Apache-2.0
// `mbc info`: what a model consists of.
#include <fmt/format.h>

#include <map>
#include <nlohmann/json.hpp>

#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"
#include "tools/answer.h"
#include "tools/commands.h"
#include "tools/report.h"
#include "tools/streams.h"

namespace mbc::tools {
namespace {

using Json = nlohmann::ordered_json;
using text::Align;
using text::short_number;
using text::Table;

constexpr std::size_t kMost = 40;  // lines of a list

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
    parameters();
    list("entities", o_.entities);
    states();
    constraints();
    list("loads", o_.loads);
    list("events", o_.events);
    momenta();
    outputs();
    simulations();
    sweeps();
    return std::move(out_);
  }

 private:
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
    return fmt::format("{}", fmt::join(parts, ", "));
  }

  // A table of at most kMost lines; `fill(k)` gives the cells of line k.
  template <class Fill>
  void table(const std::string& title, std::size_t count, std::vector<std::pair<const char*, Align>> columns,
             const Fill& fill) {
    if (count == 0) return;
    out_ += title + "\n";
    Table lines("  ");
    for (const auto& [name, align] : columns) lines.column(name, align);
    for (std::size_t k = 0; k < count && k < kMost; ++k) lines.row(fill(k));
    out_ += lines.text();
    if (count > kMost) out_ += fmt::format("  and {} more: --json\n", count - kMost);
  }

  void parameters() {
    values("parameter", o_.parameters);
    values("input", o_.inputs);
    values("held state", o_.held);
  }

  void values(const char* what, const std::vector<ParameterInfo>& list) {
    table(counted(list.size(), what), list.size(),
          {{"", Align::left}, {"", Align::right}, {"", Align::left}, {"", Align::left}}, [&](std::size_t k) {
            const ParameterInfo& p = list[k];
            const std::string unit = p.quantity.unit == "1" ? "" : p.quantity.unit;
            return std::vector<std::string>{p.quantity.name, short_number(p.value + 0.0), unit,
                                            p.from_outside ? "set from outside" : first_line(p.quantity.description)};
          });
  }

  void list(const char* title, const std::vector<EntityInfo>& items) {
    table(title, items.size(), {{"", Align::left}, {"", Align::left}, {"", Align::left}, {"", Align::left}},
          [&](std::size_t k) {
            return std::vector<std::string>{items[k].kind, items[k].name, items[k].detail,
                                            first_line(items[k].description)};
          });
  }

  void states() {
    const auto add = [&](const std::string& title, const std::vector<CoordinateInfo>& items) {
      table(title, items.size(), {{"", Align::left}, {"initial", Align::right}, {"", Align::left}}, [&](std::size_t k) {
        return std::vector<std::string>{items[k].quantity.name,
                                        value_with_unit(items[k].initial, items[k].quantity.unit),
                                        items[k].soft ? "soft" : ""};
      });
    };
    add(counted(o_.coordinates.size(), "coordinate"), o_.coordinates);
    add(counted(o_.speeds.size(), "speed"), o_.speeds);
    add(counted(o_.states.size(), "state"), o_.states);
  }

  void constraints() {
    table(counted(o_.constraints.size(), "constraint"), o_.constraints.size(),
          {{"", Align::left}, {"rows", Align::right}, {"level", Align::left}, {"", Align::left}}, [&](std::size_t k) {
            const ConstraintInfo& c = o_.constraints[k];
            return std::vector<std::string>{c.name, std::to_string(c.rows),
                                            std::string(to_text(c.level)) + (c.pushes ? ", pushes only" : ""),
                                            first_line(c.description)};
          });
  }

  void momenta() {
    table("conserved momenta", o_.momenta.size(), {{"", Align::left}, {"", Align::left}}, [&](std::size_t k) {
      return std::vector<std::string>{o_.momenta[k].name, o_.momenta[k].unit};
    });
    if (o_.momenta_limited) out_ += "conserved momenta: not all were looked for, the model is too large\n";
    table("not conserved, although absent from the energies", o_.rejected_momenta.size(),
          {{"", Align::left}, {"", Align::left}}, [&](std::size_t k) {
            return std::vector<std::string>{o_.rejected_momenta[k].name, o_.rejected_momenta[k].reason};
          });
  }

  void outputs() {
    table(counted(o_.outputs.size(), "output"), o_.outputs.size(), {{"", Align::left}, {"", Align::left}},
          [&](std::size_t k) {
            return std::vector<std::string>{o_.outputs[k].name, o_.outputs[k].unit};
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
        const std::string unit = v.quantity.unit.empty() || v.quantity.unit == "1" ? "" : " " + v.quantity.unit;
        out_ += "  " + v.quantity.name + " = " + short_number(v.first, 10) + unit;
        if (v.count > 1) out_ += (v.list ? ", ... " : " .. ") + short_number(v.last, 10) + unit;
        out_ += fmt::format(" ({} values)\n", v.count);
      }
      std::string records;
      for (const Quantity& q : s.records) records += (records.empty() ? "" : ", ") + q.name;
      out_ += "  record " + (records.empty() ? "the final values  (default)" : records) + "\n";
    }
  }

  const ModelInfo& o_;
  std::string file_, out_;
};

Json quantity_json(const Quantity& q) { return {{"name", q.name}, {"unit", q.unit}, {"description", q.description}}; }

Json entities_json(const std::vector<EntityInfo>& list) {
  Json out = Json::array();
  for (const EntityInfo& e : list)
    out.push_back({{"kind", e.kind}, {"name", e.name}, {"detail", e.detail}, {"description", e.description}});
  return out;
}

Json states_json(const std::vector<CoordinateInfo>& list) {
  Json out = Json::array();
  for (const CoordinateInfo& c : list)
    out.push_back({{"name", c.quantity.name}, {"unit", c.quantity.unit}, {"initial", c.initial}, {"soft", c.soft}});
  return out;
}

Json values_json(const std::vector<ParameterInfo>& list) {
  Json out = Json::array();
  for (const ParameterInfo& p : list) {
    Json one = quantity_json(p.quantity);
    one["value"] = p.value;
    one["from_outside"] = p.from_outside;
    out.push_back(std::move(one));
  }
  return out;
}

Json constraints_json(const std::vector<ConstraintInfo>& list) {
  Json out = Json::array();
  for (const ConstraintInfo& c : list)
    out.push_back({{"name", c.name},
                   {"level", to_text(c.level)},
                   {"rows", c.rows},
                   {"pushes", c.pushes},
                   {"description", c.description}});
  return out;
}

Json momenta_json(const std::vector<ConservedMomentum>& list) {
  Json out = Json::array();
  for (const ConservedMomentum& m : list) {
    Json speeds = Json::object();
    for (const auto& [name, c] : m.speeds) speeds[name] = c;
    out.push_back({{"name", m.name}, {"kind", m.kind}, {"unit", m.unit}, {"speeds", speeds}});
  }
  return out;
}

Json simulations_json(const std::vector<SimulationInfo>& list) {
  Json out = Json::array();
  for (const SimulationInfo& s : list) {
    Json one;
    one["name"] = s.name;
    one["time"] = {{"begin", s.time.begin}, {"end", s.time.end}, {"step", s.time.step}};
    if (!s.time.rows.empty()) one["rows"] = s.time.rows;
    for (const auto& [key, choice] : s.choices) one[key] = choice;
    one["defaults"] = s.defaults;
    one["assemble"] = s.assemble;
    one["save"] = s.save;
    out.push_back(std::move(one));
  }
  return out;
}

Json sweeps_json(const std::vector<SweepInfo>& list) {
  Json out = Json::array();
  for (const SweepInfo& s : list) {
    Json varied = Json::array(), records = Json::array();
    for (const VariedInfo& v : s.varied)
      varied.push_back({{"name", v.quantity.name},
                        {"unit", v.quantity.unit},
                        {"values", v.count},
                        {"first", v.first},
                        {"last", v.last},
                        {"list", v.list}});
    for (const Quantity& q : s.records) records.push_back({{"name", q.name}, {"unit", q.unit}});
    out.push_back({{"name", s.name},
                   {"simulation", s.simulation},
                   {"members", s.members},
                   {"varied", varied},
                   {"records", records}});
  }
  return out;
}

Json to_json(const ModelInfo& o) {
  Json j;
  j["description"] = o.description;
  j["space"] = o.space;
  j["units"] = o.has_units;
  j["parameters"] = values_json(o.parameters);
  j["inputs"] = values_json(o.inputs);
  j["held_states"] = values_json(o.held);
  j["entities"] = entities_json(o.entities);
  j["coordinates"] = states_json(o.coordinates);
  j["speeds"] = states_json(o.speeds);
  j["states"] = states_json(o.states);
  j["constraints"] = constraints_json(o.constraints);
  j["loads"] = entities_json(o.loads);
  j["events"] = entities_json(o.events);
  j["conserved_momenta"] = momenta_json(o.momenta);
  j["momenta_limited"] = o.momenta_limited;
  j["not_conserved"] = Json::array();
  for (const UnconservedMomentum& m : o.rejected_momenta)
    j["not_conserved"].push_back({{"name", m.name}, {"reason", m.reason}});
  j["outputs"] = Json::array();
  for (const Quantity& q : o.outputs) j["outputs"].push_back({{"name", q.name}, {"unit", q.unit}});
  j["simulations"] = simulations_json(o.simulations);
  j["sweeps"] = sweeps_json(o.sweeps);
  return j;
}

}  // namespace

int info_model(const Options& options) {
  const Model model = load_model(options, true);
  const Report report(options);
  report.compiled(model);
  if (!model.ok()) return without_model(options, model);
  const ModelInfo info = model.info().value();
  const std::string name = options.file == "-" ? "<stdin>" : options.file;
  return print_output(options.print_json ? to_json(info).dump(2, ' ', false, Json::error_handler_t::replace) + "\n"
                                         : InfoText(info, name).make());
}

}  // namespace mbc::tools
