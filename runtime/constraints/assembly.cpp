// SPDX-License-Identifier: Apache-2.0
// Assembles positions and then speeds, and explains a failure of either level.
#include "runtime/constraints/assembly.h"

#include <algorithm>
#include <cmath>

#include "base/epsilon.h"
#include "base/numbers.h"
#include "base/table.h"
#include "runtime/constraints/assembly_level.h"
#include "runtime/constraints/initial_state.h"
#include "runtime/equations/user_place.h"

namespace mbc::runtime {

bool holds(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
           ConstraintProjector& projector, double t, const std::vector<double>& y, bool wishes) {
  if (!meets_constraints(equations, projector, t, y)) return false;
  if (problem.targets.empty()) return true;
  Eigen::VectorXd residual;
  Eigen::MatrixXd derivative;
  problem.evaluate(t, y.data(), residual, derivative);
  const kernel::SystemLayout& l = equations.layout();
  // A value is met within kInitialTolerance of a metre, radian or second and the rounding of what it is measured by,
  // not of what is far away or fast elsewhere.
  for (std::size_t k = 0; k < problem.targets.size(); ++k) {
    const AssemblyTarget& target = problem.targets[k];
    if (target.stays != AssemblyTarget::Stays::no && !wishes) continue;
    const auto row = static_cast<Eigen::Index>(k);
    const double slope = derivative.row(row).norm();
    double terms = 0;
    for (std::uint32_t j = 0; j < l.n_speeds; ++j) {
      const std::uint32_t at = target.position ? info.coordinate_of_speed[j] : l.speeds_at() + j;
      if (at != problem::Problem::kNoCoordinate) terms += std::fabs(derivative(row, j) * y[at]);
    }
    if (!(target.soft && !wishes) && !(std::fabs(residual[row]) <= std::max(kInitialTolerance * (slope > 0 ? slope : 1),
                                                                            kTargetRoundings * kEpsilon * terms)))
      return false;
  }
  return true;
}

namespace {

// Returns the problem with the wishes of a level as hard values. Coordinates and speeds keep the values that y has. If
// `reached` is given, each expression keeps the residual that it has in that state.
AssemblyProblem with_wishes_held(const AssemblyProblem& problem, bool position, double t,
                                 const std::vector<double>* reached) {
  AssemblyProblem held = problem;
  std::vector<char>& soft = position ? held.soft_coordinate : held.soft_speed;
  const std::vector<char>& wished = position ? problem.wished_coordinate : problem.wished_speed;
  for (std::size_t i = 0; i < soft.size(); ++i)
    if (wished[i] != 0) soft[i] = 0;
  for (AssemblyTarget& target : held.targets)
    if (target.position == position && target.active) target.soft = false;
  if (reached == nullptr || problem.targets.empty()) return held;
  Eigen::VectorXd left;
  Eigen::MatrixXd derivative;
  problem.evaluate(t, reached->data(), left, derivative);
  for (std::size_t k = 0; k < problem.targets.size(); ++k)
    if (!problem.targets[k].soft || !problem.targets[k].active || problem.targets[k].position != position)
      left[static_cast<Eigen::Index>(k)] = 0;
  held.evaluate = [evaluate = problem.evaluate, left](double at, const double* y, Eigen::VectorXd& residual,
                                                      Eigen::MatrixXd& by_speeds) {
    evaluate(at, y, residual, by_speeds);
    residual -= left;
  };
  return held;
}

// Returns the problem with what stays as drawn: held in place, wished for, or free.
enum class Stay : std::uint8_t { held, wished, free };
AssemblyProblem with_staying(const AssemblyProblem& problem, Stay joints, Stay roots) {
  AssemblyProblem out = problem;
  for (AssemblyTarget& target : out.targets) {
    if (target.stays == AssemblyTarget::Stays::no) continue;
    const Stay how = target.stays == AssemblyTarget::Stays::joint ? joints : roots;
    target.soft = how != Stay::held;
    target.active = how == Stay::wished || (how == Stay::held && !target.coordinate);
    if (how == Stay::held && target.coordinate) out.soft_coordinate[*target.coordinate] = 0;
  }
  return out;
}

class Assembly {
 public:
  Assembly(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
           ConstraintProjector& projector, double t)
      : equations_(equations), info_(info), problem_(problem), projector_(projector), t_(t) {}

  AssemblyResult run(std::vector<double>& y) {
    AssemblyResult result;
    std::vector<double> state = y;
    for (const bool position : {true, false}) {
      if (!position && !problem_.by_energy.empty()) least_energy(state);
      AssemblyLevel level(equations_, info_, problem_, projector_, position, t_, state);
      if (solve(level, position, state, result.distance[position ? 0 : 1])) continue;
      result.interrupted = problem_.stopped();
      std::vector<double> given = y;  // The positions that were found stay fixed for the level of speeds.
      if (!position) std::copy_n(state.begin(), equations_.layout().n_coordinates, given.begin());
      result.diagnostic = explain(level, position, given, state);
      return result;
    }
    result.met = true;
    result.moved = state != y;
    y = std::move(state);
    return result;
  }

 private:
  // Sets the rates of joints that nobody gave to those of least kinetic energy beside the others: M_ff u_f = -M_fg u_g.
  void least_energy(std::vector<double>& state) {
    std::vector<int> free, given;
    for (std::size_t j = 0; j < problem_.by_energy.size(); ++j)
      (problem_.by_energy[j] != 0 ? free : given).push_back(static_cast<int>(j));
    Assembled s;
    equations_.assemble(t_, state.data(), s, false);
    double* u = state.data() + equations_.layout().speeds_at();
    const Eigen::VectorXd known = Eigen::Map<const Eigen::VectorXd>(u, equations_.layout().n_speeds)(given);
    const Eigen::LDLT<Eigen::MatrixXd> factor(s.M(free, free));
    const Eigen::VectorXd rates = factor.solve(-s.M(free, given) * known);
    if (factor.info() != Eigen::Success || !rates.allFinite()) return;
    for (std::size_t k = 0; k < free.size(); ++k) u[free[k]] = rates[static_cast<Eigen::Index>(k)];
  }
  // Treats the wishes first. They are met exactly if that is possible, and otherwise as closely as possible.
  bool solve(AssemblyLevel& level, bool position, std::vector<double>& state, double& distance) {
    if (!level.mixed()) return settle(problem_, level, position, state, distance);
    const std::vector<double> given = state;
    if (solve_with_wishes(problem_, position, nullptr, state, distance)) return true;
    state = given;
    if (!level.solve(state)) return false;
    distance = level.distance();
    std::vector<double> nearer = nearer_to(problem_, position, given, state);
    if (solve_with_wishes(problem_, position, &state, nearer, distance)) state = std::move(nearer);
    return true;
  }

  // Returns the values that are given, with those that were wished for where they are reached.
  std::vector<double> nearer_to(const AssemblyProblem& problem, bool position, const std::vector<double>& given,
                                const std::vector<double>& reached) const {
    std::vector<double> nearer = given;
    const std::vector<char>& wished = position ? problem.wished_coordinate : problem.wished_speed;
    const std::size_t first = position ? 0 : equations_.layout().speeds_at();
    for (std::size_t i = 0; i < wished.size(); ++i)
      if (wished[i] != 0) nearer[first + i] = reached[first + i];
    return nearer;
  }

  bool solve_with_wishes(const AssemblyProblem& problem, bool position, const std::vector<double>* reached,
                         std::vector<double>& state, double& distance) {
    const AssemblyProblem held = with_wishes_held(problem, position, t_, reached);
    AssemblyLevel level(equations_, info_, held, projector_, position, t_, state);
    if (!any_stays(position)) return solved(level, state, distance, reached ? 0 : AssemblyLevel::kFewAttempts);
    return settle(held, level, position, state, distance, reached ? 0 : AssemblyLevel::kFewAttempts);
  }

  static bool solved(AssemblyLevel& level, std::vector<double>& state, double& distance, int attempts) {
    if (!level.solve(state, attempts)) return false;
    distance = level.distance();
    return true;
  }

  [[nodiscard]] bool any_stays(bool position) const {
    return position && std::ranges::any_of(problem_.targets, [](const AssemblyTarget& target) {
             return target.stays != AssemblyTarget::Stays::no;
           });
  }

  // Finds the state of a problem without wishes, near what stays as drawn.
  bool settle(const AssemblyProblem& problem, AssemblyLevel& level, bool position, std::vector<double>& state,
              double& distance, int attempts = AssemblyLevel::kAllAttempts) {
    if (any_stays(position)) {
      for (const Stay joints : {Stay::held, Stay::wished})
        for (const Stay roots : {Stay::held, Stay::free})
          if (stays_so(with_staying(problem, joints, roots), joints == Stay::wished, state, distance)) return true;
      if (problem_.stopped()) return false;
    }
    return solved(level, state, distance, attempts);
  }

  bool stays_so(const AssemblyProblem& problem, bool wished, std::vector<double>& state, double& distance) {
    std::vector<double> found = state;
    AssemblyLevel level(equations_, info_, problem, projector_, true, t_, found);
    if (!solved(level, found, distance, 0)) return false;
    if (wished && level.mixed()) {
      const AssemblyProblem held = with_wishes_held(problem, true, t_, &found);
      std::vector<double> nearer = state;
      AssemblyLevel rest(equations_, info_, held, projector_, true, t_, nearer);
      if (solved(rest, nearer, distance, 0)) found = std::move(nearer);
    }
    state = std::move(found);
    return true;
  }

  Diagnostic explain(AssemblyLevel& level, bool position, const std::vector<double>& given,
                     const std::vector<double>& best) {
    const AssemblyLevel::Conflict conflict = level.conflict(best);
    const auto& quantities = position ? info_.coordinates : info_.speeds;
    const auto& spans = position ? info_.coordinate_spans : info_.speed_spans;
    Diagnostic d = diagnostic_of(Kind::assembly_failed, t_, {});
    std::vector<std::string> rows, hard, soft;
    for (int k : conflict.rows) {
      const problem::Row& row = info_.rows[static_cast<std::size_t>(k)];
      rows.push_back(quoted_name(row.name));
      point(d, row.name, row.span, "this constraint");
    }
    for (int k : conflict.targets) {
      const AssemblyTarget& target = problem_.targets[static_cast<std::size_t>(k)];
      hard.push_back(quoted_name(target.name));
      point(d, target.name, target.span, "a hard value");
    }
    for (int k : conflict.hard) {
      const auto i = static_cast<std::size_t>(k);
      hard.push_back(quoted_name(quantities[i].name));
      point(d, quantities[i].name, spans[i], "declared here, and hard");
    }
    for (int k : conflict.soft) soft.push_back(quoted_name(quantities[static_cast<std::size_t>(k)].name));
    d.args = {reason(rows, hard, soft)};
    add_residuals(d, position, best);
    add_correction(d, given);
    d.help = hard.empty()
                 ? "choose soft values nearer to a state that exists, or look whether the parts can reach each other"
                 : "let one of the hard values move: `" + bare(hard[0]) + " ~ ...` in `init`";
    return d;
  }

  void point(Diagnostic& d, const std::string& name, Span span, const char* label) const {
    if (d.labels.size() < 6) point_at(d, info_, name, span, label);
  }

  static std::string bare(const std::string& quoted) { return quoted.substr(1, quoted.size() - 2); }

  static std::string reason(const std::vector<std::string>& rows, const std::vector<std::string>& hard,
                            const std::vector<std::string>& soft) {
    if (rows.empty() && hard.empty()) return "no state was found near them";
    const std::string moving = soft.empty() ? "" : ", whatever the soft " + some_of(soft);
    if (rows.empty()) return "the hard values of " + some_of(hard) + " contradict each other" + moving;
    if (hard.empty()) return some_of(rows) + (rows.size() == 1 ? " cannot be met" : " contradict each other") + moving;
    return some_of(rows) + (rows.size() == 1 ? " contradicts" : " contradict") +
           (hard.size() == 1 ? " the hard value of " : " the hard values of ") + some_of(hard) + moving;
  }

  // Adds a table of the residuals of the rows and of the hard expressions of the level.
  void add_residuals(Diagnostic& d, bool position, const std::vector<double>& best) {
    constexpr std::size_t kMost = 20;
    text::Table table("");
    table.column("at the nearest state found");
    table.column("residual", text::Align::right);
    std::size_t count = 0;
    const auto add = [&](const std::string& name, double e, Span span) {
      if (std::fabs(e) <= kInitialTolerance) return;
      if (++count <= kMost) table.row({name, text::short_number(e, 6)});
      if (!d.span.known()) point_at(d, info_, name, span);
    };
    equations_.residuals(t_, best.data());
    const double* e = equations_.residual(position);
    for (std::size_t k = 0; k < info_.rows.size(); ++k)
      if (!position || info_.rows[k].level == problem::Level::position)
        add(info_.rows[k].name + (info_.rows[k].level == problem::Level::position && !position ? " (rate)" : ""), e[k],
            info_.rows[k].span);
    if (!problem_.targets.empty()) {
      Eigen::VectorXd residual;
      Eigen::MatrixXd derivative;
      problem_.evaluate(t_, best.data(), residual, derivative);
      for (std::size_t k = 0; k < problem_.targets.size(); ++k)
        if (const AssemblyTarget& target = problem_.targets[k]; !target.soft && target.position == position)
          add(target.name, residual[static_cast<Eigen::Index>(k)], target.span);
    }
    for (std::string& line : text_lines(table.text())) d.notes.push_back(std::move(line));
    if (count > kMost) d.notes.push_back("and " + std::to_string(count - kMost) + " more");
  }

  // Adds the smallest correction that is possible if all values may move.
  void add_correction(Diagnostic& d, const std::vector<double>& given) {
    std::vector<double> corrected = given;
    std::fill(equations_.mask.begin(), equations_.mask.end(), 1.0);
    if (!projector_.project(t_, corrected.data(), 1e-13, true).converged) {
      d.notes.emplace_back("no state near this one satisfies all constraints, even with the hard values moved");
      return;
    }
    for (std::string& line : correction_table(info_, given, corrected)) d.notes.push_back(std::move(line));
  }

  Equations& equations_;
  const problem::Problem& info_;
  const AssemblyProblem& problem_;
  ConstraintProjector& projector_;
  double t_;
};

}  // namespace

bool AssemblyProblem::empty() const {
  const auto none = [](const std::vector<char>& list) {
    return std::none_of(list.begin(), list.end(), [](char c) { return c != 0; });
  };
  return targets.empty() && none(soft_coordinate) && none(soft_speed) && by_energy.empty();
}

AssemblyResult assemble(Equations& equations, const problem::Problem& info, const AssemblyProblem& problem,
                        ConstraintProjector& projector, double t, std::vector<double>& y) {
  projector.measure(t, y.data());
  AssemblyResult result;
  result.met = (problem.empty() && problem.as_given) ||
               (problem.by_energy.empty() && holds(equations, info, problem, projector, t, y, true));
  return result.met ? result : Assembly(equations, info, problem, projector, t).run(y);
}

}  // namespace mbc::runtime
