// SPDX-License-Identifier: Apache-2.0
// Builds the diagnostics of runs that fail.
#include "runtime/record/run_failure.h"

#include <algorithm>

#include "base/least_tolerance.h"
#include "base/numbers.h"
#include "base/text.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/constraints/undetermined.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

Diagnostic undetermined(Equations& equations, const problem::Problem& info, const Assembled& s, double t,
                        const double* y) {
  return equations.large() ? undetermined_block(equations.sparse().without_inertia(t, y), info, t)
                           : undetermined_motion(s, info, t, y);
}

// Adds a note that coordinates have lost inertia during the run, as the angles of a prescribed body do where two of its
// axes coincide.
void lost_on_the_way(Diagnostic& d) {
  d.notes.emplace_back("it had inertia before: the coordinates are singular here");
  d.help = "describe the rotation by other angles, or by a free body with constraints";
}

}  // namespace

std::optional<Diagnostic> missing_inertia(Equations& equations, const problem::Problem& info, double t, const double* y,
                                          bool on_the_way) {
  Assembled s;
  if (equations.has_inertia(t, y, s)) return {};
  Diagnostic d = undetermined(equations, info, s, t, y);
  if (on_the_way) lost_on_the_way(d);
  return d;
}

namespace {

constexpr const char* kSpringHelp = "let the part that presses give way by a spring, or take a smaller coefficient";
constexpr const char* kSeveral = "no motion, or several";

// Builds the diagnostic for a friction or load whose multipliers have no solution or more than one. The frictions with
// a size come first.
Diagnostic unsolved_load(Equations& equations, const problem::Problem& info, std::uint32_t load, double t,
                         const double* y) {
  std::uint32_t at = 0;
  for (const problem::Friction& f : info.events.frictions)
    if (f.size && at++ == load)
      return about_row(info, f.row, Kind::friction_not_unique, t, {printable(f.name), kSeveral}, kSpringHelp);
  const problem::ReactionDependentForce& l = info.events.reaction_dependent[load - at];
  if (equations.reaction_dependent().not_finite()) {
    const std::vector<double> none(equations.layout().n_y());
    Diagnostic d = undefined_output(equations, info, t, y, none.data(), l.name);
    std::erase_if(d.notes, [](const std::string& note) { return note.starts_with("in the output"); });
    d.notes.push_back("in the load `" + printable(l.name) + "`");
    if (!d.span.known()) point_at(d, info, l.name, l.span);
    return d;
  }
  Diagnostic d = diagnostic_of(Kind::load_not_unique, t, {printable(l.name), kSeveral}, kSpringHelp);
  point_at(d, info, l.name, l.span);
  std::string rows;
  for (const problem::Slope& s : l.slopes) rows += (rows.empty() ? "" : ", ") + quoted_name(info.rows[s.row].name);
  d.notes.push_back("by the multipliers of " + rows);
  return d;
}

// Builds the diagnostic for an entry of y, whose name is the first argument.
Diagnostic about_entry(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry, Kind kind,
                       double t, std::vector<std::string> more, std::string help) {
  more.insert(more.begin(), quoted_name(entry_name(info, layout, entry)));
  Diagnostic d = diagnostic_of(kind, t, std::move(more), std::move(help));
  point_at_entry(d, info, layout, entry);
  return d;
}

}  // namespace

Diagnostic why_undefined(Equations& equations, const problem::Problem& info, double t, const double* y) {
  if (const auto load = equations.reaction_dependent().unsolved()) return unsolved_load(equations, info, *load, t, y);
  if (equations.quasi().lost()) return speeds_lost(equations, info, t, y);
  Assembled s;
  if (equations.has_inertia(t, y, s) || !s.M.allFinite()) return undefined_value(equations, info, t, y);
  Diagnostic d = undetermined(equations, info, s, t, y);
  lost_on_the_way(d);
  return d;
}

Diagnostic why_stage_undefined(Equations& equations, const problem::Problem& info, const IntegratedState& integrated,
                               double t, const std::vector<double>& state) {
  if (equations.quasi().lost()) return speeds_lost(equations, info, t, state.data());
  if (!integrated.in_quasi_velocities()) return why_undefined(equations, info, t, state.data());
  std::vector<double> y = state;
  equations.quasi().to_speeds(t, y.data(), y.data());
  return why_undefined(equations, info, t, y.data());
}

Diagnostic speeds_lost(Equations& equations, const problem::Problem& info, double t, const double* state) {
  Diagnostic d = diagnostic_of(Kind::no_independent_speeds, t, {},
                               "use `formulation = udwadia_kalaba` or `augmented`, which keep all speeds as states");
  std::string names;
  const std::vector<std::size_t> lost = equations.quasi().lost_rows(t, state);
  for (std::size_t k : lost) names += (names.empty() ? "" : ", ") + quoted_name(info.rows[k].name);
  for (std::size_t k : lost) point_at_row(d, info, k, "and this");
  d.args = {names.empty() ? "the conserved momenta depend on the constraints"
                          : names + (lost.size() == 1 ? " becomes" : " become") + " dependent on other rows"};
  return d;
}

Diagnostic state_overflow(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry,
                          double t) {
  return about_entry(info, layout, entry, Kind::state_overflow, t, {},
                     "use a smaller step; if it still grows at the same time, the model itself does that");
}

Diagnostic step_too_small(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry,
                          double t, double h, bool near_singular, bool projects, bool by_sizes) {
  const char* help = near_singular && !projects ? "use `stabilise = project`"
                     : near_singular
                         ? "a fixed step, as `integrator = rk4` makes, does not stop at a position where they do"
                     : by_sizes ? "look whether the motion is smooth here; if it is, use a larger `tol`"
                                : "look whether the motion is smooth here; if it is, loosen `rtol` and `atol`";
  Diagnostic d = about_entry(info, layout, entry, Kind::step_too_small, t, {text::short_number(h, 3)}, help);
  if (near_singular) d.notes.emplace_back("rows of the constraints become dependent here (`mbc doctor` names them)");
  if (const Span kink = info.events.unlocated_kink; kink.known() && !near_singular)
    d.labels.push_back({kink, "kinks of this are not located"});
  return d;
}

Diagnostic implicit_step_unsolved(double t, double h, Span chosen, bool off) {
  Diagnostic d = diagnostic_of(Kind::implicit_step_unsolved, t, {text::short_number(h, 3)},
                               "use a smaller step; where springs are far stiffer than the motion, `auto` or `bdf`");
  d.span = chosen;
  if (off) d.notes.emplace_back("the state at its end cannot be brought onto the constraints");
  return d;
}

Diagnostic chattering(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry,
                      Span expression, double t) {
  const std::string name = entry_name(info, layout, entry);
  Diagnostic d = diagnostic_of(
      Kind::chattering, t, {quoted_name(name)},
      "let it change within a small range instead: `tanh(v/s)` for `sign(v)`, with a speed `s` that is small here; or "
      "let events do it: a machine with a state in which it is held");
  d.span = expression;
  name_instances(d, info, name);
  return d;
}

Diagnostic runs_away(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t coordinate,
                     double t, double value, double doubling) {
  return about_entry(
      info, layout, coordinate, Kind::runs_away, t, {text::short_number(doubling, 2), text::short_number(value, 2)},
      "look at the signs of forces and gains: a spring pulls back, `-k*x`, and a damper holds back, `-c*v`");
}

Diagnostic unbalanced(double t, const EnergyBalance& balance, const char* tolerance) {
  return diagnostic_of(
      Kind::unbalanced, t, {text::short_number(balance.error, 2), text::short_number(balance.exchanged, 2)},
      tolerance ? "use a smaller `" + std::string(tolerance) +
                      "`; where a force or a prescribed motion jumps, none is small enough"
                : "use a smaller step, or `integrator = auto`: then steps follow from the accuracy wanted");
}

namespace {

// Returns advice on the tolerances of a method that chooses its steps: those with the part `finer` of the error, or if
// the error is as large as the motion, smaller ones. No tolerance below the least one is accepted.
std::string finer_tolerances(const SimulateOptions& options, double finer, bool is_all) {
  constexpr const char* kShown = "; `mbc run --accuracy global` shows whether that helps";
  const StepSettings& control = options.control;
  const double now = control.by_sizes ? control.tolerance : control.rtol,
               least = settings::least_tolerance(options.integrator);
  if (now <= least)
    return "no smaller tolerance is accepted; `integrator = taylor` sums series, whose errors by rounding are smaller";
  if (is_all) return std::string("use a smaller `") + (control.by_sizes ? "tol`" : "rtol` and `atol`") + kShown;
  const double part = std::max(finer, least / now);
  const auto told = [](const char* name, double value) {
    return std::string("`") + name + " = " + text::short_number(value, 1) + "`";
  };
  const std::string advice =
      "use " + (control.by_sizes ? told("tol", now * part)
                                 : told("rtol", now * part) + " and " + told("atol", control.atol * part));
  return part > finer ? advice + kShown : advice;
}

}  // namespace

Diagnostic inaccurate(double error, const SimulateOptions& options) {
  const bool is_all = error >= 1;
  const std::string size = is_all ? "as much as its size" : "about " + text::short_number(error, 2) + " of its size";
  const double finer = kErrorSeen / (4 * error);
  if (options.chooses_steps())
    return diagnostic_of(Kind::inaccurate, {}, {size}, finer_tolerances(options, finer, is_all));
  const double shorter = options.step * std::pow(finer, 1.0 / settings::info_of(options.integrator).order);
  return diagnostic_of(
      Kind::inaccurate, {}, {size},
      is_all ? "use shorter steps, or `integrator = auto`; `mbc run --accuracy global` shows whether that helps"
             : "use steps of " + text::short_number(shorter, 1) + " s, or `integrator = auto`");
}

Diagnostic drifts_off(const problem::Problem& info, std::uint32_t row, double t, double most) {
  return about_row(info, row, Kind::drifts_off, t, {quoted_name(info.rows[row].name), text::short_number(most, 2)},
                   "use `stabilise = project`, which brings every state back onto them, or a smaller step");
}

namespace {

// Points at the friction, the load or the row with that name.
void point_at_named(Diagnostic& d, const problem::Problem& info, const std::string& name) {
  for (const problem::Friction& f : info.events.frictions)
    if (f.name == name) return point_at_row(d, info, f.row);
  for (const problem::ReactionDependentForce& l : info.events.reaction_dependent)
    if (l.name == name) return point_at(d, info, name, l.span);
  for (std::size_t k = 0; k < info.rows.size(); ++k)
    if (std::string(info.rows[k].name) == name) return point_at_row(d, info, k);
}

}  // namespace

Diagnostic shares_decide(const problem::Problem& info, const std::vector<std::string>& names) {
  std::vector<std::string> quoted(names.size());
  std::transform(names.begin(), names.end(), quoted.begin(), quoted_name);
  Diagnostic d = diagnostic_of(
      Kind::shares_decide, {}, {joined(quoted)},
      "say by springs how they are shared, or accept the shares of equal springs by `reactions = smallest`");
  point_at_named(d, info, names.front());
  return d;
}

Diagnostic stiff(const problem::Problem& info, const kernel::SystemLayout& layout, std::uint32_t entry, double t,
                 double rate, double h, bool vibrates) {
  constexpr double kTurn = 6.283185307179586;
  Diagnostic d = about_entry(
      info, layout, entry, Kind::stiff, t,
      {text::short_number(rate, 2), text::short_number(rate / kTurn, 2), text::short_number(h, 2)},
      "use `integrator = bdf`, or take away what moves so fast (a spring that could be a constraint, a mass that is "
      "nearly none)");
  if (vibrates)
    d.notes.emplace_back("it vibrates and hardly decays: followed to the end, or damped if it should not be seen");
  return d;
}

}  // namespace mbc::runtime
