#include "runtime/simulate.h"

#include <algorithm>
#include <cmath>

#include "compiler/formulate/formulate.h"
#include "runtime/initial_state.h"
#include "runtime/integrators/ab4.h"
#include "runtime/integrators/dopri5.h"
#include "runtime/integrators/rk4.h"
#include "runtime/keep_constraints.h"
#include "runtime/output/numbers.h"
#include "runtime/reactions.h"
#include "runtime/recording.h"
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
        projector_(equations, info),
        certification_(equations, info, projector_, options.rank_tolerance),
        passage_(equations, projector_),
        keeper_(equations, info, projector_, options),
        recording_(equations, info, options, record, data_),
        quasi_(equations.in_quasi_velocities()) {
    if (quasi_) {
      z_.resize(y.size());
      rate_.resize(y.size());
    }
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
    // the robust mode solves for all speeds from all rows; these have states and speeds of their own
    if (layout_.quasi) certification_.allow_mode_change = false;
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
    if (equations_.beyond_dense() && data_.start.rank < static_cast<int>(info_.rows.size()) &&
        (info_.multipliers_recorded || layout_.ideal))
      return end(RunStatus::stopped, reactions_of_many());
    return (!quasi_ || begin_in_quasi_velocities(t)) && ideal_parts_unique(t);
  }

  // Which reactions are unique is found by factorising all rows densely.
  [[nodiscard]] Diagnostic reactions_of_many() const {
    Diagnostic d;
    d.kind = Kind::too_many_rows;
    for (std::size_t k = 0; k < info_.rows.size() && !d.span.known(); ++k)
      if (data_.start.rows[k].state != RowState::independent) d.span = info_.rows[k].span;
    d.args = {std::to_string(info_.rows.size()),
              "with rows that depend on others, reactions cannot be told apart in a model of this size"};
    d.help = "leave out the rows that repeat others, or the outputs of reactions";
    return d;
  }

  // Prescribed forces may use the multipliers without them only where there is one such set.
  bool ideal_parts_unique(double t) {
    if (!layout_.ideal || std::find(equations_.mask.begin(), equations_.mask.end(), 0.0) == equations_.mask.end())
      return true;
    ++data_.evaluations;
    MultiplierFreedom freedom;
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
    if (!smallest_multipliers(equations_, t, y_.data(), &freedom)) return true;
    for (std::uint32_t row : info_.ideal_rows) {
      if (unique_multiplier(freedom, row)) continue;
      Diagnostic d;
      d.kind = Kind::ideal_not_unique;
      d.args = {quoted_name(info_.rows[row].name)};
      d.span = info_.rows[row].span;
      d.time = t;
      d.help = "leave out the rows that repeat others (`mbc doctor` names them)";
      return end(RunStatus::stopped, std::move(d));
    }
    return true;
  }

  // The momenta of the start are kept from here on; the state is made of what z says.
  bool begin_in_quasi_velocities(double t) {
    equations_.hold_momenta(t, y_.data());
    ++data_.evaluations;
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
    if (!equations_.speed_choice().complete) return end(RunStatus::stopped, speeds_lost(t, y_.data()));
    return take_quasi_velocities(t);
  }

  // z from y, and y from z, so that what is recorded has the momenta and rates of z.
  bool take_quasi_velocities(double t) {
    choice_ = equations_.speed_choices();
    if (equations_.to_quasi(t, y_.data(), z_.data()) != 0 || equations_.to_speeds(t, z_.data(), y_.data()) != 0)
      return end(RunStatus::stopped, why_undefined(t, y_.data()));
    return true;
  }

  // M, with the rows added to it, must be positive definite.
  bool has_inertia(double t) {
    Assembled s;
    if (equations_.has_inertia(t, y_.data(), s)) return true;
    if (equations_.large())
      return end(RunStatus::stopped, undetermined_block(equations_.without_inertia(t, y_.data()), info_, t));
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
      if ((step % options_.output_every == 0 || last) && !recording_.row(t, y_, k1_, last)) return;
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
    if (layout_.quasi) return speeds_renewed(t);
    if (!quiet_) passage_.refine(t, y_.data(), k1_.data());
    return true;
  }

  // Independent speeds that have aged are replaced between steps; the state means the same before and after.
  bool speeds_renewed(double t) {
    if (data_.steps == 0) data_.first_choice = equations_.speed_choice();
    if (equations_.renew_speeds(t, y_.data(), k1_.data())) ++data_.speed_renewals;
    if (!quasi_) return true;
    if (choice_ != equations_.speed_choices()) {
      if (ab4_) ab4_->restart();
      if (!take_quasi_velocities(t)) return false;
      ++data_.evaluations;
      if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
    }
    equations_.quasi_rate(k1_.data(), rate_.data());
    return true;
  }

  // Coordinates may lose inertia on the way, as the angles of a following body do where two of its axes fall together.
  Diagnostic why_undefined(double t, const double* y) {
    if (equations_.speeds_lost()) return speeds_lost(t, y);
    Assembled s;
    if (!equations_.has_inertia(t, y, s) && s.M.allFinite()) {
      Diagnostic d = equations_.large() ? undetermined_block(equations_.without_inertia(t, y), info_, t)
                                        : undetermined_motion(s, info_, t, y);
      d.notes.push_back("it had inertia before: the coordinates are singular here");
      d.help = "describe the rotation by other angles, or by a free body with constraints";
      return d;
    }
    return undefined_value(equations_, info_, t, y);
  }

  // Rows of the choice that depend on the others here; `y` is a state of either kind.
  [[nodiscard]] Diagnostic speeds_lost(double t, const double* y) {
    Diagnostic d;
    d.kind = Kind::no_independent_speeds;
    d.time = t;
    std::string names;
    const std::vector<std::size_t> lost = equations_.lost_rows(t, y);
    for (std::size_t k : lost) names += (names.empty() ? "" : ", ") + quoted_name(info_.rows[k].name);
    if (!lost.empty()) d.span = info_.rows[lost.front()].span;
    d.args = {names.empty() ? "the conserved momenta depend on the constraints"
                            : names + (lost.size() == 1 ? " becomes" : " become") + " dependent on other rows"};
    d.help = "use `formulation = udwadia_kalaba` or `augmented`, which keep all speeds as states";
    return d;
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
    StepControl control(options_.control, options_.begin, last_time, layout_.work_at());  // not the work integrals
    double t = options_.begin;
    if (!evaluate(t) || !recording_.row(t, y_, k1_, false)) return;
    next_row_ = options_.output_every;
    was_at_ = t;
    control.begin(state(), rate());
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
      state() = dopri5_->y_new();
      if (!settle(t_new)) return;
      // the last stage is the rate at the new state, unless something was changed or evaluated since
      const bool known =
          !layout_.quasi && data_.rows == rows && !options_.drive && !keeper_.corrects() && y_ == dopri5_->y_new();
      if (known) k1_ = dopri5_->rate_new();
      data_.reached = t_new;
      if (known ? !decide(t_new) : !evaluate(t_new)) return;
      t = t_new;
      if (next_time() == t && !recording_.row(t, y_, k1_, t >= last_time)) return;
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
    const auto rhs = [this](double at, const double* y, double* dy) { return stage(at, y, dy); };
    const auto inner = [this](double at, const double* y, double* dy) { return inner_stage(at, y, dy); };
    // beside a singular position what drift has left is amplified: no step would be small enough there
    const double drift =
        certification_.near_singular() ? kSingularStep * time_aside(layout_, y_.data(), k1_.data()) : 0;
    const double smallest = std::max(control.smallest(t), drift);
    for (double h = control.next(t, smallest);;) {
      double error = std::numeric_limits<double>::infinity();
      const bool evaluated = dopri5_->step(inner, t, h, state(), rate()) == 0 && dopri5_->estimate(rhs, t) == 0;
      if (evaluated) error = control.measure(state(), dopri5_->y_new(), dopri5_->error());
      if (control.accepts(error)) {
        control.accept(error);
        return h;
      }
      ++data_.rejected;
      if (h <= smallest || stuck(t)) {
        end(RunStatus::stopped, evaluated ? step_too_small(control.worst(), t, h)
                                          : why_stage_failed(dopri5_->failed_time(), dopri5_->failed_state()));
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
    const std::uint32_t entry = entry_of(component);
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
      dopri5_->interpolate((at - t) / h, state(), row_);
      if (quasi_ && equations_.to_speeds(at, row_.data(), row_.data()) != 0)
        return end(RunStatus::stopped, why_undefined(at, row_.data()));
      normalise(info_, row_.data());
      if (!kept(at, keeper_.between_steps(at, row_.data(), certification_.near_singular()))) return false;
      ++data_.evaluations;
      if ((layout_.quasi ? equations_.rhs(at, row_.data(), row_rate_.data())
                         : passage_.rhs(at, row_.data(), row_rate_.data())) != 0)
        return end(RunStatus::stopped, why_undefined(at, row_.data()));
      if (recording_.row(at, row_, row_rate_, false)) continue;
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
    quiet_ = certification_.quiet();
    if (quiet_) return true;
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
    if (equations_.rhs(t, y_.data(), k1_.data()) != 0) return end(RunStatus::stopped, why_undefined(t, y_.data()));
    if (mask_ == equations_.mask || !layout_.ideal) return true;
    if (!ideal_parts_unique(t)) return false;
    ++data_.evaluations;  // that look left other multipliers
    return equations_.rhs(t, y_.data(), k1_.data()) == 0 || end(RunStatus::stopped, why_undefined(t, y_.data()));
  }

  // ---- what is integrated

  std::vector<double>& state() { return quasi_ ? z_ : y_; }
  std::vector<double>& rate() { return quasi_ ? rate_ : k1_; }

  std::int32_t stage(double t, const double* y, double* dy) {
    ++data_.evaluations;
    if (quasi_) return equations_.rhs_quasi(t, y, dy);
    return layout_.quasi ? equations_.rhs(t, y, dy) : passage_.rhs(t, y, dy);
  }
  // The same where nothing but the derivatives is looked at.
  std::int32_t inner_stage(double t, const double* y, double* dy) {
    if (!equations_.lean_rhs(t, y, dy)) return stage(t, y, dy);
    ++data_.evaluations;
    return 0;
  }

  // The place in the model of an entry of what is integrated: of a quasi-velocity of the user the first speed it holds.
  [[nodiscard]] std::uint32_t entry_of(std::size_t entry) const {
    const auto at = static_cast<std::uint32_t>(entry);
    if (!quasi_ || at < layout_.speeds_at() || at >= layout_.states_at()) return at;
    const double column = equations_.speed_choice().y[at - layout_.speeds_at()];
    if (column < 0) return at;
    const auto speed = static_cast<std::uint32_t>(column);
    const formulate::QuasiLayout& q = *layout_.quasi;
    return layout_.speeds_at() + (speed < layout_.n_speeds ? speed : q.column[q.row_ptr[speed - layout_.n_speeds]]);
  }

  Diagnostic why_stage_failed(double t, const std::vector<double>& failed) {
    if (equations_.speeds_lost()) return speeds_lost(t, failed.data());
    if (!quasi_) return why_undefined(t, failed.data());
    moved_ = failed;
    equations_.to_speeds(t, moved_.data(), moved_.data());
    return why_undefined(t, moved_.data());
  }

  // A step of the given size.
  bool advance(double t) {
    start_ = y_;
    const auto rhs = [this](double at, const double* y, double* dy) { return inner_stage(at, y, dy); };
    const auto took = [&](auto& method, std::int32_t failed) {
      if (failed == 0) return true;
      Diagnostic d = why_stage_failed(method.failed_time(), method.failed_state());
      y_ = start_;
      return end(RunStatus::stopped, std::move(d));
    };
    if (rk4_ && !took(*rk4_, rk4_->step(rhs, t, options_.step, state(), rate()))) return false;
    if (ab4_ && !took(*ab4_, ab4_->step(rhs, t, options_.step, state(), rate()))) return false;
    if (dopri5_) {
      if (!took(*dopri5_, dopri5_->step(rhs, t, options_.step, state(), rate()))) return false;
      state() = dopri5_->y_new();
    }
    return settle(t + options_.step);
  }

  // The state at the end of a step: finite, quaternions of norm 1, on the constraints where that is asked for.
  bool settle(double t) {
    for (std::uint32_t i = 0; i < layout_.work_at(); ++i)
      if (!std::isfinite(state()[i])) {
        const std::uint32_t entry = entry_of(i);
        Diagnostic d;
        d.kind = Kind::state_overflow;
        d.args = {quoted_name(entry_name(info_, layout_, entry))};
        d.span = entry_span(info_, layout_, entry);
        d.time = t;
        d.help = "use a smaller step";
        y_ = start_;
        return end(RunStatus::stopped, std::move(d));
      }
    if (quasi_ && equations_.to_speeds(t, z_.data(), y_.data()) != 0)
      return end(RunStatus::stopped, why_undefined(t, y_.data()));
    if (quasi_) moved_ = y_;
    normalise(info_, y_.data());
    if (ab4_) start_ = y_;
    if (!keeper_.idle() && !kept(t, keeper_.after_step(t, y_.data(), certification_.near_singular()))) return false;
    if (ab4_ && jumped()) ab4_->restart();
    return !quasi_ || moved_ == y_ || take_quasi_velocities(t);
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

  Equations& equations_;
  const ModelInfo& info_;
  const SimulateOptions& options_;
  const formulate::SystemLayout& layout_;
  std::vector<double>& y_;
  std::vector<double> k1_, start_, defects_, mask_;
  bool quiet_ = false;                  // the rows are far from depending on each other at the last accepted state
  std::vector<double> row_, row_rate_;  // a recorded state between steps
  std::uint64_t next_row_ = 0, looked_at_ = 0;
  double was_at_ = 0;
  RunData data_;
  Projector projector_;
  Certification certification_;
  SingularPassage passage_;
  ConstraintKeeper keeper_;
  Recording recording_;
  // What is integrated: [q; u; s], or [q; y; s] in independent quasi-velocities; and its rate
  bool quasi_;
  std::vector<double> z_, rate_, moved_;
  std::uint64_t choice_ = 0;  // number of the choice that z_ belongs to
  std::optional<Rk4> rk4_;    // one of them
  std::optional<Ab4> ab4_;
  std::optional<Dopri5> dopri5_;
};

// The formula as written, and a choice of coordinates, factorise all rows as a full matrix.
RunData needs_full_matrix(const ModelInfo& info, const SimulateOptions& options) {
  RunData data;
  data.status = RunStatus::stopped;
  data.reached = options.begin;
  Diagnostic d;
  d.kind = Kind::too_many_rows;
  d.args = {std::to_string(info.rows.size()),
            std::string(options.literal ? "`udwadia_kalaba(literal)`" : "`stabilise = partition`") +
                " works on a full matrix, of at most " + std::to_string(formulate::kMaxDenseRows) + " rows"};
  if (!info.rows.empty()) d.span = info.rows.back().span;
  data.diagnostic = std::move(d);
  return data;
}

}  // namespace

RunData simulate(Equations& equations, const ModelInfo& info, const SimulateOptions& options, std::vector<double>& y,
                 const Recorder& record) {
  const bool baumgarte = options.stabilisation == Stabilisation::baumgarte;
  if (equations.beyond_dense() && (options.literal || options.stabilisation == Stabilisation::partition))
    return needs_full_matrix(info, options);
  equations.set_gains(baumgarte ? options.alpha : 0, baumgarte ? options.beta : 0);
  equations.restart_lean();
  RunData data = Run(equations, info, options, y, record).run();
  equations.set_gains(0, 0);
  return data;
}

}  // namespace mbc::runtime
