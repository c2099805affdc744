// SPDX-License-Identifier: Apache-2.0
#include "api/simulation/run_report.h"

#include <iterator>

#include "api/model/initial.h"
#include "base/copy_members.h"
#include "base/diagnostics/render.h"
#include "base/numbers.h"

namespace mbc::api {

namespace {

Status status_of(runtime::RunStatus status) {
  // The entries follow the order of the enumerators.
  static constexpr Status kStatuses[] = {Status::complete, Status::inconsistent, Status::stopped, Status::output_failed,
                                         Status::interrupted};
  static_assert(std::size(kStatuses) == static_cast<std::size_t>(runtime::RunStatus::interrupted) + 1);
  return kStatuses[static_cast<std::size_t>(status)];
}

class Report {
 public:
  Report(const ReportedRun& run, RunResult& result) : run_(run), result_(result) {}

  void make(const runtime::RunData& data) {
    result_.status = begins_off(data) ? Status::inconsistent : status_of(data.status);
    for (Diagnostic w : data.warnings) {
      if (w.kind == Kind::unbalanced || w.kind == Kind::inaccurate) w.span = run_.block.time_span;
      result_.warnings.push_back(to_info(w, run_.impl.sources()));
      result_.rendered += rendered(w);
    }
    if (data.diagnostic) {
      Diagnostic why = *data.diagnostic;
      if (why.kind == Kind::energy_unexplained) why.span = run_.block.time_span;
      result_.diagnostic = to_info(why, run_.impl.sources());
      result_.rendered += rendered(why);
    }
    const kernel::EnginesUsed used = run_.equations.engines().used();
    result_.methods.engine = !used.native       ? EngineUsed::interpreter
                             : used.interpreter ? EngineUsed::both
                                                : EngineUsed::native;
    MBC_COPY_MEMBERS(result_, data, steps, rows, rejected, evaluations, smallest_step, largest_step, reached, met,
                     renewals, speed_renewals, largest_correction, events, kinks, ended_by, shares_taken,
                     lowered_restitutions, penetration, penetration_before, contact_error);
    const runtime::BackwardLoads& backward = data.backward;
    MBC_COPY_MEMBERS(result_.backward, backward, loads, steps, stiffest, lost, error);
    report_steps(data);
    report_rows(data);
    report_speeds(data);
    report_energy(data);
    if (data.assembly.made) report_assembly(data);
    report_events(data);
  }

 private:
  [[nodiscard]] std::string rendered(const Diagnostic& d) const {
    return render_text(d, run_.impl.sources(), {run_.impl.variant().how().colour});
  }

  // An inequality that is violated at the beginning is reported as an inconsistent initial state, as with an equation.
  [[nodiscard]] bool begins_off(const runtime::RunData& data) const {
    return data.diagnostic && data.diagnostic->kind == Kind::unilateral_violated &&
           data.diagnostic->time == run_.settings.begin;
  }

  void report_events(const runtime::RunData& data) {
    const problem::Events& events = run_.impl.facts().info.events;
    for (const problem::Unilateral& u : events.unilaterals)
      result_.inequalities.push_back(run_.impl.facts().info.rows[u.row].name);
    for (const runtime::Accumulation& a : data.accumulations) result_.accumulations.push_back({a.row, a.time});
    for (const std::string& name : data.undecided)
      result_.chosen_for_user.push_back("a motion with `" + name +
                                        "`, of which it is not known whether it is the only one");
    if (!events.unilaterals.empty() || !events.frictions.empty())
      result_.impact = settings::to_text(run_.block.impact.method);
    result_.time_stepping = run_.settings.time_stepping;
    const problem::DiscreteState discrete = run_.impl.discrete_state(run_.equations);
    for (const problem::Event& e : events.list)
      if (e.written())
        result_.event_counts.push_back({e.name, static_cast<std::uint64_t>(discrete[e.count]), discrete[e.time]});
  }

  static std::string fast_text(const runtime::MethodChange& change) {
    constexpr double kTurn = 6.283185307179586;
    if (!change.vibrates) return " (stiff: " + text::short_number(change.rate, 2) + " 1/s)";
    return " (a vibration of " + text::short_number(change.rate / kTurn, 2) + " Hz)";
  }
  // Returns ", bdf from t = 0.0022 (stiff: 2e+05 1/s)" for the first changes.
  static std::string changes_text(const std::vector<runtime::MethodChange>& changes) {
    constexpr std::size_t kTold = 3;
    std::string out;
    for (std::size_t k = 0; k < std::min(changes.size(), kTold); ++k)
      out += std::string(changes[k].to_stiff ? ", bdf" : ", dop853") +
             " from t = " + text::short_number(changes[k].time, 3) + (changes[k].to_stiff ? fast_text(changes[k]) : "");
    if (changes.size() > kTold) out += ", " + std::to_string(changes.size()) + " changes in all";
    return out;
  }

  void report_steps(const runtime::RunData& data) {
    result_.integrator += changes_text(data.method_changes);
    result_.adaptive = run_.settings.chooses_steps();
    for (const runtime::Resumed& resumed : data.resumed) {
      result_.resumed.push_back(resumed.time);
      result_.resumed_anew = result_.resumed_anew || resumed.anew;
    }
    const runtime::Accuracy& found = data.accuracy;
    Accuracy& accuracy = result_.accuracy;
    accuracy.steps_looked_at = found.looked_at;
    if (found.looked_at > 0)
      accuracy.local_errors = found.sum / static_cast<double>(found.looked_at) * static_cast<double>(data.steps);
    accuracy.error = found.global;
    accuracy.largest = found.largest;
    accuracy.largest_at = found.when;
    accuracy.sizes = found.sizes;
    accuracy.energy_exchanged = data.energy_balance.exchanged;
  }

  void report_rows(const runtime::RunData& data) {
    const problem::Problem& info = run_.impl.facts().info;
    const bool holds = run_.settings.stabilisation == Stabilisation::project ||
                       run_.settings.stabilisation == Stabilisation::partition;
    if (holds && data.met > run_.settings.tolerance) result_.stabilise += ", met to " + text::short_number(data.met, 2);
    result_.violation = {"", data.violation.position, data.violation.velocity, data.violation.acceleration};
    result_.rank = data.start.rank;
    result_.freedoms = static_cast<int>(info.speeds.size()) - data.start.rank;
    const std::vector<char> of_contact = info.events.rows_of_contact(info.rows.size());
    for (std::size_t k = 0; k < data.start.rows.size(); ++k)
      if (data.start.rows[k].state != runtime::RowState::independent && of_contact[k] == 0)
        (disabled_at_start(k) ? result_.disabled_rows : result_.dependent_rows).push_back(info.rows[k].name);
    for (const runtime::RankEvent& e : data.rank_events)
      result_.rank_changes.push_back({e.t, e.rank_before, e.rank_after, e.rows});
    result_.singular_positions = data.passed.count;
    result_.singular_times = data.passed.times;
    const bool passed = data.passed.smallest < data.smallest_distance;
    result_.smallest_distance = passed ? data.passed.smallest : data.smallest_distance;
    result_.nearest_time = passed ? data.passed.when : data.nearest;
    result_.sizes = {data.position_size, data.speed_size};
    for (std::size_t k = 0; k < data.not_unique.size(); ++k)
      if (data.not_unique[k]) result_.reactions_not_unique.push_back(info.outputs[k].name);
    result_.constraints.reserve(data.residuals.size());
    for (std::size_t k = 0; k < data.residuals.size(); ++k) {
      ConstraintReport c{info.rows[k].name, {}, {}, data.residuals[k].acceleration};
      if (info.rows[k].level == problem::Level::position) c.position = data.residuals[k].position;
      if (info.rows[k].level != problem::Level::acceleration) c.velocity = data.residuals[k].velocity;
      result_.constraints.push_back(std::move(c));
    }
  }

  [[nodiscard]] bool disabled_at_start(std::size_t row) const {
    for (const problem::SwitchedRow& s : run_.impl.facts().info.events.switched_rows)
      if (s.row == row && run_.held[s.held] == 0) return true;
    return false;
  }

  // Reports the sizes of the formulation, and the speeds that a formulation in independent speeds chose.
  void report_speeds(const runtime::RunData& data) {
    const Facts& facts = run_.impl.facts();
    const std::size_t n_speeds = facts.info.speeds.size();
    const runtime::SpeedChoice& choice = data.first_choice;
    for (std::uint32_t k = 0; k < choice.count; ++k) {
      const auto code = static_cast<std::size_t>(choice.y[k]);
      result_.independent_speeds.push_back(code < n_speeds ? facts.info.speeds[code].name.text()
                                                           : facts.quasi_velocities[code - n_speeds]);
      if (!facts.quasi_velocities.empty() && code < n_speeds)
        result_.speeds_completed.push_back(facts.info.speeds[code].name);
    }
    for (std::uint32_t k : choice.left_out) result_.speeds_left_out.push_back(facts.quasi_velocities[k]);
    result_.momenta_kept = run_.impl.variant().momenta();
    const kernel::SystemLayout& layout = run_.equations.layout();
    const formulate::FormulationSizes sizes = run_.impl.variant().wanted().method->sizes(
        {layout.n_coordinates, layout.n_speeds, static_cast<std::size_t>(data.start.rank),
         layout.quasi ? layout.quasi->n_momenta : 0});
    result_.equations = sizes.equations;
    result_.unknowns = sizes.unknowns;
    result_.states = sizes.states + facts.info.states.size();
  }

  void report_energy(const runtime::RunData& data) {
    result_.energy_begin = data.energy_balance.begin;
    result_.energy_end = data.energy_balance.end;
    result_.work_of_loads = data.energy_balance.work_of_loads;
    result_.work_of_constraints = data.energy_balance.work_of_constraints;
    result_.work_of_events = data.energy_balance.work_of_events;
    for (std::size_t k = 0; k < data.energy_balance.works.size(); ++k)
      result_.works.emplace_back(run_.impl.facts().works[k], data.energy_balance.works[k]);
    result_.balance_error = data.energy_balance.error;
  }

  void report_assembly(const runtime::RunData& data) {
    name_assembly(result_, data.assembly.moved);
    result_.assembled = moves_between(run_.impl.variant().analysis().tree().model(), run_.given, data.assembly.state);
  }

  const ReportedRun& run_;
  RunResult& result_;
};

}  // namespace

void report(const ReportedRun& run, const runtime::RunData& data, RunResult& result) { Report(run, result).make(data); }

void name_assembly(RunResult& result, std::span<const double> distance) {
  result.chosen_for_user.push_back("initial state assembled: moved by " + text::short_number(distance[0], 3) +
                                   " (positions) and " + text::short_number(distance[1], 3) +
                                   " (velocities), mass-weighted");
}

}  // namespace mbc::api
