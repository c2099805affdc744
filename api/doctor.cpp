// SPDX-License-Identifier: Apache-2.0
// Program::diagnose: the rows at many states, the motion, and what they have in common.
#include "runtime/constraints/doctor.h"

#include <algorithm>
#include <cmath>
#include <set>

#include "api/impl.h"
#include "api/initial.h"
#include "api/model_info.h"
#include "api/parts.h"
#include "base/diagnostics/render.h"
#include "compiler/formulate/formulate.h"
#include "kernel/floating_point.h"
#include "runtime/constraints/certification.h"

namespace mbc {

namespace {

constexpr double kRankTolerance = 1e-10;
constexpr std::uint64_t kPieces = 16;  // states looked at along the motion
constexpr double kConserved = 1e-7;    // change of a quantity that counts as none, relative to its size
constexpr double kNothing = 1e-12;     // momenta below this fraction of the largest one are zero

const char* level_name(runtime::RowLevel level) {
  switch (level) {
    case runtime::RowLevel::position:
      return "position";
    case runtime::RowLevel::velocity:
      return "velocity";
    case runtime::RowLevel::acceleration:
      return "acceleration";
  }
  return "";
}

class Examination {
 public:
  Examination(Program& program, Program::Parts parts, const DiagnoseOptions& options, double begin)
      : program_(program),
        parts_(std::move(parts)),
        options_(options),
        begin_(begin),
        doctor_(parts_.equations, parts_.info, kRankTolerance) {}

  Diagnosis run() {
    count();
    start();
    if (d_.without_inertia.empty() && d_.consistent) conflicts();
    if (d_.consistent) random_states();
    if (d_.sound() && options_.motion && !program_.simulations().empty()) motion();
    conclude();
    return std::move(d_);
  }

 private:
  void count() {
    d_.coordinates = parts_.info.coordinates.size();
    d_.speeds = parts_.info.speeds.size();
    for (const runtime::RowInfo& row : parts_.info.rows) {
      (row.level == runtime::RowLevel::position   ? d_.position_rows
       : row.level == runtime::RowLevel::velocity ? d_.velocity_rows
                                                  : d_.acceleration_rows) += 1;
      d_.rows.push_back({row.name, level_name(row.level), true, {}, 1, true, 0});
    }
  }

  [[nodiscard]] std::string speed_name(std::uint32_t j) const {
    const std::uint32_t q = parts_.info.coordinate_of_speed[j];
    return q == runtime::ModelInfo::kNoCoordinate ? parts_.info.speeds[j].name : parts_.info.coordinates[q].name;
  }

  void start() {
    state_ = parts_.given;
    for (std::uint32_t j : doctor_.without_inertia(begin_, state_)) d_.without_inertia.push_back(speed_name(j));
    for (std::uint32_t j : doctor_.undetermined(begin_, state_)) d_.undetermined.push_back(speed_name(j));
    if (d_.without_inertia.empty()) {
      InitialState initial = program_.initial(begin_);
      d_.consistent = initial.consistent;
      d_.diagnostic = initial.diagnostic;
      d_.rendered = initial.rendered;
      d_.moved = initial.moved;
      state_ = initial.state;
      if (!d_.consistent) name_conflict(doctor_.conflicting(begin_, state_));
    }
    const runtime::RankReport report = doctor_.rows_at(begin_, state_);
    d_.rank = report.rank;
    d_.position_rank = doctor_.position_rank(begin_, state_);
    for (std::size_t k = 0; k < report.rows.size(); ++k) {
      const runtime::RowReport& row = report.rows[k];
      d_.rows[k].independent = row.state == runtime::RowState::independent;
      d_.rows[k].distance = row.distance;
      d_.rows[k].multiplier_unique = row.multiplier_unique;
      for (const runtime::Dependency& term : row.combination)
        d_.rows[k].depends_on.push_back(parts_.info.rows[static_cast<std::size_t>(term.row)].name);
    }
    note(report, RankSample::Kind::initial, begin_);
  }

  void name_conflict(const std::vector<int>& rows) {
    for (int k : rows) d_.conflicting.push_back(parts_.info.rows[static_cast<std::size_t>(k)].name);
  }

  // Rows that agree at the initial state and ask for different accelerations.
  void conflicts() {
    if (parts_.info.rows.empty()) return;
    parts_.equations.mode = runtime::SolveMode::fast;
    runtime::ConstraintProjector projector(parts_.equations, parts_.info);
    runtime::Certification certification(parts_.equations, parts_.info, projector, kRankTolerance);
    const runtime::Verdict verdict = certification.begin(begin_, state_.data());
    if (verdict.conflict) name_conflict(verdict.conflicting);
  }

  void note(const runtime::RankReport& report, RankSample::Kind kind, double t) {
    if (report.non_finite.found) {
      ++d_.failed_samples;
      return;
    }
    d_.samples.push_back({kind, t, report.rank, report.smallest_kept});
    for (std::size_t k = 0; k < report.rows.size(); ++k)
      if (report.rows[k].state != runtime::RowState::independent) ++d_.rows[k].times_dependent;
  }

  void random_states() {
    std::vector<double> y;
    for (int k = 0; k < options_.samples; ++k)
      if (doctor_.sample(begin_, state_, options_.seed, static_cast<std::uint64_t>(k), y))
        note(doctor_.rows_at(begin_, y), RankSample::Kind::random, begin_);
      else
        ++d_.failed_samples;
  }

  // The block, or its first steps, with kPieces states looked at.
  void motion() {
    const std::string name = options_.simulation.empty() ? program_.simulations().front() : options_.simulation;
    const std::optional<TimeSpan> block = program_.time_span(name);
    if (!block) return;
    const double all = std::round((block->end - block->begin) / block->step);
    const auto steps = static_cast<std::uint64_t>(
        std::clamp(all, 1.0, static_cast<double>(std::max<std::uint64_t>(1, options_.max_steps))));
    RunOptions run;
    run.simulation = name;
    run.span = {block->begin, block->begin + static_cast<double>(steps) * block->step};
    run.state = state_;
    run.output_every = static_cast<std::uint32_t>(std::max<std::uint64_t>(1, steps / kPieces));
    std::vector<std::pair<double, std::vector<double>>> states;
    const RunResult made = program_.simulate(run, [&](const Row& row) {
      states.emplace_back(row.time, std::vector<double>(row.state.begin(), row.state.end()));
      return true;
    });
    d_.motion = TimeSpan{block->begin, made.reached, block->step};
    d_.rank_changes = made.rank_changes;
    d_.work_of_loads = made.work_of_loads;
    d_.work_of_constraints = made.work_of_constraints;
    d_.balance_error = made.balance_error;
    if (made.status != Status::complete) {
      d_.diagnostic = made.diagnostic;
      d_.rendered += made.rendered;
    }
    for (std::size_t k = 0; k < states.size(); ++k) {
      const auto& [t, y] = states[k];
      if (k > 0) note(doctor_.rows_at(t, y), RankSample::Kind::motion, t);
      if (k % (kPieces / 4) == 0 || k + 1 == states.size()) watch(t, y);
    }
    judge("energy", energies_, kinetic_);
    judge("linear momentum", linear_, {});
    judge("angular momentum", angular_, {});
  }

  using Series = std::vector<std::vector<double>>;

  // Models without some of them (an angular momentum on a line) have nothing to watch.
  void watch(double t, const std::vector<double>& y) {
    const std::pair<const char*, Series*> watched[] = {{"energy.total", &energies_},
                                                       {"energy.kinetic", &kinetic_},
                                                       {"momentum.linear", &linear_},
                                                       {"momentum.angular", &angular_}};
    for (const auto& [expression, series] : watched) {
      std::string error;
      if (auto value = program_.value(expression, t, y, error)) series->push_back(std::move(*value));
    }
  }

  static double largest(const Series& series) {
    double most = 0;
    for (const std::vector<double>& value : series)
      for (double x : value) most = std::max(most, std::fabs(x));
    return most;
  }

  // A change is measured by the size of the quantity; energies have no natural zero, so that of the kinetic one counts.
  void judge(const std::string& name, const Series& series, const Series& scale) {
    const double size = std::max(largest(series), largest(scale));
    if (series.empty() || size == 0) return;
    for (std::size_t k = 0; k < series.front().size(); ++k) {
      double change = 0, most = 0;
      for (const std::vector<double>& value : series) {
        change = std::max(change, std::fabs(value[k] - series.front()[k]));
        most = std::max(most, std::fabs(value[k]));
      }
      if (scale.empty() && most <= kNothing * size) continue;
      const std::string axis = series.front().size() == 1 ? "" : std::string(" ") + "xyz"[k];
      d_.conserved.push_back({name + axis, series.front()[k], change, change <= kConserved * size});
    }
  }

  void conclude() {
    for (const RankSample& sample : d_.samples) d_.usual_rank = std::max(d_.usual_rank, sample.rank);
    d_.freedoms = static_cast<int>(d_.speeds) - d_.usual_rank;
    for (const RowDiagnosis& row : d_.rows)
      if (row.times_dependent > 0 && row.times_dependent < static_cast<int>(d_.samples.size()))
        d_.changing.push_back(row.name);
  }

  Program& program_;
  Program::Parts parts_;
  const DiagnoseOptions& options_;
  double begin_;
  runtime::Doctor doctor_;
  std::vector<double> state_;
  Diagnosis d_;
  Series energies_, kinetic_, linear_, angular_;
};

}  // namespace

Diagnosis Program::diagnose(const DiagnoseOptions& options) {
  const kernel::StrictFloatingPoint strict;
  const std::vector<std::string> blocks = simulations();
  const std::string name = !options.simulation.empty() ? options.simulation : blocks.empty() ? "" : blocks.front();
  const std::optional<TimeSpan> span = blocks.empty() ? std::nullopt : time_span(name);
  // the block's own equations, before anybody looks at them: the motion is made by them
  if (const sema::Simulation* block = ok() ? impl_->block(name) : nullptr) {
    const sema::Simulation chosen = *block;
    impl_->shape_for(chosen);
  }
  if (!ok()) {
    Diagnosis none;
    none.consistent = false;
    const std::vector<DiagnosticInfo> found = diagnostics();
    if (!found.empty()) none.diagnostic = found.front();
    none.rendered = render_diagnostics();
    return none;
  }
  Parts all = parts();
  if (all.equations.beyond_dense()) {
    Diagnostic d;
    d.kind = Kind::too_many_rows;
    d.args = {std::to_string(all.info.rows.size()), "the doctor factorises them as a full matrix, of at most " +
                                                        std::to_string(kernel::kMaxDenseRows) +
                                                        " rows; `mbc run` says which rows depend on others"};
    if (!all.info.rows.empty()) d.span = all.info.rows.back().span;
    Diagnosis none;
    none.consistent = false;
    none.diagnostic = api::to_info(d, all.sources);
    none.rendered = render_text(d, all.sources);
    return none;
  }
  return Examination(*this, std::move(all), options, span ? span->begin : 0).run();
}

}  // namespace mbc
