// SPDX-License-Identifier: Apache-2.0
// A linear model as text, JSON and CSV.
#include "api/report/linear_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/report/answers.h"
#include "api/report/json_parts.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"

namespace mbc::api {
namespace {

using text::Align;
using text::short_number;
using text::Table;
using Json = nlohmann::ordered_json;

constexpr std::size_t kMostDirections = 12;  // directions of a model whose matrices are printed
constexpr double kTakesPart = 0.1;           // of the largest entry of a shape
constexpr double kNoPosition = 1e-9;         // of the largest entry: the positions of a mode of states alone

std::string some_of(const std::vector<std::string>& names) {
  const std::size_t shown = std::min(names.size(), kMostDirections);
  const std::string text = joined({names.begin(), names.begin() + static_cast<long>(shown)});
  return names.size() > shown ? text + fmt::format(" and {} more: --json", names.size() - shown) : text;
}

std::string complex_text(std::complex<double> z) {
  if (z.imag() == 0) return short_number(z.real(), 8);
  return short_number(z.real(), 8) + " +- " + short_number(std::fabs(z.imag()), 8) + " i";
}

// Returns the directions with the largest entries of a shape.
std::string shape_text(const LinearModel& m, const Pole& pole) {
  // A mode moves positions, unless it is one of states alone.
  const std::size_t positions = m.speeds - m.position_rank;
  double largest = 0;
  for (std::size_t k = 0; k < positions; ++k) largest = std::max(largest, std::abs(pole.shape[k]));
  const bool of_positions = largest > kNoPosition;
  std::vector<std::string> names;
  for (std::size_t k = 0; k < (of_positions ? positions : pole.shape.size()); ++k)
    if (std::abs(pole.shape[k]) >= kTakesPart * (of_positions ? largest : 1)) names.push_back(m.directions[k].name);
  return some_of(names);
}

std::string matrix_text(const char* title, const std::vector<double>& values, const std::vector<std::string>& rows,
                        const std::vector<std::string>& columns) {
  if (rows.empty() || columns.empty()) return "";
  Table table({{""}});
  for (const std::string& name : columns) table.column(name, Align::right);
  for (std::size_t i = 0; i < rows.size(); ++i) {
    std::vector<std::string> cells{rows[i]};
    for (std::size_t j = 0; j < columns.size(); ++j) cells.push_back(short_number(values[i * columns.size() + j], 8));
    table.row(std::move(cells));
  }
  return std::string(title) + "\n" + table.text();
}

std::string poles_table(const LinearModel& m) {
  if (m.poles.empty()) return "";
  Table table({{"pole [1/s]"},
               {"frequency [Hz]", Align::right},
               {"damping", Align::right},
               {"error", Align::right},
               {"what moves"}});
  for (const Pole& p : m.poles) {
    if (p.value.imag() < 0) continue;  // the conjugate of the one before
    table.row({complex_text(p.value), p.value.imag() == 0 ? "" : short_number(p.frequency, 8),
               short_number(p.damping, 4), short_number(p.error, 2), shape_text(m, p)});
  }
  return table.text();
}

std::string zeros_text(const LinearModel& m) {
  if (m.zero_blocks.empty()) return "";
  std::size_t zeros = 0;
  std::vector<std::string> sizes;
  for (const std::size_t size : m.zero_blocks) {
    zeros += size;
    sizes.push_back(std::to_string(size));
  }
  return fmt::format("  {}, in {} of size {}: {}\n", counted(zeros, "pole is zero", "poles are zero"),
                     counted(sizes.size(), "block"), joined(sizes), some_of(m.zero_directions));
}

std::string counts_text(const LinearModel& m) {
  const std::size_t positions = m.speeds - m.position_rank, speeds = m.speeds - m.velocity_rank;
  return fmt::format("  {} = {} ({} - rank {}) + {} ({} - rank {}) + {}\n", counted(m.pole_count(), "pole"),
                     counted(positions, "position"), m.speeds, m.position_rank, counted(speeds, "speed"), m.speeds,
                     m.velocity_rank, counted(m.pole_count() - positions - speeds, "state"));
}

std::string kind_of_state(const LinearModel& m) {
  if (m.equilibrium) return "an equilibrium";
  if (m.steady) return "a steady motion";
  return fmt::format("not steady: {} changes by {} per second, so the model holds at this time only", quoted(m.fastest),
                     short_number(m.fastest_rate, 4));
}

}  // namespace

std::vector<std::string> names_of(const std::vector<Quantity>& list) {
  std::vector<std::string> out;
  out.reserve(list.size());
  for (const Quantity& q : list) out.push_back(q.name);
  return out;
}

std::string stability_text(const LinearModel& m) {
  if (m.pole_count() == 0) return "the constraints prescribe the motion: there are no poles";
  switch (m.stability) {
    case Stability::unstable:
      return "unstable: " + counted(m.growing, "pole grows", "poles grow");
    case Stability::asymptotically:
      return "asymptotically stable: all poles decay";
    case Stability::energy_minimum:
      return "stable: the energy has a strict minimum";
    case Stability::spectrally:
      return "spectrally stable, not decided: no pole grows, and damping or terms of higher order may decide";
    case Stability::zero_poles:
      return "not decided: no pole grows, and some are zero";
  }
  return "";
}

std::string poles_text(const LinearModel& m) {
  if (!m.poles_found) return "  the iteration for the poles does not converge\n";
  return counts_text(m) + poles_table(m) + zeros_text(m);
}

std::string linear_text(const LinearModel& m, const std::string& file) {
  std::string out = fmt::format("{}: linear model at t = {}\n", file, short_number(m.time, 10));
  out += "  the state is " + kind_of_state(m) + "\n";
  if (m.steady) out += "  " + stability_text(m) + "\n";
  if (m.depends_on_time) out += "  the equations contain the time: the model holds at this time only\n";
  out += poles_text(m);
  const std::vector<std::string> x = names_of(m.directions), u = names_of(m.inputs), y = names_of(m.outputs);
  if (x.size() <= kMostDirections && u.size() <= kMostDirections && y.size() <= kMostDirections) {
    out += matrix_text("A: rates of the states in the rows, by the states", m.A, x, x);
    out += matrix_text("B: the same by the inputs", m.B, x, u);
    out += matrix_text("C: outputs by the states", m.C, y, x);
    out += matrix_text("D: outputs by the inputs", m.D, y, u);
  } else {
    out += fmt::format("A, B, C, D for {}, {} and {}: --csv, --json\n", counted(x.size(), "state"),
                       counted(u.size(), "input"), counted(y.size(), "output"));
  }
  if (!m.outputs_left_out.empty())
    out += "left out, since they hold multipliers that are not unique: " + some_of(m.outputs_left_out) + "\n";
  return out;
}

namespace {

Json matrix_json(const std::vector<double>& values, std::size_t rows, std::size_t columns) {
  Json out = Json::array();
  for (std::size_t i = 0; i < rows; ++i)
    out.push_back(std::vector<double>(values.begin() + static_cast<long>(i * columns),
                                      values.begin() + static_cast<long>((i + 1) * columns)));
  return out;
}

const char* stability_word(Stability s) {
  switch (s) {
    case Stability::unstable:
      return "unstable";
    case Stability::asymptotically:
      return "asymptotically_stable";
    case Stability::energy_minimum:
      return "energy_minimum";
    case Stability::spectrally:
      return "spectrally_stable";
    case Stability::zero_poles:
      return "zero_poles";
  }
  return "";
}

Json pole_json(const Pole& p) {
  Json shape = Json::array();
  for (const std::complex<double>& entry : p.shape) shape.push_back({entry.real(), entry.imag()});
  return {{"value", {p.value.real(), p.value.imag()}},
          {"error", p.error},
          {"frequency", p.frequency},
          {"damping", p.damping},
          {"shape", shape}};
}

}  // namespace

std::string linear_json(const LinearModel& m) { return json_text(m); }

std::string linear_csv(const LinearModel& m) {
  std::string out;
  for (const std::vector<Quantity>* list : {&m.directions, &m.inputs})
    for (const Quantity& q : *list) out += "," + q.name;
  out += "\n";
  const std::size_t x = m.directions.size(), u = m.inputs.size();
  const auto rows = [&](const std::vector<Quantity>& list, const std::vector<double>& by_x,
                        const std::vector<double>& by_u, const char* mark) {
    for (std::size_t i = 0; i < list.size(); ++i) {
      out += list[i].name + mark;
      for (std::size_t k = 0; k < x; ++k) out += "," + text::number(by_x[i * x + k]);
      for (std::size_t k = 0; k < u; ++k) out += "," + text::number(by_u[i * u + k]);
      out += "\n";
    }
  };
  rows(m.directions, m.A, m.B, "'");
  rows(m.outputs, m.C, m.D, "");
  return out;
}

}  // namespace mbc::api

namespace mbc {

void to_json(nlohmann::ordered_json& j, const LinearModel& m) {
  j = {{"time", m.time}, {"equilibrium", m.equilibrium}, {"steady", m.steady}, {"depends_on_time", m.depends_on_time}};
  if (!m.steady) j["fastest"] = {{"name", m.fastest}, {"rate", m.fastest_rate}};
  if (m.steady) j["stability"] = api::stability_word(m.stability);
  j["growing"] = m.growing;
  j["poles_found"] = m.poles_found;
  j["state"] = m.state;
  j["directions"] = m.directions;
  j["inputs"] = m.inputs;
  j["outputs"] = m.outputs;
  j["outputs_left_out"] = m.outputs_left_out;
  j["drift"] = m.drift;
  const std::size_t x = m.directions.size(), u = m.inputs.size(), y = m.outputs.size();
  j["A"] = api::matrix_json(m.A, x, x);
  j["B"] = api::matrix_json(m.B, x, u);
  j["C"] = api::matrix_json(m.C, y, x);
  j["D"] = api::matrix_json(m.D, y, u);
  j["poles"] = nlohmann::ordered_json::array();
  for (const Pole& p : m.poles) j["poles"].push_back(api::pole_json(p));
  j["zero_blocks"] = m.zero_blocks;
  j["zero_directions"] = m.zero_directions;
  j["speeds"] = m.speeds;
  j["position_rank"] = m.position_rank;
  j["velocity_rank"] = m.velocity_rank;
}

}  // namespace mbc
