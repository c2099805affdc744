#include "runtime/simulate.h"

#include <algorithm>
#include <cmath>

#include "runtime/initial_state.h"
#include "runtime/integrators/rk4.h"
#include "runtime/output/numbers.h"
#include "runtime/reactions.h"
#include "runtime/singular_passage.h"
#include "runtime/undetermined.h"

namespace mbc::runtime {

namespace {

// A velocity correction of one step larger than this fraction of the speed, next to a singular position, is a jump to
// another branch of the motion and not the removal of drift.
constexpr double kBranchJump = 1e-3;
// Defect of a redundant row, relative to the accelerations, above which the rows are certified again.
constexpr double kDefect = 1e-8;
// The same for its own residual when nothing removes drift, relative to the coordinates.
constexpr double kRedundantDrift = 1e-6;

class Run {
 public:
  Run(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
      const Recorder& record)
      : equations_(equations),
        info_(info),
        options_(options),
        layout_(equations.layout()),
        y_(y),
        k1_(y.size()),
        start_(y.size()),
        values_(info.columns.size()),
        projector_(equations, info),
        certification_(equations, info, projector_, options.rank_tolerance),
        passage_(equations, projector_),
        rk4_(y.size()),
        record_(record) {}

  RunData run() {
    data_.residuals.resize(info_.rows.size());
    data_.not_unique.resize(info_.outputs.size());
    data_.reached = options_.begin;
    if (start()) loop();
    data_.rank_events = certification_.events();
    data_.smallest_distance = certification_.smallest_distance();
    return std::move(data_);
  }

 private:
  bool end(RunStatus status, Diagnostic d) {
    data_.status = status;
    data_.diagnostic = std::move(d);
    return false;
  }

  // ---- the initial state
  // ----------------------------------------------------------------------------------------------

  bool start() {
    const double t = options_.begin;
    equations_.mode = SolveMode::fast;
    if (!has_inertia(t)) return false;
    if (!info_.rows.empty() && !meets_constraints(t)) return false;
    if (layout_.augmented) certification_.allow_mode_change = false;  // its own condition grows with 1/angle only
    const Verdict verdict = certification_.begin(t, y_.data());
    data_.start = verdict.report;
    if (verdict.failed || verdict.report.non_finite.found)
      return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
    if (verdict.conflict) return end(RunStatus::inconsistent, conflict_diagnostic(info_, verdict.conflicting, t));
    for (std::size_t k = 0; k < verdict.report.rows.size(); ++k) {
      const RowReport& row = verdict.report.rows[k];
      if (row.grade == RowGrade::near || row.grade == RowGrade::redundant_near)
        data_.warnings.push_back({Kind::nearly_dependent,
                                  info_.rows[k].span,
                                  {quoted_name(info_.rows[k].name), output::short_number(row.distance, 2)},
                                  {},
                                  {},
                                  {},
                                  {}});
    }
    if (options_.literal) {
      certification_.allow_mode_change = false;
      equations_.mode = SolveMode::literal;
      equations_.literal_tolerance = options_.rank_tolerance;
    }
    return true;
  }

  // M, with the rows added to it, must be positive definite.
  bool has_inertia(double t) {
    Assembled s;
    if (equations_.has_inertia(t, y_.data(), s)) return true;
    return end(RunStatus::stopped, undetermined_motion(s, info_, t, y_.data()));
  }

  bool meets_constraints(double t) {
    InitialCheck check = check_initial_state(equations_, info_, projector_, t, y_, options_.assemble);
    data_.assembled = check.outcome == InitialCheck::Outcome::assembled;
    if (data_.assembled) {
      std::copy(std::begin(check.moved), std::end(check.moved), std::begin(data_.assembly_moved));
      data_.assembled_state = y_;
    }
    if (!check.diagnostic) return true;
    return end(check.outcome == InitialCheck::Outcome::off ? RunStatus::inconsistent : RunStatus::stopped,
               std::move(*check.diagnostic));
  }

  // ---- the loop
  // -------------------------------------------------------------------------------------------------------

  void loop() {
    for (std::uint64_t step = 0;; ++step) {
      const double t = options_.begin + static_cast<double>(step) * options_.step;
      data_.reached = t;
      if (options_.drive) options_.drive(t, y_, equations_.inputs());
      ++data_.evaluations;
      if (equations_.rhs(t, y_.data(), k1_.data()) != 0) {
        end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
        return;
      }
      // particles cannot lose their inertia by moving; a kinetic energy written by hand can
      if (info_.inertia_by_hand && !equations_.own_inertia(t, y_.data()) && !has_inertia(t)) return;
      if (!certified(t)) return;
      passage_.refine(t, y_.data(), k1_.data());
      const bool last = step == options_.steps;
      if ((step % options_.output_every == 0 || last) && !record_row(t, last)) return;
      if (options_.progress) options_.progress(t);
      if (last) return;
      if (options_.stop && *options_.stop) {
        data_.status = RunStatus::interrupted;
        return;
      }
      if (!advance(t)) return;
      ++data_.steps;
    }
  }

  // Rows left out as redundant must go on agreeing with the others: their defect is looked at in every step.
  bool redundant_rows_agree(double t) {
    bool any = false;
    for (double kept : equations_.mask) any |= kept == 0;
    if (!any) return true;
    equations_.row_defects(t, y_.data(), k1_.data(), defects_);
    double size = 1;
    for (std::uint32_t j = 0; j < layout_.n_speeds; ++j) size = std::max(size, std::fabs(k1_[layout_.speeds_at() + j]));
    for (std::size_t k = 0; k < defects_.size(); ++k)
      if (equations_.mask[k] == 0 &&
          std::fabs(defects_[k]) > kDefect * size * std::max(1.0, std::sqrt(equations_.pivot_scale()[k])))
        return false;
    return options_.project || redundant_rows_stay(t);
  }

  bool redundant_rows_stay(double t) {
    equations_.residuals(t, y_.data());
    double size = 0;
    for (std::uint32_t i = 0; i < layout_.states_at(); ++i) size = std::max(size, std::fabs(y_[i]));
    for (std::size_t k = 0; k < info_.rows.size(); ++k) {
      const double e =
          std::max(std::fabs(equations_.position_residual()[k]), std::fabs(equations_.velocity_residual()[k]));
      if (equations_.mask[k] == 0 && e > kRedundantDrift * size * std::sqrt(equations_.pivot_scale()[k])) return false;
    }
    return true;
  }

  bool certified(double t) {
    const std::optional<Verdict> verdict = certification_.check(t, y_.data(), !redundant_rows_agree(t));
    if (!verdict) return true;
    if (verdict->failed) return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
    if (verdict->conflict) return end(RunStatus::stopped, conflict_diagnostic(info_, verdict->conflicting, t));
    // the certification used the work arrays: evaluate again with the set it decided
    ++data_.evaluations;
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0)
      return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
    return true;
  }

  bool advance(double t) {
    data_.evaluations += 3;
    start_ = y_;
    const auto rhs = [this](double at, const double* y, double* dy) { return passage_.rhs(at, y, dy); };
    if (rk4_.step(rhs, t, options_.step, y_, k1_) != 0) {
      Diagnostic d = undefined_value(equations_, info_, rk4_.failed_time(), rk4_.failed_state().data());
      y_ = start_;
      return end(RunStatus::stopped, std::move(d));
    }
    for (std::uint32_t i = 0; i < layout_.work_at(); ++i)
      if (!std::isfinite(y_[i])) {
        Diagnostic d;
        d.kind = Kind::state_overflow;
        d.args = {quoted_name(entry_name(info_, layout_, i))};
        d.span = entry_span(info_, layout_, i);
        d.time = t + options_.step;
        d.help = "use a smaller step";
        y_ = start_;
        return end(RunStatus::stopped, std::move(d));
      }
    normalise(info_, y_.data());
    return !options_.project || info_.rows.empty() || stabilise(t + options_.step);
  }

  bool stabilise(double t) {
    const bool near = certification_.near_singular();
    const StabiliseReport made = projector_.project(t, y_.data(), options_.tolerance, near);
    data_.largest_correction = std::max(data_.largest_correction, made.moved[0]);
    const int row = std::max(made.worst_row, 0);
    if (!made.converged) {
      for (const ProjectionReport& level : made.details)
        if (level.status == ProjectionStatus::inconsistent && !level.conflicting.empty())
          return end(RunStatus::stopped, conflict_diagnostic(info_, level.conflicting, t));
      Diagnostic d;
      d.kind = Kind::projection_failed;
      d.span = info_.rows[static_cast<std::size_t>(row)].span;
      d.args = {quoted_name(info_.rows[static_cast<std::size_t>(row)].name),
                output::short_number(std::max(made.after[0], made.after[1]), 3)};
      d.time = t;
      d.help = "use a smaller step, and look whether the mechanism can reach this position at all";
      return end(RunStatus::stopped, std::move(d));
    }
    if ((near || made.near_singular) && made.moved[1] > kBranchJump * made.speed) {
      Diagnostic d;
      d.kind = Kind::bifurcation;
      d.span = info_.rows[static_cast<std::size_t>(row)].span;
      d.args = {"the rows become dependent and one step would change the velocities by " +
                output::short_number(made.moved[1] / made.speed, 2) + " of their size"};
      d.time = t;
      d.help = "use a smaller step, or add a constraint that excludes the other branch";
      return end(RunStatus::stopped, std::move(d));
    }
    return true;
  }

  bool record_row(double t, bool last) {
    MultiplierFreedom freedom;
    const bool several = info_.multipliers_recorded && smallest_multipliers(equations_, t, y_.data(), &freedom);
    equations_.outputs(t, y_.data(), k1_.data());
    if (several) find_not_unique(equations_, t, y_.data(), k1_.data(), freedom, data_.not_unique);
    for (std::size_t k = 0; k < info_.outputs.size(); ++k)
      if (!std::isfinite(equations_.output_values()[k]))
        return end(RunStatus::stopped,
                   undefined_output(equations_, info_, t, y_.data(), k1_.data(), info_.outputs[k].name));
    const double energy = equations_.kinetic() + equations_.potential();
    if (!std::isfinite(energy))
      return end(RunStatus::stopped, undefined_output(equations_, info_, t, y_.data(), k1_.data(), "energy.total"));
    keep_signs();
    const double loads = y_[layout_.work_at()], constraints = y_[layout_.work_at() + 1];
    if (data_.rows == 0) {
      data_.energy_begin = energy;
      loads_begin_ = loads;
      constraints_begin_ = constraints;
    }
    data_.energy_end = energy;
    data_.work_of_loads = loads - loads_begin_;
    data_.work_of_constraints = constraints - constraints_begin_;
    data_.balance_error = std::max(
        data_.balance_error, std::fabs(energy - data_.energy_begin - data_.work_of_loads - data_.work_of_constraints));
    for (std::size_t c = 0; c < info_.columns.size(); ++c) {
      const ModelInfo::Recorded& column = info_.columns[c];
      switch (column.kind) {
        case ModelInfo::Recorded::Kind::coordinate:
          values_[c] = y_[column.index];
          break;
        case ModelInfo::Recorded::Kind::speed:
          values_[c] = y_[layout_.speeds_at() + column.index];
          break;
        case ModelInfo::Recorded::Kind::acceleration:
          values_[c] = k1_[layout_.speeds_at() + column.index];
          break;
        case ModelInfo::Recorded::Kind::state:
          values_[c] = y_[layout_.states_at() + column.index];
          break;
        case ModelInfo::Recorded::Kind::output:
          values_[c] = sign_of_[column.index] * equations_.output_values()[column.index];
          break;
      }
    }
    if (options_.watch) options_.watch(t, last, y_.data(), k1_.data());
    measure(t);
    ++data_.rows;
    if (record_(t, values_)) return true;
    data_.status = RunStatus::output_failed;
    return false;
  }

  // Quaternions computed from a rotation matrix: of the two signs the one nearer to the last row.
  void keep_signs() {
    sign_of_.resize(info_.outputs.size(), 1.0);
    last_quaternions_.resize(4 * info_.quaternion_outputs.size());
    for (std::size_t g = 0; g < info_.quaternion_outputs.size(); ++g) {
      const std::uint32_t first = info_.quaternion_outputs[g];
      double* last = last_quaternions_.data() + 4 * g;
      double product = 0;
      for (std::uint32_t k = 0; k < 4; ++k) product += last[k] * equations_.output_values()[first + k];
      const double sign = product < 0 ? -1 : 1;
      for (std::uint32_t k = 0; k < 4; ++k) {
        sign_of_[first + k] = sign;
        last[k] = sign * equations_.output_values()[first + k];
      }
    }
  }

  void measure(double t) {
    if (info_.rows.empty()) return;
    equations_.residuals(t, y_.data());
    for (std::size_t k = 0; k < info_.rows.size(); ++k) {
      LevelMaxima& m = data_.residuals[k];
      if (info_.rows[k].level == RowLevel::position)
        m.position = std::max(m.position, std::fabs(equations_.position_residual()[k]));
      if (info_.rows[k].level != RowLevel::acceleration)
        m.velocity = std::max(m.velocity, std::fabs(equations_.velocity_residual()[k]));
    }
    equations_.row_defects(t, y_.data(), k1_.data(), defects_);
    for (std::size_t k = 0; k < info_.rows.size(); ++k)
      data_.residuals[k].acceleration = std::max(data_.residuals[k].acceleration, std::fabs(defects_[k]));
  }

  Equations& equations_;
  const ModelInfo& info_;
  const SimulateOptions& options_;
  const formulate::SystemLayout& layout_;
  std::vector<double>& y_;
  std::vector<double> k1_, start_, values_, defects_, sign_of_, last_quaternions_;
  Projector projector_;
  Certification certification_;
  SingularPassage passage_;
  Rk4 rk4_;
  const Recorder& record_;
  RunData data_;
  double loads_begin_ = 0, constraints_begin_ = 0;
};

}  // namespace

RunData simulate(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
                 const Recorder& record) {
  return Run(equations, info, options, y, record).run();
}

}  // namespace mbc::runtime
