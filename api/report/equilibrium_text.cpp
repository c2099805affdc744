// SPDX-License-Identifier: Apache-2.0
// Equilibria as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "api/report/answers.h"
#include "api/report/json_parts.h"
#include "api/report/linear_text.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"

namespace mbc::api {
namespace {

using text::Align;
using text::short_number;
using text::Table;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostNumbers = 40;

std::string numbers_table(const char* heading, const std::vector<std::string>& names,
                          const std::vector<double>& values) {
  if (names.empty()) return "";
  Table table({{heading}, {"", Align::right}});
  for (std::size_t k = 0; k < names.size() && k < kMostNumbers; ++k)
    table.row({names[k], short_number(values[k] + 0.0, 10)});
  std::string out = table.text();
  if (names.size() > kMostNumbers) out += fmt::format("  and {} more: --json\n", names.size() - kMostNumbers);
  return out;
}

std::string one_text(const EquilibriumReport& report, const Equilibrium& e) {
  std::string out = "  " + stability_text(e.model) + "\n";
  if (e.singular_stiffness > 0)
    out += fmt::format("  the stiffness is singular in {}: equilibria may form a family\n",
                       counted(e.singular_stiffness, "direction"));
  if (e.model.depends_on_time) out += "  the equations contain the time: it is an equilibrium at this time only\n";
  out += numbers_table("coordinate", names_of(report.coordinates), e.coordinates);
  out += numbers_table("state", names_of(report.states), e.states);
  out += numbers_table("multiplier", report.rows, e.multipliers);
  return out + poles_text(e.model);
}

Json numbers_json(const std::vector<std::string>& names, const std::vector<double>& values) {
  Json out = Json::object();
  for (std::size_t k = 0; k < names.size(); ++k) out[names[k]] = values[k];
  return out;
}

}  // namespace

std::string equilibrium_text(const EquilibriumReport& report, const std::string& file) {
  std::string out = fmt::format("{}: {} from {}\n", file, counted(report.found.size(), "equilibrium", "equilibria"),
                                counted(report.starts, "start"));
  for (std::size_t k = 0; k < report.found.size(); ++k) {
    if (report.found.size() > 1)
      out += fmt::format("{}. from {}\n", k + 1, counted(report.found[k].found_from, "start"));
    out += one_text(report, report.found[k]);
  }
  return out;
}

std::string equilibrium_json(const EquilibriumReport& report) {
  Json j{{"starts", report.starts}, {"found", Json::array()}};
  for (const Equilibrium& e : report.found) {
    Json one{{"coordinates", numbers_json(names_of(report.coordinates), e.coordinates)},
             {"states", numbers_json(names_of(report.states), e.states)},
             {"multipliers", numbers_json(report.rows, e.multipliers)}};
    one["remaining"] = e.remaining;
    one["singular_stiffness"] = e.singular_stiffness;
    one["found_from"] = e.found_from;
    one["linear_model"] = e.model;
    j["found"].push_back(std::move(one));
  }
  return json_text(j);
}

}  // namespace mbc::api
