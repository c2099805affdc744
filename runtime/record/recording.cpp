// SPDX-License-Identifier: Apache-2.0
// Records a row: outputs, columns, energies, residuals.
#include "runtime/record/recording.h"

#include <algorithm>
#include <cmath>

#include "runtime/contact/idle_rows.h"
#include "runtime/contact/joint_rest.h"
#include "runtime/equations/failure_text.h"
#include "runtime/record/run_failure.h"

namespace mbc::runtime {

namespace {
// Relative to the tolerance: a larger estimated distance is measured.
constexpr double kRecordingDoubtful = 0.1;
// Relative to the exchanged energy: a larger balance error gives a warning.
constexpr double kUnbalanced = 1e-3;
// Relative to the size of the model: a larger distance from a constraint gives a warning.
constexpr double kDriftedOff = 1e-2;
constexpr double kRecordingRoundOff = 1e-12;
}  // namespace

Recording::Recording(Equations& equations, ConstraintProjector& projector, const problem::Problem& info,
                     const SimulateOptions& options, const Recorder& record, RunData& data)
    : equations_(equations),
      projector_(projector),
      info_(info),
      options_(options),
      layout_(equations.layout()),
      record_(record),
      data_(data),
      values_(info.columns.size()),
      jumps_(equations, info, projector) {
  data_.residuals.resize(info.rows.size());
  data_.not_unique.resize(info.outputs.size());
}

void Recording::look_for_runaway(double t, const std::vector<double>& y) {
  if (data_.rows == 0) return runaway_.begin(info_, layout_, t, y);
  if (const std::optional<Runaway::Found> found = runaway_.look(t, y))
    data_.warnings.push_back(runs_away(info_, layout_, found->coordinate, t, y[found->coordinate], found->doubling));
}

// Returns whether all rows except those of contacts are certified.
bool Recording::equations_are_independent() const {
  const auto certified = std::count_if(equations_.mask.begin(), equations_.mask.end(), [](double x) { return x != 0; });
  return static_cast<std::size_t>(certified) + info_.events.contact_rows() == equations_.mask.size();
}

// Evaluates outputs and energies.
bool Recording::evaluate(double t, const std::vector<double>& y, std::vector<double>& dy) {
  MultiplierFreedom freedom;
  const bool wanted = (info_.multipliers_recorded || (options_.multipliers && !equations_.beyond_dense())) &&
                      !(options_.time_stepping && equations_are_independent());
  const bool several = wanted && shared_multipliers(equations_, info_, t, y.data(), &freedom);
  equations_.outputs(t, y.data(), dy.data());
  if (several) find_not_unique(equations_, t, y.data(), dy.data(), freedom, rows_off(), data_.not_unique);
  if (wanted && !options_.time_stepping) mark_idle(t, y, dy);
  if (show_) {
    show_();
    equations_.outputs(t, y.data(), dy.data());
  }
  for (std::size_t k = 0; k < info_.outputs.size(); ++k)
    if (!std::isfinite(equations_.output_values()[k]))
      return data_.end(RunStatus::stopped,
                       undefined_output(equations_, info_, t, y.data(), dy.data(), info_.outputs[k].name));
  const double energy = equations_.kinetic() + equations_.potential();
  return std::isfinite(energy) ||
         data_.end(RunStatus::stopped, undefined_output(equations_, info_, t, y.data(), dy.data(), "energy.total"));
}

// Marks outputs that depend on which closed contacts and resting frictions carry forces. Inactive contacts, and
// frictions at their limits, are considered as well.
void Recording::mark_idle(double t, const std::vector<double>& y, std::vector<double>& dy) {
  if (equations_.beyond_dense()) return;
  IdleRows idle{{}, frictions_at_limits(equations_, info_)};
  if (!info_.events.unilaterals.empty())
    idle.sides = sides_together(equations_, info_, projector_.extent(true, y.data()));
  if (idle.sides.empty() && idle.frictions.empty()) return;
  MultiplierFreedom freedom;
  if (!freedom_with_idle(equations_, info_, t, y.data(), idle, freedom)) return;
  std::vector<std::uint32_t> off = rows_off();
  const auto pushes = [&](std::uint32_t row) { return freedom.determined.row(row).squaredNorm() > 0; };
  off.erase(std::remove_if(off.begin(), off.end(), pushes), off.end());
  find_not_unique(equations_, t, y.data(), dy.data(), freedom, off, data_.not_unique);
}

// Does the same after the work arrays were used for other states.
bool Recording::evaluate_again(double t, const std::vector<double>& y, std::vector<double>& dy) {
  std::vector<double> rate(dy.size());
  equations_.rhs(t, y.data(), rate.data());
  return evaluate(t, y, dy);
}

bool Recording::row(double t, const std::vector<double>& y, std::vector<double>& dy, bool last, EnergyMonitor* net) {
  if (!evaluate(t, y, dy)) return false;
  balance_energy(t, y, equations_.kinetic() + equations_.potential());
  look_for_runaway(t, y);
  if (net) {
    const EnergyMonitor::Verdict verdict = net->look(t, y, data_.energy_balance, data_.events, data_.steps);
    if (verdict == EnergyMonitor::Verdict::failed) return data_.end(RunStatus::stopped, net->failure());
    if (verdict == EnergyMonitor::Verdict::looked && !evaluate_again(t, y, dy)) return false;
  }
  keep_signs();
  fill_columns(y, dy);
  if (options_.watch && event_ == 0) options_.watch(t, last, y.data(), dy.data());
  if (hide_) hide_();
  if (!measure(t, y, dy)) return false;
  return hand_over(t, y, values_);
}

bool Recording::hand_over(double t, const std::vector<double>& y, const std::vector<double>& values) {
  ++data_.rows;
  if (options_.row_state) *options_.row_state = y;
  if (record_(t, values)) return true;
  data_.status = RunStatus::output_failed;
  return false;
}

bool Recording::row_of_event(double t, const std::vector<double>& y, std::vector<double>& dy, double event) {
  event_ = event;
  const bool went_on = row(t, y, dy, false);
  event_ = 0;
  return went_on;
}

bool Recording::keep_row(double t, const std::vector<double>& y, std::vector<double>& dy) {
  if (!evaluate(t, y, dy)) return false;
  keep_signs();
  fill_columns(y, dy);
  kept_ = {t, y, values_};
  return true;
}

bool Recording::kept_row(double event) {
  for (std::size_t c = 0; c < info_.columns.size(); ++c)
    if (info_.columns[c].kind == problem::Recorded::Kind::event) kept_.values[c] = event;
  return hand_over(kept_.t, kept_.y, kept_.values);
}

// Returns the rows that are switched off.
const std::vector<std::uint32_t>& Recording::rows_off() {
  off_.clear();
  const problem::DiscreteState discrete = equations_.discrete_state(info_.events);
  for (const problem::SwitchedRow& s : info_.events.switched_rows)
    if (!discrete.is_on(s.held)) off_.push_back(s.row);
  for (const problem::Unilateral& u : info_.events.unilaterals)
    if (!discrete.is_active(u)) off_.push_back(u.row);
  for (const problem::Friction& f : info_.events.frictions)
    for (std::uint32_t k = 0; !discrete.sticks(f) && k < f.count; ++k) off_.push_back(f.row + k);
  return off_;
}

// Chooses the sign of quaternions from rotation matrices so that they are closest to the last row.
void Recording::keep_signs() {
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

// Returns the part of A u' - b of a row that Baumgarte's terms add: 2 alpha e' + beta^2 e, or alpha e.
double Recording::asked_for(std::size_t k) const {
  if (options_.stabilisation != Stabilisation::baumgarte) return 0;
  const double e = equations_.position_residual()[k], rate = equations_.velocity_residual()[k];
  if (info_.rows[k].level == problem::Level::velocity) return options_.alpha * rate;
  return 2 * options_.alpha * rate + options_.beta * options_.beta * e;
}

// Returns false, and ends the run, if a constraint has jumped.
bool Recording::measure(double t, const std::vector<double>& y, const std::vector<double>& dy) {
  if (info_.rows.empty()) return true;
  equations_.residuals(t, y.data());
  LevelMaxima sum;  // of squares
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    LevelMaxima& m = data_.residuals[k];
    const double e = equations_.position_residual()[k], rate = equations_.velocity_residual()[k];
    if (info_.rows[k].level == problem::Level::position) m.position = std::max(m.position, std::fabs(e));
    if (info_.rows[k].level != problem::Level::acceleration) m.velocity = std::max(m.velocity, std::fabs(rate));
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
  if (options_.stabilisation == Stabilisation::project || options_.stabilisation == Stabilisation::partition) {
    note_distance(t, y);
    return true;
  }
  if (options_.stabilisation == Stabilisation::none) note_drift(t, y);
  // The search evaluates other states; the row keeps its multipliers.
  const Eigen::VectorXd lambda = Eigen::Map<const Eigen::VectorXd>(equations_.lambda(), layout_.n_rows);
  std::optional<Diagnostic> jump = jumps_.look(t, y, dy, data_.events);
  equations_.set_lambda(lambda);
  return !jump || data_.end(RunStatus::stopped, std::move(*jump));
}

// Returns an estimate of the distance |e|/|G| of the state from the constraints, with |G| or an estimate of it from the
// last solution.
double Recording::estimated_distance() const {
  double most = 0;
  for (std::size_t k = 0; k < info_.rows.size(); ++k) {
    if (info_.rows[k].level == problem::Level::acceleration) continue;
    const double size = std::sqrt(equations_.pivot_scale()[k]);
    const double e = std::max(std::fabs(equations_.position_residual()[k]) / projector_.size().position,
                              std::fabs(equations_.velocity_residual()[k]) / projector_.size().speed);
    most = std::max(most, size > 0 ? e / size : e);
  }
  return most;
}

// Evaluates the distance if the estimate does not show that the tolerance is met.
void Recording::note_distance(double t, const std::vector<double>& y) {
  if (estimated_distance() <= kRecordingDoubtful * options_.tolerance) return;
  for (const bool position : {true, false}) data_.met = std::max(data_.met, projector_.worst(position, t, y.data()));
}

void Recording::note_drift(double t, const std::vector<double>& y) {
  if (estimated_distance() <= kRecordingDoubtful * kDriftedOff) return;
  for (const bool position : {true, false}) {
    int row = 0;
    const double most = projector_.worst(position, t, y.data(), &row);
    if (!(most > kDriftedOff)) continue;
    if (!drifted_off_.since) {
      drifted_off_.since = t;
      drifted_off_.row = static_cast<std::uint32_t>(row);
    }
    drifted_off_.most = std::max(drifted_off_.most, most);
  }
}

void Recording::balance_energy(double t, const std::vector<double>& y, double energy) {
  EnergyBalance& balance = data_.energy_balance;
  const double loads = y[layout_.work_at()], constraints = y[layout_.work_at() + 1];
  if (data_.rows == 0) {
    balance.begin = energy;
    works_begin_.assign(y.begin() + layout_.work_at() + 2, y.end());
    loads_begin_ = loads;
    constraints_begin_ = constraints;
    lowest_ = highest_ = equations_.potential();
    events_begin_ = data_.work_of_events;
  }
  balance.end = energy;
  balance.works.resize(works_begin_.size());
  for (std::size_t k = 0; k < works_begin_.size(); ++k)
    balance.works[k] = y[layout_.work_at() + 2 + k] - works_begin_[k];
  balance.work_of_loads = loads - loads_begin_;
  balance.work_of_constraints = constraints - constraints_begin_;
  balance.work_of_events = data_.work_of_events - events_begin_;
  balance.error = std::max(balance.error, std::fabs(energy - balance.begin - balance.work_of_loads -
                                                    balance.work_of_constraints - balance.work_of_events));
  lowest_ = std::min(lowest_, equations_.potential());
  highest_ = std::max(highest_, equations_.potential());
  balance.exchanged = std::max({balance.exchanged, std::fabs(equations_.kinetic()), highest_ - lowest_,
                                std::fabs(balance.work_of_loads), std::fabs(balance.work_of_constraints),
                                std::fabs(balance.work_of_events)});
  if (misses(balance)) balance.rounded = std::max(balance.rounded, projector_.work_of_rounding(y.data()));
  if (!misses(balance))
    unbalanced_since_.reset();  // little was exchanged before
  else if (!unbalanced_since_)
    unbalanced_since_ = t;
}

void Recording::note_work(const std::vector<double>& y) {
  EnergyBalance& balance = data_.energy_balance;
  const std::size_t work = layout_.work_at();
  balance.exchanged =
      std::max({balance.exchanged, std::fabs(y[work] - loads_begin_), std::fabs(y[work + 1] - constraints_begin_)});
}

bool Recording::misses(const EnergyBalance& balance) {
  return balance.error > kUnbalanced * balance.exchanged + rounding(balance) + balance.rounded;
}

// Returns the rounding of energies, which may be large although little is exchanged.
double Recording::rounding(const EnergyBalance& balance) {
  return kRecordingRoundOff * std::max({std::fabs(balance.begin), std::fabs(balance.end), balance.exchanged});
}

void Recording::fill_columns(const std::vector<double>& y, const std::vector<double>& dy) {
  for (std::size_t c = 0; c < info_.columns.size(); ++c) {
    const problem::Recorded& column = info_.columns[c];
    switch (column.kind) {
      case problem::Recorded::Kind::coordinate:
        values_[c] = y[column.index];
        break;
      case problem::Recorded::Kind::speed:
        values_[c] = y[layout_.speeds_at() + column.index];
        break;
      case problem::Recorded::Kind::acceleration:
        values_[c] = dy[layout_.speeds_at() + column.index];
        break;
      case problem::Recorded::Kind::state:
        values_[c] = y[layout_.states_at() + column.index];
        break;
      case problem::Recorded::Kind::held:
        values_[c] = equations_.discrete_state(info_.events)[column.index];
        break;
      case problem::Recorded::Kind::event:
        values_[c] = event_;
        break;
      case problem::Recorded::Kind::output:
        values_[c] = sign_of_[column.index] * equations_.output_values()[column.index];
        break;
    }
  }
}

}  // namespace mbc::runtime
