// SPDX-License-Identifier: Apache-2.0
// Checks an initial state and builds the diagnostics for it.
#include "runtime/constraints/initial_state.h"

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/numbers.h"
#include "base/table.h"
#include "runtime/constraints/assembly_level.h"
#include "runtime/constraints/conflict_text.h"
#include "runtime/equations/failure_text.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

namespace {

constexpr std::size_t kMostRows = 20, kMostCorrections = 16;

// Adds a table of the residuals at the state where a search ended.
void add_nearest(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y,
                 Diagnostic& d) {
  d.notes.emplace_back("no state near this one satisfies all constraints; the nearest one found leaves");
  for (std::string& line : rows_off(equations, info, t, y).table) d.notes.push_back(std::move(line));
}

// Names rows whose gradient is zero at y. No small motion changes such a row, because no direction is better than
// another.
void name_vanishing(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y,
                    const std::vector<int>& rows, Diagnostic& d) {
  if (equations.beyond_dense()) return;
  Assembled s;
  equations.assemble(t, y.data(), s, false);
  for (int k : rows)
    if (s.A.row(k).cwiseAbs().maxCoeff() == 0)
      d.notes.push_back("the gradient of " + quoted_name(info.rows[static_cast<std::size_t>(k)].name) +
                        " is zero at this state: nothing that moves a little changes it");
}

// A Nearest holds a state on the constraints near y, or the best state found.
struct Nearest {
  std::vector<double> y;
  bool found = false;
  double moved[2] = {0, 0};      // mass-weighted corrections of positions and velocities
  std::vector<int> conflicting;  // rows that contradict each other at the last state, if `found` is false
};

bool has_hard_targets(const AssemblyProblem& problem) {
  return std::any_of(problem.targets.begin(), problem.targets.end(), [](const AssemblyTarget& t) { return !t.soft; });
}

// Searches by the assembly with everything soft. This search leaves singular starts and local minima of the residuals.
Nearest searched(Equations& equations, const problem::Problem& info, AssemblyProblem problem,
                 ConstraintProjector& projector, double t, const std::vector<double>& y) {
  problem.all_soft = true;
  Nearest nearest{y, false, {0, 0}, {}};
  nearest.found = true;
  for (const bool position : {true, false}) {
    AssemblyLevel level(equations, info, problem, projector, position, t, nearest.y);
    nearest.found = level.solve(nearest.y);
    nearest.moved[position ? 0 : 1] = level.distance();
    if (nearest.found) continue;
    nearest.conflicting = level.conflict(nearest.y).rows;
    break;
  }
  return nearest;
}

Nearest nearest_state(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
                      ConstraintProjector& projector, double t, const std::vector<double>& y) {
  Nearest nearest{y, false, {0, 0}, {}};
  std::fill(equations.mask.begin(), equations.mask.end(), 1.0);
  const CorrectionReport made = projector.project(t, nearest.y.data(), 1e-13, true);
  std::copy(std::begin(made.moved), std::end(made.moved), std::begin(nearest.moved));
  nearest.found = made.converged;
  if (made.converged ? !has_hard_targets(problem) : equations.large()) return nearest;
  return searched(equations, info, problem, projector, t, y);
}

Diagnostic off_constraints(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y,
                           const Nearest& nearest) {
  Diagnostic d = diagnostic_of(Kind::initial_state_off, t, {});
  const RowsOff off = rows_off(equations, info, t, y);
  std::vector<std::string> names;
  for (int k : off.rows) {
    const problem::Row& row = info.rows[static_cast<std::size_t>(k)];
    names.push_back(quoted_name(row.name));
    point_at(d, info, row.name, row.span, "and this");
  }
  d.args = {(names.size() == 1 ? "the constraint " : "the constraints ") + some_of(names)};
  d.notes = off.table;
  name_vanishing(equations, info, t, y, off.rows, d);
  if (!nearest.found) {
    add_nearest(equations, info, t, nearest.y, d);
    d.help = "look whether the parts can reach each other, or choose initial values nearer to a state that exists";
    return d;
  }
  for (std::string& line : correction_table(info, y, nearest.y)) d.notes.push_back(std::move(line));
  d.help =
      "correct the initial values, or accept this correction with `assemble` in the block, or `mbc run --assemble`";
  return d;
}

}  // namespace

std::vector<std::string> text_lines(const std::string& text) {
  std::vector<std::string> lines;
  std::istringstream in(text);
  for (std::string line; std::getline(in, line);) lines.push_back(line);
  return lines;
}

std::string quoted_name(const std::string& name) {
  return name.starts_with("constraint in line") ? name : "`" + name + "`";
}

std::string some_of(const std::vector<std::string>& names, std::size_t most) {
  std::string list;
  for (std::size_t k = 0; k < names.size() && k < most; ++k) list += (k == 0 ? "" : ", ") + names[k];
  return names.size() > most ? list + " and " + std::to_string(names.size() - most) + " more" : list;
}

RowsOff rows_off(Equations& equations, const problem::Problem& info, double t, const std::vector<double>& y) {
  RowsOff off;
  equations.residuals(t, y.data());
  text::Table table("");
  for (const char* head : {"constraint", "e", "e'"})
    table.column(head, *head == 'c' ? text::Align::left : text::Align::right);
  for (std::uint32_t k = 0; k < info.rows.size(); ++k) {
    const double e = equations.position_residual()[k], rate = equations.velocity_residual()[k];
    const bool position = info.rows[k].level == problem::Level::position;
    if (std::fabs(e) <= kRoundOffShown && std::fabs(rate) <= kRoundOffShown) continue;
    off.rows.push_back(static_cast<int>(k));
    // The residual of a velocity-level row is its e.
    if (off.rows.size() <= kMostRows)
      table.row(
          {info.rows[k].name, text::short_number(position ? e : rate, 6), position ? text::short_number(rate, 6) : ""});
  }
  off.table = text_lines(table.text());
  if (off.rows.size() > kMostRows) off.table.push_back("and " + std::to_string(off.rows.size() - kMostRows) + " more");
  return off;
}

std::vector<std::string> correction_table(const problem::Problem& info, const std::vector<double>& before,
                                          const std::vector<double>& after) {
  text::Table table("");
  table.column("smallest correction");
  for (const char* head : {"given", "corrected", "change"}) table.column(head, text::Align::right);
  const std::size_t n_q = info.coordinates.size(), n = n_q + info.speeds.size();
  std::size_t count = 0;
  for (std::size_t i = 0; i < n; ++i) {
    if (std::fabs(after[i] - before[i]) <= kRoundOffShown) continue;
    if (++count > kMostCorrections) continue;
    table.row({i < n_q ? info.coordinates[i].name : info.speeds[i - n_q].name, text::short_number(before[i], 8),
               text::short_number(after[i], 8), text::short_number(after[i] - before[i], 3)});
  }
  if (count == 0) return {};
  std::vector<std::string> lines = text_lines(table.text());
  if (count > kMostCorrections) lines.push_back("and " + std::to_string(count - kMostCorrections) + " more");
  return lines;
}

bool meets_constraints(Equations& equations, ConstraintProjector& projector, double t, const std::vector<double>& y) {
  if (equations.layout().n_rows == 0) return true;
  // The comparison is written so that NaN fails.
  return projector.worst_at_start(t, y.data()) <= kInitialTolerance &&
         projector.worst(false, t, y.data()) <= kInitialTolerance;
}

InitialCheck check_initial_state(Equations& equations, const problem::Problem& info, ConstraintProjector& projector,
                                 double t, std::vector<double>& y, bool assemble, const AssemblyProblem& problem) {
  InitialCheck check;
  projector.measure(t, y.data());
  if (has_hard_targets(problem) ? holds(equations, info, problem, projector, t, y, false)
                                : meets_constraints(equations, projector, t, y))
    return check;
  for (const bool position : {true, false})
    if (!std::isfinite(projector.worst(position, t, y.data()))) {
      check.outcome = InitialCheck::Outcome::undefined;
      check.diagnostic = undefined_value(equations, info, t, y.data());
      return check;
    }
  Nearest nearest = nearest_state(equations, info, problem, projector, t, y);
  if (nearest.found && assemble) {
    check.outcome = InitialCheck::Outcome::assembled;
    std::copy(std::begin(nearest.moved), std::end(nearest.moved), std::begin(check.moved));
    y = std::move(nearest.y);
    return check;
  }
  check.outcome = problem.stopped() ? InitialCheck::Outcome::interrupted : InitialCheck::Outcome::off;
  if (nearest.conflicting.empty()) {
    check.diagnostic = off_constraints(equations, info, t, y, nearest);
    return check;
  }
  check.diagnostic = conflict_diagnostic(equations, info, nearest.conflicting, t, nearest.y.data());
  add_nearest(equations, info, t, nearest.y, *check.diagnostic);
  return check;
}

}  // namespace mbc::runtime
