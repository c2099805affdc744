// SPDX-License-Identifier: Apache-2.0
#include "api/fmi/variables.h"

#include <map>
#include <set>
#include <utility>

#include "api/simulation/exchange.h"

namespace mbc::fmi {
namespace {

using Kind = Variable::Kind;

class Builder {
 public:
  bool add(Kind kind, std::size_t index, const Quantity& q, double start = 0) {
    if (!places_.emplace(q.name, made_.list.size()).second) return false;
    made_.list.push_back({kind, index, q.name, q.unit, q.description, start});
    return true;
  }
  // Uses the column that is this state, or adds a variable for it.
  void add_state(std::size_t index, const api::StateEntry& entry) {
    const auto found = places_.find(entry.name);
    const bool column =
        found != places_.end() && is_column(made_.list[found->second]) && !made_.list[found->second].state;
    std::size_t at = column ? found->second : made_.list.size();
    if (!column) add_named(Kind::state, index, {entry.name, entry.unit, ""}, "state(" + entry.name + ")");
    made_.list[at].state = index;
    made_.list[at].nominal = entry.nominal;
    made_.states.push_back(at);
  }
  // `other` is its name if the first one is taken; numbers are appended to it.
  void add_named(Kind kind, std::size_t index, Quantity q, std::string other) {
    for (int k = 2; !add(kind, index, q); ++k) q.name = std::exchange(other, other + "_" + std::to_string(k));
  }
  [[nodiscard]] Variables& made() { return made_; }

 private:
  Variables made_;
  std::map<std::string, std::size_t> places_;
};

// Returns the unit of a rate.
std::string per_time(const std::string& unit, bool units) {
  if (!units) return "";
  if (unit.empty() || unit == "1") return "1/s";
  if (unit.ends_with("/s")) return unit + "^2";
  if (unit.ends_with("/s^2")) return unit.substr(0, unit.size() - 1) + "3";
  return unit.find('/') == std::string::npos ? unit + "/s" : "(" + unit + ")/s";
}

}  // namespace

Variables variables_of(const Model& model, const std::string& block) {
  const Result<ModelInfo> info = model.info(false);
  if (!info) return {};
  Builder all;
  all.add(Kind::time, 0, {"time", model.time_unit(), ""});
  for (std::size_t k = 0; k < info->parameters.size(); ++k) {
    const ParameterInfo& p = info->parameters[k];
    all.add(p.follows ? Kind::calculated : Kind::parameter, k, p.quantity, p.value);
  }
  for (std::size_t k = 0; k < info->inputs.size(); ++k)
    all.add(Kind::input, k, info->inputs[k].quantity, info->inputs[k].value);
  std::set<std::string> outputs;
  for (const Quantity& q : info->outputs) outputs.insert(q.name);
  const std::vector<Quantity> columns = model.columns();
  for (const Kind kind : {Kind::output, Kind::local})
    for (std::size_t k = 0; k < columns.size(); ++k)
      if (outputs.contains(columns[k].name) == (kind == Kind::output)) all.add(kind, k, columns[k]);
  const std::vector<api::StateEntry> states = api::state_entries(model, block);
  for (std::size_t k = 0; k < states.size(); ++k) all.add_state(k, states[k]);
  Variables& made = all.made();
  for (std::size_t k = 0; k < states.size(); ++k) {
    const std::string name = "der(" + made.list[made.states[k]].name + ")";
    made.derivatives.push_back(made.list.size());
    all.add_named(Kind::derivative, k, {name, per_time(states[k].unit, !model.time_unit().empty()), ""}, name);
  }
  const std::vector<std::string> indicators = api::indicator_names(model, block);
  for (std::size_t k = 0; k < indicators.size(); ++k) {
    const std::string name = "event(" + (indicators[k].empty() ? "kink" : indicators[k]) + ")";
    made.indicators.push_back(made.list.size());
    all.add_named(Kind::indicator, k, {name, "", ""}, name + "_" + std::to_string(k + 1));
  }
  return std::move(made);
}

}  // namespace mbc::fmi
