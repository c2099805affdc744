// SPDX-License-Identifier: Apache-2.0
// The summary of a run, for people and for programs.
#include <cmath>
#include <nlohmann/json.hpp>

#include "api/report/json_parts.h"
#include "api/report/status.h"
#include "base/joined.h"
#include "base/numbers.h"
#include "base/table.h"
#include "base/text.h"
#include "mbc/mbc.h"

namespace mbc {

namespace {

using text::short_number;

std::string residual_table(const RunResult& r) {
  constexpr std::size_t kShown = 24;
  text::Table table({{"constraint"},
                     {"position", text::Align::right},
                     {"velocity", text::Align::right},
                     {"acceleration", text::Align::right}});
  const auto cell = [](const std::optional<double>& v) { return v ? short_number(*v, 3) : std::string(""); };
  for (std::size_t k = 0; k < r.constraints.size() && k < kShown; ++k)
    table.row({r.constraints[k].name, cell(r.constraints[k].position), cell(r.constraints[k].velocity),
               cell(r.constraints[k].acceleration)});
  std::string out = "largest residuals\n" + table.text();
  if (r.constraints.size() > kShown)
    out += "  ... " + std::to_string(r.constraints.size() - kShown) + " more: --summary FILE\n";
  return out;
}

std::string steps_text(const RunResult& r) {
  if (!r.adaptive)
    return std::to_string(r.steps) + " steps of " + short_number(r.step, 6) +
           (r.last_step > 0 ? ", the last one of " + short_number(r.last_step, 6) : "");
  return std::to_string(r.steps) + " steps of " + short_number(r.smallest_step, 3) + " .. " +
         short_number(r.largest_step, 3) + " (" + std::to_string(r.rejected) + " more rejected)";
}

std::string violation_text(const RunResult& r) {
  std::string out = "largest violation (norm over all rows): position " +
                    short_number(r.violation.position.value_or(0), 3) + ", velocity " +
                    short_number(r.violation.velocity.value_or(0), 3) + "\n";
  out += "  tolerances relative to the model: positions " + short_number(r.sizes[0], 3) + ", speeds " +
         short_number(r.sizes[1], 3) + " (mass-weighted)\n";
  if (r.renewals > 0) out += "dependent coordinates chosen anew " + std::to_string(r.renewals) + " times\n";
  return out;
}

// " of lengths 1.2, speeds 4", or " (relative)" where errors are relative to other sizes
std::string sizes_text(const Accuracy& a) {
  std::string out;
  for (const auto& [name, size] : a.sizes) out += (out.empty() ? " of " : ", ") + name + " " + short_number(size, 3);
  return out.empty() ? " (relative)" : out;
}

// "accuracy: the error is about 3e-08 of lengths 1.2, speeds 4; the largest of one step 2e-10 at t = 0.4"
std::string accuracy_text(const RunResult& r) {
  const Accuracy& a = r.accuracy;
  if (r.time_stepping)
    return "accuracy: order 1 across impacts; penetration at most " + short_number(r.penetration, 2) + ", " +
           short_number(r.penetration_before, 2) + " before positions were moved back; laws of contact met to " +
           short_number(r.contact_error, 2) + " of the speeds\n";
  if (r.adaptive && a.steps_looked_at == 0) return "";
  const std::string largest = short_number(a.largest, 2) + " at t = " + short_number(a.largest_at, 6) + "\n";
  if (!a.error)
    return "accuracy: no error is told: `mbc run --accuracy global` measures it" +
           (r.adaptive ? "; local errors add up to " + short_number(a.local_errors, 2) + sizes_text(a) +
                             "; the largest " + largest
                       : "\n");
  if (*a.error >= 1) return "accuracy: the error is as large as the motion\n";
  return "accuracy: the error is about " + short_number(*a.error, 2) + sizes_text(a) + "; the largest of one step " +
         largest;
}

// "global error: 3e-9 of its size at most, of `x` at t = 9.98 (2e-9): 1001 rows beside those of a run with tol = 1e-10"
std::string global_error_text(const RunResult& r) {
  if (!r.global_error) return "";
  const GlobalError& g = *r.global_error;
  std::string out = "global error: ";
  if (g.rows == 0 || g.name.empty())
    out += "nothing to compare";
  else
    out += short_number(g.largest, 2) + " (relative) at most, of `" + g.name + "` at t = " + short_number(g.time, 6) +
           ": " + short_number(g.absolute, 2) + " in SI units";
  out += "; " + counted(g.rows, "row") + " beside those of a second run, " + g.against + "\n";
  if (g.diagnostic) out += "  which did not go as far: " + g.diagnostic->message + "\n";
  return out;
}

// ", balance error 2e-12 (1e-13 of what was exchanged)"
std::string balance_text(const RunResult& r) {
  std::string out = ", balance error " + short_number(r.balance_error, 3);
  const double exchanged = r.accuracy.energy_exchanged;
  if (exchanged > 0) out += " (" + short_number(r.balance_error / exchanged, 2) + " of what was exchanged)";
  return out + "\n";
}

constexpr std::size_t kNamesShown = 12;
constexpr double kShownDistance = 0.05;

// Returns "a, b, c"; for long lists the first ones "and 46338 more".
std::string names_text(const std::vector<std::string>& names) {
  if (names.size() <= kNamesShown) return joined(names);
  std::vector<std::string> shown(names.begin(), names.begin() + kNamesShown);
  shown.push_back("and " + std::to_string(names.size() - shown.size()) + " more");
  return joined(shown);
}

// "stiff loads: tyre, strut by the backward rule in each step, h^2 k/m up to 33; it took 0.1 of energy, ..."
std::string backward_text(const RunResult& r) {
  const BackwardLoads& b = r.backward;
  if (b.steps == 0) return "";
  return "stiff loads: " + names_text(b.loads) + " by the backward rule in " +
         (b.steps == r.steps ? "each step" : std::to_string(b.steps) + " of " + counted(r.steps, "step")) +
         ", h^2 k/m up to " + short_number(b.stiffest, 3) + "; it took " + short_number(b.lost, 3) +
         " of the energy; speeds found to " + short_number(b.error, 2) + "; other loads by the midpoint rule\n";
}

// "  2 singular positions passed: t = 1.5708, 4.7124"
std::string crossings_text(const RunResult& r) {
  constexpr std::size_t kShown = 8;
  std::string out;
  if (r.smallest_distance < kShownDistance)
    out = "  nearest to a singular position at t = " + short_number(r.nearest_time, 6) + ": smallest singular value " +
          short_number(r.smallest_distance, 2) + "\n";
  if (r.singular_positions == 0) return out;
  out += "  " + std::to_string(r.singular_positions) +
         (r.singular_positions == 1 ? " singular position passed: t = " : " singular positions passed: t = ");
  for (std::size_t k = 0; k < r.singular_times.size() && k < kShown; ++k)
    out += (k == 0 ? "" : ", ") + short_number(r.singular_times[k], 6);
  return out + (r.singular_positions > kShown ? ", ...\n" : "\n");
}

// "  events: up 12 times, down 11 times"
std::string events_text(const RunResult& r) {
  constexpr std::size_t kShown = 8;
  if (r.event_counts.empty()) return "";
  std::string out = "  events:";
  for (std::size_t k = 0; k < r.event_counts.size() && k < kShown; ++k) {
    const EventCount& e = r.event_counts[k];
    if (e.count == 0 && e.name.ends_with(".leaves")) continue;  // an inequality whose contact has not opened
    out += (out.ends_with(':') ? " " : ", ") + e.name + " " + std::to_string(e.count) +
           (e.count == 1 ? " time" : " times");
  }
  return out + (r.event_counts.size() > kShown ? ", ...\n" : "\n");
}

// Says how many discontinuities of piecewise functions the run has met.
std::string discontinuities_text(const RunResult& r) {
  if (r.kinks == 0) return "";
  return "  " + std::to_string(r.kinks) + (r.kinks == 1 ? " kink" : " kinks") + " of piecewise functions met\n";
}

// "  impacts accumulate: deck at t = 4.02492"
std::string impacts_text(const RunResult& r) {
  constexpr std::size_t kShown = 8;
  std::string out;
  for (std::size_t k = 0; k < r.accumulations.size() && k < kShown; ++k)
    out += (k == 0 ? "  impacts accumulate: " : ", ") + r.accumulations[k].name +
           " at t = " + short_number(r.accumulations[k].time, 9);
  if (!out.empty()) out += r.accumulations.size() > kShown ? ", ...\n" : "\n";
  if (r.lowered_restitutions > 0)
    out += "  restitutions lowered, so that different ones add no energy: at " +
           std::to_string(r.lowered_restitutions) + (r.lowered_restitutions == 1 ? " impact\n" : " impacts\n");
  return out;
}

// "  resumed at t = 1.5, 3"
std::string resumed_text(const RunResult& r) {
  if (r.resumed.empty()) return "";
  std::string out = "  resumed at t = " + joined_by(r.resumed, [](double t) { return short_number(t, 6); });
  if (r.resumed_anew) out += "; bdf began anew there: equal to an uninterrupted run within its tolerance";
  return out + "\n";
}

std::string speeds_text(const RunResult& r) {
  if (r.independent_speeds.empty()) return "";
  std::string out = "independent speeds: " + names_text(r.independent_speeds);
  if (r.speed_renewals > 0) out += "; chosen anew " + std::to_string(r.speed_renewals) + " times";
  out += "\n";
  if (!r.speeds_completed.empty())
    out += "  " + std::to_string(r.speeds_completed.size()) + " of them chosen by pivoting, to complete those given\n";
  if (!r.speeds_left_out.empty())
    out += "  left out, since they depend on the constraints or on others: " + names_text(r.speeds_left_out) + "\n";
  if (!r.momenta_kept.empty()) out += "momenta kept: " + names_text(r.momenta_kept) + "\n";
  return out;
}

}  // namespace

// "psi 80 deg -> 77.3 deg, ..."
std::string moves_text(const std::vector<InitialMove>& list) {
  constexpr std::size_t kShown = 8;
  std::vector<std::string> parts;
  for (std::size_t k = 0; k < list.size() && k < kShown; ++k) {
    const std::string unit = list[k].unit.empty() ? "" : " " + list[k].unit;
    // The remainder of a value that went to zero is round-off.
    const double size = 1e-13 * std::max(1.0, std::fabs(list[k].given));
    const double taken = std::fabs(list[k].taken) < size ? 0 : list[k].taken;
    parts.push_back(list[k].name + " " + short_number(list[k].given, 6) + unit + " -> " + short_number(taken, 6) +
                    unit);
  }
  if (list.size() > kShown) parts.push_back("and " + std::to_string(list.size() - kShown) + " more");
  return joined(parts);
}

std::string summary_text(const RunResult& r) {
  std::string out =
      std::string(api::words_of(r.status).text) + ": " + (r.simulation.empty() ? "" : r.simulation + ", ") +
      steps_text(r) + " to t = " + short_number(r.reached, 10) + " in " + text::waited(r.wall_seconds) + ", " +
      std::to_string(r.evaluations) + " evaluations, " + std::to_string(r.rows) + (r.rows == 1 ? " row\n" : " rows\n");
  out += "  " + r.integrator + ", " + r.formulation + ", stabilise " + r.stabilise + ", " +
         (r.methods.at_singular == AtSingular::stop ? "at_singular stop, " : "") + r.engine + "\n";
  out += events_text(r);
  out += discontinuities_text(r);
  out += impacts_text(r);
  out += resumed_text(r);
  if (r.ended_by) out += "  ended by: " + *r.ended_by + "\n";
  if (!r.chosen_for_user.empty()) out += "  chosen for you: " + joined(r.chosen_for_user, "; ") + "\n";
  if (!r.assembled.empty()) out += "  assembled: " + moves_text(r.assembled) + "\n";
  if (!r.constraints.empty()) {
    out += "rank " + std::to_string(r.rank) + " of " + std::to_string(r.constraints.size()) + " rows";
    if (r.freedoms == 0 && r.rows > 0) out += ", 0 degrees of freedom: the constraints alone decide the motion";
    if (!r.dependent_rows.empty()) out += "; redundant: " + names_text(r.dependent_rows);
    if (!r.disabled_rows.empty()) out += "; disabled: " + names_text(r.disabled_rows);
    if (!r.inequalities.empty()) out += "; inequalities: " + names_text(r.inequalities);
    if (!r.impact.empty()) out += "; impacts by the law of " + r.impact;
    out += "\n";
    if (!r.reactions_not_unique.empty())
      out += "  reactions not unique, the smallest taken: " + names_text(r.reactions_not_unique) + "\n";
    if (!r.shares_taken.empty())
      out += "  the motion depends on that by: " + names_text(r.shares_taken) + " (reactions = smallest)\n";
    for (std::size_t k = 0; k < r.rank_changes.size() && k < 20; ++k) {
      const RankChange& c = r.rank_changes[k];
      out += "  t = " + short_number(c.time, 8) + ": rank " + std::to_string(c.before) + " -> " +
             std::to_string(c.after) + (c.rows.empty() ? "" : ", " + names_text(c.rows)) +
             (c.after < c.before ? " dependent\n" : " independent again\n");
    }
    if (r.rank_changes.size() > 20)
      out += "  ... " + std::to_string(r.rank_changes.size() - 20) + " more rank changes\n";
    out += crossings_text(r);
    if (r.rows > 0) out += residual_table(r);
    if (r.rows > 0) out += violation_text(r);
  }
  out += speeds_text(r);
  if (r.rows == 0) return out;
  out += accuracy_text(r) + backward_text(r);
  out += global_error_text(r);
  out += "energy " + short_number(r.energy_begin, 8) + " -> " + short_number(r.energy_end, 8) + ", work of forces " +
         short_number(r.work_of_loads, 6) + ", of constraints " + short_number(r.work_of_constraints, 6) +
         (r.events > 0 || r.time_stepping ? ", of events " + short_number(r.work_of_events, 6) : std::string()) +
         balance_text(r);
  constexpr std::size_t kWorksShown = 12;
  for (std::size_t k = 0; k < r.works.size() && k < kWorksShown; ++k)
    out += (k == 0 ? "  work of " : ", of ") + r.works[k].first + " " + short_number(r.works[k].second, 6);
  if (r.works.size() > kWorksShown) out += ", and of " + std::to_string(r.works.size() - kWorksShown) + " more";
  if (!r.works.empty()) out += "\n";
  return out;
}

namespace {

using Json = nlohmann::ordered_json;

Json energy_json(const RunResult& r) {
  Json out = {{"begin", r.energy_begin}, {"end", r.energy_end}};
  MBC_PUT_MEMBERS(out, r, work_of_loads, work_of_constraints, work_of_events, balance_error)
  for (const auto& [name, work] : r.works) out["works"][name] = work;
  return out;
}

Json accuracy_json(const RunResult& r) {
  const Accuracy& a = r.accuracy;
  Json out = {{"steps_looked_at", a.steps_looked_at}};
  if (r.time_stepping) MBC_PUT_MEMBERS(out["time_steps"], r, penetration, penetration_before, contact_error)
  if (r.backward.steps > 0) MBC_PUT_MEMBERS(out["stiff_loads"], r.backward, loads, steps, stiffest, lost, error)
  if (a.steps_looked_at > 0) out["local_errors"] = a.local_errors;
  if (a.steps_looked_at > 0) out["largest"] = {{"error", a.largest}, {"time", a.largest_at}};
  if (a.error) out["error"] = *a.error;
  for (const auto& [name, size] : a.sizes) out["sizes"][name] = size;
  out["energy_exchanged"] = a.energy_exchanged;
  if (const std::optional<GlobalError>& g = r.global_error) {
    out["global"] = {{"against", g->against}, {"rows", g->rows}, {"largest", g->largest}};
    if (!g->name.empty()) out["global"].update({{"name", g->name}, {"absolute", g->absolute}, {"time", g->time}});
    if (g->diagnostic) out["global"]["ended"] = g->diagnostic->message;
  }
  return out;
}

// Returns code, message and place of a diagnostic; to_json() has the whole diagnostic.
Json diagnostic_json(const DiagnosticInfo& d) {
  Json out = {{"code", d.code}, {"kind", d.kind}, {"message", d.message}};
  if (d.place.line > 0) out.update({{"file", d.place.file}, {"line", d.place.line}, {"column", d.place.column}});
  if (d.time) out["time"] = *d.time;
  return out;
}

// Adds rank, singular positions and residuals of the constraints.
void put_rows(const RunResult& r, Json& j) {
  j["rank"] = r.rank;
  j["degrees_of_freedom"] = r.freedoms;
  MBC_PUT_MEMBERS(j, r, dependent_rows, disabled_rows, inequalities)
  if (!r.impact.empty()) j["impact"] = r.impact;
  if (!r.impact.empty()) j["contact"] = r.time_stepping ? "timestep" : "event";
  MBC_PUT_MEMBERS(j, r, accumulations, shares_taken, lowered_restitutions, rank_changes)
  j["singular_positions"] = {{"count", r.singular_positions}, {"times", r.singular_times}};
  MBC_PUT_MEMBERS(j, r, reactions_not_unique, smallest_distance)
  j["smallest_distance_time"] = r.nearest_time;
  j["sizes"] = {{"position", r.sizes[0]}, {"speed", r.sizes[1]}};
  j["constraints"] = r.constraints;
  if (r.violation.position && r.violation.velocity)
    j["violation"] = {{"position", *r.violation.position}, {"velocity", *r.violation.velocity}};
  if (r.renewals > 0) j["renewals"] = r.renewals;
}

}  // namespace

std::string summary_json(const RunResult& r) {
  Json j;
  j["status"] = api::words_of(r.status).text;
  MBC_PUT_MEMBERS(j, r, simulation, integrator, formulation, stabilise)
  j["at_singular"] = to_text(r.methods.at_singular);
  MBC_PUT_MEMBERS(j, r, engine, chosen_for_user, assembled, begin, end, step, reached, steps)
  if (r.last_step > 0) j["last_step"] = r.last_step;
  if (r.adaptive) MBC_PUT_MEMBERS(j, r, rejected, smallest_step, largest_step)
  MBC_PUT_MEMBERS(j, r, rows, evaluations, wall_seconds)
  if (!r.resumed.empty()) j["resumed"] = {{"times", r.resumed}, {"anew", r.resumed_anew}};
  put_rows(r, j);
  MBC_PUT_MEMBERS(j, r, equations, unknowns, states)
  if (!r.independent_speeds.empty())
    j["independent_speeds"] = {{"chosen", r.independent_speeds},
                               {"completed", r.speeds_completed},
                               {"left_out", r.speeds_left_out},
                               {"renewals", r.speed_renewals},
                               {"momenta", r.momenta_kept}};
  j["accuracy"] = accuracy_json(r);
  if (r.kinks > 0) j["kinks"] = r.kinks;
  j["events"] = r.event_counts;
  if (r.ended_by) j["ended_by"] = *r.ended_by;
  j["energy"] = energy_json(r);
  j["largest_correction"] = r.largest_correction;
  if (r.diagnostic) j["diagnostic"] = diagnostic_json(*r.diagnostic);
  return api::json_text(j);
}

}  // namespace mbc
