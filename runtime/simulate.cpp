#include "runtime/simulate.h"

#include <algorithm>
#include <cmath>

#include "runtime/initial_state.h"
#include "runtime/integrators/ab4.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/rk4.h"
#include "runtime/keep_constraints.h"
#include "runtime/output/numbers.h"
#include "runtime/reactions.h"
#include "runtime/singular_passage.h"
#include "runtime/undetermined.h"

namespace mbc::runtime {

namespace {

// Defect of a redundant row, relative to the accelerations, above which the rows are certified again.
constexpr double kDefect = 1e-8;
// The same for its own residual when nothing removes drift, relative to the coordinates.
constexpr double kRedundantDrift = 1e-6;
// A correction onto the constraints that changes the speeds by more than this fraction of what the step did is no
// drift: the rates before it are of no use to a method that remembers them.
constexpr double kHistoryJump = 1e-2;
constexpr double kHistoryRoundOff = 1e-9;  // of the speeds: below this it is drift in any case
constexpr double kSingularStep = 1e-4;     // smallest step beside a singular position, in units of time_aside
// dopri5 is stuck when this many attempts cover less than this part of the time span: a run would need 1e9.
constexpr std::uint64_t kPatience = 100000;
constexpr double kProgress = 1e-4;

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
        keeper_(equations, info, projector_, options),
        record_(record) {
    switch (options.integrator) {
      case Integrator::rk4:
        rk4_.emplace(y.size());
        break;
      case Integrator::ab4:
        ab4_.emplace(y.size());
        break;
      case Integrator::dopri5:
      case Integrator::dopri5_fixed:
        dopri5_.emplace(y.size());
        row_.resize(y.size());
        row_rate_.resize(y.size());
        break;
    }
  }

  RunData run() {
    data_.residuals.resize(info_.rows.size());
    data_.not_unique.resize(info_.outputs.size());
    data_.reached = options_.begin;
    if (start()) options_.integrator == Integrator::dopri5 ? adaptive_loop() : loop();
    data_.renewals = keeper_.renewals();
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
      if (!evaluate(t)) return;
      const bool last = step == options_.steps;
      if ((step % options_.output_every == 0 || last) && !record_row(t, y_, k1_, last)) return;
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

  // The rate at an accepted state, in k1_, and everything that is decided there.
  bool evaluate(double t) {
    data_.reached = t;
    if (options_.drive) options_.drive(t, y_, equations_.inputs());
    ++data_.evaluations;
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
    if (!decide(t)) return false;
    passage_.refine(t, y_.data(), k1_.data());
    return true;
  }

  // Coordinates may lose inertia on the way, as the angles of a following body do where two of its axes fall together.
  Diagnostic why_undefined(double t, const double* y) {
    Assembled s;
    if (!equations_.has_inertia(t, y, s) && s.M.allFinite()) {
      Diagnostic d = undetermined_motion(s, info_, t, y);
      d.notes.push_back("it had inertia before: the coordinates are singular here");
      d.help = "describe the rotation by other angles, or by a free body with constraints";
      return d;
    }
    return undefined_value(equations_, info_, t, y);
  }

  bool decide(double t) {
    // particles cannot lose their inertia by moving; a kinetic energy written by hand can
    if (info_.inertia_by_hand && !equations_.own_inertia(t, y_.data()) && !has_inertia(t)) return false;
    return certified(t);
  }

  // ---- steps of the method's own size (dopri5)
  // ----------------------------------------------------------------------------

  // Rows are recorded at begin + i*step, from the continuous extension of the step that holds them.
  void adaptive_loop() {
    const double last_time = row_time(options_.steps);
    StepControl control(options_.control, options_.begin, last_time, y_.size() - 2);  // not the two work integrals
    double t = options_.begin;
    if (!evaluate(t) || !record_row(t, y_, k1_, false)) return;
    next_row_ = options_.output_every;
    was_at_ = t;
    control.begin(y_, k1_);
    for (;;) {
      if (options_.progress) options_.progress(t);
      if (t >= last_time) return;
      if (options_.stop && *options_.stop) {
        data_.status = RunStatus::interrupted;
        return;
      }
      const double h = accepted_step(control, t);
      if (h == 0) return;
      const double t_new = control.reaches_end() ? last_time : t + h;
      ++data_.steps;
      data_.smallest_step = data_.steps == 1 ? h : std::min(data_.smallest_step, h);
      data_.largest_step = std::max(data_.largest_step, h);
      const std::uint64_t rows = data_.rows;
      if (!record_between(t, t_new, h)) return;
      y_ = dopri5_->y_new();
      if (!settle(t_new)) return;
      // the last stage is the rate at the new state, unless something was changed or evaluated since
      const bool known = data_.rows == rows && !options_.drive && !keeper_.corrects() && y_ == dopri5_->y_new();
      if (known) k1_ = dopri5_->rate_new();
      data_.reached = t_new;
      if (known ? !decide(t_new) : !evaluate(t_new)) return;
      t = t_new;
      if (next_time() == t && !record_row(t, y_, k1_, t >= last_time)) return;
      if (next_time() == t) next_row_ += options_.output_every;
    }
  }

  [[nodiscard]] double row_time(std::uint64_t row) const {
    return options_.begin + static_cast<double>(row) * options_.step;
  }
  // The last row is always recorded.
  [[nodiscard]] double next_time() const { return row_time(std::min(next_row_, options_.steps)); }

  // Tries steps from t until one is accurate enough; its size, or 0 when there is none.
  double accepted_step(StepControl& control, double t) {
    const auto rhs = [this](double at, const double* y, double* dy) {
      ++data_.evaluations;
      return passage_.rhs(at, y, dy);
    };
    // beside a singular position what drift has left is amplified: no step would be small enough there
    const double drift =
        certification_.near_singular() ? kSingularStep * time_aside(layout_, y_.data(), k1_.data()) : 0;
    const double smallest = std::max(control.smallest(t), drift);
    for (double h = control.next(t, smallest);;) {
      double error = std::numeric_limits<double>::infinity();
      const bool evaluated = dopri5_->step(rhs, t, h, y_, k1_) == 0 && dopri5_->estimate(rhs, t) == 0;
      if (evaluated) error = control.measure(y_, dopri5_->y_new(), dopri5_->error());
      if (control.accepts(error)) {
        control.accept(error);
        return h;
      }
      ++data_.rejected;
      if (h <= smallest || stuck(t)) {
        end(RunStatus::stopped,
            evaluated ? step_too_small(control.worst(), t, h)
                      : undefined_value(equations_, info_, dopri5_->failed_time(), dopri5_->failed_state().data()));
        return 0;
      }
      h = std::max(control.reject(error), smallest);
    }
  }

  // Where the rates jump back and forth steps are accepted, but lead nowhere.
  bool stuck(double t) {
    if (data_.steps + data_.rejected < looked_at_ + kPatience) return false;
    const bool here = t - was_at_ < kProgress * static_cast<double>(options_.steps) * options_.step;
    looked_at_ = data_.steps + data_.rejected;
    was_at_ = t;
    return here;
  }

  Diagnostic step_too_small(std::size_t component, double t, double h) const {
    Diagnostic d;
    d.kind = Kind::step_too_small;
    const auto entry = static_cast<std::uint32_t>(component);
    d.args = {quoted_name(entry_name(info_, layout_, entry)), output::short_number(h, 3)};
    d.span = entry_span(info_, layout_, entry);
    d.time = t;
    d.help = certification_.near_singular()
                 ? "rows of the constraints become dependent here: use `stabilise = project`"
                 : "look whether the motion is smooth here; if it is, loosen `rtol` and `atol`";
    return d;
  }

  // The rows after t and before t_new. The interpolated state is brought onto the constraints by the smallest
  // correction; it is recorded only, the integration does not see it.
  bool record_between(double t, double t_new, double h) {
    for (; next_time() < t_new; next_row_ += options_.output_every) {
      const double at = next_time();
      dopri5_->interpolate((at - t) / h, y_, row_);
      normalise(info_, row_.data());
      if (!kept(at, keeper_.between_steps(at, row_.data(), certification_.near_singular()))) return false;
      ++data_.evaluations;
      if (passage_.rhs(at, row_.data(), row_rate_.data()) != 0)
        return end(RunStatus::stopped, undefined_value(equations_, info_, at, row_.data()));
      if (record_row(at, row_, row_rate_, false)) continue;
      data_.reached = at;
      y_ = row_;
      return false;
    }
    return true;
  }

  // ---- at accepted states
  // ----------------------------------------------------------------------------------------

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
    return keeper_.corrects() || redundant_rows_stay(t);
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
    mask_ = equations_.mask;
    const std::size_t events = certification_.events().size();
    const std::optional<Verdict> verdict = certification_.check(t, y_.data(), !redundant_rows_agree(t));
    if (!verdict) return true;
    // a row that is skipped from here on, or comes back, makes the rates jump
    if (ab4_ && (events != certification_.events().size() || mask_ != equations_.mask)) ab4_->restart();
    if (verdict->failed) return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
    if (verdict->conflict) return end(RunStatus::stopped, conflict_diagnostic(info_, verdict->conflicting, t));
    // the certification used the work arrays: evaluate again with the set it decided
    ++data_.evaluations;
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0)
      return end(RunStatus::stopped, undefined_value(equations_, info_, t, y_.data()));
    return true;
  }

  // A step of the given size.
  bool advance(double t) {
    start_ = y_;
    const auto rhs = [this](double at, const double* y, double* dy) {
      ++data_.evaluations;
      return passage_.rhs(at, y, dy);
    };
    const auto took = [&](auto& method, std::int32_t failed) {
      if (failed == 0) return true;
      Diagnostic d = why_undefined(method.failed_time(), method.failed_state().data());
      y_ = start_;
      return end(RunStatus::stopped, std::move(d));
    };
    if (rk4_ && !took(*rk4_, rk4_->step(rhs, t, options_.step, y_, k1_))) return false;
    if (ab4_ && !took(*ab4_, ab4_->step(rhs, t, options_.step, y_, k1_))) return false;
    if (dopri5_) {
      if (!took(*dopri5_, dopri5_->step(rhs, t, options_.step, y_, k1_))) return false;
      y_ = dopri5_->y_new();
    }
    return settle(t + options_.step);
  }

  // The state at the end of a step: finite, quaternions of norm 1, on the constraints where that is asked for.
  bool settle(double t) {
    for (std::uint32_t i = 0; i < layout_.work_at(); ++i)
      if (!std::isfinite(y_[i])) {
        Diagnostic d;
        d.kind = Kind::state_overflow;
        d.args = {quoted_name(entry_name(info_, layout_, i))};
        d.span = entry_span(info_, layout_, i);
        d.time = t;
        d.help = "use a smaller step";
        y_ = start_;
        return end(RunStatus::stopped, std::move(d));
      }
    normalise(info_, y_.data());
    if (ab4_) start_ = y_;
    if (!kept(t, keeper_.after_step(t, y_.data(), certification_.near_singular()))) return false;
    if (ab4_ && jumped()) ab4_->restart();
    return true;
  }

  // The correction from start_ to y_ is not the drift of one step.
  [[nodiscard]] bool jumped() const {
    double moved = 0, change = 0, size = 1;
    for (std::uint32_t i = layout_.speeds_at(); i < layout_.states_at(); ++i) {
      moved = std::max(moved, std::fabs(y_[i] - start_[i]));
      change = std::max(change, options_.step * std::fabs(k1_[i]));
      size = std::max(size, std::fabs(y_[i]));
    }
    return moved > kHistoryJump * change && moved > kHistoryRoundOff * size;
  }

  bool kept(double t, ConstraintKeeper::Outcome made) {
    data_.largest_correction = std::max(data_.largest_correction, made.moved);
    if (!made.conflicting.empty()) return end(RunStatus::stopped, conflict_diagnostic(info_, made.conflicting, t));
    return !made.diagnostic || end(RunStatus::stopped, std::move(*made.diagnostic));
  }

  bool record_row(double t, const std::vector<double>& y, std::vector<double>& dy, bool last) {
    MultiplierFreedom freedom;
    const bool several = info_.multipliers_recorded && smallest_multipliers(equations_, t, y.data(), &freedom);
    equations_.outputs(t, y.data(), dy.data());
    if (several) find_not_unique(equations_, t, y.data(), dy.data(), freedom, data_.not_unique);
    for (std::size_t k = 0; k < info_.outputs.size(); ++k)
      if (!std::isfinite(equations_.output_values()[k]))
        return end(RunStatus::stopped,
                   undefined_output(equations_, info_, t, y.data(), dy.data(), info_.outputs[k].name));
    const double energy = equations_.kinetic() + equations_.potential();
    if (!std::isfinite(energy))
      return end(RunStatus::stopped, undefined_output(equations_, info_, t, y.data(), dy.data(), "energy.total"));
    keep_signs();
    const double loads = y[layout_.work_at()], constraints = y[layout_.work_at() + 1];
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
          values_[c] = y[column.index];
          break;
        case ModelInfo::Recorded::Kind::speed:
          values_[c] = y[layout_.speeds_at() + column.index];
          break;
        case ModelInfo::Recorded::Kind::acceleration:
          values_[c] = dy[layout_.speeds_at() + column.index];
          break;
        case ModelInfo::Recorded::Kind::state:
          values_[c] = y_[layout_.states_at() + column.index];
          break;
        case ModelInfo::Recorded::Kind::output:
          values_[c] = sign_of_[column.index] * equations_.output_values()[column.index];
          break;
      }
    }
    if (options_.watch) options_.watch(t, last, y.data(), dy.data());
    measure(t, y, dy);
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

  // What Baumgarte's terms add to A u' - b of a row: 2 alpha e' + beta^2 e, or alpha e.
  [[nodiscard]] double asked_for(std::size_t k) const {
    if (options_.stabilisation != Stabilisation::baumgarte) return 0;
    const double e = equations_.position_residual()[k], rate = equations_.velocity_residual()[k];
    if (info_.rows[k].level == RowLevel::velocity) return options_.alpha * rate;
    return 2 * options_.alpha * rate + options_.beta * options_.beta * e;
  }

  void measure(double t, const std::vector<double>& y, const std::vector<double>& dy) {
    if (info_.rows.empty()) return;
    equations_.residuals(t, y.data());
    LevelMaxima sum;  // of squares
    for (std::size_t k = 0; k < info_.rows.size(); ++k) {
      LevelMaxima& m = data_.residuals[k];
      const double e = equations_.position_residual()[k], rate = equations_.velocity_residual()[k];
      if (info_.rows[k].level == RowLevel::position) m.position = std::max(m.position, std::fabs(e));
      if (info_.rows[k].level != RowLevel::acceleration) m.velocity = std::max(m.velocity, std::fabs(rate));
      sum.position += e * e;
      sum.velocity += rate * rate;
    }
    equations_.row_defects(t, y.data(), dy.data(), defects_);
    for (std::size_t k = 0; k < info_.rows.size(); ++k) {
      defects_[k] -= asked_for(k);
      data_.residuals[k].acceleration = std::max(data_.residuals[k].acceleration, std::fabs(defects_[k]));
      sum.acceleration += defects_[k] * defects_[k];
    }
    LevelMaxima& v = data_.violation;
    v.position = std::max(v.position, std::sqrt(sum.position));
    v.velocity = std::max(v.velocity, std::sqrt(sum.velocity));
    v.acceleration = std::max(v.acceleration, std::sqrt(sum.acceleration));
  }

  Equations& equations_;
  const ModelInfo& info_;
  const SimulateOptions& options_;
  const formulate::SystemLayout& layout_;
  std::vector<double>& y_;
  std::vector<double> k1_, start_, values_, defects_, mask_, sign_of_, last_quaternions_;
  std::vector<double> row_, row_rate_;  // a recorded state between steps
  std::uint64_t next_row_ = 0, looked_at_ = 0;
  double was_at_ = 0;
  Projector projector_;
  Certification certification_;
  SingularPassage passage_;
  ConstraintKeeper keeper_;
  std::optional<Rk4> rk4_;  // one of them
  std::optional<Ab4> ab4_;
  std::optional<Dopri5> dopri5_;
  const Recorder& record_;
  RunData data_;
  double loads_begin_ = 0, constraints_begin_ = 0;
};

}  // namespace

RunData simulate(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
                 const Recorder& record) {
  const bool baumgarte = options.stabilisation == Stabilisation::baumgarte;
  equations.set_gains(baumgarte ? options.alpha : 0, baumgarte ? options.beta : 0);
  RunData data = Run(equations, info, options, y, record).run();
  equations.set_gains(0, 0);
  return data;
}

}  // namespace mbc::runtime
